// Command tile writes the vector kernels of package tile; see its go:generate line.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm"
)

// These are the sizes of a panel, as in package tile.
const (
	width  = 48
	height = 8
	step   = 4 * width // bytes from one dimension of a panel to the next
	ge     = 0x1d      // VCMPPS: greater or equal, false for NaN, no signal
	notGE  = 0x19      // the opposite
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, rows := range []int{height, 1} {
		scanAVX512(rows)
		lowerBoundsAVX512(rows)
	}
	addAVX512()
	peak("AVX512", 24, 16, ZMM, VPXORD)
	scanAVX2()
	scanRowAVX2()
	lowerBoundsAVX2()
	lowerBoundsRowAVX2()
	addAVX2()
	peak("AVX2", 12, 8, YMM, VXORPS)
	for _, rows := range []int{tall, short} {
		orderedAVX512(rows)
		orderedAVX2(rows)
	}
	orderedOneAVX512()
	orderedOneAVX2()
	Generate()
}

const scanSignature = "(mask *uint64, a, aStart, aTail, aLeast, b, bStart, bTail, bLeast *float32, prefix, rest, panels int)"

// scanArgs are the arguments of the scanning kernels that stay in registers.
type scanArgs struct {
	mask, a, aStart, aLeast, b, bStart, bTail, bLeast, panels Register
}

func loadScanArgs() scanArgs {
	return scanArgs{asm.Arg("mask"), asm.Arg("a"), asm.Arg("aStart"), asm.Arg("aLeast"), asm.Arg("b"), asm.Arg("bStart"), asm.Arg("bTail"), asm.Arg("bLeast"), asm.Arg("panels")}
}

// nextPanel advances all pointers except b by one panel of b.
func (s scanArgs) nextPanel(rows int) {
	ADDQ(Imm(uint64(8*rows)), s.mask)
	ADDQ(Imm(step), s.bStart)
	ADDQ(Imm(step), s.bTail)
	ADDQ(Imm(step), s.bLeast)
	DECQ(s.panels)
}

// multiplyAVX512 adds rows x width products to acc, left times, by fma: VFMADD231PS, or
// VFNMADD231PS for their negatives. It advances a and b.
func multiplyAVX512(label string, fma func(...Op), rows int, a, b, left Register, acc []VecVirtual) {
	col, row := asm.Registers(3, ZMM), asm.Registers(min(rows, 5), ZMM)
	Label(label)
	for v := range col {
		VMOVUPS(asm.At(b, 64*v), col[v])
	}
	for r := range rows {
		x := row[r%len(row)]
		VBROADCASTSS(asm.At(a, 4*r), x)
		for v := range col {
			fma(col[v], x, acc[3*r+v])
		}
	}
	ADDQ(Imm(step), a)
	ADDQ(Imm(step), b)
	DECQ(left)
	JNZ(LabelRef(label))
}

func scanAVX512(rows int) {
	asm.Begin(fmt.Sprintf("scan%dAVX512", rows), scanSignature,
		fmt.Sprintf("scan%dAVX512 is scan with a left side of height %d.", rows, rows))
	s := loadScanArgs()
	acc := asm.Registers(3*rows, ZMM)
	cursor := GP64()
	Label("panel")
	col := asm.Registers(3, ZMM)
	for v := range col {
		VMOVUPS(asm.At(s.bStart, 64*v), col[v])
		for r := range rows {
			VADDPS_BCST(asm.At(s.aStart, 4*r), col[v], acc[3*r+v])
		}
	}
	MOVQ(s.a, cursor)
	prefix := asm.Arg("prefix")
	TESTQ(prefix, prefix)
	JZ(LabelRef("rest"))
	multiplyAVX512("first", VFMADD231PS, rows, cursor, s.b, prefix, acc)
	hopelessAVX512(rows, s, acc)
	JC(LabelRef("hopeless"))
	Label("rest")
	multiplyAVX512("second", VFMADD231PS, rows, cursor, s.b, asm.Arg("rest"), acc)
	least, low := asm.Registers(3, ZMM), asm.Registers(3, ZMM)
	for v := range least {
		VMOVUPS(asm.At(s.bLeast, 64*v), least[v])
	}
	for r := range rows {
		for v := range least {
			pass := K()
			VMINPS_BCST(asm.At(s.aLeast, 4*r), least[v], low[v])
			VCMPPS(Imm(ge), low[v], acc[3*r+v], pass)
			KMOVW(pass, asm.At(s.mask, 8*r+2*v))
		}
		MOVW(U16(0), asm.At(s.mask, 8*r+6))
	}
	Label("next")
	s.nextPanel(rows)
	JNZ(LabelRef("panel"))
	VZEROUPPER()
	RET()
	Label("hopeless")
	for r := range rows {
		MOVQ(I32(0), asm.At(s.mask, 8*r))
	}
	skip := asm.Arg("rest")
	IMUL3Q(Imm(step), skip, skip)
	ADDQ(skip, s.b)
	JMP(LabelRef("next"))
}

// hopelessAVX512 sets the carry if no sum reaches its bound even with the
// largest product that the rest of the dimensions can have.
func hopelessAVX512(rows int, s scanArgs, acc []VecVirtual) {
	aTail := asm.Arg("aTail")
	tail, least, sum, low := asm.Registers(3, ZMM), asm.Registers(3, ZMM), ZMM(), ZMM()
	fail := []Register{K(), K(), K()}
	for v := range tail {
		VMOVUPS(asm.At(s.bTail, 64*v), tail[v])
		VMOVUPS(asm.At(s.bLeast, 64*v), least[v])
		KXNORW(fail[v], fail[v], fail[v])
	}
	for r := range rows {
		for v := range tail {
			VADDPS(acc[3*r+v], tail[v], sum)
			VADDPS_BCST(asm.At(aTail, 4*r), sum, sum)
			VMINPS_BCST(asm.At(s.aLeast, 4*r), least[v], low)
			VCMPPS(Imm(notGE), low, sum, fail[v], fail[v])
		}
	}
	KANDW(fail[0], fail[1], fail[0])
	KANDW(fail[0], fail[2], fail[0])
	KORTESTW(fail[0], fail[0]) // carry: all ones
}

const addSignature = "(dst *float64, stride int, a, b *float32, depth int)"

func addAVX512() {
	asm.Begin("addAVX512", addSignature, "addAVX512 is add with 512 bits.")
	dst := Load(Param("dst"), GP64())
	stride := Load(Param("stride"), GP64())
	SHLQ(Imm(3), stride)
	a, b := Load(Param("a"), GP64()), Load(Param("b"), GP64())
	depth := Load(Param("depth"), GP64())
	acc := asm.Registers(3*height, ZMM)
	for _, x := range acc {
		VPXORD(x, x, x)
	}
	multiplyAVX512("depth", VFMADD231PS, height, a, b, depth, acc)
	low, high := ZMM(), ZMM()
	for r := range height {
		for v := range 3 {
			x := acc[3*r+v]
			VCVTPS2PD(x.AsY(), low)
			VEXTRACTF32X8(Imm(1), x, high.AsY())
			VCVTPS2PD(high.AsY(), high)
			VADDPD(asm.At(dst, 128*v), low, low)
			VADDPD(asm.At(dst, 128*v+64), high, high)
			VMOVUPD(low, asm.At(dst, 128*v))
			VMOVUPD(high, asm.At(dst, 128*v+64))
		}
		ADDQ(stride, dst)
	}
	VZEROUPPER()
	RET()
}

// peak only runs fused operations, on n vectors of the given numbers.
func peak(name string, n, numbers int, one func() VecVirtual, zero func(...Op)) {
	asm.Begin("peak"+name, "(n int)", fmt.Sprintf("peak%s does n times %d fused operations on %d numbers each, and nothing else.", name, n, numbers))
	left := Load(Param("n"), GP64())
	acc, x := asm.Registers(n, one), one()
	for _, v := range append(acc, x) {
		zero(v, v, v)
	}
	Label("loop")
	for _, v := range acc {
		VFMADD231PS(x, x, v)
	}
	DECQ(left)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
