package fieldtest

import (
	"math"

	"unfold/coarse/farfield"
	"unfold/internal/par"
	"unfold/internal/vec"
)

// push returns the weight of a pair's repulsion for a = d/2 and unit weight, in both directions.
// With q = sigma_i^2 + sigma_j^2 + r^2/d and P = (D/(q+D))^(d/2) it is
//
//	P/(1-P)/(q+D) for D = Delta_i^2 plus the same for D = Delta_j^2
//
// which is 1/q - 1/(q+D) = D/(q(q+D)) for d = 2.
func push(d int, q, deltaI2, deltaJ2 float64) float64 {
	if d == 2 {
		return deltaI2/(q*(q+deltaI2)) + deltaJ2/(q*(q+deltaJ2))
	}
	one := func(delta2 float64) float64 {
		root, p := math.Sqrt(delta2/(q+delta2)), 1.0
		for range d {
			p *= root
		}
		return p / ((1 - p) * (q + delta2))
	}
	return one(deltaI2) + one(deltaJ2)
}

// Forces returns the repulsion of every point, n x d, from one sweep of f. f must have been moved.
func Forces(f farfield.Field, n, d, threads int) vec.Matrix[float64] {
	out := vec.New[float64](n, d)
	f.Sweep(threads, func(b *farfield.Batch) { Force(b, d, out) })
	return out
}

// Force computes the repulsion of a batch's targets.
func Force(b *farfield.Batch, d int, out vec.Matrix[float64]) {
	s, inverse := &b.Sources, 1/float64(d)
	for t, i := range b.Points {
		row := out.Row(int(i))
		sigma2, delta2 := b.Targets.Sigma2[t], b.Targets.Delta2[t]
		for j, w := range b.Weight {
			if b.Self >= 0 && j == b.Self+t {
				continue
			}
			var r2 float64
			for k := range row {
				x := b.Targets.Mu[k][t] - s.Mu[k][j]
				r2 += x * x
			}
			w *= push(d, sigma2+s.Sigma2[j]+r2*inverse, delta2, s.Delta2[j])
			for k := range row {
				row[k] += w * (b.Targets.Mu[k][t] - s.Mu[k][j])
			}
		}
	}
}

// Exact returns the repulsion of the given points, len(points) x d, from all others.
func Exact(s *State, points []int, threads int) vec.Matrix[float64] {
	d := s.Dims()
	out := vec.New[float64](len(points), d)
	par.Do(threads, len(points), func(p int) {
		i, row := points[p], out.Row(p)
		for j := range s.N() {
			if j == i {
				continue
			}
			r2 := vec.SquaredDistance(s.Mu.Row(i), s.Mu.Row(j))
			w := push(d, s.Sigma2[i]+s.Sigma2[j]+r2/float64(d), s.Delta2[i], s.Delta2[j])
			for k := range row {
				row[k] += w * (s.Mu.Row(i)[k] - s.Mu.Row(j)[k])
			}
		}
	})
	return out
}

// Error compares forces with the exact ones at the given points. rms is the root of the summed
// squared errors relative to that of the forces; worst is the largest error relative to the root
// mean square of the forces.
func Error(got, exact vec.Matrix[float64], points []int) (rms, worst float64) {
	var sum, most, scale float64
	for p, i := range points {
		e := vec.SquaredDistance(got.Row(i), exact.Row(p))
		sum, most = sum+e, max(most, e)
		scale += vec.SquaredNorm(exact.Row(p))
	}
	if scale == 0 {
		return math.Sqrt(sum), math.Sqrt(most)
	}
	return math.Sqrt(sum / scale), math.Sqrt(most * float64(len(points)) / scale)
}
