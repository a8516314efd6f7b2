package chaos

import (
	"context"
	"fmt"

	"github.com/twmb/avro"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/avrorec"
	"unfold/ingest/ingesttest"
	"unfold/ingest/jsonrec"
	"unfold/ingest/protorec"
	"unfold/ingest/record"
	"unfold/ingest/table"
)

// victim is a message to damage, with its decoder.
type victim struct {
	message []byte
	decode  func(value []byte, origin table.Origin) (*table.Table, error)
}

// victims are functions that return the messages of each format.
var victims = map[string]func() ([]victim, error){"arrow": arrowVictims, "json": jsonVictims, "avro": avroVictims, "protobuf": protobufVictims}

// formats returns the formats of victims.
func formats() []string { return []string{"arrow", "json", "avro", "protobuf"} }

// victimsOf returns the messages of a format, all of which can be decoded.
func victimsOf(format string) ([]victim, error) {
	make, ok := victims[format]
	if !ok {
		return nil, fmt.Errorf("no messages of format %q", format)
	}
	all, err := make()
	for i, v := range all {
		if _, err := v.decode(v.message, table.Origin{}); err != nil {
			return nil, fmt.Errorf("message %d of %s: %w", i, format, err)
		}
	}
	return all, err
}

// arrowVictims have a decoder each that has seen their schema, as in a stage, where most messages
// have a known schema.
func arrowVictims() (all []victim, err error) {
	for _, s := range ingesttest.Streams() {
		d := &arrowfmt.Decoder{Limits: arrowfmt.Limits{Memory: memoryLimit, Rows: 1 << 16}}
		all = append(all, victim{s.Bytes, d.Decode})
	}
	return all, nil
}

// recordSpecs select all columns of records, or some.
var recordSpecs = []record.Spec{
	{Limits: recordLimits},
	{Paths: []string{"id", "embedding", "more.deep.x", "words", "op", "maps.a"}, Vector: "embedding", Limits: recordLimits},
}

var recordLimits = record.Limits{Memory: memoryLimit, Rows: 1 << 16}

// ofRecords returns a victim for a decoder of records.
func ofRecords(value []byte, decode func([]byte, table.Origin) (record.Decoded, error)) victim {
	return victim{value, func(value []byte, origin table.Origin) (*table.Table, error) {
		d, err := decode(value, origin)
		return d.Table, err
	}}
}

// jsonMessages are one record, several records, and messages in the envelopes of Connect and
// Debezium.
var jsonMessages = []string{
	`{"id": 7, "embedding": [0.25, -1.5e-3, 3, 1e300], "more": {"deep": {"x": true, "s": "a\u00e9\"b"}}, "none": null, "maps": {"a": 1, "b": 2.5}}`,
	`[{"id": "a", "embedding": [1, 2]}, {"id": "b", "embedding": [3, 4], "words": {"dimensions": 5, "vector": {"1": 0.5, "4": 2}}}]`,
	`{"id": 18446744073709551615, "embedding": "[0.5, 1.5, -2]", "raw": "AACAPwAAAEA=", "tags": ["x", {"y": [[1], []]}], "price": -12.50}`,
	`{"schema": {"type": "struct", "fields": [{"type": "int32", "field": "id"}, {"type": "array", "items": {"type": "float"}, "field": "embedding", "name": "io.debezium.data.FloatVector"},
		{"type": "bytes", "name": "org.apache.kafka.connect.data.Decimal", "parameters": {"scale": "2"}, "field": "price"}, {"type": "int64", "name": "io.debezium.time.MicroTimestamp", "field": "at"}]},
		"payload": {"id": 3, "embedding": [1, 2.5], "price": "AfQ=", "at": 1500000}}`,
	`{"before": null, "after": {"id": 1, "embedding": [1, 2], "words": {"dimensions": 3, "vector": {"2": 5}}}, "source": {"lsn": 77}, "op": "c", "ts_ms": 5}`,
	`{"before": {"id": 1}, "after": null, "op": "d"}`,
}

func jsonVictims() (all []victim, err error) {
	for _, text := range jsonMessages {
		for _, spec := range recordSpecs {
			all = append(all, ofRecords([]byte(text), jsonrec.New(spec).Decode))
		}
	}
	return all, nil
}

// avroEvent and avroChange are schemas with every type and with Debezium's envelope.
const (
	avroEvent = `{"type": "record", "name": "Event", "fields": [
		{"name": "id", "type": "string"}, {"name": "embedding", "type": {"type": "array", "items": "float"}},
		{"name": "more", "type": {"type": "record", "name": "More", "fields": [{"name": "deep", "type": ["null", {"type": "record", "name": "Deep", "fields": [
			{"name": "x", "type": "double"}, {"name": "again", "type": ["null", "More"]}]}]}]}},
		{"name": "maps", "type": {"type": "map", "values": "long"}}, {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
		{"name": "hash", "type": {"type": "fixed", "name": "Hash", "size": 8}}, {"name": "raw", "type": "bytes"}, {"name": "ok", "type": "boolean"},
		{"name": "any", "type": ["null", "int", "string", {"type": "array", "items": ["null", "double"]}]},
		{"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}}, {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 8, "scale": 2}},
		{"name": "list", "type": {"type": "array", "items": "More"}}]}`
	avroChange = `{"type": "record", "name": "Envelope", "namespace": "pg.items", "fields": [
		{"name": "before", "type": ["null", {"type": "record", "name": "Value", "fields": [{"name": "id", "type": "int"},
			{"name": "embedding", "type": ["null", {"type": "array", "items": "float", "connect.name": "io.debezium.data.FloatVector"}]},
			{"name": "words", "type": ["null", {"type": "record", "name": "SparseVector", "namespace": "io.debezium.data", "fields": [{"name": "dimensions", "type": "int"},
				{"name": "vector", "type": {"type": "array", "items": {"type": "record", "name": "MapEntry", "fields": [{"name": "key", "type": "int"}, {"name": "value", "type": "double"}]}}}],
				"connect.name": "io.debezium.data.SparseVector"}]}]}]},
		{"name": "after", "type": ["null", "Value"]}, {"name": "op", "type": "string"}]}`
)

func avroVictims() (all []victim, err error) {
	type m = map[string]any
	deep := m{"deep": m{"x": 2.5, "again": m{"deep": nil}}}
	event := m{"id": "a", "embedding": []float32{0.5, 1, -2}, "more": deep, "maps": m{"a": int64(5), "b": int64(-1)}, "kind": "B", "hash": []byte("12345678"), "raw": []byte{0, 0, 128, 63},
		"ok": true, "any": []any{1.5, nil}, "at": int64(1500000), "price": []byte{1, 244}, "list": []any{deep, m{"deep": nil}}}
	row := m{"id": 7, "embedding": []float32{1, 2}, "words": m{"dimensions": 4, "vector": []any{m{"key": 1, "value": 0.5}, m{"key": 4, "value": 2.0}}}}
	for _, one := range []struct {
		schema string
		value  m
	}{{avroEvent, event}, {avroChange, m{"before": nil, "after": row, "op": "c"}}, {avroChange, m{"before": row, "after": nil, "op": "d"}}} {
		s, err := avro.Parse(one.schema)
		if err != nil {
			return nil, err
		}
		value, err := s.Encode(one.value)
		if err != nil {
			return nil, err
		}
		for _, spec := range recordSpecs {
			d, err := avrorec.Compile(one.schema, nil, spec)
			if err != nil {
				return nil, err
			}
			all = append(all, ofRecords(value, d.Decode))
		}
	}
	return all, nil
}

// protobufSchema has every kind of field, and Debezium's envelope.
const protobufSchema = `syntax = "proto3";
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/struct.proto";
import "confluent/type/decimal.proto";
message Event {
  string id = 1; repeated float embedding = 2; More more = 3; map<string, double> maps = 4; google.protobuf.Struct any = 5;
  google.protobuf.Timestamp at = 6; google.protobuf.Duration took = 7; google.protobuf.Int64Value maybe = 8; confluent.type.Decimal price = 9;
  oneof one { string s = 10; sint64 n = 11; Event again = 12; } Sparse words = 13; bytes raw = 14; fixed64 hash = 15; repeated sint32 ints = 16; repeated double doubles = 1700;
  bool ok = 18; Kind kind = 19; map<int32, bool> flags = 20; repeated Event list = 21;
}
enum Kind { A = 0; B = 1; }
message More { Deep deep = 1; }
message Deep { double x = 1; More again = 2; }
message Sparse { int32 dimensions = 1; repeated Entry vector = 2; }
message Entry { int32 key = 1; double value = 2; }
message Envelope { Event before = 1; Event after = 2; string op = 3; Source source = 4; }
message Source { int64 lsn = 1; }
`

var protobufMessages = map[string][]string{
	"Event": {
		`id: "a" embedding: [0.5, 1, -2] more { deep { x: 2.5 again { deep {} } } } maps { key: "a" value: 1.5 } maps { key: "b" } ints: [1, -300, 70000] doubles: [0.5, 1e300] raw: "\x00\x00\x80\x3f" hash: 12 ok: true kind: B`,
		`any { fields { key: "x" value { number_value: 2 } } fields { key: "v" value { list_value { values { number_value: 1 } values { number_value: 2 } } } } fields { key: "s" value { struct_value { fields { key: "y" value { bool_value: true } } } } } }
			at { seconds: 3 nanos: 4000 } took { seconds: -1 } maybe { value: 5 } price { value: "\x04\xd2" scale: 2 } words { dimensions: 4 vector { key: 1 value: 2.5 } } flags { key: -2 value: true }`,
		`again { again { s: "deep" embedding: 1 } id: "b" } list { id: "c" } list { n: 3 }`,
	},
	"Envelope": {`op: "c" after { id: "a" embedding: [1, 2] words { dimensions: 3 vector { key: 2 value: 5 } } } source { lsn: 77 }`, `op: "d" before { id: "a" }`},
}

func protobufVictims() (all []victim, err error) {
	files, err := protorec.Parse(context.Background(), protobufSchema, nil)
	if err != nil {
		return nil, err
	}
	names := []string{"Event", "Envelope"}
	for _, name := range names {
		m, err := files.Message(name)
		if err != nil {
			return nil, err
		}
		for _, text := range protobufMessages[name] {
			one := dynamicpb.NewMessage(m)
			if err := prototext.Unmarshal([]byte(text), one); err != nil {
				return nil, err
			}
			value, err := proto.MarshalOptions{Deterministic: true}.Marshal(one)
			if err != nil {
				return nil, err
			}
			for _, spec := range recordSpecs {
				d, err := protorec.Compile(m, spec)
				if err != nil {
					return nil, err
				}
				all = append(all, ofRecords(value, d.Decode))
			}
		}
	}
	return all, nil
}
