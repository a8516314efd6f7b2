package protorec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// parsed returns the descriptor of a message in a schema given as text.
func parsed(t testing.TB, text, name string, references ...Reference) protoreflect.MessageDescriptor {
	t.Helper()
	f, err := Parse(t.Context(), text, references)
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Message(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// wire returns the binary encoding of a message given in text format.
func wire(t testing.TB, m protoreflect.MessageDescriptor, text string) []byte {
	t.Helper()
	d := dynamicpb.NewMessage(m)
	if err := (prototext.UnmarshalOptions{Resolver: &protoregistry.Types{}}).Unmarshal([]byte(text), d); err != nil {
		t.Fatal(err)
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// valueAt returns a value of a column as a Go value, nil for null.
func valueAt(a arrow.Array, i int) any {
	if a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case *array.Boolean:
		return a.Value(i)
	case *array.Int64:
		return a.Value(i)
	case *array.Uint64:
		return a.Value(i)
	case *array.Timestamp:
		return int64(a.Value(i))
	case *array.Float64:
		return a.Value(i)
	case *array.String:
		return a.Value(i)
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		out := make([]float64, 0, to-from)
		get := table.NumberGetter(a.ListValues())
		for k := from; k < to; k++ {
			out = append(out, get(int(k)))
		}
		return out
	}
	return fmt.Sprintf("a column of %s", a.DataType())
}

// shown formats a table's only row as name=value.
func shown(t *table.Table) string {
	var parts []string
	for _, c := range t.Columns() {
		parts = append(parts, fmt.Sprintf("%s=%v", c.Name(), valueAt(c.Array(), 0)))
	}
	return strings.Join(parts, " ")
}

const everything = `
syntax = "proto3";
package shop.v1;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/struct.proto";
import "confluent/meta.proto";
import "confluent/type/decimal.proto";
import "colour.proto";

message Event {
  string event_id = 1 [(confluent.field_meta) = { doc: "the event" }];
  repeated float embedding = 2;
  Payload payload = 3;
  map<string, double> scores = 4;
  map<int32, bool> flags = 5;
  google.protobuf.Timestamp at = 6;
  google.protobuf.Duration took = 7;
  google.protobuf.Int64Value maybe = 8;
  google.protobuf.Struct more = 9;
  optional int32 sometimes = 10;
  other.Colour colour = 11;
  oneof choice { string name = 12; sint64 number = 13; Payload inner = 14; }
  confluent.type.Decimal price = 15;
  bytes raw = 16;
  fixed64 hash = 17;
  repeated string tags = 18;
  repeated other.Colour colours = 20;
  repeated bool switches = 21;
  repeated Payload many = 22;
  Sparse sparse = 19;
  message Payload { uint32 bytes = 1; Event nested = 2; bool ok = 3; }
  message Sparse { int32 dimensions = 1; repeated Entry vector = 2; message Entry { int32 key = 1; double value = 2; } }
}
`

const colour = `syntax = "proto2"; package other; enum Colour { RED = 0; BLUE = 2; } `

func everyEvent(t testing.TB) protoreflect.MessageDescriptor {
	return parsed(t, everything, "Event", Reference{"colour.proto", strings.Replace(colour, "proto2", "proto3", 1)})
}

// Each kind of field gives the expected column values.
func TestFields(t *testing.T) {
	m := everyEvent(t)
	for name, c := range map[string]struct {
		spec       record.Spec
		text, want string
	}{
		"vector": {record.Spec{Paths: []string{"event_id", "embedding"}}, `event_id: "a" embedding: [1, 2.5, -3]`, "event_id=a embedding=[1 2.5 -3]"},
		"implicit values are zero, optional ones null": {record.Spec{Paths: []string{"event_id", "payload.bytes", "sometimes", "hash", "colour", "embedding"}}, ``,
			"event_id= payload.bytes=<nil> sometimes=<nil> hash=0 colour=RED embedding=<nil>"},
		"nested":     {record.Spec{Paths: []string{"payload.nested.event_id", "payload.ok", "payload.bytes"}}, `payload { bytes: 7 nested { event_id: "x" } }`, "payload.nested.event_id=x payload.ok=false payload.bytes=7"},
		"JSON names": {record.Spec{Paths: []string{"eventId"}}, `event_id: "a"`, "eventId=a"},
		"maps":       {record.Spec{Paths: []string{"scores.a", "scores.c", "flags.-2"}}, `scores { key: "a" value: 1.5 } scores { key: "b" value: 2 } flags { key: -2 value: true }`, "scores.a=1.5 scores.c=<nil> flags.-2=true"},
		"time, duration, wrapper": {record.Spec{Paths: []string{"at", "took", "maybe"}}, `at { seconds: 3 nanos: 4000 } took { seconds: -1 nanos: -500000000 } maybe {}`,
			"at=3000004 took=-1.5 maybe=0"},
		"no wrapper":      {record.Spec{Paths: []string{"at", "took", "maybe"}}, ``, "at=<nil> took=<nil> maybe=<nil>"},
		"struct":          {record.Spec{Paths: []string{"more.x", "more.deep.y", "more.v"}}, `more { fields { key: "x" value { number_value: 2 } } fields { key: "v" value { list_value { values { number_value: 1 } values { number_value: 2 } } } } fields { key: "deep" value { struct_value { fields { key: "y" value { string_value: "s" } } } } } }`, "more.x=2 more.deep.y=s more.v=[1 2]"},
		"enum":            {record.Spec{Paths: []string{"colour"}}, `colour: BLUE`, "colour=BLUE"},
		"unnamed enum":    {record.Spec{Paths: []string{"colour"}}, `colour: 9`, "colour=9"},
		"enum as number":  {record.Spec{Paths: []string{"colour"}, Types: map[string]record.Type{"colour": record.Int}}, `colour: BLUE`, "colour=2"},
		"oneof":           {record.Spec{Paths: []string{"name", "number", "inner.ok"}}, `number: -4`, "name=<nil> number=-4 inner.ok=<nil>"},
		"decimal":         {record.Spec{Paths: []string{"price"}}, `price { value: "\xff\x38" scale: 2 }`, "price=-2"},
		"decimal as text": {record.Spec{Paths: []string{"price"}, Types: map[string]record.Type{"price": record.Text}}, `price { value: "\x04\xd2" scale: 2 }`, "price=12.34"},
		"bytes":           {record.Spec{Paths: []string{"raw"}}, `raw: "\xff\x00"`, "raw=/wA="},
		"bytes as vector": {record.Spec{Paths: []string{"raw"}, Vector: "raw"}, `raw: "\x00\x00\x80\x3f\x00\x00\x00\x40"`, "raw=[1 2]"},
		"largest integer": {record.Spec{Paths: []string{"hash"}}, `hash: 18446744073709551615`, "hash=18446744073709551615"},
		"large integer":   {record.Spec{Paths: []string{"hash"}, Types: map[string]record.Type{"hash": record.Text}}, `hash: 18446744073709551615`, "hash=18446744073709551615"},
		"sparse vector":   {record.Spec{Paths: []string{"sparse"}}, `sparse { dimensions: 4 vector { key: 1 value: 2.5 } vector { key: 3 value: -1 } }`, "sparse=[2.5 0 -1 0]"},
		"lists of others": {record.Spec{Paths: []string{"tags", "colours", "switches"}}, `tags: "<a\"" tags: "b" colours: [BLUE, RED] colours: 9 switches: [true, false]`,
			`tags=["<a\"","b"] colours=["BLUE","RED",9] switches=[true,false]`},
		"no elements":       {record.Spec{Paths: []string{"tags", "embedding"}}, ``, "tags=<nil> embedding=<nil>"},
		"not in the schema": {record.Spec{Paths: []string{"nothing", "event_id"}}, `event_id: "a"`, "nothing=<nil> event_id=a"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Compile(m, c.spec)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // decode twice, to check that a reused worker gives the same result
				got, err := d.Decode(wire(t, m, c.text), table.Origin{})
				if err != nil {
					t.Fatal(err)
				}
				if text := shown(got.Table); text != c.want || got.Deleted {
					t.Errorf("%s, want %s", text, c.want)
				}
			}
		})
	}
}

// Malformed messages and values that no column can hold give an input error with their position.
func TestRefused(t *testing.T) {
	m := everyEvent(t)
	deep := strings.Repeat("payload { nested { ", 40) + strings.Repeat("} }", 40)
	for name, c := range map[string]struct {
		paths []string
		value []byte
		want  string
	}{
		"cut off":          {nil, []byte{0x0a, 5, 'a'}, "at byte 1 the bytes are no message of type shop.v1.Event: unexpected EOF"},
		"field 0":          {nil, []byte{0, 0}, "at byte 0 the bytes are no message"},
		"too deep":         {nil, wire(t, m, deep), "its messages nest more than 64 deep"},
		"odd floats":       {nil, []byte{0x12, 3, 0, 0, 0}, "field shop.v1.Event.embedding: 3 bytes are no whole number"},
		"long sparse":      {nil, wire(t, m, "sparse { dimensions: 2147483647 }"), "a sparse vector of 2147483647 elements is too long"},
		"beyond sparse":    {nil, wire(t, m, "sparse { dimensions: 2 vector { key: 3 } }"), "has none at 3"},
		"many keys":        {nil, manyKeys(t, m), "more than 4096 fields"},
		"no UTF-8":         {[]string{"event_id"}, []byte{0x0a, 1, 0xff}, `column "event_id": its text is not UTF-8`},
		"hopeless decimal": {nil, wire(t, m, "price { scale: 2147483647 }"), "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Compile(m, record.Spec{Paths: c.paths})
			if err != nil {
				t.Fatal(err)
			}
			_, err = d.Decode(c.value, table.Origin{File: "f"})
			if err == nil || !table.IsBadInput(err) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "f") {
				t.Errorf("%v, want %s", err, c.want)
			}
			if _, err := d.Decode(nil, table.Origin{}); err != nil {
				t.Errorf("the message after it: %v", err)
			}
		})
	}
}

func manyKeys(t testing.TB, m protoreflect.MessageDescriptor) []byte {
	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, "scores { key: 'k%d' } ", i)
	}
	return wire(t, m, text.String())
}

// TestCompileRefuses columns that no message could have.
func TestCompileRefuses(t *testing.T) {
	m := everyEvent(t)
	for path, want := range map[string]string{
		"payload":     `column "payload" is a message; name one of its fields, as in "payload.bytes"`,
		"scores":      `column "scores" is a map; name one of its keys`,
		"more":        `column "more" is a struct; name one of its fields`,
		"many":        `column "many": lists of messages are not supported`,
		"event_id.x":  `column "event_id.x": nothing lies below event_id, which is one value`,
		"embedding.0": `nothing lies below embedding`,
	} {
		if _, err := Compile(m, record.Spec{Paths: []string{path}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	if _, err := Compile(m, record.Spec{Paths: []string{"event_id", "eventId"}}); err == nil || !strings.Contains(err.Error(), "are the same field") {
		t.Error(err)
	}
}
