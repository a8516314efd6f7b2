// Command median writes the assembly of package median.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm/rodata"
	_ "unfold/internal/simd/median" // whose types the kernels take
)

func main() {
	Package("unfold/internal/simd/median")
	ConstraintExpr("amd64,!noasm")
	for _, s := range []isa{
		{suffix: "AVX512", lanes: 8, reg: ZMM, masks: true},
		{suffix: "AVX2", lanes: 4, reg: YMM},
	} {
		s.extent()
		s.below()
		s.between()
		s.divide()
	}
	Generate()
}

// isa is an instruction set: the number of lanes of a register, and whether it has masks and
// compress instructions.
type isa struct {
	suffix string
	lanes  int
	reg    func() VecVirtual
	masks  bool
}

// These are the predicates of comparisons, without exceptions for NaN.
const (
	less    = 0x11
	atLeast = 0x1d
	atMost  = 0x12
	more    = 0x1e
	equal   = 0x00
)

func (s isa) broadcast(m Mem) VecVirtual {
	r := s.reg()
	VBROADCASTSD(m, r)
	return r
}

// extent writes the kernel of extent.
func (s isa) extent() {
	TEXT("extent"+s.suffix, NOSPLIT, "func(x *float64, n int) (low, high float64)")
	Pragma("noescape")
	Doc("extent" + s.suffix + " returns the extremes of n numbers, n a multiple of the lanes.")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	low, high := s.broadcast(rodata.Number("highest", math.Inf(1))), s.broadcast(rodata.Number("lowest", math.Inf(-1)))
	Label("numbers")
	v := s.reg()
	VMOVUPD(Mem{Base: x}, v)
	VMINPD(low, v, low)
	VMAXPD(high, v, high)
	ADDQ(U32(uint32(8*s.lanes)), x)
	SUBQ(U32(uint32(s.lanes)), n)
	JNE(LabelRef("numbers"))
	s.fold(low, VMINPD, VMINSD, "low")
	s.fold(high, VMAXPD, VMAXSD, "high")
	VZEROUPPER()
	RET()
}

// fold stores the extreme of all lanes of r.
func (s isa) fold(r VecVirtual, packed, scalar func(...Op), result string) {
	y := r.AsY()
	if s.masks {
		half := YMM()
		VEXTRACTF64X4(U8(1), r, half)
		packed(half, y, y)
	}
	x, half := r.AsX(), XMM()
	VEXTRACTF128(U8(1), y, half)
	packed(half, x, x)
	VPERMILPD(U8(1), x, half)
	scalar(half, x, x)
	Store(x, Return(result))
}

// below writes the kernel of below, with a count in each lane.
func (s isa) below() {
	TEXT("below"+s.suffix, NOSPLIT, "func(x *float64, n int, p float64) int")
	Pragma("noescape")
	Doc("below" + s.suffix + " counts among n numbers, n a multiple of the lanes.")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	p := s.broadcast(NewParamAddr("p", 16))
	count := GP64()
	XORQ(count, count)
	Label("numbers")
	bits := s.bits(more, Mem{Base: x}, p)
	POPCNTQ(bits, bits)
	ADDQ(bits, count)
	ADDQ(U32(uint32(8*s.lanes)), x)
	SUBQ(U32(uint32(s.lanes)), n)
	JNE(LabelRef("numbers"))
	Store(count, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// picked is the lanes of a register that a mask selects, moved to its first lanes.
type picked struct {
	s     isa
	mask  Op         // AVX-512
	lanes VecVirtual // AVX2: where the mask's lanes are, from the table
}

// pick prepares the lanes of bits.
func (s isa) pick(bits GPVirtual) picked {
	if s.masks {
		k := K()
		KMOVB(bits.As32(), k)
		return picked{s: s, mask: k}
	}
	order, at, table := YMM(), GP64(), GP64()
	MOVQ(bits, at)
	SHLQ(U8(5), at)
	LEAQ(lanesTable(), table)
	VMOVDQU(Mem{Base: table, Index: at, Scale: 1}, order)
	return picked{s: s, lanes: order}
}

// numbers stores the lanes of v at m, with arbitrary values after them.
func (p picked) numbers(v VecVirtual, m Mem) {
	out := p.s.reg()
	if p.s.masks {
		VCOMPRESSPD(v, p.mask, out)
	} else {
		VPERMD(v, p.lanes, out)
	}
	VMOVUPD(out, m)
}

// indices is numbers for int32, each in 64 bits of v.
func (p picked) indices(v VecVirtual, m Mem) {
	out := p.s.reg()
	if p.s.masks {
		VPCOMPRESSQ(v, p.mask, out)
		narrow := YMM()
		VPMOVQD(out, narrow)
		VMOVDQU(narrow, m)
		return
	}
	even := YMM()
	VMOVDQU(evenTable(), even)
	VPERMD(v, p.lanes, out)
	VPERMD(out, even, out)
	VMOVDQU(out.AsX(), m)
}

// lanesTable has, for each of 16 masks, the halves of the selected lanes.
func lanesTable() Mem {
	return rodata.Table("lanes", func() {
		for mask := range 16 {
			at := 0
			for lane := range 4 {
				if mask>>lane&1 == 1 {
					DATA(32*mask+8*at, U32(uint32(2*lane)))
					DATA(32*mask+8*at+4, U32(uint32(2*lane+1)))
					at++
				}
			}
			for ; at < 4; at++ {
				DATA(32*mask+8*at, U64(0))
			}
		}
	})
}

// evenTable holds the lower halves of four lanes.
func evenTable() Mem {
	return rodata.Table("even", func() {
		for lane := range 8 {
			DATA(4*lane, U32(uint32(2*lane%8)))
		}
	})
}

// bits returns the lanes where the comparison of v with r holds.
func (s isa) bits(how uint8, r Op, v VecVirtual) GPVirtual {
	bits := GP64()
	if s.masks {
		k := K()
		VCMPPD(U8(how), r, v, k)
		KMOVB(k, bits.As32())
	} else {
		m := s.reg()
		VCMPPD(U8(how), r, v, m)
		VMOVMSKPD(m, bits.As32())
	}
	return bits
}

// between writes the kernel of between.
func (s isa) between() {
	TEXT("between"+s.suffix, NOSPLIT, "func(number *float64, index *int32, x *float64, of *int32, n int, low, high float64) int")
	Pragma("noescape")
	Doc("between" + s.suffix + " takes out of n elements, n a multiple of the lanes.")
	number, index := Load(Param("number"), GP64()), Load(Param("index"), GP64())
	x, of := Load(Param("x"), GP64()), Load(Param("of"), GP64())
	n := Load(Param("n"), GP64())
	low, high := s.broadcast(NewParamAddr("low", 40)), s.broadcast(NewParamAddr("high", 48))
	count := GP64()
	XORQ(count, count)
	Label("elements")
	v := s.reg()
	VMOVUPD(Mem{Base: x}, v)
	bits := s.bits(atLeast, low, v)
	ANDQ(s.bits(atMost, high, v), bits)
	JE(LabelRef("next"))
	pick, i := s.pick(bits), s.reg()
	VPMOVSXDQ(Mem{Base: of}, i)
	pick.numbers(v, Mem{Base: number, Index: count, Scale: 8})
	pick.indices(i, Mem{Base: index, Index: count, Scale: 4})
	POPCNTQ(bits, bits)
	ADDQ(bits, count)
	Label("next")
	ADDQ(U32(uint32(8*s.lanes)), x)
	ADDQ(U32(uint32(4*s.lanes)), of)
	SUBQ(U32(uint32(s.lanes)), n)
	JNE(LabelRef("elements"))
	Store(count, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// divide writes the kernel of divide. The rows of a register are read before anything is written at
// the same or lower addresses, including the garbage after the selected rows.
func (s isa) divide() {
	TEXT("divide"+s.suffix, NOSPLIT, "func(columns, spare *[]float64, index, spareIndex *int32, count, k, from, to int, v float64, last int64) int")
	Pragma("noescape")
	Doc("divide" + s.suffix + " divides rows from..to, a multiple of the lanes.")
	columns, spare := Load(Param("columns"), GP64()), Load(Param("spare"), GP64())
	index, spareIndex := Load(Param("index"), GP64()), Load(Param("spareIndex"), GP64())
	key := Load(Param("k"), GP64())
	IMUL3Q(U8(24), key, key)
	MOVQ(Mem{Base: columns, Index: key, Scale: 1}, key)
	at := Load(Param("from"), GP64())
	low, high := GP64(), GP64()
	MOVQ(at, low)
	MOVQ(at, high)
	v, last := s.broadcast(NewParamAddr("v", 64)), s.reg()
	VPBROADCASTQ(NewParamAddr("last", 72), last)

	Label("rows")
	x, i := s.reg(), s.reg()
	VMOVUPD(Mem{Base: key, Index: at, Scale: 8}, x)
	VPMOVSXDQ(Mem{Base: index, Index: at, Scale: 4}, i)
	first := s.bits(less, v, x)
	same := s.bits(equal, v, x)
	notAfter := GP64()
	if s.masks {
		k := K()
		VPCMPQ(U8(2), last, i, k)
		KMOVB(k, notAfter.As32())
	} else {
		m := s.reg()
		VPCMPGTQ(last, i, m)
		VMOVMSKPD(m, notAfter.As32())
		XORQ(U8(15), notAfter)
	}
	ANDQ(notAfter, same)
	ORQ(same, first)
	others := GP64()
	MOVQ(first, others)
	XORQ(I32(int32(1<<s.lanes-1)), others)
	one, other := s.pick(first), s.pick(others)
	one.indices(i, Mem{Base: index, Index: low, Scale: 4})
	other.indices(i, Mem{Base: spareIndex, Index: high, Scale: 4})
	c, header := GP64(), GP64()
	XORQ(header, header)
	MOVQ(NewParamAddr("count", 32), c)
	Label("columns")
	base, value := GP64(), s.reg()
	MOVQ(Mem{Base: columns, Index: header, Scale: 1}, base)
	VMOVUPD(Mem{Base: base, Index: at, Scale: 8}, value)
	one.numbers(value, Mem{Base: base, Index: low, Scale: 8})
	MOVQ(Mem{Base: spare, Index: header, Scale: 1}, base)
	other.numbers(value, Mem{Base: base, Index: high, Scale: 8})
	ADDQ(U8(24), header)
	DECQ(c)
	JNE(LabelRef("columns"))
	POPCNTQ(first, first)
	ADDQ(first, low)
	ADDQ(U8(uint8(s.lanes)), high)
	SUBQ(first, high)
	ADDQ(U8(uint8(s.lanes)), at)
	CMPQ(at, NewParamAddr("to", 56))
	JL(LabelRef("rows"))
	Store(low, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
