package demo

import (
	"cmp"
	"slices"

	"unfold/internal/quantile"
)

// Arrival is the novelty of a label's first events: on arrival, and on the map that was learnt from
// them.
type Arrival struct {
	Label    string
	Events   int
	New, Now float64 // medians of novelty_global
}

// firstFew is the number of events of a label that count as its arrival.
const firstFew = 20

// arrivals lists labels of at least 100 events by their first arrival. It omits the normal label,
// and labels that the first map was learnt from.
func arrivals(parts []part, name, normal string, first int) []Arrival {
	if name == "" {
		return nil
	}
	type history struct {
		order  int
		early  bool
		events int
		values [2][]float64 // of each round
	}
	seen := map[string]*history{}
	rounds := map[string]int{}
	events := 0
	for _, p := range parts {
		label := column(p, name)
		for i := range p.Len() {
			h := seen[label[i]]
			if h == nil {
				h = &history{order: len(seen), early: events < first}
				seen[label[i]] = h
			}
			events++
			id := p.ID.Text(i)
			round := min(rounds[id], 1)
			rounds[id]++
			if round == 0 {
				h.events++
			}
			if len(h.values[round]) < firstFew {
				h.values[round] = append(h.values[round], float64(p.NoveltyGlobal[i]))
			}
		}
	}
	var out []Arrival
	var order []int
	for label, h := range seen {
		if label == "" || label == normal || h.early || h.events < 100 {
			continue
		}
		at, _ := slices.BinarySearch(order, h.order)
		order = slices.Insert(order, at, h.order)
		out = slices.Insert(out, at, Arrival{Label: label, Events: h.events, New: middle(h.values[0]), Now: middle(h.values[1])})
	}
	return out
}

func column(p part, name string) []string {
	for _, c := range p.Kept {
		if c.Name() == name {
			return c.Strings()
		}
	}
	return make([]string, p.Len())
}

// middle returns the median, 0 for no values.
func middle[T cmp.Ordered](values []T) (m T) {
	if len(values) == 0 {
		return m
	}
	return quantile.Median(slices.Clone(values))
}
