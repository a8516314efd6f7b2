package live

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"unfold/internal/testkit/ending"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
)

// TestPlan: new points start at given places, and invalid places are refused.
func TestPlan(t *testing.T) {
	m, err := restored(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := blobs(3, 4, 9)
	copy(x.Row(1), x.Row(0))
	at := vec.Of(3, 2, []float64{1, 2, -3, math.MaxFloat32, 7, 8})
	for _, v := range []float64{math.NaN(), math.Inf(1), -math.MaxFloat32 * 1.01} {
		bad := at.Clone()
		bad.Row(1)[0] = v
		if _, err := m.Change(t.Context(), nil, x, bad); !models.IsBadInput(err) || !strings.Contains(err.Error(), "row 1 has the place") {
			t.Errorf("%v: %v", v, err)
		}
	}
	for _, bad := range []vec.Matrix[float64]{vec.New[float64](2, 2), vec.New[float64](3, 3)} {
		if _, err := m.Change(t.Context(), nil, x, bad); err == nil {
			t.Errorf("%d places in %d dimensions are taken", bad.Rows, bad.Cols)
		}
	}
	if _, err := m.Change(t.Context(), []int32{-1}, x, at); err == nil || !strings.Contains(err.Error(), "slot -1") {
		t.Errorf("slot -1: %v", err)
	}
	if _, err := m.Change(t.Context(), []int32{int32(len(m.count))}, x, at); err == nil {
		t.Error("a slot beyond all")
	}
	slots, err := m.Change(t.Context(), nil, x, at)
	if err != nil || slots[1] != slots[0] || m.Count(slots[0]) != 2 || m.Count(slots[2]) != 1 {
		t.Fatalf("%v, %v", slots, err)
	}
	if !slices.Equal(m.place(slots[0]), at.Row(0)) || !slices.Equal(m.place(slots[2]), at.Row(2)) || m.sigma2[slots[0]] != m.usual() || m.age[slots[2]] != newborn || m.label[slots[0]] != "" {
		t.Errorf("new points start at %v and %v", m.place(slots[0]), m.place(slots[2]))
	}
	if again := change(t, m, nil, x.Slice(2, 3)); again[0] != slots[2] || m.Count(slots[2]) != 2 || m.born != 2 {
		t.Errorf("an equal row is in slot %d, not %d, %d are born", again[0], slots[2], m.born)
	}
	if change(t, m, []int32{slots[2], slots[2]}, none); m.born != 1 || m.gone != 0 {
		t.Errorf("%d are born and %d gone, after one of the new ones went", m.born, m.gone)
	}
	if again := change(t, m, nil, x.Slice(2, 3)); m.born != 2 || m.Count(again[0]) != 1 {
		t.Errorf("the row that went is in slot %d again, %d are born", again[0], m.born)
	}
	if again := change(t, m, nil, m.Snapshot().Reference.Slice(0, 1)); again[0] != 0 || m.Count(0) != 2 {
		t.Errorf("the row of slot 0 is in slot %d", again[0])
	}
	// Without places a point starts at the place of its own event.
	y := blobs(2, 4, 11)
	slots = change(t, m, nil, y)
	placed, err := m.placed(t.Context(), y)
	if err != nil || !slices.Equal(m.place(slots[1]), placed.Row(1)) {
		t.Errorf("a new point starts at %v, its event is at %v: %v", m.place(slots[1]), placed.Row(1), err)
	}
	m.snap.Sigma2 = []float64{1, 2, 6}
	if m.usual() != 3 {
		t.Errorf("the usual variance is %v", m.usual())
	}
	if m.snap.Sigma2 = []float64{.1, .1, .1}; m.usual() != .1 {
		t.Errorf("the usual variance is %v", m.usual())
	}
	s := &snapshot.Snapshot{CellRecall: 0.9}
	if got := StartAt(s, vec.New[float32](3, 2)); got.Rows != 0 {
		t.Errorf("%d places by an approximate search", got.Rows)
	}
	s.CellRecall = 0
	if got := StartAt(s, vec.Of(1, 2, []float32{3, 4})); !slices.Equal(got.Data, []float64{3, 4}) {
		t.Errorf("%v", got)
	}
}

// TestListsOfFew: with fewer than k other points, lists hold all of them, by rank. Lists stored in
// slots with gaps leave the gaps to new points.
func TestListsOfFew(t *testing.T) {
	set, err := Settings{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	x := vec.Of(4, 1, []float32{0, 1, 3, 7})
	l, err := restoreLists(t.Context(), x, []int32{1, 2, 5, 6}, set)
	if err != nil {
		t.Fatal(err)
	}
	slots, nb, parts := l.compact()
	want := &knn.Neighbors{N: 4, K: 3, Index: []int32{1, 2, 3, 0, 2, 3, 1, 0, 3, 2, 1, 0}, Dist2: []float64{1, 9, 49, 1, 4, 36, 4, 9, 16, 16, 36, 49}}
	if !slices.Equal(slots, []int32{1, 2, 5, 6}) || nb.N != 4 || nb.K != 3 || !slices.Equal(nb.Index, want.Index) || !slices.Equal(nb.Dist2, want.Dist2) || parts != nil {
		t.Errorf("%v: %+v", slots, nb)
	}
	for i, slot := range slots {
		if l.Row(slot)[0] != x.Data[i] {
			t.Errorf("slot %d holds %v", slot, l.Row(slot))
		}
	}
	came, err := l.change(t.Context(), []int32{2}, vec.Of(3, 1, []float32{20, 21, 22}))
	if err != nil || !slices.Equal(came, []int32{0, 2, 3}) {
		t.Errorf("new rows are in %v: %v", came, err)
	}
	if _, err := l.change(ended(), []int32{0}, none); !errors.Is(err, ended().Err()) {
		t.Errorf("%v of a context that ended", err)
	}
	if came, err := l.change(t.Context(), nil, none); came != nil || err != nil {
		t.Errorf("%v, %v of no change", came, err)
	}
	for _, slots := range [][]int32{nil, {0, 1, 2, 3}} {
		if l, err := restoreLists(t.Context(), x, slots, set); err != nil || !slices.Equal(l.Slots(nil), []int32{0, 1, 2, 3}) {
			t.Errorf("%v: %v", slots, err)
		}
	}
	if l, err = restoreLists(t.Context(), x.Slice(0, 0), nil, set); err != nil {
		t.Fatal(err)
	}
	if slots, nb, _ := l.compact(); len(slots) != 0 || nb.N != 0 || nb.K != 0 {
		t.Errorf("of no points: %v, %+v", slots, nb)
	}
	set.LVM.Tails = lvm.Gaussian
	set.LVM.Saul.Core = mostCore
	for core := mostCore; core <= mostCore+1; core++ {
		set.LVM.Saul.Core = core
		l, err := newLists(t.Context(), blobs(40, 3, 1), set)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, parts := l.compact(); (parts != nil) != (core == mostCore) {
			t.Errorf("core %d: parts are kept: %v", core, parts != nil)
		}
	}
}

// TestLabels: labels belong to slots, and are used under supervision only.
func TestLabels(t *testing.T) {
	m, err := restored(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	m.Label([]int32{2, 4, 8}, []string{"a", "b", ""})
	if got := m.labelled([]int32{0, 2, 4}); got != nil {
		t.Errorf("labels %v without supervision", got)
	}
	m.set.LVM.Student.Supervision = 0.5
	if got := m.labelled([]int32{0, 2, 4, 8}); !slices.Equal(got, []string{"", "a", "b", ""}) {
		t.Errorf("labels %v", got)
	}
}

// TestListsCancelled: lists cancelled at any step have changed completely or not at all.
func TestListsCancelled(t *testing.T) {
	set, err := Settings{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	for left := 0; ; left++ {
		l, err := newLists(t.Context(), blobs(60, 3, 1), set)
		if err != nil {
			t.Fatal(err)
		}
		slots, err := l.change(ending.After(t.Context(), left), []int32{3, 9}, blobs(5, 3, 2))
		if err != nil {
			if !errors.Is(err, context.Canceled) || l.Len() != 60 || !l.Has(3) {
				t.Fatalf("%v, with %d points", err, l.Len())
			}
			continue
		}
		if l.Len() != 63 || !slices.Equal(slots, []int32{3, 9, 60, 61, 62}) {
			t.Fatalf("%d points, new ones in %v", l.Len(), slots)
		}
		break
	}
}

// TestRefreshSays compares the report of a refresh and its snapshot with the map before and the
// places.
func TestRefreshSays(t *testing.T) {
	for _, kind := range []Kind{Ordinary, Gentle, Major} {
		m, err := restored(t, func(s *snapshot.Snapshot, st *State, _ *Settings) {
			s.Steps = 100
			st.SinceMajor = map[Kind]int{Ordinary: 2, Gentle: 4, Major: 49}[kind]
		})
		if err != nil {
			t.Fatal(err)
		}
		change(t, m, []int32{4, 6}, blobs(1, 4, 9))
		before, slots := m.Snapshot(), m.Slots()
		r := refresh(t, m)
		s := m.Snapshot()
		if r.Kind != kind || r.Version != before.Version+1 || s.Version != r.Version || r.Epoch != before.Epoch || r.Points != 29 || r.Born != 1 || r.Gone != 2 || r.Alarm.Since != 5 {
			t.Errorf("%v: %+v", kind, r)
		}
		steps := r.Steps
		if kind != Major {
			steps += 100
		}
		if want := map[Kind]int{Ordinary: 5, Gentle: 50, Major: 40}[kind]; r.Steps != want || s.Steps != steps || r.CGIterations < want || s.Neighbors != 8 {
			t.Errorf("%v: %d steps, %d of the snapshot", kind, r.Steps, s.Steps)
		}
		if r.LoglikPoint != r.Loglik/29 || r.LoglikPair != r.Loglik/(29*28) || r.Diameter != Diameter(s.Mu) || r.Moves.Points != 28 {
			t.Errorf("%v: %+v", kind, r)
		}
		// No rigid motion brings the remaining points nearer to their old places.
		var from, to []float64
		for i, slot := range m.Slots() {
			if at := slices.Index(slots, slot); at >= 0 && slices.Equal(before.Reference.Row(at), s.Reference.Row(i)) {
				from, to = append(from, s.Mu.Row(i)...), append(to, before.Mu.Row(at)...)
			}
		}
		laid := vec.Of(len(from)/2, 2, slices.Clone(from))
		Align(laid, vec.Of(len(from)/2, 2, from), vec.Of(len(to)/2, 2, to))
		if d := math.Sqrt(vec.SquaredDistance(laid.Data, from)); !(d < 1e-6*r.Diameter) || len(from) != 56 {
			t.Errorf("%v: the map is %v from where it fits best, by %d points", kind, d, len(from)/2)
		}
		if st := m.State(); st.Refreshes != 13 || st.Alarm != 5 || len(st.Blocks) != 3 {
			t.Errorf("%v: %+v", kind, st)
		}
	}
	// A map with fewer points than neighbours keeps the number of neighbours.
	m, err := restored(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	change(t, m, m.Slots()[:28], none)
	if r := refresh(t, m); r.Points != 2 || r.Kind == Still || m.Snapshot().Neighbors != 8 {
		t.Errorf("two points: %+v, %d neighbours", r, m.Snapshot().Neighbors)
	}
	change(t, m, m.Slots()[:1], none)
	if r := refresh(t, m); r.Points != 1 || r.Kind != Still || r.Gone != 1 || m.Snapshot().Reference.Rows != 2 {
		t.Errorf("one point: %+v", r)
	}
}
