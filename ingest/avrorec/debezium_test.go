package avrorec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"unfold/ingest/record"
)

// envelope is the schema that Debezium's Postgres connector registers, with pgvector's types.
const envelope = `{"type":"record","name":"Envelope","namespace":"pg.public.items","fields":[
 {"name":"before","type":["null",{"type":"record","name":"Value","fields":[
   {"name":"id","type":{"type":"int","connect.default":0},"default":0},
   {"name":"note","type":["null","string"],"default":null},
   {"name":"embedding","type":["null",{"type":"array","items":"float","connect.version":1,"connect.name":"io.debezium.data.FloatVector"}],"default":null},
   {"name":"exact","type":["null",{"type":"array","items":["null","double"],"connect.name":"io.debezium.data.DoubleVector"}],"default":null},
   {"name":"words","type":["null",{"type":"record","name":"SparseVector","namespace":"io.debezium.data","fields":[
      {"name":"dimensions","type":{"type":"int","connect.type":"int16"}},
      {"name":"vector","type":{"type":"array","items":{"type":"record","name":"MapEntry","namespace":"io.confluent.connect.avro","fields":[
         {"name":"key","type":{"type":"int","connect.type":"int16"}},{"name":"value","type":"double"}]}}}],"connect.name":"io.debezium.data.SparseVector"}],"default":null},
   {"name":"made","type":["null",{"type":"long","connect.version":1,"connect.name":"io.debezium.time.MicroTimestamp"}],"default":null},
   {"name":"price","type":["null",{"type":"record","name":"VariableScaleDecimal","namespace":"io.debezium.data","fields":[{"name":"scale","type":"int"},{"name":"value","type":"bytes"}]}],"default":null}
  ],"connect.name":"pg.public.items.Value"}],"default":null},
 {"name":"after","type":["null","Value"],"default":null},
 {"name":"source","type":{"type":"record","name":"Source","namespace":"io.debezium.connector.postgresql","fields":[{"name":"lsn","type":["null","long"],"default":null}]}},
 {"name":"op","type":"string"},
 {"name":"ts_ms","type":["null","long"],"default":null}],"connect.name":"pg.public.items.Envelope"}`

func change(op string, before, after any) m {
	return m{"before": before, "after": after, "source": m{"lsn": int64(77)}, "op": op, "ts_ms": nil}
}

func item(id int) m {
	return m{"id": id, "note": "n", "embedding": []float32{0.5, float32(id)}, "exact": []any{1.5, nil},
		"words": m{"dimensions": 4, "vector": []any{m{"key": 1, "value": 0.5}, m{"key": 4, "value": 2.0}}}, "made": int64(1500), "price": m{"scale": 1, "value": []byte{0xff, 0x00}}}
}

// The row of a change is the record after it, or the record before a deletion.
func TestDebezium(t *testing.T) {
	const whole = "note=n embedding=[0.5,7] exact=[1.5,NaN] words=[0.5,0,0,2] made=1970-01-01 00:00:00.0015Z price=-25.6"
	one := record.Spec{Paths: []string{"id", "source.lsn", "op", "after.id", "before.id"}}
	for _, row := range []struct {
		name    string
		spec    record.Spec
		value   m
		want    string
		deleted bool
	}{
		{"created", record.Spec{}, change("c", nil, item(7)), "id=7 " + whole, false},
		{"updated", record.Spec{Paths: []string{"id", "embedding"}}, change("u", item(1), item(7)), "id=7 embedding=[0.5,7]", false},
		{"read", one, change("r", nil, item(7)), "id=7 source.lsn=77 op=r after.id=7 before.id=null", false},
		{"deleted", one, change("d", item(7), nil), "id=7 source.lsn=77 op=d after.id=null before.id=7", true},
		{"deleted, nothing known", one, change("d", nil, nil), "id=null source.lsn=77 op=d after.id=null before.id=null", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := decode(t, envelope, row.spec, encode(t, envelope, row.value))
			if err != nil {
				t.Fatal(err)
			}
			if text := shown(got.Table); text != row.want || got.Deleted != row.deleted {
				t.Errorf("got  %s (deleted %v)\nwant %s", text, got.Deleted, row.want)
			}
		})
	}
	for _, row := range []struct {
		name  string
		value m
		want  string
	}{
		{"no record", change("c", item(7), nil), "no record after it"},
		{"truncated", change("t", nil, nil), "holds no record"},
		{"a sparse element too far", change("c", nil, m{"id": 1, "words": m{"dimensions": 1, "vector": []any{m{"key": 2, "value": 1.0}}}}), "element 2 of a sparse vector of 1 dimensions"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := decode(t, envelope, record.Spec{}, encode(t, envelope, row.value)); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

// If changes are expected, the decoder recognizes omitted values, operations without a record,
// Debezium messages that are no changes, and flattened deletions.
func TestChangesOfAStage(t *testing.T) {
	spec := record.Spec{Changes: true}
	left := item(7)
	left["note"] = "__debezium_unavailable_value"
	got, err := decode(t, envelope, spec, encode(t, envelope, change("u", nil, left)))
	if err != nil || len(got.Unchanged) != 1 || got.Unchanged[0] != "note" {
		t.Errorf("a value left out: %q, %v", got.Unchanged, err)
	}
	if got, err = decode(t, envelope, spec, encode(t, envelope, change("t", nil, nil))); err != nil || !got.Truncated || got.Table != nil {
		t.Errorf("truncated: %+v, %v", got, err)
	}
	if got, err = decode(t, envelope, spec, encode(t, envelope, change("m", nil, nil))); err != nil || got.Aside != record.LogMessage {
		t.Errorf("a message: %+v, %v", got, err)
	}
	heartbeat := `{"type": "record", "name": "Heartbeat", "fields": [{"name": "ts_ms", "type": "long"}]}`
	if got, err = decode(t, heartbeat, spec, encode(t, heartbeat, m{"ts_ms": int64(1)})); err != nil || got.Aside != record.Heartbeat {
		t.Errorf("a heartbeat: %+v, %v", got, err)
	}
	flat := `{"type": "record", "name": "Row", "fields": [{"name": "id", "type": "long"}, {"name": "v", "type": {"type": "array", "items": "double"}}, {"name": "__deleted", "type": ["null", "string"]}]}`
	numbers := make([]any, 0, 28)
	for _, c := range []byte("__debezium_unavailable_value") {
		numbers = append(numbers, float64(c))
	}
	for deleted, want := range map[string]bool{"true": true, "false": false} {
		spec := record.Spec{Changes: true, Paths: []string{"id", "v"}, Vector: "v"}
		got, err := decode(t, flat, spec, encode(t, flat, m{"id": int64(7), "v": numbers, "__deleted": deleted}))
		if err != nil || got.Deleted != want || len(got.Unchanged) != 1 || shown(got.Table) != "id=7 v=null" {
			t.Errorf("flattened, deleted %s: %+v, %v", deleted, got, err)
		}
	}
}

// TestShapesOfChanges: other messages of Debezium are recognised by their fields, a flattened
// deletion by either of its marks, and an omitted value in every type that Connect gives it in
// Avro.
func TestShapesOfChanges(t *testing.T) {
	schema := func(fields string) string { return `{"type": "record", "name": "R", "fields": [` + fields + `]}` }
	field := func(name, kind string) string {
		return fmt.Sprintf(`{"name": %q, "type": ["null", %s], "default": null}`, name, kind)
	}
	const text, long = `"string"`, `"long"`
	for kind, c := range map[string]struct {
		fields string
		value  m
	}{
		record.Transaction: {field("status", text) + "," + field("id", text) + "," + field("event_count", long) + "," + field("ts_ms", long),
			m{"status": "BEGIN", "id": "571:5", "event_count": nil, "ts_ms": int64(1)}},
		record.SchemaChange: {field("source", text) + "," + field("ts_ms", long) + "," + field("databaseName", text) + "," + field("ddl", text),
			m{"source": "s", "ts_ms": int64(1), "databaseName": "shop", "ddl": "ALTER TABLE a"}},
	} {
		got, err := decode(t, schema(c.fields), record.Spec{Changes: true}, encode(t, schema(c.fields), c.value))
		if err != nil || got.Aside != kind {
			t.Errorf("%s: %+v, %v", kind, got, err)
		}
	}
	of := record.Spec{Changes: true, Paths: []string{"id", "v"}, Vector: "v"}
	for _, c := range []struct {
		name, kind string
		mark       any
		gone       bool
	}{
		{"__deleted", text, "true", true}, {"__deleted", `"boolean"`, true, true}, {"__deleted", `"boolean"`, false, false}, {"__deleted", text, nil, false},
		{"__op", text, "d", true}, {"__op", text, "u", false}, {"__op", text, nil, false},
	} {
		flat := schema(field("id", long) + "," + field("v", `{"type": "array", "items": "float"}`) + "," + field(c.name, c.kind))
		got, err := decode(t, flat, of, encode(t, flat, m{"id": int64(7), "v": []float32{1, 2}, c.name: c.mark}))
		if err != nil || got.Deleted != c.gone {
			t.Errorf("flattened, %s %v: deleted %v, %v", c.name, c.mark, got.Deleted, err)
		}
	}
	const left = "__debezium_unavailable_value"
	numbers := make([]float32, len(left))
	for i := range left {
		numbers[i] = float32(left[i])
	}
	for kind, value := range map[string]any{text: left, `"bytes"`: []byte(left), `{"type": "array", "items": "float"}`: numbers, `{"type": "array", "items": "string"}`: []string{left}} {
		flat := schema(field("id", long) + "," + field("v", kind))
		got, err := decode(t, flat, of, encode(t, flat, m{"id": int64(7), "v": value}))
		if err != nil || !slices.Equal(got.Unchanged, []string{"v"}) || !strings.HasSuffix(shown(got.Table), "v=null") {
			t.Errorf("a vector left out as %s: %q, %v", kind, got.Unchanged, err)
		}
	}
}
