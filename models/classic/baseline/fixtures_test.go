package baseline

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
)

// fixture is a map computed by scikit-learn, or by numpy where scikit-learn lacks the method
// (testdata/textbook.py and testdata/landmarks.py).
type fixture struct {
	Name, Method                string
	Neighbors                   int
	Steps                       int // iterations of EM; 0 for other methods
	Points                      int // that are landmarks; 0 where that is not asked
	Learn, More, Places, Others [][]float64
	// These are for GTM: the log-likelihood, the deviation of the noise, and the vectors at Places.
	Loglik, Sigma float64
	Decoded       [][]float64
	// These are for non-metric scaling: the number of iterations, and Kruskal's stress-1.
	Iterations int
	Stress     float64
}

func fixtures(t *testing.T, file string, want int) []fixture {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Cases []fixture }
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Cases) != want {
		t.Fatalf("%d cases, want %d", len(f.Cases), want)
	}
	return f.Cases
}

func rowsOf(rows [][]float64) vec.Matrix[float64] {
	x := vec.New[float64](len(rows), len(rows[0]))
	for i, r := range rows {
		copy(x.Row(i), r)
	}
	return x
}

// Every method places learnt and new vectors where scikit-learn does, up to signs, to 1e-6 of the
// map's extent. Methods that scikit-learn lacks are compared with numpy.
func TestPlacesAreThoseOfScikitLearn(t *testing.T) {
	for _, f := range fixtures(t, "textbook.json", 2*len(Methods())) {
		t.Run(f.Method+"/"+f.Name, f.holds)
	}
}

// Isomap with landmarks gives the positions of a numpy implementation.
func TestLandmarksAreThoseOfNumpy(t *testing.T) {
	for _, f := range fixtures(t, "landmarks.json", 2) {
		t.Run(f.Name, f.holds)
	}
}

// holds checks that a method gives a fixture's positions.
func (f fixture) holds(t *testing.T) {
	x := vec.Convert[float32](rowsOf(f.Learn))
	fit, err := Fit(t.Context(), Method(f.Method), x, Settings{
		Common: models.Common{Dims: len(f.Places[0]), Neighbors: f.Neighbors, Steps: f.Steps, Seed: 1}, Points: f.Points,
	})
	if err != nil {
		t.Fatal(err)
	}
	mu, _, err := fit.PlaceAll(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := rowsOf(f.Places)
	sign := signs(mu, want)
	same(t, "learnt", mu, want, sign)
	same(t, "placed", others(t, fit, vec.Convert[float32](rowsOf(f.More))), rowsOf(f.Others), sign)
}

// Classical scaling of Euclidean distances equals principal components (Gower 1966), also if
// eigenvectors are found by iteration, and for a sample of the rows.
func TestScalingIsComponents(t *testing.T) {
	all := modeltest.Events(6, 700, 8)
	x, more := all.Slice(0, 600), all.Slice(600, 700)
	set := Settings{Common: models.Common{Dims: 3}}
	linear, err := Fit(t.Context(), PCA, x, set)
	if err != nil {
		t.Fatal(err)
	}
	scaled, err := Fit(t.Context(), MDS, x, set)
	if err != nil {
		t.Fatal(err)
	}
	want, got := others(t, linear, x), others(t, scaled, x)
	sign := signs(got, want)
	same(t, "learnt", got, want, sign)
	same(t, "placed", others(t, scaled, more), others(t, linear, more), sign)
}

// A fit has the same bits for any number of threads, with a sample too.
func TestThreadsChangeNothing(t *testing.T) {
	x := modeltest.Events(5, 400, 6)
	for _, m := range Methods() {
		t.Run(string(m), func(t *testing.T) {
			var want vec.Matrix[float64]
			for _, threads := range []int{1, 2, 5} {
				fit, err := Fit(t.Context(), m, x, Settings{Common: models.Common{Threads: threads, Seed: 1}, Points: 300})
				if err != nil {
					t.Fatal(err)
				}
				got, _, err := fit.PlaceAll(t.Context(), x, nil)
				if err != nil {
					t.Fatal(err)
				}
				if threads == 1 {
					want = got
				}
				if !slices.Equal(got.Data, want.Data) {
					t.Errorf("%d threads give other places", threads)
				}
			}
		})
	}
}

// Weights sum to 1, and reconstruct a point from its neighbours.
func TestBarycenter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, dim := rapid.IntRange(1, 7).Draw(t, "neighbours"), rapid.IntRange(1, 4).Draw(t, "elements")
		value := rapid.Float64Range(-100, 100)
		points, near, middle := vec.New[float64](k, dim), make([]int32, k), make([]float64, dim)
		for i := range k {
			near[i] = int32(i)
			for c := range dim {
				points.Row(i)[c] = value.Draw(t, "value")
				middle[c] += points.Row(i)[c] / float64(k)
			}
		}
		back, sum := make([]float64, dim), 0.0
		for i, w := range newBarycenter(k, dim).of(middle, points, near) {
			sum += w
			vec.Axpy(w, points.Row(i), back)
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("the weights sum to %g", sum)
		}
		if d := vec.SquaredDistance(back, middle); d > 1e-6*(1+vec.SquaredNorm(points.Data)) {
			t.Fatalf("the mean of the neighbours is reconstructed at a squared distance of %g", d)
		}
	})
}

// others returns the positions of the vectors that were not learnt.
func others(t *testing.T, f *Fitted, x vec.Matrix[float32]) vec.Matrix[float64] {
	t.Helper()
	mu, _, err := f.Place(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	return mu
}

// signs returns the signs that turn the columns of a into those of b.
func signs(a, b vec.Matrix[float64]) []float64 {
	out := make([]float64, a.Cols)
	for i := range a.Rows {
		for c, v := range a.Row(i) {
			out[c] += v * b.Row(i)[c]
		}
	}
	for c, v := range out {
		out[c] = math.Copysign(1, v)
	}
	return out
}

// same checks that a equals b up to the signs, to 1e-6 of the largest entry.
func same(t *testing.T, what string, a, b vec.Matrix[float64], sign []float64) {
	t.Helper()
	var worst, extent float64
	for i := range b.Rows {
		for c, v := range b.Row(i) {
			worst, extent = max(worst, math.Abs(sign[c]*a.Row(i)[c]-v)), max(extent, math.Abs(v))
		}
	}
	if !(worst <= 1e-6*extent) {
		t.Errorf("%s: off by %g of %g", what, worst, extent)
	}
}
