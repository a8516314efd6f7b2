package jsonrec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// debezium is the folder of messages written by Debezium's types and Kafka Connect's converter,
// with the program that wrote them.
const debezium = "../../testdata/foreign/debezium"

// Changes written by Debezium can be read, with Kafka Connect's schema and without.
func TestDebezium(t *testing.T) {
	const (
		rest    = ` wide=[0.1 -1e-07 3] sparse=[0.5 0 0 2 0] price=-12.5 ratio=0.125 score=3 good=true raw=AACAPw== day=2024-10-04 00:00:00Z seen=2023-11-14 22:13:20.123456Z sent=2026-11-23 04:05:06.5Z uuid=123e4567-e89b-12d3-a456-426614174000`
		untyped = ` wide=[0.1 -1e-07 3] sparse=[0.5 0 0 2 0] price=+x4= ratio.scale=3 ratio.value=fQ== score=3 good=true raw=AACAPw== day=20000 seen=1700000000123456 sent=2026-11-23T04:05:06.5Z uuid=123e4567-e89b-12d3-a456-426614174000`
		known   = `id=7 label=- embedding=- wide=- sparse=- price=- ratio=- score=- good=- raw=- day=- seen=- sent=- uuid=-`
	)
	named := record.Spec{Paths: []string{"embedding", "id", "source.lsn", "op"}, Vector: "embedding"}
	for _, c := range []struct {
		file    string
		spec    record.Spec
		want    string
		deleted bool
	}{
		{"create.schema.json", record.Spec{}, `id=7 label=blue "é" embedding=[0.1 -2.5 1e-09]` + rest, false},
		{"create.json", record.Spec{}, `id=7 label=blue "é" embedding=[0.1 -2.5 1e-09]` + untyped, false},
		{"read.schema.json", record.Spec{}, `id=8 label=- embedding=[0.25 1 2]` + rest, false},
		{"read.json", record.Spec{}, `id=8 label=- embedding=[0.25 1 2]` + untyped, false},
		{"update.schema.json", record.Spec{}, `id=7 label=red embedding=[0.3 0.5 0.7]` + rest, false},
		{"update.json", named, "embedding=[0.3 0.5 0.7] id=7 source.lsn=24023128 op=u", false},
		{"update.schema.json", named, "embedding=[0.3 0.5 0.7] id=7 source.lsn=24023128 op=u", false},
		{"update.schema.json", record.Spec{Paths: []string{"raw", "price"}, Vector: "raw", Types: map[string]record.Type{"price": record.Text}}, "raw=[1] price=-12.50", false},
		{"flat.json", record.Spec{}, `id=9 label=flat embedding=[1 2 3]` + untyped, false},
		{"flat.schema.json", record.Spec{}, `id=9 label=flat embedding=[1 2 3]` + rest, false},
		{"delete.json", record.Spec{}, known, true},
		{"delete.schema.json", record.Spec{}, known, true},
		{"delete.json", named, "embedding=- id=7 source.lsn=24023128 op=d", true},
		{"key.json", record.Spec{}, "id=7", false},
		{"key.schema.json", record.Spec{}, "id=7", false},
	} {
		t.Run(c.file, func(t *testing.T) {
			got, err := New(c.spec).Decode(message(t, c.file), table.Origin{})
			if err != nil {
				t.Fatal(err)
			}
			if text := rows(got.Table); text != c.want || got.Deleted != c.deleted {
				t.Errorf("%s, deleted %t\nwant %s, %t", text, got.Deleted, c.want, c.deleted)
			}
			records, err := Records(message(t, c.file))
			if err != nil || len(records) != 1 || !strings.HasPrefix(string(records[0]), `{"id":`) {
				t.Errorf("records %q, %v", records, err)
			}
		})
	}
	for _, file := range []string{"truncate.json", "truncate.schema.json"} {
		if _, err := New(record.Spec{}).Decode(message(t, file), table.Origin{}); err == nil || !strings.Contains(err.Error(), "skipped.operations=t") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// Columns have the types of Kafka Connect's schema, even if a value is null, so that all messages
// with a schema have the same columns.
func TestSchemaTypes(t *testing.T) {
	const want = "id int64, label string, embedding list<float64>, wide list<float64>, sparse list<float64>, price float64, ratio float64, score float64, " +
		"good bool, raw string, day timestamp[us, tz=UTC], seen timestamp[us, tz=UTC], sent timestamp[us, tz=UTC], uuid string"
	d := New(record.Spec{Lists: true})
	for _, file := range []string{"create.schema.json", "read.schema.json", "delete.schema.json"} {
		got, err := d.Decode(message(t, file), table.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		if text := got.Table.Schema().String(); text != want {
			t.Errorf("%s: %s\nwant %s", file, text, want)
		}
		for _, f := range got.Table.Record().Schema().Fields() {
			if record.Inferred(f) {
				t.Errorf("%s: the type of column %s was found in its values", file, f.Name)
			}
		}
	}
}

// Fields of the change itself have the types of the schema as well.
func TestSchemaOfChange(t *testing.T) {
	got, err := New(record.Spec{Paths: []string{"id", "op", "source.lsn", "source.db", "transaction.id", "ts_ms"}}).Decode(message(t, "update.schema.json"), table.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	if text := got.Table.Schema().String(); text != "id int64, op string, source.lsn int64, source.db string, transaction.id string, ts_ms int64" {
		t.Error(text)
	}
}

func message(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(debezium, file))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
