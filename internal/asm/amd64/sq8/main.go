// Command sq8 writes the assembly of package sq8; see its go:generate line.
package main

import (
	"fmt"
	"math"

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
	dots()
	round()
	runs()
	Generate()
}

// set is an instruction set.
type set struct{ asm.Set }

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
	s.Load(m, t)
	VPMADDUBSW(q, t, t)
	VPADDW(t, sum, sum)
}

// finish writes norm - 2 sum and advances.
func (s set) finish(sums []VecVirtual, t VecVirtual, norm, out Register) {
	size := panel / s.parts()
	for i, a := range sums {
		VPADDD(a, a, a)
		s.Load(Mem{Base: norm, Disp: i * size}, t)
		VPSUBD(a, t, t)
		s.Store(t, Mem{Base: out, Disp: i * size})
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

// dots computes scores with an instruction that adds products to 32 bits at once.
func dots() {
	const name = "scoresDotAVX512"
	asm.Begin(name, "(out *int32, code *int8, groups int, data *uint8, norm *int32, panels int)",
		name+" is scoresAVX512 without runs; it needs VNNI.")
	s := set{asm.Sets[0]}
	out, code, groups := asm.Arg("out"), asm.Arg("code"), asm.Arg("groups")
	data, norm, panels := asm.Arg("data"), asm.Arg("norm"), asm.Arg("panels")
	size, triple, more := GP64(), GP64(), GP64()
	MOVQ(groups, size)
	SHLQ(Imm(6), size)
	LEAQ(Mem{Base: size, Index: size, Scale: 2}, triple)
	k, left := GP64(), GP64()
	q, t := s.Register(), s.Register()
	for n := 8; n > 0; n /= 2 {
		part := fmt.Sprintf("dotsOf%d", n)
		Label(part)
		CMPQ(panels, Imm(uint64(n)))
		JLT(LabelRef(part + "Done"))
		sums := make([]VecVirtual, n)
		for i := range sums {
			sums[i] = s.Register()
			s.Zero(sums[i])
		}
		MOVQ(code, k)
		MOVQ(groups, left)
		LEAQ(Mem{Base: data, Index: size, Scale: 4}, more)
		Label(part + "Next")
		VPBROADCASTD(Mem{Base: k}, q)
		for i, a := range sums {
			m := []Mem{{Base: data}, {Base: data, Index: size, Scale: 1}, {Base: data, Index: size, Scale: 2}, {Base: data, Index: triple, Scale: 1}}[i%4]
			if i >= 4 {
				m.Base = more
			}
			s.Load(m, t)
			asm.Dot(q, t, a)
		}
		ADDQ(Imm(4), k)
		ADDQ(Imm(panel), data)
		ADDQ(Imm(panel), more)
		DECQ(left)
		JNE(LabelRef(part + "Next"))
		switch n {
		case 8:
			LEAQ(Mem{Base: more, Index: triple, Scale: 1}, data)
		case 4:
			ADDQ(triple, data)
		case 2:
			ADDQ(size, data)
		}
		s.finish(sums, t, norm, out)
		SUBQ(Imm(uint64(n)), panels)
		JMP(LabelRef(part))
		Label(part + "Done")
	}
	VZEROUPPER()
	RET()
}

// lanes is the number of columns that are rounded at a time.
const lanes = 8

// round rounds columns to codes.
func round() {
	asm.Begin("roundAVX2", "(code *int8, x, center *float32, reach *uint8, per float32, eights int) (widest uint32, sum int32)",
		"roundAVX2 is roundTwin for a positive number of times eight columns.")
	to, x, center, reach, left := asm.Arg("code"), asm.Arg("x"), asm.Arg("center"), asm.Arg("reach"), asm.Arg("eights")
	per, shift, unsigned, low := YMM(), YMM(), YMM(), YMM()
	VBROADCASTSS(argument("per"), per)
	broadcast := func(bits uint32, to VecVirtual) {
		r, one := GP32(), XMM()
		MOVL(U32(bits), r)
		VMOVD(r, one)
		VPBROADCASTD(one, to)
	}
	broadcast(math.Float32bits(1.5*(1<<23)), shift) // adding this rounds
	broadcast(1<<31-1, unsigned)
	broadcast(1<<16-1, low)
	widest, sum := YMM(), YMM()
	VPXOR(widest, widest, widest)
	VPXOR(sum, sum, sum)
	v, t, r := YMM(), YMM(), YMM()
	Label("roundLoop")
	VMOVUPS(Mem{Base: x}, v)
	VSUBPS(Mem{Base: center}, v, v)
	VMULPS(per, v, v)
	VADDPS(shift, v, v)
	VSUBPS(shift, v, v)
	VPAND(unsigned, v, t)
	VPMAXUD(t, widest, widest)
	VCVTTPS2DQ(v, v)
	Comment("Both factors of code (code + 2 reach) fit in 16 bits.")
	VPMOVZXBD(Mem{Base: reach}, r)
	VPADDD(r, r, r)
	VPADDD(v, r, r)
	VPAND(low, v, t)
	VPMADDWD(t, r, r)
	VPADDD(r, sum, sum)
	up, x0 := XMM(), XMM()
	VEXTRACTI128(Imm(1), v, up)
	VPACKSSDW(up, v.AsX(), x0)
	VPACKSSWB(x0, x0, x0)
	VMOVQ(x0, Mem{Base: to})
	ADDQ(Imm(4*lanes), x)
	ADDQ(Imm(4*lanes), center)
	ADDQ(Imm(lanes), reach)
	ADDQ(Imm(lanes), to)
	DECQ(left)
	JNE(LabelRef("roundLoop"))
	for _, all := range []struct {
		of   VecVirtual
		join func(ops ...Op)
		to   int
	}{{widest, VPMAXUD, 0}, {sum, VPADDD, 1}} {
		half, other, n := XMM(), XMM(), GP32()
		VEXTRACTI128(Imm(1), all.of, half)
		all.join(all.of.AsX(), half, half)
		for _, turn := range []uint64{0b01001110, 0b10110001} {
			VPSHUFD(Imm(turn), half, other)
			all.join(other, half, half)
		}
		VMOVD(half, n)
		Store(n, ReturnIndex(all.to))
	}
	VZEROUPPER()
	RET()
}

// runs finds the runs of a code: the sums of positive and of negative products, for either two columns
// of a group, are in four lanes.
func runs() {
	asm.Begin("runsAVX2", "(runs *uint8, code *int8, reach *uint8, groups int) int",
		"runsAVX2 is runsTwin: it writes the runs of a positive number of groups and returns how many there are.")
	to, code, reach, left := asm.Arg("runs"), asm.Arg("code"), asm.Arg("reach"), asm.Arg("groups")
	first, length := GP64(), GP64()
	MOVQ(to, first)
	XORQ(length, length)
	sums, more, top, zero := XMM(), XMM(), XMM(), XMM()
	r := GP32()
	MOVL(U32(1<<15-1), r)
	VMOVD(r, top)
	VPBROADCASTD(top, top)
	VPXOR(zero, zero, zero)
	VPXOR(sums, sums, sums)
	c, negative, over := XMM(), XMM(), XMM()
	Label("runsLoop")
	VPMOVSXBD(Mem{Base: code}, c)
	VPMOVZXBD(Mem{Base: reach}, more)
	VPADDD(more, more, more)
	VPMULLD(more, c, c)
	VPMAXSD(zero, c, more)
	VPSUBD(c, more, negative)
	VPHADDD(negative, more, more)
	VPADDD(more, sums, sums)
	VPCMPGTD(top, sums, over)
	VMOVMSKPS(over, r)
	CMPQ(length, U32(255))
	JE(LabelRef("runsNext"))
	TESTL(r, r)
	JE(LabelRef("runsSame"))
	Label("runsNext")
	MOVB(length.As8(), Mem{Base: to})
	INCQ(to)
	XORQ(length, length)
	VMOVDQA(more, sums)
	Label("runsSame")
	INCQ(length)
	ADDQ(Imm(4), code)
	ADDQ(Imm(4), reach)
	DECQ(left)
	JNE(LabelRef("runsLoop"))
	MOVB(length.As8(), Mem{Base: to})
	INCQ(to)
	SUBQ(first, to)
	Store(to, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// argument returns a parameter as a stack operand.
func argument(name string) Op {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}
