package student

import (
	"unfold/coarse/field"
)

// The visitors of a sweep over the dissimilar pairs. They add up, for each
// target, what its sources say, without the factor c, and write to the target's
// own place: results do not depend on the number of threads.

// bind makes the visitors, once.
func (m *Model) bind() {
	m.visitPush, m.visitSpread, m.visitLogs = m.push, m.spreads, m.logs
	switch {
	case m.plane:
		m.visitPush, m.visitLogs = m.planePush, m.planeLogs
	case m.d == 3 && m.shape.fast:
		m.visitPush = m.spacePush
	}
}

// planePush fills grad, pushes and, if fresh, bound for d = 2, a = 1.
func (m *Model) planePush(b *field.Batch) {
	if m.fresh && m.s.Majoriser == EM {
		m.push(b)
		return
	}
	all := planeRun(b)
	for p, i := range b.Points {
		t := planeSpot(b, p)
		parts := [2]run{all, {}}
		if b.Self >= 0 {
			parts[0], parts[1] = all.cut(0, b.Self+p), all.cut(b.Self+p+1, len(all.x))
		}
		var gx, gy, v, gamma float64
		for _, r := range parts {
			var x, y, f, g float64
			switch {
			case m.fresh && m.s.Majoriser == Far:
				x, y, f, g = t.pushFar(r)
			case m.fresh && m.s.Majoriser == Local:
				x, y, f, g = t.pushLocal(r)
			case m.fresh && m.s.Majoriser == Global:
				x, y, f, g = t.pushGlobal(r)
			default:
				x, y, f = t.push(r)
			}
			gx, gy, v, gamma = gx+x, gy+y, v+f, gamma+g
		}
		m.grad.Data[2*i], m.grad.Data[2*i+1] = gx, gy
		m.pushes[i] = v
		if m.fresh {
			m.bound[i] = gamma
		}
	}
}

// spacePush is planePush for d = 3, a = 3/2.
func (m *Model) spacePush(b *field.Batch) {
	if m.fresh && m.s.Majoriser == EM {
		m.push(b)
		return
	}
	inv := workspace(b, len(b.Weight))
	for k, a := range b.Sources.Delta2 {
		inv[k] = 1 / a
	}
	src := &b.Sources
	all := cloud{src.Mu[0], src.Mu[1], src.Mu[2], src.Sigma2, inv, b.Weight}
	for p, i := range b.Points {
		dst := &b.Targets
		t := ball{dst.Mu[0][p], dst.Mu[1][p], dst.Mu[2][p], dst.Sigma2[p], 1 / dst.Delta2[p]}
		g := m.grad.Row(int(i))
		if b.Self < 0 {
			g[0], g[1], g[2], m.pushes[i] = t.push(all)
			continue
		}
		x, y, z, v := t.push(all.cut(0, b.Self+p))
		g[0], g[1], g[2], m.pushes[i] = t.push(all.cut(b.Self+p+1, len(inv)))
		g[0], g[1], g[2], m.pushes[i] = g[0]+x, g[1]+y, g[2]+z, m.pushes[i]+v
	}
}

func planeRun(b *field.Batch) run {
	return run{b.Sources.Mu[0], b.Sources.Mu[1], b.Sources.Sigma2, b.Sources.Delta2, b.Weight}
}

func planeSpot(b *field.Batch, p int) spot {
	return spot{b.Targets.Mu[0][p], b.Targets.Mu[1][p], b.Targets.Sigma2[p], b.Targets.Delta2[p]}
}

// planeLogs fills each, where stride says so, for d = 2, a = 1.
func (m *Model) planeLogs(b *field.Batch) {
	all := planeRun(b)
	for p, i := range b.Points {
		if int(i)%m.stride != 0 {
			continue
		}
		t := planeSpot(b, p)
		if b.Self < 0 {
			m.each[i] = t.logs(all)
			continue
		}
		m.each[i] = t.logs(all.cut(0, b.Self+p)) + t.logs(all.cut(b.Self+p+1, len(all.x)))
	}
}

// tile returns a tile for a batch and room for width sums of every target, set
// to zero, in the memory of the visitor.
func (m *Model) tile(b *field.Batch, width int) (*tile, []float64) {
	t := m.tiles.Get().(*tile)
	sums := workspace(b, width*len(b.Points))
	clear(sums)
	return t, sums
}

// push fills grad, pushes and, if fresh, bound (for EM, sum_j V_ij r^2) for any
// d and a.
func (m *Model) push(b *field.Batch) {
	width := m.d + 2
	t, sums := m.tile(b, width)
	defer m.tiles.Put(t)
	em := m.fresh && m.s.Majoriser == EM
	t.each(b, func(t *tile, p int) {
		sum := sums[p*width : (p+1)*width]
		m.shape.push(t)
		t.gather(sum)
		if em {
			sum[m.d+1] += dot(t.v, t.r2)
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

// spreads fills each with the dissimilar part of H9 for tails other than d/2.
func (m *Model) spreads(b *field.Batch) {
	t, sums := m.tile(b, 1)
	defer m.tiles.Put(t)
	t.each(b, func(t *tile, p int) {
		t.slow(m.shape, func(p Pair) float64 { return p.Odds() * p.Slope() })
		sums[p] += total(t.v)
	})
	for p, i := range b.Points {
		m.each[i] = sums[p]
	}
}

// logs fills each with the dissimilar part of the likelihood: of both
// directions of the target's pairs, so that every pair counts twice.
func (m *Model) logs(b *field.Batch) {
	t, sums := m.tile(b, 1)
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
