package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
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
	begin(fmt.Sprintf("ordered%dAVX512", rows), orderedSignature,
		fmt.Sprintf("ordered%dAVX512 is orderedGeneric for %d vectors.", rows, rows))
	sum, a, w, depth := arg("sum"), arg("a"), arg("w"), arg("depth")
	acc, y, product := zmm(rows), ZMM(), zmm(4)
	for r, s := range acc {
		VMOVUPD(at(sum, 64*r), s)
	}
	Label("depth")
	VMOVUPD(at(w, 0), y)
	for r, s := range acc {
		VMULPD_BCST(at(a, 8*r), y, product[r%4])
		VADDPD(product[r%4], s, s)
	}
	ADDQ(Imm(uint64(8*rows)), a)
	ADDQ(Imm(8*lanes), w)
	DECQ(depth)
	JNZ(LabelRef("depth"))
	for r, s := range acc {
		VMOVUPD(s, at(sum, 64*r))
	}
	VZEROUPPER()
	RET()
}

// orderedAVX2 processes some of the vectors at a time, with two registers for each.
func orderedAVX2(rows int) {
	begin(fmt.Sprintf("ordered%dAVX2", rows), orderedSignature,
		fmt.Sprintf("ordered%dAVX2 is orderedGeneric for %d vectors.", rows, rows))
	sum, a, w := arg("sum"), arg("a"), arg("w")
	part := min(rows, 6)
	ca, cw := GP64(), GP64()
	for first := 0; first < rows; first += part {
		MOVQ(a, ca)
		MOVQ(w, cw)
		depth := arg("depth")
		acc, y, x, product := ymm(2*part), ymm(2), YMM(), YMM()
		for i, s := range acc {
			VMOVUPD(at(sum, 64*first+32*i), s)
		}
		label := fmt.Sprintf("depth%d", first)
		Label(label)
		VMOVUPD(at(cw, 0), y[0])
		VMOVUPD(at(cw, 32), y[1])
		for r := range part {
			VBROADCASTSD(at(ca, 8*(first+r)), x)
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
			VMOVUPD(s, at(sum, 64*first+32*i))
		}
	}
	VZEROUPPER()
	RET()
}

const orderedOneSignature = "(sum, a, w *float64, depth, stride int)"

// orderedOneAVX512 keeps the sums of one vector with wide panels in registers. Products and sums
// are rounded separately.
func orderedOneAVX512() {
	begin("orderedOneAVX512", orderedOneSignature,
		fmt.Sprintf("orderedOneAVX512 is orderedGeneric for one vector and %d panels of w, stride bytes apart.", wide))
	sum, a, w, depth, stride := arg("sum"), arg("a"), arg("w"), arg("depth"), arg("stride")
	acc, x, product := zmm(wide), ZMM(), zmm(wide)
	third := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, third)
	for p, s := range acc {
		VMOVUPD(at(sum, 64*p), s)
	}
	Label("depth")
	VBROADCASTSD(at(a, 0), x)
	for p, s := range acc {
		VMULPD(panelAt(w, stride, third, p), x, product[p])
		VADDPD(product[p], s, s)
	}
	ADDQ(Imm(8), a)
	ADDQ(Imm(8*lanes), w)
	DECQ(depth)
	JNZ(LabelRef("depth"))
	for p, s := range acc {
		VMOVUPD(s, at(sum, 64*p))
	}
	VZEROUPPER()
	RET()
}

// orderedOneAVX2 is the same with two registers for each panel.
func orderedOneAVX2() {
	begin("orderedOneAVX2", orderedOneSignature,
		fmt.Sprintf("orderedOneAVX2 is orderedGeneric for one vector and %d panels of w, stride bytes apart.", wide))
	sum, a, w, depth, stride := arg("sum"), arg("a"), arg("w"), arg("depth"), arg("stride")
	acc, x, product := ymm(2*wide), YMM(), ymm(2)
	third := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, third)
	for i, s := range acc {
		VMOVUPD(at(sum, 32*i), s)
	}
	Label("depth")
	VBROADCASTSD(at(a, 0), x)
	for i, s := range acc {
		VMULPD(panelAt(w, stride, third, i/2).Offset(i%2*32), x, product[i%2])
		VADDPD(product[i%2], s, s)
	}
	ADDQ(Imm(8), a)
	ADDQ(Imm(8*lanes), w)
	DECQ(depth)
	JNZ(LabelRef("depth"))
	for i, s := range acc {
		VMOVUPD(s, at(sum, 32*i))
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
