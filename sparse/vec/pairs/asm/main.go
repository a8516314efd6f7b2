// Command asm writes the assembly of package pairs.
package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	Package("unfold/sparse/vec/pairs")
	ConstraintExpr("amd64,!noasm")
	for _, s := range []isa{
		{suffix: "AVX512", lanes: 8, reg: ZMM, masks: true},
		{suffix: "AVX2", lanes: 4, reg: YMM},
	} {
		s.push("push", false)
		s.push("pushFar", true)
		s.distances()
		s.repulsions()
		s.gather()
	}
	Generate()
}

// isa is an instruction set: how many float64 a register holds, and whether
// registers can be masked.
type isa struct {
	suffix string
	lanes  int
	reg    func() VecVirtual
	masks  bool
}

// size is that of a register in bytes.
func (s isa) size() int { return 8 * s.lanes }

// zero returns a register of zeros.
func (s isa) zero() VecVirtual {
	r := s.reg()
	if s.masks {
		VPXORQ(r, r, r)
	} else {
		VXORPD(r, r, r)
	}
	return r
}

// broadcast returns a register with a number from memory in all lanes.
func (s isa) broadcast(m Mem) VecVirtual {
	r := s.reg()
	VBROADCASTSD(m, r)
	return r
}

var constants = map[string]Mem{}

// constant returns a number in memory; a name has one value.
func constant(name string, v float64) Mem {
	m, ok := constants[name]
	if !ok {
		m = GLOBL(name, attr.RODATA|attr.NOPTR)
		DATA(0, U64(math.Float64bits(v)))
		constants[name] = m
	}
	return m
}

// total adds up the lanes of r: halves upon halves.
func (s isa) total(r VecVirtual) VecVirtual {
	y := r.AsY()
	if s.masks {
		high := YMM()
		VEXTRACTF64X4(U8(1), r, high)
		VADDPD(high, y, y)
	}
	high := XMM()
	VEXTRACTF128(U8(1), y, high)
	VADDPD(high, r.AsX(), high)
	VHADDPD(high, high, high)
	return high
}

// loop runs body for whole registers of the remaining count, and once more by
// lanes that a mask leaves in, where there are masks; the caller sees to the
// rest where there are none. Byte offsets are in at.
func (s isa) loop(name string, count, at Register, body func(mask Op)) {
	Label(name)
	CMPQ(count, U32(uint32(s.lanes)))
	JL(LabelRef(name + "_rest"))
	body(nil)
	ADDQ(U32(uint32(s.size())), at)
	SUBQ(U32(uint32(s.lanes)), count)
	JMP(LabelRef(name))
	Label(name + "_rest")
	if !s.masks {
		return
	}
	TESTQ(count, count)
	JE(LabelRef(name + "_end"))
	bits := GP64()
	// BZHI keeps the count lowest bits.
	MOVQ(I64(-1), bits)
	BZHIQ(count, bits, bits)
	k := K()
	KMOVB(bits.As32(), k)
	body(k)
	Label(name + "_end")
}
