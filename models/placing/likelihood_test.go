package placing

import (
	"context"
	"errors"
	"math"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
)

// probability is F of N1 as the models have it.
func (l Length) probability(t, s, r2 float64) float64 {
	v, a := t+s, l.Tail
	tail := math.Exp(-r2 / (2 * v))
	if a > 0 {
		tail = math.Pow(1+r2/(2*a*v), -a)
	}
	return math.Pow(t/v, float64(l.Dims)/2) * tail
}

var lengths = []Length{{1, 0.5}, {2, 1}, {3, 1.5}, {10, 5}, {2, 7}, {1, 0}, {2, 0}, {10, 0}}

// The density is the derivative of the probability of being close, by central differences.
func TestLengthDensityIsADerivative(t *testing.T) {
	for _, l := range lengths {
		for _, at := range []float64{0.1, 0.7, 3, 40} {
			for _, s := range []float64{0.02, 1} {
				for _, r2 := range []float64{0, 0.5, 9} {
					h := 1e-5 * at
					want := (l.probability(at+h, s, r2) - l.probability(at-h, s, r2)) / (2 * h)
					if got := math.Exp(l.LogDensity(at, s, r2)); math.Abs(got-want) > 1e-6*want+1e-11 {
						t.Errorf("%+v at %g, s=%g, r2=%g: density %g, want %g", l, at, s, r2, got, want)
					}
				}
			}
		}
	}
}

// In the plane with a = 1 the density is q/(t+q)^2, q = s + r^2/2: in closed form.
func TestLengthDensityInThePlane(t *testing.T) {
	for _, at := range []float64{0, 0.3, 5, 1e9} {
		q := 0.04 + 2.5/2
		want := math.Log(q) - 2*math.Log(at+q)
		if got := (Length{2, 1}).LogDensity(at, 0.04, 2.5); math.Abs(got-want) > 1e-12*math.Abs(want)+1e-12 {
			t.Errorf("at %g: %.15g, want %.15g", at, got, want)
		}
	}
}

// The longer an edge is, the less likely it is. All values are finite, whatever the numbers.
func TestLengthDensityFallsAndIsFinite(t *testing.T) {
	for _, l := range lengths {
		last := math.Inf(1)
		for at := 1e3; at < 1e90; at *= 3 {
			v := l.LogDensity(at, 0.1, 2)
			if !(v < last) {
				t.Fatalf("%+v: %g at %g, %g before", l, v, at, last)
			}
			last = v
		}
		for _, at := range []float64{0, math.SmallestNonzeroFloat64, 1, math.MaxFloat64, math.Inf(1)} {
			for _, s := range []float64{1e-30, 0.1, 1e30} {
				for _, r2 := range []float64{0, 1, 1e80, math.MaxFloat64} {
					if v := l.LogDensity(at, s, r2); math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("%+v at %g, s=%g, r2=%g: %g", l, at, s, r2, v)
					}
				}
			}
		}
	}
}

// loglikPlacer returns a placer with a moved frame, and placed events, some with missing values.
func loglikPlacer(t *testing.T) (p *Placer, x vec.Matrix[float32], at models.Placed) {
	t.Helper()
	s, _ := modeltest.Snapshot(t, 9, 150, 6, 0, 2)
	l := Learnt{Rows: Sample(150, 40, 1), Neighbors: 4, Units: Units{Shift: make([]float64, 6), Scale: 1}}
	l.X = vec.Take(s.Mu, l.Rows)
	for i := range l.X.Rows {
		l.X.Row(i)[0], l.X.Row(i)[1] = -l.X.Row(i)[1]+3, l.X.Row(i)[0]-1
	}
	l.Invite = func() Guest { return linear{l: l} }
	p, err := NewPlacer(s, l, Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	x = modeltest.Events(10, 600, 6)
	for i := 0; i < 600; i += 7 {
		x.Row(i)[2+i%4] = float32(math.NaN()) // linear places by the first two
	}
	if at, err = p.PlaceObserved(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	return p, x, at
}

// Every row has its own likelihood, of its place in the frame of learning and of its observed
// values. Values beyond single precision are its largest numbers, and NaN is an error.
func TestLogLiks(t *testing.T) {
	p, x, at := loglikPlacer(t)
	var spoil float64
	value := func(z []float32, place []float64) float64 {
		sum := 10*place[0] + place[1]
		for c, v := range z {
			if v == v {
				sum += float64(1+c) * float64(v)
			} else {
				sum += 100
			}
		}
		if z[0] == x.Row(599)[0] {
			return spoil
		}
		return sum
	}
	get := func() ([]float32, error) {
		return p.LogLiksAt(t.Context(), x, at, func() func(z []float32, place []float64) float64 { return value })
	}
	for given, want := range map[float64]float32{math.Inf(1): math.MaxFloat32, math.Inf(-1): -math.MaxFloat32, 1e300: math.MaxFloat32, 2: 2} {
		spoil = given
		got, err := get()
		if err != nil || len(got) != 600 {
			t.Fatal(len(got), err)
		}
		if got[599] != want {
			t.Errorf("%g becomes %g", given, got[599])
		}
		for i, v := range got[:599] {
			mu := at.Mu.Row(i)
			if want := value(x.Row(i), []float64{-float64(mu[1]) + 3, float64(mu[0]) - 1}); math.Abs(float64(v)-want) > 1e-3 {
				t.Fatalf("row %d has %g, want %g", i, v, want)
			}
		}
	}
	spoil = math.NaN()
	var row *models.RowError
	if _, err := get(); !errors.As(err, &row) || row.Row != 599 || row.Result == "" {
		t.Errorf("NaN: %v", err)
	}
}

// The places must be those of the rows, with neighbours. No rows have no likelihoods.
func TestLogLiksRefuses(t *testing.T) {
	p, x, at := loglikPlacer(t)
	one := func() func(i int) float64 { return func(int) float64 { return 1 } }
	bare, blind, seen := at, at, at
	bare.Near, blind.Seen = nil, vec.Matrix[float32]{Cols: 6}
	seen.Seen = at.Seen.Slice(0, 599)
	for name, c := range map[string]struct {
		rows int
		at   models.Placed
	}{"other rows": {599, at}, "no neighbours": {600, bare}, "no vectors": {600, blind}, "a vector too few": {600, seen}} {
		if _, err := p.LogLiks(t.Context(), x.Slice(0, c.rows), c.at, one); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if out, err := p.LogLiks(t.Context(), vec.Matrix[float32]{Cols: 6}, models.Placed{}, one); err != nil || len(out) != 0 {
		t.Errorf("no rows: %v, %v", out, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.LogLiks(ctx, x, at, func() func(i int) float64 {
		return func(int) float64 { t.Error("a row is computed in a cancelled context"); return 1 }
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v of a cancelled context", err)
	}
}

func TestSquared(t *testing.T) {
	if got := Squared([]float32{1, 5}, []float64{4, 1}); got != 25 {
		t.Errorf("%g", got)
	}
}

// The likelihood of edges gets the row's place, and its nearest points without the row itself.
func TestLogLiksOfEdges(t *testing.T) {
	p, _, _ := loglikPlacer(t)
	x := modeltest.Events(10, 20, 6)
	copy(x.Row(3), p.snap.Reference.Row(8))
	at, err := p.Place(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.LogLiksOfEdges(t.Context(), x, at, func(mu []float32, index []int32, dist2 []float64) float64 {
		return float64(mu[0]) + 100*float64(index[0]) + dist2[1]
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		first := 0
		if i == 3 {
			first = 1 // behind itself
		}
		index, dist2 := at.Near.Row(i)
		if want := float64(at.Mu.Row(i)[0]) + 100*float64(index[first]) + dist2[first+1]; math.Abs(float64(v)-want) > 1e-2 {
			t.Errorf("row %d has %g, want %g", i, v, want)
		}
	}
}
