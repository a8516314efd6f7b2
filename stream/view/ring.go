package view

import (
	"fmt"
	"strings"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Rows is a batch of n points.
type Rows struct {
	// ID holds the points' ids. Without this column the points have no ids and cannot be updated.
	ID table.Column
	// X and Y are the n places, on the map Map. Points with a place that is not finite are left
	// out.
	X, Y []float32
	Map  MapState
	// At is the time of arrival in milliseconds since 1970, 0 if unknown.
	At float64
	// Vectors is the n x dim matrix of the points' feature vectors, or empty.
	Vectors vec.Matrix[float32]
	// Columns holds further values, n per column.
	Columns []table.Column
	// Same holds columns with one value for all points.
	Same []Same
}

// Same is a category column with the same value in all rows.
type Same struct{ Name, Value string }

// none ends a list of slots.
const none = -1

// ring keeps points in slots, ordered by the time of their last arrival.
type ring struct {
	size int
	x, y []float32
	at   []float64
	id   []string
	used []bool
	// version is, for each slot, the version of the map that its columns were computed with.
	version []uint64
	// serial is, for each slot, the number of the point in it; every new point has a new one.
	// serials is the last of them.
	serial  []uint32
	serials uint32
	// next and prev link used slots, oldest first; next also links free slots.
	next, prev           []int32
	oldest, newest, free int32
	n                    int
	// slots finds a point's slot by the hash of its id; hash has that hash for each slot.
	slots   *index
	hash    []uint64
	columns []*column
	byName  map[string]int
	// vectors holds the vectors of some points, or is nil if there are none.
	vectors *vectors
	// skipped names columns that are not shown.
	skipped map[string]bool
}

func newRing(size int) *ring {
	return &ring{size: size, oldest: none, newest: none, free: none, slots: newIndex(), byName: map[string]int{}, skipped: map[string]bool{}}
}

// mostColumns bounds the columns that are shown.
const mostColumns = 64

// sources returns the columns of a batch in the ring's column order. It creates new columns, and
// reports whether there were any.
func (r *ring) sources(in *Rows) (all []source, grew bool) {
	for _, c := range in.Columns {
		if r.number(c.Name()) == none && r.room(c.Name()) && c.Len() > 0 {
			grew = r.add(newColumn(c, len(r.x)), c.Name()) || grew
		}
	}
	for _, c := range in.Same {
		if r.number(c.Name) == none && r.room(c.Name) {
			made := &column{Field: Field{Name: clip(c.Name), Kind: Category}, code: map[string]uint32{}}
			made.grow(len(r.x))
			grew = r.add(made, c.Name) || grew
		}
	}
	all = make([]source, len(r.columns))
	for _, c := range in.Columns {
		if k := r.number(c.Name()); k != none && !all[k].there {
			all[k] = newSource(c, r.columns[k].Kind)
			r.columns[k].short = r.columns[k].short && short(c)
		}
	}
	for _, c := range in.Same {
		if k := r.number(c.Name); k != none && !all[k].there {
			all[k] = source{there: true, same: clip(c.Value)}
		}
	}
	return all, grew
}

// number returns the index of the column with this name, or none.
func (r *ring) number(name string) int {
	if k, there := r.byName[name]; there {
		return k
	}
	return none
}

// room reports whether a column with a new name may be added.
func (r *ring) room(name string) bool { return len(r.columns) < mostColumns && !r.skipped[name] }

// add adds a column under a name and reports whether it is shown; made is nil if it is not.
func (r *ring) add(made *column, name string) bool {
	name = strings.Clone(name)
	if made == nil {
		if len(r.skipped) < mostColumns {
			r.skipped[name] = true
		}
		return false
	}
	r.byName[name] = len(r.columns)
	r.columns = append(r.columns, made)
	return true
}

// hashes returns the hash of each row's id, 0 without one. It also fetches what claim reads for
// these rows and, if they take the slots of the oldest points, for those.
func (r *ring) hashes(ids []string) []uint64 {
	out := make([]uint64, len(ids), 2*len(ids))
	for i, id := range ids {
		if id != "" {
			out[i] = r.slots.hash(id)
		}
	}
	all := out
	if len(r.x) == r.size && r.free == none {
		for s := r.oldest; s != none && len(all) < cap(all); s = r.next[s] {
			all = append(all, r.hash[s])
		}
	}
	r.slots.fetch(all)
	return out
}

// claim returns the slot for an arriving point and makes it the newest: the slot that already has
// the id, else a free or a new slot, else that of the oldest point. hash is that of the id.
func (r *ring) claim(id string, hash uint64) uint32 {
	if id != "" {
		if s, there := r.known(hash, id); there {
			r.unlink(s)
			r.link(s)
			return s
		}
	}
	var s uint32
	switch {
	case r.free != none:
		s = uint32(r.free)
		r.free = r.next[s]
	case len(r.x) < r.size:
		s = uint32(len(r.x))
		r.grow(min(len(r.x)+block, r.size))
		for next := len(r.x) - 1; next > int(s); next-- {
			r.next[next], r.free = r.free, int32(next)
		}
	default:
		s = uint32(r.oldest)
		r.unlink(s)
		r.forget(s)
	}
	r.link(s)
	r.used[s] = true
	r.n++
	if id != "" {
		id = strings.Clone(id)
		r.slots.add(hash, s, r.hashOf)
	}
	r.serials++
	r.id[s], r.hash[s], r.serial[s] = id, hash, r.serials
	return s
}

// hashOf returns the hash of the id in a slot.
func (r *ring) hashOf(s uint32) uint64 { return r.hash[s] }

// find returns the slot of an id.
func (r *ring) find(id string) (slot uint32, there bool) {
	if id == "" {
		return 0, false
	}
	return r.known(r.slots.hash(id), id)
}

// known is like find, for a hash already computed.
func (r *ring) known(hash uint64, id string) (slot uint32, there bool) {
	return r.slots.find(hash, func(s uint32) bool { return r.id[s] == id })
}

// block is the number of slots that are added at a time.
const block = 64

// grow makes room for n slots.
func (r *ring) grow(n int) {
	r.x, r.y, r.at = grown(r.x, n, 0), grown(r.y, n, 0), grown(r.at, n, 0)
	r.id, r.hash, r.used = grown(r.id, n, ""), grown(r.hash, n, 0), grown(r.used, n, false)
	r.version, r.serial = grown(r.version, n, 0), grown(r.serial, n, 0)
	r.next, r.prev = grown(r.next, n, none), grown(r.prev, n, none)
	for _, c := range r.columns {
		c.grow(n)
	}
}

// remove frees the slot of an id.
func (r *ring) remove(id string) (slot uint32, there bool) {
	s, there := r.find(id)
	if !there {
		return 0, false
	}
	r.unlink(s)
	r.forget(s)
	for _, c := range r.columns {
		c.clear(int(s))
	}
	r.next[s], r.free = r.free, int32(s)
	return s, true
}

// forget removes a slot's point from everything except the order.
func (r *ring) forget(s uint32) {
	if r.id[s] != "" {
		r.slots.remove(r.hash[s], s, r.hashOf)
	}
	r.id[s], r.used[s] = "", false
	r.vectors.drop(s)
	r.n--
}

// link makes a slot the newest in the order.
func (r *ring) link(s uint32) {
	r.prev[s], r.next[s] = r.newest, none
	if r.newest == none {
		r.oldest = int32(s)
	} else {
		r.next[r.newest] = int32(s)
	}
	r.newest = int32(s)
}

// unlink removes a slot from the order.
func (r *ring) unlink(s uint32) {
	p, n := r.prev[s], r.next[s]
	if p == none {
		r.oldest = n
	} else {
		r.next[p] = n
	}
	if n == none {
		r.newest = p
	} else {
		r.prev[n] = p
	}
}

// ids returns the id of each row, "" without one.
func (in *Rows) ids() []string {
	out := make([]string, len(in.X))
	if !in.ID.Valid() {
		return out
	}
	full := in.ID.Full()
	for i := range out {
		if full || !in.ID.IsNull(i) {
			out[i] = clip(in.ID.Text(i))
		}
	}
	return out
}

// check returns an error if the parts of the rows differ in length.
func (in *Rows) check() error {
	n := len(in.X)
	if len(in.Y) != n || in.ID.Valid() && in.ID.Len() != n {
		return fmt.Errorf("view: %d and %d coordinates, %d ids", n, len(in.Y), in.ID.Len())
	}
	if in.Vectors.Rows != 0 && in.Vectors.Rows != n {
		return fmt.Errorf("view: %d vectors for %d points", in.Vectors.Rows, n)
	}
	for _, c := range in.Columns {
		if c.Len() != n {
			return fmt.Errorf("view: column %q has %d rows of %d", c.Name(), c.Len(), n)
		}
	}
	return nil
}
