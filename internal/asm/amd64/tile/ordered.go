package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm"
)

// These are the sizes of the ordered kernels, as in package tile.
const (
	lanes = 8
	tall  = 24
	short = 4
	wide  = 4
)

const orderedSignature = "(sum, a, w *float64, depth int)"

// orderedAVX512 keeps all sums in registers, one for each vector. Products and sums are rounded
// separately.
func orderedAVX512(rows int) {
	asm.Begin(fmt.Sprintf("ordered%dAVX512", rows), orderedSignature,
		fmt.Sprintf("ordered%dAVX512 is orderedGeneric for %d vectors.", rows, rows))
	sum, a, w, depth := asm.Arg("sum"), asm.Arg("a"), asm.Arg("w"), asm.Arg("depth")
	acc, y, product := asm.Registers(rows, ZMM), ZMM(), asm.Registers(4, ZMM)
	for r, s := range acc {
		VMOVUPD(asm.At(sum, 64*r), s)
	}
	Label("depth")
	VMOVUPD(asm.At(w, 0), y)
	for r, s := range acc {
		VMULPD_BCST(asm.At(a, 8*r), y, product[r%4])
		VADDPD(product[r%4], s, s)
	}
	ADDQ(Imm(uint64(8*rows)), a)
	ADDQ(Imm(8*lanes), w)
	DECQ(depth)
	JNZ(LabelRef("depth"))
	for r, s := range acc {
		VMOVUPD(s, asm.At(sum, 64*r))
	}
	VZEROUPPER()
	RET()
}

// orderedAVX2 processes some of the vectors at a time, with two registers for each.
func orderedAVX2(rows int) {
	asm.Begin(fmt.Sprintf("ordered%dAVX2", rows), orderedSignature,
		fmt.Sprintf("ordered%dAVX2 is orderedGeneric for %d vectors.", rows, rows))
	sum, a, w := asm.Arg("sum"), asm.Arg("a"), asm.Arg("w")
	part := min(rows, 6)
	ca, cw := GP64(), GP64()
	for first := 0; first < rows; first += part {
		MOVQ(a, ca)
		MOVQ(w, cw)
		depth := asm.Arg("depth")
		acc, y, x, product := asm.Registers(2*part, YMM), asm.Registers(2, YMM), YMM(), YMM()
		for i, s := range acc {
			VMOVUPD(asm.At(sum, 64*first+32*i), s)
		}
		label := fmt.Sprintf("depth%d", first)
		Label(label)
		VMOVUPD(asm.At(cw, 0), y[0])
		VMOVUPD(asm.At(cw, 32), y[1])
		for r := range part {
			VBROADCASTSD(asm.At(ca, 8*(first+r)), x)
			VMULPD(y[0], x, product)
			VADDPD(product, acc[2*r], acc[2*r])
			VMULPD(y[1], x, x)
			VADDPD(x, acc[2*r+1], acc[2*r+1])
		}
		ADDQ(Imm(uint64(8*rows)), ca)
		ADDQ(Imm(8*lanes), cw)
		DECQ(depth)
		JNZ(LabelRef(label))
		for i, s := range acc {
			VMOVUPD(s, asm.At(sum, 64*first+32*i))
		}
	}
	VZEROUPPER()
	RET()
}

const orderedOneSignature = "(sum, a, w *float64, depth, stride int)"

// orderedOneAVX512 keeps the sums of one vector with wide panels in registers. Products and sums
// are rounded separately.
func orderedOneAVX512() {
	asm.Begin("orderedOneAVX512", orderedOneSignature,
		fmt.Sprintf("orderedOneAVX512 is orderedGeneric for one vector and %d panels of w, stride bytes apart.", wide))
	sum, a, w, depth, stride := asm.Arg("sum"), asm.Arg("a"), asm.Arg("w"), asm.Arg("depth"), asm.Arg("stride")
	acc, x, product := asm.Registers(wide, ZMM), ZMM(), asm.Registers(wide, ZMM)
	third := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, third)
	for p, s := range acc {
		VMOVUPD(asm.At(sum, 64*p), s)
	}
	Label("depth")
	VBROADCASTSD(asm.At(a, 0), x)
	for p, s := range acc {
		VMULPD(panelAt(w, stride, third, p), x, product[p])
		VADDPD(product[p], s, s)
	}
	ADDQ(Imm(8), a)
	ADDQ(Imm(8*lanes), w)
	DECQ(depth)
	JNZ(LabelRef("depth"))
	for p, s := range acc {
		VMOVUPD(s, asm.At(sum, 64*p))
	}
	VZEROUPPER()
	RET()
}

// orderedOneAVX2 is the same with two registers for each panel.
func orderedOneAVX2() {
	asm.Begin("orderedOneAVX2", orderedOneSignature,
		fmt.Sprintf("orderedOneAVX2 is orderedGeneric for one vector and %d panels of w, stride bytes apart.", wide))
	sum, a, w, depth, stride := asm.Arg("sum"), asm.Arg("a"), asm.Arg("w"), asm.Arg("depth"), asm.Arg("stride")
	acc, x, product := asm.Registers(2*wide, YMM), YMM(), asm.Registers(2, YMM)
	third := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, third)
	for i, s := range acc {
		VMOVUPD(asm.At(sum, 32*i), s)
	}
	Label("depth")
	VBROADCASTSD(asm.At(a, 0), x)
	for i, s := range acc {
		VMULPD(panelAt(w, stride, third, i/2).Offset(i%2*32), x, product[i%2])
		VADDPD(product[i%2], s, s)
	}
	ADDQ(Imm(8), a)
	ADDQ(Imm(8*lanes), w)
	DECQ(depth)
	JNZ(LabelRef("depth"))
	for i, s := range acc {
		VMOVUPD(s, asm.At(sum, 32*i))
	}
	VZEROUPPER()
	RET()
}

// panelAt returns the address of panel p of wide; third is three strides.
func panelAt(w, stride, third Register, p int) Mem {
	switch p {
	case 1:
		return Mem{Base: w, Index: stride, Scale: 1}
	case 2:
		return Mem{Base: w, Index: stride, Scale: 2}
	case 3:
		return Mem{Base: w, Index: third, Scale: 1}
	}
	return Mem{Base: w}
}
