package placing

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models/snapshot"
)

// A sample is ascending, without repetition, and determined by the seed. It is everything if there
// are few enough rows.
func TestSample(t *testing.T) {
	all := Sample(7, 7, 3)
	if !slices.Equal(all, []int32{0, 1, 2, 3, 4, 5, 6}) {
		t.Errorf("7 of 7 are %v", all)
	}
	a, b, c := Sample(1000, 50, 3), Sample(1000, 50, 3), Sample(1000, 50, 4)
	if len(a) != 50 || !slices.IsSorted(a) || len(slices.Compact(slices.Clone(a))) != 50 || a[0] < 0 || a[49] >= 1000 {
		t.Errorf("a sample of 50 is %v", a)
	}
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("the sample is not that of the seed")
	}
}

// Centred rows have the mean 0, and undoing the units restores the rows.
func TestUnits(t *testing.T) {
	x := vec.Of(3, 2, []float32{1, 10, 2, 20, 6, 60})
	u := Centred(x)
	u.Scale = 0.25
	y := u.All(x)
	back := make([]float32, 2)
	for c := range 2 {
		if sum := y.Row(0)[c] + y.Row(1)[c] + y.Row(2)[c]; math.Abs(sum) > 1e-12 {
			t.Errorf("element %d has the mean %g", c, sum/3)
		}
	}
	for i := range x.Rows {
		if u.Undo(back, y.Row(i)); !slices.Equal(back, x.Row(i)) {
			t.Errorf("row %d comes back as %v, was %v", i, back, x.Row(i))
		}
	}
}

// Parts are read as they were written. Parts that do not fit the snapshot are refused.
func TestParts(t *testing.T) {
	s := &snapshot.Snapshot{Reference: vec.New[float32](5, 2)}
	u := Units{Shift: []float64{1, -2}, Scale: 3}
	s.Parts = Parts([]int32{0, 2, 4}, u)
	learnt, got, err := Read(s)
	if err != nil || !slices.Equal(learnt, []int32{0, 2, 4}) || got.Scale != 3 || !slices.Equal(got.Shift, u.Shift) {
		t.Errorf("read %v, %v, %v", learnt, got, err)
	}
	for want, parts := range map[string][]snapshot.Part{
		"element 2 of part \"learnt\" is 5": Parts([]int32{0, 2, 5}, u),
		"element 1 of part \"learnt\" is 2": Parts([]int32{2, 2, 4}, u),
		"part \"frame\" is 2 x 1":           Parts([]int32{0}, Units{Shift: u.Shift[:1], Scale: 1}),
		"the scale 0":                       Parts([]int32{0}, Units{Shift: u.Shift}),
		"no part \"learnt\"":                nil,
	} {
		s.Parts = parts
		if _, _, err := Read(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// guest places a vector at its first element, and learnt points at -1.
type guest struct {
	t    *testing.T
	rows []float32 // the first elements of the learnt points
	fail error
}

func (g guest) Place(_ context.Context, z []float32, near []int32) ([]float64, float64, error) {
	for _, other := range g.rows {
		if d := math.Abs(float64(z[0] - g.rows[near[0]])); d > math.Abs(float64(z[0]-other)) {
			g.t.Errorf("%g is given %g as the nearest", z[0], g.rows[near[0]])
		}
	}
	return []float64{float64(z[0])}, 2, g.fail
}

func (g guest) Settled(l int) ([]float64, float64) { return []float64{-1}, float64(g.rows[l]) }

func (g guest) Decode(y, x []float64) float64 { panic("nothing is decoded") }

// party is a guest that can return rows of the incoming points.
type party struct {
	Guest
	z *vec.Matrix[float32]
}

func (p party) Come(z vec.Matrix[float32]) { *p.z = z }

func (p party) PlaceOne(ctx context.Context, i int, near []int32) ([]float64, float64, error) {
	return p.Place(ctx, p.z.Row(i), near)
}

// Parties are placed as their guests are.
func TestParties(t *testing.T) {
	x := vec.New[float32](100, 1)
	for i := range x.Data {
		x.Data[i] = float32(i * i)
	}
	l := Learnt{Rows: []int32{3, 4, 50, 99}, X: vec.New[float64](4, 1), Neighbors: 9, Threads: 3}
	g := guest{t: t, rows: vec.Take(x, l.Rows).Data}
	l.Invite = func() Guest { return party{g, new(vec.Matrix[float32])} }
	mu, _, err := l.All(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Rows {
		if want := float64(i * i); mu.Row(i)[0] != want && !slices.Contains(l.Rows, int32(i)) {
			t.Errorf("point %d is at %g, want %g", i, mu.Row(i)[0], want)
		}
	}
}

// Learnt points keep their places, and all others are placed by their nearest learnt points, for
// any number of threads. An error ends it.
func TestAll(t *testing.T) {
	x := vec.New[float32](100, 1)
	for i := range x.Data {
		x.Data[i] = float32(i * i)
	}
	l := Learnt{Rows: []int32{3, 4, 50, 99}, X: vec.New[float64](4, 1), Neighbors: 9}
	g := guest{t: t, rows: vec.Take(x, l.Rows).Data}
	l.Invite = func() Guest { return g }
	for l.Threads = 1; l.Threads <= 4; l.Threads += 3 {
		steps := 0
		mu, sigma2, err := l.All(context.Background(), x, func(done, total int) {
			if steps++; done != steps || total != 6 {
				t.Errorf("%d of %d pieces at step %d", done, total, steps)
			}
		})
		if err != nil || steps != 6 {
			t.Fatalf("%d steps, %v", steps, err)
		}
		for i := range x.Rows {
			want, variance := float64(i*i), 2.0
			if slices.Contains(l.Rows, int32(i)) {
				want, variance = -1, want
			}
			if mu.Row(i)[0] != want || sigma2[i] != variance {
				t.Errorf("point %d is at %g with %g, want %g with %g", i, mu.Row(i)[0], sigma2[i], want, variance)
			}
		}
	}
	g.fail = errors.New("lost")
	if _, _, err := l.All(context.Background(), x, nil); !errors.Is(err, g.fail) {
		t.Errorf("%v, want the guest's", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := l.All(ctx, x, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v of a cancelled context", err)
	}
}
