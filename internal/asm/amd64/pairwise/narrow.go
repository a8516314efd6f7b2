package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// narrow writes Narrow for a number of values that fills whole registers.
func (s isa) narrow() {
	TEXT("narrow"+s.suffix, NOSPLIT, "func(dst *float32, src *float64, n int, centre float64)")
	Pragma("noescape")
	Doc("narrow" + s.suffix + " sets n numbers of dst, n a multiple of the lanes.")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	n := Load(Param("n"), GP64())
	centre := s.broadcast(NewParamAddr("centre", 24))
	Label("numbers")
	CMPQ(n, U32(uint32(s.lanes())))
	JL(LabelRef("end"))
	x := s.reg()
	VMOVUPD(Mem{Base: src}, x)
	VSUBPD(centre, x, x)
	half := XMM()
	VCVTPD2PSY(x, half)
	VMOVUPS(half, Mem{Base: dst})
	ADDQ(U32(uint32(s.size())), src)
	ADDQ(U32(uint32(s.size()/2)), dst)
	SUBQ(U32(uint32(s.lanes())), n)
	JMP(LabelRef("numbers"))
	Label("end")
	VZEROUPPER()
	RET()
}
