package prior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// cloud are n normal points.
func cloud(n, d int, seed uint64) vec.Matrix[float64] {
	r := rand.New(rand.NewPCG(seed, 3))
	m := vec.New[float64](n, d)
	for k := range m.Data {
		m.Data[k] = r.NormFloat64()
	}
	return m
}

// rotation returns a random orthogonal matrix, by Gram-Schmidt of normal rows.
func rotation(d int, seed uint64) vec.Matrix[float64] {
	m := cloud(d, d, seed)
	for i := range d {
		for j := range i {
			vec.Axpy(-vec.Dot(m.Row(i), m.Row(j)), m.Row(j), m.Row(i))
		}
		vec.Scale(1/math.Sqrt(vec.SquaredNorm(m.Row(i))), m.Row(i))
	}
	return m
}

// Fit recovers the transform that made a map of the frame, whatever the free points are. The log
// density there is 0, its maximum.
func TestSimilarityIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 5).Draw(t, "d")
		n := rapid.IntRange(d+1, 30).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		frame := cloud(n, d, seed)
		at := Similarity{
			Scale: math.Exp(rapid.Float64Range(-5, 5).Draw(t, "log scale")), Turn: rotation(d, seed+1),
			From: cloud(1, d, seed+2).Row(0), To: cloud(1, d, seed+3).Row(0),
		}
		mu := vec.New[float64](n, d)
		for i := range n {
			at.Apply(mu.Row(i), frame.Row(i))
		}
		if n > d+2 {
			frame.Row(n - 1)[0] = math.NaN() // free
		}
		p := New(frame)
		p.Fit(mu)
		got := make([]float64, d)
		for i := range p.Known() {
			p.at.Apply(got, frame.Row(i))
			if e := math.Sqrt(vec.SquaredDistance(got, mu.Row(i))); e > 1e-9*(1+at.Scale) {
				t.Fatalf("point %d is %g from its place", i, e)
			}
		}
		if l := p.LogDensity(mu, 1, 1); !(l <= 0 && l > -1e-15*(1+at.Scale*at.Scale)) {
			t.Fatalf("log p is %g at its largest", l)
		}
	})
}

// No other similarity transform is closer than that of Fit.
func TestFitIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, seed := rapid.IntRange(1, 4).Draw(t, "d"), rapid.Uint64().Draw(t, "seed")
		p, mu := New(cloud(20, d, seed)), cloud(20, d, seed+1)
		p.Fit(mu)
		best := p.LogDensity(mu, 2, 1)
		p.at.Scale *= 1 + rapid.Float64Range(-.2, .2).Draw(t, "scale")
		p.at.To[0] += rapid.Float64Range(-.2, .2).Draw(t, "shift")
		if d > 1 {
			angle := rapid.Float64Range(-1, 1).Draw(t, "angle")
			turn, c, s := vec.New[float64](d, d), math.Cos(angle), math.Sin(angle)
			for i := range d {
				a, b := p.at.Turn.Row(i)[0], p.at.Turn.Row(i)[1]
				copy(turn.Row(i), p.at.Turn.Row(i))
				turn.Row(i)[0], turn.Row(i)[1] = c*a-s*b, s*a+c*b
			}
			p.at.Turn = turn
		}
		if other := p.LogDensity(mu, 2, 1); other > best+1e-12*math.Abs(best) {
			t.Fatalf("log p is %g, elsewhere %g", best, other)
		}
	})
}

// Add adds the derivative of LogDensity with T at its optimum, and its curvature at a fixed T.
func TestAddIsTheGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, seed := rapid.IntRange(1, 5).Draw(t, "d"), rapid.Uint64().Draw(t, "seed")
		kappa := rapid.Float64Range(0.01, 10).Draw(t, "kappa")
		frame, mu := cloud(12, d, seed), cloud(12, d, seed+1)
		frame.Row(4)[d-1] = math.Inf(1) // free
		p, diagonal, grad := New(frame), make([]float64, 12), vec.New[float64](12, d)
		p.Fit(mu)
		p.Add(mu, kappa, diagonal, grad)
		for i := range 12 {
			if want := map[bool]float64{true: kappa}[i != 4]; diagonal[i] != want {
				t.Fatalf("the diagonal of point %d is %g, want %g", i, diagonal[i], want)
			}
			for c := range d {
				const h = 1e-5
				at := func(v float64) float64 {
					moved := mu.Clone()
					moved.Row(i)[c] += v
					p.Fit(moved)
					return p.LogDensity(moved, kappa, 1)
				}
				if want := (at(h) - at(-h)) / (2 * h); math.Abs(grad.Row(i)[c]-want) > 1e-6*(1+kappa) {
					t.Fatalf("d log p / d mu_%d%d is %g, differences give %g", i, c, grad.Row(i)[c], want)
				}
			}
		}
	})
}

// A prior without a frame, with weight 0, or of a map that is no longer finite has no effect.
func TestNothingKnown(t *testing.T) {
	mu := cloud(5, 2, 1)
	free := vec.New[float64](5, 2)
	for i := range free.Data {
		free.Data[i] = math.NaN()
	}
	broken := mu.Clone()
	broken.Data[3] = math.Inf(1)
	for _, c := range []struct {
		name  string
		p     *Prior
		mu    vec.Matrix[float64]
		kappa float64
	}{
		{"nil", nil, mu, 1}, {"no rows", New(vec.Matrix[float64]{}), mu, 1}, {"all free", New(free), mu, 1},
		{"no weight", New(cloud(5, 2, 2)), mu, 0}, {"not finite", New(cloud(5, 2, 2)), broken, 1},
	} {
		diagonal, grad := make([]float64, 5), vec.New[float64](5, 2)
		c.p.Fit(c.mu)
		c.p.Add(c.mu, c.kappa, diagonal, grad)
		if l := c.p.LogDensity(c.mu, c.kappa, 1); l != 0 || slices.Max(diagonal) != 0 || vec.SquaredNorm(grad.Data) != 0 {
			t.Errorf("%s: log p %g, diagonal %v, gradient %v", c.name, l, diagonal, grad.Data)
		}
	}
}

// kappa starts at From, ends at To, and decreases geometrically between them. A decrease to 0 ends
// at a ten thousandth of From.
func TestSchedule(t *testing.T) {
	for _, c := range []struct {
		name string
		s    Schedule
		done float64
		want float64
	}{
		{"begin", Schedule{1, .01}, 0, 1}, {"middle", Schedule{1, .01}, .5, .1}, {"end", Schedule{1, .01}, 1, .01},
		{"to nothing, begin", Schedule{2, 0}, 0, 2}, {"to nothing, middle", Schedule{2, 0}, .5, .02}, {"to nothing, end", Schedule{2, 0}, 1, 0},
		{"constant", Schedule{3, 3}, .3, 3}, {"from nothing", Schedule{0, 1}, .5, 0}, {"from nothing, end", Schedule{0, 1}, 1, 1},
		{"none", Schedule{}, .5, 0},
	} {
		if got := c.s.At(c.done); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
	phases := Phases(10)
	if phases != [3]int{2, 6, 2} {
		t.Errorf("phases of 10 steps: %v", phases)
	}
	for step, want := range map[int]float64{0: 0, 1: 0, 2: 1. / 6, 4: .5, 7: 1, 9: 1} {
		if got := Ramp(step, phases); math.Abs(got-want) > 1e-15 {
			t.Errorf("step %d: %g, want %g", step, got, want)
		}
	}
}

// Points of the frame keep their shape at the requested size. Free points start between their
// neighbours, even if these are free themselves.
func TestStartFillsFreePoints(t *testing.T) {
	// The points form a line; the frame has the points 0, 1, 2 and 6.
	nb := knn.NewNeighbors(7, 2)
	for i := range 7 {
		index, _ := nb.Row(i)
		index[0], index[1] = int32(max(i-1, 0)), int32(min(i+1, 6))
	}
	nan := math.NaN()
	frame := vec.Of(7, 1, []float64{10, 12, 14, nan, nan, nan, 20})
	mu := Start(frame, nb, 5)
	var square float64
	for _, i := range []int{0, 1, 2, 6} {
		square += mu.Data[i] * mu.Data[i] / 4
	}
	if math.Abs(square-25) > 1e-9 || math.Abs((mu.Data[6]-mu.Data[2])/(mu.Data[2]-mu.Data[0])-1.5) > 1e-9 {
		t.Errorf("known points start at %v", mu.Data)
	}
	if mu.Data[3] != mu.Data[2] || mu.Data[5] != mu.Data[6] || math.Abs(mu.Data[4]-(mu.Data[3]+mu.Data[5])/2) > 1e-12 {
		t.Errorf("free points start at %v", mu.Data)
	}
}

// Outliers of a computed frame are free and start at their neighbours. Outliers of given
// coordinates are kept.
func TestFarRowsAreFree(t *testing.T) {
	const n, far = 300, 4
	x := vec.Convert[float32](cloud(n, 3, 5))
	for i := range far {
		x.Row(i)[0] = float32(1000 * (i + 1))
	}
	nb, err := knn.Graph(t.Context(), x, 10, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	p := Points{X: x, Neighbors: nb, Seed: 1}
	for _, f := range []Frame{MDS, Geodesic} {
		frame, _, err := Settings{Frame: f}.Places(t.Context(), p, 2)
		if err != nil {
			t.Fatal(err)
		}
		if known := New(frame).known; len(known) != n-far || known[0] != far {
			t.Errorf("%v: %d of %d rows are known, from %d on", f, len(known), n, known[0])
		}
		mu, widest := Start(frame, nb, 5), 0.
		for _, v := range mu.Data {
			widest = max(widest, math.Abs(v))
		}
		if !(widest < 5*5) || !vec.Finite(mu.Data) {
			t.Errorf("%v: points start at up to %v", f, widest)
		}
	}
	given := vec.New[float64](n, 2)
	for i := range n {
		given.Row(i)[0] = float64(x.Row(i)[0])
	}
	if frame, _, err := (Settings{Frame: Given, Given: given}).Places(t.Context(), p, 2); err != nil || New(frame).Known() != n {
		t.Errorf("given: %d rows are known, %v", New(frame).Known(), err)
	}
}

// Lay moves a map to its frame without changing its shape.
func TestLayKeepsDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, seed := rapid.IntRange(1, 4).Draw(t, "d"), rapid.Uint64().Draw(t, "seed")
		frame := cloud(10, d, seed)
		at := Similarity{Scale: 3, Turn: rotation(d, seed+1), From: make([]float64, d), To: cloud(1, d, seed+2).Row(0)}
		mu := frame.Clone()
		at.ApplyAll(mu)
		before := vec.SquaredDistance(mu.Row(0), mu.Row(9))
		New(frame).Lay(mu)
		if after := vec.SquaredDistance(mu.Row(0), mu.Row(9)); math.Abs(after-before) > 1e-9*before {
			t.Fatalf("a squared distance of %g became %g", before, after)
		}
		if r, ok := Rigid(mu, frame); !ok || math.Abs(math.Abs(trace(r.Turn))-float64(d)) > 1e-6 {
			t.Fatalf("it could be turned further: %v", r.Turn.Data)
		}
	})
}

func trace(m vec.Matrix[float64]) (sum float64) {
	for i := range m.Rows {
		sum += m.Row(i)[i]
	}
	return sum
}

// Points that were rotated, mirrored, scaled and shifted are restored exactly, with the inverse
// scale.
func TestSimilarUndoesASimilarity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		turn, scale := rapid.Float64Range(-4, 4).Draw(rt, "turn"), rapid.Float64Range(0.01, 100).Draw(rt, "scale")
		mirror := float64(rapid.SampledFrom([]int{-1, 1}).Draw(rt, "mirror"))
		sin, cos := math.Sincos(turn)
		to := vec.New[float64](20, 2)
		from := vec.New[float64](20, 2)
		for i := range to.Rows {
			x, y := r.NormFloat64(), r.NormFloat64()
			to.Row(i)[0], to.Row(i)[1] = x, y
			from.Row(i)[0], from.Row(i)[1] = scale*(cos*x-mirror*sin*y)+5, scale*(sin*x+mirror*cos*y)-9
		}
		s, ok := Similar(from, to)
		if !ok || math.Abs(s.Scale*scale-1) > 1e-9 {
			rt.Fatalf("scale %v of points scaled by %v", s.Scale, scale)
		}
		s.ApplyAll(from)
		for i := range to.Rows {
			if d := math.Sqrt(vec.SquaredDistance(from.Row(i), to.Row(i))); d > 1e-9 {
				rt.Fatalf("point %d ends %v away", i, d)
			}
		}
	})
	if _, ok := Similar(vec.New[float64](0, 2), vec.New[float64](0, 2)); ok {
		t.Error("no points have a transform")
	}
}

// Another last weight keeps the first, unless that is smaller.
func TestEnding(t *testing.T) {
	for _, c := range []struct {
		to          float64
		other, firm Schedule
	}{
		{0, Schedule{}, Firm()},
		{0.05, Schedule{From: 0.1, To: 0.05}, Schedule{From: 1, To: 0.05}},
		{3, Schedule{From: 3, To: 3}, Schedule{From: 3, To: 3}},
	} {
		if got := Ending(c.to); got != c.other || got.Firmly() != c.firm {
			t.Errorf("%v: %v, firmly %v, want %v and %v", c.to, got, got.Firmly(), c.other, c.firm)
		}
	}
}
