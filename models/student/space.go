package student

import (
	"unfold/coarse/farfield"
	"unfold/internal/simd/pairwise"
)

// These visitors sweep over dissimilar pairs in space, d = 3 and a = 3/2, where the power d/2 is a
// square root: see pairwise.PushSpace32.

// spacePushSingle computes grad and pushes in single precision, with coordinates relative to the
// first target, for the majoriser Force.
func (m *Model) spacePushSingle(b *farfield.Batch) {
	n := singles(b, 6)
	centre := [3]float64{b.Targets.Mu[0][0], b.Targets.Mu[1][0], b.Targets.Mu[2][0]}
	all := pairwise.SpaceRun[float32]{
		X: n.column(0, b.Sources.Mu[0], centre[0]), Y: n.column(1, b.Sources.Mu[1], centre[1]), Z: n.column(2, b.Sources.Mu[2], centre[2]),
		S: n.column(3, b.Sources.Sigma2, 0), I: n.column(4, b.Sources.Delta2, 0), W: n.column(5, b.Weight, 0),
	}
	inUnits(all.S, all.I)
	for p, i := range b.Points {
		d := spaceSpot(b, p)
		t := pairwise.SpaceSpot[float32]{
			X: float32(d.X - centre[0]), Y: float32(d.Y - centre[1]), Z: float32(d.Z - centre[2]),
			S: max(float32(d.S), leastSingle), I: float32(d.I),
		}
		own := weigh(b, all.W, p, 0)
		f := pairwise.PushSpace32(&t, &all)
		weigh(b, all.W, p, own)
		copy(m.grad.Row(int(i)), []float64{f.X, f.Y, f.Z})
		m.pushes[i] = f.V
	}
}

// inUnits converts sigma^2 and Delta^2 to the form of a run in space, 3 sigma^2 and 1/(3 Delta^2).
func inUnits[T pairwise.Float](s, a []T) {
	a = a[:len(s)]
	for k := range s {
		s[k] *= 3
		a[k] = 1 / (3 * a[k])
	}
}

// spaceRun returns a batch's sources as a run in space. Variances and scales are in the visitor's
// memory.
func spaceRun(b *farfield.Batch) pairwise.SpaceRun[float64] {
	n := len(b.Weight)
	room := workspace(b, 2*n)
	s, inverse := room[:n:n], room[n:]
	copy(s, b.Sources.Sigma2)
	copy(inverse, b.Sources.Delta2)
	inUnits(s, inverse)
	return pairwise.SpaceRun[float64]{X: b.Sources.Mu[0], Y: b.Sources.Mu[1], Z: b.Sources.Mu[2], S: s, I: inverse, W: b.Weight}
}

func spaceSpot(b *farfield.Batch, p int) pairwise.SpaceSpot[float64] {
	return pairwise.SpaceSpot[float64]{
		X: b.Targets.Mu[0][p], Y: b.Targets.Mu[1][p], Z: b.Targets.Mu[2][p],
		S: 3 * b.Targets.Sigma2[p], I: 1 / (3 * b.Targets.Delta2[p]),
	}
}

// spaceLogs computes each for every stride-th point.
func (m *Model) spaceLogs(b *farfield.Batch) {
	all := spaceRun(b)
	for p, i := range b.Points {
		if int(i)%m.stride != 0 {
			continue
		}
		t := spaceSpot(b, p)
		parts, count := around(b, p)
		m.each[i] = 0
		for _, part := range parts[:count] {
			sources := all.Cut(part.from, part.to)
			m.each[i] += pairwise.LogsSpace(&t, &sources)
		}
	}
}
