package lllvm

import (
	"unfold/sparse/par"
	"unfold/sparse/vec"
	"unfold/sparse/vec/rows"
	"unfold/sparse/vec/spd"
)

// sandwich computes, for one n x n matrix of second moments M and sign = 1 or -1,
//
//	out_ij = scale sum_{p~i, q~j} [P_pq - P_pj - P_iq + P_ij] (M_pq + sign (M_pj + M_iq) + M_ij),
//
// which is <A> with sign 1 and the moments of C (supplement eq 48), and <Gamma>
// with sign -1 and those of x (eq 61), one pair of latent coordinates at a time.
//
// With the adjacency matrix G the bracket, summed over p or q alone, is an element of
// P L, and summed over both one of L P L. As P is an inverse of L on differences,
// nothing is left of these but what is local:
//
//	out = Q(M) G - Q(M G) + local,  Q(X)_ij = sum_{p~i} (P_pj - P_ij) X_pj,
//	local_ij = L_ij M_ij + sign ([i=j] ((GM)_ii + (MG)_ii) - G_ij (M_ii + M_jj)).
//
// So it costs four products of G with an n x n matrix, O(n |edges|), instead of the
// O(|edges|^2) of the double sum. All are from the left, by rows: M G is the
// transpose of G M'. Edges may have weights, the elements of G.
type sandwich struct {
	threads int
	// a, b, c are n x n: (M G)' and M G, Q(M) and its transpose, (Q(M) G)' and out.
	a, b, c vec.Matrix[float64]
}

func newSandwich(n, threads int) *sandwich {
	return &sandwich{threads, vec.New[float64](n, n), vec.New[float64](n, n), vec.New[float64](n, n)}
}

// compute returns the result for the moments m of a graph, which is the sandwich's until
// it is used again. It turns m over. With lower, for symmetric moments, only the lower
// triangle counts.
func (s *sandwich) compute(g *patch, m vec.Matrix[float64], sign, scale float64, lower bool) vec.Matrix[float64] {
	n := g.len()
	a, b, c := square(s.a, n), square(s.b, n), square(s.c, n)
	s.each(n, func(i int) { rows.Slope(b.Row(i), g.inverse, i, m, g.lists[i], g.weights[i]) })
	if !lower {
		spd.Turn(m, s.threads)
	}
	s.each(n, func(i int) { rows.Sum(a.Row(i), m, g.lists[i], g.weights[i]) })
	spd.Turn(a, s.threads)
	spd.Turn(b, s.threads)
	s.each(n, func(i int) {
		from := 0
		if lower { // what will be the lower triangle
			from = i
		}
		rows.Sum(c.Row(i)[from:], vec.Matrix[float64]{Rows: n, Cols: n, Data: b.Data[from:]}, g.lists[i], g.weights[i])
	})
	if lower {
		spd.MirrorUpper(c, s.threads)
	} else {
		spd.Turn(c, s.threads)
	}
	s.each(n, func(i int) {
		row, most := c.Row(i), n
		if lower {
			row, most = row[:i+1], i+1
		}
		q := b.Row(i)[:most] // no longer wanted
		rows.Slope(q, g.inverse, i, a, g.lists[i], g.weights[i])
		for j, v := range q {
			row[j] = scale * (row[j] - v)
		}
		g.local(row, i, m, sign, scale)
	})
	return c
}

func (s *sandwich) each(n int, f func(i int)) {
	par.Ranges(s.threads, n, taskRows, func(_, from, to int) {
		for i := from; i < to; i++ {
			f(i)
		}
	})
}

// square is a matrix of n rows in the room of a larger one.
func square(a vec.Matrix[float64], n int) vec.Matrix[float64] {
	return vec.Of(n, n, a.Data[:n*n])
}

// local adds scale times row i of the local part, as much of it as row holds, for the
// transpose m of the moments.
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
