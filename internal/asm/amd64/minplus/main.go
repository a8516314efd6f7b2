// Command minplus writes the assembly of package minplus; see its go:generate line.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	TEXT("takeAVX2", NOSPLIT, "func(least, v *float32, blocks int, more float32)")
	Pragma("noescape")
	Doc("takeAVX2 sets a positive number of times sixteen elements to the lesser of themselves and more + v.")
	least, v := Load(Param("least"), GP64()), Load(Param("v"), GP64())
	blocks := Load(Param("blocks"), GP64())
	low, more := XMM(), YMM()
	VMOVSS(NewParamAddr("more", 24), low)
	VBROADCASTSS(low, more)
	Label("blocks")
	for half := range 2 {
		sum := YMM()
		VADDPS(Mem{Base: v, Disp: 32 * half}, more, sum)
		VMINPS(Mem{Base: least, Disp: 32 * half}, sum, sum)
		VMOVUPS(sum, Mem{Base: least, Disp: 32 * half})
	}
	ADDQ(U8(64), v)
	ADDQ(U8(64), least)
	DECQ(blocks)
	JNZ(LabelRef("blocks"))
	VZEROUPPER()
	RET()
	Generate()
}
