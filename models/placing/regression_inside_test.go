package placing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models/snapshot"
)

// The estimated variance that a projection omits is close to that of a power law. Without a
// projection it is 0.
func TestLostVariance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n, q, dim, power = 2000, 20, 80, -1.5
	s := &snapshot.Snapshot{Dim: dim, Reference: vec.New[float32](n, q), Components: vec.New[float32](q, dim)}
	for i := range n {
		for c := range q {
			s.Reference.Row(i)[c] = float32(math.Sqrt(math.Pow(float64(c+1), power)) * r.NormFloat64())
		}
	}
	want := 0.0
	for c := q; c < dim; c++ {
		want += math.Pow(float64(c+1), power)
	}
	if got := lostVariance(s); !(got > want/1.5 && got < want*1.5) {
		t.Errorf("%g is lost, want %g", got, want)
	}
	s.Components = vec.Matrix[float32]{}
	if got := lostVariance(s); got != 0 {
		t.Errorf("%g is lost of vectors that stay as they are", got)
	}
}

// If the variances of components follow a power law exactly, the lost variance follows from the
// law, up to the total variance. A single component, and one without variance, still have an
// estimate.
func TestLostVarianceOfExactLaw(t *testing.T) {
	for _, c := range []struct {
		q, dim int
		power  float64
		zero   int // a component without variance; -1: none
		want   float64
	}{{8, 12, -2, -1, 1./81 + 1./100 + 1./121 + 1./144}, {1, 3, -1, -1, 1}, {2, 3, -1, -1, .5}, {8, 9, -2, 5, 1. / 81}, {4, 90, 0, -1, 4}} {
		s := &snapshot.Snapshot{Dim: c.dim, Reference: vec.New[float32](2, c.q), Components: vec.New[float32](c.q, c.dim)}
		for k := range c.q {
			if v := float32(math.Sqrt(math.Pow(float64(k+1), c.power))); k != c.zero {
				s.Reference.Row(0)[k], s.Reference.Row(1)[k] = v, -v
			}
		}
		if got := lostVariance(s); !(math.Abs(got-c.want) <= 1e-5*c.want) {
			t.Errorf("%+v: %g is lost", c, got)
		}
	}
}

// The curve never decreases, interpolates linearly and is constant at the end.
func TestCurveOfErrors(t *testing.T) {
	g := curveOf([][]residual{{{1, 1}, {4, 2}, {2, 3}}, {{3, 3}, {6, 4}, {6, 5}}})
	if !slices.Equal(g.bandwidth, []float64{2, 3, 4}) || !slices.Equal(g.error2, []float64{2, 5, 5}) {
		t.Errorf("%+v", g)
	}
	for h, want := range map[float64]float64{0: 2, 2: 2, 2.5: 3.5, 3: 5, 1e9: 5} {
		if got := g.at(h); got != want {
			t.Errorf("%g at %g, want %g", got, h, want)
		}
	}
	// The curve leaves out a level that few points reach, and a level whose bandwidth does not
	// grow.
	few := append([][]residual{{{1, 1}, {5, 2}, {7, 3}}}, slices.Repeat([][]residual{{{1, 1}}}, 10)...)
	if g := curveOf(few); !slices.Equal(g.bandwidth, []float64{1}) || !slices.Equal(g.error2, []float64{1}) {
		t.Errorf("of few points %+v", g)
	}
	if g := curveOf(few[:10]); !slices.Equal(g.bandwidth, []float64{1, 2, 3}) {
		t.Errorf("of one point of ten %+v", g)
	}
	for _, h := range []float64{1, .5} {
		if g := curveOf([][]residual{{{1, 1}, {5, h}, {7, 3}}}); !slices.Equal(g.bandwidth, []float64{1, 3}) || !slices.Equal(g.error2, []float64{1, 7}) {
			t.Errorf("of bandwidths 1, %g and 3: %+v", h, g)
		}
	}
	if got := (growth{}).at(3); got != 0 {
		t.Errorf("a map without a curve has %g", got)
	}
}
