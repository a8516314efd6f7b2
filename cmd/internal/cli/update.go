package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"unfold"
	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep/labels"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/snapshot"
	"unfold/stream/embed"
)

type updateCmd struct {
	Model  string   `arg:"" help:"The model, as fit or update write it."`
	In     []string `arg:"" optional:"" name:"in" help:"Files of rows that come, or patterns."`
	Forget string   `placeholder:"FILE" help:"Rows that go: a table with a column point, as fit --numbers and update --map write it, or with the ids of rows."`
	Output string   `short:"o" required:"" placeholder:"MODEL" help:"Where the model goes; it may take the place of the one before."`
	Map    string   `placeholder:"FILE" help:"Where the places of the rows that came go, in their order, with a column point. The file extension sets the format."`
	Points string   `placeholder:"FILE" help:"Where the points of the map go: numbers, how many rows each stands for, places, scales."`
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

// PointName is the column with the point number of each row.
const PointName = "point"

func pointColumn[T int | int32](point []T) table.Column {
	numbers := make([]int64, len(point))
	for i, p := range point {
		numbers[i] = int64(p)
	}
	return table.Int64Column(PointName, numbers)
}

// checkPointName returns an error if a kept column has the name of the column of point numbers.
func checkPointName(keep []string) error {
	if slices.Contains(keep, PointName) {
		return fmt.Errorf("column %q cannot be kept: the numbers of points are in a column of that name; rename it in the input", PointName)
	}
	return nil
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
		return fmt.Errorf("maps of kind %s do not follow their rows: fit again, or learn one of kind %s", s.Kind, fit.LVM)
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

// rows reads the vectors of the rows to add.
func (u *updating) rows(ctx context.Context) (x vec.Matrix[float32], err error) {
	x.Cols = u.before.Dim
	if len(u.inputs) == 0 {
		return x, nil
	}
	e, err := embedderOf(u.before, u.Model, u.Map, u.settings, embed.Explain{})
	if err != nil {
		return x, err
	}
	u.p.progress.Stage("read", "rows", totalRows(ctx, u.inputs, u.options))
	for _, path := range u.inputs {
		if err := u.read(ctx, e, path, &x); err != nil {
			return x, err
		}
	}
	return x, nil
}

// read appends the vectors, ids and labels of a file.
func (u *updating) read(ctx context.Context, e *embedder, path string, x *vec.Matrix[float32]) error {
	r, m, err := e.open(ctx, path, u.options)
	if err != nil {
		return err
	}
	defer r.Close()
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return err
		}
		b, err := m.Encoder().Encode(t)
		if err != nil {
			return err
		}
		if b.ID.Valid() {
			u.ids = append(u.ids, make([]string, x.Rows-len(u.ids))...) // earlier files may have no ids
			u.ids = append(u.ids, b.ID.Strings()...)
		}
		if b.Label != nil {
			u.labels = append(u.labels, make([]string, x.Rows-len(u.labels))...) // earlier files may have no labels
			u.labels = append(u.labels, b.Label...)
		}
		x.Data, x.Rows = append(x.Data, b.X.Data...), x.Rows+b.X.Rows
		u.p.progress.Set(int64(x.Rows))
	}
	return nil
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

// write writes the model and the requested outputs. Either all of them appear, or none.
func (u *updating) write(ctx context.Context) error {
	outputs := &transaction{stdout: u.p.Stdout}
	defer outputs.abort()
	if err := outputs.write(u.Output, func(w io.Writer) error { return snapshot.Write(w, u.after) }); err != nil {
		return err
	}
	if u.Map != "" {
		if err := u.writePlaces(ctx, outputs); err != nil {
			return err
		}
	}
	if u.Points != "" {
		if err := outputs.writeMap(u.Points, u.points()); err != nil {
			return err
		}
	}
	if u.Report != "" {
		err := outputs.write(u.Report, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(u.report)
		})
		if err != nil {
			return err
		}
	}
	return outputs.commit()
}

// writePlaces places the added rows on the updated map.
func (u *updating) writePlaces(ctx context.Context, outputs *transaction) error {
	if len(u.inputs) == 0 {
		return usagef("--map: no rows come; --points writes those of the map")
	}
	e, err := embedderOf(u.after, u.Model, u.Map, u.settings, embed.Explain{})
	if err != nil {
		return err
	}
	w, err := createMap(u.Map, u.p.Stdout, len(u.inputs) == 1)
	if err != nil {
		return err
	}
	outputs.outputs = append(outputs.outputs, output{u.Map, w.Close, w.Abort})
	u.p.progress.Stage("place", "rows", int64(len(u.came)))
	n := &numberedWriter{Writer: w, point: u.came}
	for _, path := range u.inputs {
		if err := e.file(ctx, u.p, path, u.options, table.Column{}, n); err != nil {
			return err
		}
	}
	return nil
}

// numberedWriter adds the column of point numbers to its outputs.
type numberedWriter struct {
	emit.Writer
	point []int // of the rows not written yet
}

func (w *numberedWriter) Write(o *emit.Output) error {
	n := o.Len()
	if n > len(w.point) {
		return errors.New("the files grew while they were read")
	}
	out := *o
	out.Kept = append(slices.Clone(o.Kept), pointColumn(w.point[:n]))
	w.point = w.point[n:]
	return w.Writer.Write(&out)
}

// points returns the points of the map, a row for each.
func (u *updating) points() *emit.Output {
	at := u.live.Points()
	n := len(at.ID)
	rows, sigma, mu := make([]int64, n), make([]float32, n), vec.Convert[float32](u.after.Mu)
	for i := range n {
		rows[i], sigma[i] = int64(at.Count[i]), float32(at.Sigma[i])
	}
	o := &emit.Output{
		Kept: []table.Column{pointColumn(at.ID), table.Int64Column("rows", rows)}, Embedding: mu, Sigma: sigma,
		Epoch: u.after.Epoch, Version: u.after.Version, MapID: u.after.MapID,
	}
	if u.after.IDs != nil {
		o.ID = table.StringColumn(emit.IDName, u.after.IDs)
	}
	return o
}

// leaving reads the points whose rows are removed, given by point number or by id.
func (u *updating) leaving(ctx context.Context, numbers []int) ([]int, error) {
	r, err := ingest.Open(ctx, u.Forget, u.options)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	name := PointName
	if _, there := r.Schema().Find(PointName); !there {
		if name = u.idName(r.Schema()); name == "" {
			return nil, table.Origin{File: u.Forget}.Bad("it has neither a column %q nor ids", PointName).
				Suggest("fit --numbers writes numbers of points; a column of ids is called %q or as the model's; the columns are %s", emit.IDName, r.Schema())
		}
	}
	known := map[string]int{}
	for i, id := range u.before.IDs {
		if id != "" {
			known[id] = numbers[i]
		}
	}
	var gone []int
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return nil, err
		}
		c, err := t.Need(name)
		if err != nil {
			return nil, err
		}
		for i := range c.Len() {
			if name == PointName {
				v, ok := c.Float(i)
				if !ok || v != float64(int32(v)) {
					return nil, t.Origin.BadAt(i, name, "%q is no number of a point", table.Clip(c.Text(i)))
				}
				gone = append(gone, int(v))
				continue
			}
			p, ok := known[c.Text(i)]
			if !ok {
				return nil, t.Origin.BadAt(i, name, "no point of %s has the id %q", u.Model, table.Clip(c.Text(i))).
					Suggest("of equal rows the last one's id is known; fit --numbers numbers all")
			}
			gone = append(gone, p)
		}
	}
	return gone, nil
}

// idName returns the id column in a table of rows to remove, "" if it has none. Candidates are the
// names from the flags and the model, and id.
func (u *updating) idName(s table.Schema) string {
	names := []string{u.settings.Source.Columns.ID, emit.IDName}
	if e, err := embed.Encoder(u.before); err == nil && e != nil {
		names = append(names, e.Selection().ID)
	}
	for _, name := range names {
		if _, there := s.Find(name); there && name != "" {
			return name
		}
	}
	return ""
}
