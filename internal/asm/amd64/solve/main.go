// Command solve writes the assembly of package solve; see its go:generate line.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	mulLoose(2)
	mulLoose(4)
	stepLoose(2)
	stepLoose(4)
	forward()
	backward()
	Generate()
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
