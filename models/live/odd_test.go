package live

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models/lvm"
)

// TestDownAndUp: a map loses most of its points, then all, and gets new ones.
func TestDownAndUp(t *testing.T) {
	for _, tails := range []lvm.Tails{lvm.Student, lvm.Gaussian} {
		set := quick()
		set.LVM.Tails = tails
		m, slots := fitted(t, blobs(40, 3, 1), set)
		for left := 39; left >= 0; left-- {
			change(t, m, slots[left:left+1], none)
			if left > 12 && left%7 != 0 {
				continue
			}
			r := refresh(t, m)
			if want := left < 2; (r.Kind == Still) != want || r.Points != left {
				t.Fatalf("%v tails, %d points: %+v", tails, left, r)
			}
			if left >= 2 && m.Snapshot().Reference.Rows != left {
				t.Fatalf("%v tails: %d reference points, %d are left", tails, m.Snapshot().Reference.Rows, left)
			}
		}
		change(t, m, nil, blobs(60, 3, 5))
		if r := refresh(t, m); r.Points != 60 || r.Moves.Points != 0 {
			t.Errorf("%v tails, from nothing: %+v", tails, r)
		}
	}
}

// TestOddRows: constant columns, huge values, a stream of one point and rows on a line give finite
// maps.
func TestOddRows(t *testing.T) {
	base := blobs(50, 4, 1)
	for name, f := range map[string]func(i int, row []float32){
		"a column of zeros": func(_ int, row []float32) { row[2] = 0 },
		"constant columns":  func(_ int, row []float32) { row[0], row[1], row[2] = 7, -3, 1e-30 },
		"huge values":       func(i int, row []float32) { row[1] *= float32(math.Pow(10, float64(i%31))) },
		"one point":         func(_ int, row []float32) { copy(row, []float32{1, 2, 3, 4}) },
		"tiny distances":    func(i int, row []float32) { copy(row, []float32{1, 1, 1, float32(i%50) * 1e-38}) },
		"huge and equal":    func(i int, row []float32) { copy(row, []float32{1e30, -1e30, 1e30, float32(i)}) },
	} {
		for _, tails := range []lvm.Tails{lvm.Student, lvm.Gaussian} {
			set := quick()
			set.LVM.Tails, set.GentleEvery, set.Backstop = tails, 2, 3
			m, _ := fitted(t, base, set)
			for b := range 4 {
				x := blobs(15, 4, uint64(10+b))
				for i := range x.Rows {
					f(15*b+i, x.Row(i))
				}
				change(t, m, nil, x)
				refresh(t, m)
			}
			for _, v := range m.Snapshot().Mu.Data {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s, %v tails: a place is %v", name, tails, v)
				}
			}
		}
	}
}

// TestAnyChanges: after any changes the map holds exactly the current points, each with its count.
func TestAnyChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		row := func() []float32 { return []float32{float32(r.IntN(4)), float32(r.IntN(3)), float32(r.IntN(3))} }
		x := vec.New[float32](60, 3)
		for i := range x.Rows {
			copy(x.Row(i), row())
		}
		set := quick()
		set.LVM.Steps = 4
		set.GentleEvery, set.Backstop = 3, 4
		m, slots, err := Fit(context.Background(), x, set)
		if err != nil {
			t.Skip(err) // too few distinct rows
		}
		type member struct {
			row  [3]float32
			slot int32
		}
		var all []member
		add := func(x vec.Matrix[float32], slots []int32) {
			for i, s := range slots {
				all = append(all, member{[3]float32(x.Row(i)), s})
			}
		}
		add(x, slots)
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			out := r.IntN(min(40, len(all)+1))
			var gone []int32
			for _, a := range all[:out] {
				gone = append(gone, a.slot)
			}
			all = all[out:]
			x := vec.New[float32](r.IntN(12), 3)
			for i := range x.Rows {
				copy(x.Row(i), row())
			}
			slots, err := m.Change(context.Background(), gone, x, nowhere)
			if err != nil {
				t.Fatal(err)
			}
			add(x, slots)
			report, err := m.Refresh(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			slotOf, count := map[[3]float32]int32{}, map[int32]uint32{}
			for _, a := range all {
				if s, known := slotOf[a.row]; known && s != a.slot {
					t.Fatalf("row %v is in slots %d and %d", a.row, s, a.slot)
				}
				slotOf[a.row] = a.slot
				count[a.slot]++
			}
			if m.Len() != len(slotOf) || report.Points != len(slotOf) {
				t.Fatalf("%d points, want %d: %+v", m.Len(), len(slotOf), report)
			}
			if report.Kind == Still {
				continue
			}
			s := m.Snapshot()
			if err := s.Validate(); err != nil {
				t.Fatal(err)
			}
			if !slices.IsSorted(m.Slots()) {
				t.Fatalf("slots %v", m.Slots())
			}
			for i, slot := range m.Slots() {
				if slotOf[[3]float32(s.Reference.Row(i))] != slot || s.Count[i] != count[slot] {
					t.Fatalf("row %d, slot %d: %v, %d times", i, slot, s.Reference.Row(i), s.Count[i])
				}
			}
		}
	})
}
