// Command asm writes the assembly of package sq8; see its go:generate line.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, s := range []set{{name: "AVX512", wide: true}, {name: "AVX2"}} {
		s.scores()
	}
	Generate()
}

// set is a set of instructions: one with registers of 512 bits, or of 256.
type set struct {
	name string
	wide bool
}

func (s set) register() VecVirtual {
	if s.wide {
		return ZMM()
	}
	return YMM()
}

func (s set) zero(r VecVirtual) {
	if s.wide {
		VPXORD(r, r, r)
	} else {
		VPXOR(r, r, r)
	}
}

func (s set) load(m Mem, r VecVirtual) {
	if s.wide {
		VMOVDQU32(m, r)
	} else {
		VMOVDQU(m, r)
	}
}

func (s set) store(r VecVirtual, m Mem) {
	if s.wide {
		VMOVDQU32(r, m)
	} else {
		VMOVDQU(r, m)
	}
}

// panel is the number of bytes of 16 rows in a group of four columns, and of their
// norms and scores.
const panel = 64

// scores is norm - 2 (row . code) for all rows of panels. Products of a row's unsigned
// and the code's signed bytes are added in pairs of 16 bits, where two times 127 x 127
// have room, and these in pairs of 32 bits.
func (s set) scores() {
	name := "scores" + s.name
	TEXT(name, NOSPLIT, "func(out *int32, code *int8, groups int, data *uint8, norm *int32, panels int)")
	Pragma("noescape")
	Doc(name + " writes the scores of a positive number of panels for a code of groups of four elements.")
	out, code, groups := Load(Param("out"), GP64()), Load(Param("code"), GP64()), Load(Param("groups"), GP64())
	data, norm, panels := Load(Param("data"), GP64()), Load(Param("norm"), GP64()), Load(Param("panels"), GP64())
	ones := s.register()
	one := XMM()
	word := GP32()
	MOVL(U32(0x00010001), word)
	VMOVD(word, one)
	VPBROADCASTD(one, ones)
	size := GP64()
	MOVQ(groups, size)
	SHLQ(Imm(6), size)

	Label(name + "Pair")
	CMPQ(panels, Imm(2))
	JLT(LabelRef(name + "Last"))
	s.some(name+"Two", 2, out, code, data, norm, size, ones)
	SUBQ(Imm(2), panels)
	JMP(LabelRef(name + "Pair"))
	Label(name + "Last")
	TESTQ(panels, panels)
	JE(LabelRef(name + "Done"))
	s.some(name+"One", 1, out, code, data, norm, size, ones)
	Label(name + "Done")
	VZEROUPPER()
	RET()
}

// some does n panels and moves on behind them.
func (s set) some(name string, n int, out, code, data, norm, size Register, ones VecVirtual) {
	parts := 1
	if !s.wide {
		parts = 2
	}
	acc := make([]VecVirtual, n*parts)
	for i := range acc {
		acc[i] = s.register()
		s.zero(acc[i])
	}
	q, t := s.register(), s.register()
	at, end := GP64(), GP64()
	next := GP64() // the second panel
	k := GP64()
	MOVQ(data, at)
	MOVQ(data, end)
	ADDQ(size, end)
	MOVQ(end, next)
	MOVQ(code, k)
	Label(name)
	VPBROADCASTD(Mem{Base: k}, q)
	for i, a := range acc {
		m := Mem{Base: at}
		if i >= parts {
			m = Mem{Base: next}
		}
		s.load(m.Offset(i%parts*32), t)
		VPMADDUBSW(q, t, t)
		VPMADDWD(ones, t, t)
		VPADDD(t, a, a)
	}
	ADDQ(Imm(4), k)
	ADDQ(Imm(panel), at)
	if n > 1 {
		ADDQ(Imm(panel), next)
	}
	CMPQ(at, end)
	JLT(LabelRef(name))
	if n > 1 {
		MOVQ(next, data)
	} else {
		MOVQ(at, data)
	}
	for i, a := range acc {
		off := i * panel / parts
		VPADDD(a, a, a)
		s.load(Mem{Base: norm, Disp: off}, t)
		VPSUBD(a, t, t)
		s.store(t, Mem{Base: out, Disp: off})
	}
	ADDQ(Imm(uint64(n*panel)), norm)
	ADDQ(Imm(uint64(n*panel)), out)
}
