package csv

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"unfold/ingest/input"
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Options say how text files are read. The zero value guesses.
type Options struct {
	// Header says whether the first record holds the columns' names.
	Header Header
	// Names are the columns' names for files without a header (or instead of
	// one); nil means column_0, column_1, ...
	Names []string
	// Comma separates fields; ' ' stands for any run of blanks and tabs. 0 means
	// the one of comma, tab, semicolon and bar by which the first lines have
	// equally many fields, and of several the one that leaves most numbers; or,
	// but for names in .csv, blanks.
	Comma rune
	// DecimalComma says that 1,5 is one and a half.
	DecimalComma bool
	// Thousands is the mark between thousands, 0 for none.
	Thousands rune
	// Quote stands around fields that hold separators or line ends; 0 means ", and NoQuote
	// that quotes are plain characters. Escape takes the character behind it as it is, and
	// Comment begins what is passed over, up to the end of the line; 0 means that none does.
	// All are ASCII.
	Quote, Escape, Comment rune
	// Trim passes over blanks behind separators.
	Trim bool
	// Skip is a number of lines to pass over at the beginning.
	Skip int
	// Fill has records with too few fields end with missing values.
	Fill bool
	// Missing has further words and numbers that stand for a missing value.
	Missing []string
	// Encoding names what the text is in (see CheckEncoding); "" means UTF-8, or
	// what a byte order mark says.
	Encoding string
	// Types set columns' types by name: int64, uint64, float64, bool or string. Others
	// are inferred: the type of most values, where NA and its like count as none.
	Types map[string]string
	// InferBytes bounds how much of the text is looked at to infer types; 0
	// means 64 MiB.
	InferBytes int64
}

// NoQuote is Options.Quote for texts in which quotes are plain characters.
const NoQuote rune = -1

// Header says whether a text file has a line of names.
type Header int

const (
	// HeaderAuto takes the first record for names if it equals Names, or, without
	// Names, by the rules of decideHeader: all its fields are filled and none is a number,
	// or they count up, are whole numbers above fractions, or names above numbers.
	HeaderAuto Header = iota
	// HeaderYes and HeaderNo are sure.
	HeaderYes
	HeaderNo
)

// reader reads separated text. Types come from a first look at the text (a
// second reading of a file; the buffered start of a pipe), so that columns have
// types before the first table, and are held from then on. A field that is empty or
// stands for no value is null; in a text column only an empty one, or a word that Options.Missing has.
type reader struct {
	in      *textRecords
	close   func() error
	origin  table.Origin
	schema  *arrow.Schema
	seen    Inferred
	numbers numerals
	fill    bool
	batch   int
}

// Inferred is what the first look at a text says.
type Inferred struct {
	layout
	dialect dialect
	columns []column
	names   []string
	rows    int64  // that were looked at
	index   []bool // columns without a name, or with that of pandas' index
	said    []string
}

// column is a column of a text.
type column struct {
	t     columnType
	set   bool       // the type was set, not inferred
	odd   *table.Odd // of a text column that holds something else but for some values
	seems string     // what a text column holds, if more can be said than its type
	index bool       // it has no name, or the one that pandas gives to its index
}

// NewReader opens a text. What a first look says is kept in looked, if that is not nil, by
// the file's name.
func NewReader(in *input.Source, opts Options, batchRows int, looked map[string]Inferred) (table.Reader, error) {
	origin := in.Origin
	seen, ok := looked[origin.File]
	if !ok {
		var err error
		if seen, err = look(in, opts); err != nil {
			return nil, err
		}
		if looked != nil {
			looked[origin.File] = seen
		}
	}
	text, err := newTextReader(in.Reader, opts.Encoding, origin)
	if err != nil {
		return nil, err
	}
	records := newTextRecords(text, seen.dialect, origin)
	r := &reader{in: records, close: in.Close, origin: origin, seen: seen, numbers: opts.numerals(), fill: opts.Fill, batch: min(batchRows, max(1, batchFields/len(seen.columns)))}
	fields := make([]arrow.Field, len(seen.names))
	for i, n := range seen.names {
		fields[i] = arrow.Field{Name: n, Type: seen.columns[i].t.arrow(), Nullable: true}
	}
	r.schema = arrow.NewSchema(fields, nil)
	before := seen.title
	if seen.header {
		before++
	}
	for range before {
		if _, err := r.in.next(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// look guesses dialect, layout and types by the beginning of a text.
func look(in *input.Source, opts Options) (Inferred, error) {
	first, err := in.Again(opts.inferBytes())
	if err != nil {
		return Inferred{}, err
	}
	defer first.Close()
	text, err := newTextReader(first.Reader, opts.Encoding, in.Origin)
	if err != nil {
		return Inferred{}, err
	}
	head := bufio.NewReaderSize(text, 1<<20)
	beginning, err := head.Peek(head.Size())
	if len(beginning) == 0 && err != io.EOF {
		return Inferred{}, textError(in.Origin, err)
	}
	d, said := guessDialect(string(beginning), err == nil, in.Origin.File, opts)
	out, err := inferTypes(newTextRecords(head, d, in.Origin), first.IsCut, opts, said)
	out.dialect = d
	return out, err
}

// batchFields bounds the fields of a batch.
const batchFields = 1 << 25

// inferBytes is how much of a text is looked at.
func (o Options) inferBytes() int64 {
	if o.InferBytes == 0 {
		return 64 << 20
	}
	return o.InferBytes
}

func (r *reader) Schema() table.Schema {
	s := table.Describe(r.schema)
	for i, c := range r.seen.columns {
		s[i].Odd, s[i].Seems, s[i].Index = c.odd, c.seems, s[i].Index || c.index
	}
	return s
}

func (r *reader) Close() error { return r.close() }

func (r *reader) Next(ctx context.Context) (*table.Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := array.NewRecordBuilder(table.Heap, r.schema)
	text := &table.Texts{}
	n := 0
	for n < r.batch {
		rec, err := r.in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, located(err, r.origin.Row+int64(n))
		}
		if rec, err = r.fitted(rec, n); err != nil {
			return nil, err
		}
		text.Lines = append(text.Lines, r.in.line())
		for i, field := range rec {
			switch r.appendField(b.Field(i), i, field) {
			case misfit:
				return nil, r.misfit(n, i, field)
			case inexact:
				text.Keep(n, r.seen.names[i], field)
			}
		}
		n++
	}
	if n == 0 {
		return nil, io.EOF
	}
	t := table.OfText(r.origin, b.NewRecord(), text)
	r.origin.Row += int64(n)
	return t, nil
}

// fitted returns a record of as many fields as there are columns.
func (r *reader) fitted(rec []string, n int) ([]string, error) {
	width := len(r.seen.columns)
	switch {
	case len(rec) == width:
		return rec, nil
	case len(rec) == width+1 && r.seen.last && strings.TrimSpace(rec[width]) == "":
		return rec[:width], nil
	case len(rec) < width && r.fill:
		for len(rec) < width {
			rec = append(rec, "")
		}
		return rec, nil
	}
	e := r.origin.BadAt(n, "", "it has %s instead of %d", counted(len(rec), "field"), width)
	e.Line = r.in.line()
	hint := "quote fields that hold separators"
	switch {
	case len(rec) < width:
		hint += "; if what lacks at the end is missing say so: --csv-fill"
	case r.origin.Row == 0 && n == 0:
		hint += "; if the header begins some lines further down say so: --csv-skip N"
	}
	return nil, e.Suggest("%s; if lines such as this one are comments say so: --csv-comment CHAR", hint)
}

// Guesses implements table.Guessed.
func (r *reader) Guesses() []string { return r.seen.said }

// Reading implements table.Guessed.
func (r *reader) Reading() string {
	names := map[rune]string{' ': "blanks", '\t': "tabs"}
	between := names[r.seen.dialect.comma]
	if between == "" {
		between = strconv.QuoteRune(r.seen.dialect.comma)
	}
	parts := []string{"fields between " + between}
	if r.seen.plain != "" {
		parts = append(parts, r.seen.plain)
	}
	return strings.Join(append(parts, r.seen.said...), "; ")
}

// located adds the row to an error of the text reader.
func located(err error, row int64) error {
	var e *table.Error
	if errors.As(err, &e) && e.Row < 0 {
		e.Row = row
	}
	return err
}

func (r *reader) misfit(n, i int, field string) error {
	c := r.seen.columns[i]
	e := r.origin.BadAt(n, r.seen.names[i], "%q is not of type %s", table.Clip(field), c.t)
	e.Line = r.in.line()
	to := "string"
	if _, err := r.numbers.float(strings.TrimSpace(field)); err == nil {
		to = "float64"
		if _, whole := parseUint(strings.TrimSpace(field)); whole {
			to = "uint64"
		}
	}
	why := "has been set"
	if !c.set {
		why = "is that of the first " + counted(int(r.seen.rows), "row")
	}
	return e.Suggest("the column's type %s; correct the row, or set it to %s: --types %s=%s", why, to, r.seen.names[i], to)
}

// columnType is a column's type.
type columnType int

const (
	integers columnType = iota
	floats
	booleans
	texts
	unsigned
)

var typeNames = []string{"int64", "float64", "bool", "string", "uint64"}

func (t columnType) String() string { return typeNames[t] }

func (t columnType) arrow() arrow.DataType {
	return []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Uint64}[t]
}

// fit says how a field went into its column.
type fit int

const (
	exact   fit = iota
	inexact     // as null, or infinite: its text is lost
	misfit      // not at all
)

// appendField appends a field to column i.
func (r *reader) appendField(b array.Builder, i int, field string) fit {
	t := r.seen.columns[i].t
	if t == texts {
		switch {
		case field == "":
			b.AppendNull() // as pandas has it, and as its Parquet files do
		case r.numbers.isSaid(field):
			b.AppendNull()
			return inexact
		default:
			b.(*array.StringBuilder).Append(field)
		}
		return exact
	}
	field = strings.TrimSpace(field)
	if r.numbers.isMissing(field) {
		b.AppendNull()
		if field == "" {
			return exact
		}
		return inexact
	}
	field = r.numbers.plain(field)
	switch t {
	case integers:
		v, ok := parseInt(field)
		b.(*array.Int64Builder).Append(v)
		if !ok {
			return misfit
		}
	case unsigned:
		v, ok := parseUint(field)
		b.(*array.Uint64Builder).Append(v)
		if !ok {
			return misfit
		}
	case floats:
		v, err := r.numbers.float(field)
		b.(*array.Float64Builder).Append(v)
		switch err {
		case nil:
		case strconv.ErrRange:
			return inexact
		default:
			return misfit
		}
	default:
		v, ok := parseBool(field)
		b.(*array.BooleanBuilder).Append(v)
		if !ok {
			return misfit
		}
	}
	return exact
}
