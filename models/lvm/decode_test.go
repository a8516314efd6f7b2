package lvm_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/distance"
)

// decoder opens a snapshot.
func decoder(t *testing.T, s *snapshot.Snapshot, threads int) models.Decoder {
	t.Helper()
	p, err := lvm.NewPlacer(s, placing.Options{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	return p.(models.Decoder)
}

// decoded decodes positions.
func decoded(t *testing.T, s *snapshot.Snapshot, mu vec.Matrix[float32]) models.Decoded {
	t.Helper()
	d, err := decoder(t, s, 0).Decode(t.Context(), mu)
	if err != nil {
		t.Fatal(err)
	}
	if !vec.Finite(d.X.Data) || !vec.Finite(d.Sigma) {
		t.Fatal("a vector or an error is not finite")
	}
	return d
}

// tailed are maps of the same points with both tails.
func tailed(t *testing.T, n, dim, q, dims int) (maps map[string]*snapshot.Snapshot, x vec.Matrix[float32]) {
	t.Helper()
	s, x := modeltest.Snapshot(t, 7, n, dim, q, dims)
	return map[string]*snapshot.Snapshot{"Gaussian": s, "Student": modeltest.Heavy(s)}, x
}

// missed returns the root mean squared error of an element.
func missed(got, want vec.Matrix[float32]) float64 {
	sum := 0.0
	for i, v := range got.Data {
		sum += math.Pow(float64(v)-float64(want.Data[i]), 2)
	}
	return math.Sqrt(sum / float64(len(got.Data)))
}

// rms is the root mean square.
func rms(values []float32) float64 {
	return math.Sqrt(vec.SquaredNorm(values) / float64(len(values)))
}

// The places of points decode to vectors near their own, within less than half the distance between
// groups. The predicted error is about the error of unseen vectors.
func TestPlacesOfPointsDecodeToTheirVectors(t *testing.T) {
	for _, q := range []int{0, 5} {
		maps, x := tailed(t, 600, 8, q, 2)
		for name, s := range maps {
			t.Run(fmt.Sprint(name, q), func(t *testing.T) {
				d := decoded(t, s, vec.Convert[float32](s.Mu))
				apart := make([]float32, x.Cols)
				for i := range x.Rows {
					for c, v := range x.Row((i + x.Rows/2) % x.Rows) {
						apart[c] += (v - x.Row(i)[c]) * (v - x.Row(i)[c]) / float32(x.Rows)
					}
				}
				other := 0.0
				for _, v := range apart {
					other += float64(v) / float64(len(apart))
				}
				if off := missed(d.X, x); !(off < math.Sqrt(other)/2) {
					t.Errorf("vectors are off by %g, other points by %g", off, math.Sqrt(other))
				}
				fresh := modeltest.Events(8, 300, 8)
				at, r := vec.New[float32](fresh.Rows, 2), rand.New(rand.NewPCG(1, 1))
				for i := range at.Rows {
					for c := range at.Cols { // as Snapshot places them
						at.Row(i)[c] = fresh.Row(i)[c] + float32(0.1*r.NormFloat64())
					}
				}
				d = decoded(t, s, at)
				if predicted, off := rms(d.Sigma), missed(d.X, fresh); !(predicted > 0.8*off && predicted < 1.25*off) {
					t.Errorf("new vectors are off by %g, %g was predicted", off, predicted)
				}
			})
		}
	}
}

// flat is a map of a plane that lies in five dimensions: vectors are linear in places.
func flat(t *testing.T, heavy bool) (s *snapshot.Snapshot, vectorsAt func(mu vec.Matrix[float32]) vec.Matrix[float32]) {
	t.Helper()
	s, _ = modeltest.Snapshot(t, 3, 900, 5, 0, 2)
	if heavy {
		s = modeltest.Heavy(s)
	}
	r := rand.New(rand.NewPCG(5, 5))
	for i := range s.Mu.Data {
		s.Mu.Data[i] = r.Float64()
	}
	vectorsAt = func(mu vec.Matrix[float32]) vec.Matrix[float32] {
		x := vec.New[float32](mu.Rows, 5)
		for i := range mu.Rows {
			a, b := mu.Row(i)[0], mu.Row(i)[1]
			copy(x.Row(i), []float32{a, b, a + b, 3 * a, 7 - 2*b})
		}
		return x
	}
	s.Reference = vectorsAt(vec.Convert[float32](s.Mu))
	return s, vectorsAt
}

// A plane decodes to itself, and the predicted error says so.
func TestPlaneDecodesToItself(t *testing.T) {
	for _, heavy := range []bool{false, true} {
		s, vectorsAt := flat(t, heavy)
		r, at := rand.New(rand.NewPCG(6, 6)), vec.New[float32](200, 2)
		for i := range at.Data {
			at.Data[i] = 0.1 + 0.8*r.Float32()
		}
		d := decoded(t, s, at)
		if off := missed(d.X, vectorsAt(at)); !(off < 2e-3) || !(rms(d.Sigma) < 1e-2) {
			t.Errorf("heavy %v: off by %g, %g was predicted, of a plane of side 1 to 3", heavy, off, rms(d.Sigma))
		}
	}
}

// The error grows with the distance from points, and reaches what points differ by. Vectors stay
// among the points' own however far away the place is.
func TestEmptyPlacesHaveLargeErrors(t *testing.T) {
	maps, x := tailed(t, 600, 8, 0, 2)
	for name, s := range maps {
		t.Run(name, func(t *testing.T) {
			edge := 0 // the point from which nothing lies up and to the right
			for i := range s.Mu.Rows {
				if s.Mu.Row(i)[0]+s.Mu.Row(i)[1] > s.Mu.Row(edge)[0]+s.Mu.Row(edge)[1] {
					edge = i
				}
			}
			at := vec.Convert[float32](s.Mu.Slice(edge, edge+1))
			for _, far := range []float32{3, 10, 30, 1e4, 1e20} {
				at = vec.Of(at.Rows+1, 2, append(at.Data, at.Data[0]+far, at.Data[1]+far))
			}
			d := decoded(t, s, at)
			for i, sigma := range d.Sigma[1:] {
				if sigma < 0.98*d.Sigma[i] || sigma < 2*d.Sigma[0] {
					t.Errorf("errors %v do not grow", d.Sigma)
				}
			}
			if spread := missed(x, vec.New[float32](x.Rows, x.Cols)); !(float64(d.Sigma[5]) > spread) {
				t.Errorf("the error is %g at the end of the world, and vectors are as large as %g", d.Sigma[5], spread)
			}
			for i := range at.Rows {
				for _, v := range d.X.Row(i) {
					if math.Abs(float64(v)) > 20 {
						t.Errorf("%v decodes to %v", at.Row(i), d.X.Row(i))
					}
				}
			}
		})
	}
}

// A place decodes to the same bits in any batch, in any order, on any number of threads and again.
func TestDecodingIsPure(t *testing.T) {
	maps, _ := tailed(t, 400, 12, 4, 3)
	for name, s := range maps {
		t.Run(name, func(t *testing.T) {
			at := vec.Convert[float32](s.Mu).Slice(0, 100)
			want := decoded(t, s, at)
			for _, threads := range []int{1, 3} {
				p := decoder(t, s, threads)
				for i := at.Rows - 1; i >= 0; i-- {
					for range 2 {
						got, err := p.Decode(t.Context(), at.Slice(i, i+1))
						if err != nil || !slices.Equal(got.X.Data, want.X.Row(i)) || got.Sigma[0] != want.Sigma[i] {
							t.Fatalf("%d threads: place %d is %v, %v alone, not %v", threads, i, got, err, want.X.Row(i))
						}
					}
				}
			}
		})
	}
}

// Maps of few points, or of points at one place, are decoded, too.
func TestDecodingByFewPoints(t *testing.T) {
	for _, n := range []int{11, 40} {
		maps, x := tailed(t, n, 4, 0, 2)
		for name, s := range maps {
			d := decoded(t, s, vec.Convert[float32](s.Mu))
			if missed(d.X, x) > 3 || slices.Min(d.Sigma) <= 0 {
				t.Errorf("%s, %d points: off by %g, errors %v", name, n, missed(d.X, x), d.Sigma)
			}
			s.Mu = vec.New[float64](n, 2)
			d = decoded(t, s, vec.Of(2, 2, []float32{0, 0, 1, 1}))
			for c, v := range placing.Centred(x).Shift {
				if n < 30 && math.Abs(v-float64(d.X.Row(0)[c])) > 1e-4 {
					t.Errorf("%s: points in one place decode to %v, want their mean, %g at %d", name, d.X.Row(0), v, c)
				}
			}
		}
	}
}

// Rows of other distances have vectors, too.
func TestDecodingOfOtherDistances(t *testing.T) {
	for _, by := range []distance.Distance{distance.Manhattan, distance.Chebyshev} {
		maps, x := tailed(t, 300, 6, 0, 2)
		s := maps["Student"] // no other tails have them
		s.Distance = by
		if d := decoded(t, s, vec.Convert[float32](s.Mu)); !(missed(d.X, x) < 1.5) {
			t.Errorf("%v: off by %g", by, missed(d.X, x))
		}
	}
}

// No, one or two places are decoded; places that are not finite are refused.
func TestDecodingOfWhatIsNoPlace(t *testing.T) {
	maps, _ := tailed(t, 100, 6, 3, 2)
	for _, s := range maps {
		for n := range 3 {
			if d := decoded(t, s, vec.New[float32](n, 2)); d.X.Rows != n || d.X.Cols != 6 || len(d.Sigma) != n {
				t.Errorf("%d places give %d vectors of %d and %d errors", n, d.X.Rows, d.X.Cols, len(d.Sigma))
			}
		}
		p := decoder(t, s, 0)
		var dims *models.DimensionError
		if _, err := p.Decode(t.Context(), vec.New[float32](1, 3)); !errors.As(err, &dims) {
			t.Errorf("three coordinates on a plane: %v", err)
		}
		var row *models.RowError
		if _, err := p.Decode(t.Context(), vec.Of(2, 2, []float32{0, 0, 0, float32(math.NaN())})); !errors.As(err, &row) || row.Row != 1 {
			t.Errorf("NaN: %v", err)
		}
	}
}
