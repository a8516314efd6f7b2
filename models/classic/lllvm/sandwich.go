package lllvm

import (
	"sync"

	"unfold/internal/par"
	"unfold/internal/simd/gather"
	"unfold/internal/simd/spd"
	"unfold/internal/simd/transpose"
	"unfold/internal/vec"
)

// sandwich computes, for an n x n matrix of second moments M and sign = 1 or -1,
//
//	out_ij = scale sum_{p~i, q~j} [P_pq - P_pj - P_iq + P_ij] (M_pq + sign (M_pj + M_iq) + M_ij),
//
// one pair of latent coordinates at a time. The result is <A> with sign 1 and the moments of C
// (supplement eq 48), and <Gamma> with sign -1 and those of x (eq 61).
//
// With the adjacency matrix G, the bracket summed over p or q alone is an element of P L, and
// summed over both an element of L P L. Since P is an inverse of L on differences, only local terms
// remain of these:
//
//	out = Q(M) G - Q(M G) + local,  Q(X)_ij = sum_{p~i} (P_pj - P_ij) X_pj,
//	local_ij = L_ij M_ij + sign ([i=j] ((GM)_ii + (MG)_ii) - G_ij (M_ii + M_jj)).
//
// This costs four products of G with an n x n matrix, O(n |edges|), instead of O(|edges|^2) for the
// double sum. All products are from the left, by rows: M G is the transpose of G M'. Transposes are
// made a few rows at a time, while these are in the first-level cache, since whole matrices exceed
// even the shared caches. Edges may have weights, the elements of G.
type sandwich struct {
	threads int
	// a, b, c are n x n: M G, the transpose of Q(M), and Q(M) G.
	a, b, c vec.Matrix[float64]
	strips  sync.Pool // pool of *strip, one for each concurrent goroutine
}

// narrow is the number of columns that are transposed at a time.
const narrow = 256

// strip is a buffer for rows that are transposed together.
type strip [transpose.Side * narrow]float64

func newSandwich(n, threads int) *sandwich {
	return &sandwich{
		threads: threads, a: vec.New[float64](n, n), b: vec.New[float64](n, n), c: vec.New[float64](n, n),
		strips: sync.Pool{New: func() any { return new(strip) }},
	}
}

// compute calls emit with each row of the result, for the moments m on a graph. Several goroutines
// call emit, and a row is only valid during the call. m is transposed in place. With lower, for
// symmetric moments, rows end at the diagonal.
func (s *sandwich) compute(g *patch, m vec.Matrix[float64], sign, scale float64, lower bool, emit func(i int, row []float64)) {
	n := g.len()
	a, b, c := square(s.a, n), square(s.b, n), square(s.c, n)
	s.turned(b, false, func(dst []float64, i, from int) {
		gather.Slope(dst, beginning(g.inverse, from), i, beginning(m, from), g.lists[i], g.weights[i])
	})
	if !lower {
		spd.Turn(m, s.threads)
	}
	s.turned(a, false, func(dst []float64, i, from int) { gather.Sum(dst, beginning(m, from), g.lists[i], g.weights[i]) })
	s.turned(c, lower, func(dst []float64, i, from int) { gather.Sum(dst, beginning(b, from), g.lists[i], g.weights[i]) })
	par.Ranges(s.threads, n, taskRows, func(_, start, end int) {
		for i := start; i < end; i++ {
			most := n
			if lower {
				most = i + 1
			}
			row, q := c.Row(i)[:most], b.Row(i)[:most] // which are no longer wanted
			gather.Slope(q, g.inverse, i, a, g.lists[i], g.weights[i])
			for j, v := range q {
				row[j] = scale * (row[j] - v)
			}
			g.local(row, i, m, sign, scale)
			emit(i, row)
		}
	})
}

// turned sets dst to the transpose of a matrix. row computes row i of that matrix in the columns
// beginning with from. With lower, only the elements of dst up to the diagonal are needed.
func (s *sandwich) turned(dst vec.Matrix[float64], lower bool, row func(dst []float64, i, from int)) {
	n := dst.Rows
	par.Ranges(s.threads, n, taskRows, func(_, start, end int) {
		some := s.strips.Get().(*strip)
		defer s.strips.Put(some)
		for ; start < end; start += transpose.Side {
			high := min(transpose.Side, end-start)
			from := 0
			if lower {
				from = start
			}
			for ; from < n; from += narrow {
				width := min(narrow, n-from)
				for i := range high {
					row(some[i*narrow:][:width], start+i, from)
				}
				transpose.Columns(dst.Data[from*n+start:], n, some[:], narrow, high, width)
			}
		}
	})
}

// beginning returns a matrix without its first columns, in the same memory.
func beginning(m vec.Matrix[float64], from int) vec.Matrix[float64] {
	return vec.Matrix[float64]{Rows: m.Rows, Cols: m.Cols, Data: m.Data[from:]}
}

// square returns an n x n matrix in the memory of a larger one.
func square(a vec.Matrix[float64], n int) vec.Matrix[float64] {
	return vec.Of(n, n, a.Data[:n*n])
}

// local adds scale times row i of the local part to row, up to the length of row; m is the
// transpose of the moments.
func (p *patch) local(row []float64, i int, m vec.Matrix[float64], sign, scale float64) {
	mi, own := m.Row(i), m.Row(i)[i]
	sum := p.degree[i] * own
	for t, q := range p.lists[i] {
		w := p.weights[i][t]
		sum += sign * w * (mi[q] + m.Row(int(q))[i])
		if int(q) < len(row) {
			row[q] -= scale * w * (m.Row(int(q))[i] + sign*(own+m.Row(int(q))[q]))
		}
	}
	row[i] += scale * sum
}
