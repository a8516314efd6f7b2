// Command hamming writes the vector kernel of package hamming for arm64; see its go:generate line.
package main

import "unfold/internal/asm/a64"

const (
	// line is the number of bytes of one word of the 64 rows of a panel.
	line = 512
	// vectors of two rows are counted at a time: bytes of a line.
	vectors = 8
	bytes   = 16 * vectors
	// run is the number of words whose ones a byte can count.
	run = 31
)

// main writes the kernel, which counts ones in bytes as long as they do not overflow.
func main() {
	a := &a64.Asm{}
	a.Func("withinNEON", "mask, queries, limit *uint64, count, words int, panel *uint64", "",
		"compares a positive number of queries with a panel.")
	mask, queries, limit := a.Arg("mask"), a.Arg("queries"), a.Arg("limit")
	count, words, panel := a.Arg("count"), a.Arg("words"), a.Arg("panel")
	part, parts, at, q, left, some, bits, found := a.Int(), a.Int(), a.Int(), a.Int(), a.Int(), a.Int(), a.Int(), a.Int()
	sums, ones, x, word, places, most := a.Vecs(vectors), a.Vecs(vectors), a.Vecs(vectors), a.Vec(), a.Vec(), a.Vec()
	a.P("VMOVQ\t$0x8040201008040201, $0x8040201008040201, %v", places)

	a.Label("query")
	a.Scalar(8, limit, 0, most)
	a.P("VDUP\t%s, %v.D2", most.Lane("D", 0), most)
	a.P("MOVD\t%v, %v", panel, part)
	a.P("MOVD\t$%d, %v", line/bytes, parts)
	a.Label("part")
	a.Zero(sums...)
	a.P("MOVD\t%v, %v", part, at)
	a.P("MOVD\t%v, %v", queries, q)
	a.P("MOVD\t%v, %v", words, left)
	a.Label("run")
	a.P("MOVD\t$%d, %v", run, some)
	a.P("CMP\t%v, %v", left, some)
	a.P("CSEL\tLT, %v, %v, %v", some, left, some)
	a.P("SUB\t%v, %v, %v", some, left, left)
	a.Zero(ones...)
	a.Label("word")
	a.P("FMOVD.P\t8(%v), %s", q, word.F())
	a.P("VDUP\t%s, %v.D2", word.Lane("D", 0), word)
	a.Quads(at, 0, x...)
	a.P("ADD\t$%d, %v, %v", line, at, at)
	for _, v := range x {
		a.Do("eor", "16b", v, v, word)
	}
	for _, v := range x {
		a.Do("cnt", "16b", v, v)
	}
	for i, v := range x {
		a.Do("add", "16b", ones[i], ones[i], v)
	}
	a.Next(some, "word")
	for i, v := range ones {
		a.Do("uaddlp", "8h", v, v)
		a.Do("uaddlp", "4s", v, v)
		a.Do("uadalp", "2d", sums[i], v)
	}
	a.P("CBNZ\t%v, run", left)

	// Each of the 16 rows gets a byte of ones if it is near, and then a bit.
	for _, s := range sums {
		a.Do("cmhs", "2d", s, most, s)
	}
	near := sums
	for _, arrangement := range []string{"4s", "8h", "16b"} {
		for i := range len(near) / 2 {
			a.Do("uzp1", arrangement, near[i], near[2*i], near[2*i+1])
		}
		near = near[:len(near)/2]
	}
	a.Do("and", "16b", near[0], near[0], places)
	for range 3 {
		a.Do("addp", "16b", near[0], near[0], near[0])
	}
	a.P("VMOV\t%s, %v", near[0].Lane("H", 0), bits)
	a.P("LSR\t$16, %v, %v", found, found)
	a.P("ORR\t%v<<48, %v, %v", bits, found, found)
	a.P("ADD\t$%d, %v, %v", bytes, part, part)
	a.Next(parts, "part")
	a.P("MOVD.P\t%v, 8(%v)", found, mask)
	a.P("ADD\t$8, %v, %v", limit, limit)
	a.P("MOVD\t%v, %v", q, queries)
	a.Next(count, "query")
	a.Return()
	a.Write()
}
