package emit

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"sync"

	"github.com/twmb/avro"

	"unfold/ingest/avrorec"
	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/internal/recent"
)

// AvroType is the content type of messages in Avro.
const AvroType = "application/avro"

// AvroName is the default full name of the records that Avro.Encode writes.
const AvroName = "unfold.Place"

// ErrAvroRows is returned when a message of several events is to be written as Avro.
var ErrAvroRows = errors.New("a message of several events cannot be written as Avro, which holds one record per message: write format arrow or json, or send one event per message")

// Avro writes placed events as Avro, one record for the one event of a message. The fields are id,
// the kept columns, x and y (or the list embedding, if the map has not two dimensions), the other
// columns of an Output, and map_id. All optional fields are nullable with a default, so that a
// topic's schemas stay compatible when a column is added or removed. The schema depends only on the
// columns' names and types; for columns whose types were inferred from values it also depends on
// earlier messages (Settle). An Avro is safe for concurrent use, and its zero value is usable.
// Equal outputs give equal bytes as long as no type widens.
type Avro struct {
	// Name is the full name of the records. Default AvroName.
	Name string
	// Prefix is put before the names of fields that Pass adds.
	Prefix string

	kinds recent.List[avroKind]

	mu      sync.Mutex
	settled settledTypes
}

// AvroSchema is the schema of a written record. Outputs with the same columns share one AvroSchema,
// so that a caller can register each pointer once.
type AvroSchema struct {
	// Text is the schema, without references. Name is the full name of its record.
	Text, Name string
}

// maxKinds bounds the number of remembered kinds of outputs.
const maxKinds = 64

// avroKind holds the encoding shared by all outputs with the same columns.
type avroKind struct {
	columnSet
	mapID  bool
	own    *avrorec.Decoder // the decoder of the records that are passed on
	types  settledTypes
	fields []avroField
	schema AvroSchema
}

// avroField is a field of the record, before its schema is made.
type avroField struct {
	name   string
	schema any
	// def is the default value, nil for null.
	def   any
	write func(to []byte, o *Output, i int) ([]byte, error)
}

// Encode appends the record of an output of one event to a slice, and returns its schema and the
// slice.
func (a *Avro) Encode(to []byte, o *Output) (*AvroSchema, []byte, error) {
	return a.encode(to, o, nil, nil)
}

// Pass is like Encode, but writes the event's own record, from a message that d decodes. The
// record's bytes are copied, followed by the output's columns other than the kept ones, and without
// the id if the record has that field. The record's name is the event's with the suffix "Placed".
// Pass fails if the record has another field with the name of an added one.
func (a *Avro) Pass(to []byte, o *Output, d *avrorec.Decoder, value []byte) (*AvroSchema, []byte, error) {
	own, err := d.Record(value)
	if err != nil {
		return nil, nil, err
	}
	return a.encode(to, o, d, own)
}

func (a *Avro) encode(to []byte, o *Output, d *avrorec.Decoder, own []byte) (*AvroSchema, []byte, error) {
	if o.Len() != 1 {
		return nil, nil, ErrAvroRows
	}
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	types, err := a.settle(o)
	if err != nil {
		return nil, nil, err
	}
	is := func(k *avroKind) bool { return k.of(o, d) && maps.Equal(k.types, types) }
	k := a.kinds.Find(is)
	if k == nil {
		if k, err = a.newKind(o, d, types); err != nil {
			return nil, nil, err
		}
		k = a.kinds.Add(k, maxKinds, is)
	}
	to = append(to, own...)
	for i := range k.fields {
		var err error
		if to, err = k.fields[i].write(to, o, 0); err != nil {
			return nil, nil, fmt.Errorf("field %q: %w", k.fields[i].name, err)
		}
	}
	return &k.schema, to, nil
}

// of reports whether an output is of this kind.
func (k *avroKind) of(o *Output, d *avrorec.Decoder) bool {
	return k.own == d && k.mapID == (o.MapID != "") && k.columnSet.of(o)
}

func (a *Avro) newKind(o *Output, d *avrorec.Decoder, types settledTypes) (*avroKind, error) {
	k := &avroKind{columnSet: columnSetOf(o), mapID: o.MapID != "", own: d, types: types}
	typed := *o
	typed.settled = types
	o = &typed
	for _, c := range outputColumns {
		if c.there(o) && (d == nil || c != outputColumn(keptColumns{})) {
			k.fields = append(k.fields, c.avro(o)...)
		}
	}
	if k.mapID {
		k.fields = append(k.fields, avroField{mapIDName, "string", "", func(to []byte, o *Output, _ int) ([]byte, error) { return appendAvroText(to, o.MapID), nil }})
	}
	if d != nil {
		return k, k.extend(a, d)
	}
	k.schema.Name = AvroName
	if a.Name != "" {
		k.schema.Name = a.Name
	}
	text, err := json.Marshal(struct {
		Type   string        `json:"type"`
		Name   string        `json:"name"`
		Fields []avroWritten `json:"fields"`
	}{"record", k.schema.Name, written(k.fields)})
	if err == nil {
		err = distinct(k.fields)
	}
	if err == nil {
		_, err = avro.Parse(string(text))
	}
	k.schema.Text = string(text)
	return k, err
}

// extend makes the schema of d's record with the fields added at its end.
func (k *avroKind) extend(a *Avro, d *avrorec.Decoder) error {
	own := d.RecordType()
	has := map[string]bool{}
	for _, f := range own.Fields {
		has[f.Name] = true
	}
	if len(k.fields) > 0 && has[k.fields[0].name] {
		k.fields = k.fields[1:]
	}
	for i := range k.fields {
		if f := &k.fields[i]; f.name != IDName {
			f.name = a.Prefix + f.name
		}
		if name := k.fields[i].name; has[name] {
			return fmt.Errorf("the record %s has a field %q itself; set a prefix for the fields that are added, or do not pass the record", own.Name, name)
		}
	}
	text, err := json.Marshal(map[string]any{"type": "record", "name": "Added", "fields": written(k.fields)})
	if err != nil {
		return err
	}
	added, err := avro.Parse(string(text))
	if err != nil {
		return err
	}
	own.Fields = append(own.Fields, added.Root().Fields...)
	own.Name += "Placed"
	own.Aliases, own.Props = nil, nil
	s, err := own.Schema(avrorec.LaxNames())
	if err != nil {
		return err
	}
	k.schema.Text = s.String()
	if k.schema.Name = own.Name; own.Namespace != "" {
		k.schema.Name = own.Namespace + "." + own.Name
	}
	return nil
}

// avroWritten is the JSON form of a field in a schema.
type avroWritten struct {
	Name    string `json:"name"`
	Type    any    `json:"type"`
	Default any    `json:"default"`
}

func written(fields []avroField) []avroWritten {
	out := make([]avroWritten, len(fields))
	for i, f := range fields {
		out[i] = avroWritten{f.name, f.schema, f.def}
	}
	return out
}

// distinct returns an error if two fields have the same name after conversion to Avro's names.
func distinct(fields []avroField) error {
	seen := map[string]bool{}
	for _, f := range fields {
		if seen[f.name] {
			return fmt.Errorf("two columns would be called %q in Avro; rename one in the input", f.name)
		}
		seen[f.name] = true
	}
	return nil
}

// AvroField returns the name of a kept column in Avro.
func AvroField(column string) string { return avroName(column) }

// avroName converts a name to Avro's letters, digits and underscores.
func avroName(name string) string {
	out := []byte(name)
	for i, c := range out {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case c >= '0' && c <= '9' && i > 0:
		default:
			out[i] = '_'
		}
	}
	if len(out) == 0 {
		return "_"
	}
	return string(out)
}

func (idColumn) avro(o *Output) []avroField {
	if !o.ID.Valid() {
		return []avroField{{IDName, "long", 0, func(to []byte, o *Output, i int) ([]byte, error) { return appendLong(to, o.FirstRow+int64(i)), nil }}}
	}
	return columnFields(o, IDName, o.ID, func(o *Output) table.Column { return o.ID })
}

func (keptColumns) avro(o *Output) (fields []avroField) {
	for k, c := range o.Kept {
		if !o.repeated(c) {
			fields = append(fields, columnFields(o, avroName(c.Name()), c, func(o *Output) table.Column { return o.Kept[k] })...)
		}
	}
	return fields
}

// columnFields returns the nullable field of a column, or no field if its type is inferred and it
// has had no value yet.
func columnFields(o *Output, name string, c table.Column, of func(*Output) table.Column) []avroField {
	var t avroType
	if record.Inferred(c.ArrowField()) {
		settled := o.settled[name]
		if settled == "" {
			return nil
		}
		t = settledAvroType(settled)
	} else {
		t = avroTypeOf(c.ArrowField())
	}
	return []avroField{{name, t.schema, nil, func(to []byte, o *Output, i int) ([]byte, error) {
		c := of(o)
		if c.IsNull(i) {
			return append(to, 0), nil
		}
		return t.write(to, c.Array(), i)
	}}}
}

func (placeColumn) avro(o *Output) []avroField {
	if o.Embedding.Cols == 2 {
		// The coordinates are two plain fields, because connectors that write to databases do not
		// accept lists.
		return []avroField{axisField("x", 0), axisField("y", 1)}
	}
	return []avroField{{EmbeddingName, map[string]any{"type": "array", "items": "float"}, []any{}, func(to []byte, o *Output, i int) ([]byte, error) {
		row := o.Embedding.Row(i)
		if len(row) > 0 {
			to = appendLong(to, int64(len(row)))
		}
		for _, v := range row {
			to = appendAvroFloat(to, v)
		}
		return append(to, 0), nil
	}}}
}

// axisField returns the field of a coordinate.
func axisField(name string, axis int) avroField {
	return avroField{name, []string{"null", "float"}, nil, func(to []byte, o *Output, i int) ([]byte, error) {
		return appendAvroFloat(append(to, branch), o.Embedding.Row(i)[axis]), nil
	}}
}

// A missing value in a series is NaN, and is written as null.
func (s series[T]) avro(*Output) []avroField {
	var zero T
	kind := map[any]string{float32(0): "float", int64(0): "long", "": "string"}[zero]
	return []avroField{{s.name, []string{"null", kind}, nil, func(to []byte, o *Output, i int) ([]byte, error) {
		switch v := any((*s.at(o))[i]).(type) {
		case string:
			return appendAvroText(append(to, branch), v), nil
		case int64:
			return appendLong(append(to, branch), v), nil
		case float32:
			if v != v {
				return append(to, 0), nil
			}
			return appendAvroFloat(append(to, branch), v), nil
		}
		return nil, fmt.Errorf("no type of Avro for %T", zero)
	}}}
}

func (c constant[T]) avro(*Output) []avroField {
	return []avroField{{c.name, "long", 0, func(to []byte, o *Output, _ int) ([]byte, error) {
		v := uint64(*c.at(o))
		if v > math.MaxInt64 {
			return nil, fmt.Errorf("%d does not fit", v)
		}
		return appendLong(to, int64(v)), nil
	}}}
}
