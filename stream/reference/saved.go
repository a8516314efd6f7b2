package reference

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
)

// Saved is the content of a set for storage: columns of n points, from the one seen longest ago to
// the newest.
type Saved struct {
	X     vec.Matrix[float32] // n x dim
	Notes vec.Matrix[float32] // n x note
	Seen  []int64
	Count []uint32
	// Row has the rows of the points on the last published map, -1 for none.
	Row []int32
	// IDs are the known ids of each point; nil if the set has none.
	IDs [][]string

	Newest    int64
	Threshold uint64
	Counts    Counts
}

// Save copies the set.
func (s *Set) Save() Saved {
	points := slices.SortedFunc(s.All(), func(a, b int32) int { return cmp.Compare(s.order[a], s.order[b]) })
	n := len(points)
	out := Saved{
		X: vec.New[float32](n, s.dim), Notes: vec.New[float32](n, s.note), Seen: make([]int64, n), Count: make([]uint32, n),
		Row: make([]int32, n), Newest: s.newest, Threshold: s.threshold, Counts: s.counts,
	}
	if s.settings.IDs {
		out.IDs = make([][]string, n)
	}
	for i, p := range points {
		copy(out.X.Row(i), s.Vector(p))
		copy(out.Notes.Row(i), s.Note(p))
		out.Seen[i], out.Count[i], out.Row[i] = s.seen[p], s.count[p], s.row[p]
		if s.settings.IDs {
			out.IDs[i] = slices.Clone(s.own[p])
		}
	}
	return out
}

// Restore makes a set that continues a saved one, for the last published map with the given number
// of rows. If the settings have changed, excess points are removed. Ids are restored if the set had
// any. An error matches models.ErrBadInput.
func Restore(settings Settings, v Saved, rows int) (*Set, error) {
	s, err := New(settings, v.X.Cols, v.Notes.Cols)
	if err != nil {
		return nil, err
	}
	if err := v.check(rows); err != nil {
		return nil, err
	}
	for i := range v.X.Rows {
		x := v.X.Row(i)
		h := s.hashOf(x)
		if s.find(h, x) >= 0 {
			return nil, models.BadInputf("reference: point %d is there twice", i)
		}
		p := s.insert(x, h, v.Seen[i])
		s.count[p], s.row[p] = v.Count[i], v.Row[i]
		copy(s.Note(p), v.Notes.Row(i))
		if v.IDs == nil || !s.settings.IDs {
			continue
		}
		for _, id := range v.IDs[i] {
			if _, twice := s.ids[id]; twice {
				return nil, models.BadInputf("reference: id %q is there twice", id)
			}
			s.learn(p, id)
		}
	}
	s.newest, s.threshold, s.counts = v.Newest, v.Threshold, v.Counts
	slots := make([]int32, rows)
	for r := range slots {
		slots[r] = int32(r)
	}
	s.Rebind(slots)
	s.shrink()
	return s, nil
}

// check validates the columns of a saved set.
func (v Saved) check(rows int) error {
	n := v.X.Rows
	if len(v.Seen) != n || len(v.Count) != n || len(v.Row) != n || v.Notes.Rows != n || v.IDs != nil && len(v.IDs) != n {
		return models.BadInputf("reference: columns of a set of %d points have other lengths", n)
	}
	if err := models.CheckRows(v.X, nil); err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	for i := range n {
		switch {
		case v.Row[i] < -1 || int(v.Row[i]) >= rows:
			return models.BadInputf("reference: point %d is row %d of a map of %d", i, v.Row[i], rows)
		case v.Count[i] == 0:
			return models.BadInputf("reference: point %d stands for no event", i)
		case v.Seen[i] > v.Newest:
			return models.BadInputf("reference: point %d is newer than the newest event", i)
		case v.IDs != nil && len(v.IDs[i]) > idsPerPoint:
			return models.BadInputf("reference: point %d has %d ids", i, len(v.IDs[i]))
		}
	}
	if v.Threshold == 0 && n > 0 || v.Newest == math.MaxInt64 {
		return models.BadInputf("reference: threshold %d, newest event at %d", v.Threshold, v.Newest)
	}
	return nil
}
