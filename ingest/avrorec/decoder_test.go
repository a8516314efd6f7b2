package avrorec_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/twmb/avro"

	"unfold/ingest/avrorec"
	"unfold/ingest/record"
	"unfold/ingest/table"
)

// shown formats a table's values with their types.
func shown(t *table.Table) string {
	var parts []string
	for _, c := range t.Columns() {
		for i := range c.Len() {
			text := "null"
			if list, ok := c.Array().(array.ListLike); ok && !c.IsNull(i) {
				from, to := list.ValueOffsets(i)
				text = strings.ReplaceAll(fmt.Sprint(array.NewSlice(list.ListValues(), from, to)), " ", ",")
			} else if !c.IsNull(i) {
				text = c.Array().ValueStr(i)
			}
			parts = append(parts, fmt.Sprintf("%s=%s", c.Name(), text))
		}
	}
	return strings.Join(parts, " ")
}

func encode(t testing.TB, schema string, v any) []byte {
	t.Helper()
	s, err := avro.Parse(schema)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decode(t testing.TB, schema string, spec record.Spec, value []byte) (record.Decoded, error) {
	t.Helper()
	d, err := avrorec.Compile(schema, nil, spec)
	if err != nil {
		t.Fatal(err)
	}
	return d.Decode(value, table.Origin{})
}

type m = map[string]any

const everything = `{"type":"record","name":"Event","namespace":"shop","fields":[
 {"name":"id","type":"string"}, {"name":"n","type":"int"}, {"name":"l","type":["null","long"]}, {"name":"f","type":"float"}, {"name":"d","type":"double"},
 {"name":"b","type":"boolean"}, {"name":"nothing","type":"null"}, {"name":"raw","type":"bytes"}, {"name":"six","type":{"type":"fixed","name":"Six","size":4}},
 {"name":"colour","type":{"type":"enum","name":"Colour","symbols":["RED","GREEN"]}},
 {"name":"ms","type":{"type":"long","logicalType":"timestamp-millis"}}, {"name":"us","type":{"type":"long","logicalType":"timestamp-micros"}},
 {"name":"ns","type":{"type":"long","logicalType":"timestamp-nanos"}}, {"name":"day","type":{"type":"int","logicalType":"date"}},
 {"name":"price","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}},
 {"name":"uid","type":{"type":"string","logicalType":"uuid"}},
 {"name":"v","type":{"type":"array","items":"float"}},
 {"name":"payload","type":{"type":"record","name":"Payload","fields":[{"name":"bytes","type":"long"},{"name":"colour","type":"Colour"},{"name":"next","type":["null","Payload"]}]}},
 {"name":"tags","type":{"type":"array","items":"string"}},
 {"name":"scores","type":{"type":"map","values":"double"}},
 {"name":"either","type":["null","double","string"]}]}`

func event() m {
	return m{"id": "a", "n": int32(-7), "l": int64(1) << 40, "f": float32(0.1), "d": 0.1, "b": true, "nothing": nil, "raw": []byte("hi"), "six": []byte{0, 0, 0x80, 0x3f},
		"colour": "GREEN", "ms": time.UnixMilli(1500).UTC(), "us": time.UnixMicro(1500).UTC(), "ns": time.Unix(0, 1500).UTC(), "day": time.Unix(86400*3, 0).UTC(),
		"price": big.NewRat(-12345, 100), "uid": "00112233-4455-6677-8899-aabbccddeeff", "v": []float32{1, 2.5}, "payload": m{"bytes": int64(9), "colour": "RED", "next": nil},
		"tags": []string{"x", "y"}, "scores": m{"a": 1.5, "b": 2.0}, "either": "text"}
}

// Each Avro type gives the expected column values.
func TestDecode(t *testing.T) {
	value := encode(t, everything, event())
	for _, row := range []struct {
		name string
		spec record.Spec
		want string
	}{
		{"all columns", record.Spec{}, `id=a n=-7 l=1099511627776 f=0.10000000149011612 d=0.1 b=true raw=hi six=AACAPw== colour=GREEN ms=1970-01-01 00:00:01.5Z us=1970-01-01 00:00:00.0015Z ` +
			`ns=1970-01-01 00:00:00.000001Z day=1970-01-04 00:00:00Z price=-123.45 uid=00112233-4455-6677-8899-aabbccddeeff v=[1,2.5] payload.bytes=9 payload.colour=RED either=text`},
		{"some, in the order asked for", record.Spec{Paths: []string{"v", "payload.bytes", "id", "missing"}}, `v=[1,2.5] payload.bytes=9 id=a missing=null`},
		{"keys of maps", record.Spec{Paths: []string{"scores.b", "scores.z", "id"}}, `scores.b=2 scores.z=null id=a`},
		{"pins", record.Spec{Paths: []string{"n", "price", "ms", "id"}, Types: map[string]record.Type{"n": record.Text, "price": record.Text, "ms": record.Int}}, `n=-7 price=-123.45 ms=1500 id=a`},
		{"bytes as a vector", record.Spec{Paths: []string{"six"}, Vector: "six"}, `six=[1]`},
		{"JSON of the rest", record.Spec{Paths: []string{"tags", "payload", "scores.a"}}, `tags=["x","y"] payload={"bytes":9,"colour":"RED","next":null} scores.a=1.5`},
		{"inside a recursive record", record.Spec{Paths: []string{"payload.next.bytes", "id"}}, `payload.next.bytes=null id=a`},
		{"none", record.Spec{Paths: []string{"x"}}, `x=null`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := decode(t, everything, row.spec, value)
			if err != nil {
				t.Fatal(err)
			}
			if text := shown(got.Table); text != row.want || got.Deleted || got.Table.Len() != 1 {
				t.Errorf("got  %s\nwant %s", text, row.want)
			}
		})
	}
}

// Column types do not depend on the record's values, except for unions of several types, where they
// are inferred.
func TestTypesAreTheSchemas(t *testing.T) {
	d, err := avrorec.Compile(everything, nil, record.Spec{Paths: []string{"id", "l", "v", "either"}})
	if err != nil {
		t.Fatal(err)
	}
	other := event()
	other["l"], other["either"] = nil, 2.5
	var types []string
	for _, v := range []m{event(), other} {
		got, err := d.Decode(encode(t, everything, v), table.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, c := range got.Table.Columns() {
			text += fmt.Sprintf("%s %s %v, ", c.Name(), c.DataType(), record.Inferred(c.ArrowField()))
		}
		types = append(types, text)
	}
	const want = "id string false, l int64 false, v fixed_size_list<float32>[2] false, either "
	if types[0] != want+"string true, " || types[1] != want+"float64 true, " {
		t.Errorf("types are %q", types)
	}
}

// The same set of columns can be read from messages of several versions of a schema.
func TestEvolution(t *testing.T) {
	spec := record.Spec{Paths: []string{"id", "v", "size"}, Types: map[string]record.Type{"size": record.Float}}
	for _, row := range []struct{ name, schema, want string }{
		{"as wanted", `{"type":"record","name":"E","fields":[{"name":"id","type":"string"},{"name":"v","type":{"type":"array","items":"float"}},{"name":"size","type":"double"}]}`, "id=a v=[1,2] size=3"},
		{"another order, other types, more fields", `{"type":"record","name":"E","fields":[{"name":"more","type":{"type":"array","items":{"type":"map","values":"string"}}},{"name":"size","type":"int"},
		 {"name":"v","type":["null",{"type":"array","items":["null","long"]}]},{"name":"id","type":["string","null"]}]}`, "id=a v=[1,2] size=3"},
		{"a field that was renamed", `{"type":"record","name":"E","fields":[{"name":"key","aliases":["id"],"type":"string"},{"name":"v","type":{"type":"array","items":"double"}},{"name":"size","type":"float"}]}`, "id=a v=[1,2] size=3"},
		{"a field that is not there", `{"type":"record","name":"E","fields":[{"name":"id","type":"string"},{"name":"v","type":{"type":"array","items":"int"}}]}`, "id=a v=[1,2] size=null"},
	} {
		t.Run(row.name, func(t *testing.T) {
			value := encode(t, row.schema, m{"id": "a", "key": "a", "v": []any{1, 2}, "size": 3, "more": []any{m{"x": "y"}}})
			got, err := decode(t, row.schema, spec, value)
			if err != nil {
				t.Fatal(err)
			}
			if text := shown(got.Table); text != row.want {
				t.Errorf("got %s, want %s", text, row.want)
			}
			if c, _ := got.Table.Need("size"); c.DataType() != "float64" {
				t.Errorf("size is %s", c.DataType())
			}
		})
	}
}

// Schemas of records, arrays of records, unions and plain values are accepted, others are refused.
func TestRoots(t *testing.T) {
	const point = `{"type":"record","name":"P","fields":[{"name":"x","type":"int"}]}`
	for _, row := range []struct {
		name, schema string
		value        any
		paths        []string
		want         string
	}{
		{"an array of records", `{"type":"array","items":` + point + `}`, []m{{"x": 1}, {"x": 2}}, nil, "x=1 x=2"},
		{"a record or null", `["null",` + point + `]`, m{"x": 3}, nil, "x=3"},
		{"several records", `[` + point + `,{"type":"record","name":"Q","fields":[{"name":"y","type":"string"}]}]`, m{"Q": m{"y": "q"}}, nil, "x=null y=q"},
		{"a plain key", `"long"`, int64(7), []string{"id"}, "id=7"},
		{"a plain key of no name", `"string"`, "k", nil, "value=k"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := avro.MustParse(row.schema)
			value, err := s.Encode(row.value)
			if err != nil {
				t.Fatal(err)
			}
			got, err := decode(t, row.schema, record.Spec{Paths: row.paths}, value)
			if err != nil {
				t.Fatal(err)
			}
			if text := shown(got.Table); text != row.want {
				t.Errorf("got %s, want %s", text, row.want)
			}
		})
	}
	for _, bad := range []string{`"null"`, `{"type":"record"}`, `{`, `{"type":"record","name":"E","fields":[{"name":"x","type":"Gone"}]}`} {
		if _, err := avrorec.Compile(bad, nil, record.Spec{}); err == nil {
			t.Errorf("%s compiles", bad)
		}
	}
}

// Types of referenced schemas are found, and the resulting schema needs no references.
func TestReferences(t *testing.T) {
	references := []avrorec.Reference{
		{Name: "geo.Point", Text: `{"type":"record","name":"Point","namespace":"geo","fields":[{"name":"x","type":"double"}]}`},
		{Name: "geo.Line", Text: `{"type":"record","name":"Line","namespace":"geo","fields":[{"name":"from","type":"Point"},{"name":"to","type":"geo.Point"}]}`},
	}
	d, err := avrorec.Compile(`{"type":"record","name":"E","namespace":"shop","fields":[{"name":"id","type":"int"},{"name":"line","type":"geo.Line"}]}`, references, record.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := avro.Parse(d.Schema().String())
	if err != nil {
		t.Fatal(err)
	}
	value, err := alone.Encode(m{"id": 1, "line": m{"from": m{"x": 1.5}, "to": m{"x": 2.5}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Decode(value, table.Origin{})
	if err != nil || shown(got.Table) != "id=1 line.from.x=1.5 line.to.x=2.5" {
		t.Errorf("%v, %v", got, err)
	}
}

// A decoded message, even a bad one, does not affect the ones decoded after it.
func TestDecoderIsReused(t *testing.T) {
	d, err := avrorec.Compile(everything, nil, record.Spec{Paths: []string{"id", "v", "l"}})
	if err != nil {
		t.Fatal(err)
	}
	value := encode(t, everything, event())
	var first string
	var kept []*table.Table
	for i := range 20 {
		got, err := d.Decode(value, table.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		if kept = append(kept, got.Table); i == 0 {
			first = shown(got.Table)
		}
		if _, err := d.Decode(value[:len(value)-3], table.Origin{}); err == nil {
			t.Fatal("a message that is cut off is decoded")
		}
	}
	for _, k := range kept {
		if shown(k) != first {
			t.Errorf("got %s, first %s", shown(k), first)
		}
	}
	if _, ok := kept[0].Columns()[1].Array().(*array.FixedSizeList); !ok {
		t.Errorf("the vector is %T", kept[0].Columns()[1].Array())
	}
}
