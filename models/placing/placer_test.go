package placing

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
)

// linear is a guest for tests. It places a vector at the mean of its neighbours plus a share of the
// vector's first elements, and its vectors are a linear function of places.
type linear struct {
	l    Learnt
	fail error
}

func (g linear) Place(_ context.Context, z []float32, near []int32) ([]float64, float64, error) {
	mu := make([]float64, g.l.X.Cols)
	for _, j := range near {
		vec.Axpy(1/float64(len(near)), g.l.X.Row(int(j)), mu)
	}
	for c := range mu {
		mu[c] += 0.125 * float64(z[c])
	}
	return mu, 1 + float64(near[0]), g.fail
}

func (g linear) Settled(l int) ([]float64, float64) { return g.l.X.Row(l), 0.5 }

func (g linear) Decode(y, x []float64) float64 {
	for c := range y {
		y[c] = float64(c) + x[c%len(x)]*float64(1+c)
	}
	return 4 + x[0]*x[0]
}

// A placer places events by the nearest learnt points, moves the places onto the map, and returns
// the stored places of reference points. It also reconstructs vectors from places. The cases: all
// points learnt or some, as a party or one by one, with and without a projection.
func TestPlacer(t *testing.T) {
	for _, c := range []struct {
		learnt, neighbors, q int
		party                bool
	}{{150, 4, 0, false}, {150, 4, 3, true}, {150, 13, 0, true}, {150, 400, 0, false}, {40, 4, 0, true}, {40, 60, 3, false}} {
		s, x := modeltest.Snapshot(t, 9, 150, 6, c.q, 2)
		l := Learnt{Rows: Sample(150, c.learnt, 1), Neighbors: c.neighbors, Threads: 2, Units: Units{Shift: slices.Repeat([]float64{0.5}, s.Reference.Cols), Scale: 4}}
		// The model's frame is the map's, turned by a right angle and moved.
		l.X = vec.New[float64](c.learnt, 2)
		for o, i := range l.Rows {
			mu := s.Mu.Row(int(i))
			l.X.Row(o)[0], l.X.Row(o)[1] = -mu[1]+3, mu[0]-1
		}
		l.Invite = func() Guest {
			if c.party {
				return party{linear{l: l}, new(vec.Matrix[float32])}
			}
			return linear{l: l}
		}
		p, err := NewPlacer(s, l, Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		for o, i := range l.Rows {
			if !slices.Equal(p.Settled().Row(o), s.Mu.Row(int(i))) {
				t.Errorf("learnt point %d is settled at %v", o, p.Settled().Row(o))
			}
		}
		back := s.Mu.Row(0)
		there := slices.Clone(back)
		p.Motion().Back(there)
		if !near(there[0], -back[1]+3) || !near(there[1], back[0]-1) {
			t.Errorf("%v is %v in the frame of learning", back, there)
		}
		events := modeltest.Events(10, 70, 6)
		copy(events.Row(66), x.Row(int(l.Rows[7])))
		t.Run("suite", func(t *testing.T) {
			modeltest.Placers(t, func(*testing.T) models.Placer { return p }, events)
		})
		placed, err := p.Place(t.Context(), events)
		if err != nil {
			t.Fatal(err)
		}
		some := *s
		some.Reference = vec.Take(s.Reference, l.Rows)
		for i := range events.Rows {
			z := p.project.Apply(events.Slice(i, i+1), 1).Row(0)
			list, _ := brute(&some, z, min(c.neighbors, c.learnt))
			mu, sigma2, _ := linear{l: l}.Place(t.Context(), z, list)
			want := []float64{mu[1] + 1, -(mu[0] - 3)}
			if i == 66 {
				want, sigma2 = s.Mu.Row(int(l.Rows[7])), s.Sigma2[l.Rows[7]]
			}
			if got := placed.Mu.Row(i); math.Abs(float64(got[0])-want[0]) > 1e-4 || math.Abs(float64(got[1])-want[1]) > 1e-4 || !near(float64(placed.Sigma[i]), math.Sqrt(sigma2)) {
				t.Errorf("%+v: event %d is at %v with %g, want %v with %g", c, i, got, placed.Sigma[i], want, math.Sqrt(sigma2))
			}
		}
		at := placed.Mu
		decoded, err := p.Decode(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		for i := range at.Rows {
			there := []float64{float64(at.Row(i)[0]), float64(at.Row(i)[1])}
			there[0], there[1] = -there[1]+3, there[0]-1
			y, z := make([]float64, s.Reference.Cols), vec.New[float32](1, s.Reference.Cols)
			sigma := float32(math.Sqrt(linear{}.Decode(y, there)) / 4)
			for c, v := range y {
				z.Data[c] = float32(v/4 + 0.5)
			}
			want := p.Unproject(z, []float32{sigma})
			for e, v := range want.X.Row(0) {
				if math.Abs(float64(decoded.X.Row(i)[e]-v)) > 1e-3 {
					t.Fatalf("%+v: place %d is decoded as %v, want %v", c, i, decoded.X.Row(i), want.X.Row(0))
				}
			}
			if !near(float64(decoded.Sigma[i]), float64(want.Sigma[0])) {
				t.Errorf("%+v: place %d has the scale %g, want %g", c, i, decoded.Sigma[i], want.Sigma[0])
			}
		}
	}
}

// Failures of the parts are returned as errors.
func TestPlacerFails(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 9, 150, 6, 0, 2)
	for _, learnt := range []int{150, 40} {
		l := Learnt{Rows: Sample(150, learnt, 1), Neighbors: 5, Units: Units{Shift: make([]float64, 6), Scale: 1}}
		l.X = vec.Take(s.Mu, l.Rows)
		lost := errors.New("lost")
		l.Invite = func() Guest { return linear{l: l, fail: lost} }
		p, err := NewPlacer(s, l, Options{})
		if err != nil {
			t.Fatal(err)
		}
		events := modeltest.Events(10, 70, 6)
		if _, err := p.Place(t.Context(), events); !errors.Is(err, lost) {
			t.Errorf("%v, want the guest's", err)
		}
		if _, _, err := l.All(t.Context(), s.Reference, nil); learnt < 150 && !errors.Is(err, lost) || learnt == 150 && err != nil {
			t.Errorf("%d learnt: %v", learnt, err)
		}
		if learnt < 150 {
			unfound := errors.New("unfound")
			p.host.index = fixed{fail: unfound}
			if _, err := p.Place(t.Context(), events); !errors.Is(err, unfound) {
				t.Errorf("%v, want the search's", err)
			}
		} else if p.host.index != nil {
			t.Error("an index of points whose neighbours are known")
		}
		var dim *models.DimensionError
		if _, err := p.Decode(t.Context(), vec.New[float32](1, 3)); !errors.As(err, &dim) || dim.Got != 3 || dim.Want != 2 {
			t.Errorf("%v of places of 3 dimensions on a map of 2", err)
		}
		var row *models.RowError
		if _, err := p.Decode(t.Context(), vec.Of(2, 2, []float32{0, 0, 1, float32(math.Inf(1))})); !errors.As(err, &row) || row.Row != 1 || row.Column != 1 {
			t.Errorf("%v of an infinite place", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Decode(ctx, vec.New[float32](3, 2)); !errors.Is(err, context.Canceled) {
			t.Errorf("%v of a cancelled context", err)
		}
	}
	unsearchable := *s
	unsearchable.CellRecall = 2
	if _, err := NewPlacer(&unsearchable, Learnt{Rows: Sample(150, 40, 1)}, Options{}); err == nil || !strings.HasPrefix(err.Error(), "placing: ") {
		t.Errorf("%v of a recall of 2", err)
	}
}

// Learnt points keep their own places if all are learnt, if the last is not, and if there are no
// others. Nothing is placed then.
func TestAllEdges(t *testing.T) {
	x := vec.Of(4, 1, []float32{1, 2, 3, 4})
	for _, learnt := range [][]int32{{0, 1, 2, 3}, {1, 2}, {0}, {3}} {
		l := Learnt{Rows: learnt, X: vec.New[float64](len(learnt), 1), Neighbors: 2}
		g := guest{t: t, rows: vec.Take(x, learnt).Data}
		l.Invite = func() Guest { return g }
		steps := 0
		mu, sigma2, err := l.All(t.Context(), x, func(done, total int) { steps++ })
		if want := min(1, 4-len(learnt)); err != nil || steps != want {
			t.Errorf("%v after %d steps, want %d", err, steps, want)
		}
		for i := range x.Rows {
			want := float64(x.Data[i])
			variance := 2.0
			if slices.Contains(learnt, int32(i)) {
				want, variance = -1, want
			}
			if mu.Row(i)[0] != want || sigma2[i] != variance {
				t.Errorf("%v learnt: point %d is at %g with %g", learnt, i, mu.Row(i)[0], sigma2[i])
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := Learnt{Rows: []int32{0, 1, 2, 3}, X: vec.New[float64](4, 1), Neighbors: 2, Invite: func() Guest { return guest{t: t, rows: x.Data} }}
	if _, _, err := l.All(ctx, x, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v of a cancelled context", err)
	}
	// An error ends its own piece at once. The error of the first failing piece is returned.
	calls := 0
	l = Learnt{Rows: []int32{0}, X: vec.New[float64](1, 1), Neighbors: 1, Threads: 1}
	l.Invite = func() Guest { return &counter{calls: &calls} }
	if _, _, err := l.Others(t.Context(), x.Slice(0, 1), vec.New[float32](3*piece, 1), nil); err == nil || err.Error() != "call 20" || calls != 20+piece {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// counter fails at call 20.
type counter struct {
	guest
	calls *int
}

func (c *counter) Place(context.Context, []float32, []int32) ([]float64, float64, error) {
	if *c.calls++; *c.calls == 20 {
		return nil, 0, errors.New("call 20")
	}
	return []float64{0}, 1, nil
}
