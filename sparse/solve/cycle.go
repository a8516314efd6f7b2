package solve

import (
	"fmt"

	"unfold/sparse/vec"
)

// Apply sets z = M r for the preconditioner M, symmetric and positive definite
// wherever the matrix has a diagonal.
func (h *Hierarchy) Apply(z, r vec.Matrix[float64]) {
	if r.Rows != len(h.levels[0].gamma) || z.Rows != r.Rows || r.Cols != h.d || z.Cols != h.d {
		panic(fmt.Sprintf("solve: a hierarchy for %d x %d vectors, z %d x %d, r %d x %d",
			len(h.levels[0].gamma), h.d, z.Rows, z.Cols, r.Rows, r.Cols))
	}
	h.team.run(func(t int) {
		m := member{h.team, t}
		h.correct(m, r)
		from, to := m.span(r.Rows)
		h.levels[0].scale(z, r, from, to)
		for i := from; i < to; i++ {
			u := z.Row(i)
			for k, v := range h.coarse(i) {
				u[k] += v
			}
		}
	})
}

// coarse returns row i of P y after correct, nil if that is zero:
// z_i = r_i / D_i + (P y)_i.
func (h *Hierarchy) coarse(i int) []float64 {
	l := &h.levels[0]
	if l.of == nil || l.of[i] < 0 {
		return nil
	}
	o := int(l.of[i])
	return h.levels[1].y.Data[o*h.d : (o+1)*h.d]
}

// correct computes the coarse part y of M r on level 1.
func (h *Hierarchy) correct(m member, r vec.Matrix[float64]) {
	if len(h.levels) == 1 {
		return
	}
	h.levels[0].restrict(m, &h.levels[1], r, vec.Matrix[float64]{})
	h.cycle(m, 1)
}

// cycle sets y of level k to an approximate solution of A y = b: a smoothing step
// from zero, two visits of the next level, and the same step once more, which
// makes the whole symmetric.
func (h *Hierarchy) cycle(m member, k int) {
	l := &h.levels[k]
	if m.team != nil && l.a.W.N <= share {
		if m.lane == 0 {
			h.cycle(member{}, k)
		}
		m.wait()
		return
	}
	if k == len(h.levels)-1 {
		if from, _ := m.span(l.a.W.N); from == 0 {
			h.bottom.solve(l)
		}
		m.wait()
		return
	}
	next := &h.levels[k+1]
	from, to := m.span(l.a.W.N)
	l.scale(l.x, l.b, from, to)
	m.wait()
	l.a.MulRows(l.y, l.x, from, to)
	m.wait()
	l.restrict(m, next, l.b, l.y)
	h.cycle(m, k+1)
	if k+1 < len(h.levels)-1 {
		next.keep(m)
		h.cycle(m, k+1)
		next.combine(m)
	}
	l.prolong(next, from, to)
	m.wait()
	l.smooth(from, to)
	m.wait()
}

// scale sets rows of x = damping b / D.
func (l *level) scale(x, b vec.Matrix[float64], from, to int) {
	for i := from; i < to; i++ {
		inv, u := l.inverse[i], x.Row(i)
		for k, v := range b.Row(i) {
			u[k] = inv * v
		}
	}
}

// restrict sets the right-hand side of the next level to P'(b - y); an empty y is
// zero.
func (l *level) restrict(m member, next *level, b, y vec.Matrix[float64]) {
	from, to := m.span(next.a.W.N)
	for c := from; c < to; c++ {
		sum := next.b.Row(c)
		clear(sum)
		for _, i := range l.members[l.first[c]:l.first[c+1]] {
			for k, v := range b.Row(int(i)) {
				sum[k] += v
			}
			if y.Data == nil {
				continue
			}
			for k, v := range y.Row(int(i)) {
				sum[k] -= v
			}
		}
	}
	m.wait()
}

// keep remembers what a first visit found and leaves the residual for a second.
func (l *level) keep(m member) {
	from, to := m.span(l.a.W.N)
	d := l.y.Cols
	copy(l.again.Data[from*d:to*d], l.y.Data[from*d:to*d])
	l.a.MulRows(l.x, l.y, from, to)
	for e := from * d; e < to*d; e++ {
		l.b.Data[e] -= l.x.Data[e]
	}
	m.wait()
}

// combine adds up what two visits found.
func (l *level) combine(m member) {
	from, to := m.span(l.a.W.N)
	d := l.y.Cols
	for e := from * d; e < to*d; e++ {
		l.y.Data[e] += l.again.Data[e]
	}
	m.wait()
}

// prolong adds P y of the next level to rows of x.
func (l *level) prolong(next *level, from, to int) {
	for i := from; i < to; i++ {
		o := l.of[i]
		if o < 0 {
			continue
		}
		x := l.x.Row(i)
		for k, v := range next.y.Row(int(o)) {
			x[k] += v
		}
	}
}

// smooth sets rows of y = x + damping (b - A x) / D.
func (l *level) smooth(from, to int) {
	l.a.MulRows(l.y, l.x, from, to)
	for i := from; i < to; i++ {
		inv, x, b, y := l.inverse[i], l.x.Row(i), l.b.Row(i), l.y.Row(i)
		for k := range y {
			y[k] = x[k] + inv*(b[k]-y[k])
		}
	}
}
