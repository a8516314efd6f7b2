package prior

import (
	"math"
	"testing"

	"unfold/internal/vec"
)

// TestSpent: distances from the frame are relative to its diameter, in any scale of the map. The
// percentile that is closest to its bound counts.
func TestSpent(t *testing.T) {
	const n = 1000
	frame := vec.New[float64](n, 2)
	for i := range n { // a circle of diameter 2
		frame.Row(i)[0], frame.Row(i)[1] = math.Cos(2*math.Pi*float64(i)/n), math.Sin(2*math.Pi*float64(i)/n)
	}
	for _, scale := range []float64{1, 30} {
		mu := frame.Clone()
		for i := 0; i < n; i += 5 { // a fifth moves by a fiftieth of the diameter, outwards and inwards alternately
			vec.Scale(1+0.04*float64(1-i/5%2*2), mu.Row(i))
		}
		vec.Scale(scale, mu.Data)
		p := New(frame)
		p.Fit(mu)
		for _, c := range []struct {
			b    Budget
			want float64
		}{{Budget{}, 0}, {Budget{1, 0.02, 1}, 1}, {Budget{1, 0.01, 1}, 2}, {Budget{1, 1, 0.04}, 0.5}, {Budget{1, 0.02, 0.005}, 4}} {
			if got := p.Spent(mu, c.b); math.Abs(got-c.want) > 0.05*c.want+1e-9 {
				t.Errorf("scale %v, budget %v: %v is spent, want %v", scale, c.b, got, c.want)
			}
		}
	}
	free := vec.New[float64](3, 2)
	for i := range free.Data {
		free.Data[i] = math.NaN()
	}
	for _, p := range []*Prior{nil, New(free), New(vec.New[float64](3, 2))} { // no points, or all at one place
		mu := vec.New[float64](3, 2)
		if p != nil {
			p.Fit(mu)
		}
		if got := p.Spent(mu, Budget{1, 1, 1}); got != 0 {
			t.Errorf("%v is spent without a frame", got)
		}
	}
}
