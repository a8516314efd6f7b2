package csv

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unfold/ingest/input"
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Options are options of text files. The zero value guesses all properties.
type Options struct {
	// Header selects whether the first record contains the columns' names.
	Header Header
	// Names are the columns' names for files without a header, or instead of it; nil means
	// column_0, column_1, ...
	Names []string
	// Comma separates fields; ' ' stands for any run of blanks and tabs. 0 guesses: comma, tab,
	// semicolon or bar, if the first lines then have equal numbers of fields, and among several the
	// one that leads to the most numbers. Otherwise blanks are tried, except for files named .csv.
	Comma rune
	// Decimal is the decimal sign, '.' or ','. 0 guesses: a comma if numbers have one and none has a
	// point.
	Decimal rune
	// Thousands is the thousands separator, 0 for none.
	Thousands rune
	// Quote encloses fields that contain separators or line ends; 0 means ", and NoQuote makes
	// quotes ordinary characters. Escape escapes the next character. Comment begins a comment up to
	// the end of the line. 0 disables Escape and Comment. All must be ASCII.
	Quote, Escape, Comment rune
	// Trim skips blanks after separators.
	Trim bool
	// Skip is the number of lines to skip at the beginning.
	Skip int
	// Fill adds missing values to records with too few fields.
	Fill bool
	// Missing are additional words and numbers for missing values.
	Missing []string
	// Encoding is the encoding of the text (see CheckEncoding); "" means UTF-8, or the encoding of
	// a byte order mark.
	Encoding string
	// Types are types of columns by name: int64, uint64, float64, bool or string. Others are
	// inferred as the type of most values, ignoring NA and similar words.
	Types map[string]string
	// InferBytes is the maximum number of bytes from which types are inferred; 0 means 64 MiB.
	InferBytes int64
}

// NoQuote is the value of Options.Quote for texts in which quotes are ordinary characters.
const NoQuote rune = -1

// Header selects whether a text file has a line of names.
type Header int

const (
	// HeaderAuto decides by the first record. With Names it is a header if it equals them.
	// Otherwise the rules of decideHeader apply: all its fields are filled and none is a number, or
	// they count up, are whole numbers above fractions, or are names above numbers.
	HeaderAuto Header = iota
	// HeaderYes and HeaderNo do not guess.
	HeaderYes
	HeaderNo
)

// reader reads separated text. Types are inferred in a first look at the text (a second reading of
// a file; the buffered start of a pipe), so that they are known before the first table, and are
// fixed from then on. A field that is empty or a word for a missing value is null. In a text column
// only an empty field, or a word in Options.Missing, is null.
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

// Inferred is the result of the first look at a text.
type Inferred struct {
	layout
	dialect dialect
	columns []column
	names   []string
	rows    int64  // number of records that were read
	noted   bool   // footnotes follow the rows
	index   []bool // columns without a name, or with the name of pandas' index
	said    []string
}

// column is a column of a text.
type column struct {
	t     columnType
	set   bool       // the type was set, not inferred
	odd   *table.Odd // first other value of a text column that otherwise has numbers or booleans
	seems string     // description of a text column that is more specific than its type
	index bool       // it has no name, or the name that pandas gives to its index
}

// NewReader opens a text. The result of the first look is stored in looked by the file's name, if
// looked is not nil.
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
	r := &reader{in: records, close: in.Close, origin: origin, seen: seen, numbers: opts.numerals(seen.dialect), fill: opts.Fill, batch: min(batchRows, max(1, batchFields/len(seen.columns)))}
	fields := make([]arrow.Field, len(seen.names))
	for i, n := range seen.names {
		fields[i] = arrow.Field{Name: n, Type: seen.columns[i].t.arrow(), Nullable: true}
	}
	r.schema = arrow.NewSchema(fields, nil)
	before := seen.title
	if seen.header {
		before += 1 + seen.further
	}
	for range before {
		if _, err := r.in.next(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// look guesses dialect, layout and types from the beginning of a text.
func look(in *input.Source, opts Options) (Inferred, error) {
	first, err := in.Again(opts.inferBytes(), hasRecord)
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

// hasRecord reports whether a text has the lines of a header and of a record.
func hasRecord(head []byte) bool {
	first := bytes.IndexAny(head, "\r\n")
	return first >= 0 && bytes.ContainsAny(bytes.TrimLeft(head[first:], "\r\n"), "\r\n")
}

// batchFields is the maximum number of fields of a batch.
const batchFields = 1 << 25

// inferBytes returns the number of bytes for the first look.
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
	for n < r.batch && !(r.seen.noted && r.origin.Row+int64(n) >= r.seen.rows) {
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

// fitted returns a record with as many fields as there are columns.
func (r *reader) fitted(rec []string, n int) ([]string, error) {
	width := len(r.seen.columns)
	switch {
	case len(rec) == width:
		return rec, nil
	case len(rec) > width && len(rec) <= width+max(1, r.seen.last) && r.seen.last > 0 && !slices.ContainsFunc(rec[width:], isFilled):
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
	case r.seen.dialect.hint(rec, width) != "":
		hint = r.seen.dialect.hint(rec, width)
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

// fit is the result of appending a field to its column.
type fit int

const (
	exact   fit = iota
	inexact     // appended as null or infinite: its text is lost
	misfit      // not appended
)

// appendField appends a field to column i.
func (r *reader) appendField(b array.Builder, i int, field string) fit {
	t := r.seen.columns[i].t
	if t == texts {
		switch {
		case field == "":
			b.AppendNull() // as in pandas and its Parquet files
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
