package format

import (
	"encoding/json"
	"slices"
	"strings"

	"unfold/ingest/avrorec"
	"unfold/ingest/jsonrec"
	"unfold/ingest/record"
	"unfold/ingest/table"
)

// textChange decodes Debezium's Avro changes whose records are JSON in a text, such as MongoDB's.
// It converts the selected fields of the envelope to JSON too.
type textChange struct {
	envelope *avrorec.Decoder
	json     *jsonrec.Decoder
}

// newTextChange returns nil if a schema is not such an envelope.
func newTextChange(d *avrorec.Decoder, schema string, references []avrorec.Reference, spec record.Spec, values *jsonrec.Decoder) (reader, error) {
	fields := d.ChangeInText()
	if fields == nil {
		return nil, nil
	}
	paths := []string{"op", "before", "after"}
	for _, path := range spec.Paths {
		first, _, _ := strings.Cut(path, ".")
		if slices.Contains(fields, first) && !slices.Contains(paths, first) && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	envelope, err := avrorec.Compile(schema, references, record.Spec{Paths: paths, Limits: spec.Limits})
	if err != nil {
		return nil, err
	}
	return &textChange{envelope, values}, nil
}

// Decode implements reader.
func (c *textChange) Decode(value []byte, origin table.Origin) (record.Decoded, error) {
	got, err := c.envelope.Decode(value, origin)
	if err != nil {
		return got, err
	}
	all := map[string]any{}
	for _, column := range got.Table.Columns() {
		at, path := all, strings.Split(column.Name(), ".")
		for _, name := range path[:len(path)-1] {
			inner, ok := at[name].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[name] = inner
			}
			at = inner
		}
		at[path[len(path)-1]] = valueOf(column)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return record.Decoded{}, origin.Bad("the envelope of the change cannot be read: %v", err)
	}
	return c.json.Decode(text, origin)
}

// valueOf returns the first value of a column as JSON; integers stay exact.
func valueOf(c table.Column) any {
	switch t, _ := record.TypeOf(c.DataType()); {
	case c.IsNull(0):
		return nil
	case t == record.Int || t == record.Uint || t == record.Float:
		return json.Number(c.Text(0))
	case t == record.Bool:
		return c.Text(0) == "true"
	}
	return c.Text(0)
}
