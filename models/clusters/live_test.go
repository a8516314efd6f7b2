package clusters

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
)

// rowsOf returns the rows of some slots.
func rowsOf(l *Live, slots []int32) vec.Matrix[float32] {
	x := vec.New[float32](len(slots), l.graph.Dim())
	for r, slot := range slots {
		copy(x.Row(r), l.Row(slot))
	}
	return x
}

// failer is a test or a check of rapid's.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// sameAsBatch compares all that is found of the points of l with what Find finds, bit for
// bit; which equal edges are in the tree is open.
func sameAsBatch(t failer, l *Live, want *Clusters) *Clusters {
	t.Helper()
	got, err := l.Clusters()
	if err != nil {
		t.Fatalf("%v", err)
	}
	lengths := func(c *Clusters) (out []float64) {
		for _, e := range c.Spanning {
			out = append(out, e.Dist2)
		}
		slices.Sort(out)
		return out
	}
	for what, same := range map[string]bool{
		"core distances":     slices.Equal(got.Core2, want.Core2),
		"inner distances":    slices.Equal(got.inner2, want.inner2),
		"lengths":            slices.Equal(lengths(got), lengths(want)),
		"parents":            slices.Equal(got.Tree.Parent, want.Tree.Parent),
		"births":             slices.Equal(got.Tree.Birth, want.Tree.Birth),
		"sizes in the tree":  slices.Equal(got.Tree.Size, want.Tree.Size),
		"smallest clusters":  slices.Equal(got.Tree.Of, want.Tree.Of),
		"lambdas":            slices.Equal(got.Tree.Lambda, want.Tree.Lambda),
		"labels":             slices.Equal(got.Label, want.Label),
		"probabilities":      slices.Equal(got.Probability, want.Probability),
		"outlier scores":     slices.Equal(got.Outlier, want.Outlier),
		"sizes":              slices.Equal(got.Size, want.Size),
		"persistences":       slices.Equal(got.Persistence, want.Persistence),
		"labels of the tree": slices.Equal(got.labels, want.labels),
		"deaths":             slices.Equal(got.death, want.death),
	} {
		if !same {
			t.Errorf("other %s than in batch", what)
		}
	}
	return got
}

// TestLiveIsTheBatchs: after every step what is kept is what Find finds of the points that
// are there, where many distances are equal, points are duplicates, hubs and bridges go and
// regions come and vanish.
func TestLiveIsTheBatchs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.SampledFrom([]int{1, 2, 3, 20}).Draw(t, "dim")
		width := rapid.SampledFrom([]int{2, 6, 1000}).Draw(t, "width")
		s := Settings{MinSize: rapid.IntRange(2, 6).Draw(t, "min size"), MinSamples: rapid.IntRange(1, 5).Draw(t, "m"),
			Selection: rapid.SampledFrom([]Selection{ExcessOfMass, Leaf}).Draw(t, "selection"), Threads: rapid.IntRange(1, 2).Draw(t, "threads")}
		l, err := NewLive(dim, s)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(2, 12).Draw(t, "steps") {
			liveStep(t, l, dim, width)
			slots := l.Slots(nil)
			if len(slots) < 2 {
				if _, err := l.Clusters(); err == nil {
					t.Fatalf("clusters of %d points", len(slots))
				}
				continue
			}
			want, err := Find(t.Context(), rowsOf(l, slots), s)
			if err != nil {
				t.Fatal(err)
			}
			sameAsBatch(t, l, want)
		}
	})
}

// liveStep inserts points around a centre, or deletes some: any, the ends of long edges, those
// with most edges, or a region.
func liveStep(t *rapid.T, l *Live, dim, width int) {
	slots := l.Slots(nil)
	if kind := rapid.IntRange(0, 6).Draw(t, "kind"); kind < 3 || len(slots) == 0 {
		x := vec.New[float32](rapid.IntRange(1, 40).Draw(t, "rows"), dim)
		centre := rapid.IntRange(0, 3).Draw(t, "centre")
		for i := range x.Data {
			x.Data[i] = float32(centre*width + rapid.IntRange(0, width).Draw(t, "x"))
		}
		if _, err := l.Insert(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		return
	}
	count := rapid.IntRange(1, max(1, len(slots)/2)).Draw(t, "gone")
	degree := make([]int, l.graph.Top())
	for _, e := range l.tree {
		degree[e.I]++
		degree[e.J]++
	}
	switch rapid.IntRange(0, 3).Draw(t, "which") {
	case 0:
		slots = rapid.Permutation(slots).Draw(t, "order")
	case 1:
		slices.SortStableFunc(slots, func(i, j int32) int { return degree[j] - degree[i] })
	case 2:
		var ends []int32
		for e := range l.tree {
			ends = append(ends, l.tree[len(l.tree)-1-e].J)
		}
		slices.Sort(slots)
		seen := map[int32]bool{}
		slots = slices.DeleteFunc(append(ends, slots...), func(i int32) bool { was := seen[i]; seen[i] = true; return was })
	default:
		at := l.Row(slots[0])
		slices.SortStableFunc(slots, func(i, j int32) int {
			if vec.SquaredDistance(at, l.Row(i)) < vec.SquaredDistance(at, l.Row(j)) {
				return -1
			}
			return 1
		})
	}
	if err := l.Delete(t.Context(), slots[:count]); err != nil {
		t.Fatal(err)
	}
}
