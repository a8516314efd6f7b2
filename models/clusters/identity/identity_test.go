package identity_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/models/clusters/identity"
)

// world is a changing set of points with their stored ids.
type world struct {
	t      testing.TB
	state  identity.State
	memory identity.Memory
	set    identity.Settings
}

// step matches the clusters of points; point i was row[i] before.
func (w *world) step(label, row []int32) *identity.Matched {
	w.t.Helper()
	count := int(slices.Max(append([]int32{-1}, label...))) + 1
	filled, err := w.set.Filled()
	if err != nil {
		w.t.Fatal(err)
	}
	m, err := identity.Match(w.state, w.memory.Take(row, filled.Memory), label, count, w.set)
	if err != nil {
		w.t.Fatal(err)
	}
	w.state, w.memory = m.State, m.Memory
	return m
}

// blocks returns labels in runs of the given lengths. A negative length is a run of noise.
func blocks(sizes ...int) (label []int32) {
	next := int32(0)
	for _, n := range sizes {
		of := next
		if n < 0 {
			n, of = -n, -1
		} else {
			next++
		}
		label = append(label, slices.Repeat([]int32{of}, n)...)
	}
	return label
}

// same returns the previous rows if all points stay.
func same(n int) []int32 {
	row := make([]int32, n)
	for i := range row {
		row[i] = int32(i)
	}
	return row
}

func TestTransitions(t *testing.T) {
	type transition struct {
		label []int32
		want  []identity.Event
		ids   []identity.ID
	}
	begin := transition{blocks(60, 40, -20), []identity.Event{{Kind: identity.Born, ID: 1, Size: 60}, {Kind: identity.Born, ID: 2, Size: 40}}, []identity.ID{1, 2}}
	for _, row := range []struct {
		name string
		set  identity.Settings
		then []transition
	}{
		{"survive", identity.Settings{}, []transition{{blocks(58, -4, 38, -20), nil, []identity.ID{1, 2}}}},
		{"other order", identity.Settings{}, []transition{{append(slices.Repeat([]int32{1}, 60), append(slices.Repeat([]int32{0}, 40), blocks(-20)...)...), nil, []identity.ID{2, 1}}}},
		{"grow", identity.Settings{}, []transition{{blocks(60, 60), []identity.Event{{Kind: identity.Grew, ID: 2, Size: 60, Before: 40}}, []identity.ID{1, 2}}}},
		{"shrink", identity.Settings{}, []transition{{blocks(40, -20, 40, -20), []identity.Event{{Kind: identity.Shrank, ID: 1, Size: 40, Before: 60}}, []identity.ID{1, 2}}}},
		{"grow by little again and again", identity.Settings{}, []transition{
			{blocks(60, 46, -14), nil, []identity.ID{1, 2}},
			{blocks(60, 52, -8), []identity.Event{{Kind: identity.Grew, ID: 2, Size: 52, Before: 40}}, []identity.ID{1, 2}},
		}},
		{"split", identity.Settings{}, []transition{{blocks(25, 35, 40, -20), []identity.Event{
			{Kind: identity.Shrank, ID: 1, Size: 35, Before: 60}, {Kind: identity.Split, ID: 3, Other: 1, Size: 25},
		}, []identity.ID{3, 1, 2}}}},
		{"merge at once", identity.Settings{Patience: -1}, []transition{{blocks(100, -20), []identity.Event{
			{Kind: identity.Merged, ID: 2, Other: 1, Before: 40}, {Kind: identity.Grew, ID: 1, Size: 100, Before: 60},
		}, []identity.ID{1}}}},
		{"merge later", identity.Settings{Patience: 1}, []transition{
			{blocks(100, -20), []identity.Event{{Kind: identity.Grew, ID: 1, Size: 100, Before: 60}}, []identity.ID{1}},
			{blocks(100, -20), []identity.Event{{Kind: identity.Merged, ID: 2, Other: 1, Before: 40}}, []identity.ID{1}},
		}},
		{"merge and part again", identity.Settings{Patience: 1}, []transition{
			{blocks(100, -20), []identity.Event{{Kind: identity.Grew, ID: 1, Size: 100, Before: 60}}, []identity.ID{1}},
			{blocks(60, 40, -20), []identity.Event{{Kind: identity.Shrank, ID: 1, Size: 60, Before: 100}}, []identity.ID{1, 2}},
		}},
		{"die", identity.Settings{Patience: -1}, []transition{{blocks(60, -60), []identity.Event{{Kind: identity.Died, ID: 2, Before: 40}}, []identity.ID{1}}}},
		{"be born of noise", identity.Settings{}, []transition{{blocks(60, 40, 20), []identity.Event{{Kind: identity.Born, ID: 3, Size: 20}}, []identity.ID{1, 2, 3}}}},
		{"die and come again is another", identity.Settings{Patience: -1, Memory: 1}, []transition{
			{blocks(60, -60), []identity.Event{{Kind: identity.Died, ID: 2, Before: 40}}, []identity.ID{1}},
			{blocks(60, 40, -20), []identity.Event{{Kind: identity.Born, ID: 3, Size: 40}}, []identity.ID{1, 3}},
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := &world{t: t, set: row.set}
			for k, s := range append([]transition{begin}, row.then...) {
				m := w.step(s.label, same(len(s.label)))
				if !reflect.DeepEqual(m.Events, s.want) || !reflect.DeepEqual(m.ID, s.ids) {
					t.Fatalf("step %d: ids %v, events %v; want %v, %v", k, m.ID, m.Events, s.ids, s.want)
				}
			}
		})
	}
}

// TestTooFewLeft: a missing cluster keeps its id as long as enough of its points are left to form
// it.
func TestTooFewLeft(t *testing.T) {
	for left, want := range map[int][]identity.Event{
		30: nil,
		29: {{Kind: identity.Died, ID: 2, Before: 40}},
	} {
		w := &world{t: t, set: identity.Settings{Least: 30}}
		w.step(blocks(60, 40), same(100))
		row := same(100)
		for i := 60 + left; i < 100; i++ {
			row[i] = -1
		}
		if m := w.step(blocks(60, -40), row); !reflect.DeepEqual(m.Events, want) {
			t.Errorf("with %d points left: %v, want %v", left, m.Events, want)
		}
	}
}

func TestSettings(t *testing.T) {
	for name, s := range map[string]identity.Settings{
		"overlap": {Overlap: 2}, "memory": {Memory: -1}, "decay": {Decay: -1}, "patience": {Patience: 9}, "growth": {Growth: -1}, "least": {Least: -1},
	} {
		if _, err := s.Filled(); err == nil {
			t.Errorf("%s: %+v is taken", name, s)
		}
	}
	for name, s := range map[string]identity.Settings{"zero": {}, "none": {Favour: -1, Patience: -1}, "one map": {Memory: 1}} {
		once, err := s.Filled()
		if err != nil || s.Favour < 0 && once.Favour >= 0 || s.Patience < 0 && once.Patience >= 0 {
			t.Errorf("%s: %+v, %v", name, once, err)
		}
		if twice, err := once.Filled(); err != nil || twice != once {
			t.Errorf("%s: filled again %+v is %+v, %v", name, once, twice, err)
		}
	}
}

// TestTurnover replaces all points, a share at a time: the clusters keep their ids.
func TestTurnover(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(20, 60), 1, 6).Draw(r, "sizes")
		label := blocks(sizes...)
		w := &world{t: t}
		first := w.step(label, slices.Repeat([]int32{-1}, len(label)))
		for range 30 {
			row := same(len(label))
			for i := range row {
				if rapid.IntRange(0, 4).Draw(r, "replaced") == 0 {
					row[i] = -1
				}
			}
			// A cluster without any remaining point cannot be matched.
			alive := make([]bool, len(sizes))
			for i, b := range label {
				alive[b] = alive[b] || row[i] >= 0
			}
			for i, b := range label {
				if !alive[b] {
					row[i], alive[b] = int32(i), true
				}
			}
			if m := w.step(label, row); !reflect.DeepEqual(m.ID, first.ID) || len(m.Events) > 0 {
				r.Fatalf("ids %v, events %v, want %v without any", m.ID, m.Events, first.ID)
			}
		}
	})
}

// TestRandomCourses lets clusters appear, split, merge, shrink and disappear at random. Ids are
// never reused, and every event fits those before. A state restored from JSON continues in the same
// way.
func TestRandomCourses(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(r, "points")
		groups := rapid.IntRange(1, 6).Draw(r, "groups")
		of := make([]int32, n) // noise is group 0
		for i := range of {
			of[i] = int32(rapid.IntRange(0, groups).Draw(r, "group"))
		}
		w := &world{t: t, set: identity.Settings{Patience: rapid.SampledFrom([]int{-1, 0, 1, 2}).Draw(r, "patience")}}
		living, ended := map[identity.ID]bool{}, map[identity.ID]bool{}
		for range rapid.IntRange(1, 20).Draw(r, "maps") {
			row := same(n)
			change(r, of, row, groups)
			label, count := renumber(of)
			saved, err := json.Marshal(w.state)
			if err != nil {
				r.Fatal(err)
			}
			again := &world{t: t, set: w.set, memory: w.memory}
			if err := json.Unmarshal(saved, &again.state); err != nil {
				r.Fatal(err)
			}
			m := w.step(label, row)
			if other := again.step(label, row); !reflect.DeepEqual(m, other) {
				r.Fatalf("from the saved state: %+v, want %+v", other, m)
			}
			if len(m.ID) != count {
				r.Fatalf("%d ids for %d clusters", len(m.ID), count)
			}
			follow(r, m, living, ended)
			for i, b := range label {
				if want := identity.Noise; b < 0 && m.Point(i) != want || b >= 0 && m.Point(i) != m.ID[b] {
					r.Fatalf("point %d of cluster %d remembers %d", i, b, m.Point(i))
				}
			}
		}
	})
}

// change changes groups at random.
func change(r *rapid.T, of, row []int32, groups int) {
	a, b := int32(rapid.IntRange(0, groups).Draw(r, "a")), int32(rapid.IntRange(0, groups).Draw(r, "b"))
	switch rapid.SampledFrom([]string{"merge", "split", "turnover"}).Draw(r, "change") {
	case "merge":
		for i := range of {
			if of[i] == a {
				of[i] = b
			}
		}
	case "split":
		for i := range of {
			if of[i] == a && rapid.Bool().Draw(r, "goes") {
				of[i] = b
			}
		}
	default:
		for i := range of {
			if rapid.IntRange(0, 3).Draw(r, "replaced") == 0 {
				of[i], row[i] = a, -1
			}
		}
	}
}

// renumber returns labels of the groups, numbered by their first points.
func renumber(of []int32) (label []int32, count int) {
	number := map[int32]int32{0: -1}
	for _, g := range of {
		if _, known := number[g]; !known {
			number[g] = int32(len(number) - 1)
		}
		label = append(label, number[g])
	}
	return label, len(number) - 1
}

// follow checks that events fit those before.
func follow(r *rapid.T, m *identity.Matched, living, ended map[identity.ID]bool) {
	for _, e := range m.Events {
		switch {
		case e.Kind == identity.Born || e.Kind == identity.Split:
			if living[e.ID] || ended[e.ID] || e.Before != 0 {
				r.Fatalf("%+v, but there was one of that id", e)
			}
			living[e.ID] = true
		case !living[e.ID]:
			r.Fatalf("%+v of a cluster that is not there", e)
		case e.Kind.Ends():
			delete(living, e.ID)
			ended[e.ID] = true
		}
	}
	known := map[identity.ID]bool{}
	for _, c := range m.State.Clusters {
		known[c.ID] = true
	}
	if !reflect.DeepEqual(known, living) {
		r.Fatalf("the state has %v, events say %v", known, living)
	}
	given := map[identity.ID]bool{}
	for _, id := range m.ID {
		if !living[id] || given[id] {
			r.Fatalf("id %d is given twice, or not alive", id)
		}
		given[id] = true
	}
}
