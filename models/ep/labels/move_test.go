package labels

import (
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// A classifier of the whole map predicts the same after the map was turned, reflected and shifted,
// once and again. A damaged motion is refused.
func TestMove(t *testing.T) {
	s := firstFormat(t)
	d := s.Mu.Cols
	predict := func(mu vec.Matrix[float64]) []float64 {
		c, err := Open(s)
		if err != nil {
			t.Fatal(err)
		}
		return probabilities(t, c, models.Placed{Mu: vec.Convert[float32](mu), Sigma: slices.Repeat([]float32{.1}, mu.Rows)}, 1).Data
	}
	mu := s.Mu.Slice(0, 20)
	want := predict(mu)
	for k, angle := range []float64{.7, 2} {
		moved := mu.Clone()
		for i := range mu.Rows {
			x, y := mu.Row(i)[0], mu.Row(i)[1]
			moved.Row(i)[0], moved.Row(i)[1] = math.Cos(angle)*x-math.Sin(angle)*y+3, math.Sin(angle)*x+math.Cos(angle)*y-1
			moved.Row(i)[d-1] *= float64(1 - 2*k) // the second motion reflects as well
		}
		if err := Move(s, placing.NewMotion(mu, moved)); err != nil {
			t.Fatal(err)
		}
		mu = moved
		for i, v := range predict(mu) {
			if math.Abs(v-want[i]) > 1e-5 {
				t.Fatalf("motion %d: probability %d is %g, was %g", k, i, v, want[i])
			}
		}
	}
	c, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := c.Parts()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(parts, func(p snapshot.Part) bool { return p.Name == partFrame })
	if at < 0 {
		t.Fatal("the classifier is written without its frame")
	}
	for _, bad := range []snapshot.Part{{Name: partFrame, Rows: d, Cols: d, Data: make([]float64, d*d)}, {Name: partFrame, Rows: d + 1, Cols: d, Data: slices.Repeat([]float64{math.NaN()}, (d+1)*d)}} {
		s.Parts = append(slices.Clone(parts[:at]), bad)
		if _, err := Open(s); !models.IsBadInput(err) {
			t.Errorf("a frame of %d x %d: %v", bad.Rows, bad.Cols, err)
		}
		if err := Move(s, placing.Motion{}); err == nil {
			t.Error("a map with a damaged frame is moved")
		}
	}
	// A map without such a classifier has nothing to move.
	s.Parts = nil
	if err := Move(s, placing.NewMotion(s.Mu.Slice(0, 20), mu)); err != nil || s.Parts != nil {
		t.Errorf("%v, %v", s.Parts, err)
	}
}
