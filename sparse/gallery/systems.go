package gallery

import (
	"math"
	"math/rand/v2"
	"slices"
)

// System is a weighted undirected graph with a diagonal: the matrix Lap(W) + Gamma that solvers are
// tested with. The weights of pairs that are listed more than once are added.
type System struct {
	Name  string
	N     int
	I, J  []int32
	W     []float64
	Gamma []float64
}

// Systems returns graphs of about n points (at least 16): grids, trees, stars, random graphs,
// neighbour graphs of points, weights that span decades, several components. Each comes without a
// diagonal (singular), with a small one at all points, with one at a single point, and with one
// that spans decades.
func Systems(n int, seed uint64) []System {
	var all []System
	for _, g := range graphs(n, seed) {
		r := source(seed, 7)
		for _, kind := range []string{"none", "small", "one", "decades"} {
			s := g
			s.Name += "/" + kind
			s.Gamma = make([]float64, s.N)
			scale := slices.Max(s.W)
			for i := range s.Gamma {
				switch kind {
				case "small":
					s.Gamma[i] = 1e-2 * scale
				case "decades":
					s.Gamma[i] = scale * math.Pow(10, -8*r.Float64())
				}
			}
			if kind == "one" {
				s.Gamma[s.N/2] = scale
			}
			all = append(all, s)
		}
	}
	return all
}

// graphs lists those of Systems.
func graphs(n int, seed uint64) []System {
	side := int(math.Sqrt(float64(n)))
	i, j := gridPairs(side, side)
	grid := System{Name: "grid", N: side * side, I: i, J: j, W: ones(len(i))}
	i, j = gridPairs(n, 1)
	path := System{Name: "path", N: n, I: i, J: j, W: ones(n - 1)}
	r := source(seed, 6)
	star, tree := System{Name: "star", N: n, W: ones(n - 1)}, System{Name: "tree", N: n, W: ones(n - 1)}
	random := System{Name: "random", N: n, W: ones(5 * n)}
	for p := 1; p < n; p++ {
		star.I, star.J = append(star.I, 0), append(star.J, int32(p))
		tree.I, tree.J = append(tree.I, int32(r.IntN(p))), append(tree.J, int32(p))
	}
	for p := range 5 * n {
		a := p % n
		b := (a + 1 + r.IntN(n-1)) % n
		random.I, random.J = append(random.I, int32(a)), append(random.J, int32(b))
	}
	near := System{Name: "neighbours", N: n}
	_, near.I, near.J, near.W = RandomGeometric(n, 1.8/math.Sqrt(float64(n)), seed)
	if len(near.W) == 0 {
		near.I, near.J, near.W = []int32{0}, []int32{1}, []float64{1}
	}
	return []System{grid, path, star, tree, random, near,
		decades(grid, "grid-decades", r), decades(random, "random-decades", r), twice(near, "components")}
}

// ones returns n unit weights.
func ones(n int) []float64 {
	w := make([]float64, n)
	for p := range w {
		w[p] = 1
	}
	return w
}

// decades replaces the weights by ones between 1e-6 and 1.
func decades(s System, name string, r *rand.Rand) System {
	s.Name, s.W = name, slices.Clone(s.W)
	for p := range s.W {
		s.W[p] = math.Pow(10, -6*r.Float64())
	}
	return s
}

// twice returns a graph of two copies of a graph and an isolated point.
func twice(s System, name string) System {
	out := System{Name: name, N: 2*s.N + 1}
	for shift := range 2 {
		for p := range s.I {
			at := int32(shift * s.N)
			out.I, out.J, out.W = append(out.I, s.I[p]+at), append(out.J, s.J[p]+at), append(out.W, s.W[p])
		}
	}
	return out
}
