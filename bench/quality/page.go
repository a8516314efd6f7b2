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
	if err := b.writeResults(); err != nil {
		return nil, err
	}
	targets := b.targets(sets)
	return count(targets), harness.WritePage(path, b.page(sets, targets, shown))
}

// writeResults writes the results from which the page is made next to it. Without a folder of
// earlier runs, only missing results must then be measured.
func (b *bench) writeResults() error {
	if b.beside == "" {
		return nil
	}
	if err := os.MkdirAll(b.beside, 0o777); err != nil {
		return err
	}
	for name, r := range b.results {
		if err := harness.WriteJSON(filepath.Join(b.beside, resultName(name)), r); err != nil {
			return err
		}
	}
	return nil
}

// page returns the whole page. shown are the pictures of each data set.
func (b *bench) page(sets []*prepared, targets []target, shown map[string]string) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, `# Quality

The maps of unfold compared with those of UMAP, PaCMAP, openTSNE and DREAMS. `+"`make quality`"+` (bench/quality) makes all maps from the same
vectors as given, one after the other, scores them with `+"`unfold score`"+`, and writes this page. Figures are medians of %d seeds; a figure is better
than another if it is ahead by more than two standard errors. %s

%s

Machine: %d cores, %s/%s, %s; %d threads for every method.

`, seedCount, b.ofRuns(), unseen(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, strings.Join(b.languages(), ", "), b.threads)
	b.writeMissing(&w)
	b.writeIncomplete(&w, sets)
	b.writeBusy(&w)
	b.writeFirsts(&w, sets)
	b.writeLosses(&w, sets)
	writeTargets(&w, targets)
	b.writeSettings(&w)
	w.WriteString("\n" + harness.Details + "## Targets\n\n")
	writeTargetLines(&w, targets)
	w.WriteString("## Data set by data set\n\n")
	for _, p := range sets {
		b.writeSet(&w, p, shown[p.name])
	}
	b.writeFurther(&w)
	return w.Bytes()
}

// ofRuns describes the number of runs behind the figures.
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

// languages returns the versions of Go and, for the peers' results, Python.
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

// writeMissing lists the data sets that are missing on the page.
func (b *bench) writeMissing(w *bytes.Buffer) {
	var names []string
	for _, d := range b.missing {
		names = append(names, d.title)
	}
	if len(names) > 0 {
		fmt.Fprintf(w, "**Left out, since their files are missing: %s.**\n\n", strings.Join(names, ", "))
	}
}

// writeIncomplete lists missing maps, and maps with few seeds.
func (b *bench) writeIncomplete(w *bytes.Buffer, sets []*prepared) {
	var none, lacks []string
	few := 0
	of := map[string][]string{}
	for _, p := range sets {
		if text := b.lacking(p); text != "" {
			if of[text] == nil {
				lacks = append(lacks, text)
			}
			of[text] = append(of[text], p.title)
		}
		for _, m := range methods() {
			if b.results[mapName(p.name, m.key, 1)] != nil && b.fewer(p.name, m) != "" {
				few++
			}
		}
	}
	for _, text := range lacks {
		none = append(none, strings.Join(of[text], ", ")+" "+text)
	}
	if none != nil {
		fmt.Fprintf(w, "**Not measured: %s.** A set without all peers has no first and counts in no mean.\n\n", strings.Join(none, "; "))
	}
	if few > 0 {
		fmt.Fprintf(w, "**%d rows of the tables are of fewer than %d seeds**, and are marked. Their standard error does not include the seeds, so their ranks may\nchange.\n\n", few, seedCount)
	}
}

// lacking lists the missing maps of a set.
func (b *bench) lacking(p *prepared) string {
	var ours, peers []string
	all := 0
	for _, m := range methods() {
		switch {
		case !m.takes(p):
			continue
		case b.results[mapName(p.name, m.key, 1)] != nil:
		case m.peer:
			peers = append(peers, m.title)
		default:
			ours = append(ours, strings.ReplaceAll(m.title, ", ", " with "))
		}
		all++
	}
	if len(ours)+len(peers) == all {
		return "by any"
	}
	if n := len(contest(byDefault)) - 1; len(peers) == n {
		peers = []string{"any other program"}
	}
	if ours = append(ours, peers...); ours == nil {
		return ""
	}
	return "by " + strings.Join(ours, ", ")
}

// fewer describes the number of seeds of a method's maps, if not all.
func (b *bench) fewer(set string, m method) string {
	n := 0
	for seed := 1; seed <= seedCount; seed++ {
		if b.results[mapName(set, m.key, seed)] != nil {
			n++
		}
	}
	switch n {
	case seedCount:
		return ""
	case 1:
		return " (1 seed)"
	}
	return fmt.Sprintf(" (%d seeds)", n)
}

// seconds formats a time for the tables.
func (r *result) seconds(key string) string {
	switch v, known := r.Figures[key]; {
	case !known:
		return ""
	case !r.quiet():
		return harness.Busy
	default:
		return fmt.Sprintf("%.1f s", v)
	}
}

// writeBusy explains that times are omitted, and how to measure them.
func (b *bench) writeBusy(w *bytes.Buffer) {
	n, of := 0, 0
	for name, r := range b.results {
		if _, known := r.Figures[whole]; known && !strings.Contains(name, seedMark) {
			if of++; !r.quiet() {
				n++
			}
		}
	}
	if n > 0 {
		fmt.Fprintf(w, `**Times of %d maps of %d are left out as "%s"**: other processes took more than %.0f %% of the processors, or nothing was
timed. `+"`make quality ARGS=\"-only times\"`"+` makes these maps again. The other figures do not depend on it.

`, n, of, harness.Busy, 100*harness.Quiet)
	}
}

func writeTargets(w *bytes.Buffer, targets []target) {
	verdicts := count(targets)
	fmt.Fprintf(w, "## Targets\n\n%d of %d targets are met, %d are missed", verdicts[harness.Met], len(targets), verdicts[harness.Missed])
	if n := verdicts[harness.NotMeasured]; n > 0 {
		fmt.Fprintf(w, ", **%d are not measured**", n)
	}
	if n := verdicts[harness.Busy]; n > 0 {
		fmt.Fprintf(w, ", %d left to a quiet machine", n)
	}
	w.WriteString(". Those that are missed:\n\n")
	writeTargetLines(w, slices.DeleteFunc(slices.Clone(targets), func(x target) bool { return x.verdict() != harness.Missed }))
}

// writeTargetLines writes the table of targets.
func writeTargetLines(w *bytes.Buffer, targets []target) {
	w.WriteString("| what | target | measured | |\n|---|---|---|---|\n")
	for _, x := range targets {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", x.what, x.limit().String(), x.measured(), x.verdict())
	}
	w.WriteString("\n")
}

// share formats a figure for the tables.
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
		r := b.results[mapName(p.name, m.key, 1)]
		title := m.title
		if r.Input != "" {
			title += ", " + r.Input
		}
		fmt.Fprintf(w, "| %s%s |", title, b.fewer(p.name, m))
		for _, f := range columns {
			fmt.Fprintf(w, " %s |", b.cell(p, rows, m, f))
		}
		fmt.Fprintf(w, " %s | %s |\n", r.seconds(embed), r.seconds(whole))
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

// cell formats a figure for a table, in bold if it is the best of the rows.
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

// describe describes the rows and their number.
func (p *prepared) describe() string {
	text := fmt.Sprintf("%s; %s rows of %s values", p.about, thousands(p.Rows), thousands(p.Dim))
	if p.metric != "" {
		text += ", " + p.metric + " distance"
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

// writeFurther writes the further figures on MNIST.
func (b *bench) writeFurther(w *bytes.Buffer) {
	var lines bytes.Buffer
	for _, dims := range []int{2, 10} {
		for _, m := range placers() {
			if r := b.results[splitName(dims, m)]; r != nil {
				fmt.Fprintf(&lines, "| placed, d = %d, %s | %.2f%% | %.2f%% | %s | %s |\n", dims, m.title,
					100*r.Figures[test1], 100*r.Figures[test9], r.seconds(embed), r.seconds(place))
			}
		}
	}
	for _, m := range placers() {
		if r := b.results[jointName(10, m)]; r != nil {
			fmt.Fprintf(&lines, "| joint, d = 10, %s | %.2f%% | %.2f%% | %s | |\n", m.title, 100*r.Figures[test1], 100*r.Figures[test9], r.seconds(embed))
		}
	}
	if lines.Len() > 0 {
		fmt.Fprintf(w, `## New digits, and ten dimensions

The error of the 10,000 test digits of MNIST by their nearest training digits on the map. "Placed" digits come to a map
that was learnt from the 60,000 others (unfold embed; UMAP's transform); "joint" maps hold all. The input is the
784 grey values.

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
			fmt.Fprintf(&lines, "| %s | %s | %s | %s | %s |\n", what, share(r.Figures[nn1]), share(r.Figures[nn9]), share(r.Figures[trust]), r.seconds(embed))
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
