// Package avrofile reads Avro's container files as JSON records (package jsonrec): columns, fields
// of records with dotted paths, and lists of numbers as vectors.
package avrofile

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"unfold/ingest/avrorec"
	"unfold/ingest/input"
	"unfold/ingest/jsonrec"
	"unfold/ingest/record"
	"unfold/ingest/table"
)

// NewReader reads such a file.
func NewReader(in *input.Source, opts jsonrec.FileOptions) (table.Reader, error) {
	zstd, err := ocf.ZstdCodec(nil, nil)
	if err != nil {
		return nil, err
	}
	checks := &checks{}
	// Polars names no record, and others give columns any name.
	anyName := avro.WithLaxNames(func(string) error { return nil })
	readerOpts := []ocf.ReaderOpt{ocf.WithSchemaOpts(anyName), ocf.WithMaxBlockBytes(maxBlock), ocf.WithMaxDecompressedBlockBytes(maxBlock)}
	for _, c := range []ocf.Codec{stored{}, ocf.DeflateCodec(0), ocf.SnappyCodec(), bzipped, xzipped, zstd} {
		readerOpts = append(readerOpts, ocf.WithCodec(checked{c, checks}))
	}
	head := &heading{in.Reader, maxHead}
	file, err := ocf.NewReader(head, readerOpts...)
	if err != nil {
		return nil, explain(in.Origin, err)
	}
	head.left = math.MaxInt64
	if checks.scale, err = avrorec.NewScale(file.Schema()); err != nil {
		return nil, in.Origin.Bad("its schema cannot be read").Because(err)
	}
	names, types := fieldsOf(file.Metadata()["avro.schema"])
	for name, t := range opts.Types {
		types[name] = t
	}
	opts.Types = types
	in.Through(&lines{file: file, origin: in.Origin, names: names})
	return jsonrec.NewReader(in, opts, nil)
}

// explain returns the error of a file that cannot be opened.
func explain(o table.Origin, err error) error {
	if m := unknownCodec.FindStringSubmatch(err.Error()); m != nil {
		return o.Bad("the Avro file is compressed by %s, which is not supported: write it with deflate, snappy, zstandard, bzip2, xz or null", m[1])
	}
	return o.Bad("the Avro file cannot be read").Because(err)
}

var unknownCodec = regexp.MustCompile(`unknown codec ("[^"]*")`)

// fieldsOf returns the names of a schema's fields in order, and the types of plain fields.
func fieldsOf(schema []byte) (names []string, types map[string]record.Type) {
	var s struct {
		Fields []struct {
			Name string          `json:"name"`
			Type json.RawMessage `json:"type"`
		} `json:"fields"`
	}
	types = map[string]record.Type{}
	if json.Unmarshal(schema, &s) != nil {
		return nil, types
	}
	for _, f := range s.Fields {
		names = append(names, f.Name)
		if t, plain := plainTypes[typeName(f.Type)]; plain {
			types[f.Name] = t
		}
	}
	return names, types
}

var plainTypes = map[string]record.Type{"int": record.Int, "long": record.Int, "float": record.Float, "double": record.Float, "boolean": record.Bool, "string": record.Text}

// typeName returns the name of a type, or of the other type in a union with null.
func typeName(raw json.RawMessage) string {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return name
	}
	var union []json.RawMessage
	if json.Unmarshal(raw, &union) != nil || len(union) != 2 {
		return ""
	}
	for i, t := range union {
		if json.Unmarshal(t, &name) == nil && name == "null" {
			json.Unmarshal(union[1-i], &name)
			return name
		}
	}
	return ""
}

// lines returns records as lines of JSON.
type lines struct {
	file   *ocf.Reader
	origin table.Origin
	names  []string
	buf    []byte
	left   []byte
	err    error
}

func (l *lines) Read(p []byte) (int, error) {
	if len(l.left) == 0 {
		if l.err == nil {
			l.fill()
		}
		if len(l.left) == 0 {
			return 0, l.err
		}
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

// fill decodes the next record.
func (l *lines) fill() {
	var v any
	if err := l.file.Decode(&v); err == io.EOF {
		l.err = io.EOF
		return
	} else if err != nil {
		l.err = l.origin.BadAt(0, "", "the record cannot be decoded").Because(err)
		return
	}
	l.origin.Row++
	fields, is := v.(map[string]any)
	if !is {
		l.err = l.origin.Bad("its schema is no record, and columns are the fields of one")
		return
	}
	l.buf = append(l.buf[:0], '{')
	for i, name := range l.names {
		if i > 0 {
			l.buf = append(l.buf, ',')
		}
		l.buf = append(appendText(l.buf, name), ':')
		l.buf = appendValue(l.buf, fields[name])
	}
	l.left = append(l.buf, '}', '\n')
}

func appendText(b []byte, s string) []byte {
	text, _ := json.Marshal(s) // marshalling a string cannot fail
	return append(b, text...)
}

// appendValue writes a value as JSON. Numbers that JSON cannot represent are written as in Python.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int32:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case float32:
		return appendFloat(b, float64(v))
	case float64:
		return appendFloat(b, v)
	case *big.Rat:
		return append(b, decimal(v)...)
	case string:
		return appendText(b, v)
	case []byte:
		if utf8.Valid(v) {
			return appendText(b, string(v))
		}
		text, _ := json.Marshal(v) // base64
		return append(b, text...)
	case time.Time:
		return appendText(b, v.UTC().Format(time.RFC3339Nano))
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, e)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(append(appendText(b, name), ':'), v[name])
		}
		return append(b, '}')
	}
	return appendText(b, fmt.Sprint(v))
}

// decimal returns a decimal with all its digits. Its denominator divides a power of ten.
func decimal(v *big.Rat) string {
	digits, exact := v.FloatPrec()
	if !exact {
		digits = 20
	}
	return v.FloatString(max(1, digits))
}

func appendFloat(b []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(b, "NaN"...)
	case math.IsInf(v, 0):
		if v < 0 {
			b = append(b, '-')
		}
		return append(b, "Infinity"...)
	}
	b = strconv.AppendFloat(b, v, 'g', -1, 64)
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		b = append(b, ".0"...)
	}
	return b
}
