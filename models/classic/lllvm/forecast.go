package lllvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// atOnce is the maximum memory, in bytes, of the starts that are learnt concurrently.
const atOnce = 1 << 30

// together returns the number of starts that are learnt concurrently, for n points of dy values.
func (s FitSettings) together(n, dy int) int {
	return min(par.Threads(s.Threads), s.jobs(), int(max(1, atOnce/max(1, s.bytes(n, dy)))))
}

// Bytes returns the approximate memory of a fit in bytes, without the vectors, for n points of dy
// values; at most Points of them are learnt. It counts the concurrent starts and the best state so
// far. The settings must be resolved. With patches, the estimate assumes points near a surface;
// other data have larger separators and need more.
func (s FitSettings) Bytes(n, dy int) int64 {
	learnt := min(n, s.Points)
	runs := s.together(learnt, dy)
	if s.jobs() > 1 {
		runs++
	}
	out := int64(runs) * s.bytes(learnt, dy)
	if n > learnt { // to place the others
		_, moments := s.shape(learnt).numbers(s.MaxDims)
		out += 2 * 8 * moments
	}
	return out
}

// bytes returns the memory of learning from one start.
func (s FitSettings) bytes(n, dy int) int64 {
	shape := s.shape(n)
	held, _ := shape.numbers(s.MaxDims)
	m := int64(shape.points)
	// The terms are two covariances; the inverses of the patches; the moments and workspace of one
	// patch's sandwich; mu_C, <H> and a copy.
	return 8 * (2*held + int64(shape.patches)*m*m + 4*m*m + 3*int64(n*s.MaxDims)*int64(dy))
}

// shape is the expected sizes of the fronts, estimated without the graph.
type shape struct {
	// There are this many patches with this many points each, and other fronts above them.
	patches, points int
	above           []int // points in a front
}

// These are measured sizes of separators for points of a surface with about 10 neighbours. A part
// of s points has a border of borderShare sqrt(s) points, and its separator has cutShare sqrt(s).
const (
	borderShare = 3
	cutShare    = 1.5
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

// numbers returns how many float64 a covariance has, and how many the moments within patches have.
func (s shape) numbers(dims int) (held, moments int64) {
	square := func(points int) int64 { return int64(points*dims) * int64(points*dims) }
	moments = int64(s.patches) * square(s.points)
	held = moments
	for _, points := range s.above {
		held += square(points)
	}
	return held, moments
}

// Seconds estimates the duration of Fit and PlaceAll in seconds, for n points of dy values, if no
// start converges before its last step. It measures a step and the placing of a point with a few
// hundred points on this machine, in some tenths of a second. The settings must be resolved.
func (s FitSettings) Seconds(ctx context.Context, n, dy int) (float64, error) {
	learnt := min(n, s.Points)
	few := max(min(learnt, trialPoints), leastTrial, s.Dims+2)
	step, place, err := s.trial(ctx, few, max(dy, s.Dims))
	if err != nil {
		return 0, fmt.Errorf("lllvm: trial: %w", err)
	}
	small := s
	small.Patch = few
	k, of := float64(s.Neighbors+s.MaxNeighbors)/2, s.MaxDims-s.Dims+1
	total := 0.0
	for d := s.Dims; d <= s.MaxDims; d++ {
		total += step * float64(s.Steps*s.jobs()/of) * s.shape(learnt).work(d, k) / small.shape(few).work(s.Dims, k)
	}
	if others := n - learnt; others > 0 {
		total += place * float64(others) / float64(par.Threads(s.Threads)) * float64(s.shape(learnt).points) / float64(few)
	}
	return total, nil
}

// trialPoints is the number of points in the trial. The fastest of trialTimes steps counts.
const (
	trialPoints = 300
	leastTrial  = 30
	trialTimes  = 3
)

// trial measures a step with n random points, and the placing of one point.
func (s FitSettings) trial(ctx context.Context, n, dy int) (step, place float64, err error) {
	y, rnd := vec.New[float64](n, dy), rand.New(rand.NewPCG(1, 2))
	for i := range n {
		a, b := 2*rnd.Float64()-1, 2*rnd.Float64()-1
		for k := range dy {
			y.Row(i)[k] = math.Sin(a*float64(k%7+1)/3+b*float64(k%5+1)/2+float64(k)) / 2
		}
	}
	nb, err := knn.Graph(ctx, y, min(s.Neighbors, n-1), knn.Settings{Threads: s.Threads})
	if err != nil {
		return 0, 0, err
	}
	lists := firstOf(nb, min(s.Neighbors, n-1))
	bridge(y, lists)
	g, err := NewGraph(lists, s.Threads)
	if err != nil {
		return 0, 0, err
	}
	m, err := NewModel(g, y, Settings{Dims: s.Dims, Epsilon: s.Epsilon, Alpha: s.Alpha, Threads: s.Threads})
	if err != nil {
		return 0, 0, err
	}
	st := m.Random(1)
	step, place = math.Inf(1), math.Inf(1)
	for range trialTimes {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		begin := time.Now()
		if _, err := m.Step(st); err != nil {
			return 0, 0, err
		}
		step = min(step, time.Since(begin).Seconds())
	}
	e, guest := m.NewExtension(st, 0), m.NewGuest()
	for i := range trialTimes {
		begin := time.Now()
		if err := e.Place(guest, y.Row(i), lists[i]); err != nil {
			return 0, 0, err
		}
		place = min(place, time.Since(begin).Seconds())
	}
	return step, place, nil
}

// work returns the cost of a step, in operations of an inverse. It adds the fronts' factors and the
// row sums of the sandwiches: four products and two differences for each pair of coordinates. A
// term of these was measured to take as long as six operations.
func (s shape) work(dims int, k float64) float64 {
	cube := func(points int) float64 { return math.Pow(float64(points*dims), 3) }
	out := float64(s.patches) * cube(s.points)
	for _, points := range s.above {
		out += cube(points)
	}
	pairs := float64(dims * (dims + 1) / 2)
	return out + 6*6*pairs*1.3*k*float64(s.patches)*math.Pow(float64(s.points), 2)
}
