package reference

import (
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"unfold/internal/vec"
)

// Counts are the totals of a set since its beginning.
type Counts struct {
	// Events is the number of accepted events; Duplicates is the number of them that had exactly
	// the vector of a point.
	Events     uint64 `json:"events"`
	Duplicates uint64 `json:"duplicates"`
	// Upserts is the number of events that replaced one with the same id.
	Upserts uint64 `json:"upserts"`
	// Deletes is the number of removed events; UnknownDeletes is the number of deletions of unknown
	// ids.
	Deletes        uint64 `json:"deletes"`
	UnknownDeletes uint64 `json:"unknown_deletes"`
	// Evicted points had to make room; Expired ones were too old.
	Evicted uint64 `json:"evicted"`
	Expired uint64 `json:"expired"`
	// LongIDs is the number of events rejected for an id of more than 256 bytes.
	LongIDs uint64 `json:"long_ids"`
	// Unusable is the number of points with elements beyond 1e30, or that the map could not
	// represent (Discard).
	Unusable uint64 `json:"unusable"`
}

// Set is a reference set. It is not safe for concurrent use.
type Set struct {
	settings  Settings
	dim, note int

	// These are the columns of points, indexed by point number. Numbers are reused.
	data  []float32 // vector, dim each
	notes []float32 // the caller's, note each
	hash  []uint64
	seen  []int64  // time of its newest event, Unix nanoseconds
	order []uint64 // of arrival of that event
	count []uint32
	gen   []uint32 // number of times that the number was freed
	slot  []int32  // in the map that follows, -1 if it is not there
	row   []int32  // in the map that was published last, -1 if it is not there
	next  []int32  // next point with the same hash
	own   [][]string

	free   []int32
	gone   []int32 // slots that the map has yet to clear
	mapped int     // points that have a slot
	table  map[uint64]int32
	ids    map[string]int32
	oldest heap
	rank   heap // eviction order; Reservoir and Coverage

	newest    int64
	clock     uint64
	threshold uint64
	counts    Counts
}

// New makes an empty set for vectors of dim elements, with note additional values for each.
func New(settings Settings, dim, note int) (*Set, error) {
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Set{settings: settings, dim: dim, note: note, table: map[uint64]int32{}, threshold: math.MaxUint64, newest: math.MinInt64}
	if settings.IDs {
		s.ids = map[string]int32{}
	}
	s.oldest.less = func(a, b int32) bool {
		if s.seen[a] != s.seen[b] {
			return s.seen[a] < s.seen[b]
		}
		return s.order[a] < s.order[b]
	}
	s.rank.less = func(a, b int32) bool {
		// Points that are not on the map yet are evicted first.
		if fa, fb := s.slot[a] < 0, s.slot[b] < 0; settings.Policy == Coverage && fa != fb {
			return fa
		}
		return s.hash[a] > s.hash[b]
	}
	return s, nil
}

// Len returns the number of points.
func (s *Set) Len() int { return s.oldest.len() }

// Counts returns the totals so far.
func (s *Set) Counts() Counts { return s.counts }

// Age returns how much older the newest event of the oldest point is than the
// newest event of all.
func (s *Set) Age() time.Duration {
	if s.Len() == 0 {
		return 0
	}
	return time.Duration(s.newest - s.seen[s.oldest.top()])
}

// All iterates over the points, in an arbitrary but reproducible order.
func (s *Set) All() iter.Seq[int32] { return slices.Values(s.oldest.item) }

// Vector returns the vector of a point; the caller must not change it.
func (s *Set) Vector(p int32) []float32 { return s.data[int(p)*s.dim : (int(p)+1)*s.dim] }

// Note returns the caller's values for a point, NaN if not set yet.
func (s *Set) Note(p int32) []float32 { return s.notes[int(p)*s.note : (int(p)+1)*s.note] }

// Find returns the point of a vector, -1 if there is none.
func (s *Set) Find(x []float32) int32 { return s.find(s.hashOf(x), x) }

// Count returns the number of events that a point represents.
func (s *Set) Count(p int32) uint32 { return s.count[p] }

// IDs returns the known ids of a point, the newest last, none if the set has no ids; the caller must
// not change them.
func (s *Set) IDs(p int32) []string {
	if !s.settings.IDs {
		return nil
	}
	return s.own[p]
}

// Row returns the row of a point on the last published map, or -1.
func (s *Set) Row(p int32) int32 { return s.row[p] }

// Slot returns the slot of a point on the map, or -1 if it is not there yet.
func (s *Set) Slot(p int32) int32 { return s.slot[p] }

// Add adds an event with a finite vector x, an id if the set has ids, and a time in Unix
// nanoseconds. It returns the point that represents the event, -1 if none does.
func (s *Set) Add(x []float32, id string, at int64) int32 {
	p := s.accept(x, id, at)
	if p < 0 {
		s.shrink()
		return p
	}
	gen := s.gen[p]
	if s.shrink(); s.gen[p] != gen {
		return -1
	}
	return p
}

// accept is Add without making room.
func (s *Set) accept(x []float32, id string, at int64) int32 {
	if len(id) > maxID {
		s.counts.LongIDs++
		return -1
	}
	s.counts.Events++
	if slices.ContainsFunc(x, func(v float32) bool { return v > maxElement || v < -maxElement }) {
		s.counts.Unusable++
		if q, known := s.ids[id]; known {
			s.counts.Upserts++
			s.forget(q, strings.Clone(id)) // the previous event of this id is replaced
		}
		return -1
	}
	h := s.hashOf(x)
	p := s.find(h, x)
	if q, known := s.ids[id]; known {
		s.counts.Upserts++
		if q == p {
			s.touch(p, at)
			return p
		}
		s.forget(q, id)
	}
	switch {
	case p >= 0:
		s.counts.Duplicates++
		if s.count[p] < math.MaxUint32 {
			s.count[p]++
		}
		s.learn(p, id)
		s.touch(p, at)
	case s.settings.Policy == Reservoir && h >= s.threshold:
		s.counts.Evicted++
		s.advance(at)
	default:
		p = s.insert(x, h, at)
		s.learn(p, id)
		s.advance(at)
	}
	return p
}

// Delete removes the event with that id and reports whether there was one.
func (s *Set) Delete(id string) bool {
	q, known := s.ids[id]
	if !known {
		s.counts.UnknownDeletes++
		return false
	}
	s.counts.Deletes++
	s.forget(q, strings.Clone(id))
	return true
}

// Of returns the point of the event with an id, -1 if unknown.
func (s *Set) Of(id string) int32 {
	if p, known := s.ids[id]; known {
		return p
	}
	return -1
}

// Clear removes all events.
func (s *Set) Clear() {
	for s.Len() > 0 {
		p := s.oldest.top()
		s.counts.Deletes += uint64(s.count[p])
		s.remove(p)
	}
	s.threshold = math.MaxUint64
}

// insert makes a point.
func (s *Set) insert(x []float32, h uint64, at int64) int32 {
	var p int32
	if last := len(s.free) - 1; last >= 0 {
		p, s.free = s.free[last], s.free[:last]
		copy(s.Vector(p), x)
	} else {
		p = int32(len(s.hash))
		s.data = append(s.data, x...)
		s.notes = append(s.notes, make([]float32, s.note)...)
		s.hash, s.seen, s.order = append(s.hash, 0), append(s.seen, 0), append(s.order, 0)
		s.count, s.gen = append(s.count, 0), append(s.gen, 0)
		s.slot, s.row, s.next = append(s.slot, -1), append(s.row, -1), append(s.next, -1)
		if s.settings.IDs {
			s.own = append(s.own, nil)
		}
	}
	for i, v := range s.Vector(p) {
		s.Vector(p)[i] = v + 0 // -0 becomes 0
	}
	for i := range s.Note(p) {
		s.Note(p)[i] = float32(math.NaN())
	}
	s.clock++
	s.hash[p], s.seen[p], s.order[p], s.count[p], s.slot[p], s.row[p] = h, at, s.clock, 1, -1, -1
	s.next[p] = -1
	if q, there := s.table[h]; there {
		s.next[p] = q
	}
	s.table[h] = p
	s.oldest.push(p)
	if s.settings.Policy != Window {
		s.rank.push(p)
	}
	return p
}

// learn adds an id to a point, replacing its oldest if there are too many.
func (s *Set) learn(p int32, id string) {
	if !s.settings.IDs {
		return
	}
	id = strings.Clone(id) // it may be part of a whole message
	if len(s.own[p]) == idsPerPoint {
		delete(s.ids, s.own[p][0])
		copy(s.own[p], s.own[p][1:])
		s.own[p] = s.own[p][:idsPerPoint-1]
	}
	s.ids[id], s.own[p] = p, append(s.own[p], id)
}

// forget removes an id, and its event, from a point.
func (s *Set) forget(p int32, id string) {
	delete(s.ids, id)
	s.own[p] = slices.DeleteFunc(s.own[p], func(o string) bool { return o == id })
	if len(s.own[p]) == 0 {
		s.remove(p)
		s.raise()
		return
	}
	s.count[p]--
}

// touch records that a point was seen again.
func (s *Set) touch(p int32, at int64) {
	s.clock++
	s.seen[p], s.order[p] = max(s.seen[p], at), s.clock
	s.oldest.fix(p)
	s.advance(at)
}

// advance moves the newest time on.
func (s *Set) advance(at int64) { s.newest = max(s.newest, at) }

// shrink removes points that are too old or in excess.
func (s *Set) shrink() {
	if age := int64(s.settings.MaxAge); age > 0 {
		for s.Len() > 0 && s.newest-s.seen[s.oldest.top()] > age {
			s.counts.Expired++
			s.remove(s.oldest.top())
			s.raise()
		}
	}
	for s.Len() > s.settings.Size+s.settings.slack() {
		s.counts.Evicted++
		if s.settings.Policy == Window {
			s.remove(s.oldest.top())
			continue
		}
		p := s.rank.top()
		if s.settings.Policy == Reservoir {
			s.threshold = s.hash[p]
		}
		s.remove(p)
	}
}

// raise raises the threshold of a reservoir that is less than half full.
func (s *Set) raise() {
	if s.settings.Policy != Reservoir || s.Len() >= s.settings.Size/2 || s.threshold == math.MaxUint64 {
		return
	}
	if s.threshold > math.MaxUint64/2 {
		s.threshold = math.MaxUint64
		return
	}
	s.threshold *= 2
}

// remove removes a point.
func (s *Set) remove(p int32) {
	s.oldest.remove(p)
	s.rank.remove(p)
	if q := s.table[s.hash[p]]; q == p && s.next[p] < 0 {
		delete(s.table, s.hash[p])
	} else if q == p {
		s.table[s.hash[p]] = s.next[p]
	} else {
		for s.next[q] != p {
			q = s.next[q]
		}
		s.next[q] = s.next[p]
	}
	if s.settings.IDs {
		for _, id := range s.own[p] {
			delete(s.ids, id)
		}
		s.own[p] = nil
	}
	if s.slot[p] >= 0 {
		s.gone = append(s.gone, s.slot[p])
		s.mapped--
	}
	s.slot[p], s.row[p] = -1, -1
	s.gen[p]++
	s.free = append(s.free, p)
}

// find returns the point with that vector, or -1.
func (s *Set) find(h uint64, x []float32) int32 {
	p, there := s.table[h]
	if !there {
		return -1
	}
	for p >= 0 && !slices.Equal(s.Vector(p), x) {
		p = s.next[p]
	}
	return p
}

// hashOf hashes a vector to 64 bits (multiplication by the golden ratio for each element, followed
// by the finaliser of splitmix64; Steele et al. 2014). -0 counts as 0.
func (s *Set) hashOf(x []float32) uint64 {
	h := s.settings.Seed + 0x9e3779b97f4a7c15
	for _, v := range x {
		h = (h ^ uint64(math.Float32bits(v+0))) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// Matrix returns a copy of the points' vectors, in the order of All.
func (s *Set) Matrix() vec.Matrix[float32] {
	x := vec.Matrix[float32]{Rows: s.Len(), Cols: s.dim, Data: make([]float32, 0, s.Len()*s.dim)}
	for p := range s.All() {
		x.Data = append(x.Data, s.Vector(p)...)
	}
	return x
}
