package ingest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// CSVOptions say how text files are read. The zero value guesses.
type CSVOptions struct {
	// Header says whether the first record holds the columns' names.
	Header Header
	// Names are the columns' names for files without a header (or instead of
	// one); nil means column_0, column_1, ...
	Names []string
	// Comma separates fields; ' ' stands for any run of blanks and tabs. 0 means
	// a comma for names in .csv, else the first of comma, tab, semicolon, blank
	// that occurs in the first line.
	Comma rune
	// Types set columns' types by name: int64, float64, bool or string. Others
	// are inferred.
	Types map[string]string
	// InferBytes bounds how much of the text is looked at to infer types; 0
	// means 64 MiB.
	InferBytes int64
}

// Header says whether a text file has a line of names.
type Header int

const (
	// HeaderAuto takes the first record for names if it equals Names, or, without
	// Names, if all its fields are filled and none is a number.
	HeaderAuto Header = iota
	// HeaderYes and HeaderNo are sure.
	HeaderYes
	HeaderNo
)

// csvReader reads separated text. Types come from a first look at the text (a
// second reading of a file; the buffered start of a pipe), so that columns have
// types before the first table. A field that is empty is null, in a text column
// the empty text.
type csvReader struct {
	in     *textRecords
	close  func() error
	origin Origin
	schema *arrow.Schema
	types  []csvType
	seen   int64 // rows that inference looked at
	batch  int
}

// csvInferred is what the first look at a text says.
type csvInferred struct {
	types  []csvType
	names  []string
	header bool
	rows   int64 // that were looked at
}

func newCSVReader(in *opened, origin Origin, opts Options) (Reader, error) {
	comma := opts.CSV.Comma
	if comma == 0 {
		comma = guessComma(in, origin.File)
	}
	seen, ok := opts.inferred[origin.File]
	if !ok {
		look, done, err := inferenceCopy(in, origin, opts.CSV)
		if err != nil {
			return nil, err
		}
		seen, err = inferTypes(newTextRecords(look, comma, origin), opts.CSV)
		done()
		if err != nil {
			return nil, err
		}
		if opts.inferred != nil {
			opts.inferred[origin.File] = seen
		}
	}
	r := &csvReader{in: newTextRecords(in, comma, origin), close: in.file.Close, origin: origin, types: seen.types, seen: seen.rows, batch: opts.BatchRows}
	fields := make([]arrow.Field, len(seen.names))
	for i, n := range seen.names {
		fields[i] = arrow.Field{Name: n, Type: seen.types[i].arrow(), Nullable: true}
	}
	r.schema = arrow.NewSchema(fields, nil)
	if seen.header {
		if _, err := r.in.next(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// inferenceCopy returns the text once more, for the first look.
func inferenceCopy(in *opened, origin Origin, opts CSVOptions) (io.Reader, func(), error) {
	limit := opts.InferBytes
	if limit == 0 {
		limit = 64 << 20
	}
	if info, err := in.file.Stat(); err == nil && info.Mode().IsRegular() {
		f, err := os.Open(in.file.Name())
		if err != nil {
			return nil, nil, readError(origin, err)
		}
		again, _, err := sniff(f, origin)
		if err != nil {
			f.Close()
			return nil, nil, err
		}
		return &cutReader{r: again, left: limit}, func() { f.Close() }, nil
	}
	in.Reader = bufio.NewReaderSize(in.Reader, 1<<20)
	head, _ := in.Peek(1 << 20)
	return &cutReader{r: strings.NewReader(string(head)), left: min(limit, 1<<20-1)}, func() {}, nil
}

func (r *csvReader) Schema() Schema { return describe(r.schema) }
func (r *csvReader) Close() error   { return r.close() }

func (r *csvReader) Next(ctx context.Context) (*Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := array.NewRecordBuilder(goHeap, r.schema)
	n := 0
	for n < r.batch {
		rec, err := r.in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, r.located(err, n)
		}
		if len(rec) != len(r.types) {
			e := r.origin.badAt(n, "", "it has %s instead of %d", counted(len(rec), "field"), len(r.types))
			e.Line = r.in.line()
			return nil, e.hint("quote fields that hold separators")
		}
		for i, field := range rec {
			if !r.types[i].add(b.Field(i), field) {
				return nil, r.misfit(n, i, field)
			}
		}
		n++
	}
	if n == 0 {
		return nil, io.EOF
	}
	t := &Table{r.origin, b.NewRecord()}
	r.origin.Row += int64(n)
	return t, nil
}

// located adds the row to an error of the text reader.
func (r *csvReader) located(err error, n int) error {
	var e *Error
	if errors.As(err, &e) && e.Row < 0 {
		e.Row = r.origin.Row + int64(n)
	}
	return err
}

func (r *csvReader) misfit(n, i int, field string) error {
	name := r.schema.Field(i).Name
	e := r.origin.badAt(n, name, "%q is not of type %s", clip(field), r.types[i])
	e.Line = r.in.line()
	to := "string"
	if _, err := strconv.ParseFloat(field, 64); err == nil {
		to = "float64"
	}
	return e.hint("the column's type was set, or inferred from the first %d rows; set it to %s", r.seen, to)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// csvType is a column's type.
type csvType int

const (
	csvInt csvType = iota
	csvFloat
	csvBool
	csvText
)

var csvTypeNames = []string{"int64", "float64", "bool", "string"}

func (t csvType) String() string { return csvTypeNames[t] }

func (t csvType) arrow() arrow.DataType {
	return []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String}[t]
}

// add appends a field and reports whether it is of the type.
func (t csvType) add(b array.Builder, field string) bool {
	if field == "" && t != csvText {
		b.AppendNull()
		return true
	}
	switch t {
	case csvInt:
		v, err := strconv.ParseInt(field, 10, 64)
		b.(*array.Int64Builder).Append(v)
		return err == nil
	case csvFloat:
		v, err := strconv.ParseFloat(field, 64)
		b.(*array.Float64Builder).Append(v)
		return err == nil || errors.Is(err, strconv.ErrRange)
	case csvBool:
		v, ok := parseBool(field)
		b.(*array.BooleanBuilder).Append(v)
		return ok
	}
	b.(*array.StringBuilder).Append(field)
	return true
}

// parseBool knows true and false in lower, upper and title case.
func parseBool(s string) (v, ok bool) {
	switch s {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}
