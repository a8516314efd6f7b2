package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"unfold/bench/internal/harness"
)

// writePage writes the page and its pictures, and returns the number of targets by
// verdict.
func (b *bench) writePage(ctx context.Context, path string, sets []*prepared) (map[string]int, error) {
	b.folder = strings.TrimSuffix(filepath.Base(path), ".md")
	if err := os.MkdirAll(filepath.Join(filepath.Dir(path), b.folder), 0o777); err != nil {
		return nil, err
	}
	shown := map[string]string{}
	for _, p := range sets {
		var err error
		if shown[p.name], err = b.pictures(ctx, path, p); err != nil {
			return nil, err
		}
	}
	if err := b.drawLikelihood(path); err != nil {
		return nil, err
	}
	targets := b.targets(sets)
	return count(targets), os.WriteFile(path, b.page(sets, targets, shown), 0o666)
}

// page is the whole page; shown holds the pictures of each data set.
func (b *bench) page(sets []*prepared, targets []target, shown map[string]string) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, `# Quality

The maps of unfold beside those of UMAP, PaCMAP, openTSNE and DREAMS. `+"`make quality`"+` (bench/quality) wrote this page. It makes
all maps from the same vectors, one after the other, and scores them by the same code, `+"`unfold score`"+`. Figures are medians of
%d seeds; a figure is better than another if it is ahead by more than two standard errors. %s

%s

Machine: %d cores, %s/%s, %s; %d threads for every method.

`, seedCount, b.ofRuns(), unseen(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, strings.Join(b.languages(), ", "), b.threads)
	b.writeMissing(&w)
	b.writeFirsts(&w, sets)
	b.writeLosses(&w, sets)
	w.WriteString("## Data set by data set\n\n")
	for _, p := range sets {
		b.writeSet(&w, p, shown[p.name])
	}
	b.writeFurther(&w)
	b.writeLikelihood(&w)
	writeTargets(&w, targets)
	b.writeSettings(&w)
	return w.Bytes()
}

// unseen says which sets were looked at when the defaults were chosen.
func unseen() string {
	var others, looked []string
	for _, d := range datasets("") {
		if slices.Contains(lookedAt, d.name) {
			looked = append(looked, d.title)
		} else {
			others = append(others, d.title)
		}
	}
	if len(others) == 0 {
		return "All of these data sets were looked at while the defaults were chosen: the peers' defaults saw others."
	}
	return fmt.Sprintf("These data sets were looked at while the defaults were chosen: %s. These were not: %s.", strings.Join(looked, ", "), strings.Join(others, ", "))
}

// ofRuns says of how many runs the figures are.
func (b *bench) ofRuns() string {
	runs := map[string]bool{}
	for _, r := range b.results {
		runs[r.Run] = true
	}
	if len(runs) <= 1 {
		return "All figures are of one run."
	}
	return fmt.Sprintf("**The figures are of %d runs, so times may not compare; what is published should be of one.**", len(runs))
}

// languages are the versions of Go and, of the peers' results, Python.
func (b *bench) languages() []string {
	out := []string{runtime.Version()}
	for _, r := range b.results {
		if r.Python != "" {
			out = append(out, "Python "+r.Python)
		}
	}
	slices.Sort(out[1:])
	return slices.Compact(out)
}

// writeMissing names the data sets that the page is without.
func (b *bench) writeMissing(w *bytes.Buffer) {
	var names []string
	for _, d := range b.missing {
		names = append(names, d.title)
	}
	if len(names) > 0 {
		fmt.Fprintf(w, "**Left out, since their files are missing: %s.**\n\n", strings.Join(names, ", "))
	}
}

func writeTargets(w *bytes.Buffer, targets []target) {
	verdicts := count(targets)
	fmt.Fprintf(w, "## Targets\n\n%d of %d targets are met, %d are missed", verdicts[harness.Met], len(targets), verdicts[harness.Missed])
	if n := verdicts[harness.NotMeasured]; n > 0 {
		fmt.Fprintf(w, ", **%d are not measured**", n)
	}
	w.WriteString(".\n\n| what | target | measured | |\n|---|---|---|---|\n")
	for _, x := range targets {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", x.what, x.limit().String(), x.measured(), x.verdict())
	}
	w.WriteString("\n")
}

// ranked are the figures of the overview.
func ranked() []figure {
	return append(structure(), figure{nn1, "1-NN", false}, figure{nn9, "9-NN", false})
}

// writeFirsts counts, figure by figure, on how many sets each method is first.
func (b *bench) writeFirsts(w *bytes.Buffer, sets []*prepared) {
	for _, own := range []string{byDefault, thorough} {
		players := contest(own)
		first, judged := b.countFirsts(players, sets)
		if len(judged) == 0 {
			continue
		}
		fmt.Fprintf(w, "## Who is first: %s and the peers\n\nOn how many data sets each is first. Those that the first is not ahead of by more than two\nstandard errors share the place.\n\n| |", players[0].title)
		for _, f := range ranked() {
			fmt.Fprintf(w, " %s |", f.title)
		}
		w.WriteString("\n|---|" + strings.Repeat("---|", len(ranked())) + "\n")
		for _, m := range players {
			fmt.Fprintf(w, "| %s |", m.title)
			for _, f := range ranked() {
				fmt.Fprintf(w, " %d |", first[m.key][f.key])
			}
			w.WriteString("\n")
		}
		w.WriteString("| of |")
		for _, f := range ranked() {
			fmt.Fprintf(w, " %d |", judged[f.key])
		}
		w.WriteString("\n\n")
	}
}

// countFirsts counts by method and figure the sets where it is first, and by figure
// those that are judged.
func (b *bench) countFirsts(players []method, sets []*prepared) (first map[string]map[string]int, judged map[string]int) {
	first, judged = map[string]map[string]int{}, map[string]int{}
	for _, m := range players {
		first[m.key] = map[string]int{}
	}
	for _, p := range sets {
		for _, f := range p.quality() {
			keys := b.firsts(p.name, players, f)
			if keys == nil {
				continue
			}
			judged[f.key]++
			for _, key := range keys {
				first[key][f.key]++
			}
		}
	}
	return first, judged
}

// writeLosses says where a peer's map is better than the default's.
func (b *bench) writeLosses(w *bytes.Buffer, sets []*prepared) {
	losses := b.losses(byDefault, sets)
	if len(losses) == 0 {
		return
	}
	w.WriteString("## Where peers win\n\nFigures in which a peer is ahead of the default's map by more than two standard errors, each with the best peer's:\n\n")
	for _, f := range append(ranked(), figure{truth, "true distances", false}) {
		var cells []string
		for _, l := range losses {
			if l.figure.key == f.key {
				cells = append(cells, fmt.Sprintf("%s (%s %s, unfold %s)", l.set.title, l.peer.title, share(l.figure.shown(l.other)), share(l.figure.shown(l.own))))
			}
		}
		if len(cells) > 0 {
			fmt.Fprintf(w, "- **%s**: %s.\n", f.title, strings.Join(cells, ", "))
		}
	}
	w.WriteString("\n")
}

// share prints a figure as the tables do.
func share(v float64) string { return fmt.Sprintf("%.*f", digits, v) }

// writeSet writes a data set's table and pictures.
func (b *bench) writeSet(w *bytes.Buffer, p *prepared, pictures string) {
	var rows []method
	for _, m := range methods() {
		if b.results[mapName(p.name, m.key, 1)] != nil {
			rows = append(rows, m)
		}
	}
	if len(rows) == 0 {
		return
	}
	columns := p.quality()
	if p.Classes > 2 {
		columns = append(columns, figure{centroids, "centroids", false})
	}
	fmt.Fprintf(w, "### %s\n\n%s.\n\n| |", p.title, capital(p.describe()))
	for _, f := range columns {
		fmt.Fprintf(w, " %s |", f.title)
	}
	w.WriteString(" embedding | whole |\n|---|" + strings.Repeat("---|", len(columns)+2) + "\n")
	for _, m := range rows {
		fmt.Fprintf(w, "| %s |", m.title)
		for _, f := range columns {
			fmt.Fprintf(w, " %s |", b.cell(p, rows, m, f))
		}
		r := b.results[mapName(p.name, m.key, 1)]
		fmt.Fprintf(w, " %.1f s | %.1f s |\n", r.Figures[embed], r.Figures[whole])
	}
	w.WriteString("| *standard error, at most* |")
	for _, f := range columns {
		most := 0.
		for _, m := range rows {
			e, _ := b.value(p.name, m.key, f)
			most = max(most, e.err)
		}
		fmt.Fprintf(w, " *%s* |", share(most))
	}
	w.WriteString(" | |\n\n")
	if pictures != "" {
		w.WriteString(pictures + "\n")
	}
}

// cell is a figure as a table shows it, in bold if it is first of the rows.
func (b *bench) cell(p *prepared, rows []method, m method, f figure) string {
	e, known := b.value(p.name, m.key, f)
	switch {
	case !known:
		return ""
	case slices.Contains(b.firsts(p.name, rows, f), m.key):
		return "**" + share(f.shown(e)) + "**"
	}
	return share(f.shown(e))
}

// describe says what the rows are and how many.
func (p *prepared) describe() string {
	text := fmt.Sprintf("%s; %s rows of %s values", p.about, thousands(p.Rows), thousands(p.Dim))
	if p.InputDim < p.Dim {
		text += fmt.Sprintf(", %d principal components of which are the input", p.InputDim)
	}
	if p.Labelled > 0 {
		text += fmt.Sprintf(", %d classes", p.Classes)
	}
	if p.Labelled > 0 && p.Labelled < p.Rows {
		text += fmt.Sprintf(" on %s rows", thousands(p.Labelled))
	}
	return text
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// thousands prints 70000 as 70,000.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// writeFurther writes what was measured on MNIST alone.
func (b *bench) writeFurther(w *bytes.Buffer) {
	var lines bytes.Buffer
	for _, dims := range []int{2, 10} {
		for _, m := range placers() {
			if r := b.results[splitName(dims, m)]; r != nil {
				fmt.Fprintf(&lines, "| placed, d = %d, %s | %.2f%% | %.2f%% | %.1f s | %.1f s |\n", dims, m.title,
					100*r.Figures[test1], 100*r.Figures[test9], r.Figures[embed], r.Figures[place])
			}
		}
	}
	for _, m := range placers() {
		if r := b.results[jointName(10, m)]; r != nil {
			fmt.Fprintf(&lines, "| joint, d = 10, %s | %.2f%% | %.2f%% | %.1f s | |\n", m.title, 100*r.Figures[test1], 100*r.Figures[test9], r.Figures[embed])
		}
	}
	if lines.Len() > 0 {
		fmt.Fprintf(w, `## New digits, and ten dimensions

The error of the 10,000 test digits of MNIST by their nearest training digits on the map. "Placed" digits come to a map
that was learnt from the 60,000 others (unfold embed; UMAP's transform); "joint" maps hold all. The input is the 50
principal components, of the training digits alone where test digits are placed.

| | 1-NN error | 9-NN error | embedding | placing |
|---|---|---|---|---|
%s
`, lines.String())
	}
	b.writeStability(w)
}

// writeStability writes the default map's figures in three dimensions and by seed.
func (b *bench) writeStability(w *bytes.Buffer) {
	var lines bytes.Buffer
	row := func(what, name string) {
		if r := b.results[name]; r != nil {
			fmt.Fprintf(&lines, "| %s | %s | %s | %s | %.1f s |\n", what, share(r.Figures[nn1]), share(r.Figures[nn9]), share(r.Figures[trust]), r.Figures[embed])
		}
	}
	row("d = 3", dims3Name)
	for seed := 1; seed <= seedCount; seed++ {
		row(fmt.Sprintf("d = %d, seed %d", seedDims, seed), seedName(seed))
	}
	n, compared := b.get(planeName, differ)
	if lines.Len() == 0 && !compared {
		return
	}
	w.WriteString("## Other dimensions, other seeds\n\nMNIST by the defaults.")
	switch {
	case compared && n == 0:
		w.WriteString(" In two dimensions these draw no random numbers: the maps of seeds 1 and 2 are equal to the last bit.")
	case compared:
		fmt.Fprintf(w, " In two dimensions the maps of seeds 1 and 2 differ in %s bytes.", thousands(int(n)))
	}
	w.WriteString("\n\n")
	if lines.Len() > 0 {
		fmt.Fprintf(w, "| | 1-NN | 9-NN | trustworthiness | embedding |\n|---|---|---|---|---|\n%s\n", lines.String())
	}
}

// writeSettings says how all was measured.
func (b *bench) writeSettings(w *bytes.Buffer) {
	fmt.Fprintf(w, `## How it is measured

- **Input**: the data, or their %d leading principal components if they have more values; the same file for all methods.
- **Seeds**: every method makes each map from seeds 1 to %d. Figures are medians. Their standard error is that of a mean
  over the seeds and that of the figure's own sample, together. The last row of a table has the largest of a column. A figure
  is first, and bold, if no other is ahead of it by more than two standard errors of their difference. Times and pictures are
  of seed 1.
- **R_NX**: how many of a point's K nearest the map keeps, beyond what a random one keeps, for all K: the area under that
  curve over log K (Lee, Peluffo, Verleysen 2015). **Recall 10, 30, 100**: the share of so many nearest that is kept.
- **Trustworthiness, continuity**: of %d neighbours. These and the two above are against the data themselves: of all points up
  to %s rows, else of a sample of %s (seed 1), ranked against all.
- **Shepard**: Spearman's correlation of the distances of pairs, **triplets**: the share of triples of points in which the map
  and the data agree on which of two is nearer to the third; of all, or of so many drawn that their errors are small.
  **Centroids**: Spearman's correlation of the distances between the classes' centroids. **True distances**: of distances on
  the map with those between the true places.
- **1-NN, 9-NN**: share of points whose label is the vote of their nearest labelled neighbours on the map, each left out
  in turn, with the binomial standard error. Of sets without labels, the root mean square error of the known numbers, each
  predicted by the mean of its neighbours, relative to its standard deviation (less is better; the mean over the numbers).
- **Embedding**: seconds from vectors in memory to the map, neighbour search included, with all libraries loaded and, of
  the peers, all code compiled by a rehearsal. **Whole**: seconds from the start of the process to the written map;
  of the peers with imports and compilation, as in a process that runs for the first time.
- unfold makes every map of the data sets' tables twice, and the two must be equal to the last bit.

| method | version | settings |
|---|---|---|
`, inputDims, seedCount, rankNeighbors, thousands(allPoints), thousands(samplePoints))
	for _, m := range methods() {
		version := "this one"
		if m.peer {
			version = b.version(m)
		}
		if version != "" {
			fmt.Fprintf(w, "| %s | %s | %s |\n", m.title, version, m.settings)
		}
	}
	w.WriteString(`
DREAMS (Kury, Kobak, Damrich, arXiv 2508.13747) is t-SNE that is held near an embedding of the whole: it minimises
(1-lambda) KL + lambda/n |Y - alpha R|^2 with alpha = |Y|/|R|. Its authors' program is a changed openTSNE, which no registry of
packages has. So its step is written here (bench/quality/dreams.py) around the gradient, the step sizes and the schedule of the
openTSNE in the table; with lambda 0 it gives openTSNE's own map, which a test holds. As in that program, lambda is .1, the
step towards R has it twice, momentum is of t-SNE alone, and the map starts from R, brought to deviation 1. R is made of the two
leading principal components, or by SQuad-MDS (Lambert, de Bodt, Verleysen, Lee 2022) as the authors do, with its
program's settings. Making R counts in the times.
`)
	w.WriteString("\nA part of it: `make quality ARGS=\"-only mnist,usps -keep\"`; its other flags: `make quality ARGS=-h`.\n")
}

// version returns the versions of a peer that its measurements are of.
func (b *bench) version(m method) string {
	var all []string
	for name, r := range b.results {
		if _, key, _ := strings.Cut(name, "/"); key == m.key {
			all = append(all, r.Version)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}
