package reference

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func newSet(t testing.TB, s Settings, dim, note int) *Set {
	t.Helper()
	set, err := New(s, dim, note)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// event is an event in the plain model of a set.
type event struct {
	value float32
	id    string
}

// plain is a set without limits: its events, newest last.
type plain struct {
	events []event
	seen   map[float32]int64
}

func (m *plain) add(v float32, id string, at int64) {
	m.drop(id)
	m.events = append(m.events, event{v, id})
	m.seen[v] = max(m.seen[v], at)
}

func (m *plain) drop(id string) bool {
	n := len(m.events)
	m.events = slices.DeleteFunc(m.events, func(e event) bool { return id != "" && e.id == id })
	return len(m.events) < n
}

func (m *plain) counts() map[float32]uint32 {
	c := map[float32]uint32{}
	for _, e := range m.events {
		c[e.value]++
	}
	return c
}

func (s *Set) valueCounts() map[float32]uint32 {
	c := map[float32]uint32{}
	for p := range s.All() {
		c[s.Vector(p)[0]] = s.Count(p)
	}
	return c
}

// While there is room for everything, the set equals the plain model of its events.
func TestSetIsItsEvents(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := newSet(t, Settings{Size: 1000, IDs: true}, 1, 0)
		m := &plain{seen: map[float32]int64{}}
		var unknown uint64
		for range rapid.IntRange(1, 60).Draw(r, "events") {
			id := fmt.Sprint(rapid.IntRange(0, 12).Draw(r, "id"))
			if rapid.IntRange(0, 3).Draw(r, "what") == 0 {
				if was := m.drop(id); was != s.Delete(id) {
					r.Fatalf("deleting %s: %v", id, !was)
				} else if !was {
					unknown++
				}
				continue
			}
			v := float32(rapid.IntRange(0, 5).Draw(r, "value"))
			// More events with one vector than ids are stored would differ.
			if m.drop(id); m.counts()[v] >= idsPerPoint {
				s.Delete(id)
				unknown = s.Counts().UnknownDeletes
				continue
			}
			m.add(v, id, 0)
			s.Add([]float32{v}, id, 0)
		}
		if got, want := s.valueCounts(), m.counts(); !maps.Equal(got, want) {
			r.Fatalf("%v, want %v", got, want)
		}
		if got := s.Counts().UnknownDeletes; got != unknown {
			r.Fatalf("%d unknown deletes, want %d", got, unknown)
		}
		s.check(r)
	})
}

// A set without ids has none of any point, whatever comes and goes.
func TestNoIDs(t *testing.T) {
	s := newSet(t, Settings{Size: 3}, 1, 0)
	for k := range 6 {
		p := s.Add([]float32{float32(k)}, "ignored", int64(k))
		if ids := s.IDs(p); len(ids) > 0 {
			t.Errorf("event %d has ids %q", k, ids)
		}
	}
	if saved := s.Save(); saved.IDs != nil {
		t.Errorf("ids are saved: %q", saved.IDs)
	}
	s.check(t)
}

// check checks the invariants of a set.
func (s *Set) check(r interface{ Fatalf(string, ...any) }) {
	if n := s.settings.Size + s.settings.slack(); s.Len() > n {
		r.Fatalf("%d points, the bound is %d", s.Len(), n)
	}
	ids, mapped, slots := 0, 0, map[int32]bool{}
	for p := range s.All() {
		if s.find(s.hashOf(s.Vector(p)), s.Vector(p)) != p {
			r.Fatalf("point %d is not found by its vector", p)
		}
		if s.slot[p] >= 0 {
			if slots[s.slot[p]] {
				r.Fatalf("slot %d twice", s.slot[p])
			}
			slots[s.slot[p]] = true
			mapped++
		}
		if s.settings.IDs {
			if k := len(s.own[p]); k == 0 || k > idsPerPoint || uint32(k) > s.count[p] {
				r.Fatalf("point %d has %d ids and stands for %d events", p, k, s.count[p])
			}
			for _, id := range s.own[p] {
				if s.ids[id] != p {
					r.Fatalf("id %s is of point %d, not of %d", id, s.ids[id], p)
				}
			}
			ids += len(s.own[p])
		}
	}
	if mapped != s.mapped || ids != len(s.ids) {
		r.Fatalf("%d points in the map, counted %d; %d ids, %d known", mapped, s.mapped, ids, len(s.ids))
	}
	for _, h := range []*heap{&s.oldest, &s.rank} {
		for i, p := range h.item {
			if h.at[p] != int32(i) || i > 0 && h.less(p, h.item[(i-1)/2]) {
				r.Fatalf("heap: item %d is out of order", i)
			}
		}
	}
}

// For any events, a set keeps its limits, a map that follows by Changes and Took equals the set,
// and a saved and restored set continues in the same way.
func TestFollowing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		settings := Settings{
			Policy: Policy(rapid.IntRange(0, 2).Draw(r, "policy")), Size: rapid.IntRange(2, 20).Draw(r, "size"),
			IDs: rapid.Bool().Draw(r, "ids"), MaxAge: time.Duration(rapid.SampledFrom([]int{0, 7}).Draw(r, "age")),
		}
		s := newSet(t, settings, 1, 1)
		at, now, slots := map[int32]float32{}, int64(0), int32(0)
		follow := func(c Changes) []int32 {
			for _, g := range c.Gone {
				if _, there := at[g]; !there {
					r.Fatalf("slot %d is cleared twice", g)
				}
				delete(at, g)
			}
			var took []int32
			for i := range c.X.Rows {
				at[slots] = c.X.Row(i)[0]
				took = append(took, slots)
				slots++
			}
			return took
		}
		one := func() {
			id := fmt.Sprint(rapid.IntRange(0, 30).Draw(r, "id"))
			if settings.IDs && rapid.IntRange(0, 4).Draw(r, "what") == 0 {
				s.Delete(id)
				return
			}
			now += int64(rapid.IntRange(-1, 3).Draw(r, "pause"))
			s.Add([]float32{float32(rapid.IntRange(0, 40).Draw(r, "value"))}, id, now)
		}
		for range rapid.IntRange(1, 80).Draw(r, "steps") {
			switch rapid.IntRange(0, 9).Draw(r, "step") {
			case 0:
				if n := s.Excess(); n > 0 {
					rows := slices.Collect(maps.Values(s.rowsOf()))
					slices.Sort(rows)
					s.Drop(rows)
					if s.Excess() != max(0, n-len(rows)) {
						r.Fatalf("%d points after dropping up to %d of %d too many", s.Len(), len(rows), n)
					}
				}
				c := s.Changes()
				if c.Len() != s.Fresh() {
					r.Fatalf("%d changes, %d announced", c.Len(), s.Fresh())
				}
				took := follow(c)
				for range rapid.IntRange(0, 5).Draw(r, "meanwhile") {
					one()
				}
				s.Took(c, took)
			case 1: // a restart: the map is published, then begins again with these rows
				order := slices.Sorted(maps.Keys(at))
				rowOf := make([]int32, slots)
				fresh := map[int32]float32{}
				for row, slot := range order {
					rowOf[slot], fresh[int32(row)] = int32(row), at[slot]
				}
				s.Published(rowOf)
				again, err := Restore(settings, s.Save(), len(order))
				if err != nil {
					r.Fatalf("%v", err)
				}
				if !maps.Equal(again.valueCounts(), s.valueCounts()) || again.Age() != s.Age() {
					r.Fatalf("restored %v, saved %v", again.valueCounts(), s.valueCounts())
				}
				s, at, slots = again, fresh, int32(len(order))
			default:
				one()
			}
			s.check(r)
		}
		s.Took(s.Changes(), follow(s.Changes()))
		want := slices.Sorted(maps.Keys(s.valueCounts()))
		if got := slices.Sorted(maps.Values(at)); !slices.Equal(got, want) {
			r.Fatalf("the map holds %v, the set %v", got, want)
		}
	})
}

// rowsOf returns the rows of the points.
func (s *Set) rowsOf() map[int32]int32 {
	rows := map[int32]int32{}
	for p := range s.All() {
		if s.row[p] >= 0 {
			rows[p] = s.row[p]
		}
	}
	return rows
}

func TestEqualVectors(t *testing.T) {
	s := newSet(t, Settings{}, 2, 0)
	s.Add([]float32{0, 1}, "", 0)
	s.Add([]float32{float32(math.Copysign(0, -1)), 1}, "", 0)
	if s.Len() != 1 || s.Counts().Duplicates != 1 {
		t.Errorf("%d points: -0 is not 0", s.Len())
	}
}

func TestLongIDs(t *testing.T) {
	s := newSet(t, Settings{IDs: true}, 1, 0)
	s.Add([]float32{1}, string(make([]byte, maxID+1)), 0)
	if s.Len() != 0 || s.Counts().LongIDs != 1 {
		t.Errorf("%d points, %+v", s.Len(), s.Counts())
	}
}

// A vector with huge elements is rejected, and the previous event with its id is removed.
func TestHugeVectors(t *testing.T) {
	s := newSet(t, Settings{IDs: true}, 1, 0)
	s.Add([]float32{1}, "a", 0)
	s.Add([]float32{-1e30}, "b", 0)
	s.Add([]float32{2e30}, "c", 0)
	s.Add([]float32{-math.MaxFloat32}, "a", 0)
	if got := s.valueCounts(); len(got) != 1 || got[-1e30] != 1 || s.Counts().Unusable != 2 || s.Counts().Upserts != 1 {
		t.Errorf("%v, %+v", got, s.Counts())
	}
	s.check(t)
}

func TestDiscard(t *testing.T) {
	s := newSet(t, Settings{}, 1, 0)
	s.Add([]float32{1}, "", 0)
	s.Add([]float32{2}, "", 0)
	c := s.Changes()
	s.Discard(c, 0)
	s.Discard(c, 0)
	if s.Len() != 1 || s.Counts().Unusable != 1 {
		t.Errorf("%d points, %+v", s.Len(), s.Counts())
	}
}

func TestSettings(t *testing.T) {
	for name, s := range map[string]Settings{"policy": {Policy: 9}, "size": {Size: 1}, "age": {MaxAge: -1}} {
		if s.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for p := range Policy(len(policies)) {
		if got, err := ParsePolicy(p.String()); err != nil || got != p {
			t.Errorf("%v: %v, %v", p, got, err)
		}
	}
	if _, err := ParsePolicy("newest"); err == nil {
		t.Error("an unknown policy is accepted")
	}
}

func TestRestoreRefuses(t *testing.T) {
	s := newSet(t, Settings{IDs: true}, 1, 0)
	for i := range 3 {
		s.Add([]float32{float32(i)}, fmt.Sprint(i), int64(i))
	}
	for name, spoil := range map[string]func(v *Saved){
		"a row beyond the map":          func(v *Saved) { v.Row[1] = 5 },
		"a count of nothing":            func(v *Saved) { v.Count[0] = 0 },
		"a point twice":                 func(v *Saved) { v.X.Data[1] = v.X.Data[0] },
		"an id twice":                   func(v *Saved) { v.IDs[1] = v.IDs[0] },
		"a time to come":                func(v *Saved) { v.Seen[2] = v.Newest + 1 },
		"not a number":                  func(v *Saved) { v.X.Data[0] = float32(math.NaN()) },
		"columns of two sizes":          func(v *Saved) { v.Seen = v.Seen[:2] },
		"a threshold that lets none in": func(v *Saved) { v.Threshold = 0 },
	} {
		v := s.Save()
		spoil(&v)
		if _, err := Restore(Settings{IDs: true}, v, 5); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
