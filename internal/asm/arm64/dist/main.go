// Command dist writes the vector kernels of package dist for arm64; see its go:generate line.
package main

import (
	"fmt"

	"unfold/internal/asm/a64"
)

func main() {
	a := &kernels{}
	a.pair()
	a.rows()
	a.prefetch()
	a.Write()
}

// kernels lists the functions, with the code that writes each.
type kernels struct{ a64.Asm }

// vectors is the number of vectors of four lanes for the sixteen lanes of a sum.
const vectors = 4

// sum has the registers of the sum for one pair of vectors, and its cursors.
type sum struct {
	lanes, x, y  []a64.V
	a, b, dim, n a64.R
}

func (a *kernels) newSum(dim a64.R) *sum {
	return &sum{lanes: a.Vecs(vectors), x: a.Vecs(vectors), y: a.Vecs(vectors), a: a.Int(), b: a.Int(), dim: dim, n: a.Int()}
}

// add adds the squares of x-y to lanes.
func (a *kernels) add(lanes, x, y []a64.V) {
	for i, v := range x {
		a.Do("fsub", "4s", v, v, y[i])
	}
	for _, v := range x {
		a.Do("fmul", "4s", v, v, v)
	}
	for i, v := range x {
		a.Do("fadd", "4s", lanes[i], lanes[i], v)
	}
}

// distance sets the first lane to the squared distance of the dim elements at a and b. Missing
// elements add 0 to lanes, none of which is -0.
func (a *kernels) distance(s *sum) {
	a.Zero(s.lanes...)
	a.P("SUBS\t$16, %v, %v", s.dim, s.n)
	a.P("BLT\ttail")
	a.Label("sixteen")
	a.Quads(s.a, 0, s.x...)
	a.Quads(s.b, 0, s.y...)
	a.P("ADD\t$64, %v, %v", s.a, s.a)
	a.P("ADD\t$64, %v, %v", s.b, s.b)
	a.add(s.lanes, s.x, s.y)
	a.P("SUBS\t$16, %v, %v", s.n, s.n)
	a.P("BGE\tsixteen")

	a.Label("tail")
	a.P("ADDS\t$16, %v, %v", s.n, s.n)
	a.P("BEQ\tfold")
	for v := range vectors {
		some := fmt.Sprintf("some%d", v)
		a.P("CMP\t$4, %v", s.n)
		a.P("BLT\t%s", some)
		a.Quads(s.a, 16*v, s.x[0])
		a.Quads(s.b, 16*v, s.y[0])
		a.add(s.lanes[v:], s.x[:1], s.y[:1])
		a.P("SUBS\t$4, %v, %v", s.n, s.n)
		a.P("BEQ\tfold")
	}
	for v := range vectors {
		a.Label(fmt.Sprintf("some%d", v))
		a.few(s, v)
		if v < vectors-1 {
			a.P("B\tfold")
		}
	}

	a.Label("fold")
	l, other := s.lanes, s.x[0]
	a.Do("fadd", "4s", l[0], l[0], l[2])
	a.Do("fadd", "4s", l[1], l[1], l[3])
	a.Do("fadd", "4s", l[0], l[0], l[1])
	a.P("VDUP\t%s, %v.D2", l[0].Lane("D", 1), other)
	a.Do("fadd", "4s", l[0], l[0], other)
	a.Do("faddp", "4s", l[0], l[0], l[0])
}

// few adds the last one to three elements to vector v of the lanes.
func (a *kernels) few(s *sum, v int) {
	odd, done := fmt.Sprintf("odd%d", v), fmt.Sprintf("few%d", v)
	from, i := 16*v, 2
	a.P("TBZ\t$1, %v, %s", s.n, odd)
	a.Scalar(8, s.a, from, s.x[0])
	a.Scalar(8, s.b, from, s.y[0])
	a.P("TBZ\t$0, %v, %s", s.n, done)
	a.Scalar(4, s.a, from+8, s.x[1])
	a.Scalar(4, s.b, from+8, s.y[1])
	a.P("VMOV\t%s, %s", s.x[1].Lane("S", 0), s.x[0].Lane("S", i))
	a.P("VMOV\t%s, %s", s.y[1].Lane("S", 0), s.y[0].Lane("S", i))
	a.P("B\t%s", done)
	a.Label(odd)
	a.Scalar(4, s.a, from, s.x[0])
	a.Scalar(4, s.b, from, s.y[0])
	a.Label(done)
	a.add(s.lanes[v:], s.x[:1], s.y[:1])
}

func (a *kernels) pair() {
	a.Func("pairNEON", "a, b *float32, dim int", "float32", "returns the squared distance of dim elements.")
	s := a.newSum(a.Arg("dim"))
	a.Load("a", s.a)
	a.Load("b", s.b)
	a.distance(s)
	a.P("FMOVS\t%s, %s", s.lanes[0].F(), a.Param("ret"))
	a.Return()
}

// rows handles one row after the other and prefetches the next, since numbered rows are not
// contiguous.
func (a *kernels) rows() {
	a.Func("rowsNEON", "out, q *float32, dim int, data *float32, stride, limit int, rows *int32, count int", "int",
		"writes the squared distances of q and count numbered rows to out, and returns\n"+
			"// the number of rows from the first one on that is not below limit, or 0 without one.\n"+
			"// A row begins stride bytes after the one before.")
	out, q, data, stride := a.Arg("out"), a.Arg("q"), a.Arg("data"), a.Arg("stride")
	limit, rows, count, row := a.Arg("limit"), a.Arg("rows"), a.Arg("count"), a.Int()
	s := a.newSum(a.Arg("dim"))
	a.P("MOVW.P\t4(%v), %v", rows, row)
	a.Label("row")
	a.P("CMP\t%v, %v", limit, row)
	a.P("BHS\tend")
	a.P("MUL\t%v, %v, %v", stride, row, s.b)
	a.P("ADD\t%v, %v, %v", data, s.b, s.b)
	a.P("MOVD\t%v, %v", q, s.a)
	a.P("CMP\t$1, %v", count)
	a.P("BEQ\tmeasure")
	a.P("MOVW.P\t4(%v), %v", rows, row)
	a.P("MUL\t%v, %v, %v", stride, row, s.n)
	a.P("ADD\t%v, %v, %v", data, s.n, s.n)
	a.P("PRFM\t(%v), PLDL1KEEP", s.n)
	a.P("PRFM\t64(%v), PLDL1KEEP", s.n)
	a.Label("measure")
	a.distance(s)
	a.P("FMOVS.P\t%s, 4(%v)", s.lanes[0].F(), out)
	a.Next(count, "row")
	a.Label("end")
	a.P("MOVD\t%v, %s", count, a.Param("ret"))
	a.Return()
}

func (a *kernels) prefetch() {
	a.Func("prefetch", "p *int32", "", "asks for the cache line of p and the one after it.")
	p := a.Arg("p")
	a.P("PRFM\t(%v), PLDL1KEEP", p)
	a.P("PRFM\t64(%v), PLDL1KEEP", p)
	a.Return()
}
