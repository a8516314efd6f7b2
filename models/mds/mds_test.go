package mds

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/score"
	"unfold/sparse/knn"
)

// cloud returns n points of a normal distribution in dim dimensions, of the given rank at most.
func cloud(n, dim, rank int, seed uint64) vec.Matrix[float32] {
	rng := rand.New(rand.NewPCG(seed, 1))
	axes := vec.New[float64](rank, dim)
	for i := range axes.Data {
		axes.Data[i] = rng.NormFloat64()
	}
	x := vec.New[float32](n, dim)
	for i := range n {
		row := make([]float64, dim)
		for r := range rank {
			vec.Axpy(rng.NormFloat64(), axes.Row(r), row)
		}
		for c, v := range row {
			x.Row(i)[c] = float32(v)
		}
	}
	return x
}

// roll returns n points of a rolled sheet, and their coordinates on the flat sheet.
func roll(n int, seed uint64) (x, sheet vec.Matrix[float32]) {
	rng := rand.New(rand.NewPCG(seed, 2))
	x, sheet = vec.New[float32](n, 3), vec.New[float32](n, 2)
	for i := range n {
		// The length along the spiral r = a follows an asinh, and the points are spread evenly
		// along it.
		a, h := 1.5*math.Pi*(1+2*math.Sqrt(rng.Float64())), 21*rng.Float64()
		copy(x.Row(i), []float32{float32(a * math.Cos(a)), float32(h), float32(a * math.Sin(a))})
		copy(sheet.Row(i), []float32{float32((a*math.Sqrt(1+a*a) + math.Asinh(a)) / 2), float32(h)})
	}
	return x, sheet
}

func lists(t *testing.T, x vec.Matrix[float32], k int) *knn.Neighbors {
	t.Helper()
	nb, err := knn.Graph(t.Context(), x, min(k, x.Rows-1), knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

func euclidean(t *testing.T, x vec.Matrix[float32], d int, s Settings) *Result {
	t.Helper()
	r, err := Euclidean(t.Context(), x, d, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func geodesic(t *testing.T, x vec.Matrix[float32], d int, s Settings) *Result {
	t.Helper()
	r, err := Geodesic(t.Context(), x, lists(t, x, 10), d, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// agree returns the rank correlation between distances of the positions and distances of the rows
// of x.
func agree(t *testing.T, x vec.Matrix[float32], r *Result) float64 {
	t.Helper()
	c, err := score.Distances(t.Context(), x, vec.Convert[float32](r.Places), score.Settings{Sample: 500, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return c.Spearman
}

// A map with at least as many dimensions as the data reproduces the data up to rotation and shift,
// for landmarks and other rows. Surplus coordinates are 0.
func TestEuclideanIsTheDataWhereItCan(t *testing.T) {
	for _, c := range []struct {
		name                    string
		n, dim, rank, d, beyond int
		agree                   float64
	}{
		{"line", 120, 3, 1, 1, 0, 0.995},
		{"plane", 300, 6, 2, 2, 0, 0.995},
		{"plane in five dimensions", 300, 6, 2, 5, 3, 0.995},
		{"more dimensions than landmarks", 90, 3, 3, 200, 197, 0.995},
		{"space", 200, 3, 3, 3, 0, 0.995},
		{"ten dimensions", 700, 20, 10, 10, 0, 0.95},
	} {
		x := cloud(c.n, c.dim, c.rank, 4)
		r := euclidean(t, x, c.d, Settings{Landmarks: 60})
		if len(r.Landmarks) != 60 || r.Stress > 1e-4 {
			t.Errorf("%s: %d landmarks, stress %g", c.name, len(r.Landmarks), r.Stress)
		}
		if a := agree(t, x, r); a < c.agree {
			t.Errorf("%s: correlation %.4f of all distances", c.name, a)
		}
		var worst, scale float64
		for _, i := range r.Landmarks {
			for _, j := range r.Landmarks {
				want := math.Sqrt(vec.SquaredDistance(x.Row(int(i)), x.Row(int(j))))
				got := math.Sqrt(vec.SquaredDistance(r.Places.Row(int(i)), r.Places.Row(int(j))))
				worst, scale = max(worst, math.Abs(got-want)), max(scale, want)
			}
		}
		for i := range c.n {
			for _, v := range r.Places.Row(i)[c.d-c.beyond:] {
				if v != 0 {
					t.Fatalf("%s: row %d has %v beyond the rank", c.name, i, v)
				}
			}
		}
		if worst > 1e-3*scale {
			t.Errorf("%s: a distance of landmarks is wrong by %g of %g", c.name, worst, scale)
		}
	}
}

// Path lengths flatten a rolled sheet, and straight distances do not.
func TestGeodesicUnrolls(t *testing.T) {
	x, sheet := roll(2500, 1)
	s := Settings{Landmarks: 300}
	flat, folded := geodesic(t, x, 2, s), euclidean(t, x, 2, s)
	if r := agree(t, sheet, flat); r < 0.98 {
		t.Errorf("geodesic: correlation %.4f with distances on the sheet, want at least 0.98", r)
	}
	if a, b := agree(t, x, folded), agree(t, x, flat); a < b+0.2 {
		t.Errorf("Euclidean: correlation %.3f with distances of the data, geodesic %.3f", a, b)
	}
	if flat.Stress > 0.1 || folded.Stress < 2*flat.Stress {
		t.Errorf("stress %.3f geodesic, %.3f Euclidean", flat.Stress, folded.Stress)
	}
}

// The result is the same to the bit for any number of threads, and another choice of landmarks
// changes it.
func TestThreadsAndSeeds(t *testing.T) {
	x, _ := roll(900, 2)
	for name, f := range map[string]func(Settings) *Result{
		"euclidean": func(s Settings) *Result { return euclidean(t, x, 2, s) },
		"geodesic":  func(s Settings) *Result { return geodesic(t, x, 2, s) },
	} {
		want := f(Settings{Landmarks: 80, Threads: 1, Seed: 3})
		for _, threads := range []int{2, 7} {
			got := f(Settings{Landmarks: 80, Threads: threads, Seed: 3})
			if !slices.Equal(got.Places.Data, want.Places.Data) || got.Stress != want.Stress || got.Iterations != want.Iterations {
				t.Errorf("%s: %d threads give another map", name, threads)
			}
		}
		if got := f(Settings{Landmarks: 80, Seed: 4}); slices.Equal(got.Landmarks, want.Landmarks) || slices.Equal(got.Places.Data, want.Places.Data) {
			t.Errorf("%s: another seed gives the same map", name)
		}
	}
}

// Equal rows get one position, and a few rows can be mapped.
func TestDegenerateRows(t *testing.T) {
	for _, c := range []struct {
		name      string
		x         vec.Matrix[float32]
		d         int
		landmarks int
	}{
		{"one row", vec.Of(1, 2, []float32{3, 4}), 2, 0},
		{"two rows", vec.Of(2, 2, []float32{3, 4, 0, 0}), 2, 0},
		{"two rows, one landmark", vec.Of(2, 2, []float32{3, 4, 0, 0}), 2, 1},
		{"equal rows", vec.New[float32](40, 3), 2, 0},
		{"equal rows, few landmarks", vec.New[float32](40, 3), 2, 5},
		{"half of the rows equal", func() vec.Matrix[float32] {
			x := cloud(80, 4, 4, 5)
			for i := range 40 {
				copy(x.Row(2*i), x.Row(0))
			}
			return x
		}(), 3, 20},
		{"constant columns", func() vec.Matrix[float32] {
			x := cloud(80, 4, 4, 6)
			for i := range 80 {
				x.Row(i)[1], x.Row(i)[3] = 7, -1
			}
			return x
		}(), 3, 20},
	} {
		s := Settings{Landmarks: c.landmarks}
		results := map[string]*Result{"euclidean": euclidean(t, c.x, c.d, s)}
		if c.x.Rows > 1 {
			results["geodesic"] = geodesic(t, c.x, c.d, s)
		} else {
			r, err := Geodesic(t.Context(), c.x, nil, c.d, s)
			if err != nil {
				t.Fatal(err)
			}
			results["geodesic"] = r
		}
		for name, r := range results {
			if !vec.Finite(r.Places.Data) || !(r.Stress >= 0 && r.Stress < 1) || r.Places.Rows != c.x.Rows || r.Places.Cols != c.d {
				t.Errorf("%s, %s: stress %g, places %v", c.name, name, r.Stress, r.Places)
			}
			for i := range c.x.Rows {
				for j := range i {
					apart := math.Sqrt(vec.SquaredDistance(r.Places.Row(i), r.Places.Row(j)))
					if slices.Equal(c.x.Row(i), c.x.Row(j)) && apart > 1e-4 {
						t.Errorf("%s, %s: equal rows %d and %d are %g apart", c.name, name, i, j, apart)
					}
				}
			}
		}
	}
	two := euclidean(t, vec.Of(2, 2, []float32{3, 4, 0, 0}), 2, Settings{}).Places
	if apart := math.Sqrt(vec.SquaredDistance(two.Row(0), two.Row(1))); math.Abs(apart-5) > 1e-5 {
		t.Errorf("two rows at distance 5 are %g apart", apart)
	}
}

// The components of the graph are joined: positions are finite, and farther apart between
// components.
func TestGeodesicJoinsParts(t *testing.T) {
	x := cloud(400, 3, 3, 7)
	for i := range 400 {
		x.Row(i)[0] += float32(50 * (i % 4))
	}
	r := geodesic(t, x, 2, Settings{Landmarks: 100})
	var within, between [2]float64
	for i := range 400 {
		for j := range i {
			apart := math.Sqrt(vec.SquaredDistance(r.Places.Row(i), r.Places.Row(j)))
			if i%4 == j%4 {
				within[0], within[1] = within[0]+apart, within[1]+1
			} else {
				between[0], between[1] = between[0]+apart, between[1]+1
			}
		}
	}
	if w, b := within[0]/within[1], between[0]/between[1]; !(b > 10*w) {
		t.Errorf("rows of one part are %g apart, of two %g", w, b)
	}
}

// Changing the units of the data only changes the units of the map, also where squares overflow
// single precision.
func TestUnits(t *testing.T) {
	x := cloud(300, 4, 4, 8)
	for _, f := range []struct {
		name string
		make func(vec.Matrix[float32]) *Result
	}{
		{"euclidean", func(x vec.Matrix[float32]) *Result { return euclidean(t, x, 2, Settings{Landmarks: 50}) }},
		{"geodesic", func(x vec.Matrix[float32]) *Result { return geodesic(t, x, 2, Settings{Landmarks: 50}) }},
	} {
		want := f.make(x)
		for _, exponent := range []int{-90, 90} {
			y := x.Clone()
			for i, v := range y.Data {
				y.Data[i] = float32(math.Ldexp(float64(v), exponent))
			}
			got := f.make(y)
			for i, v := range got.Places.Data {
				if v := math.Ldexp(v, -exponent); math.Abs(v-want.Places.Data[i]) > 1e-3 {
					t.Fatalf("%s in units of 2^%d: %g in place of %g", f.name, exponent, v, want.Places.Data[i])
				}
			}
		}
	}
}

func TestBadInput(t *testing.T) {
	x, ctx := cloud(30, 3, 3, 9), t.Context()
	bad := x.Clone()
	bad.Row(4)[2] = float32(math.NaN())
	nb := lists(t, x, 10)
	for name, f := range map[string]func() error{
		"NaN":           func() error { _, err := Euclidean(ctx, bad, 2, Settings{}); return err },
		"NaN, geodesic": func() error { _, err := Geodesic(ctx, bad, nb, 2, Settings{}); return err },
		"no dimensions": func() error { _, err := Euclidean(ctx, x, 0, Settings{}); return err },
		"no rows":       func() error { _, err := Euclidean(ctx, x.Slice(0, 0), 2, Settings{}); return err },
		"no columns":    func() error { _, err := Euclidean(ctx, vec.New[float32](5, 0), 2, Settings{}); return err },
	} {
		if err := f(); !errors.Is(err, models.ErrBadInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, s := range map[string]Settings{
		"landmarks": {Landmarks: -1}, "steps": {Steps: -1}, "near": {Near: -2}, "neighbors": {Neighbors: -1},
		"tolerance": {Tolerance: 1}, "lists": {Neighbors: 11},
	} {
		if _, err := Geodesic(ctx, x, nb, 2, s); err == nil {
			t.Errorf("%s: %+v passed", name, s)
		}
	}
	if _, err := Geodesic(ctx, x.Slice(0, 20), nb, 2, Settings{}); err == nil {
		t.Error("lists of other rows passed")
	}
}

func TestEnds(t *testing.T) {
	x := cloud(3000, 5, 5, 10)
	nb := lists(t, x, 10)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Euclidean(ctx, x, 2, Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Euclidean: %v", err)
	}
	if _, err := Geodesic(ctx, x, nb, 2, Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Geodesic: %v", err)
	}
}
