package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/budget"
	"unfold/models/fit"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
)

type fitCmd struct {
	In        []string `arg:"" name:"in" help:"Files, folders of files, patterns such as 'day-*.parquet', addresses (s3://, https://), or - for standard input."`
	Output    string   `short:"o" placeholder:"MODEL" help:"Where the model goes, such as data.unfold."`
	Map       string   `placeholder:"FILE" help:"Where the map goes: one row for each that was read, in their order. The file extension sets the format."`
	Report    string   `placeholder:"FILE" help:"Where statistics of the fit go, as one JSON object."`
	Exact     bool     `name:"report-exact" rare:"" help:"The report compares the map with the input row by row; else, of many rows, it compares a sample, with standard errors."`
	Numbers   bool     `rare:"" help:"The map gets a column point: the number of each row's point, by which update --forget takes rows. Equal rows are one point."`
	LabelFile []string `group:"columns" placeholder:"FILE" help:"Labels beside the inputs, one file for each, in their order."`
	// NeighborsFile goes with kinds of model that take neighbours.
	NeighborsFile string `group:"columns" placeholder:"FILE" help:"Neighbours of the rows, which are not searched for then: two arrays of an .npz or two columns of lists, the rows' numbers from 0 and the distances, nearest first, as umap-learn's precomputed_knn."`
	// Supervise is short for source.label and model.supervision.
	Supervise string `group:"columns" placeholder:"COL" help:"Column of labels that the map is learnt by, empty where a row has none: as --label, with --supervision 0.9 unless that is given."`
	Classify  bool   `group:"columns" help:"Learn to predict classes from the places of the labelled rows: embed writes the class of every row, with its probability."`
	fitClusterFlags
	textFlags
	budgetFlags
	settingFlags
	frameFlag
}

func (fitCmd) Help() string {
	return `Learns a map and writes it as a model, on which other rows can be placed, and with --map as a table.

Formats, recognised by content: .arrow .arrows .feather .ipc .parquet .csv[.gz] .jsonl[.gz] .npy .npz[:ARRAY] .mtx[.gz] .idx[.gz].

    unfold fit data.parquet -o data.unfold --map map.parquet
    unfold fit flows.csv.gz --columns '*' --log1p --standardize --label attack -o flows.unfold --map flows.parquet
    unfold fit train-images-idx3-ubyte.gz --label-file train-labels-idx1-ubyte.gz -o digits.unfold --map digits.parquet
    unfold fit data.parquet --clusters -o data.unfold --map map.parquet
    unfold fit today.parquet --frame data.unfold -o today.unfold --map today-map.parquet
    unfold fit data.parquet --dry-run --memory 2GiB`
}

func (c *fitCmd) Run(ctx context.Context, p *program) error {
	begin, base := time.Now(), startBytes()
	settings, err := p.settingsOf(c.values, fitKeys)
	if err != nil {
		return err
	}
	if err := c.supervise(settings); err != nil {
		return err
	}
	frame, err := c.frameFlag.apply(settings)
	if err != nil {
		return err
	}
	if err := p.checkModel(settings); err != nil {
		return err
	}
	f := &fitRun{fitCmd: c, p: p, begin: begin, model: settings.Model, frame: frame}
	if f.groups, err = c.wanted(c.Map, settings); err != nil {
		return err
	}
	if f.limit, err = c.limit(); err != nil {
		return err
	}
	if f.read, err = c.request(p, settings); err != nil {
		return err
	}
	if f.read.Mapping.Drop && frame != "" {
		return usagef("--missing drop: a frame gives every row a place; choose mean, or leave one of them out")
	}
	if err := c.checkSupervision(f.read.Mapping, settings); err != nil {
		return err
	}
	if err := c.checkNeighbors(f.read.Mapping, settings); err != nil {
		return err
	}
	if f.inputs, err = c.paths(ctx, p, f.read.Mapping, settings, frame); err != nil {
		return err
	}
	_, f.collects = p.env("GOGC")
	if !f.collects {
		defer budget.Collect(f.limit)()
	}
	f.job = budget.Job{Spec: settings.Spec(), Scored: c.Report != "", Bits: f.read.Mapping.Metric == ingest.Hamming, Base: base, Clusters: f.groups.rowBytes(settings.Model)}
	if c.DryRun {
		s, _, err := survey(ctx, p, f.inputs, f.read, true)
		if err != nil {
			return err
		}
		return c.dryRun(ctx, p, f.inputs, s, f.job, f.limit)
	}
	return f.run(ctx)
}

// fitRun is a fit on its way from files to files.
type fitRun struct {
	*fitCmd
	p      *program
	begin  time.Time
	clock  *clock
	model  config.Model
	read   ingest.ReadOptions
	inputs []string
	// limit bounds the memory; 0: nothing does. Collects says that the environment has its
	// own say about garbage.
	limit    int64
	collects bool
	job      budget.Job
	// frame is the file that --frame names, "" if none, and given what it was. Held is
	// standard input, where it is read twice.
	frame string
	given *frameReport
	held  []byte
	// near are the neighbours that --neighbors-file gives, nil if none.
	near *knn.Given

	data      *ingest.Dataset
	room      *rowsRoom
	snap      *snapshot.Snapshot
	result    *fit.Result
	classes   classes
	groups    *grouping // nil: clusters are not asked for
	predicted forecast
	about     rowsReport
}

// run reads, plans, learns and writes.
func (f *fitRun) run(ctx context.Context) error {
	if err := f.holdInput(); err != nil {
		return err
	}
	if err := f.refuse(ctx); err != nil {
		return err
	}
	f.clock = newClock()
	f.room = newRowsRoom(f.p, f.job, f.Output)
	defer f.room.close()
	if err := f.readRows(ctx); err != nil {
		return err
	}
	if err := f.readFrame(ctx); err != nil {
		return err
	}
	if err := f.readNeighbors(ctx); err != nil {
		return err
	}
	release, err := f.plan(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := f.learn(ctx); err != nil {
		return err
	}
	if err := f.write(ctx); err != nil {
		return err
	}
	f.p.progress.End()
	f.summarize(time.Since(f.begin))
	return nil
}

// refuse says that the memory is too little before the rows are read, where the files say
// how many there are.
func (f *fitRun) refuse(ctx context.Context) error {
	if f.limit <= 0 {
		return nil
	}
	s, known, err := survey(ctx, f.p, f.inputs, f.read, false)
	if err != nil || !known {
		return err
	}
	job := f.job
	job.Rows, job.Dim, job.Entries, job.Kept = s.rows, s.dim, s.entries, s.kept
	if _, err := plan(job, f.limit); isRefusal(err) {
		return err
	}
	return nil
}

// readRows reads the inputs and checks what can only be checked now.
func (f *fitRun) readRows(ctx context.Context) (err error) {
	f.read.Room = f.room.matrix
	if f.data, err = readAll(ctx, f.p, f.inputs, f.read); err != nil {
		return err
	}
	f.clock.lap("read")
	if err := checkPCA(f.job.Spec, f.data.Encoder.Dim()); err != nil {
		return err
	}
	if f.Map != "" {
		if err := f.p.noteHeld(f.Map, &emit.Output{ID: f.data.ID, Kept: f.data.Kept}); err != nil {
			return err
		}
	}
	f.about, err = reportRows(ctx, f.p, f.data, f.model.Threads, f.Report != "")
	f.clock.lap("about")
	return err
}

// plan predicts what the fit takes, chooses what fits the limit, and holds what it
// promises until release.
func (f *fitRun) plan(ctx context.Context) (release func(), err error) {
	f.job.Rows, f.job.Dim, f.job.Kept = f.data.Len(), f.data.Encoder.Dim(), keptBytes(f.read)+f.nearBytes()
	if f.data.Sparse != nil {
		f.job.Entries = max(1, f.data.Sparse.NNZ())
	}
	if f.predicted, err = f.predict(ctx, f.p, f.job, f.limit); err != nil {
		return nil, err
	}
	if len(f.predicted.Changed) > 0 {
		f.job.Spec = f.predicted.Spec
	}
	release = func() {}
	if _, limits := f.p.env("GOMEMLIMIT"); f.limit == 0 && !f.collects && !limits {
		// A collection that comes late would take more.
		release = budget.Collect(f.predicted.Bytes())
	}
	f.clock.lap("predict")
	return release, nil
}

// learn learns the map, and the classes.
func (f *fitRun) learn(ctx context.Context) (err error) {
	x, a := f.data.X, f.data.Sparse
	f.data.Sparse = nil // not needed any longer once it is projected
	if !f.job.Scored {
		f.data.X = vec.Matrix[float32]{} // not needed any longer once it is projected
	}
	spec := f.job.Spec
	spec.Given = f.near
	if spec.LVM.Student.Supervision > 0 {
		spec.Labels = f.data.Label
	}
	progress := f.room.between(&f.predicted.Plan)
	if a != nil {
		f.snap, f.result, err = fit.Sparse(ctx, a, spec, progress)
	} else {
		f.snap, f.result, err = fit.Fit(ctx, x, spec, progress)
	}
	if err != nil {
		return fitError(f.inputs, inFile(f.data, err))
	}
	if f.result.Truncated != nil && f.job.Scored {
		// What a map is compared with is what it was learnt from.
		f.data.X = vec.Take(f.snap.Reference, f.result.Row)
	}
	f.noteNeighbors()
	f.noteLabels(spec.Labels)
	f.clock.lap("fit")
	f.p.progress.Stage("write", "", 0)
	if f.snap.Encoder, err = json.Marshal(f.data.Encoder); err != nil {
		return err
	}
	f.snap.Names = f.data.Encoder.Names()
	f.snap.IDs = pointIDs(f.data.ID, f.result.Row, f.snap.Reference.Rows)
	if f.Classify {
		if f.classes, err = learnClasses(ctx, f.snap, f.result, f.data.Label, f.job.Spec.Threads); err != nil {
			return table.InFile(f.inputs[0], err)
		}
		f.clock.lap("classes")
	}
	if err := f.groups.find(ctx, f.p, f.inputs, f.result.Placed.Mu); err != nil {
		return err
	}
	f.clock.lap("clusters")
	f.snap.MapID, err = f.snap.ContentID()
	return err
}

// checkModel says what is wrong with the model's settings, as flags; those that are wrong
// together name themselves.
func (p *program) checkModel(c *config.Config) error {
	problem, wrong := c.ModelProblem()
	if !wrong {
		return nil
	}
	if _, one := config.Find(problem.Key, p.Kinds...); !one {
		return usagef("%s", problem.Message)
	}
	return usagef("--%s: %s", flagName(problem.Name()), problem.Message)
}

// paths checks where the rows come from and the results go, and returns the inputs.
func (c *fitCmd) paths(ctx context.Context, p *program, m ingest.Mapping, settings *config.Config, frame string) ([]string, error) {
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
	inputs, err := p.expand(ctx, c.In)
	if err != nil {
		return nil, err
	}
	files := []named{{"--output", c.Output}, {"--map", c.Map}, {"--report", c.Report}}
	if err := checkDifferent(files, inputs, c.LabelFile, []string{frame, c.NeighborsFile}); err != nil {
		return nil, err
	}
	if !c.DryRun {
		if err := checkWritable(c.Output, c.Map, c.Report); err != nil {
			return nil, err
		}
	}
	return inputs, nil
}

// write writes the model, and the map and the report that are asked for: all of them
// appear, or none.
func (f *fitRun) write(ctx context.Context) (err error) {
	outputs := &transaction{stdout: f.p.Stdout}
	defer outputs.abort()
	if err := outputs.write(f.Output, func(w io.Writer) error { return snapshot.Write(w, f.snap) }); err != nil {
		return err
	}
	if f.Map != "" {
		if err := outputs.writeMap(f.Map, mapOf(f.data, f.snap, f.result, f.classes, f.groups, f.Numbers)); err != nil {
			return err
		}
	}
	f.clock.lap("write")
	if f.Report != "" {
		f.leave()
		report := newReport(f.p, f.data, f.model, f.result, f.predicted)
		if report.mapScores, err = f.scores(ctx); err != nil {
			return err
		}
		report.rowsReport, report.Frame = f.about, f.given
		report.times(f.clock, f.result, time.Since(f.begin))
		if err := outputs.write(f.Report, report.write); err != nil {
			return err
		}
	}
	return outputs.commit()
}

// leave lets go of the model, which is written: a summary needs little of it.
func (f *fitRun) leave() {
	f.snap = &snapshot.Snapshot{Kind: f.snap.Kind, Dim: f.snap.Dim, Names: f.snap.Names}
	if f.predicted.SetsAside() || f.predicted.Large() {
		debug.FreeOSMemory()
	}
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
	if kind, err := settings.Model.Entry(); err == nil {
		o.Mapping.Missing = kind.Missing && settings.Source.Missing == "auto" && o.Mapping.Metric == ""
	}
	if len(c.LabelFile) > 0 && o.Mapping.Label != "" {
		return o, usagef("labels come both from --label and from --label-file; keep one of them")
	}
	o.LabelFiles, o.Sparse = c.LabelFile, fit.DefaultPCA
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
	if c.Numbers {
		if err := checkPointName(keep); err != nil {
			return err
		}
	}
	if slices.Contains(keep, UnlearntName) && settings.Model.Components == "largest" {
		return fmt.Errorf("column %q cannot be kept: with --components largest the map has a column of that name itself; rename it in the input", UnlearntName)
	}
	return emit.CheckText(c.Map, keep)
}

// UnlearntName is the column of a map that flags rows which were placed and not
// learnt; it is there only if there are any.
const UnlearntName = "unlearnt"

// mapOf is the map as a table: a row for each that was read, with its point's number if
// that is wanted.
func mapOf(data *ingest.Dataset, s *snapshot.Snapshot, r *fit.Result, c classes, g *grouping, numbered bool) *emit.Output {
	if r.Unlearnt != nil {
		data.Kept = append(data.Kept, table.BoolColumn(UnlearntName, r.Unlearnt))
	}
	if numbered {
		data.Kept = append(data.Kept, pointColumn(r.Row))
	}
	data.Kept = append(data.Kept, g.columns()...)
	return &emit.Output{
		ID: data.ID, Kept: data.Kept, Embedding: r.Placed.Mu, Sigma: r.Placed.Sigma,
		NoveltyLocal: r.Placed.NoveltyLocal, NoveltyGlobal: r.Placed.NoveltyGlobal, Epoch: s.Epoch, Version: s.Version, MapID: s.MapID,
		Class: c.class, Probability: c.probability,
	}
}

// summarize says what was done and where to look. Where an output goes to standard
// output, it says so on standard error.
func (f *fitRun) summarize(took time.Duration) {
	w, s, r := f.p.Stdout, f.snap, f.result
	if f.Map == "-" || f.Report == "-" {
		w = f.p.Stderr
	}
	rep := r.Report
	fmt.Fprintf(w, "%s learnt from %s", f.Output, humanize.Plural(rep.N, "row"))
	if rep.Unique != rep.N {
		fmt.Fprintf(w, " (%s distinct)", humanize.Count(rep.Unique))
	}
	fmt.Fprintf(w, " of %s in %s\n", humanize.Plural(s.Dim, "value"), humanize.Span(took))
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
		color := "" // plot takes a column of the name label by itself
		if label := cmp.Or(f.values()[labelKey], f.Supervise); label != "" && label != ingest.LabelName && filepath.Ext(f.Map) != ".npy" {
			color = " --color " + label
		} else if label == "" && len(f.LabelFile) == 0 && f.groups != nil {
			color = " --color " + emit.ClusterName
		}
		if f.groups != nil {
			f.groups.report.head(w)
		}
		fmt.Fprintf(w, "%s holds the map; to see it: unfold plot %s -o map.png%s\n", f.Map, f.Map, color)
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

// pointIDs are the ids of n points, each the last of its rows'; nil if rows have none.
func pointIDs(id table.Column, point []int32, n int) []string {
	if !id.Valid() {
		return nil
	}
	out := make([]string, n)
	for row, p := range point {
		out[p] = id.Text(row)
	}
	return out
}
