package protorec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// debezium is the schema that Debezium's Postgres connector writes with Confluent's converter.
const debezium = `
syntax = "proto3";
package server1.public.items;
message Envelope {
  Value before = 1;
  Value after = 2;
  Source source = 3;
  Block transaction = 4;
  string op = 5;
  int64 ts_ms = 6;
  message Source { string lsn = 1; }
  message Block { string id = 1; }
}
message Value { int32 id = 1; string title = 2; repeated float embedding = 3; SparseVector words = 4; }
message SparseVector { int32 dimensions = 1; repeated VectorEntry vector = 2; }
message VectorEntry { int32 key = 1; double value = 2; }
`

// The row of a change is the record after it, or the record before a deletion.
func TestDebezium(t *testing.T) {
	m := parsed(t, debezium, "")
	if m.Name() != "Envelope" {
		t.Fatalf("the message is taken to be %s", m.FullName())
	}
	all := `{ id: 3 title: "a" embedding: [1, 2] words { dimensions: 3 vector { key: 2 value: 5 } } }`
	for name, c := range map[string]struct {
		paths   []string
		text    string
		want    string
		deleted bool
		bad     string
	}{
		"created":                   {nil, `op: "c" source {} after ` + all, "id=3 title=a embedding=[1 2] words=[0 5 0]", false, ""},
		"some columns":              {[]string{"embedding", "id"}, `op: "u" before { id: 9 } after ` + all, "embedding=[1 2] id=3", false, ""},
		"fields of the envelope":    {[]string{"op", "source.lsn", "after.title", "id", "before.id"}, `op: "u" ts_ms: 5 source { lsn: "x" } after ` + all, "op=u source.lsn=x after.title=a id=3 before.id=<nil>", false, ""},
		"read":                      {[]string{"id"}, `op: "r" after ` + all, "id=3", false, ""},
		"deleted":                   {[]string{"id", "title"}, `op: "d" before { id: 3 }`, "id=3 title=", true, ""},
		"deleted, nothing is known": {[]string{"id"}, `op: "d"`, "id=<nil>", true, ""},
		"truncated":                 {nil, `op: "t"`, "", false, `Debezium's operation "t" holds no record`},
		"no record":                 {nil, `op: "c"`, "", false, `Debezium's operation "c" has no record in after`},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Compile(m, record.Spec{Paths: c.paths})
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Decode(wire(t, m, c.text), table.Origin{})
			if c.bad != "" {
				if err == nil || !strings.Contains(err.Error(), c.bad) {
					t.Errorf("%v, want %s", err, c.bad)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if text := shown(got.Table); text != c.want || got.Deleted != c.deleted {
				t.Errorf("%s deleted %t, want %s %t", text, got.Deleted, c.want, c.deleted)
			}
		})
	}
}

// If changes are expected, the decoder recognizes omitted values, operations without a record,
// Debezium messages that are no changes, and flattened deletions.
func TestChangesOfAStage(t *testing.T) {
	decode := func(schema, message, text string) record.Decoded {
		t.Helper()
		m := parsed(t, schema, message)
		d, err := Compile(m, record.Spec{Changes: true, Paths: []string{"id", "title", "embedding"}, Vector: "embedding"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Decode(wire(t, m, text), table.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	numbers := strings.Trim(strings.Join(strings.Fields(fmt.Sprint([]byte("__debezium_unavailable_value"))), ", "), "")
	if got := decode(debezium, "", `op: "u" after { id: 3 title: "new" embedding: `+numbers+` }`); !slices.Equal(got.Unchanged, []string{"embedding"}) || shown(got.Table) != "id=3 title=new embedding=<nil>" {
		t.Errorf("a vector left out: %q, %s", got.Unchanged, shown(got.Table))
	}
	if got := decode(debezium, "", `op: "t"`); !got.Truncated || got.Table != nil {
		t.Errorf("truncated: %+v", got)
	}
	if got := decode(debezium, "", `op: "m"`); got.Aside != record.LogMessage {
		t.Errorf("a message: %+v", got)
	}
	const flat = `syntax = "proto3"; message Row { int32 id = 1; string title = 2; repeated float embedding = 3; string __deleted = 4; } message Heartbeat { int64 ts_ms = 1; }`
	if got := decode(flat, "Row", `id: 3 __deleted: "true"`); !got.Deleted {
		t.Errorf("flattened: %+v", got)
	}
	if got := decode(flat, "Row", `id: 3 __deleted: "false"`); got.Deleted {
		t.Errorf("flattened: %+v", got)
	}
	if got := decode(flat, "Heartbeat", `ts_ms: 1`); got.Aside != record.Heartbeat {
		t.Errorf("a heartbeat: %+v", got)
	}
}

// TestShapesOfChanges: other messages of Debezium are recognised by their fields, a flattened
// deletion by either of its marks, and an omitted value in every type that Connect gives it.
func TestShapesOfChanges(t *testing.T) {
	left := fmt.Sprintf("%q", "__debezium_unavailable_value")
	for name, c := range map[string]struct {
		fields, text string
		aside        string
		gone         bool
		unchanged    []string
	}{
		"a transaction":        {fields: `string status = 1; string id = 2; int64 event_count = 3; int64 ts_ms = 4;`, text: `status: "BEGIN" id: "571:5" ts_ms: 1`, aside: record.Transaction},
		"a schema change":      {fields: `string source = 1; int64 ts_ms = 2; string databaseName = 3; string ddl = 4;`, text: `databaseName: "shop" ddl: "ALTER TABLE a"`, aside: record.SchemaChange},
		"deleted, a truth":     {fields: `int32 id = 1; repeated float embedding = 2; bool __deleted = 3;`, text: `id: 3 __deleted: true`, gone: true},
		"kept, a truth":        {fields: `int32 id = 1; repeated float embedding = 2; bool __deleted = 3;`, text: `id: 3 embedding: [1, 2]`},
		"deleted, by its op":   {fields: `int32 id = 1; repeated float embedding = 2; string __op = 3;`, text: `id: 3 __op: "d"`, gone: true},
		"updated, by its op":   {fields: `int32 id = 1; repeated float embedding = 2; string __op = 3;`, text: `id: 3 embedding: [1, 2] __op: "u"`},
		"left out, as text":    {fields: `int32 id = 1; string embedding = 2;`, text: `id: 3 embedding: ` + left, unchanged: []string{"embedding"}},
		"left out, as bytes":   {fields: `int32 id = 1; bytes embedding = 2;`, text: `id: 3 embedding: ` + left, unchanged: []string{"embedding"}},
		"left out, as texts":   {fields: `int32 id = 1; repeated string embedding = 2;`, text: `id: 3 embedding: [` + left + `]`, unchanged: []string{"embedding"}},
		"left out, beside one": {fields: `int32 id = 1; repeated float embedding = 2; string title = 3;`, text: `id: 3 embedding: [1, 2] title: ` + left, unchanged: []string{"title"}},
	} {
		m := parsed(t, `syntax = "proto3"; message R { `+c.fields+` }`, "R")
		paths := []string{"id", "embedding"}
		if strings.Contains(c.fields, "title") {
			paths = append(paths, "title")
		}
		d, err := Compile(m, record.Spec{Changes: true, Paths: paths, Vector: "embedding"})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := d.Decode(wire(t, m, c.text), table.Origin{})
		if err != nil || got.Aside != c.aside || got.Deleted != c.gone || !slices.Equal(got.Unchanged, c.unchanged) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
