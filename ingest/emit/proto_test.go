package emit_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"unfold/ingest/emit"
	"unfold/ingest/protorec"
	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/internal/foreign"
	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
)

// readBack decodes a message with the text of its schema.
func readBack(t testing.TB, value []byte, schema string) *dynamicpb.Message {
	t.Helper()
	f, err := protorec.Parse(t.Context(), schema, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, schema)
	}
	m, err := f.At([]int{0})
	if err != nil || m.FullName() != emit.PlaceMessage {
		t.Fatal(m, err)
	}
	d := dynamicpb.NewMessage(m)
	if err := proto.Unmarshal(value, d); err != nil {
		t.Fatal(err)
	}
	if len(d.GetUnknown()) > 0 {
		t.Errorf("fields that the schema does not have: %x", d.GetUnknown())
	}
	return d
}

// An event has the expected Protobuf message and schema.
func TestProtobuf(t *testing.T) {
	bare := events(1, 1)
	bare.ID, bare.Kept, bare.Class, bare.Probability, bare.Sigma, bare.Version, bare.MapID, bare.FirstRow = table.Column{}, nil, nil, nil, nil, 0, "", 7
	full := events(1, 2)
	full.Probability[0] = 0.75
	full.Kept[0] = table.StringColumn("word", []string{"é\xff"})
	const rest = ` sigma:0.1 novelty_local:0.5 novelty_global:1e-09 class:"web" class_probability:0.75 map_epoch:3 model_version:9223372036854775809 map_id:"m-1"`
	const kept = ` word:"é\\xff" payload_bytes:0`
	three := events(1, 3)
	three.Probability[0] = 0.75
	three.Kept = full.Kept
	var p emit.Protobuf
	for range 2 { // write twice, the second time with the remembered kind
		for name, c := range map[string]struct {
			o    *emit.Output
			want string
		}{
			"two":   {full, `id:"ea" x:0 y:0.1` + rest + kept},
			"three": {three, `id:"ea" embedding:0 embedding:0.1 embedding:0.2` + rest + kept},
			"bare":  {bare, `id:7 embedding:0 novelty_local:0.5 novelty_global:1e-09`},
		} {
			value, schema, err := p.Encode(c.o)
			if err != nil {
				t.Fatal(name, err)
			}
			want := dynamicpb.NewMessage(readBack(t, value, schema).Descriptor())
			if err := prototext.Unmarshal([]byte(c.want), want); err != nil {
				t.Fatal(name, err, schema)
			}
			if got := readBack(t, value, schema); prototext.Format(got) != prototext.Format(want) {
				t.Errorf("%s: %s\nwant %s", name, prototext.Format(got), c.want)
			}
		}
	}
}

// Field numbers do not depend on the other columns, and invalid names become distinct valid ones.
func TestProtobufSchema(t *testing.T) {
	o := events(1, 2)
	o.Kept = nil
	for _, name := range []string{"payload.bytes", "payload_bytes", "payloadBytes", "1", "", `a"\` + "\n", "é", "noveltyLocal", "message"} {
		o.Kept = append(o.Kept, table.Int64Column(name, []int64{1}))
	}
	var p emit.Protobuf
	value, schema, err := p.Encode(o)
	if err != nil {
		t.Fatal(err)
	}
	const want = `syntax = "proto3";

package unfold;

// Place is an event and its place on a map.
message Place {
  optional string id = 1 [json_name = "id"];
  optional int64 payload_bytes_n3 = 100 [json_name = "payload.bytes"];
  optional int64 payload_bytes = 101 [json_name = "payload_bytes"];
  optional int64 payloadBytes_n2 = 102 [json_name = "payloadBytes"];
  optional int64 c1 = 103 [json_name = "1"];
  optional int64 c = 104 [json_name = ""];
  optional int64 a___ = 105 [json_name = "a\042\134\012"];
  optional int64 c_ = 106 [json_name = "é"];
`
	if !strings.HasPrefix(schema, strings.ReplaceAll(want, "c_ = 106", "c__n2 = 106")) {
		t.Errorf("the schema is\n%s", schema)
	}
	readBack(t, value, schema)
	o.Sigma, o.NoveltyLocal, o.MapID = nil, nil, ""
	_, less, err := p.Encode(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(less, "\n") {
		if !strings.Contains(schema, line) {
			t.Errorf("%s\nis another field where columns are left out", line)
		}
	}
	if strings.Contains(less, "sigma") || !strings.Contains(less, "float novelty_global = 7 ") {
		t.Errorf("the schema without some columns is\n%s", less)
	}
}

// Several events, and columns with the names of the place's own fields, are rejected.
func TestProtobufRefuses(t *testing.T) {
	var p emit.Protobuf
	for _, n := range []int{0, 2} {
		if _, _, err := p.Encode(events(n, 2)); err == nil || !strings.Contains(err.Error(), "write them as Arrow or JSON") {
			t.Error(n, err)
		}
	}
	for _, name := range []string{"x", "map_id", "word", "sigma"} {
		o := events(1, 2)
		o.Kept = append(o.Kept, table.Int64Column(name, []int64{1}))
		if _, _, err := p.Encode(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Error(name, err)
		}
	}
}

// keptValues returns columns of one row with many types.
func keptValues(t testing.TB) []table.Column {
	b := array.NewRecordBuilder(table.Heap, arrow.NewSchema([]arrow.Field{
		{Name: "time", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, Nullable: true},
		{Name: "floats", Type: arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32), Nullable: true},
		{Name: "ints", Type: arrow.ListOf(arrow.PrimitiveTypes.Int16), Nullable: true},
		{Name: "small", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
		{Name: "raw", Type: arrow.BinaryTypes.Binary, Nullable: true},
		{Name: "date", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "yes", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "none", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	}, nil))
	if err := b.UnmarshalJSON([]byte(`{"time": "1969-12-31T23:59:59.5Z", "floats": [0.1, 2], "ints": [1, -2], "small": -3,
		"raw": "AP8=", "date": "2024-02-29", "yes": true, "none": null}`)); err != nil {
		t.Fatal(err)
	}
	plain := append(table.OfRecord(table.Origin{}, b.NewRecord()).Columns(), table.Uint64Column("large", []uint64{math.MaxUint64}))
	return append(plain, inferredValues(t)...)
}

// inferredValues returns columns whose types were inferred from values.
func inferredValues(t testing.TB) []table.Column {
	b := record.NewLayout(record.Spec{}).Builder()
	node := func(name string) *record.Node { return b.Root().Child([]byte(name)) }
	b.Float(node("i_number"), 2.5)
	b.Text(node("i_text"), []byte("t"))
	b.Bool(node("i_bool"), true)
	b.Int(node("i_large"), 1<<53+1)
	b.Null(node("i_null"))
	b.Vector64(node("i_list"), []float64{1, math.Inf(1)})
	b.EndRow()
	rows, err := b.Table(table.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	return rows.Columns()
}

func valuesOutput(t testing.TB) *emit.Output {
	return &emit.Output{ID: table.Int64Column("event", []int64{-5}), Kept: keptValues(t), Embedding: vec.Matrix[float32]{Rows: 1, Cols: 2, Data: []float32{0.1, -3e-20}}}
}

// Columns of every type are equal after reading back.
func TestProtobufValues(t *testing.T) {
	value, schema, err := new(emit.Protobuf).Encode(valuesOutput(t))
	if err != nil {
		t.Fatal(err)
	}
	m := readBack(t, value, schema)
	want := dynamicpb.NewMessage(m.Descriptor())
	if err := prototext.Unmarshal([]byte(`id: -5 x: 0.1 y: -3e-20 time { seconds: -1 nanos: 500000000 } floats: [0.1, 2] ints: [1, -2] small: -3 large: 18446744073709551615
		raw: "\x00\xff" date: "2024-02-29" yes: true i_number { number_value: 2.5 } i_text { string_value: "t" } i_bool { bool_value: true }
		i_large { string_value: "9007199254740993" } i_list { list_value { values { number_value: 1 } values { number_value: inf } } }`), want); err != nil {
		t.Fatal(err)
	}
	if prototext.Format(m) != prototext.Format(want) {
		t.Errorf("%s\nwant %s", prototext.Format(m), prototext.Format(want))
	}
}

// Package protorec can read a written place.
func TestProtobufReadsBack(t *testing.T) {
	var p emit.Protobuf
	rapid.Check(t, func(t *rapid.T) {
		v, i, s := rapid.Float32().Draw(t, "float32"), rapid.Int64().Draw(t, "int64"), rapid.String().Draw(t, "text")
		dims := rapid.IntRange(1, 4).Draw(t, "dims")
		o := &emit.Output{Embedding: vec.Matrix[float32]{Rows: 1, Cols: dims, Data: slices.Repeat([]float32{v}, dims)}, ID: table.StringColumn("id", []string{s}),
			Kept: []table.Column{table.Int64Column("i", []int64{i})}, Sigma: []float32{v}}
		value, schema, err := p.Encode(o)
		if err != nil {
			t.Fatal(err)
		}
		f, err := protorec.Parse(t.Context(), schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := f.Message("")
		if err != nil {
			t.Fatal(err)
		}
		d, err := protorec.Compile(m, record.Spec{Paths: []string{"id", "i", "sigma"}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Decode(value, table.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		id, _ := got.Table.Column("id")
		n, _ := got.Table.Column("i")
		sigma, _ := got.Table.Column("sigma")
		if x, _ := sigma.Float(0); id.Text(0) != s || n.Array().(*array.Int64).Value(0) != i || float32(x) != v && v == v {
			t.Errorf("%q %s %v, want %q %d %v", id.Text(0), n.Text(0), x, s, i, v)
		}
	})
}

// readPlaces is a Python program that reads places with Google's compiler and library.
const readPlaces = `
import json, sys, pathlib, importlib
from grpc_tools import protoc
from google.protobuf import json_format
import grpc_tools
folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder))
standard = str(pathlib.Path(grpc_tools.__file__).parent / "_proto")
for name in sys.argv[2:]:
    assert protoc.main(["protoc", f"-I{folder}", f"-I{standard}", f"--descriptor_set_out={folder}/{name}.set", "--include_imports", f"{name}.proto"]) == 0, name
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    files = descriptor_pb2.FileDescriptorSet.FromString((folder / f"{name}.set").read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for f in files.file:
        pool.Add(f)
    place = message_factory.GetMessageClass(pool.FindMessageTypeByName("unfold.Place")).FromString((folder / name).read_bytes())
    print(json_format.MessageToJson(place, indent=None, always_print_fields_with_no_presence=True))
`

// protoc accepts the schemas, and Google's library reads the messages.
func TestProtobufForeign(t *testing.T) {
	tier.Full(t, "it runs Python libraries")
	dir := t.TempDir()
	full := events(1, 2)
	full.Probability[0] = 0.75
	full.Kept = nil
	for _, name := range []string{"payload.bytes", "payload_bytes", "payloadBytes", "1", `a"\` + "\n", "é", "noveltyLocal", "message"} {
		full.Kept = append(full.Kept, table.Int64Column(name, []int64{1}))
	}
	values := valuesOutput(t)
	values.Kept = slices.DeleteFunc(values.Kept, func(c table.Column) bool { return c.Name() == "i_list" }) // JSON has no infinity
	for name, o := range map[string]*emit.Output{"full": full, "values": values} {
		value, schema, err := new(emit.Protobuf).Encode(o)
		if err != nil {
			t.Fatal(err)
		}
		for file, b := range map[string][]byte{name: value, name + ".proto": []byte(schema)} {
			if err := os.WriteFile(filepath.Join(dir, file), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := strings.Split(strings.TrimSpace(string(foreign.Run(t, readPlaces, dir, "full", "values"))), "\n")
	for i, want := range []string{
		`{"id": "ea", "payload.bytes": "1", "payload_bytes": "1", "payloadBytes": "1", "1": "1", "a\"\\\n": "1", "é": "1", "noveltyLocal": "1", "message": "1", "x": 0.0, "y": 0.1,
			"sigma": 0.1, "novelty_local": 0.5, "novelty_global": 1e-09, "class": "web", "class_probability": 0.75, "map_epoch": 3, "model_version": "9223372036854775809", "map_id": "m-1"}`,
		`{"id": "-5", "x": 0.1, "y": -3e-20, "time": "1969-12-31T23:59:59.500Z", "floats": [0.1, 2.0], "ints": [1.0, -2.0], "small": "-3", "large": "18446744073709551615",
			"raw": "AP8=", "date": "2024-02-29", "yes": true, "i_number": 2.5, "i_text": "t", "i_bool": true, "i_large": "9007199254740993"}`,
	} {
		if !equalJSON(t, got[i], want) {
			t.Errorf("%s\nwant %s", got[i], want)
		}
	}
}

func equalJSON(t testing.TB, a, b string) bool {
	t.Helper()
	var x, y any
	for text, to := range map[string]*any{a: &x, b: &y} {
		if err := json.Unmarshal([]byte(text), to); err != nil {
			t.Fatal(err, text)
		}
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return string(p) == string(q)
}

// BenchmarkProtobuf writes one event.
func BenchmarkProtobuf(b *testing.B) {
	o := events(1, 2)
	var p emit.Protobuf
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := p.Encode(o); err != nil {
			b.Fatal(err)
		}
	}
}
