// Command hamming writes the assembly of package hamming; see its go:generate line.
package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	within512()
	peak512()
	within2()
	Generate()
}

const (
	signature = "func(mask, queries, limit *uint64, count, words, head int, panel *uint64)"
	// line is the number of bytes of one word of the 64 rows of a panel.
	line = 512
)

// args are those of both kernels.
type args struct{ mask, queries, limit, count, words, head, panel Register }

func load(name, doc string) args {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " " + doc)
	a := args{
		mask: Load(Param("mask"), GP64()), queries: Load(Param("queries"), GP64()), limit: Load(Param("limit"), GP64()),
		count: Load(Param("count"), GP64()), words: Load(Param("words"), GP64()), head: Load(Param("head"), GP64()),
		panel: Load(Param("panel"), GP64()),
	}
	SHLQ(Imm(9), a.words) // in bytes of the panel
	SHLQ(Imm(9), a.head)
	return a
}

// next continues with the next query, whose words end at q.
func (a args) next(q Register, loop string) {
	MOVQ(q, a.queries)
	ADDQ(Imm(8), a.limit)
	ADDQ(Imm(8), a.mask)
	DECQ(a.count)
	JNE(LabelRef(loop))
	VZEROUPPER()
	RET()
}

// within512 counts eight rows in a register, and all rows of a panel at once. After the head it
// skips the rest of a query for which no row is near enough.
func within512() {
	a := load("withinAVX512", "compares a positive number of queries with a panel; it needs VPOPCNTDQ.")
	acc, t := make([]VecVirtual, 8), make([]VecVirtual, 4)
	for i := range acc {
		acc[i] = ZMM()
	}
	for i := range t {
		t[i] = ZMM()
	}
	word, limit, k := ZMM(), ZMM(), K()
	at, stop, end, q := GP64(), GP64(), GP64(), GP64()
	MOVQ(a.panel, end)
	ADDQ(a.words, end)

	Label("query")
	VPBROADCASTQ(Mem{Base: a.limit}, limit)
	for _, r := range acc {
		VPXORQ(r, r, r)
	}
	MOVQ(a.panel, at)
	MOVQ(a.panel, stop)
	ADDQ(a.head, stop)
	MOVQ(a.queries, q)

	Label("word")
	VPBROADCASTQ(Mem{Base: q}, word)
	for i, r := range acc {
		t := t[i%len(t)]
		VPXORQ(Mem{Base: at, Disp: 64 * i}, word, t)
		VPOPCNTQ(t, t)
		VPADDQ(t, r, r)
	}
	ADDQ(Imm(8), q)
	ADDQ(U32(line), at)
	CMPQ(at, stop)
	JLT(LabelRef("word"))
	CMPQ(at, end)
	JGE(LabelRef("compare"))

	VPMINUQ(acc[0], acc[1], t[0])
	VPMINUQ(acc[2], acc[3], t[1])
	VPMINUQ(acc[4], acc[5], t[2])
	VPMINUQ(acc[6], acc[7], t[3])
	VPMINUQ(t[0], t[1], t[0])
	VPMINUQ(t[2], t[3], t[2])
	VPMINUQ(t[0], t[2], t[0])
	const atMost = 2
	VPCMPUQ(Imm(atMost), limit, t[0], k)
	KORTESTB(k, k)
	JE(LabelRef("none"))
	MOVQ(end, stop)
	JMP(LabelRef("word"))

	Label("none")
	MOVQ(U32(0), Mem{Base: a.mask})
	MOVQ(a.words, q) // the rest of the words of the query are passed over
	SHRQ(Imm(6), q)
	ADDQ(a.queries, q)
	JMP(LabelRef("next"))

	Label("compare")
	for i, r := range acc {
		k := K()
		VPCMPUQ(Imm(atMost), limit, r, k)
		KMOVB(k, Mem{Base: a.mask, Disp: i})
	}
	Label("next")
	a.next(q, "query")
}

// peak512 counts ones as fast as possible, for a benchmark.
func peak512() {
	const registers = 8
	TEXT("peakAVX512", NOSPLIT, "func(n int)")
	Doc("peakAVX512 counts the ones of " + strconv.Itoa(registers) + " registers n times; it needs VPOPCNTDQ.")
	n := Load(Param("n"), GP64())
	from := ZMM()
	VPXORQ(from, from, from)
	to := make([]VecVirtual, registers)
	for i := range to {
		to[i] = ZMM()
	}
	Label("peak")
	for _, r := range to {
		VPOPCNTQ(from, r)
	}
	DECQ(n)
	JNE(LabelRef("peak"))
	VZEROUPPER()
	RET()
}

// within2 counts sixteen rows at a time, with a table of the ones of four bits (Mula, Kurz and
// Lemire 2018).
func within2() {
	a := load("withinAVX2", "compares a positive number of queries with a panel; it does not look at the head.")
	const parts = 4
	acc := make([]VecVirtual, parts)
	for i := range acc {
		acc[i] = YMM()
	}
	word, high, table, low, zero := YMM(), YMM(), YMM(), YMM(), YMM()
	at, end, from, q := GP64(), GP64(), GP64(), GP64()
	constants(table, low)
	VPXOR(zero, zero, zero)

	Label("query")
	for g := range 64 / (4 * parts) {
		for _, r := range acc {
			VPXOR(r, r, r)
		}
		MOVQ(a.panel, from)
		ADDQ(U32(g*32*parts), from)
		MOVQ(from, at)
		MOVQ(from, end)
		ADDQ(a.words, end)
		MOVQ(a.queries, q)
		loop := "words" + strconv.Itoa(g)
		Label(loop)
		for i, r := range acc {
			VPBROADCASTQ(Mem{Base: q}, word)
			VPXOR(Mem{Base: at, Disp: 32 * i}, word, word)
			VPSRLW(Imm(4), word, high)
			VPAND(low, word, word)
			VPAND(low, high, high)
			VPSHUFB(word, table, word)
			VPSHUFB(high, table, high)
			VPADDB(word, high, high)
			VPSADBW(zero, high, high)
			VPADDQ(high, r, r)
		}
		ADDQ(Imm(8), q)
		ADDQ(U32(line), at)
		CMPQ(at, end)
		JLT(LabelRef(loop))

		VPBROADCASTQ(Mem{Base: a.limit}, word)
		sum, four := GP32(), GP32()
		for i := parts - 1; i >= 0; i-- {
			VPCMPGTQ(word, acc[i], high)
			if i == parts-1 {
				VMOVMSKPD(high, sum)
				continue
			}
			VMOVMSKPD(high, four)
			SHLL(Imm(4), sum)
			ORL(four, sum)
		}
		XORL(U32(0xffff), sum)
		MOVW(sum.As16(), Mem{Base: a.mask, Disp: 2 * g})
	}
	a.next(q, "query")
}

// constants loads the numbers of ones of 0 to 15, and the mask of the lower half of every byte.
func constants(table, low VecVirtual) {
	word, x, y := GP64(), XMM(), XMM()
	MOVQ(U64(0x0302020102010100), word)
	VMOVQ(word, x)
	MOVQ(U64(0x0403030203020201), word)
	VPINSRQ(Imm(1), word, x, x)
	VINSERTI128(Imm(0), x, table, table)
	VINSERTI128(Imm(1), x, table, table)
	MOVQ(U64(0x0f0f0f0f0f0f0f0f), word)
	VMOVQ(word, y)
	VPBROADCASTQ(y, low)
}
