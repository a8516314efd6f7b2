package jsonrec

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"unfold/ingest/input"
	"unfold/ingest/record"
	"unfold/ingest/table"
)

// FileOptions are options for reading files.
type FileOptions struct {
	// BatchRows bounds the number of rows of one table (4096), Memory its size in bytes (256 MiB).
	BatchRows int
	Memory    int64
	// Types sets the types of columns, which are otherwise inferred from the values.
	Types map[string]record.Type
	// LookBytes bounds the part of a file that is scanned to find columns and types; 0 means 64
	// MiB.
	LookBytes int64
}

// limits of a table.
func (o FileOptions) limits() record.Limits {
	return record.Limits{Memory: o.Memory, Rows: int64(o.BatchRows)}.Filled()
}

// batchBytes is the number of bytes after which a table ends, whatever its number of rows.
const batchBytes = 16 << 20

// reader reads a file of records: one per line, as most programs write it, in any other sequence,
// or in one list. A first scan of the text determines columns and types, so that they are known
// before the first table. They do not change afterwards; new fields that occur later are left out.
// Envelopes are read like other objects.
type reader struct {
	in     *splitter
	close  func() error
	origin table.Origin
	d      *Decoder
	opts   FileOptions
	schema table.Schema
}

// NewReader reads a file. If looked is not nil, it stores the results of the first scan, and they
// are reused when the same file is read again.
func NewReader(in *input.Source, opts FileOptions, looked map[string]Columns) (table.Reader, error) {
	opts.BatchRows = cmp.Or(opts.BatchRows, 4096)
	origin := in.Origin
	columns, ok := looked[origin.File]
	if !ok {
		var err error
		if columns, err = look(in, opts); err != nil {
			return nil, err
		}
		if looked != nil {
			looked[origin.File] = columns
		}
	}
	spec := record.Spec{Paths: columns.Names, Types: columns.Types, Limits: opts.limits(), Lists: true}
	r := &reader{in: newSplitter(in.Reader, origin, spec.Limits.Bytes), close: in.Close, origin: origin, d: New(spec), opts: opts}
	// A table without rows has the columns.
	b := r.d.layout.Builder()
	defer r.d.layout.Release(b)
	none, err := b.Table(origin)
	if err != nil {
		return nil, err
	}
	r.schema = none.Schema()
	return r, nil
}

func (r *reader) Schema() table.Schema { return r.schema }
func (r *reader) Close() error         { return r.close() }

func (r *reader) Next(ctx context.Context) (*table.Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := r.d.parser()
	defer r.d.release(p)
	p.begin(nil)
	text := &table.Texts{}
	for size := 0; p.b.Rows() < r.opts.BatchRows && size < batchBytes; {
		object, line, err := r.in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, r.located(err, p.b.Rows(), line)
		}
		if err := p.append(object, r.origin); err != nil {
			return nil, r.located(err, p.b.Rows(), line)
		}
		text.Lines = append(text.Lines, line)
		size += len(object)
	}
	if p.b.Rows() == 0 {
		return nil, io.EOF
	}
	t, err := p.b.Table(r.origin)
	if err != nil {
		return nil, err
	}
	r.origin.Row += int64(t.Len())
	return table.OfText(t.Origin, t.Record(), text), nil
}

// located adds the row and line to an error.
func (r *reader) located(err error, row int, line int64) error {
	var e *table.Error
	if errors.As(err, &e) {
		if e.Row < 0 {
			e.Row = r.origin.Row + int64(row)
		}
		e.Line = line
	}
	return err
}

// append reads an object as the next row.
func (p *parser) append(object []byte, origin table.Origin) error {
	p.scanner = scanner{data: object, most: p.layout.Limits().Depth}
	if !p.whole(p.record) {
		return p.problem(origin)
	}
	return nil
}

// Columns are the columns found by the first scan of a file.
type Columns struct {
	Names []string
	Types map[string]record.Type
}

// look reads the beginning of a file.
func look(in *input.Source, opts FileOptions) (out Columns, err error) {
	limit := opts.LookBytes
	if limit == 0 {
		limit = 64 << 20
	}
	first, err := in.Again(limit, func(head []byte) bool {
		_, _, err := newSplitter(bufio.NewReader(bytes.NewReader(head)), in.Origin, opts.limits().Bytes).next()
		return err == nil
	})
	if err != nil {
		return out, err
	}
	defer first.Close()
	records := newSplitter(first.Reader, in.Origin, opts.limits().Bytes)
	g := guesses{of: map[string]*guess{}, others: map[string]byte{}, d: New(record.Spec{Limits: opts.limits()})}
	for row := int64(0); ; row++ {
		object, line, err := records.next()
		if err == io.EOF || err != nil && first.IsCut() {
			break
		}
		if err == nil {
			err = g.see(object, in.Origin)
		}
		if err != nil {
			var e *table.Error
			if errors.As(err, &e) {
				e.Row, e.Line = row, line
			}
			return out, err
		}
	}
	if g.rows == 1 && g.nested == 1 {
		return out, in.Origin.Bad("this is one JSON object that holds others, no record").Suggest("write an object a line, for instance by pandas.to_json(orient=\"records\", lines=True)")
	}
	if g.named() {
		return out, in.Origin.Bad("this is one JSON object with a vector for each of %d names, no record", len(g.names)).
			Suggest("write a record a line: jq -c 'to_entries[] | {id: .key, vector: .value}'")
	}
	if list := g.records(); list != "" {
		return out, in.Origin.Bad("this is one JSON object, and no record; its records may be in the list %q", list).Suggest("write a record a line, for instance by jq -c '.%s[]'", list)
	}
	for _, name := range slices.Sorted(maps.Keys(g.others)) {
		if g.of[name] == nil {
			g.of[name], g.names = &guess{}, append(g.names, name)
		}
		g.of[name].texts = true
	}
	out = Columns{g.names, map[string]record.Type{}}
	for name, c := range g.of {
		// null is no column if all other values are objects, whose fields are columns.
		if *c == (guess{}) && g.parent(name) && opts.Types[name] == record.Auto {
			out.Names = slices.DeleteFunc(out.Names, func(n string) bool { return n == name })
			continue
		}
		out.Types[name] = c.result()
	}
	for _, name := range slices.Sorted(maps.Keys(opts.Types)) {
		if g.of[name] == nil {
			return out, table.UnknownColumn(in.Origin, name, g.names)
		}
		out.Types[name] = opts.Types[name]
	}
	return out, nil
}

// guesses collects the possible types of columns, given the records seen so far.
type guesses struct {
	d     *Decoder
	names []string // in the order in which they came
	of    map[string]*guess
	// others are the paths of lists that are not of numbers, as in parser. They become columns of JSON text.
	others map[string]byte
	rows   int
	// nested is the number of records whose fields are all objects.
	nested int
}

// guess is the set of types that a column's values have had.
type guess struct {
	bools, ints, negative, uints, floats, texts, vectors, entries bool
	// holes is true if a vector had no numbers but missing ones: a list of anything.
	holes bool
}

// parent reports whether fields below the name are columns.
func (g *guesses) parent(name string) bool {
	return slices.ContainsFunc(g.names, func(n string) bool { return strings.HasPrefix(n, name+".") })
}

// listOfNumbers matches a field whose value is a list of numbers.
var listOfNumbers = regexp.MustCompile(`":\s*\[\s*-?[0-9]`)

// records returns the list in the only record which seems to have the records itself: a list of lists
// of numbers; one of objects with vectors, if no vector is beside it; or one of objects, if nothing
// but text is beside it. It returns "" if there is none.
func (g *guesses) records() string {
	if g.rows != 1 {
		return ""
	}
	vectors := slices.ContainsFunc(g.names, func(name string) bool { return g.of[name].result() == record.Vector })
	texts := !slices.ContainsFunc(g.names, func(name string) bool { return g.of[name].result() != record.Text })
	best := ""
	for _, list := range slices.Sorted(maps.Keys(g.others)) {
		switch first := g.others[list]; {
		case first == '[', first == 'v' && !vectors:
			return list
		case texts && (best == "" || isObject(first) && !isObject(g.others[best])):
			best = list
		}
	}
	if len(g.names) > 0 && !isObject(g.others[best]) {
		return ""
	}
	return best
}

// isObject reports whether a list of others has objects.
func isObject(first byte) bool { return first == '{' || first == 'v' }

// named reports whether the only record has nothing but three or more vectors: the records' names are
// then those of its fields.
func (g *guesses) named() bool {
	return g.rows == 1 && len(g.names) > 2 && len(g.others) == 0 && !slices.ContainsFunc(g.names, func(name string) bool { return g.of[name].result() != record.Vector })
}

// see looks at a record.
func (g *guesses) see(object []byte, origin table.Origin) error {
	p := g.d.parser()
	defer g.d.release(p)
	p.begin(nil)
	p.others = g.others
	if err := p.append(object, origin); err != nil {
		return err
	}
	t, err := p.b.Table(origin)
	if err != nil {
		return err
	}
	if g.rows++; onlyObjects(object) {
		g.nested++
	}
	for _, c := range t.Columns() {
		name := c.Name()
		if g.of[name] == nil {
			g.of[name] = &guess{}
			g.names = append(g.names, name)
		}
		if !c.IsNull(0) {
			g.of[name].see(c)
		}
	}
	if most := g.d.layout.Limits().Fields; len(g.names) > most {
		return origin.Bad("the records have more than %d fields", most)
	}
	return nil
}

func (g *guess) see(c table.Column) {
	switch c.Kind() {
	case table.Bool:
		g.bools = true
	case table.Text:
		g.texts = true
	case table.Vector:
		if g.vectors = g.vectors || hasNumber(c); !g.vectors {
			g.holes = true
		}
	case table.SparseVector:
		g.entries = true
	default:
		switch c.DataType() {
		case "int64":
			g.ints = true
			v, _ := c.Float(0)
			g.negative = g.negative || v < 0
		case "uint64":
			g.uints = true
		default:
			g.floats = true
		}
	}
}

// hasNumber reports whether a column's only vector has a number that is not missing.
func hasNumber(c table.Column) bool {
	dim, _ := table.VectorDim(c)
	values := make([]float64, dim)
	err := table.CopyVectors(values, dim, c, table.Origin{}, true)
	return err != nil || slices.ContainsFunc(values, func(v float64) bool { return !math.IsNaN(v) })
}

// result returns the type for a column's values: a vector type if any value is a vector, text for other
// values of several kinds and for a column without values.
func (g *guess) result() record.Type {
	switch {
	case g.vectors, g.holes && !g.texts:
		return record.Vector
	case g.entries:
		return record.Sparse
	case g.texts, g.bools && (g.ints || g.uints || g.floats):
		return record.Text
	case g.floats, g.uints && g.negative:
		return record.Float
	case g.uints:
		return record.Uint
	case g.ints:
		return record.Int
	case g.bools:
		return record.Bool
	}
	return record.Text
}

// onlyObjects reports whether an object has fields and all of them are objects.
func onlyObjects(object []byte) bool {
	p := parser{scanner: scanner{data: object, most: 1 << 10}}
	fields, _ := p.index(1 << 10)
	for _, f := range fields {
		if object[f.at] != '{' {
			return false
		}
	}
	return len(fields) > 0
}
