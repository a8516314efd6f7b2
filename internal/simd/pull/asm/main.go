// Command asm writes the assembly of package pull; see its go:generate line.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	rows()
	Generate()
}

// graph are the slices of edges and points.
type graph struct {
	index, length, number, weight, mu, sigma2, w reg.GPVirtual
	p                                            reg.GPVirtual // the edge
}

// rows writes the kernel. A register holds one number of four edges; those that are left of a row
// come one by one.
func rows() {
	TEXT("rowsAVX2", NOSPLIT, "func(start *int, index *int32, length *float32, number *uint8, weight *float64, mu *[2]float64, sigma2 *float64, w *float32, grad *[2]float64, sum *float64, from, to int, half, c float64)")
	Pragma("noescape")
	Doc("rowsAVX2 does the rows from..to.")
	load := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	g := graph{load("index"), load("length"), load("number"), load("weight"), load("mu"), load("sigma2"), load("w"), GP64()}
	row := load("from")
	// Of a row: its place, variance and sums.
	x, y, own, half := YMM(), YMM(), YMM(), YMM()
	sum, gx, gy := YMM(), YMM(), YMM()
	VBROADCASTSD(NewParamAddr("half", 96), half)
	end, at := GP64(), GP64()
	start := load("start")
	MOVQ(Mem{Base: start, Index: row, Scale: 8}, g.p)

	Label("rows")
	CMPQ(row, NewParamAddr("to", 88))
	JGE(LabelRef("done"))
	Load(Param("start"), start)
	MOVQ(Mem{Base: start, Index: row, Scale: 8, Disp: 8}, end)
	MOVQ(row, at)
	SHLQ(U8(4), at)
	VBROADCASTSD(Mem{Base: g.mu, Index: at, Scale: 1}, x)
	VBROADCASTSD(Mem{Base: g.mu, Index: at, Scale: 1, Disp: 8}, y)
	VBROADCASTSD(Mem{Base: g.sigma2, Index: row, Scale: 8}, own)
	for _, s := range []reg.VecVirtual{sum, gx, gy} {
		VXORPD(s, s, s)
	}
	last := GP64()
	LEAQ(Mem{Base: end, Disp: -4}, last)
	JMP(LabelRef("testFours"))
	Label("fours")
	g.four(x, y, own, half, sum, gx, gy)
	ADDQ(U8(4), g.p)
	Label("testFours")
	CMPQ(g.p, last)
	JLE(LabelRef("fours"))
	for _, s := range []reg.VecVirtual{sum, gx, gy} {
		high := XMM()
		VEXTRACTF128(U8(1), s, high)
		VADDPD(high, s.AsX(), s.AsX())
		VUNPCKHPD(s.AsX(), s.AsX(), high)
		VADDSD(high, s.AsX(), s.AsX())
	}
	JMP(LabelRef("testOnes"))
	Label("ones")
	g.one(x.AsX(), y.AsX(), own.AsX(), half.AsX(), sum.AsX(), gx.AsX(), gy.AsX())
	INCQ(g.p)
	Label("testOnes")
	CMPQ(g.p, end)
	JLT(LabelRef("ones"))
	// grad = c grad - the sums of W (mu_i - mu_j)
	out := load("grad")
	c, both := XMM(), XMM()
	VMOVDDUP(NewParamAddr("c", 104), c)
	VUNPCKLPD(gy.AsX(), gx.AsX(), both)
	VMULPD(Mem{Base: out, Index: at, Scale: 1}, c, c)
	VSUBPD(both, c, c)
	VMOVUPD(c, Mem{Base: out, Index: at, Scale: 1})
	sums := load("sum")
	VMOVSD(sum.AsX(), Mem{Base: sums, Index: row, Scale: 8})
	INCQ(row)
	JMP(LabelRef("rows"))

	Label("done")
	VZEROUPPER()
	RET()
}

// four adds four edges.
func (g *graph) four(x, y, own, half, sum, gx, gy reg.VecVirtual) {
	places, variances, weights := [4]reg.VecVirtual{}, [2]reg.VecVirtual{XMM(), XMM()}, [2]reg.VecVirtual{XMM(), XMM()}
	for e := range 4 {
		j, number := GP64(), GP64()
		MOVLQSX(Mem{Base: g.index, Index: g.p, Scale: 4, Disp: 4 * e}, j)
		MOVBLZX(Mem{Base: g.number, Index: g.p, Scale: 1, Disp: e}, number.As32())
		s, w := Mem{Base: g.sigma2, Index: j, Scale: 8}, Mem{Base: g.weight, Index: number, Scale: 8}
		if e%2 == 0 {
			VMOVSD(s, variances[e/2])
			VMOVSD(w, weights[e/2])
		} else {
			VMOVHPD(s, variances[e/2], variances[e/2])
			VMOVHPD(w, weights[e/2], weights[e/2])
		}
		ADDQ(j, j)
		place := Mem{Base: g.mu, Index: j, Scale: 8}
		if e < 2 {
			places[e] = YMM()
			VMOVUPD(place, places[e].AsX())
		} else {
			VINSERTF128(U8(1), place, places[e-2], places[e-2])
		}
	}
	// Edges 0 and 2 lie in one register, 1 and 3 in the other: unpacked they are in order 0, 1, 2, 3.
	dx, dy, q, v, s := YMM(), YMM(), YMM(), YMM(), YMM()
	VUNPCKLPD(places[1], places[0], dx)
	VUNPCKHPD(places[1], places[0], dy)
	VSUBPD(dx, x, dx)
	VSUBPD(dy, y, dy)
	VMULPD(dx, dx, q)
	VFMADD231PD(dy, dy, q)
	VMULPD(half, q, q)
	VINSERTF128(U8(1), variances[1], variances[0].AsY(), s)
	VADDPD(own, s, s)
	VADDPD(s, q, q)
	VCVTPS2PD(Mem{Base: g.length, Index: g.p, Scale: 4}, s)
	VADDPD(s, q, q)
	VINSERTF128(U8(1), weights[1], weights[0].AsY(), v)
	VDIVPD(q, v, v)
	rounded := XMM()
	VCVTPD2PSY(v, rounded)
	VMOVUPS(rounded, Mem{Base: g.w, Index: g.p, Scale: 4})
	VCVTPS2PD(rounded, v)
	VADDPD(v, sum, sum)
	VFMADD231PD(dx, v, gx)
	VFMADD231PD(dy, v, gy)
}

// one adds one edge.
func (g *graph) one(x, y, own, half, sum, gx, gy reg.Register) {
	j, number := GP64(), GP64()
	MOVLQSX(Mem{Base: g.index, Index: g.p, Scale: 4}, j)
	MOVBLZX(Mem{Base: g.number, Index: g.p, Scale: 1}, number.As32())
	dx, dy, q, v, s := XMM(), XMM(), XMM(), XMM(), XMM()
	VADDSD(Mem{Base: g.sigma2, Index: j, Scale: 8}, own, s)
	ADDQ(j, j)
	VMOVSD(Mem{Base: g.mu, Index: j, Scale: 8}, dx)
	VMOVSD(Mem{Base: g.mu, Index: j, Scale: 8, Disp: 8}, dy)
	VSUBSD(dx, x, dx)
	VSUBSD(dy, y, dy)
	VMULSD(dx, dx, q)
	VFMADD231SD(dy, dy, q)
	VMULSD(half, q, q)
	VADDSD(s, q, q)
	length := XMM()
	VMOVSS(Mem{Base: g.length, Index: g.p, Scale: 4}, length)
	VCVTSS2SD(length, length, length)
	VADDSD(length, q, q)
	VMOVSD(Mem{Base: g.weight, Index: number, Scale: 8}, v)
	VDIVSD(q, v, v)
	rounded := XMM()
	VCVTSD2SS(v, v, rounded)
	VMOVSS(rounded, Mem{Base: g.w, Index: g.p, Scale: 4})
	VCVTSS2SD(rounded, rounded, v)
	VADDSD(v, sum, sum)
	VFMADD231SD(dx, v, gx)
	VFMADD231SD(dy, v, gy)
}
