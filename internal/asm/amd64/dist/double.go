package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// double writes a kernel that joins absolute differences in double precision to four lanes, one for
// every fourth element.
func double(name, what string, join func(ops ...Op)) {
	TEXT(name, NOSPLIT, "func(lanes *float64, a, b *float32, groups int)")
	Pragma("noescape")
	Doc(name + " joins the absolute differences of groups of 16 elements to four lanes, " + what + ".")
	lanes, a, b := Load(Param("lanes"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	left := Load(Param("groups"), GP64())
	acc, signless, bits := YMM(), YMM(), GP64()
	VMOVUPD(Mem{Base: lanes}, acc)
	MOVQ(U64(1<<63-1), bits)
	VMOVQ(bits, signless.AsX())
	VPBROADCASTQ(signless.AsX(), signless)
	Label(name + "Loop")
	CMPQ(left, Imm(0))
	JLE(LabelRef(name + "Done"))
	for k := range 4 {
		x, y := YMM(), YMM()
		VCVTPS2PD(Mem{Base: a, Disp: 16 * k}, x)
		VCVTPS2PD(Mem{Base: b, Disp: 16 * k}, y)
		VSUBPD(y, x, x)
		VANDPD(signless, x, x)
		join(x, acc, acc)
	}
	ADDQ(Imm(64), a)
	ADDQ(Imm(64), b)
	DECQ(left)
	JMP(LabelRef(name + "Loop"))
	Label(name + "Done")
	VMOVUPD(acc, Mem{Base: lanes})
	VZEROUPPER()
	RET()
}
