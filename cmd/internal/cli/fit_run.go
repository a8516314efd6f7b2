package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/budget"
	"unfold/models/ep/labels"
	"unfold/models/fit"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
)

// fitRun is the state of one run of fit.
type fitRun struct {
	*fitCmd
	p     *program
	begin time.Time
	clock *clock
	model config.Model
	// settings contains all settings, also those in model.
	settings *config.Config
	read     ingest.ReadOptions
	inputs   []string
	// fills is true if missing values are filled in without a setting that asks for it.
	fills bool
	// shares requests the probabilities of all classes.
	shares bool
	// limit bounds the memory in bytes, 0 for no limit. collects is set if the environment
	// configures the garbage collector.
	limit    int64
	collects bool
	job      budget.Job
	// frame is the file of --frame, "" if none, and given describes it. held has the contents of
	// standard input if it is read twice.
	frame string
	given *frameReport
	held  []byte
	// edges are the edges of --graph, nil without one.
	edges *ingest.Edges
	// near are the neighbours of --neighbors-file, nil without one.
	near *knn.Given
	// components is the number of principal components chosen from the rows, nil if it was set.
	components *fit.Components

	data    *ingest.Dataset
	room    *rowsRoom
	snap    *snapshot.Snapshot
	result  *fit.Result
	classes *labels.Predicted
	groups  *grouping // nil if clusters are not requested
	beyond  *beyond   // nil if all rows are learnt
	// rest keeps the progress of the second pass; nil without one. taken has the learnt rows if an
	// earlier run learnt them.
	rest      *unfinished
	taken     *emit.Output
	predicted forecast
	about     rowsReport
}

// run executes all steps of a fit: read, plan, learn, write.
func (f *fitRun) run(ctx context.Context) error {
	if err := f.holdInput(); err != nil {
		return err
	}
	if err := f.refuse(ctx); err != nil {
		return err
	}
	f.clock = newClock()
	var err error
	if f.rest, err = f.openRest(); err != nil {
		return err
	}
	defer func() { f.rest.release() }()
	f.room = newRowsRoom(f.p, f.job, f.written())
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
	if !f.resume() {
		if err := f.learn(ctx); err != nil {
			return err
		}
	}
	if err := f.write(ctx); err != nil {
		return err
	}
	f.p.progress.End()
	f.summarize(time.Since(f.begin))
	return nil
}

// refuse returns an error before the rows are read if the memory limit is too low even for some of
// them. It needs files that contain their row count.
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
	_, err = f.most(job)
	return err
}

// readRows reads the inputs and runs the checks that need the rows.
func (f *fitRun) readRows(ctx context.Context) (err error) {
	f.read.Room = f.room.matrix
	if f.limit > 0 {
		f.read.Most, f.read.Seed = f.draw, f.job.Spec.Seed
	}
	if f.data, err = readAll(ctx, f.p, f.inputs, f.read); err != nil {
		return err
	}
	f.clock.lap("read")
	f.noteRepeatedIDs()
	if err := checkPCA(f.job.Spec, f.data.Encoder.Dim()); err != nil {
		return err
	}
	if f.Map != "" {
		if err := f.p.noteHeld(f.Map, &emit.Output{ID: f.data.ID, Kept: f.data.Kept}); err != nil {
			return err
		}
	}
	f.about, err = reportRows(ctx, f.p, f.data, f.model.Threads, f.Report != "", f.fills)
	f.clock.lap("about")
	return err
}

// noteRepeatedIDs says that ids occur more than once, and what uses them.
func (f *fitRun) noteRepeatedIDs() {
	id := f.data.ID
	if !id.Valid() {
		return
	}
	if rows, first := table.Repeated(id); rows > 0 {
		f.p.note("column %q: %s of %s repeat the id of an earlier row, %q first; plot --compare leaves such rows out, fit --frame may refuse them, and update --forget finds the last row of an id: "+
			"name another column by --id, or none, and rows are numbered", id.Name(), humanize.Count(rows), humanize.Plural(id.Len(), "row"), table.Clip(first))
	}
}

// plan predicts memory and time of the fit and chooses settings within the limit. It tunes the
// garbage collector to the predicted memory until release is called.
func (f *fitRun) plan(ctx context.Context) (release func(), err error) {
	f.job.Tight = f.data.Drawn != nil
	f.job.Rows, f.job.Dim, f.job.Kept = f.data.Len(), f.data.Encoder.Dim(), keptBytes(f.read)+f.nearBytes()
	if d := f.data.Drawn; d != nil && f.Map != "" {
		f.job.Others = d.Of
	}
	if f.data.Sparse != nil {
		f.job.Entries = max(1, f.data.Sparse.NNZ())
	} else {
		if f.job.Spec, f.components, err = f.job.Spec.Choose(ctx, f.data.X); err != nil {
			return nil, err
		}
		f.sayComponents()
	}
	_, f.job.Reached = usage()
	if f.predicted, err = f.predict(ctx, f.p, f.job, f.data, f.limit); err != nil {
		return nil, err
	}
	if len(f.predicted.Changed) > 0 {
		f.job.Spec = f.predicted.Spec
	}
	release = func() {}
	if _, limits := f.p.env("GOMEMLIMIT"); f.limit == 0 && !f.collects && !limits {
		// A late collection would exceed the predicted memory.
		release = budget.Collect(f.predicted.Bytes())
	}
	f.clock.lap("predict")
	return release, nil
}

// sayComponents reports the number of principal components kept, if it was chosen from the rows.
func (f *fitRun) sayComponents() {
	if c := f.components; c != nil && c.Kept < c.Of {
		f.p.say(fmt.Sprintf("keeping %d of %d principal components: %.0f %% of the variance, %.0f %% of the nearest neighbours of a sample",
			c.Kept, c.Of, 100*c.Variance, 100*c.Neighbors))
	}
}

func (f *fitRun) learn(ctx context.Context) (err error) {
	x, a := f.data.X, f.data.Sparse
	f.data.Sparse = nil // not needed after the projection
	if !f.job.Scored {
		f.data.X = vec.Matrix[float32]{} // not needed after the projection
	}
	spec := f.job.Spec
	spec.Given, spec.Aside = f.near, f.room.lists(&f.predicted.Plan)
	if spec.Supervised() {
		spec.Labels = f.data.Label
	}
	progress := f.room.between(&f.predicted.Plan)
	switch {
	case a != nil:
		f.snap, f.result, err = fit.Sparse(ctx, a, spec, progress)
	default:
		f.snap, f.result, err = fit.Fit(ctx, x, spec, progress)
	}
	if err != nil {
		return fitError(f.inputs, inFile(f.data, err))
	}
	if f.result.Truncated != nil && f.job.Scored {
		// The map is scored against the rows that it was learnt from.
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
	return f.finish(ctx)
}

// finish sets the ids of the points. It also learns classes and finds clusters, if requested.
func (f *fitRun) finish(ctx context.Context) (err error) {
	f.p.warn(f.result.Warnings...)
	for _, text := range f.result.Notes {
		f.p.note("%s", text)
	}
	f.snap.IDs = pointIDs(f.data.ID, f.result.Row, f.snap.Reference.Rows)
	if f.Classify {
		if f.classes, err = learnClasses(ctx, f.snap, f.result, f.data.Label, f.shares, f.job.Spec.Threads); err != nil {
			return table.InFile(f.inputs[0], err)
		}
		f.clock.lap("classes")
	} else if f.job.Spec.PredictsClasses() {
		if f.classes, err = ownClasses(ctx, f.snap, f.result, f.shares, f.job.Spec.Threads); err != nil {
			return err
		}
		f.clock.lap("classes")
	}
	if err := f.groups.find(ctx, f.p, f.inputs, f.result.Placed.Mu); err != nil {
		return err
	}
	f.clock.lap("clusters")
	if f.room != nil { // nil for a graph
		f.snap.Release = f.room.release
	}
	f.snap.MapID, err = f.snap.ContentID()
	return err
}
