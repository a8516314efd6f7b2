// Command transpose writes the vector kernels of package transpose; see its go:generate line.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// side is the side of the squares, as in package transpose.
const side = 8

func main() {
	ConstraintExpr("amd64,!noasm")
	squaresAVX512()
	squareAVX2()
	Generate()
}

func begin(name, args, doc string) (dst, src, dstStride, srcStride Register) {
	TEXT(name, NOSPLIT, "func("+args+")")
	Pragma("noescape")
	Doc(doc)
	arg := func(name string) Register { return Load(Param(name), GP64()) }
	dst, src, dstStride, srcStride = arg("dst"), arg("src"), arg("dstStride"), arg("srcStride")
	SHLQ(Imm(3), dstStride)
	SHLQ(Imm(3), srcStride)
	return dst, src, dstStride, srcStride
}

// squaresAVX512 interleaves elements of two rows, then pairs of four rows, then of eight.
func squaresAVX512() {
	dst, src, dstStride, srcStride := begin("squaresAVX512", "dst *float64, dstStride int, src *float64, srcStride, count int",
		"squaresAVX512 is squareGeneric with 512 bits, for count >= 1 squares: side by side in src, below each other in dst.")
	count, from := Load(Param("count"), GP64()), GP64()
	Label("squares")
	MOVQ(src, from)
	row := make([]VecVirtual, side)
	for i := range row {
		row[i] = ZMM()
		VMOVUPD(Mem{Base: from}, row[i])
		if i < side-1 {
			ADDQ(srcStride, from)
		}
	}
	pair := make([]VecVirtual, side) // even columns of two rows, odd columns
	for i := 0; i < side; i += 2 {
		pair[i], pair[i+1] = ZMM(), ZMM()
		VUNPCKLPD(row[i+1], row[i], pair[i])
		VUNPCKHPD(row[i+1], row[i], pair[i+1])
	}
	column := make([]VecVirtual, side)
	for odd := range 2 {
		upper := [2]VecVirtual{ZMM(), ZMM()}
		lower := [2]VecVirtual{ZMM(), ZMM()}
		for half, which := range []uint64{0x88, 0xdd} {
			VSHUFF64X2(Imm(which), pair[2+odd], pair[odd], upper[half])
			VSHUFF64X2(Imm(which), pair[6+odd], pair[4+odd], lower[half])
		}
		for half := range 2 {
			a, b := ZMM(), ZMM()
			VSHUFF64X2(Imm(0x88), lower[half], upper[half], a)
			VSHUFF64X2(Imm(0xdd), lower[half], upper[half], b)
			column[2*half+odd], column[4+2*half+odd] = a, b
		}
	}
	for _, c := range column {
		VMOVUPD(c, Mem{Base: dst})
		ADDQ(dstStride, dst)
	}
	ADDQ(Imm(8*side), src)
	DECQ(count)
	JNZ(LabelRef("squares"))
	VZEROUPPER()
	RET()
}

// squareAVX2 turns four squares of four rows.
func squareAVX2() {
	dst, src, dstStride, srcStride := begin("squareAVX2", "dst *float64, dstStride int, src *float64, srcStride int", "squareAVX2 is squareGeneric with 256 bits.")
	to, below := GP64(), GP64()
	MOVQ(dstStride, below) // four rows further down
	SHLQ(Imm(2), below)
	for down := range 2 {
		for right := range 2 {
			from := GP64()
			MOVQ(src, from)
			row := make([]VecVirtual, 4)
			for i := range row {
				row[i] = YMM()
				VMOVUPD(Mem{Base: from, Disp: 32 * right}, row[i])
				if i < 3 {
					ADDQ(srcStride, from)
				}
			}
			even0, odd0, even1, odd1 := YMM(), YMM(), YMM(), YMM()
			VUNPCKLPD(row[1], row[0], even0)
			VUNPCKHPD(row[1], row[0], odd0)
			VUNPCKLPD(row[3], row[2], even1)
			VUNPCKHPD(row[3], row[2], odd1)
			MOVQ(dst, to)
			if right == 1 {
				ADDQ(below, to)
			}
			for i, of := range [][2]VecVirtual{{even0, even1}, {odd0, odd1}, {even0, even1}, {odd0, odd1}} {
				c := YMM()
				VPERM2F128(Imm([]uint64{0x20, 0x31}[i/2]), of[1], of[0], c)
				VMOVUPD(c, Mem{Base: to, Disp: 32 * down})
				if i < 3 {
					ADDQ(dstStride, to)
				}
			}
		}
		if down == 0 {
			for range 4 {
				ADDQ(srcStride, src)
			}
		}
	}
	VZEROUPPER()
	RET()
}
