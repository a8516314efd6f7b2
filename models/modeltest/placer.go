package modeltest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
)

// Placers checks that placers satisfy the contract of models.Placer. open returns a new placer of
// the same snapshot each time. Events are at least 70 rows to place. Some should equal reference
// points, and some should be far away from them.
func Placers(t *testing.T, open func(t *testing.T) models.Placer, events vec.Matrix[float32]) {
	if events.Rows < 70 {
		t.Fatalf("%d events are too few for this suite, want 70", events.Rows)
	}
	ctx := context.Background()
	want, err := open(t).Place(ctx, events)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("Shapes", func(t *testing.T) { placerShapes(t, open(t), events, want) })
	t.Run("BatchSize", func(t *testing.T) {
		p := open(t)
		for _, size := range []int{1, 2, 7, 63, 64, 65} {
			for from := 0; from < events.Rows; from += size {
				to := min(events.Rows, from+size)
				got, err := p.Place(ctx, events.Slice(from, to))
				if err != nil {
					t.Fatal(err)
				}
				samePlaces(t, got, want, func(i int) int { return from + i })
			}
		}
	})
	t.Run("Order", func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 3 {
			// Any rows in any order, some repeated.
			order := make([]int, 2*events.Rows)
			for i := range order {
				order[i] = r.IntN(events.Rows)
			}
			got, err := open(t).Place(ctx, vec.Take(events, order))
			if err != nil {
				t.Fatal(err)
			}
			samePlaces(t, got, want, func(i int) int { return order[i] })
		}
	})
	t.Run("Threads", func(t *testing.T) {
		old := runtime.GOMAXPROCS(0)
		defer runtime.GOMAXPROCS(old)
		for _, procs := range []int{1, 2, 3, 8} {
			runtime.GOMAXPROCS(procs)
			got, err := open(t).Place(ctx, events)
			if err != nil {
				t.Fatal(err)
			}
			samePlaces(t, got, want, func(i int) int { return i })
		}
	})
	t.Run("Concurrent", func(t *testing.T) {
		p := open(t)
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				from := g * events.Rows / 8
				got, err := p.Place(ctx, events.Slice(from, events.Rows))
				if err != nil {
					t.Error(err)
					return
				}
				samePlaces(t, got, want, func(i int) int { return from + i })
			})
		}
		wg.Wait()
	})
	if p, ok := open(t).(models.Likely); ok {
		t.Run("LogLik", func(t *testing.T) { likelihoods(t, p, events, want) })
	}
	t.Run("Errors", func(t *testing.T) { placerErrors(t, open(t), events) })
}

// placerShapes checks sizes and ranges of the results, and that the events are unchanged.
func placerShapes(t *testing.T, p models.Placer, events vec.Matrix[float32], want models.Placed) {
	before := events.Clone()
	n := events.Rows
	if p.Dim() != events.Cols || p.Dims() != want.Mu.Cols || p.Version() == 0 || p.Epoch() == 0 {
		t.Errorf("dim %d, dims %d, version %d, epoch %d", p.Dim(), p.Dims(), p.Version(), p.Epoch())
	}
	if id := p.MapID(); id != "" && snapshot.CheckMapID(id) != nil {
		t.Errorf("the map's id is %q", id)
	}
	if want.Mu.Rows != n || len(want.Sigma) != n || len(want.NoveltyLocal) != n || len(want.NoveltyGlobal) != n {
		t.Fatalf("%d events have %d means, %d scales, %d and %d novelties", n, want.Mu.Rows, len(want.Sigma), len(want.NoveltyLocal), len(want.NoveltyGlobal))
	}
	if err := models.CheckRows(want.Mu, nil); err != nil {
		t.Errorf("means: %v", err)
	}
	for i := range n {
		if s := want.Sigma[i]; !(s >= 0) || math.IsInf(float64(s), 0) {
			t.Errorf("event %d has the scale %g", i, s)
		}
		for _, v := range []float32{want.NoveltyLocal[i], want.NoveltyGlobal[i]} {
			if !(v >= 0 && v <= 1) {
				t.Errorf("event %d has the novelty %g", i, v)
			}
		}
	}
	none, err := p.Place(context.Background(), events.Slice(0, 0))
	if err != nil || none.Mu.Rows != 0 || none.Mu.Cols != p.Dims() {
		t.Errorf("no events give %d x %d means and %v", none.Mu.Rows, none.Mu.Cols, err)
	}
	if _, err := p.Place(context.Background(), events); err != nil || !slices.Equal(events.Data, before.Data) {
		t.Errorf("placing changed the events, or failed: %v", err)
	}
}

// likelihoods checks that log-likelihoods are finite and do not depend on the batch.
func likelihoods(t *testing.T, p models.Likely, events vec.Matrix[float32], at models.Placed) {
	ctx := context.Background()
	want, err := p.LogLik(ctx, events, at)
	if err != nil || len(want) != events.Rows {
		t.Fatalf("%d log-likelihoods of %d events, %v", len(want), events.Rows, err)
	}
	for _, size := range []int{1, 65} {
		for from := 0; from < events.Rows; from += size {
			part := events.Slice(from, min(events.Rows, from+size))
			placed, err := p.Place(ctx, part)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.LogLik(ctx, part, placed)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				if math.IsInf(float64(v), 0) || !sameBits(v, want[from+i]) {
					t.Fatalf("event %d has the log-likelihood %g, in another batch %g", from+i, want[from+i], v)
				}
			}
		}
	}
	if _, err := p.LogLik(ctx, events.Slice(1, events.Rows), at); err == nil {
		t.Error("places of other rows are no error")
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := p.LogLik(gone, events, at); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call returns %v", err)
	}
}

// placerErrors checks that errors name the row that cannot be placed.
func placerErrors(t *testing.T, p models.Placer, events vec.Matrix[float32]) {
	ctx := context.Background()
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := events.Clone()
		x.Row(66)[x.Cols-1] = float32(bad)
		var row *models.RowError
		if _, err := p.Place(ctx, x); !errors.As(err, &row) || row.Row != 66 || row.Column != x.Cols-1 || !models.IsBadInput(err) {
			t.Errorf("%g in row 66, column %d: got %v", bad, x.Cols-1, err)
		}
	}
	for _, cols := range []int{events.Cols + 1, events.Cols - 1, 0} {
		var dim *models.DimensionError
		if _, err := p.Place(ctx, vec.New[float32](3, cols)); !errors.As(err, &dim) || dim.Got != cols || dim.Want != p.Dim() || !models.IsBadInput(err) {
			t.Errorf("vectors of %d elements: got %v", cols, err)
		}
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := p.Place(gone, events); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call returns %v", err)
	}
}

// samePlaces checks that event i of got equals event row(i) of want bit for bit.
func samePlaces(t *testing.T, got, want models.Placed, row func(i int) int) {
	t.Helper()
	for i := range got.Mu.Rows {
		j := row(i)
		same := sameBits(got.Sigma[i], want.Sigma[j]) &&
			sameBits(got.NoveltyLocal[i], want.NoveltyLocal[j]) && sameBits(got.NoveltyGlobal[i], want.NoveltyGlobal[j])
		for c, m := range got.Mu.Row(i) {
			same = same && sameBits(m, want.Mu.Row(j)[c])
		}
		if !same {
			t.Errorf("event %d has other bits in another batch: mu %v and %v, sigma %v and %v", j, got.Mu.Row(i), want.Mu.Row(j), got.Sigma[i], want.Sigma[j])
			return
		}
	}
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
