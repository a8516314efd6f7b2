package format

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"unfold/ingest/emit"
	"unfold/ingest/jsonrec"
	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream/registry"
)

// seeding loads the types of earlier outputs from the registry, once.
type seeding struct {
	mu   sync.Mutex
	done bool
}

// seed loads the types of the outputs' newest schema, so that a restarted stage, and the others of
// its group, encode columns as before.
func (e *Encoder) seed(ctx context.Context) error {
	if e.set.Registry == nil || e.set.Pass {
		return nil
	}
	e.seeding.mu.Lock()
	defer e.seeding.mu.Unlock()
	if e.seeding.done {
		return nil
	}
	latest, err := e.set.Registry.Latest(ctx, e.Subject(Avro))
	if err != nil {
		return err
	}
	if latest != nil && latest.Type == registry.Avro {
		if err := e.avro.Settle(latest.Text); err != nil {
			return err
		}
	}
	e.seeding.done = true
	return nil
}

// avroOf has the Avro types of pinned columns in outputs.
var avroOf = map[record.Type]any{record.Int: "long", record.Uint: "string", record.Float: "double", record.Bool: "boolean", record.Text: "string",
	record.Time: map[string]any{"type": "long", "logicalType": "timestamp-micros"}}

// CheckPins returns an error for pinned types that the registry would reject in the Avro schema of
// outputs, given its newest schema, for columns that pass through by their output names. An
// unavailable registry is not an error.
func (e *Encoder) CheckPins(ctx context.Context, types map[string]record.Type, id string, passing []string) error {
	if e.set.Registry == nil || e.set.Pass || !slices.ContainsFunc(passing, func(column string) bool { return avroOf[types[column]] != nil }) {
		return nil
	}
	subject := e.Subject(Avro)
	latest, err := e.set.Registry.Latest(ctx, subject)
	if err != nil || latest == nil || latest.Type != registry.Avro {
		return nil
	}
	var problems []error
	for _, column := range passing {
		t, pinned := avroOf[types[column]]
		if !pinned {
			continue
		}
		name := emit.AvroField(column)
		if column == id {
			name = emit.IDName
		}
		text, was, changed := withType(latest.Text, name, t)
		if !changed {
			continue
		}
		ok, why, err := e.set.Registry.Compatible(ctx, subject, &registry.Schema{Type: registry.Avro, Text: text})
		if err == nil && !ok {
			problems = append(problems, fmt.Errorf("source.types pins %s to %s, and outputs have it as %s under the subject %s, whose compatibility refuses the change (%s): leave the pin out, write to a new topic (sink.kafka.topic), or relax the subject's compatibility",
				column, types[column], was, subject, cmp.Or(why, "the registry does not say why")))
		}
	}
	return errors.Join(problems...)
}

// CheckRecord returns an error if the registry would reject the Avro schema of outputs as a whole,
// as far as it is known before the first event, for maps of dims dimensions. Columns without a
// pinned type are as in the newest schema. An unavailable registry is not an error.
func (e *Encoder) CheckRecord(ctx context.Context, dims int, types map[string]record.Type, id string, passing []string) error {
	if e.set.Registry == nil || e.set.Pass {
		return nil
	}
	subject := e.Subject(Avro)
	latest, err := e.set.Registry.Latest(ctx, subject)
	if err != nil || latest == nil || latest.Type != registry.Avro {
		return nil
	}
	to := &emit.Avro{Name: e.set.RecordName}
	if err := to.Settle(latest.Text); err != nil {
		to = &emit.Avro{Name: e.set.RecordName} // another program's: then its types do not count
	}
	made, err := expected(to, dims, types, id, passing)
	if err != nil {
		return err
	}
	ok, why, err := e.set.Registry.Compatible(ctx, subject, &registry.Schema{Type: registry.Avro, Text: made.Text})
	if err != nil || ok {
		return nil
	}
	return fmt.Errorf("outputs are records %s, which the compatibility of the subject %s refuses next to its records %s (%s): name the records alike (sink.record_name), "+
		"write under a subject of their own (sink.subject, sink.record_name, or another topic), or relax the subject's compatibility",
		made.Name, subject, recordName(latest.Text), cmp.Or(why, "the registry does not say why"))
}

// expected returns the output schema for an event with all values missing.
func expected(to *emit.Avro, dims int, types map[string]record.Type, id string, passing []string) (*emit.AvroSchema, error) {
	paths := slices.Compact(slices.Sorted(slices.Values(passing)))
	paths = slices.DeleteFunc(paths, func(column string) bool { return column == "" })
	pinned := map[string]record.Type{}
	for _, column := range paths {
		if t, ok := types[column]; ok {
			pinned[column] = t
		}
	}
	got, err := jsonrec.New(record.Spec{Paths: paths, Types: pinned}).Decode([]byte("{}"), table.Origin{})
	if err != nil {
		return nil, err
	}
	o := &emit.Output{Embedding: vec.Of(1, dims, make([]float32, dims)), MapID: "0", Version: 1}
	for _, column := range paths {
		c, ok := got.Table.Column(column)
		switch {
		case !ok:
		case column == id:
			o.ID = c
		default:
			o.Kept = append(o.Kept, c)
		}
	}
	made, _, err := to.Encode(nil, o)
	return made, err
}

// recordName returns the full name of a schema's record.
func recordName(text string) string {
	var s struct{ Name, Namespace string }
	if json.Unmarshal([]byte(text), &s) != nil || s.Name == "" {
		return "of no name"
	}
	if s.Namespace != "" && !strings.Contains(s.Name, ".") {
		return s.Namespace + "." + s.Name
	}
	return s.Name
}

// withType returns a schema with another type for a field, besides null, and the previous type.
func withType(text, name string, t any) (out, was string, changed bool) {
	var s map[string]any
	if json.Unmarshal([]byte(text), &s) != nil {
		return "", "", false
	}
	fields, _ := s["fields"].([]any)
	for _, f := range fields {
		field, _ := f.(map[string]any)
		if field["name"] != name {
			continue
		}
		before, _ := json.Marshal(field["type"])
		after, _ := json.Marshal([]any{"null", t})
		if string(before) == string(after) {
			return "", "", false
		}
		field["type"] = []any{"null", t}
		all, err := json.Marshal(s)
		return string(all), string(before), err == nil
	}
	return "", "", false
}
