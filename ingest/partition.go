package ingest

import (
	"context"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/ingest/input"
	"unfold/ingest/table"
)

// partition adds columns from the folders of a file to its rows. Hive, Spark, DuckDB, polars and
// pyarrow write partitioned tables in such folders: DIR/year=2024/month=7/part-0.parquet.
type partition struct {
	table.Reader
	keys []key
}

// key is a column with one value in all rows of a file.
type key struct {
	name, text string
	whole      int64
	// is is the kind of the value: text, the whole number, or no value.
	is keyKind
}

type keyKind int

const (
	keyText keyKind = iota
	keyWhole
	keyNull
)

// noValue is Hive's folder name for rows without a value.
const noValue = "__HIVE_DEFAULT_PARTITION__"

// partitioned adds the keys of a path that are not columns of the file.
func partitioned(r table.Reader, path string) table.Reader {
	p := &partition{Reader: r}
	if input.IsAddress(path) {
		path, _, _ = strings.Cut(path, "?")
	}
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(path)), "/") {
		name, value, is := strings.Cut(part, "=")
		if _, there := r.Schema().Find(name); !is || name == "" || there {
			continue
		}
		p.keys = append(p.keys, keyOf(name, value))
	}
	if len(p.keys) == 0 {
		return r
	}
	return p
}

// keyOf parses a value. Whole numbers become numbers, unless they have leading zeros.
func keyOf(name, value string) key {
	if text, err := url.PathUnescape(value); err == nil {
		value = text
	}
	k := key{name: name, text: value}
	if value == noValue {
		k.is = keyNull
	} else if v, err := strconv.ParseInt(value, 10, 64); err == nil && strconv.FormatInt(v, 10) == value {
		k.whole, k.is = v, keyWhole
	}
	return k
}

// columns returns the columns of the keys with n rows.
func (p *partition) columns(n int) []table.Column {
	out := make([]table.Column, len(p.keys))
	for i, k := range p.keys {
		switch k.is {
		case keyNull:
			out[i] = table.NewColumn(k.name, array.MakeArrayOfNull(table.Heap, arrow.BinaryTypes.String, n))
		case keyWhole:
			values := make([]int64, n)
			for j := range values {
				values[j] = k.whole
			}
			out[i] = table.Int64Column(k.name, values)
		default:
			values := make([]string, n)
			for j := range values {
				values[j] = k.text
			}
			out[i] = table.StringColumn(k.name, values)
		}
	}
	return out
}

// Schema returns the file's columns followed by the keys.
func (p *partition) Schema() table.Schema {
	s := p.Reader.Schema()
	for _, c := range p.columns(0) {
		s = append(s[:len(s):len(s)], table.Field{Name: c.Name(), Type: c.DataType(), Kind: c.Kind(), Nullable: true})
	}
	return s
}

// Next adds the keys to the file's next rows.
func (p *partition) Next(ctx context.Context) (*table.Table, error) {
	t, err := p.Reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	return t.Beside(p.columns(t.Len())...), nil
}

// Narrow narrows the file's columns; the keys stay.
func (p *partition) Narrow(wanted func(column string) bool) {
	if n, ok := p.Reader.(table.Narrowing); ok {
		n.Narrow(wanted)
	}
}

// Parts returns the parts of the file, with the keys.
func (p *partition) Parts(most int) ([]table.Reader, error) {
	parted, ok := p.Reader.(table.Parted)
	if !ok {
		return nil, nil
	}
	parts, err := parted.Parts(most)
	for i := range parts {
		parts[i] = &partition{parts[i], p.keys}
	}
	return parts, err
}

// NumRows returns the number of rows of the file.
func (p *partition) NumRows() (int64, bool) { return table.RowsOf(p.Reader) }

// MapID returns the map id of the file.
func (p *partition) MapID() string { return table.MapOf(p.Reader) }
