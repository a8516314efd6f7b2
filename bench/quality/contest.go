package main

import (
	"math"
	"slices"
)

// figure is a column of the tables.
type figure struct {
	key, title string
	// least is true if smaller values are better.
	least bool
}

// structure returns the figures of the data's structure, which apply to every set.
func structure() []figure {
	return []figure{{rnx, "R_NX", false}, {recall10, "recall 10", false}, {recall30, "recall 30", false}, {recall100, "recall 100", false},
		{trust, "trustworthiness", false}, {cont, "continuity", false}, {shepard, "Shepard", false}, {triplets, "triplets", false}}
}

// neighbors returns the figures of predictions from neighbours on the map; for sets without labels
// they are errors.
func (d dataset) neighbors() []figure {
	switch {
	case d.unknown:
		return nil
	case d.labelled():
		return []figure{{nn1, "1-NN", false}, {nn9, "9-NN", false}}
	}
	return []figure{{nn1, "1-NN error", true}, {nn9, "9-NN error", true}}
}

// local returns the figures of near neighbours that must not get worse.
func (d dataset) local() []figure {
	return append(d.neighbors(), figure{trust, "trustworthiness", false})
}

// quality returns the figures by which methods are ranked on a data set.
func (d dataset) quality() []figure {
	f := append(structure(), d.neighbors()...)
	if len(d.truth) > 0 {
		f = append(f, figure{truth, "true distances", false})
	}
	return f
}

// digits is the number of digits on the page. Figures that agree in them are equal.
const digits = 4

// estimate is a figure, with the sign such that larger is better, and its standard error.
type estimate struct{ value, err float64 }

// behind reports whether the figure is worse than another by more than two standard errors of the
// difference.
func (e estimate) behind(other estimate) bool {
	return other.value-e.value > 2*math.Hypot(e.err, other.err)
}

// value returns a figure of a method on a set: the median over the measured seeds, rounded as on
// the page. Its standard error combines that of the mean over seeds and that of the sample.
func (b *bench) value(set, method string, f figure) (e estimate, known bool) {
	var v []float64
	var own float64
	for seed := 1; seed <= seedCount; seed++ {
		r := b.results[mapName(set, method, seed)]
		if r == nil {
			continue
		}
		x, ok := r.Figures[f.key]
		if !ok {
			return estimate{}, false
		}
		v, own = append(v, x), max(own, r.Errors[f.key])
	}
	if len(v) == 0 {
		return estimate{}, false
	}
	e = estimate{median(v), math.Hypot(own, ofMean(v))}
	if f.least {
		e.value = -e.value
	}
	scale := math.Pow(10, digits)
	e.value = math.Round(e.value*scale) / scale
	return e, true
}

// shown returns a figure's value with its original sign.
func (f figure) shown(e estimate) float64 {
	if f.least {
		return -e.value
	}
	return e.value
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// ofMean returns the standard error of the mean of values, 0 for one value.
func ofMean(v []float64) float64 {
	if len(v) < 2 {
		return 0
	}
	n := float64(len(v))
	var mean, square float64
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		square += (x - mean) * (x - mean)
	}
	return math.Sqrt(square / (n - 1) / n)
}

// ranking is the ranking of methods by a figure, best first.
type ranking struct {
	methods []method
	values  []estimate
}

// rank orders methods by a figure. The result is empty unless all are known.
func (b *bench) rank(set string, contest []method, f figure) (r ranking) {
	for _, m := range contest {
		e, known := b.value(set, m.key, f)
		if !known {
			return ranking{}
		}
		at := len(r.values)
		for at > 0 && r.values[at-1].value < e.value {
			at--
		}
		r.methods, r.values = slices.Insert(r.methods, at, m), slices.Insert(r.values, at, e)
	}
	return r
}

// firsts returns the methods that are not behind the best by more than two standard errors, or none
// unless all are known.
func (b *bench) firsts(set string, contest []method, f figure) []string {
	var keys []string
	r := b.rank(set, contest, f)
	for i, m := range r.methods {
		if !r.values[i].behind(r.values[0]) {
			keys = append(keys, m.key)
		}
	}
	return keys
}

// contest returns one of our methods with all peers.
func contest(own string) []method {
	return slices.DeleteFunc(methods(), func(m method) bool { return !m.peer && m.key != own })
}

// loss is a figure in which a peer's map is better than ours.
type loss struct {
	set        dataset
	figure     figure
	peer       method
	own, other estimate
}

// losses returns the figures in which a method is not first, with the peer that is.
func (b *bench) losses(own string, sets []*prepared) []loss {
	var out []loss
	peers := contest(own)
	for _, p := range sets {
		for _, f := range p.quality() {
			best := b.firsts(p.name, peers, f)
			if best == nil || slices.Contains(best, own) {
				continue
			}
			r := b.rank(p.name, peers, f)
			e, _ := b.value(p.name, own, f)
			out = append(out, loss{p.dataset, f, r.methods[0], e, r.values[0]})
		}
	}
	return out
}

// mean returns the mean of a structure figure over sets. It is unknown if a set lacks it.
func (b *bench) mean(sets []*prepared, method string, f figure) (mean float64, known bool) {
	for _, g := range structure() {
		known = known || g.key == f.key
	}
	for _, p := range sets {
		e, ok := b.value(p.name, method, f)
		known = known && ok
		mean += f.shown(e) / float64(len(sets))
	}
	return mean, known && len(sets) > 0
}
