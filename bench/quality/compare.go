package main

import (
	"fmt"
	"math"
	"slices"
)

// lookedAt are the data sets that were used while the defaults were chosen: all of them.
var lookedAt = []string{mnistName, "usps", "optdigits", "oil", "nslkdd", "glove", "word2vec", "faces", "frey", "swissroll", "climate", "mammoth", "glosses"}

// onAllSets returns the targets that depend on all data sets. They are measured only if every set
// is.
func (b *bench) onAllSets(sets []*prepared) []target {
	out := []target{
		b.firstOn(sets, figure{rnx, "R_NX", false}, 0, 12),
		b.leadOn(sets, figure{rnx, "R_NX", false}, .02),
		b.mostAhead(sets, openTSNE, figure{rnx, "R_NX", false}, .005),
		b.firstOn(sets, figure{cont, "continuity", false}, .001, 9),
		b.firstOn(sets, figure{triplets, "triplets", false}, .01, 9),
		b.firstOn(sets, figure{shepard, "Shepard", false}, .02, 9),
		b.meanOver(sets, figure{recall10, "recall of 10", false}, openTSNE),
		b.meanOver(sets, figure{shepard, "Shepard", false}, dreamsMDS),
	}
	for _, kept := range []struct {
		figure figure
		most   float64
	}{{figure{trust, "trustworthiness", false}, .002}, {figure{recall10, "recall 10", false}, 0}, {figure{nn1, "1-NN", false}, .003}} {
		out = append(out, b.mostAhead(sets, byFifty, kept.figure, kept.most))
	}
	return out
}

// firstOn counts the sets on which the default is first in a figure, or within a tolerance of the
// first.
func (b *bench) firstOn(sets []*prepared, f figure, within, least float64) target {
	what := f.title + ", first"
	if within > 0 {
		what += fmt.Sprintf(" or within %g of the first", within)
	}
	all, judged := len(b.missing)+len(sets), 0
	out := target{least: least, above: true, format: "%g"}
	for _, p := range sets {
		r := b.rank(p.name, contest(byDefault), f)
		judged += min(len(r.values), 1)
		for i, m := range r.methods {
			if m.key == byDefault && (!r.values[i].behind(r.values[0]) || r.values[0].value-r.values[i].value <= within+rounding) {
				out.value++
			}
		}
	}
	// Unmeasured sets may change the verdict unless they are too few.
	out.unknown = judged < all && (judged == 0 || out.value+float64(all-judged) >= least)
	out.what = fmt.Sprintf("%s, of %d sets", what, all)
	if judged > 0 && judged < all {
		out.what += fmt.Sprintf(" (%g of the %d that are measured)", out.value, judged)
	}
	return out
}

// meanOver compares a figure's mean over the sets with a peer's.
func (b *bench) meanOver(sets []*prepared, f figure, peer string) target {
	ours, known := b.mean(sets, byDefault, f)
	theirs, theirsKnown := b.mean(sets, peer, f)
	all := len(b.missing) + len(sets)
	out := target{what: fmt.Sprintf("%s, mean of %d sets, against %s's", f.title, all, titleOf(peer)),
		value: ours, least: theirs, above: true, format: plain, unknown: !known || !theirsKnown || all > len(sets)}
	if out.unknown {
		out.least = math.NaN()
	}
	return out
}

// rounding is the largest rounding error of differences of figures with four digits.
const rounding = 1e-9

// mostAhead returns the largest lead of another method over the default, on the sets that it takes.
func (b *bench) mostAhead(sets []*prepared, peer string, f figure, most float64) target {
	other := methods()[slices.IndexFunc(methods(), func(m method) bool { return m.key == peer })]
	worst, where := math.Inf(-1), ""
	unknown := len(b.missing) > 0 || len(sets) == 0
	for _, p := range sets {
		of := slices.IndexFunc(p.quality(), func(g figure) bool { return g.key == f.key })
		if of < 0 || !other.takes(p) {
			continue // nothing that neighbours could predict, or no map
		}
		f.least = p.quality()[of].least
		ours, known := b.value(p.name, byDefault, f)
		theirs, theirsKnown := b.value(p.name, peer, f)
		if !known || !theirsKnown {
			unknown = true
			continue
		}
		if theirs.value-ours.value > worst {
			worst, where = theirs.value-ours.value, " ("+p.title+")"
		}
	}
	// Unmeasured sets can only increase it.
	if unknown = unknown && worst <= most+rounding; unknown {
		where = ""
	}
	return target{what: fmt.Sprintf("%s, the most that %s is ahead%s", f.title, titleOf(peer), where), value: worst, least: most, format: plain, unknown: unknown}
}

// leadOn compares the default with the best peer on sets of text: the least lead.
func (b *bench) leadOn(sets []*prepared, f figure, least float64) target {
	out := target{value: math.Inf(1), least: least, above: true, format: plain, unknown: true}
	where := ""
	for _, p := range sets {
		if !p.text {
			continue
		}
		ours, known := b.value(p.name, byDefault, f)
		r := b.rank(p.name, slices.DeleteFunc(methods(), func(m method) bool { return !m.peer }), f)
		if !known || len(r.values) == 0 {
			out.unknown = true
			break
		}
		out.unknown = false
		if lead := ours.value - r.values[0].value; lead < out.value {
			out.value, where = lead, " ("+p.title+")"
		}
	}
	if out.unknown {
		out.value, where = 0, ""
	}
	out.what = fmt.Sprintf("%s, ahead of the best peer on every set of text%s", f.title, where)
	return out
}

// titleOf returns a method's title.
func titleOf(key string) string {
	for _, m := range methods() {
		if m.key == key {
			return m.title
		}
	}
	return key
}
