// Command pairwise writes the assembly of package pairwise.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	_ "unfold/internal/simd/pairwise" // whose types the kernels take
)

func main() {
	Package("unfold/internal/simd/pairwise")
	ConstraintExpr("amd64,!noasm")
	for _, s := range []isa{
		{suffix: "AVX512", width: 64, number: 8, reg: ZMM, masks: true, ops: doubles},
		{suffix: "AVX2", width: 32, number: 8, reg: YMM, ops: doubles},
	} {
		if !s.masks { // see doc.go, "Same bits"
			s.push("push", false)
			s.push("pushFar", true)
			s.logs()
			s.distances()
			s.repulsions()
			s.gather()
			s.narrow()
		}
		s.logsSpace()
		s.gaussTerms("Weights", false)
		s.gaussTerms("Excess", false)
		s.gaussTerms("Others", false)
		s.gaussPush()
		s.gaussSpread()
		if s.masks {
			s.gaussWhole("gaussPushPlane", "Weights", "adds the mu statistics of partners that the bits of keep leave in to the sums of both ends.")
			s.gaussWhole("gaussSpreadPlane", "Excess", "adds the sigma statistics of partners that the bits of keep leave in to the sums of both ends.")
		} else {
			s.gaussTerms("Weights", true)
			s.gaussTerms("Excess", true)
		}
	}
	for _, s := range []isa{
		{suffix: "AVX512", width: 64, number: 4, reg: ZMM, masks: true, ops: singles},
		{suffix: "AVX2", width: 32, number: 4, reg: YMM, ops: singles},
	} {
		if !s.masks { // see doc.go, "Same bits"
			s.push("push32", false)
			s.push("pushFar32", true)
		}
		s.pushSpace()
	}
	Generate()
}

// isa is an instruction set and a number type: bytes of a register and of a number, and whether
// registers can be masked.
type isa struct {
	suffix        string
	width, number int
	reg           func() VecVirtual
	masks         bool
	ops
}

// lanes returns the number of elements of a register.
func (s isa) lanes() int { return s.width / s.number }

// size is that of a register in bytes.
func (s isa) size() int { return s.width }

// ops are the instructions for one kind of numbers.
type ops struct {
	broadcastTo        func(...Op)
	load, move         func(...Op)
	add, sub, mul, div func(...Op)
	fma                func(...Op)
	loadMasked         func(m, k, r Op)
	divMasked          func(d, n, k, r Op)
}

var (
	doubles = ops{
		broadcastTo: VBROADCASTSD, load: VMOVUPD, move: VMOVAPD, add: VADDPD, sub: VSUBPD, mul: VMULPD, div: VDIVPD, fma: VFMADD231PD,
		loadMasked: VMOVUPD_Z, divMasked: VDIVPD_Z,
	}
	singles = ops{
		broadcastTo: VBROADCASTSS, load: VMOVUPS, move: VMOVAPS, add: VADDPS, sub: VSUBPS, mul: VMULPS, div: VDIVPS, fma: VFMADD231PS,
		loadMasked: VMOVUPS_Z, divMasked: VDIVPS_Z,
	}
)

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
	s.broadcastTo(m, r)
	return r
}

// total adds the lanes of r as float64, halving the register each time.
func (s isa) total(r VecVirtual) VecVirtual {
	if s.number == 4 {
		return s.widened(r)
	}
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

// widened is total for float32: the halves of r as float64, added.
func (s isa) widened(r VecVirtual) VecVirtual {
	d := s
	d.number = 8
	low, high := s.reg(), s.reg()
	if s.masks {
		half := YMM()
		VCVTPS2PD(r.AsY(), low)
		VEXTRACTF32X8(U8(1), r, half)
		VCVTPS2PD(half, high)
	} else {
		half := XMM()
		VCVTPS2PD(r.AsX(), low)
		VEXTRACTF128(U8(1), r, half)
		VCVTPS2PD(half, high)
	}
	VADDPD(low, high, high)
	return d.total(high)
}

// loop runs body for whole registers of the remaining count, and once more with a mask for the
// rest. Without masks the caller handles the rest. Byte offsets are in at.
func (s isa) loop(name string, count, at Register, body func(mask Op)) {
	Label(name)
	CMPQ(count, U32(uint32(s.lanes())))
	JL(LabelRef(name + "_rest"))
	body(nil)
	ADDQ(U32(uint32(s.size())), at)
	SUBQ(U32(uint32(s.lanes())), count)
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
	KMOVW(bits.As32(), k)
	body(k)
	Label(name + "_end")
}
