package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// pairs sets both elements of each pair of dst to an element of a register of four.
func pairs(src Op, dst VecVirtual) {
	VPMOVZXDQ(src, dst)
	VMOVSLDUP(dst, dst)
}

// fold adds up the pairs of sum, in its lower half.
func fold(sum VecVirtual) {
	high := XMM()
	VEXTRACTF128(U8(1), sum, high)
	VADDPS(high, sum.AsX(), sum.AsX())
	VMOVHLPS(sum.AsX(), sum.AsX(), high)
	VADDPS(high, sum.AsX(), sum.AsX())
}

// mulLoose writes the product of loose solves. A register holds the two columns of four entries,
// those that are left of a row come one by one.
func mulLoose() {
	TEXT("mulLooseAVX2", NOSPLIT, "func(q, p *[2]float32, diagonal *float32, start *int, index *int32, value *float32, from, to int, sums *[4]float32)")
	Pragma("noescape")
	Doc("mulLooseAVX2 is mulPlain.")
	q, p := Load(Param("q"), GP64()), Load(Param("p"), GP64())
	diagonal, start := Load(Param("diagonal"), GP64()), Load(Param("start"), GP64())
	index, value := Load(Param("index"), GP64()), Load(Param("value"), GP64())
	row, to := Load(Param("from"), GP64()), Load(Param("to"), GP64())
	products, squares := XMM(), XMM()
	VXORPS(products, products, products)
	VXORPS(squares, squares, squares)
	e, end, last := GP64(), GP64(), GP64()
	MOVQ(Mem{Base: start, Index: row, Scale: 8}, e)

	Label("looseRows")
	CMPQ(row, to)
	JGE(LabelRef("looseOver"))
	MOVQ(Mem{Base: start, Index: row, Scale: 8, Disp: 8}, end)
	sum := YMM()
	VXORPS(sum, sum, sum)
	LEAQ(Mem{Base: end, Disp: -4}, last)
	JMP(LabelRef("looseTestFours"))
	Label("looseFours")
	low, high, w := YMM(), XMM(), YMM()
	for k := range 4 {
		j := GP64()
		MOVLQSX(Mem{Base: index, Index: e, Scale: 4, Disp: 4 * k}, j)
		u := Mem{Base: p, Index: j, Scale: 8}
		switch k {
		case 0:
			VMOVSD(u, low.AsX())
		case 1:
			VMOVHPS(u, low.AsX(), low.AsX())
		case 2:
			VMOVSD(u, high)
		case 3:
			VMOVHPS(u, high, high)
		}
	}
	VINSERTF128(U8(1), high, low, low)
	pairs(Mem{Base: value, Index: e, Scale: 4}, w)
	VFMADD231PS(low, w, sum)
	ADDQ(U8(4), e)
	Label("looseTestFours")
	CMPQ(e, last)
	JLE(LabelRef("looseFours"))
	fold(sum)
	JMP(LabelRef("looseTestOnes"))
	Label("looseOnes")
	j, one, u := GP64(), XMM(), XMM()
	MOVLQSX(Mem{Base: index, Index: e, Scale: 4}, j)
	VBROADCASTSS(Mem{Base: value, Index: e, Scale: 4}, one)
	VMOVSD(Mem{Base: p, Index: j, Scale: 8}, u)
	VFMADD231PS(u, one, sum.AsX())
	INCQ(e)
	Label("looseTestOnes")
	CMPQ(e, end)
	JLT(LabelRef("looseOnes"))
	own, d, out := XMM(), XMM(), XMM()
	VMOVSD(Mem{Base: p, Index: row, Scale: 8}, own)
	VBROADCASTSS(Mem{Base: diagonal, Index: row, Scale: 4}, d)
	VMULPS(own, d, out)
	VSUBPS(sum.AsX(), out, out)
	VMOVLPS(out, Mem{Base: q, Index: row, Scale: 8})
	VFMADD231PS(own, out, products)
	VDIVPS(d, out, d)
	VFMADD231PS(d, out, squares)
	INCQ(row)
	JMP(LabelRef("looseRows"))

	Label("looseOver")
	VMOVLHPS(squares, products, products)
	sums := Load(Param("sums"), GP64())
	VMOVUPS(products, Mem{Base: sums})
	VZEROUPPER()
	RET()
}

// stepLoose writes the rest of an iteration of loose solves. A register holds two columns of four
// rows.
func stepLoose() {
	TEXT("stepLooseAVX2", NOSPLIT, "func(y, r, p, q *[2]float32, diagonal *float32, fours int, factors *[4]float32, sums *[4]float32)")
	Pragma("noescape")
	Doc("stepLooseAVX2 is stepPlain of so many times four rows.")
	y, r := Load(Param("y"), GP64()), Load(Param("r"), GP64())
	p, q := Load(Param("p"), GP64()), Load(Param("q"), GP64())
	diagonal, left := Load(Param("diagonal"), GP64()), Load(Param("fours"), GP64())
	factors := Load(Param("factors"), GP64())
	alpha, beta, weighted, squares := YMM(), YMM(), YMM(), YMM()
	VBROADCASTSD(Mem{Base: factors}, alpha)
	VBROADCASTSD(Mem{Base: factors, Disp: 8}, beta)
	VXORPS(weighted, weighted, weighted)
	VXORPS(squares, squares, squares)
	at := GP64()
	XORQ(at, at)
	JMP(LabelRef("looseStepTest"))
	Label("looseStepFours")
	row := func(base Register) Mem { return Mem{Base: base, Index: at, Scale: 2} }
	ys, rs, ps, z := YMM(), YMM(), YMM(), YMM()
	VMOVUPS(row(p), ps)
	VMOVUPS(row(y), ys)
	VMOVUPS(row(r), rs)
	VFMADD231PS(ps, alpha, ys)
	VMOVUPS(ys, row(y))
	VFNMADD231PS(row(q), alpha, rs)
	VMOVUPS(rs, row(r))
	pairs(Mem{Base: diagonal, Index: at, Scale: 1}, z)
	VDIVPS(z, rs, z)
	VFMADD213PS(z, beta, ps)
	VMOVUPS(ps, row(p))
	VFMADD231PS(rs, z, weighted)
	VFMADD231PS(rs, rs, squares)
	ADDQ(U8(16), at)
	DECQ(left)
	Label("looseStepTest")
	TESTQ(left, left)
	JG(LabelRef("looseStepFours"))
	fold(weighted)
	fold(squares)
	VMOVLHPS(squares.AsX(), weighted.AsX(), weighted.AsX())
	sums := Load(Param("sums"), GP64())
	VMOVUPS(weighted.AsX(), Mem{Base: sums})
	VZEROUPPER()
	RET()
}
