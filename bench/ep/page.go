package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// result is what the page says of a data set: a section of the hybrid, or lines of
// the tables of placed events with a picture, whether their scores are worse with
// scales, and predictions a second.
type result struct {
	Name, Section, Lines, Differences, Picture string
	Better, Worse                              bool
	Rate                                       float64
}

const introduction = `# Labels on the map

Written by ` + "`make ep`" + `; every figure is measured.

Package models/ep is sparse expectation propagation for Gaussian process classification, also of inputs that are themselves
uncertain (Andrade-Pacheco, Hensman, Zwiessele and Lawrence, AISTATS 2014); its essay has the equations and the errata of
the printed ones. Package models/ep/labels predicts the classes of events by it.

## One latent space for data and labels

A classifier and a GP-LVM share their uncertain inputs (ep.Hybrid): the vectors of all rows and those labels that are known
say together where a row lies. Beside it are a classifier on principal components, and one on the places that a sparse GP-LVM
gives without labels; these two are trained on the labelled rows alone. The test rows have no label for any of them. The hybrid
begins where the GP-LVM is half way. Log: mean of the log probability of the true class. Means of several draws of rows and
labels, with their standard errors.
`

const places = `
## Uncertain places

A map is learnt from rows, and the classes of others are predicted by where they are placed: by their places alone, and
by places and scales, sigma (factor: of its square, chosen among 1, 1/4 and 0 by the labelled rows; 0 is the same
as certain). The classifier is learnt as beside a stream, from 1500 of the rows. Log: mean log probability of the true class.
Brier: mean squared distance of probabilities and class. Gap: mean distance between confidence and share of right classes in
ten bins, which the pictures show. Again: training again, from the sites that are known.

| Data | rows | placed | classes | inputs | factor | log | Brier | wrong | gap | training s | again s | predictions/s |
|---|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|
`

const differences = `
Row by row, the scores with scales less those without, and the standard errors of these differences (a larger log score and a smaller
Brier score are better):

| Data | log | standard error | Brier | standard error | |
|---|---:|---:|---:|---:|---|
`

var methods = [...]string{"on PCA", "on GP-LVM", "hybrid"}

func (t *shareTable) result() *result {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n%d rows to learn from, %d to test, %d classes; %d latent dimensions, %d inducing inputs; %d draws.\n\n", t.name, t.train, t.test, t.class, t.dims, t.inducing, t.draws)
	b.WriteString("| Share | labels |")
	for _, m := range methods {
		fmt.Fprintf(&b, " wrong, %s | log |", m)
	}
	b.WriteString("\n|---:|---:|" + strings.Repeat("---:|---:|", len(methods)) + "\n")
	for _, r := range t.rows {
		fmt.Fprintf(&b, "| %g%% | %d |", r.percent, r.labels)
		for _, draws := range r.methods {
			var wrong, log, zero []float64
			for _, one := range draws {
				wrong, log, zero = append(wrong, 100*one.wrong), append(log, one.log), append(zero, 0)
			}
			w, l := pair(wrong, zero), pair(log, zero)
			fmt.Fprintf(&b, " %.1f ± %.1f%% | %.2f ± %.2f |", w.mean, w.err, l.mean, l.err)
		}
		b.WriteString("\n")
	}
	return &result{Name: t.name, Section: b.String()}
}

func (c *calibration) result() *result {
	r := &result{Name: c.name, Picture: c.picture(), Rate: c.ways[1].rate}
	for i, w := range c.ways {
		what := [...]string{"certain", "uncertain"}[i]
		r.Lines += fmt.Sprintf("| %s | %d | %d | %d | %s | %g | %.4f | %.4f | %.2f%% | %.4f | %.2f | %.2f | %.0f |\n",
			c.name, c.train, c.test, c.classes, what, w.spread, mean(w.log), mean(w.brier), 100*w.wrong, w.ece, w.train, w.warm, w.rate)
	}
	verdict := "as good"
	switch {
	case c.log.mean < -2*c.log.err || c.brier.mean > 2*c.brier.err:
		verdict, r.Worse = "worse", true
	case c.log.mean > 2*c.log.err || c.brier.mean < -2*c.brier.err:
		verdict, r.Better = "better", true
	}
	r.Differences = fmt.Sprintf("| %s | %+.5f | %.5f | %+.5f | %.5f | %s |\n", c.name, c.log.mean, c.log.err, c.brier.mean, c.brier.err, verdict)
	return r
}

// write writes the page and its pictures.
func write(page string, done []result) error {
	folder := strings.TrimSuffix(page, ".md")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	sections, table, beside, pictures := introduction, places, differences, ""
	better, worse, placed, slowest := 0, 0, 0, math.Inf(1)
	for _, r := range done {
		sections += r.Section
		if r.Picture == "" {
			continue
		}
		table, beside = table+r.Lines, beside+r.Differences
		placed++
		file := fmt.Sprintf("reliability-%d.svg", placed)
		if err := os.WriteFile(filepath.Join(folder, file), []byte(r.Picture), 0o666); err != nil {
			return err
		}
		pictures += fmt.Sprintf("\n![Reliability of %s](%s/%s)\n", r.Name, filepath.Base(folder), file)
		better, worse, slowest = better+b2i(r.Better), worse+b2i(r.Worse), min(slowest, r.Rate)
	}
	verdict := fmt.Sprintf("\nOf %d data sets scales make a score better on %d and worse on %d, by more than two standard errors; the slowest predicts %.0f places a second.\n", placed, better, worse, slowest)
	return os.WriteFile(page, []byte(sections+table+beside+verdict+pictures), 0o666)
}

// picture draws the share of right classes over the confidence, for both ways; a
// circle's area is in proportion to the number of predictions.
func (c *calibration) picture() string {
	const size, margin = 320.0, 40.0
	at := func(x, y float64) (float64, float64) { return margin + x*size, margin + (1-y)*size }
	var b strings.Builder
	total := size + 2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="12">`+"\n", total, total)
	fmt.Fprintf(&b, `<rect width="%g" height="%g" fill="white"/><rect x="%g" y="%g" width="%g" height="%g" fill="none" stroke="#888"/>`+"\n", total, total, margin, margin, size, size)
	fmt.Fprintf(&b, `<path d="M%g %gL%g %g" stroke="#bbb"/>`+"\n", margin, margin+size, margin+size, margin)
	fmt.Fprintf(&b, `<text x="%g" y="24">%s</text><text x="%g" y="%g" text-anchor="middle">confidence</text>`+"\n", margin, c.name, total/2, total-12)
	fmt.Fprintf(&b, `<text transform="translate(16 %g) rotate(-90)" text-anchor="middle">share right</text>`+"\n", total/2)
	for i, w := range c.ways {
		colour, name := [...]string{"#d95f02", "#1b6ca8"}[i], [...]string{"certain", "uncertain"}[i]
		fmt.Fprintf(&b, `<text x="%g" y="%g" fill="%s" text-anchor="end">%s</text>`+"\n", margin+size-8, margin+size-24+14*float64(i), colour, name)
		for _, one := range w.bins {
			if one.count > 0 {
				x, y := at(one.confidence, one.right)
				fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" fill-opacity="0.6"/>`+"\n", x, y, 2+14*math.Sqrt(one.count/float64(c.test)), colour)
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
