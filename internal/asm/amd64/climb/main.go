// Command climb writes the assembly of package climb; see its go:generate line.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"unfold/internal/asm"
)

// The layout of type four: 32 bytes for each of x, y, s, fixed, and for the term of each edge.
const (
	line  = 32
	terms = 4 * line
	size  = 8 * line
)

func main() {
	ConstraintExpr("amd64,!noasm")
	plane()
	Generate()
}

func plane() {
	asm.Begin("planeAVX2", "(fours *float64, n int, x, y, half, still float64, steps int) (float64, float64)",
		"planeAVX2 is planeTwin for a positive number of fours.")
	fours, n, steps := asm.Arg("fours"), asm.Arg("n"), asm.Arg("steps")
	broadcast := func(name string) Op {
		b, err := Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		return b.Addr
	}
	x, y, half, still := YMM(), YMM(), YMM(), XMM()
	VBROADCASTSD(broadcast("x"), x)
	VBROADCASTSD(broadcast("y"), y)
	VBROADCASTSD(broadcast("half"), half)
	VMOVSD(broadcast("still"), still)
	quotients := AllocLocal(line)
	sums := YMM()
	at, left := GP64(), GP64()
	Label("step")
	VXORPD(sums, sums, sums)
	MOVQ(fours, at)
	MOVQ(n, left)
	Label("four")
	dx, dy, q := YMM(), YMM(), YMM()
	VSUBPD(Mem{Base: at}, x, dx)
	VSUBPD(Mem{Base: at, Disp: line}, y, dy)
	VMULPD(dx, dx, dx)
	VMULPD(dy, dy, dy)
	VADDPD(dy, dx, dx)
	VMULPD(half, dx, dx)
	VADDPD(Mem{Base: at, Disp: 3 * line}, dx, dx)
	VMOVUPD(Mem{Base: at, Disp: 2 * line}, q)
	VDIVPD(dx, q, q)
	VMOVUPD(q, quotients)
	for i := range 4 {
		t := YMM()
		VBROADCASTSD(quotients.Offset(8*i), t)
		VMULPD(Mem{Base: at, Disp: terms + line*i}, t, t)
		VADDPD(t, sums, sums)
	}
	ADDQ(U32(size), at)
	DECQ(left)
	JNE(LabelRef("four"))
	Comment("The sums of q, q x and q y by that of q.")
	total, nextX, nextY := YMM(), YMM(), YMM()
	VBROADCASTSD(sums.AsX(), total)
	VDIVPD(total, sums, sums)
	VPERMPD(Imm(0b01010101), sums, nextX)
	VPERMPD(Imm(0b10101010), sums, nextY)
	VSUBPD(x, nextX, dx)
	VSUBPD(y, nextY, dy)
	VMOVAPD(nextX, x)
	VMOVAPD(nextY, y)
	VMULSD(dx.AsX(), dx.AsX(), dx.AsX())
	VMULSD(dy.AsX(), dy.AsX(), dy.AsX())
	VADDSD(dy.AsX(), dx.AsX(), dx.AsX())
	VUCOMISD(dx.AsX(), still)
	JCC(LabelRef("done"))
	DECQ(steps)
	JNE(LabelRef("step"))
	Label("done")
	VZEROUPPER()
	Store(x.AsX(), ReturnIndex(0))
	Store(y.AsX(), ReturnIndex(1))
	RET()
}
