// Command sparse writes the assembly of package sparse; see its go:generate line.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	laplacianMul2AVX2()
	laplacianMul4()
	Generate()
}

// laplacianMul2AVX2 writes the product for two columns with AVX2. Half a register has the two
// columns of an entry, and a row has four partial sums, so that additions do not wait for each
// other.
func laplacianMul2AVX2() {
	TEXT("laplacianMul2AVX2", NOSPLIT, "func(dst *[2]float64, diagonal *float64, x *[2]float64, start *int, index *int32, data *float64, from, to int)")
	Doc("laplacianMul2AVX2 sets rows from..to of dst = (diag(diagonal) - C) X.")
	dst, diagonal := Load(Param("dst"), GP64()), Load(Param("diagonal"), GP64())
	x, start := Load(Param("x"), GP64()), Load(Param("start"), GP64())
	index, data := Load(Param("index"), GP64()), Load(Param("data"), GP64())
	row, to := Load(Param("from"), GP64()), Load(Param("to"), GP64())
	p, end, last := GP64(), GP64(), GP64()
	MOVQ(Mem{Base: start, Index: row, Scale: 8}, p)
	sums := [4]reg.VecVirtual{XMM(), XMM(), XMM(), XMM()}
	add := func(e int) {
		j, w := GP64(), XMM()
		MOVLQSX(Mem{Base: index, Index: p, Scale: 4, Disp: 4 * e}, j)
		ADDQ(j, j)
		VMOVDDUP(Mem{Base: data, Index: p, Scale: 8, Disp: 8 * e}, w)
		VFNMADD231PD(Mem{Base: x, Index: j, Scale: 8}, w, sums[e])
	}

	Label("rows2")
	CMPQ(row, to)
	JGE(LabelRef("done2"))
	MOVQ(Mem{Base: start, Index: row, Scale: 8, Disp: 8}, end)
	two := GP64()
	LEAQ(Mem{Base: row, Index: row, Scale: 1}, two)
	VMOVDDUP(Mem{Base: diagonal, Index: row, Scale: 8}, sums[0])
	VMULPD(Mem{Base: x, Index: two, Scale: 8}, sums[0], sums[0])
	for _, s := range sums[1:] {
		VXORPD(s, s, s)
	}
	LEAQ(Mem{Base: end, Disp: -4}, last)
	JMP(LabelRef("testFours"))
	Label("fours")
	for e := range sums {
		add(e)
	}
	ADDQ(U8(4), p)
	Label("testFours")
	CMPQ(p, last)
	JLE(LabelRef("fours"))
	JMP(LabelRef("testOnes"))
	Label("ones")
	add(0)
	INCQ(p)
	Label("testOnes")
	CMPQ(p, end)
	JLT(LabelRef("ones"))
	VADDPD(sums[1], sums[0], sums[0])
	VADDPD(sums[3], sums[2], sums[2])
	VADDPD(sums[2], sums[0], sums[0])
	VMOVUPD(sums[0], Mem{Base: dst, Index: two, Scale: 8})
	INCQ(row)
	JMP(LabelRef("rows2"))

	Label("done2")
	VZEROUPPER()
	RET()
}

// laplacianMul4 writes the product for four columns, which fill a register.
func laplacianMul4() {
	TEXT("laplacianMul4AVX2", NOSPLIT, "func(dst, diagonal, x *float64, stride int, start *int, index *int32, data *float64, from, to int)")
	Doc("laplacianMul4AVX2 sets rows from..to of dst = (diag(diagonal) - C) X for four columns",
		"of matrices whose rows are stride apart.")
	dst, diagonal := Load(Param("dst"), GP64()), Load(Param("diagonal"), GP64())
	x, stride := Load(Param("x"), GP64()), Load(Param("stride"), GP64())
	start, index := Load(Param("start"), GP64()), Load(Param("index"), GP64())
	data := Load(Param("data"), GP64())
	row, to := Load(Param("from"), GP64()), Load(Param("to"), GP64())
	SHLQ(U8(3), stride)
	at := GP64() // of the row in dst and x
	MOVQ(row, at)
	IMULQ(stride, at)
	p := GP64()
	MOVQ(Mem{Base: start, Index: row, Scale: 8}, p)

	Label("rows4")
	CMPQ(row, to)
	JGE(LabelRef("done4"))
	end := GP64()
	MOVQ(Mem{Base: start, Index: row, Scale: 8, Disp: 8}, end)
	sum := YMM()
	VBROADCASTSD(Mem{Base: diagonal, Index: row, Scale: 8}, sum)
	VMULPD(Mem{Base: x, Index: at, Scale: 1}, sum, sum)
	JMP(LabelRef("test4"))
	Label("entries4")
	j, w := GP64(), YMM()
	MOVLQSX(Mem{Base: index, Index: p, Scale: 4}, j)
	IMULQ(stride, j)
	VBROADCASTSD(Mem{Base: data, Index: p, Scale: 8}, w)
	VFNMADD231PD(Mem{Base: x, Index: j, Scale: 1}, w, sum)
	INCQ(p)
	Label("test4")
	CMPQ(p, end)
	JLT(LabelRef("entries4"))
	VMOVUPD(sum, Mem{Base: dst, Index: at, Scale: 1})
	ADDQ(stride, at)
	INCQ(row)
	JMP(LabelRef("rows4"))

	Label("done4")
	VZEROUPPER()
	RET()
}
