package emit_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/twmb/avro"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/avrorec"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/jsonrec"
	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/internal/foreign"
	"unfold/internal/testkit/tier"
)

// readAvro decodes a record with the library.
func readAvro(t *testing.T, schema string, value []byte) map[string]any {
	t.Helper()
	s, err := avro.Parse(schema)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	rest, err := s.Decode(value, &v)
	if err != nil || len(rest) > 0 {
		t.Fatalf("%v, %d bytes left", err, len(rest))
	}
	return v
}

// An event has the expected Avro schema and values. The schema is a contract with readers.
func TestAvro(t *testing.T) {
	var a emit.Avro
	o := events(1, 2)
	o.Version = 7
	s, value, err := a.Encode([]byte("before"), o)
	if err != nil || !strings.HasPrefix(string(value), "before") {
		t.Fatal(err)
	}
	const maybe = `"type":["null","float"],"default":null}`
	const want = `{"type":"record","name":"unfold.Place","fields":[{"name":"id","type":["null","string"],"default":null},{"name":"word","type":["null","string"],"default":null},` +
		`{"name":"payload_bytes","type":["null","double"],"default":null},{"name":"x",` + maybe + `,{"name":"y",` + maybe + `,` +
		`{"name":"sigma",` + maybe + `,{"name":"novelty_local",` + maybe + `,{"name":"novelty_global",` + maybe + `,{"name":"class","type":["null","string"],"default":null},` +
		`{"name":"class_probability",` + maybe + `,{"name":"map_epoch","type":"long","default":0},{"name":"model_version","type":"long","default":0},{"name":"map_id","type":"string","default":""}]}`
	if s.Text != want || s.Name != emit.AvroName {
		t.Errorf("schema %s\nwant   %s", s.Text, want)
	}
	v := readAvro(t, s.Text, value[len("before"):])
	for name, want := range map[string]any{"id": "ea", "word": "w\"é\n\ufffd", "payload_bytes": 0.0, "x": float32(0), "y": float32(0.1), "sigma": float32(0.1),
		"novelty_global": float32(1e-9), "class": "web", "class_probability": nil, "map_epoch": int64(3), "model_version": int64(7), "map_id": "m-1"} {
		if !reflect.DeepEqual(v[name], want) {
			t.Errorf("%s is %#v, want %#v", name, v[name], want)
		}
	}
	again, _, err := a.Encode(nil, o)
	if err != nil || again != s {
		t.Errorf("the schema of the same columns is another one: %v", err)
	}
	if _, _, err := a.Encode(nil, events(2, 2).Slice(0, 2)); !errors.Is(err, emit.ErrAvroRows) {
		t.Errorf("two events: %v", err)
	}
}

// Schemas of one topic stay compatible in both directions when columns are added and removed.
func TestAvroSchemasAreCompatible(t *testing.T) {
	var a emit.Avro
	whole, bare := events(1, 2), events(1, 3)
	whole.Version = 7
	bare.Kept, bare.Class, bare.Probability, bare.Sigma, bare.Version, bare.MapID = nil, nil, nil, nil, 0, ""
	var schemas []*avro.Schema
	for _, o := range []*emit.Output{whole, bare} {
		s, _, err := a.Encode(nil, o)
		if err != nil {
			t.Fatal(err)
		}
		schemas = append(schemas, avro.MustParse(s.Text))
	}
	for _, pair := range [][2]int{{0, 1}, {1, 0}} {
		if err := avro.CheckCompatibility(schemas[pair[0]], schemas[pair[1]]); err != nil {
			t.Errorf("%d by %d: %v", pair[0], pair[1], err)
		}
	}
}

// Columns of every Arrow type can be written and read back, with nulls.
func TestAvroKeepsEveryType(t *testing.T) {
	for _, stream := range ingesttest.Streams() {
		in, err := arrowfmt.DecodeMessage(stream.Bytes, ingesttest.Here(), arrowfmt.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range in.Columns() {
			for i := range min(c.Len(), 7) {
				keepAvro(t, stream.Name, c.Slice(i, i+1).Renamed("kept"))
			}
		}
	}
}

// keepAvro writes a column of one row and reads it back.
func keepAvro(t *testing.T, name string, c table.Column) {
	t.Helper()
	o := ingesttest.Output(1, 2)
	o.Kept = []table.Column{c}
	s, value, err := new(emit.Avro).Encode(nil, o)
	if err != nil {
		t.Errorf("%s, %s: %v", name, c.DataType(), err)
		return
	}
	v := readAvro(t, s.Text, value)["kept"]
	if (v == nil) != c.IsNull(0) {
		t.Errorf("%s, %s: %v", name, c.DataType(), v)
	}
	want, _ := c.Float(0)
	switch v := v.(type) {
	case float64:
		if v != want && !math.IsNaN(v) {
			t.Errorf("%s is %v, want %v", c.DataType(), v, want)
		}
	case int32:
		if c.Kind() == table.Number && float64(v) != want {
			t.Errorf("%s is %v, want %v", c.DataType(), v, want)
		}
	}
}

// A column with an inferred type has one Avro type, which may widen only from long to double.
// Records without a value do not change it.
func TestAvroOfInferred(t *testing.T) {
	d := jsonrec.New(record.Spec{Paths: []string{"k"}})
	for _, c := range []struct {
		name string
		// each row is a record, the value read back and the field's type; "" and "-" stand for no
		// field
		rows [][3]any
		bad  string // a record that does not fit
	}{
		{"integers", [][3]any{{`{"k":null}`, nil, "-"}, {`{"k":1}`, int64(1), "long"}, {`{}`, nil, "long"}, {`{"k":9007199254740993}`, int64(9007199254740993), "long"}}, `{"k":"x"}`},
		{"integers, then fractions", [][3]any{{`{"k":1}`, int64(1), "long"}, {`{"k":1.5}`, 1.5, "double"}, {`{"k":2}`, 2.0, "double"}, {`{"k":null}`, nil, "double"}}, `{"k":9007199254740993}`},
		{"fractions", [][3]any{{`{"k":1.5}`, 1.5, "double"}, {`{"k":1}`, 1.0, "double"}}, `{"k":true}`},
		{"truth", [][3]any{{`{"k":true}`, true, "boolean"}, {`{"k":false}`, false, "boolean"}}, `{"k":1}`},
		{"text", [][3]any{{`{"k":"x"}`, "x", "string"}, {`{"k":1}`, "1", "string"}, {`{"k":true}`, "true", "string"}, {`{"k":18446744073709551615}`, "18446744073709551615", "string"}}, ""},
		{"large integers", [][3]any{{`{"k":18446744073709551615}`, "18446744073709551615", "string"}}, ""},
	} {
		var a emit.Avro
		encode := func(text string) (*emit.AvroSchema, []byte, error) {
			in, err := d.Decode([]byte(text), table.Origin{})
			if err != nil {
				t.Fatal(err)
			}
			o := ingesttest.Output(1, 2)
			o.Kept = in.Table.Columns()
			return a.Encode(nil, o)
		}
		for _, row := range c.rows {
			s, value, err := encode(row[0].(string))
			if err != nil {
				t.Fatalf("%s, %s: %v", c.name, row[0], err)
			}
			field := fmt.Sprintf(`{"name":"k","type":["null","%s"],"default":null}`, row[2])
			if row[2] == "-" {
				if strings.Contains(s.Text, `"k"`) {
					t.Errorf("%s, %s: the schema is %s", c.name, row[0], s.Text)
				}
				continue
			}
			if !strings.Contains(s.Text, field) {
				t.Errorf("%s, %s: the schema is %s, want %s", c.name, row[0], s.Text, field)
			}
			if got := readAvro(t, s.Text, value)["k"]; got != row[1] {
				t.Errorf("%s, %s: %#v, want %#v", c.name, row[0], got, row[1])
			}
		}
		if c.bad != "" {
			if _, _, err := encode(c.bad); err == nil || !strings.Contains(err.Error(), `pin its type, as in source.types: ["k:text"]`) {
				t.Errorf("%s, %s: %v", c.name, c.bad, err)
			}
		}
	}
}

// The types of a registered schema are kept, including the union of earlier versions.
func TestAvroSettle(t *testing.T) {
	d := jsonrec.New(record.Spec{Paths: []string{"k", "l"}})
	var a emit.Avro
	if err := a.Settle(`{"type":"record","name":"R","fields":[{"name":"k","type":["null","double"]},{"name":"l","type":["null","boolean","double","string"]},{"name":"m","type":"long"}]}`); err != nil {
		t.Fatal(err)
	}
	in, err := d.Decode([]byte(`{"k": 1, "l": "x"}`), table.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	o := ingesttest.Output(1, 2)
	o.Kept = in.Table.Columns()
	s, value, err := a.Encode(nil, o)
	if err != nil {
		t.Fatal(err)
	}
	got := readAvro(t, s.Text, value)
	if got["k"] != 1.0 || got["l"] != "x" || !strings.Contains(s.Text, `{"name":"l","type":["null","boolean","double","string"]`) {
		t.Errorf("%v by %s", got, s.Text)
	}
}

// Pass writes an event's own record with the place after it.
func TestAvroPass(t *testing.T) {
	const own = `{"type":"record","name":"Event","namespace":"shop","fields":[{"name":"id","type":"int"},{"name":"tags","type":{"type":"array","items":"string"}},{"name":"next","type":["null","Event"]}]}`
	const change = `{"type":"record","name":"Envelope","namespace":"pg","fields":[{"name":"before","type":["null",` + own + `]},{"name":"after","type":["null","shop.Event"]},{"name":"op","type":"string"}]}`
	event := map[string]any{"id": 5, "tags": []string{"a", "b"}, "next": map[string]any{"id": 6, "tags": []string{}, "next": nil}}
	for _, row := range []struct {
		name, schema string
		value        any
	}{
		{"a record", own, event},
		{"a record or null", `["null",` + own + `]`, event},
		{"a change", change, map[string]any{"before": event, "after": event, "op": "u"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, err := avrorec.Compile(row.schema, nil, record.Spec{Paths: []string{"id"}})
			if err != nil {
				t.Fatal(err)
			}
			value, err := avro.MustParse(row.schema).Encode(row.value)
			if err != nil {
				t.Fatal(err)
			}
			o := ingesttest.Output(1, 2)
			s, out, err := new(emit.Avro).Pass(nil, o, d, value)
			if err != nil {
				t.Fatal(err)
			}
			v := readAvro(t, s.Text, out)
			next, _ := v["next"].(map[string]any)
			if s.Name != "shop.EventPlaced" || fmt.Sprint(v["id"], v["tags"], next["id"], v["x"], v["y"], v["word"]) != "5 [a b] 6 0 0.14285715 <nil>" {
				t.Errorf("%s is %v by %s", s.Name, v, s.Text)
			}
		})
	}
	d, err := avrorec.Compile(`{"type":"record","name":"E","fields":[{"name":"sigma","type":"int"}]}`, nil, record.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := new(emit.Avro).Pass(nil, ingesttest.Output(1, 2), d, []byte{2}); err == nil || !strings.Contains(err.Error(), `field "sigma" itself`) {
		t.Errorf("a clash of names: %v", err)
	}
	s, out, err := (&emit.Avro{Prefix: "map_"}).Pass(nil, ingesttest.Output(1, 2), d, []byte{2})
	if err != nil {
		t.Fatal(err)
	}
	if v := readAvro(t, s.Text, out); v["sigma"] != int32(1) || v["map_sigma"] != float32(0) || v["id"] != "ea" {
		t.Errorf("with a prefix: %v", v)
	}
}

// CheckAvro finds kept columns that would have the same name in Avro.
func TestCheckAvro(t *testing.T) {
	for _, row := range []struct {
		keep []string
		ok   bool
	}{{[]string{"a.b", "c"}, true}, {[]string{"a.b", "a_b"}, false}, {[]string{"sigma"}, false}, {[]string{"id"}, true}, {[]string{"map_id"}, false}} {
		if err := emit.CheckAvro(2, row.keep); (err == nil) != row.ok {
			t.Errorf("%v: %v", row.keep, err)
		}
	}
}

func BenchmarkAvro(b *testing.B) {
	var a emit.Avro
	o := ingesttest.Output(1, 2)
	to := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := a.Encode(to[:0], o); err != nil {
			b.Fatal(err)
		}
	}
}

// fastavro reads the written records with the same values.
func TestForeignAvro(t *testing.T) {
	tier.Full(t, "it runs Python libraries")
	o := ingesttest.Output(1, 3)
	at := &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}
	o.Kept = append(o.Kept, table.NewColumn("at", table.FixedArray(at, 1, arrow.Int64Traits.CastToBytes([]int64{1500}))), table.Float32Column("f", []float32{0.1}))
	s, value, err := new(emit.Avro).Encode(nil, o)
	if err != nil {
		t.Fatal(err)
	}
	out := foreign.Run(t, `
import io, json, sys, fastavro
v = fastavro.schemaless_reader(io.BytesIO(bytes.fromhex(sys.argv[2])), fastavro.parse_schema(json.loads(sys.argv[1])))
print(v["id"], repr(v["word"]), v["num"], v["at"].isoformat(), round(v["f"], 6), [round(x, 4) for x in v["embedding"]], v["sigma"], v["novelty_local"], v["map_epoch"], v["model_version"])`,
		s.Text, hex.EncodeToString(value))
	const want = "ea '' 0 1970-01-01T00:00:01.500000+00:00 0.1 [0.0, 0.1429, 0.2857] 0.0 0.0 3 1099511627776"
	if got := strings.TrimSpace(string(out)); got != want {
		t.Errorf("fastavro reads %s\nwant           %s", got, want)
	}
}
