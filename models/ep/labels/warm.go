package labels

import (
	"unfold/internal/vec"
	"unfold/models/ep"
)

// warm are the sites of a training from which the next one starts.
type warm struct {
	row     map[uint64]int // row of each event, by key
	names   []string
	centres vec.Matrix[float64] // of the parts
	parts   []partSites
	own     []int32 // part of each event
}

// partSites are the sites of a part's processes, by event and class.
type partSites struct {
	at      map[int]int // position of each event
	classes []int32
	sites   []*ep.Sites
}

func newWarm(k *known, c *cut) *warm {
	w := &warm{row: make(map[uint64]int, len(k.key)), names: k.names, centres: c.centres,
		parts: make([]partSites, c.centres.Rows), own: make([]int32, len(k.key))}
	for i, key := range k.key {
		w.row[key], w.own[i] = i, int32(c.of[i])
	}
	return w
}

// keep stores the sites of part a.
func (w *warm) keep(a int, t *trained) {
	p := partSites{at: make(map[int]int, len(t.rows)), classes: t.classes}
	for i, row := range t.rows {
		p.at[row] = i
	}
	for _, s := range t.all {
		p.sites = append(p.sites, &ep.Sites{Tau: s.Tau, Nu: s.Nu})
	}
	w.parts[a] = p
}

// count returns the number of events with stored sites.
func (w *warm) count(k *known) (n int) {
	if w == nil {
		return 0
	}
	for _, key := range k.key {
		if _, ok := w.row[key]; ok {
			n++
		}
	}
	return n
}

// nearest returns the part whose centre is nearest to a new one, or -1 if there is none.
func (w *warm) nearest(centre []float64) int {
	if w == nil {
		return -1
	}
	return nearestRow(w.centres, centre)
}

// carry copies the previous sites of known events for a class. It takes them from the given part,
// or else from the part that contained the event.
func (w *warm) carry(s *ep.Sparse, k *known, class int32, rows []int, part int) error {
	if w == nil {
		return nil
	}
	start, some := ep.NewSites(len(rows)), false
	for i, row := range rows {
		j, ok := w.row[k.key[row]]
		if !ok {
			continue
		}
		for _, a := range []int{part, int(w.own[j])} {
			if tau, nu, ok := w.parts[a].site(j, k.names[class], w.names); ok {
				start.Tau[i], start.Nu[i], some = tau, nu, true
				break
			}
		}
	}
	if !some {
		return nil
	}
	return s.Warm(start)
}

// site returns the site of an event in the process of the named class.
func (p *partSites) site(event int, class string, names []string) (tau, nu float64, ok bool) {
	i, ok := p.at[event]
	if !ok {
		return 0, 0, false
	}
	for f, s := range p.sites {
		if names[p.classes[f]] == class {
			return s.Tau[i], s.Nu[i], true
		}
	}
	return 0, 0, false
}
