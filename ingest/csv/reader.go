package csv

import (
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

// Header says whether a text file has a line of names.
type Header int

const (
	// HeaderAuto takes the first record for names if it equals Names, or, without
	// Names, if all its fields are filled and none is a number. The first may be
	// empty: pandas has it so above its index.
	HeaderAuto Header = iota
	// HeaderYes and HeaderNo are sure.
	HeaderYes
	HeaderNo
)

// reader reads separated text. Types come from a first look at the text (a
// second reading of a file; the buffered start of a pipe), so that columns have
// types before the first table, and are held from then on. A field that is empty or
// stands for no value is null, in a text column the text that it is.
type reader struct {
	in      *textRecords
	close   func() error
	origin  table.Origin
	schema  *arrow.Schema
	seen    Inferred
	numbers numerals
	batch   int
}

// Inferred is what the first look at a text says.
type Inferred struct {
	columns []column
	names   []string
	header  bool
	rows    int64 // that were looked at
}

// column is a column of a text.
type column struct {
	t     columnType
	set   bool       // the type was set, not inferred
	odd   *table.Odd // of a text column that holds something else but for some values
	seems string     // what a text column holds, if more can be said than its type
	index bool       // it has no name, or the one that pandas gives to its index
}

func NewReader(in *input.Source, opts Options, batchRows int, looked map[string]Inferred) (table.Reader, error) {
	origin := in.Origin
	seen, ok := looked[origin.File]
	if !ok {
		look, err := in.Again(opts.inferBytes())
		if err != nil {
			return nil, err
		}
		defer look.Close()
		records, err := openRecords(look.Reader, origin, opts)
		if err != nil {
			return nil, err
		}
		if seen, err = inferTypes(records, look.IsCut, opts); err != nil {
			return nil, err
		}
		if looked != nil {
			looked[origin.File] = seen
		}
	}
	records, err := openRecords(in.Reader, origin, opts)
	if err != nil {
		return nil, err
	}
	r := &reader{in: records, close: in.Close, origin: origin, seen: seen, numbers: numerals{comma: opts.DecimalComma}, batch: min(batchRows, max(1, batchFields/len(seen.columns)))}
	fields := make([]arrow.Field, len(seen.names))
	for i, n := range seen.names {
		fields[i] = arrow.Field{Name: n, Type: seen.columns[i].t.arrow(), Nullable: true}
	}
	r.schema = arrow.NewSchema(fields, nil)
	if seen.header {
		if _, err := r.in.next(); err != nil {
			return nil, err
		}
	}
	return r, nil
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
		if len(rec) != len(r.seen.columns) {
			e := r.origin.BadAt(n, "", "it has %s instead of %d", counted(len(rec), "field"), len(r.seen.columns))
			e.Line = r.in.line()
			return nil, e.Suggest("quote fields that hold separators")
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
		b.(*array.StringBuilder).Append(field)
		return exact
	}
	field = strings.TrimSpace(field)
	if isMissing(field) {
		b.AppendNull()
		if field == "" {
			return exact
		}
		return inexact
	}
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
