package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
)

// A stream that begins to vary in a direction unseen before: the components of the
// next epoch see it, and those within an epoch stay.
func TestComponentsFollowWithTheEpoch(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 1))
	s := quick()
	s.Spec.PCA, s.State = 2, t.TempDir()
	l := newLearner(t, s)
	offset := int64(0)
	send := func(rows int, wide float64) {
		ids, x := make([]int64, rows), vec.New[float32](rows, 5)
		for i := range rows {
			ids[i] = 1000*offset + int64(i)
			for k := range 2 {
				x.Row(i)[k] = float32(rng.NormFloat64())
			}
			x.Row(i)[4] = float32(wide * rng.NormFloat64())
		}
		offer(t, l, batchOf(t, offset, ids, x))
		offset++
	}
	send(60, 0)
	if err := l.first(context.Background()); err != nil {
		t.Fatal(err)
	}
	seen := func() float64 { // how much of the new direction is in the components
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
		t.Fatalf("within the epoch: epoch %d, %v of the new direction is seen", got.Epoch, seen())
	}
	send(40, 20) // grown by half
	if err := l.refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := l.Snapshot(); got.Epoch != 2 || seen() < 0.9 || got.Reference.Rows != 105 {
		t.Fatalf("epoch %d of %d points: %v of the new direction is seen", got.Epoch, got.Reference.Rows, seen())
	}
	finite(t, l)
	// And on in the new frame, also after a restart.
	l.unsaved = true
	if err := l.saveReference(); err != nil {
		t.Fatal(err)
	}
	l = newLearner(t, s)
	send(5, 20)
	if err := l.refresh(context.Background()); err != nil || l.Current().Epoch != 2 || l.Current().Points != 110 {
		t.Errorf("%v: %+v", err, l.Current().Stats)
	}
	if m := l.Current().Stats.Moves.P99; !(m < 20) {
		t.Errorf("after the restart points moved by %v %%", m)
	}
	finite(t, l)
}
