package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/input"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/budget"
	"unfold/models/fit"
	"unfold/sparse"
	"unfold/sparse/knn/auto"
)

type budgetFlags struct {
	DryRun bool   `help:"Only predict memory and time. Nothing is written."`
	Memory string `placeholder:"SIZE" help:"Most memory to take, such as 2GiB: a number of bytes, or with a unit. Open settings (level, coarse) are chosen to stay within it. If not all rows fit, a sample is learnt, and the others are placed on its map; if fewer than 2000 fit, the exit code is 1."`
}

// limit returns --memory in bytes, 0 if it is not set.
func (b budgetFlags) limit() (int64, error) {
	if b.Memory == "" {
		return 0, nil
	}
	var s config.Size
	if err := s.UnmarshalText([]byte(b.Memory)); err != nil {
		return 0, usagef("--memory: %v", err)
	}
	return int64(s), nil
}

// forecast is a plan with its predicted time. The time is 0 if it was not requested.
type forecast struct {
	budget.Plan
	seconds float64
}

// startBytes estimates the program's memory when it starts to work on data: its peak so far, plus
// code and buffers that it has not used yet.
func startBytes() int64 {
	const untouched = 14 << 20
	_, peak := usage()
	return peak + untouched
}

// plan plans a fit. A limit of 0 bytes means no limit.
func plan(j budget.Job, limit int64) (budget.Plan, error) {
	if limit == 0 {
		return budget.New(j)
	}
	out, err := budget.Within(j, limit)
	var little *budget.TooLittle
	if errors.As(err, &little) {
		return out, refusal(little)
	}
	return out, err
}

// isRefusal reports whether err rejects a plan for its memory, rather than for invalid settings.
func isRefusal(err error) bool {
	var r *refused
	return errors.As(err, &r)
}

// predict plans a fit of known rows and reports its predicted memory and time. Invalid settings are
// left to the fit, which reports them itself. The time is predicted only if it will be reported.
func (c *fitCmd) predict(ctx context.Context, p *program, j budget.Job, d *ingest.Dataset, limit int64) (f forecast, err error) {
	f.Plan, err = plan(j, limit)
	switch {
	case isRefusal(err):
		return f, err
	case err != nil, p.progress == nil && c.Report == "":
		return f, nil
	}
	if d.Sparse != nil && f.Plan.SparseTimed() {
		f, err = foreseeSparse(ctx, f.Plan, d.Sparse)
	} else {
		f, err = foresee(ctx, f.Plan, d.X)
	}
	if err == nil {
		p.say(f.line())
	}
	return f, err
}

// say writes a status line, unless --quiet is set.
func (p *program) say(line string) {
	if p.progress != nil {
		p.progress.End()
		fmt.Fprintln(p.Stderr, line)
	}
}

// foresee predicts the time of a plan. It uses the rows if they have been read.
func foresee(ctx context.Context, p budget.Plan, x vec.Matrix[float32]) (forecast, error) {
	if !p.Timed() {
		return forecast{Plan: p}, nil
	}
	speed, err := budget.Measure(ctx, p, x)
	if err != nil {
		return forecast{}, err
	}
	return forecast{p, p.Seconds(speed)}, nil
}

// foreseeSparse is foresee for sparse rows.
func foreseeSparse(ctx context.Context, p budget.Plan, a *sparse.Rows) (forecast, error) {
	speed, err := budget.MeasureSparse(ctx, p, a)
	if err != nil {
		return forecast{}, err
	}
	return forecast{p, p.Seconds(speed)}, nil
}

// refused is the error of a fit that would exceed its memory limit.
type refused struct{ text string }

func (r *refused) Error() string { return r.text }

// refusal returns an error with the memory that the fit needs and the settings that reduce it.
func refusal(e *budget.TooLittle) error {
	p := e.Plan
	advice := []string{"give --memory " + roomFor(e.Need)}
	if e.Rows > 10*p.Lists {
		advice = append(advice, "take at most "+humanize.Count(rounded(e.Rows))+" rows")
	}
	if p.Scored {
		advice = append(advice, "leave out --report, which compares the map with its input")
	}
	if p.Seen > fit.DefaultPCA {
		advice = append(advice, fmt.Sprintf("project the vectors with --pca %d", fit.DefaultPCA))
	}
	return &refused{fmt.Sprintf("--memory: to learn from %s of %s takes about %s, %s is too little; %s",
		humanize.Plural(p.Rows, "row"), humanize.Plural(p.Dim, "value"), humanize.Bytes(e.Need), humanize.Bytes(e.Limit), strings.Join(advice, ", or "))}
}

// roomFor formats n bytes, rounded up, in the syntax of --memory.
func roomFor(n int64) string {
	const unit = 1 << 20
	return fmt.Sprintf("%dMiB", (n+unit-1)/unit)
}

// rounded rounds n down to its first two digits.
func rounded(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}

// line formats a forecast in one line.
func (f forecast) line() string {
	if f.seconds == 0 {
		return fmt.Sprintf("predicted: %s of memory (%s of %s, kind %s)", humanize.Bytes(f.Bytes()), humanize.Plural(f.Rows, "row"), humanize.Plural(f.Seen, "value"), f.Spec.Kind)
	}
	if f.Spec.Kind != fit.LVM {
		return fmt.Sprintf("predicted: %s of memory, at most %s (%s of %s, kind %s)", humanize.Bytes(f.Bytes()), humanize.Span(f.duration()), humanize.Plural(f.Rows, "row"), humanize.Plural(f.Seen, "value"), f.Spec.Kind)
	}
	return fmt.Sprintf("predicted: %s of memory, %s (%s of %s, %s search, against %s, %s)%s",
		humanize.Bytes(f.Bytes()), humanize.Span(f.duration()), humanize.Plural(f.Rows, "row"), humanize.Plural(f.Seen, "value"),
		f.Search, against(f.Plan), humanize.Plural(f.Steps, "step"), because(f.Plan))
}

func (f forecast) duration() time.Duration { return time.Duration(f.seconds * float64(time.Second)) }

// because describes the settings that --memory changed.
func because(p budget.Plan) string {
	if len(p.Changed) == 0 {
		return ""
	}
	return "; chosen for the memory: " + strings.Join(p.Changed, ", ")
}

// placedBy names the search that places new points.
func placedBy(p budget.Plan) string {
	if p.Index == auto.HNSW && p.Spec.Search.Method != auto.HNSW {
		return "cells, or by an HNSW index where these find too little"
	}
	return p.Index.String() + " search"
}

// against names the points that each point is repelled from.
func against(p budget.Plan) string {
	switch {
	case p.Coarse == models.CoarseAll, p.Coarse == models.CoarseInput && p.Level == 0:
		return "all points"
	case p.Coarse == models.CoarseInput:
		return fmt.Sprintf("landmarks in the input at level %d", p.Level)
	case p.Coarse == models.CoarseShared:
		return "random points that 64 share"
	}
	return "cells of the map"
}

// tellPlan prints a plan for --dry-run.
func (c *fitCmd) tellPlan(p *program, f forecast, s surveyed) {
	values := humanize.Plural(f.Dim, "value")
	if f.Entries > 0 {
		values += ", " + sparseWords(f.Rows, f.Entries)
	}
	if f.Seen != f.Dim {
		values += ", projected onto "
		if f.Fewer {
			values += "at most "
		}
		values += humanize.Plural(f.Seen, "principal component")
	}
	rows := humanize.Count(s.rows)
	if f.Rows < s.rows {
		rows += fmt.Sprintf(", of which %s are learnt and the others placed", humanize.Count(f.Rows))
	}
	if len(s.unknown) > 0 {
		rows += " (unknown until read: " + strings.Join(s.unknown, ", ") + ")"
	}
	p.printf("rows         %s\n", rows)
	p.printf("vectors      %s\n", values)
	if f.Spec.Kind != fit.LVM {
		p.printf("kind         %s\n", f.Spec.Kind)
		p.printf("neighbours   %d listed, by %s search\n", f.Lists, f.Search)
		p.printf("memory       about %s%s\n", humanize.Bytes(f.Bytes()), because(f.Plan))
		if f.seconds > 0 {
			p.printf("time         at most about %s after reading\n", humanize.Span(f.duration()))
		}
		p.printf("this was a dry run: nothing is learnt, nothing is written\n")
		return
	}
	p.printf("neighbours   %d listed, %d similar, by %s search\n", f.Lists, f.Neighbors, f.Search)
	p.printf("new points   placed by %s\n", placedBy(f.Plan))
	p.printf("held against %s\n", against(f.Plan))
	p.printf("steps        %d\n", f.Steps)
	p.printf("memory       about %s%s\n", humanize.Bytes(f.Bytes()), because(f.Plan))
	if f.seconds > 0 {
		p.printf("time         about %s after reading\n", humanize.Span(f.duration()))
	}
	p.printf("this was a dry run: nothing is learnt, nothing is written\n")
}

// dryRun prints the plan of a fit without running it.
func (f *fitRun) dryRun(ctx context.Context, s surveyed) (err error) {
	j := f.job
	j.Rows, j.Dim, j.Entries, j.Kept = s.rows, s.dim, s.entries, s.kept
	if err := checkPCA(j.Spec, s.dim); err != nil {
		return err
	}
	if j.Rows, err = f.most(j); err != nil {
		return fitError(f.inputs, err)
	}
	if j.Rows < s.rows { // the second pass places all rows
		j.Others = s.rows
	}
	planned, err := plan(j, f.limit)
	if err != nil {
		return fitError(f.inputs, err)
	}
	seen, err := f.foreseen(ctx, planned)
	if err != nil {
		return err
	}
	f.p.progress.End()
	f.p.noteLeft(s.left)
	f.p.warn(seen.Spec.Warnings(seen.Rows)...)
	f.tellPlan(f.p, seen, s)
	return nil
}

// foreseen predicts the time of a plan. It reads sparse rows for that, since their time depends on the
// columns that they share.
func (f *fitRun) foreseen(ctx context.Context, planned budget.Plan) (forecast, error) {
	if !planned.SparseTimed() || slices.ContainsFunc(f.inputs, input.ReadOnce) {
		return foresee(ctx, planned, vec.Matrix[float32]{})
	}
	if f.limit > 0 {
		f.read.Most, f.read.Seed = f.draw, f.job.Spec.Seed
	}
	d, err := readAll(ctx, f.p, f.inputs, f.read)
	if err != nil {
		return forecast{}, err
	}
	if d.Sparse == nil {
		return foresee(ctx, planned, d.X)
	}
	return foreseeSparse(ctx, planned, d.Sparse)
}

// checkPCA returns a usage error if there are more components than values.
func checkPCA(spec fit.Spec, dim int) error {
	if spec.PCA > dim {
		return usagef("--pca: %d principal components of %s; give at most that, or none", spec.PCA, humanize.Plural(dim, "value"))
	}
	return nil
}
