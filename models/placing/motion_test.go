package placing

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
)

// A motion of a cloud of points is estimated, moves the points, and can be undone. The identity is
// the zero value.
func TestMotion(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	a := vec.New[float64](20, 2)
	for i := range a.Data {
		a.Data[i] = rnd.NormFloat64()
	}
	b, s, c := a.Clone(), math.Sin(0.7), math.Cos(0.7)
	for i := range b.Rows {
		x, y := a.Row(i)[0], a.Row(i)[1]
		b.Row(i)[0], b.Row(i)[1] = c*x+s*y+3, s*x-c*y-1 // turned and mirrored
	}
	for _, to := range []vec.Matrix[float64]{a, b} {
		m := NewMotion(a, to)
		for i := range a.Rows {
			x := append([]float64(nil), a.Row(i)...)
			m.Forth(x)
			if d := vec.SquaredDistance(x, to.Row(i)); d > 1e-24 {
				t.Errorf("point %d is moved to %v, want %v", i, x, to.Row(i))
			}
			m.Back(x)
			if d := vec.SquaredDistance(x, a.Row(i)); d > 1e-24 {
				t.Errorf("point %d comes back to %v, was %v", i, x, a.Row(i))
			}
		}
	}
	cov := NewMotion(a, b).Turned(vec.Of(2, 2, []float64{4, 0, 0, 1}))
	if tr := cov.Row(0)[0] + cov.Row(1)[1]; math.Abs(tr-5) > 1e-12 || math.Abs(cov.Row(0)[1]-cov.Row(1)[0]) > 1e-12 || math.Abs(cov.Row(0)[1]) < 0.1 {
		t.Errorf("a covariance is turned to %v", cov.Data)
	}
}
