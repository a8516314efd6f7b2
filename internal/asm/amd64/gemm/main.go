// Command gemm writes the vector kernels of package gemm; see its go:generate line.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm"
)

// These are the sizes of a tile, as in package gemm.
const (
	height = 8
	width  = 24
	// ahead is the number of terms by which lines of A are prefetched before use.
	ahead = 16
)

const signature = "(dst *float64, stride int, a, b *float64, terms int, alpha float64)"

func main() {
	ConstraintExpr("amd64,!noasm")
	addAVX512()
	addAVX2()
	Generate()
}

func broadcastAlpha(one func() VecVirtual) VecVirtual {
	mem, err := Param("alpha").Resolve()
	if err != nil {
		panic(err)
	}
	alpha := one()
	VBROADCASTSD(mem.Addr, alpha)
	return alpha
}

// addAVX512 keeps all sums of a tile in registers.
func addAVX512() {
	asm.Begin("addAVX512", signature, "addAVX512 is addGeneric with 512 bits.")
	dst, stride, a, b, terms := asm.Arg("dst"), asm.Arg("stride"), asm.Arg("a"), asm.Arg("b"), asm.Arg("terms")
	SHLQ(Imm(3), stride)
	acc, col, row := asm.Registers(3*height, ZMM), asm.Registers(3, ZMM), asm.Registers(4, ZMM)
	for _, s := range acc {
		VPXORQ(s, s, s)
	}
	line := GP64()
	MOVQ(dst, line)
	for range height {
		// The destination is prefetched during the summation.
		for v := range 3 {
			PREFETCHT0(asm.At(line, 64*v))
		}
		ADDQ(stride, line)
	}
	Label("terms")
	for v := range col {
		VMOVUPD(asm.At(b, 64*v), col[v])
	}
	for r := range height {
		x := row[r%len(row)]
		VBROADCASTSD(asm.At(a, 8*r), x)
		for v := range col {
			VFMADD231PD(col[v], x, acc[3*r+v])
		}
	}
	PREFETCHT0(asm.At(a, 8*height*ahead))
	ADDQ(Imm(8*height), a)
	ADDQ(Imm(8*width), b)
	DECQ(terms)
	JNZ(LabelRef("terms"))
	alpha := broadcastAlpha(ZMM)
	for r := range height {
		for v := range 3 {
			s := acc[3*r+v]
			VMULPD(alpha, s, s)
			VADDPD(asm.At(dst, 64*v), s, s)
			VMOVUPD(s, asm.At(dst, 64*v))
		}
		ADDQ(stride, dst)
	}
	VZEROUPPER()
	RET()
}

// addAVX2 processes half of the rows and half of the columns at a time.
func addAVX2() {
	asm.Begin("addAVX2", signature, "addAVX2 is addGeneric with 256 bits.")
	dst, stride, a, b := asm.Arg("dst"), asm.Arg("stride"), asm.Arg("a"), asm.Arg("b")
	SHLQ(Imm(3), stride)
	line, ca, cb := GP64(), GP64(), GP64()
	for rows := range 2 {
		for cols := range 2 {
			MOVQ(dst, line)
			MOVQ(a, ca)
			MOVQ(b, cb)
			terms := asm.Arg("terms")
			acc, col, x := asm.Registers(12, YMM), asm.Registers(3, YMM), YMM()
			for _, s := range acc {
				VXORPD(s, s, s)
			}
			label := fmt.Sprintf("terms%d%d", rows, cols)
			Label(label)
			for v := range col {
				VMOVUPD(asm.At(cb, 96*cols+32*v), col[v])
			}
			for r := range 4 {
				VBROADCASTSD(asm.At(ca, 32*rows+8*r), x)
				for v := range col {
					VFMADD231PD(col[v], x, acc[3*r+v])
				}
			}
			ADDQ(Imm(8*height), ca)
			ADDQ(Imm(8*width), cb)
			DECQ(terms)
			JNZ(LabelRef(label))
			alpha := broadcastAlpha(YMM)
			for r := range 4 {
				for v := range 3 {
					s := acc[3*r+v]
					VMULPD(alpha, s, s)
					VADDPD(asm.At(line, 96*cols+32*v), s, s)
					VMOVUPD(s, asm.At(line, 96*cols+32*v))
				}
				ADDQ(stride, line)
			}
			if cols == 1 {
				MOVQ(line, dst) // the lower rows
			}
		}
	}
	VZEROUPPER()
	RET()
}
