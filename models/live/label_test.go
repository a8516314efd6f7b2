package live

import (
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models/points"
)

// TestLabelsFollow: later refreshes use the labels of the points. Labels of removed points are
// removed, and a restored map continues as the original would.
func TestLabelsFollow(t *testing.T) {
	x := blobs(300, 6, 1)
	set := quick()
	set.LVM.Student.Supervision = 1
	set.LVM.Labels = make([]string, x.Rows)
	for i := range set.LVM.Labels {
		set.LVM.Labels[i] = []string{"a", "b", ""}[i%3]
	}
	m, slots := fitted(t, x, set)
	twin, _ := fitted(t, x, set)
	kept := func(m *Map) []string {
		label, err := points.LabelsOf(m.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		return label
	}
	if !slices.Equal(kept(m), set.LVM.Labels) {
		t.Fatal("the first map does not keep the labels")
	}
	fresh := blobs(20, 6, 2)
	var came []int32
	for _, m := range []*Map{m, twin} {
		came = change(t, m, slots[:10], fresh)
	}
	m.Label(came[:2], []string{"c", "b"})
	twin.Label(came[:2], []string{"a", "a"})
	refresh(t, m)
	refresh(t, twin)
	label := kept(m)
	if at := m.Slots(); len(at) != len(label) {
		t.Fatalf("%d labels of %d points", len(label), len(at))
	}
	for i, slot := range m.Slots() {
		want := ""
		switch k := slices.Index(came, slot); {
		case k == 0:
			want = "c"
		case k == 1:
			want = "b"
		case k < 0:
			want = set.LVM.Labels[slices.Index(slots, slot)]
		}
		if label[i] != want {
			t.Errorf("the point in slot %d has the label %q, want %q", slot, label[i], want)
		}
	}
	if slices.Equal(m.Snapshot().Mu.Data, twin.Snapshot().Mu.Data) {
		t.Error("other labels gave the same places")
	}
	again, err := Restore(t.Context(), m.Snapshot(), m.State(), set)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Map{m, again} {
		change(t, m, nil, vec.Matrix[float32]{Cols: 6})
		refresh(t, m)
	}
	if !slices.Equal(m.Snapshot().Mu.Data, again.Snapshot().Mu.Data) || !slices.Equal(kept(m), kept(again)) {
		t.Error("a map that was restored goes on another way")
	}
}
