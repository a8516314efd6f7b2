package clusters

import (
	"testing"

	"unfold/internal/vec"
)

// TestLiveFixtures: clusters updated along a stream equal those of the reference, for rows in
// single precision. They equal batch clusters of the same rows bit for bit. Positions in the stream
// differ from slots here.
func TestLiveFixtures(t *testing.T) {
	each(t, "clusters-stream", func(t *testing.T, f *fixture) {
		all := vec.Convert[float32](f.X.matrix())
		l, err := NewLive(all.Cols, f.settings())
		if err != nil {
			t.Fatal(err)
		}
		slot, checked := map[int32]int32{}, 0
		for after, step := range f.Steps {
			var gone []int32
			for _, at := range step.Delete {
				gone = append(gone, slot[at])
				delete(slot, at)
			}
			if err := l.Delete(t.Context(), gone); err != nil {
				t.Fatal(err)
			}
			came, err := l.Insert(t.Context(), vec.Take(all, step.Insert))
			if err != nil {
				t.Fatal(err)
			}
			for r, at := range step.Insert {
				slot[at] = came[r]
			}
			for i := range f.Checks {
				if c := &f.Checks[i]; c.After == after+1 {
					checked++
					slots := l.Slots(nil)
					want, err := Find(t.Context(), l.Rows(), f.settings())
					if err != nil {
						t.Fatal(err)
					}
					got := sameAsBatch(t, l, want)
					c.inOrder(slots, slot).check(t, got, single)
				}
			}
		}
		if checked != len(f.Checks) {
			t.Errorf("%d of %d answers are compared", checked, len(f.Checks))
		}
	})
}

// inOrder returns the answer in the order of slots.
func (a *aliveAnswer) inOrder(slots []int32, slot map[int32]int32) *answer {
	out := a.answer
	row := make(map[int32]int, len(slots))
	for r, s := range slots {
		row[s] = r
	}
	out.Core = make([]float64, len(slots))
	if a.Agree {
		out.Labels, out.Probabilities, out.OutlierScores = make([]int32, len(slots)), make([]float64, len(slots)), make([]float64, len(slots))
	}
	for i, at := range a.Alive {
		r := row[slot[at]]
		if out.Core[r] = a.Core[i]; a.Agree {
			out.Labels[r], out.Probabilities[r], out.OutlierScores[r] = a.Labels[i], a.Probabilities[i], a.OutlierScores[i]
		}
	}
	return &out
}
