package formattest

import (
	"fmt"
	"reflect"
	"testing"

	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/registry/registrytest"
)

// A message in a format is recognised as that format, and contains the event.
func TestMessage(t *testing.T) {
	for name, e := range map[string]Event{
		"number":        {ID: int64(-7), Class: "a", Vector: []float32{.25, -1e-3, 300}},
		"text":          {ID: "seven", Class: "b", Vector: []float32{1, 2}},
		"without class": {ID: "", Vector: []float32{5}},
	} {
		for _, n := range Formats() {
			t.Run(name+" "+string(n), func(t *testing.T) {
				schemas := registrytest.StartFake(t)
				if s := Schema(n, e); s != nil {
					schemas.Seed("in-value", 1, s.Type, s.Text)
				}
				value, err := Message(n, 1, e)
				if err != nil {
					t.Fatal(err)
				}
				d, err := format.NewDecoder(format.Decoding{Registry: schemas.Client(), Spec: record.Spec{Vector: Vector}})
				if err != nil {
					t.Fatal(err)
				}
				got, err := d.DecodeNow(t.Context(), &stream.Message{Value: value})
				if err != nil {
					t.Fatal(err)
				}
				if got.Wire.Format != n && (n != format.Arrow || got.Wire.Format != "") {
					t.Errorf("read as %q", got.Wire.Format)
				}
				for _, f := range e.fields() {
					c, ok := got.Table.Column(f.name)
					if !ok || c.Len() != 1 {
						t.Fatalf("%s is not there", f.name)
					}
					if f.name == Vector {
						x := make([]float32, len(e.Vector))
						if err := table.CopyVectors(x, len(x), c, table.Origin{}, false); err != nil || !reflect.DeepEqual(x, e.Vector) {
							t.Errorf("%v, not %v, %v", x, e.Vector, err)
						}
						continue
					}
					if want := fmt.Sprint(f.value); c.Text(0) != want {
						t.Errorf("%s is %s, not %s", f.name, c.Text(0), want)
					}
				}
			})
		}
	}
	for _, n := range []format.Name{format.Avro, format.Protobuf} {
		if _, err := Message(n, 1, Event{ID: "a"}, Event{ID: "b"}); err == nil {
			t.Errorf("two events in a message of %s", n)
		}
	}
}
