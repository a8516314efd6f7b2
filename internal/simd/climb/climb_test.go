package climb

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
)

// edges are n random ones, those of type Edges and the same in a list.
func edges(n int, r *rand.Rand) (e Edges, all [][4]float64) {
	for range n {
		v := [4]float64{3 * r.NormFloat64(), 3 * r.NormFloat64(), float64(r.IntN(3)) + 0.1, 0.5 + r.Float64()}
		all = append(all, v)
		e.Add(v[0], v[1], v[2], v[3])
	}
	return e, all
}

// Every instruction set gives the bits of the formula, for any number of edges and steps, also where
// Edges is used again.
func TestPlane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		e, _ := edges(rapid.IntRange(1, 50).Draw(t, "before"), r)
		e.Reset()
		fresh, all := edges(rapid.IntRange(1, 50).Draw(t, "edges"), r)
		for _, v := range all {
			e.Add(v[0], v[1], v[2], v[3])
		}
		steps, half := rapid.IntRange(1, 60).Draw(t, "steps"), rapid.Float64Range(0.1, 2).Draw(t, "half")
		still := rapid.SampledFrom([]float64{0, 1e-18, 0.01, 1e9}).Draw(t, "still")
		x, y := r.NormFloat64(), r.NormFloat64()
		wantX, wantY := x, y
		for range steps {
			var total, sumX, sumY float64
			for _, v := range all {
				dx, dy := wantX-v[0], wantY-v[1]
				q := v[2] / (v[3] + float64(half*(float64(dx*dx)+float64(dy*dy))))
				total, sumX, sumY = total+q, sumX+float64(q*v[0]), sumY+float64(q*v[1])
			}
			dx, dy := sumX/total-wantX, sumY/total-wantY
			wantX, wantY = sumX/total, sumY/total
			if float64(dx*dx)+float64(dy*dy) <= still {
				break
			}
		}
		for _, l := range simd.Levels() {
			for _, e := range []*Edges{&e, &fresh} {
				if gotX, gotY := e.planeAt(l, x, y, half, still, steps); gotX != wantX || gotY != wantY {
					t.Fatalf("%v: %d edges, %d steps: %v, %v, want %v, %v", l, len(all), steps, gotX, gotY, wantX, wantY)
				}
			}
		}
	})
}

// The place that is found is a fixed point of the step: sums of q_j times the distances are 0.
func TestFixedPoint(t *testing.T) {
	e, all := edges(30, rand.New(rand.NewPCG(1, 2)))
	x, y := e.Plane(0, 0, 1, 0, 10_000)
	var pull [2]float64
	for _, v := range all {
		dx, dy := x-v[0], y-v[1]
		q := v[2] / (v[3] + dx*dx + dy*dy)
		pull[0], pull[1] = pull[0]+q*dx, pull[1]+q*dy
	}
	if math.Hypot(pull[0], pull[1]) > 1e-12 {
		t.Errorf("at %v, %v the edges pull by %v", x, y, pull)
	}
}

// Values that are not finite do not end in a panic or an endless loop.
func TestNotFinite(t *testing.T) {
	for _, l := range simd.Levels() {
		var e Edges
		e.Add(math.NaN(), 1, 1, 1)
		e.Add(math.Inf(1), 1, 1, 1)
		if x, _ := e.planeAt(l, 0, 0, 1, 1e-9, 50); !math.IsNaN(x) {
			t.Errorf("%v: %v", l, x)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic without edges")
		}
	}()
	(&Edges{}).Plane(0, 0, 1, 0, 1)
}

// BenchmarkPlane measures a step with 24 edges.
func BenchmarkPlane(b *testing.B) {
	const steps = 20
	e, _ := edges(24, rand.New(rand.NewPCG(1, 2)))
	for _, l := range simd.Levels() {
		b.Run(l.String(), func(b *testing.B) {
			for b.Loop() {
				e.planeAt(l, 0, 0, 1, 0, steps)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*steps), "ns/step")
		})
	}
}
