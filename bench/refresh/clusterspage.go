package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"unfold/models/clusters"
)

// clusters measures how clusters keep their ids, and writes the page.
func (o *options) clusters(ctx context.Context, l *lab, begin time.Time) ([]target, error) {
	set := clusters.Settings{Threads: o.threads}
	if o.small {
		set.MinSize = 10
	}
	set, err := set.Filled()
	if err != nil {
		return nil, err
	}
	old, err := readEarlier(o.page)
	if err != nil {
		return nil, err
	}
	got, err := l.identities(ctx, set, o.wanted)
	if err != nil {
		return nil, err
	}
	run := fmt.Sprintf("%s %s, %s.", runOf, begin.UTC().Format("20060102T150405"), o.where())
	list := got.targets(set, o.small)
	old.take(list)
	var w bytes.Buffer
	fmt.Fprintf(&w, `# Clusters that keep their ids

This page measures how steady the ids of clusters are while a map follows its stream (`+"`make clusters`"+`). The streams are those of
[refresh.md](refresh.md): %s, a reference set of %d points, with %d replaced before every refresh. After each refresh clusters of at least %d points are found on the map, and get their ids from the clusters of the map before (package models/clusters/identity). [decisions/clusters.md](decisions/clusters.md) explains why they are found on the map.

| stream | what | target | measured | |
|---|---|---|---|---|
`, l.d.name, l.size, l.block(), set.MinSize)
	for _, b := range list {
		if b.earlier != "" {
			w.WriteString(b.earlier + "\n")
			continue
		}
		fmt.Fprintf(&w, "| %s | %s | %s | %s | %s |\n", b.scenario, b.what, b.limit().String(), b.measured(), b.verdict())
	}
	got.ids(&w, run)
	for _, part := range []struct {
		heading string
		of      []classCourse
		write   func(*bytes.Buffer, string, clusters.Settings)
	}{{comings, got.appears, got.comings}, {goings, got.leaves, got.goings}} {
		if len(part.of) > 0 {
			part.write(&w, run, set)
		} else if text := old.section(part.heading); text != "" {
			fmt.Fprintf(&w, "\n## %s\n\n%s\n", part.heading, text)
		}
	}
	return list, os.WriteFile(o.page, w.Bytes(), 0o666)
}

// targets returns the targets of ids.
func (d *identities) targets(set clusters.Settings, toy bool) []target {
	same, _ := d.stationary.runs[0].mean()
	none := math.Inf(-1)
	born, bornToo, died := none, none, none
	for _, c := range d.appears {
		since := c.runs[0].sinceSized(set.MinSize)
		born = max(born, since)
		if c.fresh {
			bornToo = max(bornToo, since)
		}
	}
	for _, c := range d.leaves {
		if left := c.runs[0].left(); !math.IsNaN(left) {
			died = max(died, left)
		}
	}
	return []target{
		{scenario: stationary, what: "points of clusters that go on which keep their id, a refresh", value: 100 * same.same, bound: 99, above: true, format: "%.2f", unit: "%", known: true, toy: toy},
		{scenario: appears, what: "refreshes from a cluster's least number of points to its birth, the slowest class", value: born, bound: soon, format: "%.0f", known: born != none, toy: toy},
		{scenario: appears, what: "the slowest class that a map learnt from the start has as a cluster by then", value: bornToo, bound: soon, format: "%.0f", known: bornToo != none, toy: toy},
		{scenario: leaves, what: "refreshes until the cluster of a class is dead after its last event, the slowest class; the window's length", value: died, bound: float64(d.window), format: "%.0f", known: died != none, toy: toy},
	}
}

// sinceSized returns the number of refreshes from the time when a class had enough points for a
// cluster until it had one, +Inf for never.
func (r *kept) sinceSized(least int) float64 {
	sized, born, _, _ := r.appeared(least)
	if sized < 0 || born < 0 {
		return math.Inf(1)
	}
	return float64(max(0, born-sized))
}

// Headings of the sections about classes.
const (
	comings = "Classes that appear"
	goings  = "Classes that leave"
)

// ids writes the results for ids on the stationary stream.
func (d *identities) ids(w *bytes.Buffer, run string) {
	all := d.stationary.runs
	fmt.Fprintf(w, `
## Ids on a stationary stream

%s

For points on both maps whose cluster still exists: the shares in the same cluster after a refresh, in none, in another. The smaller part of a split
has another id. The adjusted Rand index compares the clusters of all maps with the classes. Favour and memory are those of `+"`identity.Settings`"+`.

| | same id | none | another | worst refresh | of %d refreshes at least 99 %% | births | ends | adjusted Rand |
|---|---|---|---|---|---|---|---|---|
`, run, len(all[0].refreshes))
	for _, r := range all {
		m, worst := r.mean()
		fmt.Fprintf(w, "| %s | %.2f%% | %.2f%% | %.2f%% | %.2f%% | %d | %d | %d | %.3f |\n", r.name, 100*m.same, 100*m.noise, 100*m.other, 100*worst,
			r.atLeast(.99), r.births-len(r.maps[0].alive), r.deaths, r.rand/float64(len(r.maps)))
	}
	fmt.Fprintf(w, "\nFinding the clusters took %.2f s a map (median).\n", median(d.stationary.took))
}

// comings writes the results for appearing classes.
func (d *identities) comings(w *bytes.Buffer, run string, set clusters.Settings) {
	fmt.Fprintf(w, `
## %s

%s

Each class in turn is missing at first, and then appears with the natural mixture. After some refreshes it has the %d points of a cluster. It is
born when a cluster has most of its points from the class. "From the start": whether a map learnt from nothing has such a cluster, %d refreshes after there are enough points. If not, the data do not show the cluster yet. With min_samples of %d, instead of the %d of min_size, clusters are born sooner, and more points change their cluster (the table above).

| class | has its points at refresh | from the start | born at | with points | on the last map | born with %[5]d at | with points |
|---|---|---|---|---|---|---|---|
`, comings, run, set.MinSize, soon, fewSamples, set.MinSamples)
	for _, c := range d.appears {
		sized, born, points, lasts := c.runs[0].appeared(set.MinSize)
		_, sooner, fewer, _ := c.runs[1].appeared(set.MinSize)
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", c.name, at(sized), yes(c.fresh), at(born), at(points), yes(lasts), at(sooner), at(fewer))
	}
}

// goings writes the results for leaving classes.
func (d *identities) goings(w *bytes.Buffer, run string, set clusters.Settings) {
	fmt.Fprintf(w, `
## %s

%s

Each class in turn disappears from the stream, and leaves the window within %d refreshes. A class counts as a cluster if a cluster of the first map has most of its points from the class.

| class | a cluster | dead at |
|---|---|---|
`, goings, run, d.window)
	for _, c := range d.leaves {
		fmt.Fprintf(w, "| %s | %s | %s |\n", c.name, yes(len(c.runs[0].maps[0].mostly) > 0), when(c.runs[0].left()))
	}
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// at is a number, if there is one.
func at(n int) string {
	if n <= 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func when(refresh float64) string {
	switch {
	case math.IsNaN(refresh):
		return "-"
	case math.IsInf(refresh, 1):
		return "never"
	}
	return fmt.Sprintf("%.0f", refresh)
}

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return s[len(s)/2]
}
