package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm"
)

// lines is the number of vectors of the left side that narrow kernels multiply at a time.
const lines = 4

// narrow is an instruction set without VPDPBUSD.
type narrow struct {
	name     string
	register func() VecVirtual
	size     int // bytes of a register
	cols     int // registers of a panel at a time
	sums     Mem // of AVX2, which has too few registers for them
	wide     []VecVirtual
	ones     VecVirtual
}

func (s *narrow) load(m Mem, r VecVirtual) {
	if s.size == 64 {
		VMOVDQU32(m, r)
	} else {
		VMOVDQU(m, r)
	}
}

func (s *narrow) store(r VecVirtual, m Mem) {
	if s.size == 64 {
		VMOVDQU32(r, m)
	} else {
		VMOVDQU(r, m)
	}
}

// begin sets 1 in all places of 16 bits, and makes room for sums.
func (s *narrow) begin() {
	if s.size == 64 {
		s.wide = asm.Registers(lines*s.cols, s.register)
	} else {
		s.sums = AllocLocal(lines * s.cols * s.size)
	}
	s.ones = s.register()
	word, one := GP32(), XMM()
	MOVL(U32(0x00010001), word)
	VMOVD(word, one)
	VPBROADCASTD(one, s.ones)
}

// sum is the place of a sum in memory.
func (s *narrow) sum(i int) Mem { return s.sums.Offset(s.size * i) }

// args are the arguments of narrow kernels that stay in registers.
type narrowArgs struct {
	a, aStart, b, bStart, pairs, run Register
}

// block sets sums of lines from the given one, and of the registers of a panel from the given one,
// to the starts plus the products, and returns their registers.
//
// Products are added in pairs to 16 bits, in which those of a run fit, and then to 32 bits.
func (s *narrow) block(p narrowArgs, line, from int, scratch Register) []VecVirtual {
	label := fmt.Sprintf("L%dC%d", line, from)
	part, col := asm.Registers(lines*s.cols, s.register), asm.Registers(s.cols, s.register)
	x, product := s.register(), s.register()
	for r := range lines {
		VPBROADCASTD(asm.At(p.aStart, 4*(line+r)), x)
		for c := range s.cols {
			i, start := r*s.cols+c, asm.At(p.bStart, s.size*(from+c))
			if s.wide != nil {
				VPADDD(start, x, s.wide[i])
				continue
			}
			VPADDD(start, x, product)
			s.store(product, s.sum(i))
		}
	}
	a, b, left, now := GP64(), GP64(), GP64(), scratch
	LEAQ(asm.At(p.a, 4*line), a)
	LEAQ(asm.At(p.b, s.size*from), b)
	MOVQ(p.pairs, left)
	Label("run" + label)
	MOVQ(p.run, now)
	CMPQ(left, now)
	CMOVQLT(left, now)
	SUBQ(now, left)
	pair := func(first bool) {
		for g := range 2 {
			for c := range col {
				s.load(asm.At(b, step*g+s.size*c), col[c])
			}
			for r := range lines {
				VPBROADCASTD(asm.At(a, 4*height*g+4*r), x)
				for c := range col {
					if i := r*s.cols + c; first && g == 0 {
						VPMADDUBSW(x, col[c], part[i])
					} else {
						VPMADDUBSW(x, col[c], product)
						VPADDW(product, part[i], part[i])
					}
				}
			}
		}
		ADDQ(Imm(2*4*height), a)
		ADDQ(U32(2*step), b)
		DECQ(now)
	}
	pair(true)
	JZ(LabelRef("sum" + label))
	Label("pair" + label)
	pair(false)
	JNZ(LabelRef("pair" + label))
	Label("sum" + label)
	for i := range part {
		VPMADDWD(s.ones, part[i], part[i])
		if s.wide != nil {
			VPADDD(part[i], s.wide[i], s.wide[i])
			continue
		}
		VPADDD(s.sum(i), part[i], part[i])
		s.store(part[i], s.sum(i))
	}
	TESTQ(left, left)
	JNZ(LabelRef("run" + label))
	if s.wide != nil {
		return s.wide
	}
	return part
}

// blocks calls f for every block of a left side and a panel.
func (s *narrow) blocks(f func(line, from int)) {
	for from := 0; from < 4*width/s.size; from += s.cols {
		for line := 0; line < height; line += lines {
			f(line, from)
		}
	}
}

// scan compares all pairs with their thresholds.
func (s *narrow) scan() {
	asm.Begin("scan"+s.name, "(mask *uint64, a *uint8, aStart, aLeast *int32, b *uint8, bStart, bLeast *int32, pairs, run, panels int)",
		"scan"+s.name+" is scanGeneric for codes of which a run of pairs of groups fits in 16 bits.")
	mask, aLeast, bLeast, panels := asm.Arg("mask"), asm.Arg("aLeast"), asm.Arg("bLeast"), asm.Arg("panels")
	p := narrowArgs{asm.Arg("a"), asm.Arg("aStart"), asm.Arg("b"), asm.Arg("bStart"), asm.Arg("pairs"), asm.Arg("run")}
	s.begin()
	Label("panel")
	bits := GP64()
	s.blocks(func(line, from int) {
		sums := s.block(p, line, from, bits)
		least, low := s.register(), s.register()
		for r := range lines {
			at := 8 * (line + r)
			VPBROADCASTD(asm.At(aLeast, 4*(line+r)), least)
			for c := range s.cols {
				x := sums[r*s.cols+c]
				VPMINSD(asm.At(bLeast, s.size*(from+c)), least, low)
				if s.wide != nil {
					pass := K()
					VPCMPD(Imm(ge), low, x, pass)
					KMOVW(pass, asm.At(mask, at+2*(from+c)))
					continue
				}
				VPCMPGTD(x, low, low)
				VMOVMSKPS(low, bits.(GP).As32())
				NOTL(bits.(GP).As32())
				MOVB(bits.(GP).As8(), asm.At(mask, at+from+c))
			}
			if from == 0 {
				MOVW(U16(0), asm.At(mask, at+6))
			}
		}
	})
	MOVQ(p.pairs, bits)
	IMUL3Q(U32(2*step), bits, bits)
	ADDQ(bits, p.b)
	ADDQ(Imm(8*height), mask)
	ADDQ(Imm(step), p.bStart)
	ADDQ(Imm(step), bLeast)
	DECQ(panels)
	JNZ(LabelRef("panel"))
	VZEROUPPER()
	RET()
}

// bounds stores minus all sums that are negative, and 0 for others.
func (s *narrow) bounds() {
	asm.Begin("bounds"+s.name, "(dst *int32, stride int, a *uint8, aStart *int32, b *uint8, bStart *int32, pairs, run, panels int)",
		"bounds"+s.name+" is boundsGeneric for codes of which a run of pairs of groups fits in 16 bits.")
	dst, stride, panels := asm.Arg("dst"), asm.Arg("stride"), asm.Arg("panels")
	p := narrowArgs{asm.Arg("a"), asm.Arg("aStart"), asm.Arg("b"), asm.Arg("bStart"), asm.Arg("pairs"), asm.Arg("run")}
	SHLQ(Imm(2), stride)
	s.begin()
	Label("panel")
	line := GP64()
	s.blocks(func(first, from int) {
		sums := s.block(p, first, from, line)
		zero := s.register()
		if s.wide != nil {
			VPXORD(zero, zero, zero)
		} else {
			VPXOR(zero, zero, zero)
		}
		MOVQ(stride, line)
		IMUL3Q(U32(uint32(first)), line, line)
		ADDQ(dst, line)
		for r := range lines {
			for c := range s.cols {
				x := sums[r*s.cols+c]
				VPSUBD(x, zero, x)
				VPMAXSD(zero, x, x)
				s.store(x, asm.At(line, s.size*(from+c)))
			}
			ADDQ(stride, line)
		}
	})
	MOVQ(p.pairs, line)
	IMUL3Q(U32(2*step), line, line)
	ADDQ(line, p.b)
	ADDQ(Imm(step), dst)
	ADDQ(Imm(step), p.bStart)
	DECQ(panels)
	JNZ(LabelRef("panel"))
	VZEROUPPER()
	RET()
}
