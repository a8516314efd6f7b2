// Package formats contains kinds of messages for streamtest's suite: events in each format, with a
// schema registry in this process.
package formats

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"unfold/ingest/record"
	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/format/formattest"
	"unfold/stream/registry"
	"unfold/stream/registry/registrytest"
	"unfold/stream/streamtest"
)

// Dim is the number of values of a vector.
const Dim = 4

// Event returns event n, of one of three classes.
func Event(n int) formattest.Event {
	rng := rand.New(rand.NewPCG(61, uint64(n)))
	c, v := rng.IntN(3), make([]float32, Dim)
	for k := range v {
		v[k] = float32(rng.NormFloat64()) + 6*float32(c*(k%2))
	}
	if n%9 == 0 {
		v = []float32{float32(c), 0, 1, 6} // without any fraction
	}
	return formattest.Event{ID: int64(n), Class: fmt.Sprint("class ", c), Vector: v}
}

// Stage decodes and encodes messages of a kind.
type Stage struct {
	Registry *registry.Client
	// Decoder decodes columns of formattest.Event. Encoder writes outputs in the format of the
	// input.
	Decoder *format.Decoder
	Encoder *format.Encoder
}

// Schema is the id of the schema of events. The ids from needed on are those of Needy.
const (
	Schema  = 1
	needed  = 8
	lacking = 99
)

// wire writes events of a format with a schema.
type wire struct {
	t testing.TB
	n format.Name
	// named is the format of messages with a schema id.
	named format.Name
}

// named returns the format of messages with a schema id, for a topic with messages of format n.
func named(n format.Name) format.Name {
	if n == format.Arrow {
		return format.Avro // a topic can contain both
	}
	return n
}

func (w wire) message(n format.Name, schema int, e formattest.Event) []byte {
	value, err := formattest.Message(n, schema, e)
	if err != nil {
		w.t.Error(err)
	}
	return value
}

// needy returns an event with a schema id, in JSON as well.
func (w wire) needy(schema, n int) []byte {
	value := w.message(w.named, schema, Event(n))
	if w.named == format.JSON {
		return append(registry.AppendID(nil, schema), value...)
	}
	return value
}

// seed registers the schemas of events.
func (w wire) seed(to *registrytest.Fake) {
	schema := formattest.Schema(w.named, Event(0))
	if schema == nil {
		schema = &registry.Schema{Type: registry.JSON, Text: `{"type": "object"}`}
	}
	for id := range 1 + needed {
		to.Seed(fmt.Sprintf("in-%d-value", id), Schema+id, schema.Type, schema.Text)
	}
}

// value returns a message with event n. In JSON it has an additional field that is not selected.
func (w wire) value(n int) []byte {
	value := w.message(w.n, Schema, Event(n))
	if w.n == format.JSON {
		return append([]byte(`{"more": {"n": 1}, `), value[1:]...)
	}
	return value
}

// bad returns values that are truncated, have a vector of another length, or are not a record.
func (w wire) bad() [][]byte {
	short, whole := Event(1), w.value(1)
	short.Vector = short.Vector[:Dim-1]
	return [][]byte{whole[:len(whole)-3], w.message(w.n, Schema, short), []byte("no record")}
}

// NewStage returns the decoder and encoder of a process, for messages whose schemas a registry has.
func NewStage(r *registry.Client) (s Stage, err error) {
	return newStage(r, formattest.ID, formattest.Vector)
}

// newStage is NewStage with the given names of the id and vector columns.
func newStage(r *registry.Client, id, vector string) (s Stage, err error) {
	s.Registry = r
	s.Decoder, err = format.NewDecoder(format.Decoding{Registry: r, ID: id,
		Spec: record.Spec{Paths: []string{id, formattest.Class, vector}, Vector: vector}})
	if err != nil {
		return s, err
	}
	s.Encoder, err = format.NewEncoder(format.Encoding{Registry: r, Topic: "out"})
	return s, err
}

// Known returns a stage for a format, with a registry that has the schema of events under the id
// Schema.
func Known(t testing.TB, n format.Name) Stage {
	t.Helper()
	return KnownAs(t, n, formattest.ID, formattest.Vector)
}

// KnownAs is Known with the given names of the id and vector columns.
func KnownAs(t testing.TB, n format.Name, id, vector string) Stage {
	t.Helper()
	schemas, w := registrytest.StartFake(t), wire{t, n, named(n)}
	w.seed(schemas)
	s, err := newStage(schemas.Client(), id, vector)
	if err == nil {
		_, err = s.Decoder.DecodeNow(t.Context(), &stream.Message{Value: w.value(0)})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Kind returns the kind of messages with one event in a format. open returns a decoder and a
// learner that pass on a column formattest.Class.
func Kind(t *testing.T, n format.Name, open func(s Stage) (stream.Decoder, stream.Learner, error)) streamtest.Kind {
	t.Helper()
	schemas, w := registrytest.StartFake(t), wire{t, n, named(n)}
	w.seed(schemas)
	k := streamtest.Kind{
		Value: w.value, Bad: w.bad(), Gone: [][]byte{nil}, ContentType: n.ContentType(),
		Needy:   func(i int) []byte { return w.needy(Schema+1+i%needed, i) },
		Lacking: w.needy(lacking, 0), Away: schemas.Away,
		Check: check(schemas.Client()),
		Open: func(*streamtest.Learner) (stream.Decoder, stream.Learner, error) {
			s, err := NewStage(schemas.Client())
			if err != nil {
				return nil, nil, err
			}
			return open(s)
		},
	}
	if n == format.JSON {
		k.Gone = append(k.Gone, []byte(`{"before": {"event": 4}, "after": null, "op": "d"}`))
	}
	return k
}

// check compares outputs with their inputs: the event and the format must be the same.
func check(r *registry.Client) func(in, out *stream.Message) error {
	s, err := NewStage(r)
	plain, err2 := format.NewDecoder(format.Decoding{Registry: r})
	return func(in, out *stream.Message) error {
		if err != nil || err2 != nil {
			return fmt.Errorf("%v, %v", err, err2)
		}
		from, err := s.Decoder.DecodeNow(context.Background(), in)
		if err != nil {
			return err
		}
		to, err := plain.DecodeNow(context.Background(), out)
		if err != nil {
			return err
		}
		if to.Wire.Format != from.Wire.Format {
			return fmt.Errorf("an output in %s of an input in %s", to.Wire.Format, from.Wire.Format)
		}
		class := formattest.Class
		if to.Wire.Format == format.Protobuf {
			class += "_n2" // the first one is the predicted class
		}
		for a, b := range map[string]string{formattest.ID: "id", formattest.Class: class} {
			want, ok1 := from.Table.Column(a)
			got, ok2 := to.Table.Column(b)
			if !ok1 || !ok2 || to.Table.Len() != 1 || got.Text(0) != want.Text(0) {
				return fmt.Errorf("its %d events are not those of the input, by %s", to.Table.Len(), b)
			}
		}
		return nil
	}
}
