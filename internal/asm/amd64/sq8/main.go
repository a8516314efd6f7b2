// Command sq8 writes the assembly of package sq8; see its go:generate line.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, s := range asm.Sets {
		set{s}.scores()
	}
	Generate()
}

// set is an instruction set.
type set struct{ asm.Set }

func (s set) load(m Mem, r VecVirtual) {
	if s.Wide {
		VMOVDQU32(m, r)
	} else {
		VMOVDQU(m, r)
	}
}

func (s set) store(r VecVirtual, m Mem) {
	if s.Wide {
		VMOVDQU32(r, m)
	} else {
		VMOVDQU(r, m)
	}
}

// panel is the number of bytes of 16 rows in a group of four columns, and of their
// norms and scores.
const panel = 64

// scores computes norm - 2 (row . code) for all rows of panels. Products of the row's unsigned and
// the code's signed bytes are added in pairs to 16 bits, where two times 127 x 127 fit, and so do
// those of a run; these are then added in pairs to 32 bits.
func (s set) scores() {
	name := "scores" + s.Name
	TEXT(name, NOSPLIT, "func(out *int32, code *int8, runs *uint8, groups int, data *uint8, norm *int32, panels int)")
	Pragma("noescape")
	Doc(name + " writes the scores of a positive number of panels for a code of groups of four elements, in runs.")
	out, code, groups := Load(Param("out"), GP64()), Load(Param("code"), GP64()), Load(Param("groups"), GP64())
	runs := Load(Param("runs"), GP64())
	data, norm, panels := Load(Param("data"), GP64()), Load(Param("norm"), GP64()), Load(Param("panels"), GP64())
	ones := s.Register()
	one := XMM()
	word := GP32()
	MOVL(U32(0x00010001), word)
	VMOVD(word, one)
	VPBROADCASTD(one, ones)
	size := GP64()
	MOVQ(groups, size)
	SHLQ(Imm(6), size)
	run := GP32()
	MOVBLZX(Mem{Base: runs}, run)
	CMPQ(groups, run.As64())
	JNE(LabelRef(name + "Pair"))
	triple := GP64()
	LEAQ(Mem{Base: size, Index: size, Scale: 2}, triple)
	Label(name + "Four")
	CMPQ(panels, Imm(4))
	JLT(LabelRef(name + "Pair"))
	s.four(name+"Groups", out, code, groups, data, norm, size, triple, ones)
	SUBQ(Imm(4), panels)
	JMP(LabelRef(name + "Four"))

	Label(name + "Pair")
	CMPQ(panels, Imm(2))
	JLT(LabelRef(name + "Last"))
	s.some(name+"Two", 2, out, code, runs, data, norm, size, ones)
	SUBQ(Imm(2), panels)
	JMP(LabelRef(name + "Pair"))
	Label(name + "Last")
	TESTQ(panels, panels)
	JE(LabelRef(name + "Done"))
	s.some(name+"One", 1, out, code, runs, data, norm, size, ones)
	Label(name + "Done")
	VZEROUPPER()
	RET()
}

// parts is the number of registers that 16 rows take.
func (s set) parts() int {
	if s.Wide {
		return 1
	}
	return 2
}

// four processes four panels in one run and advances beyond them.
func (s set) four(name string, out, code, groups, data, norm, size, triple Register, ones VecVirtual) {
	parts := s.parts()
	sums := make([]VecVirtual, 4*parts)
	for i := range sums {
		sums[i] = s.Register()
		s.Zero(sums[i])
	}
	q, t := s.Register(), s.Register()
	k, left := GP64(), GP64()
	MOVQ(code, k)
	MOVQ(groups, left)
	Label(name)
	VPBROADCASTD(Mem{Base: k}, q)
	for i, a := range sums {
		m := []Mem{{Base: data}, {Base: data, Index: size, Scale: 1}, {Base: data, Index: size, Scale: 2}, {Base: data, Index: triple, Scale: 1}}[i/parts]
		s.product(m.Offset(i%parts*32), q, t, a)
	}
	ADDQ(Imm(4), k)
	ADDQ(Imm(panel), data)
	DECQ(left)
	JNE(LabelRef(name))
	ADDQ(triple, data)
	for _, a := range sums {
		VPMADDWD(ones, a, a)
	}
	s.finish(sums, t, norm, out)
}

// product adds the products of a group of four columns to sums of 16 bits.
func (s set) product(m Mem, q, t, sum VecVirtual) {
	s.load(m, t)
	VPMADDUBSW(q, t, t)
	VPADDW(t, sum, sum)
}

// finish writes norm - 2 sum and advances.
func (s set) finish(sums []VecVirtual, t VecVirtual, norm, out Register) {
	size := panel / s.parts()
	for i, a := range sums {
		VPADDD(a, a, a)
		s.load(Mem{Base: norm, Disp: i * size}, t)
		VPSUBD(a, t, t)
		s.store(t, Mem{Base: out, Disp: i * size})
	}
	ADDQ(U32(len(sums)*size), norm)
	ADDQ(U32(len(sums)*size), out)
}

// some processes n panels and advances beyond them.
func (s set) some(name string, n int, out, code, runs, data, norm, size Register, ones VecVirtual) {
	parts := s.parts()
	acc, short := make([]VecVirtual, n*parts), make([]VecVirtual, n*parts)
	for i := range acc {
		acc[i], short[i] = s.Register(), s.Register()
		s.Zero(acc[i])
	}
	q, t := s.Register(), s.Register()
	at, end := GP64(), GP64()
	next := GP64() // the second panel
	k, run, left := GP64(), GP64(), GP64()
	MOVQ(data, at)
	MOVQ(data, end)
	ADDQ(size, end)
	MOVQ(end, next)
	MOVQ(code, k)
	MOVQ(runs, run)
	Label(name)
	for _, a := range short {
		s.Zero(a)
	}
	MOVBLZX(Mem{Base: run}, left.As32())
	INCQ(run)
	Label(name + "Run")
	VPBROADCASTD(Mem{Base: k}, q)
	for i, a := range short {
		m := Mem{Base: at}
		if i >= parts {
			m = Mem{Base: next}
		}
		s.product(m.Offset(i%parts*32), q, t, a)
	}
	ADDQ(Imm(4), k)
	ADDQ(Imm(panel), at)
	if n > 1 {
		ADDQ(Imm(panel), next)
	}
	DECQ(left)
	JNE(LabelRef(name + "Run"))
	for i, a := range short {
		VPMADDWD(ones, a, a)
		VPADDD(a, acc[i], acc[i])
	}
	CMPQ(at, end)
	JLT(LabelRef(name))
	if n > 1 {
		MOVQ(next, data)
	} else {
		MOVQ(at, data)
	}
	s.finish(acc, t, norm, out)
}
