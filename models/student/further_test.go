package student

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/prior"
	"unfold/sparse/distance"
)

// TestFurtherRanks: ranks grow in equal ratios up to the reach, beyond the near ranks.
func TestFurtherRanks(t *testing.T) {
	for _, c := range []struct {
		name        string
		k, reach, m int
		want        []int
	}{
		{"three", 6, 60, 3, []int{13, 28, 60}}, {"20", 6, 20, 3, []int{9, 13, 20}}, {"near", 6, 8, 3, []int{7, 8}},
		{"none", 6, 6, 3, nil}, {"less", 6, 0, 3, nil}, {"one neighbour", 1, 2, 3, []int{2}},
		{"two", 8, 56, 2, []int{21, 56}}, {"equal ones once", 4, 8, 12, []int{5, 6, 7, 8}},
	} {
		if got := furtherRanks(c.k, c.reach, c.m); !slices.Equal(got, c.want) {
			t.Errorf("%s: ranks %v, want %v", c.name, got, c.want)
		}
	}
}

// TestFurtherEdges: further edges within the lists lead to the neighbours of their ranks. Every
// further edge has the true distance, and leads to the point itself or to one that is neither near
// nor listed twice.
func TestFurtherEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 80).Draw(t, "n")
		lists := rapid.IntRange(1, n-1).Draw(t, "lists")
		k := rapid.IntRange(1, lists).Draw(t, "k")
		x := normal(n, rapid.IntRange(1, 4).Draw(t, "dim"), rapid.Uint64().Draw(t, "seed"))
		nb := neighbors(t, x, lists)
		ranks := furtherRanks(k, rapid.IntRange(0, n-1).Draw(t, "reach"), rapid.IntRange(1, 9).Draw(t, "further"))
		d := rapid.SampledFrom([]distance.Distance{distance.Euclidean, distance.Manhattan, distance.Chebyshev}).Draw(t, "distance")
		got := further(x, nb, k, ranks, d, 2)
		for i := range n {
			index, dist2 := got.Row(i)
			own, _ := nb.Row(i)
			for m, j := range index {
				if int(j) == i {
					continue
				}
				if slices.Contains(own[:k], j) || slices.Contains(index[:m], j) {
					t.Fatalf("point %d: %v beside %v", i, index, own[:k])
				}
				if r := ranks[m]; r <= lists && j != own[r-1] {
					t.Fatalf("point %d: %d is at rank %d, want %d", i, j, r, own[r-1])
				}
				if want := distance.Between(d, x.Row(i), x.Row(int(j))); dist2[m] != want {
					t.Fatalf("point %d: squared distance %g of %d, want %g", i, dist2[m], j, want)
				}
			}
		}
	})
}

// TestFurtherWeight: Weigh changes only the weight of further edges. The weight 0 removes them.
func TestFurtherWeight(t *testing.T) {
	x := normal(60, 3, 4)
	nb := neighbors(t, x, 20)
	near := NewProblem(nb, 6, Native)
	p := newProblem(nb, further(x, nb, 6, []int{9, 20}, distance.Euclidean, 1), edgeWeights{rank: nearWeights(6, 0)}, lengths{unit: near.Unit}, 1)
	if p.edges() != near.edges() || !slices.Equal(p.Bandwidth2, near.Bandwidth2) {
		t.Errorf("%g edges, want %g", p.edges(), near.edges())
	}
	sum := func() (total float64) {
		for _, v := range present(p) {
			total += v / 2
		}
		return total
	}
	for _, s := range []float64{0, 1, .25} {
		p.Weigh(s)
		if want := 60 * (6 + 2*s); math.Abs(sum()-want) > 1e-9 {
			t.Errorf("weight %g: sum S is %g, want %g", s, sum(), want)
		}
	}
	w := FurtherWeight{From: 1, To: .2}
	for done, want := range map[float64]float64{0: 1, .5: .6, 1: .2} {
		if got := w.At(done); math.Abs(got-want) > 1e-15 {
			t.Errorf("weight at %g: %g, want %g", done, got, want)
		}
	}
}

// TestFurtherOfMany: few points have more further edges of less weight each. Shorter lists leave
// three further edges. So do many points, with less weight again.
func TestFurtherOfMany(t *testing.T) {
	set, err := Settings{}.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		n, lists int
		edges    int
		from, to float64
	}{
		{"few", 5_000, 1_000, 16, 0.3, 0.08}, {"20,000", 20_000, 1_000, 7, 0.5206, 0.1388},
		{"short lists", 5_000, 10, 3, 0.9158, 0.2442}, {"many", 120_000, 10, 3, 0.1145, 0.0305},
	} {
		m := len(set.ranks(c.n, c.lists))
		w := set.further(c.n, m)
		if m != c.edges || math.Abs(w.From-c.from) > 1e-3 || math.Abs(w.To-c.to) > 1e-4 {
			t.Errorf("%s: %d edges of %.4f to %.4f, want %d of %.4f to %.4f", c.name, m, w.From, w.To, c.edges, c.from, c.to)
		}
	}
	if w := set.further(5_000, 0); w != (FurtherWeight{}) {
		t.Errorf("weight %v of no edges", w)
	}
}

// TestVariance: without a given variance, that of all points depends on their number.
func TestVariance(t *testing.T) {
	for _, c := range []struct {
		name  string
		given float64
		n     int
		want  float64
	}{
		{"few", 0, 100, 0.02}, {"30,000", 0, 30_000, 0.02}, {"40,000", 0, 40_000, 0.0474}, {"many", 0, 1_000_000, 0.1},
		{"given", 0.2, 1_000_000, 0.2},
	} {
		if got := (Settings{Options: Options{Sigma2: c.given}}).variance(c.n); math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

// TestGivenFrame: a map learnt near given coordinates lies there. This holds with equal rows, with
// rows without coordinates, and with a frame that is far away and of another size. Without the
// frame the map would lie elsewhere.
func TestGivenFrame(t *testing.T) {
	base := modeltest.Blobs(300, 5, 2)
	x := vec.New[float32](310, 5)
	copy(x.Data, base.Data)
	for i := range 10 {
		copy(x.Row(300+i), base.Row(i)) // equal rows
	}
	// The frame: the map learnt without one, with its blobs exchanged, moved and scaled.
	free, err := Fit(context.Background(), x, Settings{Options: Options{Prior: prior.Settings{Frame: prior.None}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := vec.New[float64](310, 2)
	for i, p := range free.Of {
		m := free.Mu.Row(int(p))
		at.Row(i)[0], at.Row(i)[1] = 1000+3*m[1], -50+3*m[0]
		if i%7 == 3 {
			at.Row(i)[1] = math.NaN()
		}
	}
	r, err := Fit(context.Background(), x, Settings{Options: Options{Prior: prior.Settings{Frame: prior.Given, Given: at}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	frame := vec.Take(at, r.Unique)
	turn, ok := prior.Rigid(finite(r.Mu, frame), finite(frame, frame))
	if !ok || math.Abs(turn.Turn.Row(0)[0]-1) > 1e-6 || math.Abs(turn.Turn.Row(1)[1]-1) > 1e-6 {
		t.Errorf("the map is turned against its frame: %v", turn.Turn.Data)
	}
	for c := range 2 {
		if math.Abs(turn.From[c]-turn.To[c]) > 1e-6*math.Abs(turn.To[c]) {
			t.Errorf("the map's middle is at %v, that of its frame at %v", turn.From, turn.To)
		}
	}
	if r.Settings.Prior.Given.Rows != 0 || r.Settings.Prior.Frame != prior.Given || !(r.Report.LogPrior < 0) {
		t.Errorf("settings %+v, log prior %g", r.Settings.Prior, r.Report.LogPrior)
	}
	for name, s := range map[string]prior.Settings{
		"rows":  {Frame: prior.Given, Given: vec.New[float64](309, 2)},
		"dims":  {Frame: prior.Given, Given: vec.New[float64](310, 3)},
		"frame": {Frame: prior.PCA, Given: at},
	} {
		if _, err := Fit(context.Background(), x, Settings{Options: Options{Prior: s}}, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// finite returns the rows of m whose row in frame is finite.
func finite(m, frame vec.Matrix[float64]) vec.Matrix[float64] {
	var rows []int
	for i := range frame.Rows {
		if vec.Finite(frame.Row(i)) {
			rows = append(rows, i)
		}
	}
	return vec.Take(m, rows)
}

// TestAutoUnrolls: the default settings unroll a roll. Distances on the map follow those on the
// sheet.
func TestAutoUnrolls(t *testing.T) {
	const n = 1500
	r := rand.New(rand.NewPCG(4, 5))
	x, sheet := vec.New[float32](n, 3), vec.New[float64](n, 2)
	for i := range n {
		a, h := 1.5*math.Pi*(1+2*r.Float64()), 21*r.Float64()
		copy(x.Row(i), []float32{float32(a * math.Cos(a)), float32(h), float32(a * math.Sin(a))})
		// The length of the spiral, of radius a at the angle a.
		sheet.Row(i)[0], sheet.Row(i)[1] = (a*math.Sqrt(1+a*a)+math.Asinh(a))/2, h
	}
	m, err := Fit(context.Background(), x, Settings{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Settings.Prior.Frame; got != prior.Geodesic {
		t.Fatalf("the frame is %v", got)
	}
	near := prior.New(sheet)
	near.Fit(m.Mu)
	var square float64
	mean := make([]float64, 2)
	for i := range n {
		vec.Axpy(1./n, m.Mu.Row(i), mean)
	}
	for i := range n {
		square += vec.SquaredDistance(m.Mu.Row(i), mean)
	}
	// -2 log p at kappa 1 is the part of the map that the sheet does not explain.
	if missed := -2 * near.LogDensity(m.Mu, 1, 1) / square; missed > 0.05 {
		t.Errorf("the sheet leaves %.3f of the map's variance unexplained", missed)
	}
}

// TestFrames: every frame gives a map in any dimension, and the report names the frame.
func TestFrames(t *testing.T) {
	x := modeltest.Blobs(200, 4, 3)
	for frame, used := range map[prior.Frame]prior.Frame{
		prior.Auto: prior.PCA, prior.None: prior.None, prior.PCA: prior.PCA, prior.MDS: prior.MDS, prior.Geodesic: prior.Geodesic,
	} {
		for _, d := range []int{1, 2, 6} {
			r, err := Fit(context.Background(), x, Settings{
				Common: models.Common{Dims: d, Steps: 20}, Options: Options{Prior: prior.Settings{Frame: frame}},
			}, nil)
			if err != nil {
				t.Errorf("%v, d = %d: %v", frame, d, err)
				continue
			}
			if got := r.Settings.Prior.Frame; got != used || !vec.Finite(r.Mu.Data) || (r.Report.LogPrior == 0) != (used == prior.None) {
				t.Errorf("%v, d = %d: frame %v, log prior %g", frame, d, got, r.Report.LogPrior)
			}
		}
	}
}
