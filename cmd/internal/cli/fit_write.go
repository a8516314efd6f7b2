package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/models/ep/labels"
	"unfold/models/fit"
	"unfold/models/snapshot"
)

// write writes the model and the requested map and report. Either all of them appear, or none.
func (f *fitRun) write(ctx context.Context) (err error) {
	outputs := &transaction{stdout: f.p.Stdout}
	defer outputs.abort()
	if f.Map != "" && f.data.Drawn != nil {
		if err := f.writeBoth(ctx, outputs); err != nil {
			return err
		}
	} else if err := f.writeLearnt(outputs); err != nil {
		return err
	}
	f.clock.lap("write")
	if f.Report != "" {
		f.leave()
		report := newReport(f.p, f.snap.Dim, f.model, f.result, f.predicted)
		report.Projection = f.components
		if f.edges == nil { // nodes of a graph have no vectors to score against
			if report.mapScores, err = f.scores(ctx); err != nil {
				return err
			}
		}
		if report.Placed, err = f.beyond.report(ctx); err != nil {
			return err
		}
		report.rowsReport, report.Frame = f.about, f.given
		report.times(f.clock, f.result, time.Since(f.begin))
		if err := outputs.write(f.Report, report.write); err != nil {
			return err
		}
	}
	if err := outputs.commit(); err != nil {
		return err
	}
	return f.rest.remove()
}

// writeLearnt writes the model, and the map of the rows that were learnt.
func (f *fitRun) writeLearnt(outputs *transaction) error {
	if err := f.writeModel(outputs); err != nil || f.Map == "" {
		return err
	}
	return outputs.writeMap(f.Map, mapOf(f.data, f.snap, f.result, f.classes, f.groups, f.Numbers))
}

// writeModel writes the model, if it is requested.
func (f *fitRun) writeModel(outputs *transaction) error {
	if f.Output == "" {
		return nil
	}
	return outputs.write(f.Output, func(w io.Writer) error { return snapshot.Write(w, f.snap) })
}

// leave frees the model after it was written. The summary needs only a few of its fields.
func (f *fitRun) leave() {
	f.snap = &snapshot.Snapshot{Kind: f.snap.Kind, Dim: f.snap.Dim, Names: f.snap.Names}
	if f.predicted.SetsAside() || f.predicted.Large() {
		debug.FreeOSMemory()
	}
}

// UnlearntName is the column of a map that marks rows which were placed but not learnt. It exists
// only if there are such rows.
const UnlearntName = "unlearnt"

// mapOf returns the map as a table with a row for each row read. If numbered is set, it has a
// column of point numbers.
func mapOf(data *ingest.Dataset, s *snapshot.Snapshot, r *fit.Result, c *labels.Predicted, g *grouping, numbered bool) *emit.Output {
	if r.Unlearnt != nil {
		data.Kept = append(data.Kept, table.BoolColumn(UnlearntName, r.Unlearnt))
	}
	if numbered {
		data.Kept = append(data.Kept, pointColumn(r.Row))
	}
	data.Kept = append(data.Kept, g.columns()...)
	out := &emit.Output{
		ID: data.ID, Kept: data.Kept, Embedding: r.Placed.Mu, Sigma: r.Placed.Sigma,
		NoveltyLocal: r.Placed.NoveltyLocal, NoveltyGlobal: r.Placed.NoveltyGlobal, Epoch: s.Epoch, Version: s.Version, MapID: s.MapID,
	}
	addClasses(out, c)
	return out
}

// joins formats the number of edges that join components, with the verb.
func joins(edges int) string {
	if edges == 1 {
		return "1 edge joins"
	}
	return humanize.Count(edges) + " edges join"
}

// summarize prints the results and the files to look at. It prints to standard error if an output
// goes to standard output.
func (f *fitRun) summarize(took time.Duration) {
	w, s, r := f.p.people(), f.snap, f.result
	if f.Map == "-" || f.Report == "-" {
		w = f.p.Stderr
	}
	rep := r.Report
	fmt.Fprintf(w, "%s learnt from ", f.written())
	if d := f.data.Drawn; d != nil {
		fmt.Fprintf(w, "%s of %s", humanize.Count(rep.N), humanize.Plural(d.Of, "row"))
	} else {
		fmt.Fprint(w, humanize.Plural(rep.N, "row"))
	}
	if rep.Unique != rep.N {
		fmt.Fprintf(w, " (%s distinct)", humanize.Count(rep.Unique))
	}
	if f.edges != nil {
		fmt.Fprintf(w, ", the nodes of a graph%s, in %s\n", inParts(rep.Components), humanize.Span(took))
	} else {
		fmt.Fprintf(w, " of %s in %s\n", humanize.Plural(s.Dim, "value"), humanize.Span(took))
	}
	if n := len(rep.Bridges); n > 0 && f.edges == nil {
		fmt.Fprintf(w, "%s otherwise separate parts: the neighbour graph has %s; --report names the rows\n", joins(n), humanize.Plural(rep.Components, "part"))
	}
	if f.given != nil {
		fmt.Fprintf(w, "%v\n", f.given)
	}
	if len(r.Constant) > 0 {
		fmt.Fprintf(w, "%s left out, the same in all rows: %s\n", humanize.Plural(len(r.Constant), "column"), columnNames(s.Names, r.Constant))
	}
	if n := countTrue(r.Unlearnt); n > 0 && s.Kind != fit.LVM {
		fmt.Fprintf(w, "%s learnt, the others placed by them\n", humanize.Plural(rep.N-n, "row"))
	} else if n > 0 {
		fmt.Fprintf(w, "%s outside of the largest part of the neighbour graph (of %s) were placed, not learnt\n", humanize.Plural(n, "row"), humanize.Count(rep.Components))
	}
	if f.Map != "" && f.Map != "-" {
		color := "" // plot uses a column named label by default
		if label := cmp.Or(f.values()[labelKey], f.Supervise, f.read.Mapping.Label); label != "" && label != ingest.LabelName && filepath.Ext(f.Map) != ".npy" {
			color = " " + ingest.Flags([]ingest.Setting{{Name: "color", Value: label}})
		} else if label == "" && len(f.LabelFile) == 0 && f.groups != nil {
			color = " --color " + emit.ClusterName
		}
		if f.groups != nil {
			f.groups.report.head(w)
		}
		fmt.Fprintf(w, "%s holds the map; to see it: unfold plot %s -o map.png%s\n", f.Map, f.Map, color)
	}
}

// columnNames lists columns of vectors by name or number. It shortens long lists.
func columnNames(names []string, columns []int) string {
	const most = 8
	var list []string
	for _, j := range columns[:min(most, len(columns))] {
		if j < len(names) {
			list = append(list, names[j])
		} else {
			list = append(list, fmt.Sprintf("element %d", j))
		}
	}
	if len(columns) > most {
		list = append(list, fmt.Sprintf("and %d more", len(columns)-most))
	}
	return table.List(list)
}

// pointIDs returns the ids of n points. A point has the id of its last row. Rows without ids are
// numbered from 0 in the map, and a point has the number of its first row. The result is nil if
// these numbers equal the numbers of the points.
func pointIDs(id table.Column, point []int32, n int) []string {
	if !id.Valid() && len(point) == n {
		return nil
	}
	out := make([]string, n)
	for row, p := range point {
		if id.Valid() {
			out[p] = id.Text(row)
		} else if out[p] == "" {
			out[p] = strconv.Itoa(row)
		}
	}
	return out
}

// isRowNumbers reports whether ids are ascending row numbers, which pointIDs assigns to rows
// without ids.
func isRowNumbers(ids []string) bool {
	last := -1
	for _, id := range ids {
		row, err := strconv.Atoi(id)
		if err != nil || row <= last {
			return false
		}
		last = row
	}
	return true
}
