// Command gather writes the vector kernels of package gather; see its go:generate line.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, slope := range []bool{false, true} {
		kernel{"AVX512", ZMM, 64, slope}.write()
		kernel{"AVX2", YMM, 32, slope}.write()
	}
	Generate()
}

// kernel is a kernel of an instruction set, with vectors of the given number of bytes.
type kernel struct {
	level string
	one   func() VecVirtual
	bytes int
	slope bool
}

// together is the number of vectors of a block of columns.
const together = 4

func (k kernel) write() {
	name, args := "sum", "(dst *float64, n int, x *float64, stride int, list *int32, w *float64, terms int)"
	if k.slope {
		name, args = "slope", "(dst *float64, n int, p *float64, own int, x *float64, stride int, list *int32, w *float64, terms int)"
	}
	doc := fmt.Sprintf("%s%s is %sGeneric with %d bits, for n", name, k.level, name, 8*k.bytes)
	if k.level == "AVX2" {
		doc += " a multiple of 16"
	} else {
		doc += " at least 1"
	}
	TEXT(name+k.level, NOSPLIT, "func"+args)
	Pragma("noescape")
	Doc(doc + " and terms at least 1.")
	arg := func(name string) Register { return Load(Param(name), GP64()) }
	c := columns{kernel: k, dst: arg("dst"), x: arg("x"), stride: arg("stride"), list: arg("list"), w: arg("w"), terms: arg("terms")}
	n := arg("n")
	SHLQ(Imm(3), c.stride)
	if k.slope {
		c.p, c.own = arg("p"), arg("own")
		IMULQ(c.stride, c.own)
	}
	block := together * k.bytes / 8
	Label("blocks")
	CMPQ(n, Imm(uint64(block)))
	JLT(LabelRef("rest"))
	c.block(together, nil)
	SUBQ(Imm(uint64(block)), n)
	JMP(LabelRef("blocks"))
	Label("rest")
	if k.level == "AVX512" {
		c.rest(n)
	}
	VZEROUPPER()
	RET()
}

// columns is a loop over the columns of the rows.
type columns struct {
	kernel
	dst, p, own, x, stride, list, w, terms Register
}

// block computes count vectors, or a single one with the lanes in mask.
func (c columns) block(count int, mask Register) {
	var acc, pi []VecVirtual
	for range count {
		acc = append(acc, c.one())
		if c.slope {
			pi = append(pi, c.one())
		}
	}
	for v, s := range acc {
		if c.bytes == 64 {
			VPXORQ(s, s, s)
		} else {
			VXORPD(s, s, s)
		}
		if c.slope {
			load(Mem{Base: c.p, Index: c.own, Scale: 1, Disp: v * c.bytes}, mask, pi[v])
		}
	}
	list, w, left, row, weight := GP64(), GP64(), GP64(), GP64(), c.one()
	MOVQ(c.list, list)
	MOVQ(c.w, w)
	MOVQ(c.terms, left)
	name := fmt.Sprintf("terms%d", count)
	Label(name)
	MOVLQSX(Mem{Base: list}, row)
	IMULQ(c.stride, row)
	VBROADCASTSD(Mem{Base: w}, weight)
	for v, s := range acc {
		x := Mem{Base: c.x, Index: row, Scale: 1, Disp: v * c.bytes}
		factor := weight
		if c.slope {
			factor = c.one()
			load(Mem{Base: c.p, Index: row, Scale: 1, Disp: v * c.bytes}, mask, factor)
			VSUBPD(pi[v], factor, factor)
			VMULPD(weight, factor, factor)
		}
		if mask == nil {
			VFMADD231PD(x, factor, s)
		} else {
			VFMADD231PD(x, factor, mask, s)
		}
	}
	ADDQ(Imm(4), list)
	ADDQ(Imm(8), w)
	DECQ(left)
	JNZ(LabelRef(name))
	for v, s := range acc {
		to := Mem{Base: c.dst, Disp: v * c.bytes}
		if mask == nil {
			VMOVUPD(s, to)
		} else {
			VMOVUPD(s, mask, to)
		}
	}
	step := U32(uint32(count * c.bytes))
	ADDQ(step, c.dst)
	ADDQ(step, c.x)
	if c.slope {
		ADDQ(step, c.p)
	}
}

func load(from Mem, mask Register, to VecVirtual) {
	if mask == nil {
		VMOVUPD(from, to)
	} else {
		VMOVUPD_Z(from, mask, to)
	}
}

// rest computes the columns that do not fill a block, one vector at a time.
func (c columns) rest(n Register) {
	Label("vectors")
	CMPQ(n, Imm(0))
	JLE(LabelRef("done"))
	// The lowest min(n, 8) bits.
	bits, shift, mask := GP64(), RCX, K()
	MOVQ(n, shift)
	CMPQ(n, Imm(8))
	JLE(LabelRef("few"))
	MOVQ(U32(8), shift)
	Label("few")
	MOVQ(U32(1), bits)
	SHLQ(CL, bits)
	DECQ(bits)
	KMOVW(bits.As32(), mask)
	c.block(1, mask)
	SUBQ(Imm(8), n)
	JMP(LabelRef("vectors"))
	Label("done")
}
