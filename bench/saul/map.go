package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"unfold/bench/internal/sheet"
	"unfold/ingest/emit"
	"unfold/internal/quantile"
	"unfold/internal/vec"
	"unfold/models/score"
)

// mapResult are figures 2 and S1 to S4: digits in two dimensions, with one variance per point and
// with one for all.
type mapResult struct {
	Digits                 int
	Free, Shared           fitted
	FreeWrong, SharedWrong map[int]float64
	// Variances are quantiles of sigma^2, at the shares of quantiles.
	Variances []float64
	// Decades is their histogram.
	Decades []decade
	// All is the leave-one-out accuracy with nine neighbours, Sure that without the 5 % most
	// uncertain digits.
	All, Sure float64
	// Uncertain is the number of digits with the largest variances whose neighbours vote for
	// another class.
	Uncertain int
}

var shares = []float64{0, 0.25, 0.5, 0.75, 0.95, 1}

const (
	uncertain = 100 // digits that figure S3 shows
	voters    = 9
	sure      = 0.95
)

func wholeMap(ctx context.Context, b *bench) (*mapResult, error) {
	args, train, err := b.images(b.digits)
	if err != nil {
		return nil, err
	}
	args = append(args, "--neighbors", "9", "--core", "1", "--level", "1", "--dims", "2")
	r := &mapResult{Digits: b.digits}
	if r.Free, err = b.fit(ctx, "digits", args...); err != nil {
		return nil, err
	}
	if r.Shared, err = b.fit(ctx, "shared", append(args, "--sigma", "shared")...); err != nil {
		return nil, err
	}
	if r.FreeWrong, err = b.votes(ctx, "digits", train); err != nil {
		return nil, err
	}
	if r.SharedWrong, err = b.votes(ctx, "shared", train); err != nil {
		return nil, err
	}
	if err := errors.Join(
		b.plot(ctx, "digits", "digits.png", fmt.Sprintf("%d digits", b.digits)),
		b.plot(ctx, "digits", "heat.png", "Scales of the digits", "--color", "sigma", "--scale", "log", "--shade", "density"),
		b.plot(ctx, "shared", "shared.png", fmt.Sprintf("%d digits, one variance", b.digits)),
	); err != nil {
		return nil, err
	}
	m, err := b.places(ctx, "digits")
	if err != nil {
		return nil, err
	}
	class, err := labels(m)
	if err != nil {
		return nil, err
	}
	least, err := r.variances(ctx, m.Embedding, m.Sigma, class)
	if err != nil {
		return nil, err
	}
	all, certain := sheet.Panel{X: m.Embedding, Class: class}, sheet.Panel{Window: sheet.Around(m.Embedding)}
	certain.X, certain.Class = take(m.Embedding, class, least[unsure(len(least)):])
	marked := all
	marked.Marked = least[:uncertain]
	if err := b.closer("certain.png", all, certain, marked); err != nil {
		return nil, err
	}
	return r, b.drawUncertain(least[:uncertain], train)
}

// unsure returns the number of uncertain points among n.
func unsure(n int) int { return int(math.Round(float64(n) * (1 - sure))) }

// variances evaluates the deviations of places. It returns the points, the most uncertain first.
func (r *mapResult) variances(ctx context.Context, mu vec.Matrix[float32], sigma []float32, class []int32) (least []int, err error) {
	order := make([]int, len(sigma))
	squares := make([]float64, len(sigma))
	for i, s := range sigma {
		order[i], squares[i] = i, float64(s)*float64(s)
	}
	slices.SortStableFunc(order, func(a, c int) int { return cmp.Compare(squares[c], squares[a]) })
	slices.Sort(squares)
	for _, share := range shares {
		r.Variances = append(r.Variances, quantile.Of(squares, share))
	}
	r.Decades = decades(squares)
	for of, to := range map[int]*float64{0: &r.All, unsure(len(order)): &r.Sure} {
		left, leftClass := take(mu, class, order[of:])
		accuracy, err := score.LeaveOneOut(ctx, left, leftClass, []int{voters}, score.Settings{})
		if err != nil {
			return nil, err
		}
		*to = accuracy.Share[0]
	}
	odd, oddClass := take(mu, class, order[:uncertain])
	rest, restClass := take(mu, class, order[uncertain:])
	wrong, err := score.HeldOutError(ctx, rest, restClass, odd, oddClass, []int{voters}, score.Settings{})
	if err != nil {
		return nil, err
	}
	r.Uncertain = int(math.Round(wrong[0] * uncertain))
	return order, nil
}

// decade counts values from 10^Power to ten times that.
type decade struct{ Power, Count int }

// decades returns the histogram of positive values by powers of ten, ascending.
func decades(values []float64) (all []decade) {
	for _, v := range values {
		power := int(math.Floor(math.Log10(v)))
		if len(all) == 0 || all[len(all)-1].Power != power {
			all = append(all, decade{Power: power})
		}
		all[len(all)-1].Count++
	}
	return all
}

// take returns some points of a map with their classes.
func take(mu vec.Matrix[float32], class []int32, which []int) (vec.Matrix[float32], []int32) {
	some := make([]int32, len(which))
	for p, i := range which {
		some[p] = class[i]
	}
	return vec.Take(mu, which), some
}

// labels returns the classes of a map's points as numbers.
func labels(m *emit.Map) ([]int32, error) {
	column, err := m.Column("label")
	if err != nil {
		return nil, err
	}
	return classes(column.Strings()), nil
}

// classes numbers labels in alphabetical order.
func classes(labels []string) []int32 {
	distinct := slices.Compact(slices.Sorted(slices.Values(labels)))
	class := make([]int32, len(labels))
	for i, l := range labels {
		at, _ := slices.BinarySearch(distinct, l)
		class[i] = int32(at)
	}
	return class
}

// drawUncertain draws the given digits of the map.
func (b *bench) drawUncertain(which []int, train int) error {
	parts := map[bool]idx{}
	for test, name := range map[bool]string{false: "train", true: "t10k"} {
		x, err := readIDX(filepath.Join(b.data, "mnist", name+"-images-idx3-ubyte.gz"))
		if err != nil {
			return err
		}
		parts[test] = x
	}
	var all []sheet.Picture
	for _, i := range which {
		x := parts[i >= train]
		if i >= train {
			i -= train
		}
		p := sheet.Picture{Width: 28, Level: make([]float64, x.size)}
		for c, v := range x.data[i*x.size : (i+1)*x.size] {
			p.Level[c] = float64(v) / 255
		}
		all = append(all, p)
	}
	return sheet.Write(b.figure("uncertain.png"), 20, 1, all)
}

func (r *mapResult) markdown(b *bench) string {
	text := fmt.Sprintf(`## Figure 2: digits in two dimensions

%s.
k = 9, s = 1, l = 1: %.0f s of processor time (paper: 747 s by the clock, in MATLAB, for 70000), log-likelihood %.0f. Of the test
digits %s are misclassified by the nearest training digit on the map, %s by the nearest nine.

![%d digits](%s)

## Figures S1 to S3: density and variances

The same map. Quantiles of the digits' variances sigma^2, which in the paper "range over several orders of magnitude":

| least | 25 %% | half | 75 %% | 95 %% | largest |
|---|---|---|---|---|---|
|`, counted(r.Digits), r.Free.CPU, r.Free.Loglik, percent(r.FreeWrong[1]), percent(r.FreeWrong[voters]), r.Digits, b.link("digits.png"))
	for _, v := range r.Variances {
		text += fmt.Sprintf(" %.4g |", v)
	}
	text += "\n\nTheir histogram:\n\n| sigma^2 | digits |\n|---|---|\n"
	for _, d := range r.Decades {
		text += fmt.Sprintf("| 1e%d to 1e%d | %d |\n", d.Power, d.Power+1, d.Count)
	}
	text += fmt.Sprintf(`
The nine nearest on the map predict the class of %s of all digits, and of %s without the 5 %% most uncertain ones. Of
the %d most uncertain digits, drawn below, %d lie among another class. The paper finds by eye that a quarter of its hundred are
highly atypical.

![Scales on the density of the map](%s)

![All digits, without the uncertain ones, and the most uncertain ones](%s)

The map of all digits, without the 5 %% most uncertain ones (figure S2), and with the %d most uncertain ones larger, on a black
square (figure S3).

![The %d most uncertain digits](%s)

## Figure S4: one variance for all

The same digits with `+"`--sigma shared`"+`: log-likelihood %.0f instead of %.0f, and %s of the test digits wrong by nine
instead of %s. The paper says of its likelihood that it is "significantly lower", and of the map that it is much worse.

![With one variance](%s)
`, percent(r.All), percent(r.Sure), uncertain, r.Uncertain, b.link("heat.png"), b.link("certain.png"), uncertain, uncertain, b.link("uncertain.png"),
		r.Shared.Loglik, r.Free.Loglik, percent(r.SharedWrong[voters]), percent(r.FreeWrong[voters]), b.link("shared.png"))
	return text
}
