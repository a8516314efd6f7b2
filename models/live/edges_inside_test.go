package live

import (
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/snapshot"
)

// TestBeyond: a place outside the range of single precision counts as missing.
func TestBeyond(t *testing.T) {
	for v, want := range map[float64]int{0: -1, math.MaxFloat32: -1, -math.MaxFloat32: -1, 3.5e38: 1, -3.5e38: 1, math.Inf(1): 1, math.NaN(): 1} {
		if got := beyond(vec.Of(3, 2, []float64{1, 2, 3, v, v, 5})); got != want {
			t.Errorf("%v: row %d, want %d", v, got, want)
		}
	}
	m, err := restored(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := m.Snapshot()
	mu := before.Mu.Clone()
	vec.Scale(1e39, mu.Data)
	r := &lvm.Result{Result: &models.Result{}}
	r.Mu = mu
	if _, err := m.aligned(t.Context(), r, &Report{}, before.Reference, m.Slots(), before.Mu); !models.IsBadInput(err) {
		t.Errorf("places beyond single precision: %v", err)
	}
}

// TestChangeKeeps: landmarks are updated by a change and not chosen again. If they cannot be
// updated, the next refresh chooses others. Deletions alone need no placer.
func TestChangeKeeps(t *testing.T) {
	set := quick()
	set.LVM.Tails = lvm.Gaussian
	m, slots := fitted(t, blobs(80, 4, 1), set)
	refresh(t, m)
	marks := m.marks
	change(t, m, slots[:3], none)
	if m.marks != marks || !slices.Equal(marks.Slots(), m.lists.Slots(nil)) || m.placer != nil {
		t.Errorf("after a change there are other landmarks, or a placer: %v", m.placer)
	}
	if change(t, m, nil, blobs(2, 4, 5)); m.marks != marks || !slices.Equal(marks.Slots(), m.lists.Slots(nil)) {
		t.Error("after new points there are other landmarks")
	}
	if err := marks.Delete(t.Context(), slots[10:11]); err != nil { // as with none
		t.Fatal(err)
	}
	if change(t, m, slots[10:11], none); m.marks != nil {
		t.Error("landmarks that could not follow are kept")
	}
	if r := refresh(t, m); r.Points != 78 || m.marks == nil || !slices.Equal(m.marks.Slots(), m.Slots()) {
		t.Errorf("%+v", r)
	}
}

// TestUnitWithTheSamePush: rounding of the weight of dissimilar pairs does not change the unit.
func TestUnitWithTheSamePush(t *testing.T) {
	m, err := restored(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := *m.Snapshot()
	s.Reference = s.Reference.Slice(0, 2)
	st := *s.Student
	st.Weight, st.Clip = 1, [2]float64{1, 1}
	s.Student, m.snap = &st, &s
	for push, same := range map[float64]bool{1: true, 1 - 1e-9: true, 1 - 2e-9: false, 2: true} {
		r := &lvm.Result{Result: &models.Result{}, Student: &snapshot.Student{Weight: push, Unit: 8, Clip: [2]float64{1, 2}, Error2: []float64{5}}}
		r.Mu, r.Sigma2 = vec.Of(2, 2, []float64{1, 2, 3, 4}), []float64{7, 7}
		if m.publish(r, Ordinary, nowhere, nowhere); (r.Mu.Data[0] == 1) != same {
			t.Errorf("a push of %v: the unit is %v", push, r.Mu.Data[0])
		}
	}
}
