// Command topk writes the assembly of package topk; see its go:generate line.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, s := range asm.Sets {
		set{s}.count()
		set{s}.ranks()
	}
	below()
	belowAVX2()
	Generate()
}

// set is an instruction set.
type set struct{ asm.Set }

// panel is the number of bytes of 16 keys.
const panel = 64

// count counts the elements below a bound, in as many lanes as a register has.
func (s set) count() {
	name := "count" + s.Name
	TEXT(name, NOSPLIT, "func(s *int32, panels int, bound int32) int32")
	Pragma("noescape")
	Doc(name + " returns how many of the elements of a positive number of times sixteen are less than bound.")
	from, panels := Load(Param("s"), GP64()), Load(Param("panels"), GP64())
	low := XMM()
	VMOVD(Load(Param("bound"), GP32()), low)
	bound, sum, v := s.Register(), s.Register(), s.Register()
	VPBROADCASTD(low, bound)
	s.Zero(sum)
	var minus VecVirtual
	if s.Wide {
		minus = ZMM()
		VPTERNLOGD(Imm(255), minus, minus, minus)
	}
	Label(name + "Loop")
	if s.Wide {
		k := K()
		VPCMPD(Imm(6), Mem{Base: from}, bound, k)
		VPSUBD(minus, sum, k, sum)
	} else {
		for part := range 2 {
			VPCMPGTD(Mem{Base: from, Disp: 32 * part}, bound, v)
			VPSUBD(v, sum, sum)
		}
	}
	ADDQ(Imm(panel), from)
	DECQ(panels)
	JNE(LabelRef(name + "Loop"))
	if s.Wide {
		up, y := YMM(), YMM()
		VEXTRACTI64X4(Imm(1), sum, up)
		VPADDD(up, sum.AsY(), y)
		sum = y
	}
	up, x := XMM(), XMM()
	VEXTRACTI128(Imm(1), sum.AsY(), up)
	VPADDD(up, sum.AsX(), x)
	for _, turn := range []uint64{0b01001110, 0b10110001} {
		VPSHUFD(Imm(turn), x, up)
		VPADDD(up, x, x)
	}
	n := GP32()
	VMOVD(x, n)
	Store(n, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// ranks counts, for every element, those that are less. It compares as many panels as fit in
// registers with one element at a time.
func (s set) ranks() {
	name := "ranks" + s.Name
	TEXT(name, NOSPLIT, "func(rank *int32, s *int32, panels int, n int)")
	Pragma("noescape")
	Doc(name + " writes, for the elements of a positive number of times sixteen, how many of the first n are less; n is at least 1.")
	rank, from, panels, n := Load(Param("rank"), GP64()), Load(Param("s"), GP64()), Load(Param("panels"), GP64()), Load(Param("n"), GP64())
	own, most := GP64(), 4
	MOVQ(from, own)
	var minus VecVirtual
	if s.Wide {
		minus = ZMM()
		VPTERNLOGD(Imm(255), minus, minus, minus)
	} else {
		most = 3
	}
	for size := most; size > 0; size-- {
		block := fmt.Sprintf("%sOf%d", name, size)
		parts := size
		if !s.Wide {
			parts *= 2
		}
		value, count := asm.Registers(parts, s.Register), asm.Registers(parts, s.Register)
		other := s.Register()
		at, left := GP64(), GP64()
		Label(block)
		CMPQ(panels, Imm(uint64(size)))
		JLT(LabelRef(block + "Done"))
		for i := range value {
			s.Zero(count[i])
			s.Load(Mem{Base: own, Disp: panel / (parts / size) * i}, value[i])
		}
		MOVQ(from, at)
		MOVQ(n, left)
		Label(block + "Next")
		VPBROADCASTD(Mem{Base: at}, other)
		for i := range value {
			if s.Wide {
				less := K()
				VPCMPD(Imm(1), value[i], other, less)
				VPSUBD(minus, count[i], less, count[i])
				continue
			}
			less := YMM()
			VPCMPGTD(other, value[i], less)
			VPSUBD(less, count[i], count[i])
		}
		ADDQ(Imm(4), at)
		DECQ(left)
		JNE(LabelRef(block + "Next"))
		for i := range count {
			s.Store(count[i], Mem{Base: rank, Disp: panel / (parts / size) * i})
		}
		ADDQ(U32(uint32(panel*size)), rank)
		ADDQ(U32(uint32(panel*size)), own)
		SUBQ(Imm(uint64(size)), panels)
		JMP(LabelRef(block))
		Label(block + "Done")
	}
	VZEROUPPER()
	RET()
}

// below collects the positions of elements less than a bound.
func below() {
	TEXT("belowAVX512", NOSPLIT, "func(at *int32, s *int32, panels int, bound int32) int")
	Pragma("noescape")
	Doc("belowAVX512 writes the positions of the elements less than bound of a positive number of times",
		"sixteen, and returns how many there are.")
	at, s, panels := Load(Param("at"), GP64()), Load(Param("s"), GP64()), Load(Param("panels"), GP64())
	bound, index, step := ZMM(), ZMM(), ZMM()
	b := Load(Param("bound"), GP32())
	VPBROADCASTD(b, bound)
	VMOVDQU32(positions(), index)
	word := GP32()
	MOVL(U32(16), word)
	VPBROADCASTD(word, step)
	first := GP64()
	MOVQ(at, first)
	found, v, n := K(), ZMM(), GP32()
	Label("belowLoop")
	VMOVDQU32(Mem{Base: s}, v)
	VPCMPD(Imm(1), bound, v, found)
	VPCOMPRESSD_Z(index, found, v)
	VMOVDQU32(v, Mem{Base: at})
	KMOVW(found, n)
	POPCNTL(n, n)
	LEAQ(Mem{Base: at, Index: n.As64(), Scale: 4}, at)
	VPADDD(step, index, index)
	ADDQ(Imm(64), s)
	DECQ(panels)
	JNE(LabelRef("belowLoop"))
	SUBQ(first, at)
	SHRQ(Imm(2), at)
	Store(at, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// belowAVX2 collects positions with a table that lists the positions of the ones of every byte.
func belowAVX2() {
	TEXT("belowAVX2", NOSPLIT, "func(at *int32, s *int32, panels int, bound int32) int")
	Pragma("noescape")
	Doc("belowAVX2 is belowAVX512 with 256 bits: what follows the positions in at, up to the length of s, is overwritten.")
	at, s, panels := Load(Param("at"), GP64()), Load(Param("s"), GP64()), Load(Param("panels"), GP64())
	low := XMM()
	VMOVD(Load(Param("bound"), GP32()), low)
	bound, index, step := YMM(), YMM(), YMM()
	VPBROADCASTD(low, bound)
	VPXOR(index, index, index)
	word := GP32()
	MOVL(U32(8), word)
	VMOVD(word, low)
	VPBROADCASTD(low, step)
	table, first := GP64(), GP64()
	LEAQ(bits(), table)
	MOVQ(at, first)
	Label("belowAVX2Loop")
	for part := range 2 {
		v, n := YMM(), GP32()
		VPCMPGTD(Mem{Base: s, Disp: 32 * part}, bound, v)
		VMOVMSKPS(v, n)
		VPMOVZXBD(Mem{Base: table, Index: n.As64(), Scale: 8}, v)
		VPADDD(index, v, v)
		VMOVDQU(v, Mem{Base: at})
		VPADDD(step, index, index)
		POPCNTL(n, n)
		LEAQ(Mem{Base: at, Index: n.As64(), Scale: 4}, at)
	}
	ADDQ(Imm(panel), s)
	DECQ(panels)
	JNE(LabelRef("belowAVX2Loop"))
	SUBQ(first, at)
	SHRQ(Imm(2), at)
	Store(at, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// bits returns a table with, for every byte, the positions of its ones, ascending, a byte each.
func bits() Mem {
	m := GLOBL("bits", RODATA|NOPTR)
	for n := range 256 {
		var places uint64
		at := 0
		for place := range 8 {
			if n>>place&1 == 1 {
				places |= uint64(place) << (8 * at)
				at++
			}
		}
		DATA(8*n, U64(places))
	}
	return m
}

// positions are 0 to 15.
func positions() Mem {
	m := GLOBL("positions", RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(uint32(i)))
	}
	return m
}
