package main

import (
	"math"
	"slices"
)

// figure is a column of the tables.
type figure struct {
	key, title string
	// least reports that less is better.
	least bool
}

// quality are the figures that rank methods on a data set, the ones that targets
// speak of first. Of sets without labels the first two are errors.
func (d dataset) quality() []figure {
	f := []figure{{nn1, "1-NN", false}, {nn9, "9-NN", false}, {trust, "trustworthiness", false},
		{cont, "continuity", false}, {shepard, "Shepard", false}, {triplets, "triplets", false}}
	if !d.labelled() {
		f[0], f[1] = figure{nn1, "1-NN error", true}, figure{nn9, "9-NN error", true}
	}
	if len(d.truth) > 0 {
		f = append(f, figure{truth, "true distances", false})
	}
	return f
}

// targeted is the number of leading figures that the targets speak of.
const targeted = 3

// digits are those that the page shows; figures that agree in them are equal.
const digits = 4

// value returns a figure so that more is better, rounded as the page shows it.
func (b *bench) value(set, method string, f figure) (v float64, known bool) {
	r := b.results[set+"/"+method]
	if r == nil {
		return 0, false
	}
	v, known = r.Figures[f.key]
	if f.least {
		v = -v
	}
	scale := math.Pow(10, digits)
	return math.Round(v*scale) / scale, known
}

// firsts returns the methods of a contest whose figure is best, none unless all
// are known.
func (b *bench) firsts(set string, contest []method, f figure) []string {
	var best []string
	most := math.Inf(-1)
	for _, m := range contest {
		v, known := b.value(set, m.key, f)
		switch {
		case !known:
			return nil
		case v > most:
			best, most = []string{m.key}, v
		case v == most:
			best = append(best, m.key)
		}
	}
	return best
}

// contest is one of our own methods with all peers.
func contest(own string) []method {
	return slices.DeleteFunc(methods(), func(m method) bool { return !m.peer && m.key != own })
}

// loss is a figure by which a peer's map is better than one of ours.
type loss struct {
	set        dataset
	figure     figure
	peer       method
	own, other float64 // as the page shows them
}

// losses returns, figure by figure, where a method does not come first, with the
// peer that does.
func (b *bench) losses(own string, sets []*prepared) []loss {
	var out []loss
	peers := contest(own)
	for _, p := range sets {
		for _, f := range p.quality() {
			best := b.firsts(p.name, peers, f)
			if best == nil || slices.Contains(best, own) {
				continue
			}
			at := slices.IndexFunc(peers, func(m method) bool { return m.key == best[0] })
			out = append(out, loss{p.dataset, f, peers[at], b.results[p.name+"/"+own].Figures[f.key], b.results[p.name+"/"+best[0]].Figures[f.key]})
		}
	}
	return out
}
