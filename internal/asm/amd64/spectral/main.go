// Command spectral writes the vector kernels of package spectral; see its go:generate line.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm"
)

// columns is the number of columns of a block; a row of them is a vector.
const columns = 4

// rowBytes is the size of a row.
const rowBytes = 8 * columns

func main() {
	ConstraintExpr("amd64,!noasm")
	products()
	combine()
	residual()
	project()
	Generate()
}

// row is column c of the rows at index at.
func row(base, at Register, c int) Mem { return Mem{Base: base, Index: at, Scale: 1, Disp: 8 * c} }

// walk writes a loop over the rows.
func walk(name string, body func(at Register)) {
	at, left := GP64(), asm.Arg("rows")
	XORQ(at, at)
	JMP(LabelRef(name + "Test"))
	Label(name)
	body(at)
	ADDQ(Imm(rowBytes), at)
	DECQ(left)
	Label(name + "Test")
	TESTQ(left, left)
	JG(LabelRef(name))
}

func done() {
	VZEROUPPER()
	RET()
}

// products writes the products of one block with two others.
func products() {
	TEXT("productsAVX2", NOSPLIT, "func(sums, x, y, z *float64, rows int)")
	Pragma("noescape")
	Doc("productsAVX2 is productsGeneric.")
	x, y, z := asm.Arg("x"), asm.Arg("y"), asm.Arg("z")
	var xy, xz [columns]VecVirtual
	for c := range columns {
		xy[c], xz[c] = YMM(), YMM()
		VXORPD(xy[c], xy[c], xy[c])
		VXORPD(xz[c], xz[c], xz[c])
	}
	walk("row", func(at Register) {
		u, v := YMM(), YMM()
		VMOVUPD(row(y, at, 0), u)
		VMOVUPD(row(z, at, 0), v)
		for c := range columns {
			own := YMM()
			VBROADCASTSD(row(x, at, c), own)
			VFMADD231PD(own, u, xy[c])
			VFMADD231PD(own, v, xz[c])
		}
	})
	sums := asm.Arg("sums")
	for c := range 2 * columns {
		to, sum := Mem{Base: sums, Disp: c * rowBytes}, xy[c%columns]
		if c >= columns {
			sum = xz[c%columns]
		}
		VADDPD(to, sum, sum)
		VMOVUPD(sum, to)
	}
	done()
}

// combine writes the new vectors and their last change.
func combine() {
	TEXT("combineAVX2", NOSPLIT, "func(x, w, p, coeff *float64, rows int)")
	Pragma("noescape")
	Doc("combineAVX2 is combineGeneric.")
	blocks := []Register{asm.Arg("x"), asm.Arg("w"), asm.Arg("p")}
	coeff := asm.Arg("coeff")
	var factors [3 * columns]VecVirtual
	for k := range factors {
		factors[k] = YMM()
		VMOVUPD(Mem{Base: coeff, Disp: k * rowBytes}, factors[k])
	}
	walk("row", func(at Register) {
		sum, change, own := YMM(), YMM(), YMM()
		for k, f := range factors {
			VBROADCASTSD(row(blocks[k/columns], at, k%columns), own)
			switch k {
			case 0:
				VMULPD(own, f, sum)
			case columns:
				VMULPD(own, f, change)
			default:
				to := change
				if k < columns {
					to = sum
				}
				VFMADD231PD(own, f, to)
			}
		}
		VADDPD(change, sum, sum)
		VMOVUPD(sum, row(blocks[0], at, 0))
		VMOVUPD(change, row(blocks[2], at, 0))
	})
	done()
}

// residual writes the residuals of the vectors, and their squares.
func residual() {
	TEXT("residualAVX2", NOSPLIT, "func(r, x, lx, theta, sums *float64, rows int)")
	Pragma("noescape")
	Doc("residualAVX2 is residualGeneric.")
	r, x, lx := asm.Arg("r"), asm.Arg("x"), asm.Arg("lx")
	theta, squares := YMM(), YMM()
	VMOVUPD(Mem{Base: asm.Arg("theta")}, theta)
	sums := asm.Arg("sums")
	VMOVUPD(Mem{Base: sums}, squares)
	walk("row", func(at Register) {
		v := YMM()
		VMOVUPD(row(lx, at, 0), v)
		VFNMADD231PD(row(x, at, 0), theta, v)
		VMOVUPD(v, row(r, at, 0))
		VFMADD231PD(v, v, squares)
	})
	VMOVUPD(squares, Mem{Base: sums})
	done()
}

// project writes the subtraction of the part in the span of others.
func project() {
	TEXT("projectAVX2", NOSPLIT, "func(x, o, part *float64, rows int)")
	Pragma("noescape")
	Doc("projectAVX2 is projectGeneric.")
	x, o, part := asm.Arg("x"), asm.Arg("o"), asm.Arg("part")
	var factors [columns]VecVirtual
	for k := range factors {
		factors[k] = YMM()
		VMOVUPD(Mem{Base: part, Disp: k * rowBytes}, factors[k])
	}
	walk("row", func(at Register) {
		sum := YMM()
		VMOVUPD(row(x, at, 0), sum)
		for k, f := range factors {
			own := YMM()
			VBROADCASTSD(row(o, at, k), own)
			VFNMADD231PD(own, f, sum)
		}
		VMOVUPD(sum, row(x, at, 0))
	})
	done()
}
