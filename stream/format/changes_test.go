package format_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/avro"

	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/registry"
)

// rows are settings for rows of a table with ids and vectors.
func rowSettings() format.Decoding {
	return format.Decoding{ID: "id", Spec: record.Spec{ID: "id", Paths: []string{"id", "title", "embedding"}, Vector: "embedding"}}
}

// placeholder is Debezium's placeholder for an omitted value.
const placeholder = "__debezium_unavailable_value"

// placeholderNumbers are its bytes as numbers.
func placeholderNumbers() string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint([]byte(placeholder)), "[]")), ", ")
}

// Records flattened by Debezium's transform that are marked as deleted are removed from the map.
func TestFlattenedDeletes(t *testing.T) {
	for _, c := range []struct {
		value string
		want  string // the id that is gone; "": none is
	}{
		{`{"id": 60, "embedding": [0.1, 0.1], "__deleted": "true", "__op": "d"}`, "60"},
		{`{"id": 60, "embedding": null, "__deleted": "true"}`, "60"},
		{`{"id": 60, "__deleted": true}`, "60"},
		{`{"__op": "d", "id": 60, "title": "x"}`, "60"},
		{`{"schema": {"type": "struct", "fields": [{"field": "id", "type": "int64"}, {"field": "__deleted", "type": "string"}]}, "payload": {"id": 60, "__deleted": "true"}}`, "60"},
		{`[{"id": 60, "__deleted": "true"}]`, "60"},
		{`{"id": 60, "embedding": [0.1, 0.1], "__deleted": "false", "__op": "u"}`, ""},
		{`{"id": 60, "embedding": [0.1, 0.1], "of": {"__deleted": "true"}}`, ""},
	} {
		for name, set := range map[string]format.Decoding{"named": rowSettings(), "all": {ID: "id"}} {
			got, err := decoder(t, set).DecodeNow(t.Context(), &stream.Message{Key: []byte(`{"id": 60}`), Value: []byte(c.value)})
			if err != nil || got.Gone != c.want || (got.Table == nil) != (c.want != "") {
				t.Errorf("%s, %s: gone %q, %v; want %q", c.value, name, got.Gone, err, c.want)
			}
		}
	}
	_, err := decoder(t, rowSettings()).DecodeNow(t.Context(), &stream.Message{Value: []byte(`[{"id": 1, "embedding": [1, 2]}, {"id": 2, "__deleted": "true"}]`)})
	if err == nil || !strings.Contains(err.Error(), "send one change a message") {
		t.Errorf("among others: %v", err)
	}
}

// Debezium's messages other than changes of records are skipped by their kind; records that look
// similar are not.
func TestMessagesBesideChanges(t *testing.T) {
	for _, c := range []struct{ value, kind string }{
		{`{"ts_ms": 1700000000000}`, record.Heartbeat},
		{`{"schema": {"type": "struct", "fields": [{"field": "ts_ms", "type": "int64"}]}, "payload": {"ts_ms": 1}}`, record.Heartbeat},
		{`{"status": "BEGIN", "id": "571:53195829", "event_count": null, "data_collections": null, "ts_ms": 1486500577125}`, record.Transaction},
		{`{"status": "END", "id": "571:53195832", "event_count": 2, "data_collections": [{"data_collection": "s.a", "event_count": 2}], "ts_ms": 1}`, record.Transaction},
		{`{"source": {"db": "shop"}, "ts_ms": 1, "databaseName": "shop", "schemaName": "public", "ddl": "ALTER TABLE a", "tableChanges": []}`, record.SchemaChange},
		{`{"source": {"lsn": 1}, "op": "m", "ts_ms": 1, "message": {"prefix": "foo", "content": "YmFy"}}`, record.LogMessage},
		{`{"op": "m", "ts_ms": 1, "source": {"lsn": 1}, "message": {"prefix": "foo", "content": "YmFy"}}`, record.LogMessage},
		{`{"before": null, "after": null, "op": "m", "source": {}, "ts_ms": 1}`, record.LogMessage},
		{`{"status": "paid", "id": 7, "ts_ms": 1, "embedding": [1, 2]}`, ""},
		{`{"status": "paid", "id": 7, "ts_ms": 1}`, ""},
		{`{"ts_ms": 1, "id": 7, "embedding": [1, 2]}`, ""},
		{`{"message": "hello", "id": 7, "embedding": [1, 2]}`, ""},
	} {
		got, err := decoder(t, rowSettings()).DecodeNow(t.Context(), &stream.Message{Value: []byte(c.value)})
		var skipped *stream.SkippedError
		if c.kind == "" && (err != nil || got.Table == nil) || c.kind != "" && (!errors.As(err, &skipped) || skipped.Kind != c.kind) {
			t.Errorf("%s: %v, want %q", c.value, err, c.kind)
		}
	}
}

// The placeholder of a value that a change did not touch is recognised in every shape, and is not a
// vector.
func TestValuesLeftOut(t *testing.T) {
	for name, v := range map[string]string{
		"text": `"` + placeholder + `"`, "base64": `"` + base64.StdEncoding.EncodeToString([]byte(placeholder)) + `"`,
		"hexadecimal": `"` + hex.EncodeToString([]byte(placeholder)) + `"`, "numbers": "[" + placeholderNumbers() + "]", "a list of text": `["` + placeholder + `"]`,
	} {
		for shape, value := range map[string]string{
			"change":    `{"before": null, "after": {"id": 7, "title": "new", "embedding": ` + v + `}, "op": "u", "source": {}, "ts_ms": 1}`,
			"flattened": `{"id": 7, "title": "new", "embedding": ` + v + `}`,
		} {
			got, err := decoder(t, rowSettings()).DecodeNow(t.Context(), &stream.Message{Value: []byte(value)})
			if err != nil || !slices.Equal(got.Unchanged, []string{"embedding"}) {
				t.Errorf("%s, %s: unchanged %q, %v", name, shape, got.Unchanged, err)
				continue
			}
			vector, _ := got.Table.Column("embedding")
			title, _ := got.Table.Column("title")
			if !vector.IsNull(0) || title.Text(0) != "new" {
				t.Errorf("%s, %s: the vector is %s, the title %s", name, shape, vector.Text(0), title.Text(0))
			}
		}
	}
	got, err := decoder(t, rowSettings()).DecodeNow(t.Context(), &stream.Message{Value: []byte(`{"id": 7, "embedding": [` + strings.Replace(placeholderNumbers(), "95", "95.5", 1) + `]}`)})
	if err != nil || len(got.Unchanged) > 0 {
		t.Errorf("numbers that only begin like it: %q, %v", got.Unchanged, err)
	}
}

// Truncation of a table empties the map, or is an error that names the setting.
func TestTruncated(t *testing.T) {
	m := stream.Message{Value: []byte(`{"before": null, "after": null, "op": "t", "source": {}, "ts_ms": 1}`)}
	short := stream.Message{Value: []byte(`{"source": {}, "op": "t", "ts_ms": 1}`)}
	for _, m := range []stream.Message{m, short} {
		if _, err := decoder(t, rowSettings()).DecodeNow(t.Context(), &m); !table.IsBadInput(err) || !strings.Contains(err.Error(), "source.truncate") {
			t.Errorf("refused: %v", err)
		}
		set := rowSettings()
		set.Truncate = true
		if got, err := decoder(t, set).DecodeNow(t.Context(), &m); err != nil || !got.Truncated || got.Table != nil {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// Records that are JSON in a text are decoded, with their extended values, and keys identify them.
func TestMongoDB(t *testing.T) {
	set := format.Decoding{ID: "_id", Spec: record.Spec{ID: "_id", Paths: []string{"_id", "n", "at", "kind", "embedding", "op"}, Vector: "embedding"}}
	change := func(doc string) *stream.Message {
		return &stream.Message{Value: fmt.Appendf(nil, `{"before": null, "after": %q, "updateDescription": null, "op": "c", "source": {}, "ts_ms": 1}`, doc)}
	}
	got, err := decoder(t, set).DecodeNow(t.Context(), change(`{"_id": {"$oid": "65"}, "n": {"$numberLong": "9007199254740993"}, "at": {"$date": 1000}, "kind": "a\"b", "embedding": [0.1, 2]}`))
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, c := range got.Table.Columns() {
		values = append(values, c.Text(0))
	}
	if want := `65 9007199254740993 1970-01-01 00:00:01Z a"b [0.1 2] c`; strings.Join(values, " ") != want {
		t.Errorf("got %q, want %s", values, want)
	}
	if _, err := decoder(t, set).DecodeNow(t.Context(), change(`{"_id": 1, "embedding": [1, }`)); err == nil || !strings.Contains(err.Error(), "JSON in a text") {
		t.Errorf("a bad document: %v", err)
	}
	for key, want := range map[string]string{`{"id": "{\"$oid\": \"65\"}"}`: "65", `{"id": "17"}`: "17", `{"id": "\"abc\""}`: "abc", `{"id": "{\"$numberLong\": \"17\"}"}`: "17"} {
		if got, err := decoder(t, set).DecodeNow(t.Context(), &stream.Message{Key: []byte(key)}); err != nil || got.Gone != want {
			t.Errorf("the key %s names %q, %v; want %q", key, got.Gone, err, want)
		}
	}
}

// The same holds if the converter writes the envelope in Avro.
func TestMongoDBInAvro(t *testing.T) {
	const envelope = `{"type":"record","name":"Envelope","namespace":"m.shop.items","fields":[
		{"name":"before","type":["null",{"type":"string","connect.name":"io.debezium.data.Json"}],"default":null},
		{"name":"after","type":["null",{"type":"string","connect.name":"io.debezium.data.Json"}],"default":null},
		{"name":"source","type":{"type":"record","name":"Source","fields":[{"name":"ord","type":"long"},{"name":"collection","type":"string"}]}},
		{"name":"op","type":["null","string"],"default":null},{"name":"ts_ms","type":["null","long"],"default":null}]}`
	fake, client := schemaRegistry(t)
	fake.Seed("mongo-value", 77, registry.Avro, envelope)
	schema, err := avro.Parse(envelope)
	if err != nil {
		t.Fatal(err)
	}
	set := format.Decoding{ID: "_id", Registry: client, Spec: record.Spec{ID: "_id", Changes: true, Paths: []string{"_id", "n", "at", "kind", "embedding", "op", "source.ord", "source.collection"}, Vector: "embedding"}}
	decode := func(before, after any, op string) (format.Decoded, error) {
		t.Helper()
		value, err := schema.AppendEncode(registry.AppendID(nil, 77), map[string]any{"before": before, "after": after, "op": op, "ts_ms": nil,
			"source": map[string]any{"ord": int64(9007199254740993), "collection": "items"}})
		if err != nil {
			t.Fatal(err)
		}
		return decoder(t, set).DecodeNow(t.Context(), &stream.Message{Value: value})
	}
	texts := func(got format.Decoded) string {
		var values []string
		for _, c := range got.Table.Columns() {
			values = append(values, c.Text(0))
		}
		return strings.Join(values, " ")
	}
	got, err := decode(nil, `{"_id": {"$oid": "65"}, "n": {"$numberLong": "9007199254740993"}, "at": {"$date": 1000}, "kind": "a\"b", "embedding": [0.1, 2]}`, "c")
	if err != nil {
		t.Fatal(err)
	}
	if want := `65 9007199254740993 1970-01-01 00:00:01Z a"b [0.1 2] c 9007199254740993 items`; texts(got) != want {
		t.Errorf("got %s, want %s", texts(got), want)
	}
	if got, err = decode(`{"_id": {"$oid": "65"}}`, nil, "d"); err != nil || got.Gone != "65" {
		t.Errorf("a deletion: %+v, %v", got, err)
	}
	if _, err := decode(nil, `{"_id": 1, "embedding": [1, }`, "c"); err == nil || !strings.Contains(err.Error(), "JSON in a text") {
		t.Errorf("a bad document: %v", err)
	}
	var skipped *stream.SkippedError
	if _, err := decode(nil, nil, "m"); !errors.As(err, &skipped) {
		t.Errorf("a message that is no change: %v", err)
	}
}
