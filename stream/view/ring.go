package view

import (
	"fmt"
	"strings"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Rows are points that come: n of them.
type Rows struct {
	// ID identifies the points; no column: they have no ids, and never come again.
	ID table.Column
	// X and Y are the places, n each, on the map Map. Points whose place is not finite are left out.
	X, Y []float32
	Map  MapState
	// At is when they came, in milliseconds since 1970; 0: not known.
	At float64
	// Vectors are those that they were placed by, n x dim, or none.
	Vectors vec.Matrix[float32]
	// Columns are what else is known of them, n values each.
	Columns []table.Column
	// Same are columns of one value for all of them.
	Same []Same
}

// Same is a column whose values are all the same: a category.
type Same struct{ Name, Value string }

// none ends a list of slots.
const none = -1

// ring holds points in slots, in the order in which they came last.
type ring struct {
	size int
	x, y []float32
	at   []float64
	id   []string
	used []bool
	// version is that of the map by which the columns are.
	version []uint64
	// next and prev link slots that are used, oldest first; next also links free ones.
	next, prev           []int32
	oldest, newest, free int32
	n                    int
	// slots finds a point by its id, whose hash is in hash.
	slots   *index
	hash    []uint64
	columns []*column
	byName  map[string]int
	// vectors are those of some points; nil: of none.
	vectors *vectors
	// skipped names columns that are not shown.
	skipped map[string]bool
}

func newRing(size int) *ring {
	return &ring{size: size, oldest: none, newest: none, free: none, slots: newIndex(), byName: map[string]int{}, skipped: map[string]bool{}}
}

// mostColumns bounds the columns that are shown.
const mostColumns = 64

// sources finds the columns of a batch, in the order of the ring's; it makes those that are
// new, and reports whether there are any.
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

// number is that of the column of a name, none if there is none.
func (r *ring) number(name string) int {
	if k, there := r.byName[name]; there {
		return k
	}
	return none
}

// room says whether a column of a new name may be made.
func (r *ring) room(name string) bool { return len(r.columns) < mostColumns && !r.skipped[name] }

// add adds a column, nil for one that is not shown, and reports whether it is.
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

// claim returns the slot of a point that comes, at the newest end of the order: its own if
// its id is there, a free one, a new one, or the oldest.
func (r *ring) claim(id string) uint32 {
	var hash uint64
	if id != "" {
		hash = r.slots.hash(id)
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
		r.grow(len(r.x) + 1)
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
	r.id[s], r.hash[s] = id, hash
	return s
}

// hashOf is the hash of the id of a slot.
func (r *ring) hashOf(s uint32) uint64 { return r.hash[s] }

// find returns the slot of an id.
func (r *ring) find(id string) (slot uint32, there bool) {
	if id == "" {
		return 0, false
	}
	return r.known(r.slots.hash(id), id)
}

// known is find for who knows the hash.
func (r *ring) known(hash uint64, id string) (slot uint32, there bool) {
	return r.slots.find(hash, func(s uint32) bool { return r.id[s] == id })
}

// grow makes room for n slots.
func (r *ring) grow(n int) {
	r.x, r.y, r.at = grown(r.x, n, 0), grown(r.y, n, 0), grown(r.at, n, 0)
	r.id, r.hash, r.used = grown(r.id, n, ""), grown(r.hash, n, 0), grown(r.used, n, false)
	r.version = grown(r.version, n, 0)
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

// forget takes the point of a slot out of everything but the order.
func (r *ring) forget(s uint32) {
	if r.id[s] != "" {
		r.slots.remove(r.hash[s], s, r.hashOf)
	}
	r.id[s], r.used[s] = "", false
	r.vectors.drop(s)
	r.n--
}

// link puts a slot at the newest end.
func (r *ring) link(s uint32) {
	r.prev[s], r.next[s] = r.newest, none
	if r.newest == none {
		r.oldest = int32(s)
	} else {
		r.next[r.newest] = int32(s)
	}
	r.newest = int32(s)
}

// unlink takes a slot out of the order.
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

// check says what is wrong with rows.
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
