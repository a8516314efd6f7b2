package clusters

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
	"unfold/sparse/graph/live"
)

// failer is a test or a check of package rapid.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// sameAsBatch compares all results for the points of l with those of Find, bit for bit. The tree
// may contain other edges of equal length.
func sameAsBatch(t failer, l *Live, want *Clusters) *Clusters {
	t.Helper()
	got, err := l.Clusters()
	if err != nil {
		t.Fatalf("%v", err)
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

// distances lists all distances between rows.
var distances = distance.All()

// TestLiveIsTheBatchs: for any distance and after every step, the updated clusters equal those that
// Find finds. The steps have many equal distances and duplicates, remove hubs and bridges, and add
// and remove whole regions.
func TestLiveIsTheBatchs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.SampledFrom([]int{1, 2, 3, 20}).Draw(t, "dim")
		width := rapid.SampledFrom([]int{2, 6, 1000}).Draw(t, "width")
		s := Settings{MinSize: rapid.IntRange(2, 6).Draw(t, "min size"), MinSamples: rapid.IntRange(1, 5).Draw(t, "m"),
			Selection: rapid.SampledFrom([]Selection{ExcessOfMass, Leaf}).Draw(t, "selection"), Distance: rapid.SampledFrom(distances).Draw(t, "distance"), Threads: rapid.IntRange(1, 2).Draw(t, "threads")}
		s, err := s.Filled()
		if err != nil {
			t.Fatal(err)
		}
		// Short lists leave many pairs to the search.
		lists := rapid.SampledFrom([]live.Settings{{Lists: max(s.MinSamples, spareNeighbors)}, {Spare: 2}, {Spare: -1}}).Draw(t, "lists")
		l, err := newLive(dim, s, lists)
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
			want, err := Find(t.Context(), l.Rows(), s)
			if err != nil {
				t.Fatal(err)
			}
			sameAsBatch(t, l, want)
		}
	})
}

// liveStep inserts points around a centre, or deletes points: random ones, ends of long edges,
// those with most edges, or a region.
func liveStep(t *rapid.T, l *Live, dim, width int) {
	slots := l.Slots(nil)
	if kind := rapid.IntRange(0, 6).Draw(t, "kind"); kind < 3 || len(slots) == 0 {
		x := vec.New[float32](rapid.IntRange(1, 40).Draw(t, "rows"), dim)
		centre := rapid.IntRange(0, 3).Draw(t, "centre")
		for i := range x.Data {
			v := centre*width + rapid.IntRange(0, width).Draw(t, "x")
			if l.set.Distance.Bits() {
				v %= 2
			}
			x.Data[i] = float32(v)
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

// TestLiveOfMany: trees of thousands of points have the batch's lengths and do not depend on the
// number of threads. The searches work in blocks here.
func TestLiveOfMany(t *testing.T) {
	for _, dim := range []int{2, 24} {
		random := rand.New(rand.NewPCG(3, uint64(dim)))
		x := vec.New[float32](9000, dim)
		for i := range x.Rows {
			for k := range dim {
				x.Row(i)[k] = float32(i%5*(k%3)*3) + float32(i%3+1)*float32(random.NormFloat64())
			}
		}
		var all [2]*Live
		for threads := range all {
			l, err := NewLive(dim, Settings{MinSize: 20, MinSamples: 4, Threads: 1 + 2*threads})
			if err != nil {
				t.Fatal(err)
			}
			all[threads] = l
		}
		at := 0
		for _, step := range []struct{ insert, remove int }{{5000, 0}, {300, 200}, {1, 1}, {100, 1500}, {3000, 20}} {
			came := x.Slice(at, at+step.insert)
			at += step.insert
			gone := all[0].Slots(nil)
			random.Shuffle(len(gone), func(i, j int) { gone[i], gone[j] = gone[j], gone[i] })
			gone = gone[:step.remove]
			for _, l := range all {
				if err := l.Delete(t.Context(), gone); err != nil {
					t.Fatal(err)
				}
				if _, err := l.Insert(t.Context(), came); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(all[0].tree, all[1].tree) {
				t.Fatalf("dim %d: the tree depends on the number of threads", dim)
			}
			want, err := Find(t.Context(), all[0].Rows(), all[0].set)
			if err != nil {
				t.Fatal(err)
			}
			sameAsBatch(t, all[0], want)
		}
	}
}

// TestLiveFails: a failing change leaves everything as it was.
func TestLiveFails(t *testing.T) {
	var wrong *models.SettingError
	if _, err := NewLive(2, Settings{MinSize: 1}); !errors.As(err, &wrong) {
		t.Errorf("a cluster of one point: %v", err)
	}
	if _, err := NewLive(0, Settings{}); err == nil {
		t.Error("rows of no columns")
	}
	l, err := NewLive(2, Settings{MinSize: 2, MinSamples: 2})
	if err != nil {
		t.Fatal(err)
	}
	x := vec.Of(4, 2, []float32{0, 0, 0, 1, 5, 5, 5, 6})
	slots, err := l.Insert(t.Context(), x)
	if err != nil || !slices.Equal(slots, []int32{0, 1, 2, 3}) {
		t.Fatalf("slots %v, %v", slots, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	nan := vec.Of(1, 2, []float32{0, float32(math.NaN())})
	for what, change := range map[string]func() error{
		"rows of another length": func() error { _, err := l.Insert(t.Context(), vec.New[float32](1, 3)); return err },
		"not a number":           func() error { _, err := l.Insert(t.Context(), nan); return err },
		"an empty slot":          func() error { return l.Delete(t.Context(), []int32{1, 4}) },
		"a slot twice":           func() error { return l.Delete(t.Context(), []int32{1, 1}) },
		"a context that ended":   func() error { _, err := l.Insert(ended, x); return err },
		"a context that ends":    func() error { return l.Delete(ended, []int32{1}) },
	} {
		if err := change(); err == nil {
			t.Errorf("%s: no error", what)
		}
		want, err := Find(t.Context(), x, l.set)
		if err != nil {
			t.Fatal(err)
		}
		sameAsBatch(t, l, want)
	}
	if err := l.Delete(t.Context(), slots[1:]); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Clusters(); !models.IsBadInput(err) {
		t.Errorf("clusters of one point: %v", err)
	}
}

// TestLivePushedOut: new points fill the list of their neighbour, and a former neighbour is in no
// list any more. Its reachability still follows from its smaller core distance.
func TestLivePushedOut(t *testing.T) {
	l, err := NewLive(1, Settings{MinSize: 2, MinSamples: 3})
	if err != nil {
		t.Fatal(err)
	}
	line := func(from, step float32, n int) vec.Matrix[float32] {
		x := vec.New[float32](n, 1)
		for i := range x.Data {
			x.Data[i] = from + float32(i)*step
		}
		return x
	}
	// There are many points above 15, one at 0, and one at 10. Then come many points just below 0.
	for _, x := range []vec.Matrix[float32]{line(15, .001, 40), line(0, 0, 1), line(10, 0, 1), line(-.1, -.001, 40)} {
		if _, err := l.Insert(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		want, err := Find(t.Context(), l.Rows(), l.set)
		if err != nil {
			t.Fatal(err)
		}
		sameAsBatch(t, l, want)
	}
}
