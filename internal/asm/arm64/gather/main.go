// Command gather writes the vector kernels of package gather for arm64; see its go:generate line.
package main

import "unfold/internal/asm/a64"

func main() {
	a := &kernels{}
	a.sum()
	a.slope()
	a.Write()
}

// kernels lists the functions, with the code that writes each.
type kernels struct{ a64.Asm }

// A kernel processes a block of vectors vectors of two columns at once; bytes is its size in each
// row.
const (
	vectors = 8
	bytes   = 16 * vectors
)

// args are those of both kernels.
type args struct{ dst, n, x, stride, list, w, terms a64.R }

func (a *kernels) load() args {
	s := args{a.Arg("dst"), a.Arg("n"), a.Arg("x"), a.Arg("stride"), a.Arg("list"), a.Arg("w"), a.Arg("terms")}
	a.P("LSL\t$3, %v, %v", s.stride, s.stride)
	return s
}

// sum keeps the sums of a block of columns in registers and loops over the rows.
func (a *kernels) sum() {
	a.Func("sumNEON", "dst *float64, n int, x *float64, stride int, list *int32, w *float64, terms int", "",
		"is sumGeneric, for n a multiple of 16 and terms at least 1.")
	s := a.load()
	list, w, left, row := a.Int(), a.Int(), a.Int(), a.Int()
	acc, x, weight := a.Vecs(vectors), a.Vecs(vectors), a.Vec()
	a.Label("block")
	a.Zero(acc...)
	a.P("MOVD\t%v, %v", s.list, list)
	a.P("MOVD\t%v, %v", s.w, w)
	a.P("MOVD\t%v, %v", s.terms, left)
	a.Label("term")
	a.P("MOVW.P\t4(%v), %v", list, row)
	a.P("FMOVD.P\t8(%v), %v", w, weight.F())
	a.P("MADD\t%v, %v, %v, %v", s.stride, s.x, row, row)
	a.Quads(row, 0, x...)
	for i, v := range acc {
		a.By("fmla", "2d", v, x[i], weight, 0)
	}
	a.Next(left, "term")
	a.StoreQuads(s.dst, 0, acc...)
	a.P("ADD\t$%d, %v, %v", bytes, s.dst, s.dst)
	a.P("ADD\t$%d, %v, %v", bytes, s.x, s.x)
	a.P("SUBS\t$%d, %v, %v", 2*vectors, s.n, s.n)
	a.P("BNE\tblock")
	a.Return()
}

// slope also keeps its own row in registers.
func (a *kernels) slope() {
	a.Func("slopeNEON", "dst *float64, n int, p *float64, own int, x *float64, stride int, list *int32, w *float64, terms int", "",
		"is slopeGeneric, for n a multiple of 16 and terms at least 1.")
	s := a.load()
	p, own := a.Arg("p"), a.Arg("own")
	list, w, left, row, other := a.Int(), a.Int(), a.Int(), a.Int(), a.Int()
	acc, mine, x, y, weight := a.Vecs(vectors), a.Vecs(vectors), a.Vecs(vectors/2), a.Vecs(vectors/2), a.Vec()
	a.P("MADD\t%v, %v, %v, %v", s.stride, p, own, own)
	a.Label("block")
	a.Zero(acc...)
	a.Quads(own, 0, mine...)
	a.P("MOVD\t%v, %v", s.list, list)
	a.P("MOVD\t%v, %v", s.w, w)
	a.P("MOVD\t%v, %v", s.terms, left)
	a.Label("term")
	a.P("MOVW.P\t4(%v), %v", list, row)
	a.P("FMOVD.P\t8(%v), %v", w, weight.F())
	a.P("MUL\t%v, %v, %v", s.stride, row, row)
	a.P("ADD\t%v, %v, %v", p, row, other)
	a.P("ADD\t%v, %v, %v", s.x, row, row)
	for half := 0; half < vectors; half += len(x) {
		a.Quads(other, 16*half, y...)
		a.Quads(row, 16*half, x...)
		for i, v := range y {
			a.Do("fsub", "2d", v, v, mine[half+i])
			a.By("fmul", "2d", v, v, weight, 0)
			a.Do("fmla", "2d", acc[half+i], v, x[i])
		}
	}
	a.Next(left, "term")
	a.StoreQuads(s.dst, 0, acc...)
	for _, at := range []a64.R{s.dst, s.x, p, own} {
		a.P("ADD\t$%d, %v, %v", bytes, at, at)
	}
	a.P("SUBS\t$%d, %v, %v", 2*vectors, s.n, s.n)
	a.P("BNE\tblock")
	a.Return()
}
