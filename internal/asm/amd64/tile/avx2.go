package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm"
)

// The kernels process half of the rows and half of the columns at a time: 12 of 16 registers have
// sums.
const (
	half2 = height / 2
	side2 = 4 * width / 2 // bytes of half the columns
)

// multiplyAVX2 adds half2 x width/2 products to acc, left times, by fma: VFMADD231PS, or
// VFNMADD231PS for their negatives. It advances a and b, which point at the first of them with some
// displacement.
func multiplyAVX2(label string, fma func(...Op), a, b, left Register, aDisp, bDisp int, acc, col []VecVirtual, x VecVirtual) {
	Label(label)
	for v := range col {
		VMOVUPS(asm.At(b, bDisp+32*v), col[v])
	}
	for r := range half2 {
		VBROADCASTSS(asm.At(a, aDisp+4*r), x)
		for v := range col {
			fma(col[v], x, acc[3*r+v])
		}
	}
	ADDQ(Imm(step), a)
	ADDQ(Imm(step), b)
	DECQ(left)
	JNZ(LabelRef(label))
}

// quarters calls f for each quarter of a pair of panels, with its first row and its first vector of
// 8 columns.
func quarters(f func(part string, row, vector int)) {
	for rows := range 2 {
		for cols := range 2 {
			f(fmt.Sprintf("%d%d", rows, cols), rows*half2, 3*cols)
		}
	}
}

func scanAVX2() {
	asm.Begin("scan8AVX2", scanSignature, "scan8AVX2 is scan with a left side of height 8.")
	s := loadScanArgs()
	Label("panel")
	ca, cb := GP64(), GP64()
	quarters(func(part string, row, vector int) {
		acc, col, x := asm.Registers(3*half2, YMM), asm.Registers(3, YMM), YMM()
		for r := range half2 {
			VBROADCASTSS(asm.At(s.aStart, 4*(row+r)), x)
			for v := range col {
				VADDPS(asm.At(s.bStart, 32*(vector+v)), x, acc[3*r+v])
			}
		}
		MOVQ(s.a, ca)
		MOVQ(s.b, cb)
		prefix := asm.Arg("prefix")
		TESTQ(prefix, prefix)
		JZ(LabelRef("rest" + part))
		multiplyAVX2("first"+part, VFMADD231PS, ca, cb, prefix, 4*row, 32*vector, acc, col, x)
		hopeAVX2(s, row, vector, acc, col, x)
		JZ(LabelRef("hopeless" + part))
		Label("rest" + part)
		multiplyAVX2("second"+part, VFMADD231PS, ca, cb, asm.Arg("rest"), 4*row, 32*vector, acc, col, x)
		for r := range half2 {
			VBROADCASTSS(asm.At(s.aLeast, 4*(row+r)), x)
			for v := range col {
				compareAVX2(asm.At(s.bLeast, 32*(vector+v)), x, acc[3*r+v], col[v], asm.At(s.mask, 8*(row+r)+vector+v))
			}
		}
		JMP(LabelRef("done" + part))
		Label("hopeless" + part)
		for r := range half2 {
			MOVW(U16(0), asm.At(s.mask, 8*(row+r)+vector))
			MOVB(U8(0), asm.At(s.mask, 8*(row+r)+vector+2))
		}
		Label("done" + part)
		if vector > 0 {
			for r := range half2 {
				MOVW(U16(0), asm.At(s.mask, 8*(row+r)+6))
			}
		}
	})
	bytes, rest := asm.Arg("prefix"), asm.Arg("rest")
	ADDQ(rest, bytes)
	IMUL3Q(Imm(step), bytes, bytes)
	ADDQ(bytes, s.b)
	s.nextPanel(height)
	JNZ(LabelRef("panel"))
	VZEROUPPER()
	RET()
}

// hopeAVX2 sets the zero flag if no sum reaches its bound even with the largest
// product that the rest of the dimensions can have.
func hopeAVX2(s scanArgs, row, vector int, acc, tmp []VecVirtual, x VecVirtual) {
	aTail := asm.Arg("aTail")
	sum, low, hope := tmp[0], tmp[1], tmp[2]
	VXORPS(hope, hope, hope)
	for r := range half2 {
		for v := range 3 {
			VBROADCASTSS(asm.At(aTail, 4*(row+r)), x)
			VADDPS(asm.At(s.bTail, 32*(vector+v)), acc[3*r+v], sum)
			VADDPS(sum, x, sum)
			VBROADCASTSS(asm.At(s.aLeast, 4*(row+r)), x)
			VMINPS(asm.At(s.bLeast, 32*(vector+v)), x, low)
			VCMPPS(Imm(ge), low, sum, sum)
			VORPS(sum, hope, hope)
		}
	}
	bits := GP32()
	VMOVMSKPS(hope, bits)
	TESTL(bits, bits)
}

// compareAVX2 writes 8 bits to mask: whether sum reaches the smaller of least and x.
func compareAVX2(least Mem, x, sum, tmp VecVirtual, mask Mem) {
	VMINPS(least, x, tmp)
	VCMPPS(Imm(ge), tmp, sum, tmp)
	bits := GP32()
	VMOVMSKPS(tmp, bits)
	MOVB(bits.As8(), mask)
}

func scanRowAVX2() {
	asm.Begin("scan1AVX2", scanSignature, "scan1AVX2 is scan with a left side of height 1; it looks at all dimensions.")
	s := loadScanArgs()
	acc, x, tmp := asm.Registers(6, YMM), YMM(), YMM()
	start, least := YMM(), YMM()
	VBROADCASTSS(asm.At(s.aStart, 0), start)
	VBROADCASTSS(asm.At(s.aLeast, 0), least)
	Label("panel")
	for v := range acc {
		VADDPS(asm.At(s.bStart, 32*v), start, acc[v])
	}
	cursor, left := GP64(), asm.Arg("prefix")
	MOVQ(s.a, cursor)
	ADDQ(asm.Arg("rest"), left)
	Label("depth")
	VBROADCASTSS(asm.At(cursor, 0), x)
	for v := range acc {
		VFMADD231PS(asm.At(s.b, 32*v), x, acc[v])
	}
	ADDQ(Imm(step), cursor)
	ADDQ(Imm(step), s.b)
	DECQ(left)
	JNZ(LabelRef("depth"))
	for v := range acc {
		compareAVX2(asm.At(s.bLeast, 32*v), least, acc[v], tmp, asm.At(s.mask, v))
	}
	MOVW(U16(0), asm.At(s.mask, 6))
	s.nextPanel(1)
	JNZ(LabelRef("panel"))
	VZEROUPPER()
	RET()
}

func addAVX2() {
	asm.Begin("addAVX2", addSignature, "addAVX2 is add with 256 bits.")
	dst := Load(Param("dst"), GP64())
	stride := Load(Param("stride"), GP64())
	SHLQ(Imm(3), stride)
	a, b := Load(Param("a"), GP64()), Load(Param("b"), GP64())
	line, ca, cb := GP64(), GP64(), GP64()
	quarters(func(part string, row, vector int) {
		MOVQ(dst, line)
		MOVQ(a, ca)
		MOVQ(b, cb)
		acc, col, x := asm.Registers(3*half2, YMM), asm.Registers(3, YMM), YMM()
		for _, v := range acc {
			VXORPS(v, v, v)
		}
		multiplyAVX2("depth"+part, VFMADD231PS, ca, cb, asm.Arg("depth"), 4*row, 32*vector, acc, col, x)
		for r := range half2 {
			for v := range col {
				sum, to := acc[3*r+v], 64*(vector+v)
				VCVTPS2PD(sum.AsX(), col[0])
				VEXTRACTF128(Imm(1), sum, col[1].AsX())
				VCVTPS2PD(col[1].AsX(), col[1])
				VADDPD(asm.At(line, to), col[0], col[0])
				VADDPD(asm.At(line, to+32), col[1], col[1])
				VMOVUPD(col[0], asm.At(line, to))
				VMOVUPD(col[1], asm.At(line, to+32))
			}
			ADDQ(stride, line)
		}
		if vector > 0 {
			MOVQ(line, dst) // the lower rows
		}
	})
	VZEROUPPER()
	RET()
}
