package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/budget"
	"unfold/models/fit"
	"unfold/models/snapshot"
)

type fitCmd struct {
	In        []string `arg:"" name:"in" help:"Files, patterns such as 'day-*.parquet', or - for standard input."`
	Output    string   `short:"o" placeholder:"MODEL" help:"Where the model goes, such as data.unfold."`
	Map       string   `placeholder:"FILE" help:"Where the map goes: one row for each that was read, in their order. The file extension sets the format."`
	Report    string   `placeholder:"FILE" help:"Where statistics of the fit go, as one JSON object."`
	LabelFile []string `group:"columns" placeholder:"FILE" help:"Labels beside the inputs, one file for each, in their order."`
	Classify  bool     `group:"columns" help:"Learn to predict classes from the places of the labelled rows: embed writes the class of every row, with its probability."`
	textFlags
	budgetFlags
	settingFlags
}

func (fitCmd) Help() string {
	return `Learns a map and writes it as a model, on which other rows can be placed, and with --map as a table.

Formats, recognised by content: .arrow .arrows .feather .ipc .parquet .csv[.gz] .npy .npz[:ARRAY] .idx[.gz].

    unfold fit data.parquet -o data.unfold --map map.parquet
    unfold fit flows.csv.gz --columns '*' --log1p --standardize --label attack -o flows.unfold --map flows.parquet
    unfold fit train-images-idx3-ubyte.gz --label-file train-labels-idx1-ubyte.gz -o digits.unfold --map digits.parquet
    unfold fit data.parquet --dry-run --memory 2GiB`
}

func (c *fitCmd) Run(ctx context.Context, p *program) error {
	begin, base := time.Now(), startBytes()
	settings, err := settingsOf(c.values, fitKeys)
	if err != nil {
		return err
	}
	if err := checkModel(settings.Model); err != nil {
		return err
	}
	spec := settings.Model.Spec()
	limit, err := c.limit()
	if err != nil {
		return err
	}
	read, err := c.request(p, settings)
	if err != nil {
		return err
	}
	inputs, err := c.paths(read.Mapping, settings)
	if err != nil {
		return err
	}
	_, collects := p.env("GOGC")
	_, limits := p.env("GOMEMLIMIT")
	if !collects {
		defer budget.Collect(limit)()
	}
	job := budget.Job{Spec: spec, Scored: c.Report != "", Base: base}
	if c.DryRun || limit > 0 {
		s, known, err := survey(ctx, p, inputs, read, c.DryRun)
		if err != nil {
			return err
		}
		if c.DryRun {
			return c.dryRun(ctx, p, inputs, s, job, limit)
		}
		if known { // a refusal need not wait for the rows
			job.Rows, job.Dim, job.Kept = s.rows, s.dim, s.kept
			if _, err := plan(job, limit); isRefusal(err) {
				return err
			}
		}
	}

	clock := newClock()
	data, err := readAll(ctx, p, inputs, read)
	if err != nil {
		return err
	}
	clock.lap("read")
	if err := checkPCA(spec, data.X.Cols); err != nil {
		return err
	}
	if c.Map != "" {
		if err := p.noteHeld(c.Map, &emit.Output{ID: data.ID, Kept: data.Kept}); err != nil {
			return err
		}
	}
	var dominant *ingest.Dominant
	if d, found := ingest.FindDominant(data.X, data.Encoder.Names()); found {
		dominant = &d
		p.note("%v", d)
	}
	job.Rows, job.Dim, job.Kept = data.X.Rows, data.X.Cols, keptBytes(read)
	predicted, err := c.predict(ctx, p, job, limit)
	if err != nil {
		return err
	}
	if len(predicted.Changed) > 0 {
		spec = predicted.Spec
	}
	if limit == 0 && !collects && !limits {
		// What is promised is held: a collection that comes late would take more.
		defer budget.Collect(predicted.Bytes())()
	}
	clock.lap("predict")
	x := data.X
	if !job.Scored {
		data.X = vec.Matrix[float32]{} // not needed any longer once it is projected
	}
	snap, result, err := fit.Fit(ctx, x, spec, p.progress.Update)
	if err != nil {
		return fitError(inputs, err)
	}
	clock.lap("fit")
	p.progress.Stage("write", "", 0)
	if snap.Encoder, err = json.Marshal(data.Encoder); err != nil {
		return err
	}
	snap.Names = data.Encoder.Names()
	var told classes
	if c.Classify {
		if told, err = learnClasses(ctx, snap, result.Placed, data.Label, spec.Threads); err != nil {
			return table.InFile(inputs[0], err)
		}
		clock.lap("classes")
	}
	if snap.MapID, err = snap.ContentID(); err != nil {
		return err
	}
	done := fitted{data: data, snap: snap, result: result, told: told, model: settings.Model, predicted: predicted, dominant: dominant}
	if err := c.write(ctx, p, done, clock, begin); err != nil {
		return err
	}
	p.progress.End()
	c.tell(p, snap, result, time.Since(begin))
	return nil
}

// checkModel says what is wrong with the model's settings, as flags. An error of several
// settings together names the kind and them.
func checkModel(m config.Model) error {
	problem, wrong := m.Problem()
	if !wrong {
		return nil
	}
	if _, one := config.Find(problem.Key); !one {
		return usagef("%s", problem.Message)
	}
	return usagef("--%s: %s", flagName(problem.Name()), problem.Message)
}

// paths checks where the rows come from and the results go, and returns the inputs.
func (c *fitCmd) paths(m ingest.Mapping, settings *config.Config) ([]string, error) {
	if c.Map != "" {
		if _, _, err := emit.FormatOf(c.Map); err != nil {
			return nil, &usageError{err: fmt.Errorf("--map: %w", err)}
		}
		if err := c.checkMap(m, settings); err != nil {
			return nil, &usageError{err: err}
		}
	}
	switch {
	case c.Output == "" && !c.DryRun:
		return nil, &usageError{err: errors.New("missing flags: --output=MODEL"), hint: "see unfold fit --help"}
	case c.Output == "-":
		return nil, usagef("--output: a model goes to a file")
	case c.Map == "-" && c.Report == "-":
		return nil, usagef("only one of --map and --report can go to standard output")
	}
	inputs, err := input.Expand(c.In)
	if err != nil {
		return nil, err
	}
	files := []named{{"--output", c.Output}, {"--map", c.Map}, {"--report", c.Report}}
	if err := checkDifferent(files, inputs, c.LabelFile); err != nil {
		return nil, err
	}
	if !c.DryRun {
		if err := checkWritable(c.Output, c.Map, c.Report); err != nil {
			return nil, err
		}
	}
	return inputs, nil
}

// fitted is what a fit has come to.
type fitted struct {
	data      *ingest.Dataset
	snap      *snapshot.Snapshot
	result    *fit.Result
	told      classes
	model     config.Model
	predicted forecast
	dominant  *ingest.Dominant // nil: no column is
}

// write writes the model, and the map and the report that are asked for: all of them
// appear, or none.
func (c *fitCmd) write(ctx context.Context, p *program, f fitted, clock *clock, begin time.Time) error {
	outputs := &transaction{stdout: p.Stdout}
	defer outputs.abort()
	if err := outputs.write(c.Output, func(w io.Writer) error { return snapshot.Write(w, f.snap) }); err != nil {
		return err
	}
	if c.Map != "" {
		if err := outputs.writeMap(c.Map, mapOf(f.data, f.snap, f.result, f.told)); err != nil {
			return err
		}
	}
	clock.lap("write")
	if c.Report != "" {
		report, err := newReport(ctx, p, f.data, f.model, f.result, f.predicted)
		if err != nil {
			return err
		}
		report.Left, report.Dominant = f.data.Left, f.dominant
		report.times(clock, f.result, time.Since(begin))
		if err := outputs.write(c.Report, report.write); err != nil {
			return err
		}
	}
	return outputs.commit()
}

// request says what is to be read.
func (c *fitCmd) request(p *program, settings *config.Config) (ingest.ReadOptions, error) {
	var o ingest.ReadOptions
	var err error
	if o.Options, err = c.textFlags.options(p); err != nil {
		return o, err
	}
	if o.Mapping, err = mapping(settings.Source.Columns); err != nil {
		return o, err
	}
	if kind, err := fit.Find(settings.Model.Kind); err == nil {
		o.Mapping.Missing = kind.Missing && settings.Source.Missing == "auto"
	}
	if len(c.LabelFile) > 0 && o.Mapping.Label != "" {
		return o, usagef("labels come both from --label and from --label-file; keep one of them")
	}
	o.LabelFiles = c.LabelFile
	if c.Classify {
		if len(c.LabelFile) == 0 && o.Mapping.Label == "" {
			return o, usagef("--classify: name the labels by --label or --label-file")
		}
		if err := emit.CheckClasses(append([]string{o.Mapping.Label}, o.Mapping.Keep...)); err != nil {
			return o, &usageError{err: err}
		}
	}
	return o, nil
}

// checkMap says which column that is kept would share its name with one of the map's own.
func (c *fitCmd) checkMap(m ingest.Mapping, settings *config.Config) error {
	keep := append([]string{m.Label}, m.Keep...)
	if slices.Contains(keep, UnlearntName) && settings.Model.Components == "largest" {
		return fmt.Errorf("column %q cannot be kept: with --components largest the map has a column of that name itself; rename it in the input", UnlearntName)
	}
	return emit.CheckText(c.Map, keep)
}

// UnlearntName is the column of a map that flags rows which were placed and not
// learnt; it is there only if there are any.
const UnlearntName = "unlearnt"

// mapOf is the map as a table: a row for each that was read.
func mapOf(data *ingest.Dataset, s *snapshot.Snapshot, r *fit.Result, told classes) *emit.Output {
	if r.Unlearnt != nil {
		data.Kept = append(data.Kept, table.BoolColumn(UnlearntName, r.Unlearnt))
	}
	return &emit.Output{
		ID: data.ID, Kept: data.Kept, Embedding: r.Placed.Mu, Sigma: r.Placed.Sigma,
		NoveltyLocal: r.Placed.NoveltyLocal, NoveltyGlobal: r.Placed.NoveltyGlobal, Epoch: s.Epoch, Version: s.Version, MapID: s.MapID,
		Class: told.class, Probability: told.probability,
	}
}

// tell says what was done and where to look. Where an output goes to standard
// output, it says so on standard error.
func (c *fitCmd) tell(p *program, s *snapshot.Snapshot, r *fit.Result, took time.Duration) {
	w := p.Stdout
	if c.Map == "-" || c.Report == "-" {
		w = p.Stderr
	}
	rep := r.Report
	fmt.Fprintf(w, "%s learnt from %s", c.Output, humanize.Plural(rep.N, "row"))
	if rep.Unique != rep.N {
		fmt.Fprintf(w, " (%s distinct)", humanize.Count(rep.Unique))
	}
	fmt.Fprintf(w, " of %s in %s\n", humanize.Plural(s.Dim, "value"), humanize.Span(took))
	if len(r.Constant) > 0 {
		fmt.Fprintf(w, "%s left out, the same in all rows: %s\n", humanize.Plural(len(r.Constant), "column"), columnNames(s.Names, r.Constant))
	}
	if n := countTrue(r.Unlearnt); n > 0 && s.Kind != fit.LVM {
		fmt.Fprintf(w, "%s learnt, the others placed by them\n", humanize.Plural(rep.N-n, "row"))
	} else if n > 0 {
		fmt.Fprintf(w, "%s outside of the largest part of the neighbour graph (of %s) were placed, not learnt\n", humanize.Plural(n, "row"), humanize.Count(rep.Components))
	}
	if c.Map != "" && c.Map != "-" {
		color := "" // plot takes a column of the name label by itself
		if label := c.values()["source.label"]; label != "" && label != ingest.LabelName && filepath.Ext(c.Map) != ".npy" {
			color = " --color " + label
		}
		fmt.Fprintf(w, "%s holds the map; to see it: unfold plot %s -o map.png%s\n", c.Map, c.Map, color)
	}
}

// columnNames lists columns of vectors by name, or by number, the first of many.
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
	return strings.Join(list, ", ")
}
