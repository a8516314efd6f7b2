package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/serve"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/models"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/knn/auto"
	"unfold/stream/embed"
)

type embedCmd struct {
	In        []string `arg:"" optional:"" name:"in" help:"Files, folders, patterns, addresses, or - for standard input."`
	Model     string   `short:"m" required:"" placeholder:"MODEL" help:"The model, as fit writes it."`
	Output    string   `short:"o" placeholder:"FILE" help:"Where the places go: one row for each that was read, in their order. The file extension sets the format; - is an Arrow stream on standard output."`
	Lines     bool     `help:"Place lines instead of files: a record in JSON on each line of standard input, its place in JSON on the same line of standard output, at once."`
	LabelFile []string `group:"columns" placeholder:"FILE" help:"Labels beside the inputs, one file for each, in their order."`
	Graph     string   `group:"columns" placeholder:"FILE" help:"On a map of a graph: the edges of the new nodes, an edge list whose sources are new and whose targets are nodes of the map, or a sparse matrix with a row for each new node and a column for each of the map."`
	Explain   int      `placeholder:"N" help:"Explain the novelty of rows by the N columns that contribute most: adds columns reasons and neighbors."`
	Above     float64  `placeholder:"P" help:"With --explain: only rows with a novelty above this percentile, as 0.99."`
	Neighbors int      `placeholder:"N" help:"Write the N nearest points of each row, and how far they are: columns neighbor and neighbor_distance. Without files: of each point of the model, the nearest others."`
	memoryFlag
	textFlags
	settingFlags
}

func (embedCmd) Help() string {
	return `Places rows on a map that was learnt, without changing it: the same row gets the same place, whatever else is read.
Memory does not grow with the input.

Vectors are made of the columns that the model was learnt with; a column of vectors may have another name (--vector). What the
model does with missing values it does here. Columns that pass through are those named here or else
those that were named then, as far as they are there. A model that was learnt with --classify, or by a stage with labels,
predicts the class of every row, too; with --class-probabilities the probabilities of all classes, and how uncertain the class is.

    unfold embed today.parquet -m data.unfold -o today-places.parquet
    producer | unfold embed - -m data.unfold -o - | consumer

With --lines it is a filter that another program keeps running: one line out for each line in, written before the next is
read. A line that cannot be placed is answered with {"error": ...}. An Arrow stream has a line for each row.

    unfold embed --lines -m data.unfold < events.jsonl > places.jsonl

With --neighbors each row has the numbers of its nearest points, from 0, and their distances as the model sees them. Without files it
is the neighbour graph of the model's own points: a row for each, with the nearest others.

    unfold embed -m data.unfold -o graph.parquet --neighbors 15

With --explain each row has the columns that make it novel (reasons: the share that the column carries, the direction, the
value and what its neighbours have there) and the points next to it (neighbors).

    unfold embed today.parquet -m data.unfold -o places.jsonl --explain 5 --above 0.99`
}

func (c *embedCmd) Run(ctx context.Context, p *program) error {
	begin := time.Now()
	settings, err := p.settingsOf(c.values, embedKeys)
	if err != nil {
		return err
	}
	explain, err := explainFlags(c.Explain, c.Above)
	if err != nil {
		return err
	}
	if err := c.checkNeighbors(settings); err != nil {
		return err
	}
	if c.Lines {
		return c.lines(ctx, p, settings, explain)
	}
	switch {
	case c.Graph != "":
		return c.graph(ctx, p, settings)
	case len(c.In) == 0 && (c.Neighbors == 0 || c.Explain > 0 || len(c.LabelFile) > 0):
		return usagef("expected \"<in> ...\"; see unfold embed --help")
	case c.Output == "":
		return usagef("missing flags: --output=FILE; see unfold embed --help")
	}
	if len(c.In) == 0 {
		return c.own(ctx, p, settings)
	}
	options, err := c.textFlags.options(p)
	if err != nil {
		return err
	}
	paths, err := p.expand(ctx, c.In)
	if err != nil {
		return err
	}
	if n := len(c.LabelFile); n > 0 && n != len(paths) {
		return usagef("--label-file: %s for %s; name one for each, in the same order", humanize.Plural(n, "file"), humanize.Plural(len(paths), "input"))
	}
	if err := checkDifferent([]named{{"--output", c.Output}}, paths, c.LabelFile, []string{c.Model}); err != nil {
		return err
	}
	if _, _, err := emit.FormatOf(c.Output); err != nil {
		return &usageError{err: err}
	}
	e, err := newEmbedder(ctx, c.Model, c.Output, settings, explain)
	if err != nil {
		return err
	}
	e.neighbors = c.Neighbors
	if err := p.vet(ctx, paths...); err != nil {
		return err
	}
	w, err := createMap(c.Output, p.Stdout, len(paths) == 1)
	if err != nil {
		return err
	}
	w = emit.Behind(w)
	defer w.Abort()
	p.progress.Stage("place", "rows", totalRows(ctx, paths, options))
	if err := e.files(ctx, p, paths, options, c.LabelFile, w); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	p.progress.End()
	p.noteGuesses(e.guesses)
	p.noteDropped(e.dropped)
	if c.Output != "-" {
		took := time.Since(begin)
		p.printf("%s holds the places of %s, placed in %s (%s/s)\n", c.Output, humanize.Plural(e.rows, "row"), humanize.Span(took), humanize.Rate(e.rows, took))
	}
	return nil
}

// lines places rows from standard input. It writes to standard error only the failure that ends it,
// because a caller that runs it as a filter may read both streams.
func (c *embedCmd) lines(ctx context.Context, p *program, settings *config.Config, explain embed.Explain) error {
	if len(c.In) > 0 || c.Output != "" || len(c.LabelFile) > 0 || c.Graph != "" {
		return usagef("--lines goes from standard input to standard output; leave files and --output out")
	}
	e, err := newEmbedder(ctx, c.Model, "", settings, embed.Explain{})
	if err != nil {
		return err
	}
	m := serve.NewModel(e.maps, e.kind, e.points, nil)
	x := &serve.Exchange{Current: func() (*serve.Model, error) { return m, nil }, Placer: &serve.Placer{}, Options: serve.Options{Explain: explain}}
	return x.Lines(ctx, p.Stdin, p.Stdout)
}

type embedder struct {
	maps   *embed.Map
	kind   string // kind of the model
	points int    // number of points in the map
	values int    // number of values in a vector
	output string // output path, may be a text file
	noted  bool   // whether columns that the output stores in another type were reported
	rows   int64
	// neighbors is the number of nearest points returned for each row, 0 for none.
	neighbors int
	// guesses are assumptions about the format of the first text file.
	guesses []string
	// drop skips rows with missing values. dropped counts them.
	drop    bool
	dropped int
	// rest, if set, has the places of the first rows, and gets those of the others.
	rest *unfinished
	// merge, if set, changes the output of a table of a file before it is written.
	merge func(m *embed.Map, t *table.Table, o *emit.Output) error
}

func newEmbedder(ctx context.Context, model, output string, settings *config.Config, explain embed.Explain) (*embedder, error) {
	s, err := readModel(ctx, model)
	if err != nil {
		return nil, err
	}
	return embedderOf(s, model, output, settings, explain)
}

// embedderOf is newEmbedder for a snapshot that was read from the path model.
func embedderOf(s *snapshot.Snapshot, model, output string, settings *config.Config, explain embed.Explain) (*embedder, error) {
	rule, err := settings.Model.PlaceRule()
	if err != nil {
		return nil, &usageError{err: err}
	}
	missing := settings.Source.Missing
	if missing == "drop" && output == "" {
		return nil, usagef("--missing drop: every row is answered here; only files of places can leave rows out")
	}
	search := settings.Model.SearchSettings()
	if search.Method == auto.Descent {
		return nil, usagef("--search: descent is for learning; new points are placed by auto, exact or hnsw")
	}
	m, err := embed.Open(s, embed.Settings{
		Place:   placing.Options{Rule: rule, Threads: settings.Model.Threads, Search: search},
		Kinds:   settings.Model.Spec().Kinds,
		Mapping: ingest.Mapping{Selection: selection(settings.Source.Columns)},
		Files:   true, Missing: missing == "auto", Strict: missing == "error", Vector: settings.Source.Vector, Output: output, Explain: explain,
		LogLik: settings.Sink.LogLik, Probabilities: settings.Source.ClassProbabilities,
	})
	var setting *models.SettingError
	if errors.As(err, &setting) {
		return nil, usagef("--%s: %s: %s", setting.Name, model, setting.Problem)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", model, err)
	}
	if settings.Source.ClassProbabilities && m.Classes() == nil {
		return nil, usagef("--class-probabilities: %s predicts no classes; learn it with --label COL --classify", model)
	}
	if e := m.Encoder(); missing == "mean" && (e == nil || !e.Fills()) {
		return nil, usagef("--missing mean: %s knows no means, since it was not learnt with them; learn it with --missing mean", model)
	}
	return &embedder{maps: m, kind: s.Kind, points: s.Reference.Rows, values: s.Dim, output: output, drop: missing == "drop"}, nil
}

// Rows are placed densely in batches of manyRows. Batches of wide vectors, which sparse files store
// compactly, are smaller.
const (
	manyRows   = 4096
	manyValues = 4096
)

// open opens a file of rows and a map that accepts its columns. If incomplete rows are dropped, the
// reader is an *ingest.Whole.
func (e *embedder) open(ctx context.Context, path string, o ingest.Options) (table.Reader, *embed.Map, error) {
	if e.values > manyValues {
		o.BatchRows = max(1, manyRows*manyValues/e.values)
	}
	r, err := ingest.Open(ctx, path, o)
	if err != nil {
		return nil, nil, err
	}
	if e.guesses == nil {
		if g := ingest.Guessed(r); g != nil {
			e.guesses = g.Guesses()
		}
	}
	m, err := e.maps.For(r.Schema(), path)
	if err != nil {
		r.Close()
		return nil, nil, err
	}
	table.Narrow(r, m.Encoder().Needs())
	if e.drop {
		return ingest.OnlyWhole(r, m.Encoder().Columns()), m, nil
	}
	return r, m, nil
}

// files places the rows of files. labelled are the files with their labels, if any.
func (e *embedder) files(ctx context.Context, p *program, paths []string, o ingest.Options, labelled []string, w emit.Writer) (err error) {
	for i, path := range paths {
		var labels table.Column
		if len(labelled) > 0 {
			if labels, err = ingest.OpenLabels(ctx, labelled[i], o); err != nil {
				return err
			}
		}
		if err := e.file(ctx, p, path, o, labels, w); err != nil {
			return err
		}
	}
	return nil
}

// file places the rows of one file. labels has the labels of its rows, if any.
func (e *embedder) file(ctx context.Context, p *program, path string, o ingest.Options, labels table.Column, w emit.Writer) error {
	r, m, err := e.open(ctx, path, o)
	if err != nil {
		return err
	}
	defer r.Close()
	if pick := m.Encoder().Selection(); labels.Valid() && (pick.Label == labels.Name() || slices.Contains(pick.Keep, labels.Name())) {
		return table.InFile(path, fmt.Errorf("column %q cannot be kept: --label-file makes a column of that name; keep only one of them", labels.Name()))
	}
	whole, _ := r.(*ingest.Whole)
	at := 0
	for t, err := range table.Ahead(ctx, r) {
		if err != nil {
			return err
		}
		out, err := e.placed(ctx, m, t)
		if err != nil {
			return err
		}
		out.FirstRow = e.rows
		if labels.Valid() {
			first := at
			if whole != nil {
				first = int(t.Origin.Row)
			}
			if first+t.Len() > labels.Len() {
				return labelCount(path, labels.Len(), first+t.Len())
			}
			out.Kept = append(out.Kept, labels.Slice(first, first+t.Len()))
		}
		if e.merge != nil {
			if err := e.merge(m, t, out); err != nil {
				return err
			}
		}
		if !e.noted {
			if err := p.noteHeld(e.output, out); err != nil {
				return err
			}
			e.noted = true
		}
		if err := w.Write(out); err != nil {
			return err
		}
		at += t.Len()
		e.rows += int64(t.Len())
		p.progress.Set(e.rows)
	}
	read := at
	if whole != nil {
		e.dropped += whole.Dropped()
		read += whole.Dropped()
	}
	switch {
	case labels.Valid() && labels.Len() != read:
		return labelCount(path, labels.Len(), read)
	case at == 0:
		return e.none(ctx, r, m, w)
	}
	return nil
}

// none writes an output without rows for an input without rows.
func (e *embedder) none(ctx context.Context, r table.Reader, m *embed.Map, w emit.Writer) error {
	t, err := ingest.NoRows(r)
	if err != nil {
		return err
	}
	out, err := e.placed(ctx, m, t)
	if err != nil {
		return err
	}
	out.FirstRow = e.rows
	return w.Write(out)
}

func labelCount(path string, labels, rows int) error {
	return &table.Error{Origin: table.Origin{File: path}, Row: -1,
		Problem: fmt.Sprintf("there are %s for %s", humanize.Plural(labels, "label"), humanize.Plural(rows, "row")+" or more"),
		Hint:    "label files are named in the order of the inputs"}
}

// totalRows returns the sum of the files' rows, or 0 if a file has to be read to count them.
func totalRows(ctx context.Context, paths []string, o ingest.Options) int64 {
	var total int64
	for _, path := range paths {
		if input.ReadOnce(path) {
			return 0
		}
		r, err := ingest.Open(ctx, path, o)
		if err != nil {
			return 0 // the error is reported when the file is read
		}
		counted, ok := r.(table.Counted)
		n := int64(0)
		if ok {
			n, ok = counted.NumRows()
		}
		r.Close()
		if !ok {
			return 0
		}
		total += n
	}
	return total
}
