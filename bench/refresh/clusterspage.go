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

// clusters measures how clusters keep their ids, and writes the page about it.
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
	got, err := l.identities(ctx, set, o.wanted(appears) || o.wanted(leaves))
	if err != nil {
		return nil, err
	}
	run := fmt.Sprintf("%s %s, %s.", runOf, begin.UTC().Format("20060102T150405"), o.where())
	list := got.targets(set, o.small)
	old.take(list)
	var w bytes.Buffer
	fmt.Fprintf(&w, `# Clusters that keep their ids

What becomes of the ids of clusters when a map follows its stream, as `+"`make clusters`"+` writes it. The streams are those of
[refresh.md](refresh.md): %s, a reference set of %d points, of which every refresh finds %d replaced. After each refresh clusters
are found on the map, of at least %d points, and get their ids by those of the map before (package models/clusters/identity).
[decisions/clusters.md](decisions/clusters.md) has why on the map.

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
	if len(got.classes) > 0 {
		got.comings(&w, run, set)
	} else if text := old.section(comings); text != "" {
		fmt.Fprintf(&w, "\n## %s\n\n%s\n", comings, text)
	}
	return list, os.WriteFile(o.page, w.Bytes(), 0o666)
}

// targets are those of ids.
func (d *identities) targets(set clusters.Settings, toy bool) []target {
	same, _ := d.stationary.runs[0].mean()
	born, died := math.Inf(-1), math.Inf(-1)
	for _, c := range d.classes {
		if !c.cluster {
			continue
		}
		born, died = max(born, c.sinceSized(set.MinSize)), max(died, c.leaves.left())
	}
	return []target{
		{scenario: stationary, what: "points of clusters that go on which keep their id, a refresh", value: 100 * same.same, bound: 99, above: true, format: "%.2f", unit: "%", known: true, toy: toy},
		{scenario: appears, what: "refreshes from a cluster's least number of points to its birth, the slowest class that is a cluster", value: born, bound: 3, format: "%.0f", known: !math.IsInf(born, -1), toy: toy},
		{scenario: leaves, what: "refreshes until the cluster of a class is dead after its last event, the slowest class; the window's length", value: died, bound: float64(d.window), format: "%.0f", known: !math.IsInf(died, -1), toy: toy},
	}
}

// sinceSized is how many refreshes a class had enough points for a cluster before there was
// one, +Inf if there never was.
func (c *classCourse) sinceSized(least int) float64 {
	sized, born, _, _ := c.appears.appeared(least)
	if sized < 0 || born < 0 {
		return math.Inf(1)
	}
	return float64(max(0, born-sized))
}

// comings is the heading of what is said of classes.
const comings = "Classes that appear and leave"

// ids adds what became of ids on the stationary stream.
func (d *identities) ids(w *bytes.Buffer, run string) {
	all := d.stationary.runs
	fmt.Fprintf(w, `
## Ids on a stationary stream

%s

Of the points that two maps have in common, and that were in a cluster which is still there: how many are in the same one after a
refresh, in none, in another. A cluster that splits counts as well: the smaller part has another id. The adjusted Rand index compares the
clusters of all maps with the classes. Favour and memory are those of `+"`identity.Settings`"+`.

| | same id | none | another | worst refresh | of %d refreshes at least 99 %% | births | ends | adjusted Rand |
|---|---|---|---|---|---|---|---|---|
`, run, len(all[0].refreshes))
	for _, r := range all {
		m, worst := r.mean()
		fmt.Fprintf(w, "| %s | %.2f%% | %.2f%% | %.2f%% | %.2f%% | %d | %d | %d | %.3f |\n", r.name, 100*m.same, 100*m.noise, 100*m.other, 100*worst,
			r.atLeast(.99), r.births-len(r.maps[0].alive), r.deaths, r.rand/float64(len(r.maps)))
	}
	fmt.Fprintf(w, "\nTo find the clusters took %.2f s a map (median), where other work may have been done.\n", median(d.stationary.took))
}

// comings adds what became of classes.
func (d *identities) comings(w *bytes.Buffer, run string, set clusters.Settings) {
	fmt.Fprintf(w, `
## %s

%s

Each class in turn is missing at first, and comes with the natural mixture. It has the %d points of a cluster after some refreshes; then it is
born. In the other stream it is no more, and the window forgets it in %d refreshes. A class counts as a cluster if one on the first
map of that stream, where nothing is remembered yet, has most of its points from the class. Classes without one share a cluster with others on the
map: there is nothing to be born.

| class | a cluster | has its points at refresh | born at | with points | on the last map | dead at |
|---|---|---|---|---|---|---|
`, comings, run, set.MinSize, d.window)
	for _, c := range d.classes {
		sized, born, points, lasts := c.appears.appeared(set.MinSize)
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s |\n", c.name, yes(c.cluster), at(sized), at(born), at(points), yes(lasts), when(c.leaves.left()))
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
