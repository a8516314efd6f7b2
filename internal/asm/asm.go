// Package asm has the code with which generators of assembly begin every kernel. Like avo's package
// build, which it writes to, it works on the one file of a program.
package asm

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Begin opens a kernel. The signature has the parameters in parentheses.
func Begin(name, signature, doc string) {
	build.TEXT(name, attr.NOSPLIT, "func"+signature)
	build.Pragma("noescape")
	build.Doc(doc)
}

// Arg loads a parameter into a register.
func Arg(name string) reg.Register { return build.Load(build.Param(name), build.GP64()) }

// At is the memory at a distance in bytes from a register.
func At(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

// Registers returns n vector registers, such as those of build.ZMM.
func Registers(n int, one func() reg.VecVirtual) []reg.VecVirtual {
	out := make([]reg.VecVirtual, n)
	for i := range out {
		out[i] = one()
	}
	return out
}

// Dot emits VPDPBUSD, which avo does not know: sum += four signed bytes times four unsigned ones, in
// every lane. It needs VNNI.
func Dot(signed, unsigned, sum operand.Op) {
	build.Instruction(&ir.Instruction{
		Opcode:   "VPDPBUSD",
		Operands: []operand.Op{signed, unsigned, sum},
		Inputs:   []operand.Op{signed, unsigned, sum},
		Outputs:  []operand.Op{sum},
	})
}

// Set is an instruction set with registers of 512 bits or of 256, for kernels on integers.
type Set struct {
	Name string
	Wide bool
}

// Sets are those that programs choose from.
var Sets = []Set{{"AVX512", true}, {"AVX2", false}}

// Register returns a new register.
func (s Set) Register() reg.VecVirtual {
	if s.Wide {
		return build.ZMM()
	}
	return build.YMM()
}

// Zero sets a register to zero.
func (s Set) Zero(r reg.VecVirtual) {
	if s.Wide {
		build.VPXORD(r, r, r)
	} else {
		build.VPXOR(r, r, r)
	}
}

// Load loads a register from memory at any address.
func (s Set) Load(m operand.Mem, r reg.VecVirtual) {
	if s.Wide {
		build.VMOVDQU32(m, r)
	} else {
		build.VMOVDQU(m, r)
	}
}

// Store stores a register in memory at any address.
func (s Set) Store(r reg.VecVirtual, m operand.Mem) {
	if s.Wide {
		build.VMOVDQU32(r, m)
	} else {
		build.VMOVDQU(r, m)
	}
}
