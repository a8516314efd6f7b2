package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm/rodata"
)

// pairs sets both elements of each pair of dst to an element of a register of four.
func pairs(src Op, dst VecVirtual) {
	VPMOVZXDQ(src, dst)
	VMOVSLDUP(dst, dst)
}

// fold adds the rows of sum, each of width values, in its lower half.
func fold(sum VecVirtual, width int) {
	high := XMM()
	VEXTRACTF128(U8(1), sum, high)
	VADDPS(high, sum.AsX(), sum.AsX())
	if width == 2 {
		VMOVHLPS(sum.AsX(), sum.AsX(), high)
		VADDPS(high, sum.AsX(), sum.AsX())
	}
}

// store writes first and second, of width values each, to a looseSums.
func store(first, second Register, width int) {
	sums := Load(Param("sums"), GP64())
	if width == 2 {
		VMOVLHPS(second, first, first)
		VMOVUPS(first, Mem{Base: sums})
		return
	}
	VMOVUPS(first, Mem{Base: sums})
	VMOVUPS(second, Mem{Base: sums, Disp: 16})
}

// product has the registers of a product of loose solves.
type product struct {
	width           int
	p, index, value Register
	e               GPVirtual // the entry
	one             VecVirtual
	sums            []VecVirtual // of the row
}

// mulLoose writes the product for rows of width values. A register has four entries of two columns,
// or one entry of four. The last four entries of a row are masked to the remaining ones, since a
// loop over these would be mispredicted in most rows. The first rows of a matrix, before which
// there are not four entries in memory, use such a loop.
func mulLoose(width int) {
	name := fmt.Sprintf("mulLoose%d", width)
	TEXT(name+"AVX2", NOSPLIT, "func(q, p, diagonal *float32, start *int, index *int32, value *float32, from, to int, sums *[8]float32)")
	Pragma("noescape")
	Doc(name + "AVX2 is mulPlain for rows of so many values.")
	label := func(s string) string { return name + s }
	q, diagonal, start := Load(Param("q"), GP64()), Load(Param("diagonal"), GP64()), Load(Param("start"), GP64())
	m := &product{width: width, p: Load(Param("p"), GP64()), index: Load(Param("index"), GP64()), value: Load(Param("value"), GP64()), e: GP64(), one: XMM()}
	row, to := Load(Param("from"), GP64()), Load(Param("to"), GP64())
	products, squares := XMM(), XMM()
	VXORPS(products, products, products)
	VXORPS(squares, squares, squares)
	end, last, at, masks := GP64(), GP64(), GP64(), GP64()
	LEAQ(lastOnes(), masks)
	MOVQ(Mem{Base: start, Index: row, Scale: 8}, m.e)
	if width == 2 {
		m.sums = []VecVirtual{YMM()}
	} else {
		m.sums = []VecVirtual{XMM(), XMM(), XMM(), XMM()}
	}

	Label(label("Rows"))
	CMPQ(row, to)
	JGE(LabelRef(label("Over")))
	MOVQ(Mem{Base: start, Index: row, Scale: 8, Disp: 8}, end)
	for _, s := range m.sums {
		VXORPS(s, s, s)
	}
	MOVQ(end, last)
	SUBQ(U8(4), last)
	JL(LabelRef(label("First")))
	JMP(LabelRef(label("TestFours")))
	Label(label("Fours"))
	m.four(nil)
	ADDQ(U8(4), m.e)
	Label(label("TestFours"))
	CMPQ(m.e, last)
	JLT(LabelRef(label("Fours")))
	left, mask := GP64(), XMM()
	MOVQ(end, left)
	SUBQ(m.e, left)
	VMOVUPS(Mem{Base: masks, Index: left, Scale: 4}, mask)
	MOVQ(last, m.e)
	m.four(mask)
	MOVQ(end, m.e)
	Label(label("Fold"))
	sum := m.sums[0]
	if width == 2 {
		fold(sum, width)
	} else {
		VADDPS(m.sums[1], sum, sum)
		VADDPS(m.sums[3], m.sums[2], m.sums[2])
		VADDPS(m.sums[2], sum, sum)
	}
	own, d, out := XMM(), XMM(), XMM()
	MOVQ(row, at)
	m.load(at, own)
	VBROADCASTSS(Mem{Base: diagonal, Index: row, Scale: 4}, d)
	VMULPS(own, d, out)
	VSUBPS(sum.AsX(), out, out)
	if width == 2 {
		VMOVLPS(out, Mem{Base: q, Index: at, Scale: 8})
	} else {
		VMOVUPS(out, Mem{Base: q, Index: at, Scale: 8})
	}
	VFMADD231PS(own, out, products)
	VDIVPS(d, out, d)
	VFMADD231PS(d, out, squares)
	INCQ(row)
	JMP(LabelRef(label("Rows")))

	Label(label("First"))
	CMPQ(m.e, end)
	JGE(LabelRef(label("Fold")))
	VBROADCASTSS(Mem{Base: m.value, Index: m.e, Scale: 4}, m.one)
	m.single(0, m.sums[0].AsX())
	INCQ(m.e)
	JMP(LabelRef(label("First")))

	Label(label("Over"))
	store(products, squares, width)
	VZEROUPPER()
	RET()
}

// lastOnes has, from word k on, the mask of the last k of four.
func lastOnes() Mem {
	return rodata.Table("lastOnes", func() {
		for k := range 8 {
			DATA(4*k, U32(-uint32(k/4)))
		}
	})
}

// load sets dst to row j of p, and j to its offset in words.
func (m *product) load(j, dst Register) {
	if m.width == 2 {
		VMOVSD(Mem{Base: m.p, Index: j, Scale: 8}, dst)
		return
	}
	ADDQ(j, j)
	VMOVUPS(Mem{Base: m.p, Index: j, Scale: 8}, dst)
}

// single adds entry e+k, times one, to sum.
func (m *product) single(k int, sum Register) {
	j, u := GP64(), XMM()
	MOVLQSX(Mem{Base: m.index, Index: m.e, Scale: 4, Disp: 4 * k}, j)
	m.load(j, u)
	VFMADD231PS(u, m.one, sum)
}

// four adds four entries, or those in mask if it is not nil.
func (m *product) four(mask VecVirtual) {
	var values Op = Mem{Base: m.value, Index: m.e, Scale: 4}
	masked := XMM()
	if mask != nil {
		VANDPS(values, mask, masked)
		values = masked
	}
	if m.width == 4 {
		for k, s := range m.sums {
			if mask == nil {
				VBROADCASTSS(Mem{Base: m.value, Index: m.e, Scale: 4, Disp: 4 * k}, m.one)
			} else {
				VPERMILPS(U8(0x55*k), masked, m.one)
			}
			m.single(k, s)
		}
		return
	}
	low, high, w := YMM(), XMM(), YMM()
	for k, half := range []Register{low.AsX(), low.AsX(), high, high} {
		j := GP64()
		MOVLQSX(Mem{Base: m.index, Index: m.e, Scale: 4, Disp: 4 * k}, j)
		u := Mem{Base: m.p, Index: j, Scale: 8}
		if k%2 == 0 {
			VMOVSD(u, half)
		} else {
			VMOVHPS(u, half, half)
		}
	}
	VINSERTF128(U8(1), high, low, low)
	pairs(values, w)
	VFMADD231PS(low, w, m.sums[0])
}

// stepLoose writes the rest of an iteration of loose solves for rows of width values. A register
// has four rows of two columns, or two of four.
func stepLoose(width int) {
	name := fmt.Sprintf("stepLoose%d", width)
	TEXT(name+"AVX2", NOSPLIT, "func(y, r, p, q, diagonal *float32, fours int, factors, sums *[8]float32)")
	Pragma("noescape")
	Doc(name + "AVX2 is stepPlain of so many times four rows.")
	y, r := Load(Param("y"), GP64()), Load(Param("r"), GP64())
	p, q := Load(Param("p"), GP64()), Load(Param("q"), GP64())
	diagonal, left := Load(Param("diagonal"), GP64()), Load(Param("fours"), GP64())
	factors := Load(Param("factors"), GP64())
	alpha, beta, weighted, squares := YMM(), YMM(), YMM(), YMM()
	if width == 2 {
		VBROADCASTSD(Mem{Base: factors}, alpha)
		VBROADCASTSD(Mem{Base: factors, Disp: 8}, beta)
	} else {
		VBROADCASTF128(Mem{Base: factors}, alpha)
		VBROADCASTF128(Mem{Base: factors, Disp: 16}, beta)
	}
	VXORPS(weighted, weighted, weighted)
	VXORPS(squares, squares, squares)
	at := GP64()
	XORQ(at, at)
	JMP(LabelRef(name + "Test"))
	Label(name + "Fours")
	for part := range width / 2 {
		row := func(base Register) Mem { return Mem{Base: base, Index: at, Scale: uint8(width), Disp: 32 * part} }
		ys, rs, ps, z := YMM(), YMM(), YMM(), YMM()
		VMOVUPS(row(p), ps)
		VMOVUPS(row(y), ys)
		VMOVUPS(row(r), rs)
		VFMADD231PS(ps, alpha, ys)
		VMOVUPS(ys, row(y))
		VFNMADD231PS(row(q), alpha, rs)
		VMOVUPS(rs, row(r))
		if width == 2 {
			pairs(Mem{Base: diagonal, Index: at, Scale: 1}, z)
		} else {
			second := XMM()
			VBROADCASTSS(Mem{Base: diagonal, Index: at, Scale: 1, Disp: 8 * part}, z.AsX())
			VBROADCASTSS(Mem{Base: diagonal, Index: at, Scale: 1, Disp: 8*part + 4}, second)
			VINSERTF128(U8(1), second, z, z)
		}
		VDIVPS(z, rs, z)
		VFMADD213PS(z, beta, ps)
		VMOVUPS(ps, row(p))
		VFMADD231PS(rs, z, weighted)
		VFMADD231PS(rs, rs, squares)
	}
	ADDQ(U8(16), at)
	DECQ(left)
	Label(name + "Test")
	TESTQ(left, left)
	JG(LabelRef(name + "Fours"))
	fold(weighted, width)
	fold(squares, width)
	store(weighted.AsX(), squares.AsX(), width)
	VZEROUPPER()
	RET()
}
