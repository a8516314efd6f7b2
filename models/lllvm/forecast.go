package lllvm

import (
	"math"

	"unfold/sparse/par"
)

// atOnce are the bytes that starts which are learnt at once may take.
const atOnce = 1 << 30

// together is how many starts are learnt at once, n points of dy values.
func (s FitSettings) together(n, dy int) int {
	jobs := (s.MaxNeighbors - s.Neighbors + 1) * s.Restarts
	return min(par.Threads(s.Threads), jobs, int(max(1, atOnce/max(1, s.bytes(n, dy)))))
}

// Bytes returns about what a fit holds beside the vectors, of n points of dy values of
// which at most Points are learnt: what is learnt at once, and the best so far. The
// settings have to be resolved. In patches it is for points that lie about a surface; others
// are harder to separate, and take more.
func (s FitSettings) Bytes(n, dy int) int64 {
	learnt := min(n, s.Points)
	runs := s.together(learnt, dy)
	if (s.MaxNeighbors-s.Neighbors+1)*s.Restarts > 1 {
		runs++
	}
	out := int64(runs) * s.bytes(learnt, dy)
	if n > learnt { // to place the others
		_, moments := s.shape(learnt).numbers(s.Dims)
		out += 2 * 8 * moments
	}
	return out
}

// bytes is what learning from one start holds.
func (s FitSettings) bytes(n, dy int) int64 {
	shape := s.shape(n)
	held, _ := shape.numbers(s.Dims)
	m := int64(shape.points)
	// Two covariances; inverses of the patches and of one the moments and what the
	// sandwich works on; mu_C, <H> and a copy.
	return 8 * (2*held + int64(shape.patches)*m*m + 4*m*m + 3*int64(n*s.Dims)*int64(dy))
}

// shape is that of the fronts, as far as it can be told without the graph.
type shape struct {
	// patches of so many points each, fronts above them.
	patches, points int
	above           []int // points in a front
}

// What separators of the points of a surface with about 10 neighbours have been seen to
// take: a part of s points has a border of borderShare sqrt(s) points, and is separated
// by cutShare sqrt(s).
const (
	borderShare = 5
	cutShare    = 2
)

func (s FitSettings) shape(n int) shape {
	out := shape{patches: 1, points: n}
	most := s.patch(n)
	if most == 0 || most >= n {
		return out
	}
	size := float64(n)
	for size > float64(most) {
		for range out.patches {
			border := borderShare * math.Sqrt(size)
			if out.patches == 1 {
				border = 0
			}
			out.above = append(out.above, int(cutShare*math.Sqrt(size)+border))
		}
		size /= 2
		out.patches *= 2
	}
	out.points = int(size + borderShare*math.Sqrt(size))
	return out
}

// numbers are those of a covariance, and of the moments within patches.
func (s shape) numbers(dims int) (held, moments int64) {
	square := func(points int) int64 { return int64(points*dims) * int64(points*dims) }
	moments = int64(s.patches) * square(s.points)
	held = moments
	for _, points := range s.above {
		held += square(points)
	}
	return held, moments
}
