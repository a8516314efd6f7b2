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
		s.scoresOfTwo()
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

// ones are words of 1.
func (s set) ones() VecVirtual {
	ones, one, word := s.register(), XMM(), GP32()
	MOVL(U32(0x00010001), word)
	VMOVD(word, one)
	VPBROADCASTD(one, ones)
	return ones
}

// panel is the number of bytes of 16 rows in a group of four columns, and of their
// norms and scores.
const panel = 64

// scores is norm - 2 (row . code) for all rows of panels. Products of a row's unsigned
// and the code's signed bytes are added in pairs of 16 bits, where two times 127 x 127
// have room, those of a run as well, and these in pairs of 32 bits.
func (s set) scores() {
	name := "scores" + s.name
	TEXT(name, NOSPLIT, "func(out *int32, code *int8, runs *uint8, groups int, data *uint8, norm *int32, panels int)")
	Pragma("noescape")
	Doc(name + " writes the scores of a positive number of panels for a code of groups of four elements, in runs.")
	out, code, groups := Load(Param("out"), GP64()), Load(Param("code"), GP64()), Load(Param("groups"), GP64())
	runs := Load(Param("runs"), GP64())
	data, norm, panels := Load(Param("data"), GP64()), Load(Param("norm"), GP64()), Load(Param("panels"), GP64())
	ones := s.ones()
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

// scoresOfTwo is scores for two codes in one run each, which share what is read of the rows, two panels at
// a time.
func (s set) scoresOfTwo() {
	name := "scoresOfTwo" + s.name
	TEXT(name, NOSPLIT, "func(out1, out2 *int32, code1, code2 *int8, groups int, data *uint8, norm *int32, pairs int)")
	Pragma("noescape")
	Doc(name + " writes the scores of a positive number of pairs of panels for two codes of groups of four elements.")
	out := [2]Register{Load(Param("out1"), GP64()), Load(Param("out2"), GP64())}
	code := [2]Register{Load(Param("code1"), GP64()), Load(Param("code2"), GP64())}
	data, norm, pairs := Load(Param("data"), GP64()), Load(Param("norm"), GP64()), Load(Param("pairs"), GP64())
	ones := s.ones()
	size, next, at := GP64(), GP64(), GP64()
	groups := Load(Param("groups"), GP64()) // their bytes in a code
	MOVQ(groups, size)
	SHLQ(Imm(6), size)
	SHLQ(Imm(2), groups)
	parts := s.parts()
	var sums [2][]VecVirtual
	for c := range sums {
		for range 2 * parts {
			sums[c] = append(sums[c], s.register())
		}
	}
	Label(name + "Pairs")
	for _, of := range sums {
		for _, a := range of {
			s.zero(a)
		}
	}
	LEAQ(Mem{Base: data, Index: size, Scale: 1}, next)
	XORQ(at, at)
	Label(name + "Groups")
	q := [2]VecVirtual{s.register(), s.register()}
	for c := range q {
		VPBROADCASTD(Mem{Base: code[c], Index: at, Scale: 1}, q[c])
	}
	t, product := s.register(), s.register()
	for i := range 2 * parts {
		m := Mem{Base: data}
		if i >= parts {
			m = Mem{Base: next}
		}
		s.load(m.Offset(i%parts*32), t)
		for c := range q {
			VPMADDUBSW(q[c], t, product)
			VPADDW(product, sums[c][i], sums[c][i])
		}
	}
	ADDQ(Imm(4), at)
	ADDQ(Imm(panel), data)
	ADDQ(Imm(panel), next)
	CMPQ(at, groups)
	JLT(LabelRef(name + "Groups"))
	MOVQ(next, data)
	for c, of := range sums {
		for i, a := range of {
			VPMADDWD(ones, a, a)
			s.write(a, t, Mem{Base: norm, Disp: i * panel / parts}, Mem{Base: out[c], Disp: i * panel / parts})
		}
		ADDQ(Imm(2*panel), out[c])
	}
	ADDQ(Imm(2*panel), norm)
	DECQ(pairs)
	JNE(LabelRef(name + "Pairs"))
	VZEROUPPER()
	RET()
}

// parts is the number of registers that 16 rows take.
func (s set) parts() int {
	if s.wide {
		return 1
	}
	return 2
}

// four does four panels in one run and moves on behind them.
func (s set) four(name string, out, code, groups, data, norm, size, triple Register, ones VecVirtual) {
	parts := s.parts()
	sums := make([]VecVirtual, 4*parts)
	for i := range sums {
		sums[i] = s.register()
		s.zero(sums[i])
	}
	q, t := s.register(), s.register()
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

// write writes norm - 2 sum.
func (s set) write(sum, t VecVirtual, norm, out Mem) {
	VPADDD(sum, sum, sum)
	s.load(norm, t)
	VPSUBD(sum, t, t)
	s.store(t, out)
}

// finish writes norm - 2 sum of all and moves on behind.
func (s set) finish(sums []VecVirtual, t VecVirtual, norm, out Register) {
	size := panel / s.parts()
	for i, a := range sums {
		s.write(a, t, Mem{Base: norm, Disp: i * size}, Mem{Base: out, Disp: i * size})
	}
	ADDQ(U32(len(sums)*size), norm)
	ADDQ(U32(len(sums)*size), out)
}

// some does n panels and moves on behind them.
func (s set) some(name string, n int, out, code, runs, data, norm, size Register, ones VecVirtual) {
	parts := s.parts()
	acc, short := make([]VecVirtual, n*parts), make([]VecVirtual, n*parts)
	for i := range acc {
		acc[i], short[i] = s.register(), s.register()
		s.zero(acc[i])
	}
	q, t := s.register(), s.register()
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
		s.zero(a)
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
