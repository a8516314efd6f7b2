package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/csv"
	"unfold/ingest/emit"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/internal/address"
	"unfold/models/snapshot"
)

// textFlags set the format of text files.
type textFlags struct {
	CSVHeader    string            `group:"text" rare:"" name:"csv-header" enum:"auto,yes,no" default:"auto" placeholder:"auto|yes|no" help:"Whether the first line names the columns."`
	CSVNames     []string          `group:"text" rare:"" name:"csv-names" placeholder:"NAME" help:"Names of the columns of a file without a header."`
	CSVSeparator string            `group:"text" rare:"" name:"delimiter" aliases:"csv-separator" placeholder:"CHAR" help:"Separator of fields: a character, tab, or space for any run of blanks. Default: inferred from the first lines."`
	CSVSkip      int               `group:"text" rare:"" name:"csv-skip" placeholder:"N" help:"Lines to skip before the header, or the first record. Default: all before records with equal numbers of fields."`
	CSVComment   string            `group:"text" rare:"" name:"csv-comment" placeholder:"CHAR" help:"What begins a comment, up to the end of the line."`
	CSVQuote     string            `group:"text" rare:"" name:"csv-quote" placeholder:"CHAR|none" help:"Quote around fields that contain separators or line ends. Default: \"; none: quotes are plain characters."`
	CSVEscape    string            `group:"text" rare:"" name:"csv-escape" placeholder:"CHAR" help:"What takes the character behind it as it is, such as \\."`
	CSVTrim      bool              `group:"text" rare:"" name:"csv-trim" help:"Leave out blanks behind separators."`
	CSVFill      bool              `group:"text" rare:"" name:"csv-fill" help:"Take records with too few fields, whose last values are missing."`
	CSVThousands string            `group:"text" rare:"" name:"csv-thousands" placeholder:"CHAR" help:"The mark between thousands of numbers."`
	MissingWords []string          `group:"text" rare:"" name:"missing-values" sep:"," placeholder:"TEXT,..." help:"Further words and numbers that stand for no value, such as -999. Known are an empty field, NA, NaN, null, None, - and the like."`
	Decimal      string            `group:"text" rare:"" name:"decimal" placeholder:".|," help:"The decimal sign of numbers. Default: a comma if numbers have one and none has a point."`
	Encoding     string            `group:"text" rare:"" name:"encoding" placeholder:"NAME" help:"Encoding of the text, such as latin1, windows-1251, utf-16, shift_jis. Default: UTF-8, or what a byte order mark says."`
	Types        map[string]string `group:"text" rare:"" name:"types" mapsep:"," placeholder:"COL=TYPE,..." help:"Types of columns, instead of the inferred ones: int64, uint64, float64, bool, string."`
}

func (t textFlags) options(p *program) (ingest.Options, error) {
	o := p.inputs()
	o.CSV.Names, o.CSV.Types = t.CSVNames, t.Types
	if t.Decimal != "" && t.Decimal != "." && t.Decimal != "," {
		return o, usagef("--decimal: %q is neither . nor ,", t.Decimal)
	}
	if t.Decimal != "" {
		o.CSV.Decimal = rune(t.Decimal[0])
	}
	o.CSV.Header = map[string]csv.Header{"auto": csv.HeaderAuto, "yes": csv.HeaderYes, "no": csv.HeaderNo}[t.CSVHeader]
	if err := csv.CheckEncoding(t.Encoding); err != nil {
		return o, usagef("--encoding: %w", err)
	}
	if err := csv.CheckTypes(t.Types); err != nil {
		return o, usagef("--types: %w", err)
	}
	o.CSV.Encoding, o.CSV.Skip, o.CSV.Trim, o.CSV.Fill, o.CSV.Missing = t.Encoding, t.CSVSkip, t.CSVTrim, t.CSVFill, t.MissingWords
	if t.CSVSkip < 0 {
		return o, usagef("--csv-skip: %d is negative", t.CSVSkip)
	}
	for _, c := range []struct {
		name, given string
		to          *rune
	}{{"csv-quote", t.CSVQuote, &o.CSV.Quote}, {"csv-escape", t.CSVEscape, &o.CSV.Escape}, {"csv-comment", t.CSVComment, &o.CSV.Comment}, {"csv-thousands", t.CSVThousands, &o.CSV.Thousands}} {
		switch {
		case c.given == "":
		case c.given == "none" && c.name == "csv-quote":
			*c.to = csv.NoQuote
		case len(c.given) == 1 && c.given[0] < utf8.RuneSelf:
			*c.to = rune(c.given[0])
		case c.name == "csv-thousands" && utf8.ValidString(c.given) && utf8.RuneCountInString(c.given) == 1:
			*c.to, _ = utf8.DecodeRuneInString(c.given) // some countries use a thin blank
		default:
			return o, usagef("--%s: %q is not one ASCII character", c.name, c.given)
		}
	}
	switch t.CSVSeparator {
	case "":
	case "tab", `\t`:
		o.CSV.Comma = '\t'
	case "space":
		o.CSV.Comma = ' '
	default:
		r, size := utf8.DecodeRuneInString(t.CSVSeparator)
		if size != len(t.CSVSeparator) {
			return o, usagef("--delimiter: %q is not one character, tab or space", t.CSVSeparator)
		}
		o.CSV.Comma = r
	}
	return o, nil
}

// inputs returns the input options that all commands share.
func (p *program) inputs() ingest.Options {
	o := ingest.Options{Stdin: p.Stdin, NoCopies: p.untrusted.memory > 0, Local: p.remote.Local}
	if p.untrusted.memory > 0 {
		o.Guard = p.guard
	}
	return o
}

// expand is input.Expand extended to URLs, which are downloaded.
func (p *program) expand(ctx context.Context, patterns []string) ([]string, error) {
	var out []string
	for _, pattern := range patterns {
		expand := func() ([]string, error) { return input.Expand([]string{pattern}) }
		if input.IsAddress(pattern) && !strings.HasPrefix(pattern, "file:") {
			expand = func() ([]string, error) { return p.remote.Expand(ctx, pattern) }
		}
		paths, err := expand()
		if err != nil {
			return nil, err
		}
		out = append(out, paths...)
	}
	if len(out) == 0 {
		return input.Expand(nil)
	}
	return out, nil
}

// fetching shows the progress of a download.
func (p *program) fetching(address string, done, total int64) {
	if done <= 1<<20 {
		p.progress.Stage("fetch", "bytes", total)
	}
	p.progress.Set(done)
}

// suggest selects the columns that inspect suggests for a table without vectors, with a note, unless
// columns are named. It returns the settings that it adds. It skips sources that can be read only
// once.
func (p *program) suggest(ctx context.Context, paths []string, o *ingest.ReadOptions) ([]ingest.Setting, error) {
	if m := o.Mapping; m.Vector != "" || len(m.Columns) > 0 || input.ReadOnce(paths[0]) {
		return nil, nil
	}
	if err := p.vet(ctx, paths...); err != nil {
		return nil, err
	}
	m, settings, err := ingest.Suggest(ctx, paths[0], *o)
	if err != nil || len(settings) == 0 {
		return nil, err
	}
	if len(m.Columns) > 0 {
		p.note("no column is named, and none holds vectors: reading %s as with %s", address.Address(paths[0]), ingest.Flags(settings))
	}
	say := p.note // in a file of vectors the label is recognised by its name, which is no choice
	if len(m.Columns) > 0 {
		say = p.chose
	}
	for _, s := range settings {
		if s.Why != "" && (s.Name == "columns" || m.Label == s.Value) {
			say("%s", s.Why)
		}
	}
	o.Mapping = m
	return settings, nil
}

// mapping converts the settings of columns to those of package ingest.
func mapping(c config.Columns) (ingest.Mapping, error) {
	m := ingest.Mapping{
		Vector: c.Vector, Log1p: c.Log1p, Standardize: c.Standardize, MaxVocabulary: c.Vocabulary,
		Mixed: c.Mixed, Metric: c.Metric, Fill: c.Missing == "mean", Drop: c.Missing == "drop", Strict: c.Missing == "error",
		Selection: selection(c),
	}
	if m.Metric == ingest.Euclidean {
		m.Metric = ""
	}
	if m.Mixed && len(c.Columns) == 0 {
		c.Columns = []string{"*"}
	}
	if c.Vector != "" && len(c.Columns) > 0 {
		return m, usagef("both a vector column (%q) and plain columns are named; keep one of them", c.Vector)
	}
	if len(c.Columns) > 0 {
		columns, err := ingest.ParseColumns(strings.Join(c.Columns, ","))
		if err != nil {
			return m, &usageError{err: err}
		}
		m.Columns = columns
	}
	keep := c.Keep
	if c.Label != "" {
		keep = append([]string{c.Label}, keep...)
	}
	if err := errors.Join(emit.CheckKept(c.ID, keep), m.Check()); err != nil {
		return m, &usageError{err: err}
	}
	return m, nil
}

// selection returns the columns that pass through.
func selection(c config.Columns) ingest.Selection {
	return ingest.Selection{ID: c.ID, Keep: c.Keep, Label: c.Label, ReplaceText: c.InvalidText == "replace"}
}

// readMap reads a map. It returns a specific error for a model, because models and maps are often
// confused.
func readMap(ctx context.Context, p *program, path string) (*emit.Map, error) {
	return readMapBy(ctx, p, path, ingest.ReadMap)
}

// readDrawn is like readMap, for pictures: rows without a place have NaN.
func readDrawn(ctx context.Context, p *program, path string) (*emit.Map, error) {
	return readMapBy(ctx, p, path, ingest.ReadDrawn)
}

func readMapBy(ctx context.Context, p *program, path string, read func(context.Context, string, ingest.Options) (*emit.Map, error)) (*emit.Map, error) {
	if err := notModel(path); err != nil {
		return nil, err
	}
	if err := p.vet(ctx, path); err != nil {
		return nil, err
	}
	return read(ctx, path, p.inputs())
}

// notModel returns an error if a model is given where a map is expected.
func notModel(path string) error {
	if path == "-" || !isModel(path) {
		return nil
	}
	return &table.Error{Origin: table.Origin{File: path}, Row: -1, Problem: "this is a model, not a map",
		Hint: "the map is what fit --map and embed -o write"}
}

// mapColumn returns a map's column. The error for a missing column names the file and its columns, and
// says how a map gets others.
func mapColumn(file string, m *emit.Map, name string) (table.Column, error) {
	c, err := m.Column(name)
	var e *table.Error
	if errors.As(err, &e) {
		e.Origin.File = file
		return c, e.Suggest("%s; a map has the columns of the data that fit --keep names, and --beside FILE adds those of a table with its rows", e.Hint)
	}
	return c, err
}

// mapLabels returns the classes of a map: the named column, else that of labelOf, else nil.
func mapLabels(file string, m *emit.Map, name string) ([]string, error) {
	if name == "" {
		if name = labelOf(m); name == "" {
			return nil, nil
		}
	}
	c, err := mapColumn(file, m, name)
	if err != nil {
		return nil, err
	}
	return c.Strings(), nil
}

// labelOf returns the column of a map that has its classes: label, else the only column of the data
// that the map has, if its values are classes; "" if there is none.
func labelOf(m *emit.Map) string {
	if _, err := m.Column(ingest.LabelName); err == nil {
		return ingest.LabelName
	}
	if len(m.Kept) != 1 || table.Millis(m.Kept[0]) != nil {
		return ""
	}
	const most = 100
	_, classes := colorBy(m.Kept[0])
	distinct := map[string]bool{}
	for _, of := range classes {
		if distinct[of] = true; len(distinct) > most {
			return ""
		}
	}
	if len(distinct) < 2 || 2*len(distinct) > len(classes) {
		return ""
	}
	return m.Kept[0].Name()
}

// readLabels reads label files. Together they have to have n labels, in the order of the rows.
func readLabels(ctx context.Context, paths []string, n int, o ingest.Options) ([]string, error) {
	var labels []string
	for _, path := range paths {
		c, err := ingest.OpenLabels(ctx, path, o)
		if err != nil {
			return nil, err
		}
		labels = append(labels, c.Strings()...)
	}
	if len(labels) != n {
		return nil, &table.Error{Origin: table.Origin{File: strings.Join(paths, ", ")}, Row: -1,
			Problem: fmt.Sprintf("%s for %s", humanize.Plural(len(labels), "label"), humanize.Plural(n, "row"))}
	}
	return labels, nil
}

// readModel reads a model of vectors, and returns an error for the model of a graph. See
// readAnyModel.
func readModel(ctx context.Context, path string) (*snapshot.Snapshot, error) {
	s, err := readAnyModel(ctx, path)
	if err != nil {
		return nil, err
	}
	return s, ofVectors(path, s)
}

// readAnyModel reads a model file. The error for a missing file suggests similar names, as for any
// other input.
func readAnyModel(ctx context.Context, path string) (*snapshot.Snapshot, error) {
	s, err := keptOf(ctx).read(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := ingest.Open(ctx, path, ingest.Options{}); missing != nil {
			return nil, missing
		}
	}
	return s, err
}

// readAll reads files into memory and reports the progress.
func readAll(ctx context.Context, p *program, patterns []string, o ingest.ReadOptions) (*ingest.Dataset, error) {
	paths, err := p.expand(ctx, patterns)
	if err != nil {
		return nil, err
	}
	if err := p.vet(ctx, paths...); err != nil {
		return nil, err
	}
	stage := ""
	o.Progress = func(name string, done, total int64) {
		if name != stage {
			stage = name
			p.progress.Stage(name, "rows", total)
		}
		p.progress.Set(done)
	}
	d, err := ingest.ReadAll(ctx, paths, o)
	if err != nil {
		return nil, err
	}
	p.progress.End()
	p.noteGuesses(d.Guesses)
	p.noteLeft(d.Left)
	p.noteDropped(d.Dropped)
	p.noteBlank(d.Blank)
	if d.Lost != nil {
		p.note("%s", d.Lost.Describe())
	}
	return d, nil
}

// noteGuesses writes notes on assumptions about text files, which may be wrong.
func (p *program) noteGuesses(guesses []string) {
	for _, g := range guesses {
		p.note("%s", g)
	}
}

// noteDropped writes a note with the number of dropped rows.
func (p *program) noteDropped(rows int) {
	if rows > 0 {
		p.note("%s left out, since a value is missing (--missing drop)", humanize.Plural(rows, "row"))
	}
}

// noteBlank writes a note with the number of rows without a direction, which the metric needs.
func (p *program) noteBlank(rows int) {
	if rows > 0 {
		p.note("%s without a direction, of zeros or of equal values, at distance 1 from all others", humanize.Plural(rows, "row"))
	}
}

// noteLeft writes a note on the columns that "*" excludes.
func (p *program) noteLeft(left []ingest.Left) {
	if text := ingest.DescribeLeft(left); text != "" {
		p.note("%s", text)
	}
}

// noteHeld writes a note on kept columns that the output format stores as another type.
func (p *program) noteHeld(path string, o *emit.Output) error {
	text, err := emit.DescribeHeld(path, o)
	if text != "" {
		p.note("%s", text)
	}
	return err
}
