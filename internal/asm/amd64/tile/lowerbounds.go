package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm"
)

const lowerBoundsSignature = "(dst *int32, stride int, a, aStart, b, bStart *float32, depth, panels int)"

// lowerBoundsArgs are the arguments of the kernel for lower bounds. Line r of the output, stride
// bytes after the one before, is addressed from dst and, from the fifth on, from upper.
type lowerBoundsArgs struct {
	dst, upper, stride, third Register
	a, aStart, b, bStart      Register
	panels                    Register
}

func loadLowerBoundsArgs(rows int) lowerBoundsArgs {
	s := lowerBoundsArgs{dst: asm.Arg("dst"), stride: asm.Arg("stride"), a: asm.Arg("a"), aStart: asm.Arg("aStart"), b: asm.Arg("b"), bStart: asm.Arg("bStart"), panels: asm.Arg("panels")}
	SHLQ(Imm(2), s.stride)
	if rows > 1 {
		s.third, s.upper = GP64(), GP64()
		LEAQ(Mem{Base: s.stride, Index: s.stride, Scale: 2}, s.third)
		LEAQ(Mem{Base: s.dst, Index: s.stride, Scale: 4}, s.upper)
	}
	return s
}

// line is the address of line r of a panel.
func (s lowerBoundsArgs) line(r, disp int) Mem {
	base := s.dst
	if r >= 4 {
		base = s.upper
	}
	switch r % 4 {
	case 1:
		return Mem{Base: base, Index: s.stride, Scale: 1, Disp: disp}
	case 2:
		return Mem{Base: base, Index: s.stride, Scale: 2, Disp: disp}
	case 3:
		return Mem{Base: base, Index: s.third, Scale: 1, Disp: disp}
	}
	return Mem{Base: base, Disp: disp}
}

// nextPanel advances all pointers except b by one panel of b.
func (s lowerBoundsArgs) nextPanel() {
	ADDQ(Imm(step), s.dst)
	if s.upper != nil {
		ADDQ(Imm(step), s.upper)
	}
	ADDQ(Imm(step), s.bStart)
	DECQ(s.panels)
}

func lowerBoundsAVX512(rows int) {
	asm.Begin(fmt.Sprintf("lowerBounds%dAVX512", rows), lowerBoundsSignature,
		fmt.Sprintf("lowerBounds%dAVX512 is lowerBoundsGeneric with a left side of height %d.", rows, rows))
	s := loadLowerBoundsArgs(rows)
	acc, zero, cursor := asm.Registers(3*rows, ZMM), ZMM(), GP64()
	VPXORD(zero, zero, zero)
	Label("panel")
	col := asm.Registers(3, ZMM)
	for v := range col {
		VSUBPS(asm.At(s.bStart, 64*v), zero, col[v])
		for r := range rows {
			VSUBPS_BCST(asm.At(s.aStart, 4*r), col[v], acc[3*r+v])
		}
	}
	MOVQ(s.a, cursor)
	multiplyAVX512("depth", VFNMADD231PS, rows, cursor, s.b, asm.Arg("depth"), acc)
	for i, sum := range acc {
		VMAXPS(zero, sum, sum)
		VMOVUPS(sum, s.line(i/3, 64*(i%3)))
	}
	s.nextPanel()
	JNZ(LabelRef("panel"))
	VZEROUPPER()
	RET()
}

func lowerBoundsAVX2() {
	asm.Begin("lowerBounds8AVX2", lowerBoundsSignature, "lowerBounds8AVX2 is lowerBoundsGeneric with a left side of height 8.")
	s := loadLowerBoundsArgs(height)
	Label("panel")
	ca, cb := GP64(), GP64()
	quarters(func(part string, row, vector int) {
		acc, col, x := asm.Registers(3*half2, YMM), asm.Registers(3, YMM), YMM()
		for v := range col {
			VXORPS(x, x, x)
			VSUBPS(asm.At(s.bStart, 32*(vector+v)), x, col[v])
		}
		for r := range half2 {
			VBROADCASTSS(asm.At(s.aStart, 4*(row+r)), x)
			for v := range col {
				VSUBPS(x, col[v], acc[3*r+v])
			}
		}
		MOVQ(s.a, ca)
		MOVQ(s.b, cb)
		multiplyAVX2("depth"+part, VFNMADD231PS, ca, cb, asm.Arg("depth"), 4*row, 32*vector, acc, col, x)
		VXORPS(x, x, x)
		for i, sum := range acc {
			VMAXPS(x, sum, sum)
			VMOVUPS(sum, s.line(row+i/3, 32*(vector+i%3)))
		}
	})
	bytes := asm.Arg("depth")
	IMUL3Q(Imm(step), bytes, bytes)
	ADDQ(bytes, s.b)
	s.nextPanel()
	JNZ(LabelRef("panel"))
	VZEROUPPER()
	RET()
}

func lowerBoundsRowAVX2() {
	asm.Begin("lowerBounds1AVX2", lowerBoundsSignature, "lowerBounds1AVX2 is lowerBoundsGeneric with a left side of height 1.")
	s := loadLowerBoundsArgs(1)
	acc, x, start, zero := asm.Registers(6, YMM), YMM(), YMM(), YMM()
	VXORPS(zero, zero, zero)
	VBROADCASTSS(asm.At(s.aStart, 0), start)
	Label("panel")
	for v := range acc {
		VSUBPS(asm.At(s.bStart, 32*v), zero, acc[v])
		VSUBPS(start, acc[v], acc[v])
	}
	cursor, left := GP64(), asm.Arg("depth")
	MOVQ(s.a, cursor)
	Label("depth")
	VBROADCASTSS(asm.At(cursor, 0), x)
	for v := range acc {
		VFNMADD231PS(asm.At(s.b, 32*v), x, acc[v])
	}
	ADDQ(Imm(step), cursor)
	ADDQ(Imm(step), s.b)
	DECQ(left)
	JNZ(LabelRef("depth"))
	for v, sum := range acc {
		VMAXPS(zero, sum, sum)
		VMOVUPS(sum, s.line(0, 32*v))
	}
	s.nextPanel()
	JNZ(LabelRef("panel"))
	VZEROUPPER()
	RET()
}
