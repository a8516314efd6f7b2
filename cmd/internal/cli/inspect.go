package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/terminal"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/address"
	"unfold/models/budget"
	"unfold/models/fit"
)

type inspectCmd struct {
	File string `arg:"" help:"A model, a map, or any data file that fit reads."`
	Rows int    `default:"5" placeholder:"N" help:"Rows of data to show. Default 5."`
	JSON bool   `name:"json" help:"Write one JSON object, on one line."`
	textFlags
	memoryFlag
}

func (c *inspectCmd) Run(ctx context.Context, p *program) error {
	if isModel(c.File) {
		m, err := openModel(c.File, fit.With(p.Kinds...))
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(p.jsonOut()).Encode(m.report())
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

// manyColumns is the number of columns whose names and types take more memory than small files have
// values, so that garbage is collected earlier.
const manyColumns = 2000

// inspectData describes a file of rows by reading all of them, and shows the first rows.
func (c *inspectCmd) inspectData(ctx context.Context, p *program, o ingest.Options) error {
	if err := p.vet(ctx, c.File); err != nil {
		return err
	}
	r, err := ingest.Open(ctx, c.File, o)
	if err != nil {
		return err
	}
	defer r.Close()
	if _, collects := p.env("GOGC"); !collects && len(r.Schema()) >= manyColumns {
		defer budget.Collect(0)()
	}
	var first *table.Table
	rows, _ := table.RowsOf(r)
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
		return json.NewEncoder(p.jsonOut()).Encode(dataReport(c.File, r, first, c.Rows, profile))
	}
	p.printf("%s: %s of %s%s\n\n", table.Line(address.Address(c.File).String()), humanize.Plural(profile.Rows, "row"), humanize.Plural(len(profile.Columns), "column"), describeMap(r))
	if g := ingest.Guessed(r); g != nil && g.Reading() != "" {
		p.printf("%s\n\n", g.Reading())
	}
	t := tabwriter.NewWriter(p.people(), 0, 0, 2, ' ', 0)
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
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t", terminal.Name(f.Name), f.Type, humanize.Count(f.Missing), rangeOf(f))
		for i := range shown {
			fmt.Fprintf(t, "%s\t", terminal.Name(cell(first, f.Name, i)))
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

// rangeOf summarizes the values of a column.
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

// unread names the columns that cannot be read.
func unread(p *ingest.Profile) (lines []string) {
	for _, f := range p.Unread {
		lines = append(lines, fmt.Sprintf("column %q of type %s is not read", f.Name, f.Type))
	}
	return lines
}

// advise suggests flags of fit that use the columns of a file. For a map it only names columns that
// cannot be read.
func advise(p *ingest.Profile, r table.Reader) string {
	if _, is := isMap(r); is {
		return strings.Join(unread(p), "\n")
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
	case len(p.Suggested()) > 0:
		lines = append(lines, "for fit: "+ingest.Flags(p.Suggested()))
		for _, s := range p.Suggested() {
			if s.Why != "" {
				lines = append(lines, s.Why)
			}
		}
		if text := ingest.DescribeLeft(p.Unused()); text != "" {
			lines = append(lines, text)
		}
	case p.Constant() != "":
		lines = append(lines, p.Constant())
	default:
		lines = append(lines, "there is no column that fit could take")
		for _, c := range p.Columns {
			if c.Kind == table.Text && c.Distinct > 1 && !strings.ContainsAny(c.Name, `,:\'*?[`) {
				lines = append(lines, fmt.Sprintf("a model of text embeddings makes vectors of text; without one, its words do: --columns '%s:tokens=64'", c.Name))
				break
			}
		}
	}
	lines = append(lines, unread(p)...)
	for i := range p.Columns {
		lines = append(lines, sparseLines(&p.Columns[i])...)
	}
	for _, f := range r.Schema() {
		if odd := (table.Origin{}).OddValue(f); odd != nil {
			lines = append(lines, odd.Error())
		}
	}
	if slices.ContainsFunc(p.Columns, func(c ingest.ColumnProfile) bool { return c.Null > 0 && (p.Vector == "" || p.Vector == c.Name) }) {
		lines = append(lines, "vectors are missing: --missing drop leaves their rows out")
	} else if slices.ContainsFunc(p.Columns, func(c ingest.ColumnProfile) bool {
		return c.Missing > 0 && (c.Kind == table.Number || c.Kind == table.Vector || c.Kind == table.SparseVector)
	}) {
		lines = append(lines, "values are missing: --missing mean fills them, --missing drop leaves their rows out")
	}
	return strings.Join(lines, "\n")
}

// sparseLines describe a column of sparse vectors and the problems in it.
func sparseLines(c *ingest.ColumnProfile) (lines []string) {
	if c.Width > 0 {
		lines = append(lines, fmt.Sprintf("the vectors in %q have %s, of which %.3g %% are 0", c.Name, humanize.Plural(c.Width, "value"), 100*c.Zeros()))
	}
	if c.Problem != nil {
		lines = append(lines, c.Problem.Error())
	}
	return lines
}

// isMap reports whether a file is a map. It also returns the map's id, if the file has one.
func isMap(r table.Reader) (id string, is bool) {
	vector, whole := r.Schema().Find(emit.EmbeddingName)
	first, apart := r.Schema().Find(emit.EmbeddingName + "_0")
	id = table.MapOf(r)
	_, placed := r.Schema().Find(emit.EpochName) // data have vectors of this name, too
	whole = whole && vector.Kind == table.Vector && (placed || id != "")
	if !whole && !(apart && first.Kind == table.Number) {
		return "", false
	}
	return id, true
}

// describeMap describes the properties that only maps have.
func describeMap(r table.Reader) string {
	switch id, is := isMap(r); {
	case id != "":
		return ", of the map " + id
	case is:
		return ", a map"
	}
	return ""
}

// cell formats one value, clipped to the width of a terminal column.
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

// clip puts a value on one line and clips it, so that several fit on a terminal's line.
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
