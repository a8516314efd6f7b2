package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/logs"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/quantile"
	"unfold/models/clusters/identity"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/stream/embed"
)

type inspectCmd struct {
	File string `arg:"" help:"A model, a map, or any data file that fit reads."`
	Rows int    `default:"5" placeholder:"N" help:"Rows of data to show. Default 5."`
	JSON bool   `name:"json" help:"Write one JSON object, on one line."`
	textFlags
}

func (c *inspectCmd) Run(ctx context.Context, p *program) error {
	if isModel(c.File) {
		m, err := openModel(c.File, fit.With(p.Kinds...))
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(p.Stdout).Encode(m.report())
		}
		return m.describe(p)
	}
	options, err := c.textFlags.options(p)
	if err != nil {
		return err
	}
	paths, err := p.expand(ctx, []string{c.File})
	if err != nil {
		return err
	}
	if c.File = paths[0]; len(paths) > 1 {
		p.note("this is the first of %s", humanize.Plural(len(paths), "file"))
	}
	return c.inspectData(ctx, p, options)
}

// isModel reports whether a file is a model, whole or damaged.
func isModel(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false // reported when it is opened as data
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() < 8 {
		return false // too short to know, or a pipe that must not be read twice
	}
	_, err = snapshot.ReadInfo(f)
	return !errors.Is(err, snapshot.ErrNotSnapshot)
}

// modelFile is a model's file with all that is in it.
type modelFile struct {
	path    string
	info    *snapshot.Info
	s       *snapshot.Snapshot
	spec    fit.Spec
	at      *embed.Map
	encoder *ingest.Encoder
	classes []string // that it distinguishes
	groups  *identity.Groups
}

// openModel reads a model and everything in it that another command would use.
func openModel(path string, kinds fit.Kinds) (*modelFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &modelFile{path: path}
	if m.info, err = snapshot.ReadInfo(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.s, err = snapshot.ReadFile(path); err != nil {
		return nil, err
	}
	if m.spec, err = kinds.ParseSpec(m.s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	placing, err := embed.Open(m.s, embed.Settings{Files: true, Kinds: kinds})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.at, m.encoder = placing, placing.Encoder()
	if c := placing.Classes(); c != nil {
		m.classes = c.Names
	}
	m.groups = placing.Clusters()
	return m, nil
}

// rows is how many rows the reference points stand for.
func (m *modelFile) rows() (n uint64) {
	for _, c := range m.s.Count {
		n += uint64(c)
	}
	return n
}

// describe prints what is in the model for people.
func (m *modelFile) describe(p *program) error {
	s, info := m.s, m.info
	p.printf("%s: a model, version %d of its map (epoch %d), %s, file format %d\n\n", m.path, s.Version, s.Epoch, humanize.Bytes(int64(info.Size)), info.Format)
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t"+format+"\n", append([]any{name}, args...)...)
	}
	m.describeMap(line)
	m.describeModel(line)
	m.describeColumns(line)
	for _, at := range s.Positions {
		line("learnt up to", "%s", at)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	p.printf("\n")
	t = tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "block\ttype\trows\tcolumns\tbytes\t")
	for _, b := range info.Blocks {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t\n", b.Name, b.Type, b.Rows, b.Cols, b.Length)
	}
	return t.Flush()
}

// liner prints a line of a description: a name, and what is known of it.
type liner = func(name, format string, args ...any)

// describeMap says what is mapped.
func (m *modelFile) describeMap(line liner) {
	s := m.s
	line("map id", "%s", idOrNone(s.MapID))
	line("kind", "%s", s.Kind)
	line("map", "%d dimensions", s.Mu.Cols)
	if g := s.Graph; g != nil {
		line("graph", "%s, with bridges between its parts; weights are %v", humanize.Plural(g.Lengths.NNZ()/2, "edge"), g.Weights)
	} else {
		line("vectors", "%s%s", humanize.Plural(s.Dim, "value"), madeOf(m.encoder))
	}
	if e := m.encoder; e != nil && e.Metric() != ingest.Euclidean {
		line("metric", "%s", e.Metric())
	}
	if e := m.encoder; e != nil && e.Fills() {
		line("missing values", "become the means of their columns")
	}
	if m.spec.PCA == fit.PCANone && s.Components.Rows > 0 {
		line("projection", "onto %d columns that vary", s.Components.Rows)
	} else if s.Components.Rows > 0 {
		line("projection", "%d principal components", s.Components.Rows)
	}
	line("reference points", "%s, for %s", humanize.Count(s.Mu.Rows), humanize.Plural(m.rows(), "row"))
	if n := countTrue(s.Unlearnt); n > 0 {
		line("placed, not learnt", "%s", humanize.Count(n))
	}
}

// describeModel says how it was learnt.
func (m *modelFile) describeModel(line liner) {
	s, spec := m.s, m.spec
	if s.Kind != fit.LVM {
		for _, l := range spec.Kinds.Describe(s) {
			line(l.Name, "%s", l.Value)
		}
		line("learning", "%d iterations, seed %d", s.Steps, spec.Seed)
		return
	}
	inspectTails(line, s, spec.LVM)
	line("learning", "%d steps, momentum %v, seed %d", max(spec.Steps, 0), spec.LVM.Momentum(), spec.Seed)
	if f, known := embed.StatsOf(s); known {
		line("stream", "%s learnt in %s%s", f.At.Format(time.DateTime), humanize.Span(f.Took), logs.Change(&f, f.Took))
	}
}

// describeColumns says what else the rows have.
func (m *modelFile) describeColumns(line liner) {
	if m.encoder != nil {
		pick := m.encoder.Selection()
		for _, c := range []struct{ name, value string }{{"id", pick.ID}, {"label", pick.Label}, {"kept", strings.Join(pick.Keep, ", ")}} {
			if c.value != "" {
				line(c.name, "%s", c.value)
			}
		}
	}
	if m.classes != nil {
		line("classes", "%d told apart: %s", len(m.classes), strings.Join(m.classes, ", "))
	}
	if g := m.groups; g != nil {
		among := ""
		if g.OfRows() {
			among = " among the vectors"
		}
		line("clusters", "%s of at least %s%s, %.1f%% noise; the last id is %d", humanize.Plural(len(g.ID), "cluster"), humanize.Plural(g.Set.MinSize, "point"), among, 100*g.NoiseShare(), g.State.Last)
		for _, c := range g.State.Clusters {
			if c.Missing == 0 {
				line(fmt.Sprintf("  %d", c.ID), "%s", humanize.Plural(c.Size, "point"))
			}
		}
	}
}

// idOrNone names the id of a map for people.
func idOrNone(id string) string {
	if id == "" {
		return "none (it is from before maps had ids)"
	}
	return id
}

// inspectTails says what belongs to one kind of tails.
func inspectTails(line liner, s *snapshot.Snapshot, o lvm.Options) {
	tails := lvm.TailsOf(s)
	st := s.Student
	if st == nil {
		line("tails", "%v", tails)
		line("neighbours", "%d to learn by (core %d), %d for novelty", s.Neighbors, o.Saul.Core, s.NoveltyK)
		return
	}
	line("tails", "%v (a = %v)", tails, st.Tail)
	line("neighbours", "%d to learn by, %d for novelty", s.Neighbors, s.NoveltyK)
	scales := fmt.Sprintf("in units of %.4g, clipped to %.3g..%.3g", math.Sqrt(st.Unit), math.Sqrt(st.Clip[0]), math.Sqrt(st.Clip[1]))
	if st.Clip[0] == st.Clip[1] {
		scales = "all the same"
	}
	line("scales", "%s", scales)
	theta := ""
	if st.Theta > 0 {
		theta = fmt.Sprintf(", theta %.3g", st.Theta)
	}
	line("dissimilar pairs", "%s%s, weight %.4g each, seed %d", st.Field, theta, st.Weight, st.Seed)
	if o.Student.Supervision > 0 {
		line("supervision", "%v: labels took part in learning", o.Student.Supervision)
	}
	line("variances", "%v, median sigma %.3g; median error of places %.3g", o.Student.Sigma, math.Sqrt(quantile.Median(slices.Clone(s.Sigma2))), math.Sqrt(quantile.Median(slices.Clone(st.Error2))))
}

// madeOf says which columns a vector's values come from.
func madeOf(e *ingest.Encoder) string {
	switch {
	case e == nil:
		return ""
	case e.Vector() != "":
		return fmt.Sprintf(", from the column %q", e.Vector())
	}
	var columns []string
	for _, n := range e.Names() {
		name, _, _ := strings.Cut(n, "=")
		if !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
	}
	const most = 8
	if len(columns) > most {
		return fmt.Sprintf(", from %d columns: %s, ...", len(columns), strings.Join(columns[:most], ", "))
	}
	return ", from " + strings.Join(columns, ", ")
}

func countTrue(v []bool) int {
	n := 0
	for _, b := range v {
		if b {
			n++
		}
	}
	return n
}

// inspectData describes any file of rows, by all of them, and shows the first.
func (c *inspectCmd) inspectData(ctx context.Context, p *program, o ingest.Options) error {
	if err := p.vet(ctx, c.File); err != nil {
		return err
	}
	r, err := ingest.Open(ctx, c.File, o)
	if err != nil {
		return err
	}
	defer r.Close()
	var first *table.Table
	rows, _ := rowsOf(r)
	p.progress.Stage("read", "rows", rows)
	profile, err := ingest.ReadProfile(ctx, r, func(t *table.Table) {
		if first == nil {
			first = t
		}
		p.progress.Set(t.Origin.Row + int64(t.Len()))
	})
	if err != nil {
		return err
	}
	p.progress.End()
	if c.JSON {
		return json.NewEncoder(p.Stdout).Encode(dataReport(c.File, r, first, c.Rows, profile))
	}
	p.printf("%s: %s of %s%s\n\n", c.File, humanize.Plural(profile.Rows, "row"), humanize.Plural(len(profile.Columns), "column"), describeMap(r))
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "column\ttype\tmissing\trange\t")
	shown := 0
	if first != nil {
		shown = min(c.Rows, first.Len())
	}
	for i := range shown {
		fmt.Fprintf(t, "row %d\t", i+1)
	}
	fmt.Fprintln(t)
	for i := range profile.Columns {
		f := &profile.Columns[i]
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t", f.Name, f.Type, humanize.Count(f.Missing), rangeOf(f))
		for i := range shown {
			fmt.Fprintf(t, "%s\t", cell(first, f.Name, i))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if advice := advise(profile, r); advice != "" {
		p.printf("\n%s\n", advice)
	}
	return nil
}

// rangeOf says in short what values a column has.
func rangeOf(c *ingest.ColumnProfile) string {
	switch {
	case c.Distinct >= ingest.MostDistinct:
		return humanize.Count(c.Distinct) + " values or more"
	case c.Distinct > 0:
		return humanize.Plural(c.Distinct, "value")
	case math.IsNaN(c.Min):
		return ""
	case c.First != "":
		return clip(c.First) + " .. " + clip(c.Last)
	}
	return fmt.Sprintf("%.4g .. %.4g", c.Min, c.Max)
}

// advise says what to give fit so that it takes the columns of a file, "" of a map.
func advise(p *ingest.Profile, r table.Reader) string {
	if _, is := isMap(r); is {
		return ""
	}
	var lines, vectors []string
	for _, c := range p.Columns {
		if c.Kind == table.Vector || c.Kind == table.SparseVector {
			vectors = append(vectors, c.Name)
		}
	}
	switch {
	case p.Vector != "":
		lines = append(lines, fmt.Sprintf("fit takes the vectors in %q", p.Vector))
		if p.Entries != nil {
			lines = append(lines, "the rows are "+sparseWords(int(p.Rows), *p.Entries))
		}
	case len(vectors) > 1:
		lines = append(lines, "fit takes one column of vectors: --vector "+strings.Join(vectors, ", or --vector "))
	case p.Suggested != "":
		lines = append(lines, "for fit: "+p.Suggested)
		if text := ingest.DescribeLeft(p.Left); text != "" {
			lines = append(lines, text)
		}
	default:
		lines = append(lines, "there is no column that fit could take")
	}
	for i := range p.Columns {
		lines = append(lines, sparseLines(&p.Columns[i])...)
	}
	for _, f := range r.Schema() {
		if odd := (table.Origin{}).OddValue(f); odd != nil {
			lines = append(lines, odd.Error())
		}
	}
	if slices.ContainsFunc(p.Columns, func(c ingest.ColumnProfile) bool {
		return c.Missing > 0 && (c.Kind == table.Number || c.Kind == table.Vector || c.Kind == table.SparseVector)
	}) {
		lines = append(lines, "values are missing: --missing mean fills them, --missing drop leaves their rows out")
	}
	return strings.Join(lines, "\n")
}

// sparseLines say what a column of sparse vectors holds, and what is wrong in it.
func sparseLines(c *ingest.ColumnProfile) (lines []string) {
	if c.Width > 0 {
		lines = append(lines, fmt.Sprintf("the vectors in %q have %s, of which %.3g %% are 0", c.Name, humanize.Plural(c.Width, "value"), 100*c.Zeros()))
	}
	if c.Problem != nil {
		lines = append(lines, c.Problem.Error())
	}
	return lines
}

// rowsOf is how many rows a source has, as far as it knows.
func rowsOf(r table.Reader) (n int64, known bool) {
	if counted, ok := r.(table.Counted); ok {
		return counted.NumRows()
	}
	return 0, false
}

// isMap reports whether a file is a map, and the map's id, if the file names it.
func isMap(r table.Reader) (id string, is bool) {
	vector, whole := r.Schema().Find(emit.EmbeddingName)
	first, apart := r.Schema().Find(emit.EmbeddingName + "_0")
	if !(whole && vector.Kind == table.Vector || apart && first.Kind == table.Number) {
		return "", false
	}
	if i, ok := r.(table.Identified); ok {
		id = i.MapID()
	}
	return id, true
}

// describeMap adds what a map has and other files do not.
func describeMap(r table.Reader) string {
	switch id, is := isMap(r); {
	case id != "":
		return ", of the map " + id
	case is:
		return ", a map"
	}
	return ""
}

// cell is one value, cut to a width that fits a terminal.
func cell(t *table.Table, column string, row int) string {
	c, ok := t.Column(column)
	if !ok {
		return ""
	}
	if c.IsNull(row) {
		return "(null)"
	}
	return clip(c.Text(row))
}

// clip is a value on one line, cut to a width of which several fit a terminal.
func clip(text string) string {
	const width = 18
	text = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text
}
