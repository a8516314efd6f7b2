package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Half of the rows and half of the columns at a time: 12 of 16 registers hold
// sums.
const (
	half2 = height / 2
	side2 = 4 * width / 2 // bytes of half the columns
)

// multiplyAVX2 adds half2 x width/2 products of the given depth to acc; a and
// b point at the first of them.
func multiplyAVX2(label string, a, b, depth Register, aDisp, bDisp int, acc, col []VecVirtual, x VecVirtual) {
	ca, cb, left := GP64(), GP64(), GP64()
	MOVQ(a, ca)
	MOVQ(b, cb)
	MOVQ(depth, left)
	Label(label)
	for v := range col {
		VMOVUPS(at(cb, bDisp+32*v), col[v])
	}
	for r := range half2 {
		VBROADCASTSS(at(ca, aDisp+4*r), x)
		for v := range col {
			VFMADD231PS(col[v], x, acc[3*r+v])
		}
	}
	ADDQ(Imm(step), ca)
	ADDQ(Imm(step), cb)
	DECQ(left)
	JNZ(LabelRef(label))
}

// quarters calls f for each part of a panel pair: the numbers of its first row
// and of its first vector of 8 columns.
func quarters(f func(label string, row, vector int)) {
	for rows := range 2 {
		for cols := range 2 {
			f(fmt.Sprintf("depth%d%d", rows, cols), rows*half2, 3*cols)
		}
	}
}

func scanAVX2() {
	begin("scan8AVX2", scanSignature, "scan8AVX2 is scan for 8 rows of a.")
	s := loadScanArgs()
	bytes := GP64()
	IMUL3Q(Imm(step), s.depth, bytes)
	Label("panel")
	quarters(func(label string, row, vector int) {
		acc, col, x := ymm(3*half2), ymm(3), YMM()
		for r := range half2 {
			VBROADCASTSS(at(s.aStart, 4*(row+r)), x)
			for v := range col {
				VADDPS(at(s.bStart, 32*(vector+v)), x, acc[3*r+v])
			}
		}
		multiplyAVX2(label, s.a, s.b, s.depth, 4*row, 32*vector, acc, col, x)
		for r := range half2 {
			VBROADCASTSS(at(s.aLeast, 4*(row+r)), x)
			for v := range col {
				compareAVX2(at(s.bLeast, 32*(vector+v)), x, acc[3*r+v], col[v], at(s.mask, 8*(row+r)+vector+v))
			}
			if vector > 0 {
				MOVW(U16(0), at(s.mask, 8*(row+r)+6))
			}
		}
	})
	ADDQ(bytes, s.b)
	s.nextPanel(height)
	JNZ(LabelRef("panel"))
	VZEROUPPER()
	RET()
}

// compareAVX2 writes 8 bits to mask: which of sum reach least or x.
func compareAVX2(least Mem, x, sum, tmp VecVirtual, mask Mem) {
	VMINPS(least, x, tmp)
	VCMPPS(Imm(ge), tmp, sum, tmp)
	bits := GP32()
	VMOVMSKPS(tmp, bits)
	MOVB(bits.As8(), mask)
}

func scanRowAVX2() {
	begin("scan1AVX2", scanSignature, "scan1AVX2 is scan for one row of a.")
	s := loadScanArgs()
	acc, x, tmp := ymm(6), YMM(), YMM()
	start, least := YMM(), YMM()
	VBROADCASTSS(at(s.aStart, 0), start)
	VBROADCASTSS(at(s.aLeast, 0), least)
	Label("panel")
	for v := range acc {
		VADDPS(at(s.bStart, 32*v), start, acc[v])
	}
	cursor, left := GP64(), GP64()
	MOVQ(s.a, cursor)
	MOVQ(s.depth, left)
	Label("depth")
	VBROADCASTSS(at(cursor, 0), x)
	for v := range acc {
		VFMADD231PS(at(s.b, 32*v), x, acc[v])
	}
	ADDQ(Imm(step), cursor)
	ADDQ(Imm(step), s.b)
	DECQ(left)
	JNZ(LabelRef("depth"))
	for v := range acc {
		compareAVX2(at(s.bLeast, 32*v), least, acc[v], tmp, at(s.mask, v))
	}
	MOVW(U16(0), at(s.mask, 6))
	s.nextPanel(1)
	JNZ(LabelRef("panel"))
	VZEROUPPER()
	RET()
}

func addAVX2() {
	begin("addAVX2", addSignature, "addAVX2 is add with 256 bits.")
	dst := Load(Param("dst"), GP64())
	stride := Load(Param("stride"), GP64())
	SHLQ(Imm(3), stride)
	a, b := Load(Param("a"), GP64()), Load(Param("b"), GP64())
	depth := Load(Param("depth"), GP64())
	line := GP64()
	quarters(func(label string, row, vector int) {
		MOVQ(dst, line)
		acc, col, x := ymm(3*half2), ymm(3), YMM()
		for _, v := range acc {
			VXORPS(v, v, v)
		}
		multiplyAVX2(label, a, b, depth, 4*row, 32*vector, acc, col, x)
		for r := range half2 {
			for v := range col {
				sum, to := acc[3*r+v], 64*(vector+v)
				VCVTPS2PD(sum.AsX(), col[0])
				VEXTRACTF128(Imm(1), sum, col[1].AsX())
				VCVTPS2PD(col[1].AsX(), col[1])
				VADDPD(at(line, to), col[0], col[0])
				VADDPD(at(line, to+32), col[1], col[1])
				VMOVUPD(col[0], at(line, to))
				VMOVUPD(col[1], at(line, to+32))
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

func peakAVX2() {
	begin("peakAVX2", "(n int)", "peakAVX2 does n times 12 fused operations on 8 numbers each, and nothing else.")
	n := Load(Param("n"), GP64())
	acc, x := ymm(12), YMM()
	for _, v := range append(acc, x) {
		VXORPS(v, v, v)
	}
	Label("loop")
	for _, v := range acc {
		VFMADD231PS(x, x, v)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
