package fieldtest

import (
	"math"
	"math/rand/v2"

	"unfold/internal/vec"
)

// State is the state of a map that a field is moved to, with its Delta_i^2.
type State struct {
	Mu             vec.Matrix[float64]
	Sigma2, Delta2 []float64
}

// N and Dims return the numbers of points and dimensions.
func (s *State) N() int    { return s.Mu.Rows }
func (s *State) Dims() int { return s.Mu.Cols }

// newState returns n points at the origin with random scales.
func newState(n, d int, r *rand.Rand) *State {
	s := &State{Mu: vec.New[float64](n, d), Sigma2: make([]float64, n), Delta2: make([]float64, n)}
	for i := range n {
		s.Sigma2[i] = 0.1 * math.Exp(0.3*r.NormFloat64())
		s.Delta2[i] = bandwidth2(r.NormFloat64())
	}
	return s
}

// bandwidth2 returns a Delta^2 in [0.1, 10], distributed as in real maps, from a normal deviate.
func bandwidth2(normal float64) float64 { return min(max(math.Exp(0.7*normal), 0.1), 10) }

// Layouts are difficult maps that every field must handle, by name: functions that return n points
// in d dimensions.
var Layouts = map[string]func(n, d int, seed uint64) *State{
	"cloud": func(n, d int, seed uint64) *State {
		return scatter(n, d, seed, func(k int, x float64) float64 { return 3 * x })
	},
	"coincident": func(n, d int, seed uint64) *State {
		return scatter(n, d, seed, func(int, float64) float64 { return 1.5 })
	},
	"collinear": func(n, d int, seed uint64) *State {
		s := scatter(n, d, seed, func(k int, x float64) float64 { return 20 * x })
		for i := range n {
			row := s.Mu.Row(i)
			for k := range row {
				row[k] = float64(k+1) * row[0]
			}
		}
		return s
	},
	"outlier": func(n, d int, seed uint64) *State {
		s := scatter(n, d, seed, func(_ int, x float64) float64 { return 5 * x })
		s.Mu.Row(n / 2)[d-1] = 1e8
		return s
	},
	"heaps": func(n, d int, seed uint64) *State {
		return scatter(n, d, seed, func(_ int, x float64) float64 { return 4 * math.Round(x) })
	},
	"blobs": func(n, d int, seed uint64) *State { return Blobs(n, d, 7, seed) },
}

// scatter returns points with coordinates place(k, x), where x is a normal deviate.
func scatter(n, d int, seed uint64, place func(k int, x float64) float64) *State {
	r := rand.New(rand.NewPCG(seed, 1))
	s := newState(n, d, r)
	for i := range n {
		for k := range d {
			s.Mu.Row(i)[k] = place(k, r.NormFloat64())
		}
	}
	return s
}

// Blobs returns n points in count blobs of uneven size, width and length scale in a cube of edge
// 100, with sigma^2 = 0.1.
func Blobs(n, d, count int, seed uint64) *State {
	r := rand.New(rand.NewPCG(seed, 2))
	centre := vec.New[float64](count, d)
	width, scale, until := make([]float64, count), make([]float64, count), make([]float64, count)
	var sum float64
	for b := range count {
		for k := range d {
			centre.Row(b)[k] = 100 * r.Float64()
		}
		width[b], scale[b] = 2.5*math.Exp(0.7*r.NormFloat64()), 0.7*r.NormFloat64()
		sum += r.Float64()
		until[b] = sum
	}
	s := newState(n, d, r)
	for i := range n {
		b, at := 0, sum*r.Float64()
		for b+1 < count && until[b] < at {
			b++
		}
		for k, x := range centre.Row(b) {
			s.Mu.Row(i)[k] = x + width[b]*r.NormFloat64()
		}
		s.Sigma2[i], s.Delta2[i] = 0.1, bandwidth2(r.NormFloat64()+scale[b]/0.7)
	}
	return s
}
