package emit

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/ingest/jsonrec"
	"unfold/ingest/table"
)

// JSONType is the content type of messages in JSON.
const JSONType = "application/json"

// JSON writes placed events as JSON: one object for one event, a list of objects for several or
// none. The fields of an object are id, the kept columns, x and y (or the list embedding, if the
// map has not two dimensions), the other columns of an Output, and map_id. Numbers have the
// shortest form that reads back as the same number; numbers that are not finite are null. The zero
// value is usable. Equal outputs give equal bytes.
type JSON struct {
	// lines selects one object per line, with the columns of a map in a file.
	lines bool
}

// Encode returns the message of an output.
func (j JSON) Encode(o *Output) ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if !j.lines { // otherwise with a file's columns
		if err := o.checkFields("JSON"); err != nil {
			return nil, err
		}
	}
	return j.objects(o, func(w *jsonRow, i int) error {
		w.to = append(w.to, '{')
		w.columns(o, i, outputColumns)
		w.to = append(w.to, '}')
		return nil
	})
}

// Pass returns the message of an output with the events' own records, given by jsonrec.Records for
// their message. Each record is copied as it is written, after an id if it has no such field, and
// is followed by the output's columns other than id and kept columns. Pass fails if a record has
// one of these fields itself.
func (j JSON) Pass(o *Output, records [][]byte) ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if len(records) != o.Len() {
		return nil, fmt.Errorf("ingest: %d records for %d events", len(records), o.Len())
	}
	added := outputColumns[2:]
	names := addedNames(o, added)
	return j.objects(o, func(w *jsonRow, i int) error {
		has, clash, err := jsonrec.Has(records[i], IDName, names)
		if err != nil {
			return err
		}
		if clash != "" {
			return fmt.Errorf("record %d has a field %q itself, as the place has; rename it in the source, or keep columns by name instead of passing the record", i+1, clash)
		}
		w.to = append(w.to, '{')
		if !has {
			idColumn{}.json(w, o, i)
		}
		inside := bytes.Trim(records[i], " \t\r\n")
		if inside = bytes.Trim(inside[1:len(inside)-1], " \t\r\n"); len(inside) > 0 {
			w.comma()
			w.to = append(w.to, inside...)
		}
		w.columns(o, i, added)
		w.to = append(w.to, '}')
		return nil
	})
}

// addedNames returns the names of the fields that Pass adds.
func addedNames(o *Output, added []outputColumn) []string {
	names := placeFields(o.Embedding.Cols)
	for _, c := range added {
		if c.there(o) && (c != placeColumn{} || o.Embedding.Cols != 2) {
			names = append(names, c.String())
		}
	}
	return names
}

// objects writes one object, or a list or lines of objects.
func (j JSON) objects(o *Output, object func(w *jsonRow, i int) error) ([]byte, error) {
	n := o.Len()
	w := jsonRow{to: make([]byte, 0, n*(160+24*len(o.Kept)+12*o.Embedding.Cols)+2), lines: j.lines}
	list := n != 1 && !j.lines
	if list {
		w.to = append(w.to, '[')
	}
	for i := range n {
		if list && i > 0 {
			w.to = append(w.to, ',')
		}
		if err := object(&w, i); err != nil {
			return nil, err
		}
		if j.lines {
			w.to = append(w.to, '\n')
		}
	}
	if list {
		w.to = append(w.to, ']')
	}
	return w.to, nil
}

// jsonRow is a JSON object that is being written.
type jsonRow struct {
	to    []byte
	lines bool
}

// columns adds the fields of columns.
func (w *jsonRow) columns(o *Output, i int, columns []outputColumn) {
	for _, c := range columns {
		if c.there(o) {
			c.json(w, o, i)
		}
	}
	if o.MapID != "" && !w.lines {
		w.name(mapIDName)
		w.to = appendQuoted(w.to, o.MapID)
	}
}

// comma writes a comma unless this is the first field.
func (w *jsonRow) comma() {
	if w.to[len(w.to)-1] != '{' {
		w.to = append(w.to, ',')
	}
}

// name begins a field.
func (w *jsonRow) name(name string) {
	w.comma()
	w.to = append(appendQuoted(w.to, name), ':')
}

func (idColumn) json(w *jsonRow, o *Output, i int) {
	w.name(IDName)
	if o.ID.Valid() {
		w.to = appendValue(w.to, o.ID.Array(), i)
		return
	}
	w.to = strconv.AppendInt(w.to, o.FirstRow+int64(i), 10)
}

func (keptColumns) json(w *jsonRow, o *Output, i int) {
	for k := range o.Kept {
		if c := &o.Kept[k]; !o.repeated(*c) {
			w.name(c.Name())
			w.to = appendValue(w.to, c.Array(), i)
		}
	}
}

func (placeColumn) json(w *jsonRow, o *Output, i int) {
	if o.placeless() {
		return
	}
	row := o.Embedding.Row(i)
	if len(row) == 2 && !w.lines {
		w.name("x")
		w.to = appendFloat32(w.to, row[0])
		w.name("y")
		w.to = appendFloat32(w.to, row[1])
		return
	}
	w.name(EmbeddingName)
	w.to = append(w.to, '[')
	for k, v := range row {
		if k > 0 {
			w.to = append(w.to, ',')
		}
		w.to = appendFloat32(w.to, v)
	}
	w.to = append(w.to, ']')
}

func (s series[T]) json(w *jsonRow, o *Output, i int) {
	w.name(s.name)
	w.to = s.text(w.to, (*s.at(o))[i])
}

func (c constant[T]) json(w *jsonRow, o *Output, _ int) {
	w.name(c.name)
	w.to = strconv.AppendUint(w.to, uint64(*c.at(o)), 10)
}

func appendInt64(to []byte, v int64) []byte { return strconv.AppendInt(to, v, 10) }

func appendFloat32(to []byte, v float32) []byte { return appendFloat(to, float64(v), 32) }

// EncodeRowsJSON writes each row of a table as an object with one field per column.
func EncodeRowsJSON(t *table.Table) [][]byte {
	columns := t.Columns()
	rows := make([][]byte, t.Len())
	for i := range rows {
		w := jsonRow{to: []byte{'{'}}
		for _, c := range columns {
			w.name(c.Name())
			w.to = appendValue(w.to, c.Array(), i)
		}
		rows[i] = append(w.to, '}')
	}
	return rows
}

// appendFloat writes a number in the shortest form that reads back as the same number.
func appendFloat(to []byte, v float64, bits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(to, "null"...)
	}
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(to, v, format, -1, bits)
}

// appendValue writes row i of an array as a number, boolean, list of these, or text.
func appendValue(to []byte, a arrow.Array, i int) []byte {
	if a.IsNull(i) {
		return append(to, "null"...)
	}
	switch a := a.(type) {
	case *array.String:
		return appendQuoted(to, a.Value(i))
	case *array.Int8, *array.Int16, *array.Int32, *array.Int64, *array.Uint8, *array.Uint16, *array.Uint32:
		return strconv.AppendInt(to, integerAt(a, i), 10)
	case *array.Float64:
		return appendFloat(to, a.Value(i), 64)
	case *array.Float32:
		return appendFloat32(to, a.Value(i))
	case *array.Uint64:
		return strconv.AppendUint(to, a.Value(i), 10)
	case *array.Boolean:
		return strconv.AppendBool(to, a.Value(i))
	case *array.Timestamp:
		return appendTime(to, a, i)
	case *array.Map:
	case array.ListLike:
		from, end := a.ValueOffsets(i)
		return appendList(to, a.ListValues(), int(from), int(end))
	case *array.Dictionary:
		return appendValue(to, a.Dictionary(), a.GetValueIndex(i))
	case array.ExtensionArray:
		return appendValue(to, a.Storage(), i)
	}
	c := table.NewColumn("", a)
	if c.IsNull(i) {
		return append(to, "null"...)
	}
	if c.Kind() == table.Number {
		if v, ok := c.Float(i); ok {
			// Float16.
			return appendFloat(to, v, 64)
		}
	}
	return appendQuoted(to, readable(c.Text(i)))
}

func appendList(to []byte, values arrow.Array, from, end int) []byte {
	to = append(to, '[')
	for k := from; k < end; k++ {
		if k > from {
			to = append(to, ',')
		}
		to = appendValue(to, values, k)
	}
	return append(to, ']')
}

// appendTime writes a time in RFC 3339, without a zone if it has none.
func appendTime(to []byte, a *array.Timestamp, i int) []byte {
	dt := a.DataType().(*arrow.TimestampType)
	get, err := dt.GetToTimeFunc()
	if err != nil {
		return appendQuoted(to, readable(table.NewColumn("", a).Text(i)))
	}
	layout := "2006-01-02T15:04:05.999999999Z07:00"
	if dt.TimeZone == "" {
		layout = "2006-01-02T15:04:05.999999999"
	}
	to = append(to, '"')
	to = get(a.Value(i)).AppendFormat(to, layout)
	return append(to, '"')
}

// appendQuoted writes a string. Invalid UTF-8 becomes U+FFFD.
func appendQuoted(to []byte, s string) []byte {
	const hex = "0123456789abcdef"
	to = append(to, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		to = append(to, s[from:i]...)
		switch {
		case c >= utf8.RuneSelf:
			to = append(to, "\ufffd"...)
		case c == '"', c == '\\':
			to = append(to, '\\', c)
		case c == '\n':
			to = append(to, '\\', 'n')
		case c == '\r':
			to = append(to, '\\', 'r')
		case c == '\t':
			to = append(to, '\\', 't')
		default:
			to = append(to, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(append(to, s[from:]...), '"')
}
