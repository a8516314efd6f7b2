package farfield_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/coarse/farfield"
	"unfold/coarse/farfield/fieldtest"
	"unfold/internal/vec"
)

// measured returns the errors of f's repulsion at random points, and the number of sources per
// point.
func measured(s *fieldtest.State, f farfield.Field, points int) (rms, worst, sources float64) {
	at := rand.New(rand.NewPCG(3, 3)).Perm(s.N())[:min(points, s.N())]
	f.Move(0, s.Mu, s.Sigma2)
	rms, worst = fieldtest.Error(fieldtest.Forces(f, s.N(), s.Dims(), 0), fieldtest.Exact(s, at, 0), at)
	return rms, worst, float64(f.Pairs()) / float64(s.N())
}

// The repulsion of Cells has at most the errors that the package comment states, over all points
// and for each point.
func TestCellsError(t *testing.T) {
	for _, c := range []struct {
		n, d              int
		theta, rms, worst float64
	}{
		{20000, 2, 0, 2e-2, 1e-1},
		{20000, 2, 0.3, 1e-2, 5e-2},
		{20000, 2, 0.05, 1e-4, 1e-4},
		{20000, 3, 0, 1e-2, 5e-2},
		{20000, 3, 0.15, 1e-4, 1e-3},
		{5000, 1, 0, 1e-2, 5e-2},
		{5000, 5, 0, 1e-4, 1e-3},
	} {
		t.Run(fmt.Sprintf("d=%d,theta=%v", c.d, c.theta), func(t *testing.T) {
			s := fieldtest.Blobs(c.n, c.d, 40, 1)
			f := farfield.NewCells(s.Delta2, c.d, farfield.CellSettings{Theta: c.theta})
			rms, worst, sources := measured(s, f, 300)
			t.Logf("error %.1e, the largest %.1e, with %.0f sources a point", rms, worst, sources)
			if rms > c.rms {
				t.Errorf("error %.1e, want at most %.0e", rms, c.rms)
			}
			if worst > c.worst {
				t.Errorf("the largest error %.1e, want at most %.0e", worst, c.worst)
			}
		})
	}
}

// On any map, the error of a point's force is small relative to the sum of the forces' magnitudes.
// With equal Delta^2 it decreases like theta^3. A force like r^-(d+1) has the third derivative
// (d+1)(d+2)(d+3)/r^3; a sixth of it times the cube of the extent theta r/sqrt(d) is at most 4.4
// theta^3 for d <= 4, and the skewness of points and stand-ins may double it. With uneven Delta^2
// the residuals of the linear fit may correlate with the position, which stand-ins ignore. That
// bound is not derived but several times the errors on thousands of maps. Theta is drawn
// log-uniformly, and small enough that the bound still excludes wrong forces.
func TestCellsErrorOfAnyMap(t *testing.T) {
	names := slices.Sorted(maps.Keys(fieldtest.Layouts))
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(2, 300).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "d")
		layout := rapid.SampledFrom(names).Draw(t, "layout")
		s := fieldtest.Layouts[layout](n, d, rapid.Uint64().Draw(t, "seed"))
		factor, most := 40.0, 0.2
		if rapid.Bool().Draw(t, "even") {
			factor, most = 10, 0.3
			for i := range s.Delta2 {
				s.Delta2[i] = 1
			}
		}
		theta := math.Exp(rapid.Float64Range(math.Log(0.02), math.Log(most)).Draw(t, "log theta"))
		leaf := rapid.IntRange(2, 40).Draw(t, "leaf")
		f := farfield.NewCells(s.Delta2, d, farfield.CellSettings{Theta: theta, Exact: -1, Leaf: leaf, Cell: rapid.IntRange(2, 20).Draw(t, "cell")})
		f.Move(1, s.Mu, s.Sigma2)
		got, want := fieldtest.Forces(f, n, d, 1), fieldtest.Exact(s, identity(n), 1)
		for i := range n {
			e := math.Sqrt(vec.SquaredDistance(got.Row(i), want.Row(i)))
			if bound := factor * math.Pow(theta, 3) * magnitude(s, i); e > bound {
				t.Fatalf("point %d: error %.2e, bound %.2e", i, e, bound)
			}
		}
	})
}

// magnitude returns the sum of the magnitudes of the forces on a point.
func magnitude(s *fieldtest.State, point int) (sum float64) {
	pair := fieldtest.State{Mu: vec.New[float64](2, s.Dims()), Sigma2: make([]float64, 2), Delta2: make([]float64, 2)}
	for j := range s.N() {
		if j == point {
			continue
		}
		for k, i := range []int{point, j} {
			copy(pair.Mu.Row(k), s.Mu.Row(i))
			pair.Sigma2[k], pair.Delta2[k] = s.Sigma2[i], s.Delta2[i]
		}
		sum += math.Sqrt(vec.SquaredNorm(fieldtest.Exact(&pair, []int{0}, 1).Row(0)))
	}
	return sum
}

// Coincident points need no more sources than spread-out ones: an outlier does not merge the others
// into one group, and a heap becomes a few groups. The number of sources grows more slowly than for
// a grid of two levels, n^(1/3).
func TestCellsNeedFewSources(t *testing.T) {
	for _, name := range []string{"coincident", "outlier", "heaps", "collinear", "cloud"} {
		sources := func(n int) float64 {
			s := fieldtest.Layouts[name](n, 2, 1)
			f := farfield.NewCells(s.Delta2, 2, farfield.CellSettings{})
			f.Move(0, s.Mu, s.Sigma2)
			return float64(f.Pairs()) / float64(n)
		}
		few, many := sources(10000), sources(40000)
		t.Logf("%s: %.0f sources a point, of four times as many points %.0f", name, few, many)
		if many > math.Cbrt(4)*few {
			t.Errorf("%s: %.0f sources a point, of four times as many points %.0f", name, few, many)
		}
	}
}

// The mean repulsion over many moves agrees with the exact sum within its expected error, and every
// sweep is a valid sample.
func TestSharedMean(t *testing.T) {
	const n, d, moves = 300, 2, 4000
	s := fieldtest.Blobs(n, d, 3, 1)
	f := farfield.NewShared(s.Delta2, d, farfield.SharedSettings{Sources: 40, Block: 16, Seed: 9, Exact: -1})
	number := map[float64]int{}
	for i := range n {
		number[s.Mu.Row(i)[0]] = i
	}
	drawn := make([]int, n)
	mean, square := vec.New[float64](n, d), make([]float64, n*d)
	for range moves {
		f.Move(1, s.Mu, s.Sigma2)
		f.Sweep(1, func(b *farfield.Batch) {
			outside := map[int]bool{}
			for _, x := range b.Sources.Mu[0] {
				outside[number[x]] = true
				drawn[number[x]]++
			}
			for _, i := range b.Points {
				if outside[int(i)] {
					t.Fatalf("point %d is among its own sources", i)
				}
			}
			if len(outside) != 40 || b.Self != -1 {
				t.Fatalf("%d different sources, Self %d", len(outside), b.Self)
			}
		})
		for k, x := range fieldtest.Forces(f, n, d, 1).Data {
			mean.Data[k] += x / moves
			square[k] += x * x / moves
		}
	}
	exact := fieldtest.Exact(s, identity(n), 1)
	for k, x := range mean.Data {
		sd := math.Sqrt((square[k] - x*x) / moves)
		if math.Abs(x-exact.Data[k]) > 5*sd {
			t.Errorf("the mean force of point %d is %v, want %v within %v", k/d, x, exact.Data[k], 5*sd)
		}
	}
	blocks := (n + 15) / 16
	want := float64(moves*40*blocks) / n
	for i, c := range drawn {
		if math.Abs(float64(c)-want) > 6*math.Sqrt(want) {
			t.Errorf("point %d is drawn %d times, want about %.0f", i, c, want)
		}
	}
}

func identity(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
