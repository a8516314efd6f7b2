package student

import (
	"unfold/coarse/farfield"
	"unfold/internal/simd/pairwise"
)

// These visitors sweep over the dissimilar pairs. They sum the terms of each target's sources,
// without the factor c, and write only to the target's own elements. So results do not depend on
// the number of threads.

// bind selects the visitors.
func (m *Model) bind() {
	m.visitPush, m.visitSpread, m.visitLogs = m.push, m.spreads, m.logs
	if m.plane {
		m.visitPush, m.visitLogs = m.planePush, m.planeLogs
	}
	if m.space {
		m.visitLogs = m.spaceLogs
	}
	switch {
	case m.plane && m.s.Single && m.s.Majoriser == Far:
		m.visitPush = m.planePushSingle
	case m.space && m.s.Single && m.s.Majoriser == Force:
		m.visitPush = m.spacePushSingle
	}
}

// planePush computes grad, pushes and, if fresh, bound for d = 2, a = 1.
func (m *Model) planePush(b *farfield.Batch) {
	if m.fresh && m.s.Majoriser == EM {
		m.push(b)
		return
	}
	all := planeRun(b)
	for p, i := range b.Points {
		t := planeSpot(b, p)
		parts, count := around(b, p)
		var f pairwise.Force
		for _, part := range parts[:count] {
			sources := all.Cut(part.from, part.to)
			f.Add(m.planeForce(&t, &sources))
		}
		m.planeSet(i, f)
	}
}

// planeSet stores the sums of a target.
func (m *Model) planeSet(i int32, f pairwise.Force) {
	m.grad.Data[2*i], m.grad.Data[2*i+1] = f.X, f.Y
	m.pushes[i] = f.V
	if m.fresh {
		m.bound[i] = f.Bound
	}
}

// planePushSingle is planePush in single precision for the majoriser Far, with coordinates relative
// to the first target.
func (m *Model) planePushSingle(b *farfield.Batch) {
	n := singles(b, 5)
	x, y := b.Targets.Mu[0][0], b.Targets.Mu[1][0]
	all := pairwise.Run[float32]{
		X: n.column(0, b.Sources.Mu[0], x), Y: n.column(1, b.Sources.Mu[1], y),
		S: n.column(2, b.Sources.Sigma2, 0), A: n.column(3, b.Sources.Delta2, 0), W: n.column(4, b.Weight, 0),
	}
	for p, i := range b.Points {
		d := planeSpot(b, p)
		t := pairwise.Spot[float32]{X: float32(d.X - x), Y: float32(d.Y - y), S: max(float32(d.S), leastSingle), A: float32(d.A)}
		own := weigh(b, all.W, p, 0)
		var f pairwise.Force
		if m.fresh {
			f = pairwise.PushFar32(&t, &all)
		} else {
			f = pairwise.Push32(&t, &all)
		}
		weigh(b, all.W, p, own)
		m.planeSet(i, f)
	}
}

// narrowed are columns of a batch's sources in single precision. They use the visitor's memory.
type narrowed struct {
	room []float32
	n    int
}

// singles allocates the given number of columns.
func singles(b *farfield.Batch, columns int) narrowed {
	n := len(b.Weight)
	if cap(b.Work32) < columns*n {
		b.Work32 = make([]float32, columns*n)
	}
	return narrowed{b.Work32[:columns*n], n}
}

// column sets the k-th column to src - centre.
func (w narrowed) column(k int, src []float64, centre float64) []float32 {
	dst := w.room[k*w.n : (k+1)*w.n : (k+1)*w.n]
	pairwise.Narrow(dst, src, centre)
	return dst
}

// weigh sets the weight of target p among the sources and returns its previous weight. With weight
// 0, the target, at distance 0 from itself, has no effect.
func weigh(b *farfield.Batch, weights []float32, p int, w float32) (before float32) {
	if b.Self >= 0 {
		weights[b.Self+p], before = w, weights[b.Self+p]
	}
	return before
}

// leastSingle keeps q positive in single precision.
const leastSingle = 1e-12

// planeForce returns the force of sources on a target and, if fresh, the sum of the majoriser.
func (m *Model) planeForce(t *pairwise.Spot[float64], r *pairwise.Run[float64]) pairwise.Force {
	if m.fresh {
		switch m.s.Majoriser {
		case Far:
			return pairwise.PushFar(t, r)
		case Local:
			return pushLocal(t, r)
		case Global:
			return pushGlobal(t, r)
		}
	}
	return pairwise.Push(t, r)
}

func planeRun(b *farfield.Batch) pairwise.Run[float64] {
	return pairwise.Run[float64]{X: b.Sources.Mu[0], Y: b.Sources.Mu[1], S: b.Sources.Sigma2, A: b.Sources.Delta2, W: b.Weight}
}

func planeSpot(b *farfield.Batch, p int) pairwise.Spot[float64] {
	return pairwise.Spot[float64]{X: b.Targets.Mu[0][p], Y: b.Targets.Mu[1][p], S: b.Targets.Sigma2[p], A: b.Targets.Delta2[p]}
}

// around returns the positions of the sources of target p: all but the target itself, in one or two
// runs.
func around(b *farfield.Batch, p int) (parts [2]span, count int) {
	if b.Self < 0 {
		return [2]span{{0, len(b.Weight)}}, 1
	}
	return [2]span{{0, b.Self + p}, {b.Self + p + 1, len(b.Weight)}}, 2
}

// span is the range from..to of sources.
type span struct{ from, to int }

// planeLogs computes each for every stride-th point, for d = 2, a = 1.
func (m *Model) planeLogs(b *farfield.Batch) {
	all := planeRun(b)
	for p, i := range b.Points {
		if int(i)%m.stride != 0 {
			continue
		}
		t := planeSpot(b, p)
		parts, count := around(b, p)
		m.each[i] = 0
		for _, part := range parts[:count] {
			sources := all.Cut(part.from, part.to)
			m.each[i] += pairwise.Logs(&t, &sources)
		}
	}
}

// tile returns a tile for a batch and width sums per target, set to zero, in the visitor's memory.
func (m *Model) tile(b *farfield.Batch, width int) (*tile, []float64) {
	t := m.tiles.Get().(*tile)
	t.stride = 1
	sums := workspace(b, width*len(b.Points))
	clear(sums)
	return t, sums
}

// push computes grad, pushes and, if fresh, bound (for EM, sum_j V_ij r^2) for any d and a.
func (m *Model) push(b *farfield.Batch) {
	width := m.d + 2
	t, sums := m.tile(b, width)
	defer m.tiles.Put(t)
	em := m.fresh && m.s.Majoriser == EM
	t.each(b, func(t *tile, p int) {
		sum := sums[p*width : (p+1)*width]
		m.shape.push(t)
		pairwise.Gather(sum[:m.d+1], t.V, t.sources)
		if em {
			sum[m.d+1] += dot(t.V, t.R2)
		}
	})
	for p, i := range b.Points {
		sum, g := sums[p*width:(p+1)*width], m.grad.Row(int(i))
		for c := range g {
			g[c] = b.Targets.Mu[c][p]*sum[m.d] - sum[c]
		}
		m.pushes[i] = sum[m.d]
		if m.fresh {
			m.bound[i] = sum[m.d+1]
		}
	}
}

// spreads sets each to the dissimilar part of H9 for tails other than d/2.
func (m *Model) spreads(b *farfield.Batch) {
	t, sums := m.tile(b, 1)
	defer m.tiles.Put(t)
	t.each(b, func(t *tile, p int) {
		t.slow(m.shape, func(p Pair) float64 { return p.Odds() * p.Slope() })
		sums[p] += total(t.V)
	})
	for p, i := range b.Points {
		m.each[i] = sums[p]
	}
}

// logs sets each to the dissimilar part of the likelihood. It includes both directions of the
// target's pairs, so every pair counts twice.
func (m *Model) logs(b *farfield.Batch) {
	t, sums := m.tile(b, 1)
	t.stride = m.stride
	defer m.tiles.Put(t)
	t.each(b, func(t *tile, p int) {
		if !m.shape.fast {
			sums[p] += m.shape.slowLogs(t)
			return
		}
		m.shape.others(t)
		sums[p] += t.logs()
	})
	for p, i := range b.Points {
		m.each[i] = sums[p]
	}
}
