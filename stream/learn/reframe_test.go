package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/stream"
)

// A stream begins to vary in a new direction. The components of the next major refresh contain it,
// and the components stay until then. The frame of the places does not change.
func TestComponentsFollowWithMajors(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 1))
	s := quick()
	s.Spec.PCA, s.State = 2, t.TempDir()
	l := newLearner(t, s)
	offset, sent := int64(0), stream.Message{}
	send := func(rows int, wide float64) {
		ids, x := make([]int64, rows), vec.New[float32](rows, 5)
		for i := range rows {
			ids[i] = 1000*offset + int64(i)
			for k := range 2 {
				x.Row(i)[k] = float32(rng.NormFloat64())
			}
			x.Row(i)[4] = float32(wide * rng.NormFloat64())
		}
		sent = batchOf(t, offset, ids, x)
		offer(t, l, sent)
		offset++
	}
	send(60, 0)
	if err := l.first(context.Background()); err != nil {
		t.Fatal(err)
	}
	seen := func() float64 { // the share of the new direction in the components
		var sum float64
		for q := range l.Snapshot().Components.Rows {
			v := float64(l.Snapshot().Components.Row(q)[4])
			sum += v * v
		}
		return math.Sqrt(sum)
	}
	first := l.Snapshot().Components
	send(5, 20)
	if err := l.refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := l.Snapshot(); got.Epoch != 1 || &got.Components.Data[0] != &first.Data[0] || seen() > 0.1 {
		t.Fatalf("an ordinary refresh: epoch %d, %v of the new direction is seen", got.Epoch, seen())
	}
	send(40, 20) // growth by half
	if err := l.refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := l.Snapshot(); got.Epoch != 1 || seen() < 0.9 || got.Reference.Rows != 105 {
		t.Fatalf("epoch %d of %d points: %v of the new direction is seen", got.Epoch, got.Reference.Rows, seen())
	}
	finite(t, l)
	// Learning continues with the new components, also after a restart.
	l.unsaved = true
	if err := l.saveReference(); err != nil {
		t.Fatal(err)
	}
	running := l
	l = newLearner(t, s)
	send(5, 20)
	if err := l.refresh(context.Background()); err != nil || l.Current().Epoch != 1 || l.Current().Points != 110 {
		t.Errorf("%v: %+v", err, l.Current().Stats)
	}
	finite(t, l)
	offer(t, running, sent)
	if err := running.refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(l.Snapshot().Mu.Data, running.Snapshot().Mu.Data) {
		t.Error("after a restart the map goes on to other places than without")
	}
	if m := l.Current().Stats.Moves; !(m.Median < 5) {
		t.Errorf("after the restart points moved by %+v %%", m)
	}
}
