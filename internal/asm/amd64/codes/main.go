// Command codes writes the vector kernels of package codes; see its go:generate line.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm"
)

// These are the sizes of a panel and of a left side, as in package codes.
const (
	width  = 48
	height = 8
	step   = 4 * width // bytes from one group of a panel to the next
	ge     = 5         // VPCMPD: not less
)

func main() {
	ConstraintExpr("amd64,!noasm")
	scan()
	bounds()
	for _, s := range []*narrow{{name: "AVX512", register: ZMM, size: 64, cols: 3}, {name: "AVX2", register: YMM, size: 32, cols: 2}} {
		s.scan()
		s.bounds()
	}
	take()
	Generate()
}

// multiply sets acc to the starts plus the products of the left side with the panel at b, and
// advances b by a panel.
func multiply(a, aStart, b, bStart Register, acc []VecVirtual) {
	col, row := asm.Registers(3, ZMM), asm.Registers(4, ZMM)
	for v := range col {
		VMOVDQU32(asm.At(bStart, 64*v), col[v])
		for r := range height {
			VPADDD_BCST(asm.At(aStart, 4*r), col[v], acc[3*r+v])
		}
	}
	cursor, left := GP64(), asm.Arg("groups")
	MOVQ(a, cursor)
	Label("group")
	for v := range col {
		VMOVDQU32(asm.At(b, 64*v), col[v])
	}
	for r := range height {
		x := row[r%len(row)]
		VPBROADCASTD(asm.At(cursor, 4*r), x)
		for v := range col {
			asm.Dot(x, col[v], acc[3*r+v])
		}
	}
	ADDQ(Imm(4*height), cursor)
	ADDQ(Imm(step), b)
	DECQ(left)
	JNZ(LabelRef("group"))
}

// scan compares all pairs with their thresholds.
func scan() {
	asm.Begin("scanDotAVX512", "(mask *uint64, a *uint8, aStart, aLeast *int32, b *uint8, bStart, bLeast *int32, groups, panels int)",
		"scanDotAVX512 is scanGeneric; it needs VNNI.")
	mask, a, aStart, aLeast := asm.Arg("mask"), asm.Arg("a"), asm.Arg("aStart"), asm.Arg("aLeast")
	b, bStart, bLeast, panels := asm.Arg("b"), asm.Arg("bStart"), asm.Arg("bLeast"), asm.Arg("panels")
	acc := asm.Registers(3*height, ZMM)
	Label("panel")
	multiply(a, aStart, b, bStart, acc)
	least, low := asm.Registers(3, ZMM), asm.Registers(3, ZMM)
	for v := range least {
		VMOVDQU32(asm.At(bLeast, 64*v), least[v])
	}
	for r := range height {
		for v := range least {
			pass := K()
			VPMINSD_BCST(asm.At(aLeast, 4*r), least[v], low[v])
			VPCMPD(Imm(ge), low[v], acc[3*r+v], pass)
			KMOVW(pass, asm.At(mask, 8*r+2*v))
		}
		MOVW(U16(0), asm.At(mask, 8*r+6))
	}
	ADDQ(Imm(8*height), mask)
	ADDQ(Imm(step), bStart)
	ADDQ(Imm(step), bLeast)
	DECQ(panels)
	JNZ(LabelRef("panel"))
	VZEROUPPER()
	RET()
}

// bounds stores minus all sums that are negative, and 0 for others.
func bounds() {
	asm.Begin("boundsDotAVX512", "(dst *int32, stride int, a *uint8, aStart *int32, b *uint8, bStart *int32, groups, panels int)",
		"boundsDotAVX512 is boundsGeneric; it needs VNNI.")
	dst, stride, a, aStart := asm.Arg("dst"), asm.Arg("stride"), asm.Arg("a"), asm.Arg("aStart")
	b, bStart, panels := asm.Arg("b"), asm.Arg("bStart"), asm.Arg("panels")
	SHLQ(Imm(2), stride)
	acc := asm.Registers(3*height, ZMM)
	line := GP64()
	Label("panel")
	multiply(a, aStart, b, bStart, acc)
	zero := ZMM()
	VPXORD(zero, zero, zero)
	MOVQ(dst, line)
	for r := range height {
		for v := range 3 {
			x := acc[3*r+v]
			VPSUBD(x, zero, x)
			VPMAXSD(zero, x, x)
			VMOVDQU32(x, asm.At(line, 64*v))
		}
		ADDQ(stride, line)
	}
	ADDQ(Imm(step), dst)
	ADDQ(Imm(step), bStart)
	DECQ(panels)
	JNZ(LabelRef("panel"))
	VZEROUPPER()
	RET()
}

// take copies the vectors of a left side out of panels, less the zero of these.
func take() {
	asm.Begin("takeAVX2", "(to, from *uint8, zero, pairs int)", "takeAVX2 is takeGeneric.")
	to, from, zero, pairs := asm.Arg("to"), asm.Arg("from"), asm.Arg("zero"), asm.Arg("pairs")
	low, zeros, x := XMM(), YMM(), asm.Registers(2, YMM)
	VMOVQ(zero, low)
	VPBROADCASTB(low, zeros)
	Label("pair")
	for g := range x {
		VMOVDQU(asm.At(from, step*g), x[g])
		VPSUBB(zeros, x[g], x[g])
		VMOVDQU(x[g], asm.At(to, 4*height*g))
	}
	ADDQ(U32(2*step), from)
	ADDQ(Imm(2*4*height), to)
	DECQ(pairs)
	JNZ(LabelRef("pair"))
	VZEROUPPER()
	RET()
}
