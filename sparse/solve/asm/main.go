// Command asm writes the assembly of package solve; see its go:generate line.
package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	twice := GLOBL("twice", attr.RODATA|attr.NOPTR)
	for k := range 16 {
		DATA(4*k, U32(uint32(k/2)))
	}
	slicedMul(twice)
	singleStep(twice)
	mulLoose(2)
	mulLoose(4)
	stepLoose(2)
	stepLoose(4)
	forward()
	backward()
	Generate()
}

// slicedMul writes the product of a sliced matrix. A register has eight rows of two columns.
func slicedMul(twice Mem) {
	TEXT("slicedMulAVX512", NOSPLIT, "func(q, p *float32, start *int, index *int32, value *float32, from, to int, sums *[32]float32)")
	Doc("slicedMulAVX512 sets slices from..to of q = p - V p for two columns, and sums to those",
		"of p q and then of q q, by the places of rows in their slices. It reads 32 bytes",
		"beyond the values of a slice.")
	q, p := Load(Param("q"), GP64()), Load(Param("p"), GP64())
	start, index := Load(Param("start"), GP64()), Load(Param("index"), GP64())
	value := Load(Param("value"), GP64())
	slice, to := Load(Param("from"), GP64()), Load(Param("to"), GP64())
	order, products, squares := ZMM(), ZMM(), ZMM()
	VMOVDQU32(twice, order)
	VPXORD(products, products, products)
	VPXORD(squares, squares, squares)
	at := GP64()
	MOVQ(slice, at)
	SHLQ(U8(6), at)
	e := GP64()
	MOVQ(Mem{Base: start, Index: slice, Scale: 8}, e)

	Label("slice")
	CMPQ(slice, to)
	JGE(LabelRef("over"))
	end := GP64()
	MOVQ(Mem{Base: start, Index: slice, Scale: 8, Disp: 8}, end)
	own, sum := ZMM(), ZMM()
	VMOVUPS(Mem{Base: p, Index: at, Scale: 1}, own)
	VMOVAPS(own, sum)
	JMP(LabelRef("test"))
	Label("entries")
	to8, u, v, k := YMM(), ZMM(), ZMM(), K()
	VMOVDQU32(Mem{Base: index, Index: e, Scale: 4}, to8)
	KXNORB(k, k, k)
	VPXORD(u, u, u)
	VGATHERDPD(Mem{Base: p, Index: to8, Scale: 8}, k, u)
	VPERMPS(Mem{Base: value, Index: e, Scale: 4}, order, v)
	VFNMADD231PS(u, v, sum)
	ADDQ(U8(8), e)
	Label("test")
	CMPQ(e, end)
	JLT(LabelRef("entries"))
	VMOVUPS(sum, Mem{Base: q, Index: at, Scale: 1})
	VFMADD231PS(own, sum, products)
	VFMADD231PS(sum, sum, squares)
	ADDQ(U8(64), at)
	INCQ(slice)
	JMP(LabelRef("slice"))

	Label("over")
	finish(products, squares)
}

// finish writes the two sums and returns.
func finish(first, second VecVirtual) {
	sums := Load(Param("sums"), GP64())
	VMOVUPS(first, Mem{Base: sums})
	VMOVUPS(second, Mem{Base: sums, Disp: 64})
	VZEROUPPER()
	RET()
}

// singleStep writes the rest of an iteration.
func singleStep(twice Mem) {
	TEXT("singleStepAVX512", NOSPLIT, "func(x, r, p, q, weight *float32, slices int, factors *[4]float32, sums *[32]float32)")
	Doc("singleStepAVX512 sets x += alpha p, r -= alpha q, p = r + beta p for so many slices of",
		"two columns, with factors alpha and beta of each column, and sums to those of r r and",
		"then of weight r r, by the places of rows in their slices. It reads 32 bytes beyond",
		"the weights.")
	x, r := Load(Param("x"), GP64()), Load(Param("r"), GP64())
	p, q := Load(Param("p"), GP64()), Load(Param("q"), GP64())
	weight, left := Load(Param("weight"), GP64()), Load(Param("slices"), GP64())
	factors := Load(Param("factors"), GP64())
	order, alpha, beta, squares, weighted := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	VMOVDQU32(twice, order)
	VBROADCASTSD(Mem{Base: factors}, alpha)
	VBROADCASTSD(Mem{Base: factors, Disp: 8}, beta)
	VPXORD(squares, squares, squares)
	VPXORD(weighted, weighted, weighted)
	at := GP64()
	XORQ(at, at)
	JMP(LabelRef("test"))
	Label("slice")
	row := func(base Register, by uint8) Mem { return Mem{Base: base, Index: at, Scale: by} }
	xs, rs, ps, ws, square := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	VMOVUPS(row(p, 2), ps)
	VMOVUPS(row(x, 2), xs)
	VMOVUPS(row(r, 2), rs)
	VFMADD231PS(ps, alpha, xs)
	VMOVUPS(xs, row(x, 2))
	VFNMADD231PS(row(q, 2), alpha, rs)
	VMOVUPS(rs, row(r, 2))
	VFMADD213PS(rs, beta, ps)
	VMOVUPS(ps, row(p, 2))
	VPERMPS(row(weight, 1), order, ws)
	VMULPS(rs, rs, square)
	VADDPS(square, squares, squares)
	VFMADD231PS(square, ws, weighted)
	ADDQ(U8(32), at)
	DECQ(left)
	Label("test")
	TESTQ(left, left)
	JG(LabelRef("slice"))
	finish(squares, weighted)
}

// column is a loop over column k of a factor, with the entries at..end.
type column struct {
	start, to, below, y Register
	at, end             Register
}

func newColumn() column {
	arg := func(name string) Register { return Load(Param(name), GP64()) }
	return column{start: arg("start"), to: arg("to"), below: arg("below"), y: arg("y"), at: GP64(), end: GP64()}
}

// entries writes the loop; body gets an entry and the row's values in y.
func (c column) entries(name string, body func(below VecVirtual, row Mem)) {
	JMP(LabelRef(name + "Test"))
	Label(name)
	j, below := GP64(), XMM()
	MOVLQSX(Mem{Base: c.to, Index: c.at, Scale: 4}, j)
	ADDQ(j, j)
	VMOVDDUP(Mem{Base: c.below, Index: c.at, Scale: 8}, below)
	body(below, Mem{Base: c.y, Index: j, Scale: 8})
	INCQ(c.at)
	Label(name + "Test")
	CMPQ(c.at, c.end)
	JLT(LabelRef(name))
}

// forward writes the solution with L.
func forward() {
	TEXT("forwardAVX2", NOSPLIT, "func(n int, start *int, to *int32, below, y *float64)")
	Pragma("noescape")
	Doc("forwardAVX2 is forwardGeneric.")
	n, c := Load(Param("n"), GP64()), newColumn()
	k, twice := GP64(), GP64()
	XORQ(k, k)
	XORQ(twice, twice)
	MOVQ(Mem{Base: c.start}, c.at)
	JMP(LabelRef("forwardMore"))
	Label("forward")
	MOVQ(Mem{Base: c.start, Index: k, Scale: 8, Disp: 8}, c.end)
	own := XMM()
	VMOVUPD(Mem{Base: c.y, Index: twice, Scale: 8}, own)
	c.entries("forwardEntries", func(below VecVirtual, row Mem) {
		VMULPD(own, below, below)
		VADDPD(row, below, below)
		VMOVUPD(below, row)
	})
	INCQ(k)
	ADDQ(U8(2), twice)
	Label("forwardMore")
	CMPQ(k, n)
	JLT(LabelRef("forward"))
	VZEROUPPER()
	RET()
}

// backward writes the solution with D L'.
func backward() {
	TEXT("backwardAVX2", NOSPLIT, "func(n int, start *int, to *int32, below, y, pivot *float64, order *int32, z0, z1 *float64)")
	Pragma("noescape")
	Doc("backwardAVX2 is backwardGeneric.")
	k, c := Load(Param("n"), GP64()), newColumn()
	pivot, order := Load(Param("pivot"), GP64()), Load(Param("order"), GP64())
	z0, z1 := Load(Param("z0"), GP64()), Load(Param("z1"), GP64())
	twice := GP64()
	MOVQ(k, twice)
	SHLQ(U8(1), twice)
	JMP(LabelRef("backwardMore"))
	Label("backward")
	MOVQ(Mem{Base: c.start, Index: k, Scale: 8}, c.at)
	MOVQ(Mem{Base: c.start, Index: k, Scale: 8, Disp: 8}, c.end)
	sum := XMM()
	VMOVDDUP(Mem{Base: pivot, Index: k, Scale: 8}, sum)
	VMULPD(Mem{Base: c.y, Index: twice, Scale: 8}, sum, sum)
	c.entries("backwardEntries", func(below VecVirtual, row Mem) {
		VMULPD(row, below, below)
		VADDPD(below, sum, sum)
	})
	VMOVUPD(sum, Mem{Base: c.y, Index: twice, Scale: 8})
	v := GP64()
	MOVLQSX(Mem{Base: order, Index: k, Scale: 4}, v)
	VMOVLPD(sum, Mem{Base: z0, Index: v, Scale: 8})
	VMOVHPD(sum, Mem{Base: z1, Index: v, Scale: 8})
	Label("backwardMore")
	SUBQ(U8(2), twice)
	DECQ(k)
	JGE(LabelRef("backward"))
	VZEROUPPER()
	RET()
}
