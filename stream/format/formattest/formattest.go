// Package formattest writes events as messages in each format, for tests and measurements.
package formattest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream/format"
	"unfold/stream/registry"
)

// Columns of events.
const (
	ID     = "event"
	Class  = "class"
	Vector = "v"
)

// Formats returns all formats of messages.
func Formats() []format.Name {
	return []format.Name{format.Arrow, format.JSON, format.Avro, format.Protobuf}
}

// Event is an event. All events of a topic have the same fields.
type Event struct {
	ID     any // an int64 or a string
	Class  string
	Vector []float32
}

// field is a field of a record: its name, its types in Avro and Protobuf, its value in JSON.
type field struct {
	name, avro, protobuf string
	value                any
}

// fields are those that an event has, in order; a class that is empty is none.
func (e Event) fields() []field {
	id := field{ID, `"string"`, "string", e.ID}
	if _, number := e.ID.(int64); number {
		id.avro, id.protobuf = `"long"`, "int64"
	}
	all := []field{id}
	if e.Class != "" {
		all = append(all, field{Class, `"string"`, "string", e.Class})
	}
	return append(all, field{Vector, `{"type":"array","items":"float"}`, "repeated float", e.Vector})
}

// Schema returns the schema that a registry must have for messages of such events; nil for formats
// without schemas.
func Schema(n format.Name, e Event) *registry.Schema {
	all := e.fields()
	switch n {
	case format.Avro:
		text := ""
		for _, f := range all {
			text += fmt.Sprintf(`,{"name":%q,"type":%s}`, f.name, f.avro)
		}
		return &registry.Schema{Type: registry.Avro, Text: fmt.Sprintf(`{"type":"record","name":"Event","fields":[%s]}`, text[1:])}
	case format.Protobuf:
		text := "syntax = \"proto3\";\nmessage Event {\n"
		for i, f := range all {
			text += fmt.Sprintf("  %s %s = %d;\n", f.protobuf, f.name, i+1)
		}
		return &registry.Schema{Type: registry.Protobuf, Text: text + "}\n"}
	}
	return nil
}

// Message encodes events as one message, with the schema's id if its format has schemas. In Avro
// and Protobuf a message has one event.
func Message(n format.Name, schema int, events ...Event) ([]byte, error) {
	switch n {
	case format.Arrow:
		return inArrow(events)
	case format.JSON:
		return inJSON(events)
	}
	if len(events) != 1 {
		return nil, fmt.Errorf("a message in %s holds one event, not %d", n, len(events))
	}
	framed := registry.AppendID(nil, schema)
	if n == format.Protobuf {
		return appendProtobuf(registry.AppendIndex(framed, []int{0}), events[0]), nil
	}
	return appendAvro(framed, events[0]), nil
}

func inArrow(events []Event) ([]byte, error) {
	var numbers []int64
	var names, classes []string
	var x vec.Matrix[float32]
	for _, e := range events {
		switch id := e.ID.(type) {
		case int64:
			numbers = append(numbers, id)
		case string:
			names = append(names, id)
		}
		if e.Class != "" {
			classes = append(classes, e.Class)
		}
		x.Rows, x.Cols, x.Data = x.Rows+1, len(e.Vector), append(x.Data, e.Vector...)
	}
	columns := []table.Column{table.StringColumn(ID, names)}
	if numbers != nil {
		columns[0] = table.Int64Column(ID, numbers)
	}
	if classes != nil {
		columns = append(columns, table.StringColumn(Class, classes))
	}
	t, err := table.NewTable(table.Origin{}, append(columns, table.VectorColumn(Vector, x))...)
	if err != nil {
		return nil, err
	}
	return emit.EncodeTable(t)
}

// inJSON writes an event as an object, several as an array of objects.
func inJSON(events []Event) ([]byte, error) {
	rows := make([]map[string]any, len(events))
	for i, e := range events {
		rows[i] = map[string]any{}
		for _, f := range e.fields() {
			rows[i][f.name] = f.value
		}
	}
	if len(rows) == 1 {
		return json.Marshal(rows[0])
	}
	return json.Marshal(rows)
}

func appendAvro(to []byte, e Event) []byte {
	for _, f := range e.fields() {
		switch v := f.value.(type) {
		case int64:
			to = binary.AppendVarint(to, v)
		case string:
			to = append(binary.AppendVarint(to, int64(len(v))), v...)
		case []float32:
			to = appendFloats(binary.AppendVarint(to, int64(len(v))), v)
			to = append(to, 0) // the end of the array
		}
	}
	return to
}

func appendProtobuf(to []byte, e Event) []byte {
	const varint, bytes = 0, 2 // types on the wire
	for i, f := range e.fields() {
		key := uint64(i+1) << 3
		switch v := f.value.(type) {
		case int64:
			to = binary.AppendUvarint(binary.AppendUvarint(to, key|varint), uint64(v))
		case string:
			to = append(binary.AppendUvarint(binary.AppendUvarint(to, key|bytes), uint64(len(v))), v...)
		case []float32:
			to = appendFloats(binary.AppendUvarint(binary.AppendUvarint(to, key|bytes), uint64(4*len(v))), v)
		}
	}
	return to
}

func appendFloats(to []byte, v []float32) []byte {
	for _, x := range v {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(x))
	}
	return to
}
