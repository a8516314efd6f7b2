package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"unfold"
	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/models"
	"unfold/models/ep/labels"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/snapshot"
)

type updateCmd struct {
	Model  string   `arg:"" help:"The model, as fit or update write it."`
	In     []string `arg:"" optional:"" name:"in" help:"Files of rows that come, or patterns."`
	Forget string   `placeholder:"FILE" help:"Rows to remove: a table with a column point, as fit --numbers and update --map write it, or with the ids of rows."`
	Output string   `short:"o" required:"" placeholder:"MODEL" help:"Where the model goes; it may take the place of the one before."`
	Map    string   `placeholder:"FILE" help:"File for the places of the added rows, in their order, with a column point. The file extension sets the format."`
	Points string   `placeholder:"FILE" help:"File for the points of the map: numbers, numbers of rows, places, scales."`
	Report string   `placeholder:"FILE" help:"Where it goes what the map did, as one JSON object."`
	memoryFlag
	textFlags
	settingFlags
}

func (updateCmd) Help() string {
	return `Lets a map follow its rows without a new fit: those of files come, those of --forget go, and points that stay hardly move.
Rows that come are made vectors as the model was learnt. Only maps of kind lvm follow. A model that predicts classes goes on
to do so as it has learnt; classes that are new to it are learnt by a fit.

    unfold update data.unfold today.parquet -o data.unfold --map today-places.parquet
    unfold update data.unfold --forget gone.csv -o data.unfold`
}

func (c *updateCmd) Run(ctx context.Context, p *program) error {
	begin := time.Now()
	settings, err := p.settingsOf(c.values, placeKeys)
	if err != nil {
		return err
	}
	if err := checkPointName(append([]string{settings.Source.Columns.Label}, settings.Source.Columns.Keep...)); err != nil {
		return &usageError{err: err}
	}
	u := &updating{updateCmd: c, p: p, settings: settings}
	if u.options, err = c.textFlags.options(p); err != nil {
		return err
	}
	if u.inputs, err = c.paths(ctx, p); err != nil {
		return err
	}
	if err := p.vet(ctx, append(slices.Clone(u.inputs), c.forgetFile()...)...); err != nil {
		return err
	}
	if u.before, err = readModel(ctx, c.Model); err != nil {
		return err
	}
	kept := keptOf(ctx)
	if u.live, err = kept.take(c.Model); err != nil {
		return fmt.Errorf("%s: %w", c.Model, err)
	}
	if err := checkFollows(u.before); err != nil {
		return table.InFile(c.Model, err)
	}
	if err := u.change(ctx); err != nil {
		return err
	}
	if err := u.write(ctx); err != nil {
		return err
	}
	kept.put(c.Output, u.live)
	p.progress.End()
	if !slices.Contains([]string{c.Map, c.Points, c.Report}, "-") {
		r := u.report
		p.printf("%s has %s: %s came, %s went, in %s\n", c.Output, humanize.Plural(r.Points, "point"),
			humanize.Plural(len(u.came), "row"), humanize.Plural(len(u.gone), "row"), humanize.Span(time.Since(begin)))
	}
	return nil
}

// checkFollows returns an error for kinds of maps that cannot be updated, before rows are read.
func checkFollows(s *snapshot.Snapshot) error {
	kind, err := fit.Kinds{}.Find(s.Kind)
	if err == nil && !kind.Carried {
		return models.BadInputf("maps of kind %s do not follow their rows: fit again, or learn one of kind %s", s.Kind, fit.LVM)
	}
	return err
}

// forgetFile returns the file of rows to remove, if it is a file.
func (c *updateCmd) forgetFile() []string {
	if c.Forget == "" || c.Forget == "-" {
		return nil
	}
	return []string{c.Forget}
}

// paths checks the paths of inputs and outputs. It returns the inputs.
func (c *updateCmd) paths(ctx context.Context, p *program) ([]string, error) {
	if len(c.In) == 0 && c.Forget == "" {
		return nil, usagef("name files of rows that come, or by --forget rows that go; see unfold update --help")
	}
	if c.Output == "-" {
		return nil, usagef("--output: a model goes to a file")
	}
	var inputs []string
	if len(c.In) > 0 {
		var err error
		if inputs, err = p.expand(ctx, c.In); err != nil {
			return nil, err
		}
	}
	if slices.Contains(inputs, "-") {
		return nil, usagef("rows that come are read twice: name files, not standard input")
	}
	if i := slices.IndexFunc(inputs, input.ReadOnce); i >= 0 && c.Map != "" {
		return nil, usagef("--map: rows that come are read twice, and %s can be read only once: write it to a file first", inputs[i])
	}
	outputs := []named{{"--output", c.Output}, {"--map", c.Map}, {"--points", c.Points}, {"--report", c.Report}}
	if err := checkDifferent(outputs, inputs, c.forgetFile()); err != nil {
		return nil, err
	}
	if err := checkDifferent(outputs[1:], []string{c.Model}); err != nil {
		return nil, err
	}
	for _, o := range outputs[1:3] {
		if o.path == "" {
			continue
		}
		if format, _, err := emit.FormatOf(o.path); err != nil {
			return nil, &usageError{err: fmt.Errorf("%s: %w", o.flag, err)}
		} else if format == input.NPY {
			return nil, usagef("%s: .npy holds no columns of several types; take .parquet, .csv or another", o.flag)
		}
	}
	return inputs, checkWritable(c.Output, c.Map, c.Points, c.Report)
}

// updating is the state of one run of update.
type updating struct {
	*updateCmd
	p        *program
	settings *config.Config
	options  ingest.Options
	inputs   []string

	before, after *snapshot.Snapshot
	live          *unfold.Map
	came, gone    []int    // points of added and removed rows
	ids           []string // of the added rows; nil if they have none
	labels        []string // of the added rows; nil if they have none
	report        *unfold.Refreshed
}

// change removes and adds rows, and refreshes the map.
func (u *updating) change(ctx context.Context) (err error) {
	numbers := u.live.Points().ID
	if u.Forget != "" {
		if u.gone, err = u.leaving(ctx, numbers); err != nil {
			return err
		}
		if err := u.live.Delete(ctx, u.gone); err != nil {
			return table.InFile(u.Forget, err)
		}
	}
	x, err := u.rows(ctx)
	if err != nil {
		return err
	}
	if u.labels != nil {
		u.labels = append(u.labels, make([]string, x.Rows-len(u.labels))...)
	}
	if u.came, err = u.live.InsertLabelled(ctx, unfold.Flat{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols, Data: x.Data}, u.labels); err != nil {
		return table.InFile(u.Model, err)
	}
	u.p.progress.Stage("refresh", "", 0)
	if u.report, err = u.live.Refresh(ctx); err != nil {
		return table.InFile(u.Model, err)
	}
	if u.report.Kind == live.Still.String() {
		// The map was not refreshed, so the file would still contain the removed rows.
		return models.BadInputf("%s: %s would be left, and a map needs two: nothing was changed", u.Model, humanize.Plural(u.report.Points, "point"))
	}
	var b bytes.Buffer
	if err := u.live.Save(&b); err != nil {
		return err
	}
	if u.after, err = snapshot.Read(&b); err != nil {
		return err
	}
	return u.carry(numbers)
}

// carry copies from the previous model what a live map does not store: the ids, and the classifier
// if the coordinate frame is unchanged.
func (u *updating) carry(numbers []int) error {
	// New rows without ids have no row numbers in the fit.
	unnumbered := u.ids == nil && len(u.came) > 0 && isRowNumbers(u.before.IDs)
	if u.before.IDs != nil && !unnumbered || u.ids != nil {
		id := map[int]string{}
		for i, name := range u.before.IDs {
			id[numbers[i]] = name
		}
		for _, p := range u.gone {
			delete(id, p)
		}
		for i, p := range u.came {
			if i < len(u.ids) {
				id[p] = u.ids[i]
			}
		}
		now := u.live.Points().ID
		u.after.IDs = make([]string, len(now))
		for i, p := range now {
			u.after.IDs[i] = id[p]
		}
	}
	classifier, err := labels.Open(u.before)
	if err != nil || classifier == nil {
		return err
	}
	if u.before.Epoch != u.after.Epoch {
		u.p.note("the map has a new frame: it predicts no classes any longer; learn them by a fit")
		return nil
	}
	parts, err := classifier.Parts()
	u.after.Parts = append(u.after.Parts, parts...)
	return err
}
