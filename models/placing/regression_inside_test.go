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
	if got := (growth{}).at(3); got != 0 {
		t.Errorf("a map without a curve has %g", got)
	}
}
