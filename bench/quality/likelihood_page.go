package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// choice is the effect of choosing a set's settings by held-out likelihood.
type choice struct {
	set string
	// all are the settings with results.
	all []method
	// by9 and byTrust are rank correlations of the likelihood with the figures.
	by9, byTrust float64
	// picked are the settings with the largest likelihood, best9 and bestTrust those with the best
	// figures.
	picked, best9, bestTrust method
}

// studied returns a figure by which choices are judged.
func (b *bench) studied(set string, m method, key string) float64 {
	v, _ := b.get(studyName(set, m), key)
	return v
}

// choices summarises the study, set by set.
func (b *bench) choices() []choice {
	var out []choice
	for _, set := range studySets {
		c := choice{set: set}
		for _, m := range studySettings() {
			if _, ok := b.get(studyName(set, m), loglik); ok {
				c.all = append(c.all, m)
			}
		}
		if len(c.all) < 3 {
			continue
		}
		by := func(key string) []float64 {
			v := make([]float64, len(c.all))
			for i, m := range c.all {
				v[i] = b.studied(set, m, key)
			}
			return v
		}
		best := func(key string) method {
			v := by(key)
			return c.all[slices.Index(v, slices.Max(v))]
		}
		c.by9, c.byTrust = rankCorrelation(by(loglik), by(nn9)), rankCorrelation(by(loglik), by(trust))
		c.picked, c.best9, c.bestTrust = best(loglik), best(nn9), best(trust)
		out = append(out, c)
	}
	return out
}

// rankCorrelation returns Spearman's rank correlation, with mean ranks for ties.
func rankCorrelation(a, b []float64) float64 {
	x, y := ranksOf(a), ranksOf(b)
	mean := float64(len(a)+1) / 2
	var xx, yy, xy float64
	for i := range x {
		xx += (x[i] - mean) * (x[i] - mean)
		yy += (y[i] - mean) * (y[i] - mean)
		xy += (x[i] - mean) * (y[i] - mean)
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// ranksOf counts, for each value, the smaller values and half of the equal ones.
func ranksOf(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = 0.5
		for j := range v {
			switch cmp.Compare(v[j], v[i]) {
			case -1:
				out[i]++
			case 0:
				out[i] += 0.5
			}
		}
	}
	return out
}

// A choice is good if it loses at most goodPick of each figure compared with the best settings, and
// safe if it does compared with the defaults.
const goodPick = .002

// writeLikelihood writes the study's section.
func (b *bench) writeLikelihood(w *bytes.Buffer) {
	choices := b.choices()
	if len(choices) == 0 {
		return
	}
	fmt.Fprintf(w, `## What the likelihood is good for

Can it choose k, the weight c of dissimilar pairs and the tails without labels? One row in ten of each set (at most %s
rows) is held out, the rest learnt, the held-out rows are placed. For each of these the model's closeness to all reference
points is a distribution, P(x,j) / sum_l P(x,l); its mean logarithm at the %d reference points that are nearest in the
input is the held-out likelihood. It is compared between %d settings with 9-NN and trustworthiness of the learnt map.

| | rank correlation with 9-NN | with trustworthiness | it picks | 9-NN there, at the best, by default | trustworthiness there, at the best, by default |
|---|---|---|---|---|---|
`, thousands(studyRows), trueNeighbors, len(choices[0].all))
	good, safe := 0, true
	var gain9, gainTrust float64
	for _, c := range choices {
		usual := studySettings()[0]
		three := func(best method, key string) string {
			return fmt.Sprintf("%s, %s (%s), %s", share(b.studied(c.set, c.picked, key)), share(b.studied(c.set, best, key)), best.title,
				share(b.studied(c.set, usual, key)))
		}
		fmt.Fprintf(w, "| %s | %.2f | %.2f | %s | %s | %s |\n", c.set, c.by9, c.byTrust, c.picked.title, three(c.best9, nn9), three(c.bestTrust, trust))
		if b.cost(c, c.best9, nn9) <= goodPick && b.cost(c, c.bestTrust, trust) <= goodPick {
			good++
		}
		lost9, lostTrust := b.cost(c, usual, nn9), b.cost(c, usual, trust)
		safe = safe && lost9 <= goodPick && lostTrust <= goodPick
		gain9, gainTrust = gain9-lost9/float64(len(choices)), gainTrust-lostTrust/float64(len(choices))
	}
	verdict := "So it is no safe way to choose the settings, and the defaults are fixed numbers."
	if safe {
		verdict = fmt.Sprintf("It never loses more than %.3f by them: it could choose the settings by itself.", goodPick)
	}
	fmt.Fprintf(w, "\nIts pick comes within %.3f of the best of both figures on %d of %d sets; against the defaults it changes 9-NN by %+.4f and\n"+
		"trustworthiness by %+.4f in the mean. %s\n\n", goodPick, good, len(choices), gain9, gainTrust, verdict)
	fmt.Fprintf(w, "![Held-out likelihood against quality](%s/%s)\n\n", b.folder, likelihoodPicture)
}

// cost returns the loss of a figure by choosing with the likelihood, compared with other settings.
func (b *bench) cost(c choice, other method, key string) float64 {
	return b.studied(c.set, other, key) - b.studied(c.set, c.picked, key)
}

const likelihoodPicture = "likelihood.svg"

// drawLikelihood draws the study next to the page: a column per set, with 9-NN accuracy above and
// trustworthiness below, over the held-out likelihood.
func (b *bench) drawLikelihood(page string) error {
	choices := b.choices()
	if len(choices) == 0 {
		return nil
	}
	const side, gap = 190, 46
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="10">`+"\n",
		gap+len(choices)*(side+gap), 3*gap+2*side)
	s.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	for i, c := range choices {
		for j, f := range []figure{{nn9, "9-NN", false}, {trust, "trustworthiness", false}} {
			b.panel(&s, c, f, float64(gap+i*(side+gap)), float64(gap/2+j*(side+gap)), side)
		}
	}
	fmt.Fprintf(&s, `<text x="%d" y="%d" fill="#555">over held-out log-likelihood a neighbour; filled: heavy tails; hollow: Gaussian; larger: larger k; red ring: the defaults</text>`+"\n</svg>\n",
		gap, 2*(side+gap)+gap/2)
	return os.WriteFile(filepath.Join(filepath.Dir(page), b.folder, likelihoodPicture), []byte(s.String()), 0o666)
}

// panel draws one figure of one set. Its upper left corner is (x, y).
func (b *bench) panel(s *strings.Builder, c choice, f figure, x, y, side float64) {
	var like, quality []float64
	for _, m := range c.all {
		like, quality = append(like, b.studied(c.set, m, loglik)), append(quality, b.studied(c.set, m, f.key))
	}
	at := func(v float64, all []float64) float64 {
		low, high := slices.Min(all), slices.Max(all)
		return (v - low + .05*(high-low)) / (1.1 * max(high-low, 1e-12)) * side
	}
	fmt.Fprintf(s, `<rect x="%.0f" y="%.0f" width="%.0f" height="%.0f" fill="none" stroke="#bbb"/>`+"\n", x, y, side, side)
	fmt.Fprintf(s, `<text x="%.0f" y="%.0f">%s, %s</text>`+"\n", x, y-4, c.set, f.title)
	for _, v := range []float64{slices.Min(quality), slices.Max(quality)} {
		fmt.Fprintf(s, `<text x="%.0f" y="%.0f" text-anchor="end" fill="#555">%.3f</text>`+"\n", x-3, y+side-at(v, quality)+3, v)
	}
	for _, v := range []float64{slices.Min(like), slices.Max(like)} {
		fmt.Fprintf(s, `<text x="%.0f" y="%.0f" text-anchor="middle" fill="#555">%.2f</text>`+"\n", x+at(v, like), y+side+11, v)
	}
	for i, m := range c.all {
		px, py := x+at(like[i], like), y+side-at(quality[i], quality)
		radius, fill := 7.0, `none" stroke="#c33`
		if k := slices.Index(m.flags, "--neighbors"); k >= 0 {
			var neighbors float64
			fmt.Sscan(m.flags[k+1], &neighbors)
			radius, fill = 1.5+neighbors/5, "#2a62a8"
			if slices.Contains(m.flags, "gaussian") {
				fill = `none" stroke="#2a62a8`
			}
		}
		fmt.Fprintf(s, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"><title>%s: %.3f, %.4f</title></circle>`+"\n", px, py, radius, fill, m.title, like[i], quality[i])
	}
}
