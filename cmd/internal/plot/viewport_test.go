package plot

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// cloud adds n normal points around a place.
func cloud(x, y []float64, r *rand.Rand, n int, cx, cy, spread float64) ([]float64, []float64) {
	for range n {
		x, y = append(x, cx+spread*r.NormFloat64()), append(y, cy+spread*r.NormFloat64())
	}
	return x, y
}

// repeated adds n points at one place.
func repeated(x, y []float64, n int, cx, cy float64) ([]float64, []float64) {
	for range n {
		x, y = append(x, cx), append(y, cy)
	}
	return x, y
}

// framed prepares a map of points.
func framed(t testing.TB, x, y []float64) *picture {
	t.Helper()
	s, err := Settings{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	p, err := prepare(Map{X: x, Y: y}, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// used returns the share of the panel that the range of the points covers.
func (p *picture) used(x, y []float64) float64 {
	xs, ys := ascending(x), ascending(y)
	size := p.viewport.panel.Size()
	return (xs[len(xs)-1] - xs[0]) * (ys[len(ys)-1] - ys[0]) * p.viewport.scale * p.viewport.scale / float64(size.X*size.Y)
}

func TestWhatTheFrameLeavesOut(t *testing.T) {
	for name, c := range map[string]struct {
		// The first main points are the ones that the picture should show well.
		points      func(x, y []float64, r *rand.Rand) ([]float64, []float64)
		main        int
		out, atMost int
		used        float64
	}{
		"a cloud is shown whole": {func(x, y []float64, r *rand.Rand) ([]float64, []float64) {
			return cloud(x, y, r, 5000, 3, -4, 2)
		}, 5000, 0, 0, 0.4},
		"one far point of 60": {func(x, y []float64, r *rand.Rand) ([]float64, []float64) {
			x, y = cloud(x, y, r, 59, 0, 0, 1)
			return append(x, 1e9), append(y, 0)
		}, 59, 1, 1, 0.3},
		"one point of six is no outlier": {func(x, y []float64, r *rand.Rand) ([]float64, []float64) {
			x, y = cloud(x, y, r, 5, 0, 0, 1)
			return append(x, 40), append(y, 40)
		}, 6, 0, 0, 0.4},
		"a small island far away": {func(x, y []float64, r *rand.Rand) ([]float64, []float64) {
			x, y = cloud(x, y, r, 9900, 0, 0, 10)
			return cloud(x, y, r, 100, 900, 300, 1)
		}, 9900, 100, 100, 0.4},
		"islands on all sides": {func(x, y []float64, r *rand.Rand) ([]float64, []float64) {
			x, y = cloud(x, y, r, 9500, 0, 0, 10)
			for k := range 10 {
				sin, cos := math.Sincos(2 * math.Pi * float64(k) / 10)
				x, y = cloud(x, y, r, 50, 500*cos, 500*sin, 1)
			}
			return x, y
		}, 9500, 500, 500, 0.2},
		"an island near by stays": {func(x, y []float64, r *rand.Rand) ([]float64, []float64) {
			x, y = cloud(x, y, r, 9900, 0, 0, 10)
			return cloud(x, y, r, 100, 60, 0, 1)
		}, 10000, 0, 0, 0.4},
		"a large island stays, however far": {func(x, y []float64, r *rand.Rand) ([]float64, []float64) {
			x, y = cloud(x, y, r, 9000, 0, 0, 10)
			return cloud(x, y, r, 1000, 900, 0, 10)
		}, 10000, 0, 0, 0},
		// In a stream of mostly equal events, the other events determine the viewport.
		"equal events are one place": {func(x, y []float64, r *rand.Rand) ([]float64, []float64) {
			x, y = repeated(x, y, 99000, 0, 0)
			x, y = repeated(x, y, 500, 0.01, 0.01)
			return cloud(x, y, r, 500, 0, 0, 10)
		}, 100000, 0, 0, 0.4},
		// A tenth of the events share one of many places.
		"a place of many events stays": {func(x, y []float64, r *rand.Rand) ([]float64, []float64) {
			x, y = cloud(x, y, r, 9000, 0, 0, 10)
			return repeated(x, y, 1000, 900, 900)
		}, 10000, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			x, y := c.points(nil, nil, rand.New(rand.NewPCG(1, 1)))
			p := framed(t, x, y)
			if p.drawn.Outside < c.out || p.drawn.Outside > c.atMost || p.drawn.Inside != len(x)-p.drawn.Outside {
				t.Errorf("drawn %+v, expected %d to %d of %d outside", p.drawn, c.out, c.atMost, len(x))
			}
			for i := range c.main {
				if _, inside := p.viewport.at(x[i], y[i]); !inside && c.main == len(x) {
					t.Fatalf("point %d is outside", i)
				}
			}
			if u := p.used(x[:c.main], y[:c.main]); u < c.used {
				t.Errorf("what the picture is about takes %.3f of the panel, expected at least %v", u, c.used)
			}
		})
	}
}

// For any points: each is drawn at its position, at the edge, or counted as lost. The viewport
// excludes few points, and only if the rest then has twice the area. No further allowed cut would
// enlarge the rest much more.
func TestFrameOfAnyPoints(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		x, y := cloud(nil, nil, r, rapid.IntRange(1, 800).Draw(rt, "main"), 0, 0, 1)
		for range rapid.IntRange(0, 5).Draw(rt, "islands") {
			away := math.Pow(10, rapid.Float64Range(-1, 8).Draw(rt, "away"))
			sin, cos := math.Sincos(2 * math.Pi * r.Float64())
			x, y = cloud(x, y, r, rapid.IntRange(1, 60).Draw(rt, "size"), away*cos, away*sin, 0.1)
		}
		n := len(x)
		if rapid.Bool().Draw(rt, "lost") {
			x, y = append(x, math.NaN(), 1), append(y, 0, math.Inf(1))
		}
		p := framed(t, x, y)
		if d := p.drawn; d.Inside+d.Outside != n || d.Lost != len(x)-n || len(p.dots) != n {
			rt.Fatalf("%d points, %d of them finite: %+v", len(x), n, d)
		}
		for _, d := range p.dots {
			in := p.viewport.panel
			if d.at.X-d.r < in.Min.X-d.r || d.at.X > in.Max.X || d.at.Y < in.Min.Y || d.at.Y > in.Max.Y {
				rt.Fatalf("a dot at %v, beyond the panel %v", d.at, in)
			}
		}
		if float64(p.drawn.Outside) > most*float64(n) {
			rt.Fatalf("%d of %d points are outside", p.drawn.Outside, n)
		}
		fx, fy := finite(x, y)
		px, py := once(fx, fy)
		xs, ys := axis{ascending(fx), ascending(px)}, axis{ascending(fy), ascending(py)}
		whole := fitted(xs.within(0), ys.within(0), p.viewport.panel)
		if p.viewport.scale != whole.scale && p.viewport.scale < worth*whole.scale {
			rt.Fatalf("points are left out to show the rest %v times as large", p.viewport.scale/whole.scale)
		}
		for _, share := range cuts {
			if g := fitted(xs.within(share), ys.within(share), p.viewport.panel); g.scale >= max(worth*whole.scale, more*p.viewport.scale)*(1+1e-9) && g.beyond(fx, fy) <= most && g.beyond(px, py) <= most {
				rt.Fatalf("without a share of %v the rest would be %v times as large", share, g.scale/p.viewport.scale)
			}
		}
	})
}

// With more points, dots are smaller and fainter: a few are easy to see, and half a million are
// fine grain.
func TestDotsFollowTheNumberOfPoints(t *testing.T) {
	r0, a0 := math.Inf(1), 1.0
	for _, n := range []int{60, 500, 5000, 500_000} {
		x, y := cloud(nil, nil, rand.New(rand.NewPCG(2, 2)), n, 0, 0, 1)
		p := framed(t, x, y)
		var radius, opacity float64
		for _, d := range p.dots {
			radius += float64(d.r) / float64(n)
			opacity += float64(d.color.A) / 255 / float64(n)
		}
		if radius > 1.05*r0 || opacity > a0+1e-9 {
			t.Errorf("%d points: radius %.2f and opacity %.2f, fewer points had %.2f and %.2f", n, radius, opacity, r0, a0)
		}
		if r0, a0 = radius, opacity; n <= 500 && radius < 2.5 || n >= 500_000 && (radius > 0.6 || opacity > 0.7) {
			t.Errorf("%d points: mean radius %.2f, opacity %.2f", n, radius, opacity)
		}
	}
}
