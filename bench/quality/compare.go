package main

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
)

// lookedAt are the data sets that were used while the defaults were chosen: all of them.
var lookedAt = []string{mnistName, "usps", "optdigits", "oil", "nslkdd", "glove", "word2vec", "faces", "frey", "swissroll", "climate", "mammoth"}

// earlier are the figures of the defaults before maps had a prior and further edges. The present
// figures of near neighbours are compared with them.
//
//go:embed before.csv
var earlier []byte

// before returns the earlier figures by set and key.
func before() (map[string]map[string]float64, error) {
	rows, err := csv.NewReader(bytes.NewReader(earlier)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("before.csv: %w", err)
	}
	out := map[string]map[string]float64{}
	for _, row := range rows[1:] {
		out[row[0]] = map[string]float64{}
		for c, key := range rows[0][1:] {
			if out[row[0]][key], err = strconv.ParseFloat(row[c+1], 64); err != nil {
				return nil, fmt.Errorf("before.csv: %s: %w", row[0], err)
			}
		}
	}
	return out, nil
}

// asBefore is the tolerance of figures of near neighbours on MNIST compared with before. On other
// sets it is two standard errors.
const asBefore = .001

// onAllSets returns the targets that depend on all data sets. They are measured only if every set
// is.
func (b *bench) onAllSets(sets []*prepared) []target {
	out := []target{
		b.firstOn(sets, figure{rnx, "R_NX", false}, 0, 10),
		b.mostAhead(sets, openTSNE, figure{rnx, "R_NX", false}, .005),
		b.firstOn(sets, figure{cont, "continuity", false}, .005, 9),
		b.firstOn(sets, figure{triplets, "triplets", false}, .01, 9),
		b.firstOn(sets, figure{shepard, "Shepard", false}, .02, 9),
		b.meanOver(sets, figure{recall10, "recall of 10", false}, openTSNE),
		b.meanOver(sets, figure{shepard, "Shepard", false}, dreamsMDS),
	}
	return append(out, b.asBefore(sets)...)
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

// mostAhead returns the largest lead of a peer over the default.
func (b *bench) mostAhead(sets []*prepared, peer string, f figure, most float64) target {
	worst, where := math.Inf(-1), ""
	unknown := len(b.missing) > 0 || len(sets) == 0
	for _, p := range sets {
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

// asBefore returns the targets on figures of near neighbours: each figure on MNIST, and the number
// of other sets with figures that are not worse than before by more than two standard errors.
func (b *bench) asBefore(sets []*prepared) (out []target) {
	then, err := before()
	if err != nil {
		panic(err) // the file is embedded
	}
	cells, kept, unknown := 0, 0, false
	for _, d := range b.missing {
		unknown = unknown || then[d.name] != nil && d.name != mnistName
	}
	for _, f := range (dataset{}).local() {
		e, known := b.value(mnistName, byDefault, f)
		out = append(out, target{what: "MNIST, " + f.title + ", as before less .001", value: e.value, least: then[mnistName][f.key] - asBefore, above: true, format: plain, unknown: !known})
	}
	for _, p := range sets {
		if then[p.name] == nil || p.name == mnistName {
			continue
		}
		for _, f := range p.local() {
			e, known := b.value(p.name, byDefault, f)
			unknown = unknown || !known
			was := estimate{then[p.name][f.key], e.err} // of the same kind, so with the same error
			if f.least {
				was.value = -was.value
			}
			if cells++; !e.behind(was) {
				kept++
			}
		}
	}
	return append(out, target{what: fmt.Sprintf("other sets, 1-NN, 9-NN and trustworthiness as before within two standard errors, of %d", cells),
		value: float64(kept), least: float64(cells), above: true, format: "%g", unknown: unknown || cells == 0})
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
