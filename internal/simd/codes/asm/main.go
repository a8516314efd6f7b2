// Command asm writes the vector kernels of package codes; see its go:generate line.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
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
	Generate()
}

// begin opens a kernel.
func begin(name, signature, doc string) {
	TEXT(name, NOSPLIT, "func"+signature)
	Pragma("noescape")
	Doc(doc)
}

func arg(name string) Register { return Load(Param(name), GP64()) }

func at(base Register, disp int) Mem { return Mem{Base: base, Disp: disp} }

func zmm(n int) []VecVirtual {
	out := make([]VecVirtual, n)
	for i := range out {
		out[i] = ZMM()
	}
	return out
}

// multiply sets acc to the starts plus the products of the left side with the panel at b, and
// advances b by a panel.
func multiply(a, aStart, b, bStart Register, acc []VecVirtual) {
	col, row := zmm(3), zmm(4)
	for v := range col {
		VMOVDQU32(at(bStart, 64*v), col[v])
		for r := range height {
			VPADDD_BCST(at(aStart, 4*r), col[v], acc[3*r+v])
		}
	}
	cursor, left := GP64(), arg("groups")
	MOVQ(a, cursor)
	Label("group")
	for v := range col {
		VMOVDQU32(at(b, 64*v), col[v])
	}
	for r := range height {
		x := row[r%len(row)]
		VPBROADCASTD(at(cursor, 4*r), x)
		for v := range col {
			dot(x, col[v], acc[3*r+v])
		}
	}
	ADDQ(Imm(4*height), cursor)
	ADDQ(Imm(step), b)
	DECQ(left)
	JNZ(LabelRef("group"))
}

// dot emits VPDPBUSD, which avo does not know: sum += four signed bytes times four unsigned ones, in
// every lane.
func dot(signed, unsigned, sum Op) {
	Instruction(&ir.Instruction{
		Opcode:   "VPDPBUSD",
		Operands: []Op{signed, unsigned, sum},
		Inputs:   []Op{signed, unsigned, sum},
		Outputs:  []Op{sum},
	})
}

// scan compares all pairs with their thresholds.
func scan() {
	begin("scanAVX512", "(mask *uint64, a *uint8, aStart, aLeast *int32, b *uint8, bStart, bLeast *int32, groups, panels int)",
		"scanAVX512 is scanGeneric; it needs VNNI.")
	mask, a, aStart, aLeast := arg("mask"), arg("a"), arg("aStart"), arg("aLeast")
	b, bStart, bLeast, panels := arg("b"), arg("bStart"), arg("bLeast"), arg("panels")
	acc := zmm(3 * height)
	Label("panel")
	multiply(a, aStart, b, bStart, acc)
	least, low := zmm(3), zmm(3)
	for v := range least {
		VMOVDQU32(at(bLeast, 64*v), least[v])
	}
	for r := range height {
		for v := range least {
			pass := K()
			VPMINSD_BCST(at(aLeast, 4*r), least[v], low[v])
			VPCMPD(Imm(ge), low[v], acc[3*r+v], pass)
			KMOVW(pass, at(mask, 8*r+2*v))
		}
		MOVW(U16(0), at(mask, 8*r+6))
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
	begin("boundsAVX512", "(dst *int32, stride int, a *uint8, aStart *int32, b *uint8, bStart *int32, groups, panels int)",
		"boundsAVX512 is boundsGeneric; it needs VNNI.")
	dst, stride, a, aStart := arg("dst"), arg("stride"), arg("a"), arg("aStart")
	b, bStart, panels := arg("b"), arg("bStart"), arg("panels")
	SHLQ(Imm(2), stride)
	acc := zmm(3 * height)
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
			VMOVDQU32(x, at(line, 64*v))
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
