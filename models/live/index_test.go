package live

import (
	"bytes"
	"context"
	"testing"

	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/knn/hnsw"
)

// indexed returns settings of a map that has an index at any size and whose points hardly move.
func indexed() Settings {
	set := quick()
	set.LVM.Search.Method = auto.HNSW
	set.Ordinary.Steps, set.GentleEvery, set.Backstop, set.Growth = -1, -1, -1, -1
	set.AfterAlarm = []int{}
	return set
}

// links returns the bytes of a map's index.
func links(t testing.TB, m *Map) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Snapshot().Index.SaveLinks(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// recall returns the share of the k true neighbours of some rows that an index finds.
func recall(t testing.TB, ix knn.Index, x, q vec.Matrix[float32], k int) float64 {
	t.Helper()
	truth, err := knn.NewExact(x).Search(context.Background(), q, k, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := ix.Search(context.Background(), q, k, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := range q.Rows {
		index, _ := truth.Row(i)
		mine, _ := got.Row(i)
		there := map[int32]bool{}
		for _, j := range mine {
			there[j] = true
		}
		for _, j := range index {
			if there[j] {
				found++
			}
		}
	}
	return float64(found) / float64(k*q.Rows)
}

// reindexed returns the snapshot with a newly chosen index.
func reindexed(t testing.TB, s *snapshot.Snapshot, set Settings, threads int) *snapshot.Snapshot {
	t.Helper()
	out := *s
	if err := lvm.SetIndex(context.Background(), &out, nil, set.LVM.Search, knn.Settings{Threads: threads}); err != nil {
		t.Fatal(err)
	}
	return &out
}

// TestIndexFollows: a refresh updates the index of the map before. After all points have been
// replaced three times, its recall equals that of an index built from scratch.
func TestIndexFollows(t *testing.T) {
	const n, dim, block = 1000, 20, 100
	set := indexed()
	set.LVM.Search.Recall = .8 // so that the index misses some
	m, slots := fitted(t, blobs(n, dim, 1), set)
	first := m.Snapshot().Index
	if first == nil {
		t.Fatal("the first map has no index")
	}
	before := links(t, m)
	for b := range uint64(3 * n / block) {
		slots = append(slots[block:], change(t, m, slots[:block], blobs(block, dim, 10+b))...)
		refresh(t, m) // Validate compares the index's rows with the map's
		if m.Snapshot().Index == nil {
			t.Fatalf("refresh %d: no index", b)
		}
	}
	var b bytes.Buffer
	if err := first.SaveLinks(&b); err != nil || !bytes.Equal(b.Bytes(), before) {
		t.Errorf("the index of the first map has changed, %v", err)
	}
	s := m.Snapshot()
	built := reindexed(t, s, set, 1)
	q := blobs(500, dim, 5)
	mine, theirs := recall(t, s.Index, s.Reference, q, 10), recall(t, built.Index, s.Reference, q, 10)
	t.Logf("recall %.4f, of an index built again %.4f", mine, theirs)
	if mine < theirs-.02 || mine < .8 {
		t.Errorf("recall %.4f, of an index built again %.4f", mine, theirs)
	}
}

// TestIndexIsAFunctionOfTheSnapshot: a map restored from its snapshot continues with the same
// index, bit for bit, for any number of threads.
func TestIndexIsAFunctionOfTheSnapshot(t *testing.T) {
	set := indexed()
	set.Ordinary.Steps, set.Backstop = 2, 3
	m, slots := fitted(t, blobs(600, 5, 1), set)
	change(t, m, slots[100:130], blobs(20, 5, 7))
	refresh(t, m)
	s := *m.Snapshot()
	var err error
	if s.Index, err = hnsw.LoadLinks(bytes.NewReader(links(t, m)), s.Reference); err != nil {
		t.Fatal(err)
	}
	set.LVM.Threads = 3
	again, err := Restore(context.Background(), &s, m.State(), set)
	if err != nil {
		t.Fatal(err)
	}
	for b := range uint64(5) {
		for _, x := range []*Map{m, again} {
			change(t, x, slots[3*b:3*b+9*b], blobs(11, 5, 30+b))
			refresh(t, x)
		}
		if !bytes.Equal(links(t, m), links(t, again)) {
			t.Fatalf("change %d: the indexes differ", b)
		}
		slots = slots[12*b:]
	}
	// If most points are new, the index is built again. If the settings ask for exact search, it is
	// dropped.
	change(t, m, nil, blobs(900, 5, 99))
	refresh(t, m)
	built := reindexed(t, m.Snapshot(), set, 2)
	var b bytes.Buffer
	if err := built.Index.SaveLinks(&b); err != nil || !bytes.Equal(b.Bytes(), links(t, m)) {
		t.Errorf("of mostly new points there is another index than a new one, %v", err)
	}
	m.set.LVM.Search = auto.Settings{}
	change(t, m, nil, blobs(5, 5, 100))
	refresh(t, m)
	if m.Snapshot().Approximate() {
		t.Error("a small map is not searched exactly")
	}
}

// TestCellsFollow: a map that is searched by cells has cells of its points after each refresh, and
// no index, as long as it is large.
func TestCellsFollow(t *testing.T) {
	const n, dim = 13_000, 50
	set := indexed()
	set.LVM.Search = auto.Settings{}
	m, slots := fitted(t, blobs(n, dim, 1), set)
	for b := range 2 {
		slots = append(slots[n/8:], change(t, m, slots[:n/8], blobs(n/8, dim, uint64(10+b)))...)
		refresh(t, m)
		if s := m.Snapshot(); s.CellRecall != auto.IndexRecall || s.Index != nil || recall(t, s.Cells, s.Reference, s.Reference.Slice(0, 200), 10) < 0.99 {
			t.Fatalf("refresh %d: recall of cells %v, index %v, or cells that find less", b, s.CellRecall, s.Index != nil)
		}
	}
	change(t, m, slots[:4000], blobs(1, dim, 30))
	refresh(t, m)
	if s := m.Snapshot(); s.Approximate() {
		t.Errorf("a map of %d points has cells of recall %v", s.Reference.Rows, s.CellRecall)
	}
}
