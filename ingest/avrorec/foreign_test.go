package avrorec_test

import (
	"os"
	"path/filepath"
	"testing"

	"unfold/ingest/avrorec"
	"unfold/ingest/record"
	"unfold/ingest/table"
)

// Records written by fastavro (testdata/foreign/avro.py) give the expected tables.
func TestForeignMessages(t *testing.T) {
	for _, row := range []struct {
		name    string
		spec    record.Spec
		want    string
		deleted bool
	}{
		{"everything", record.Spec{}, `id=é n=-7 l=1099511627776 f=0.10000000149011612 d=0.1 b=true colour=GREEN ms=2025-01-02 03:04:05.678Z us=2025-01-02 03:04:05.678901Z ` +
			`local=2025-01-02 03:04:05.678901Z day=1969-12-30 00:00:00Z price=-1.2345678901234568e+16 cents=-0.07 uid=00112233-4455-6677-8899-aabbccddeeff v=[0.5,-2] w=[0.25,NaN] ` +
			"raw=AACAPw== payload.bytes=9 payload.colour=RED either=text", false},
		{"everything", record.Spec{Paths: []string{"raw", "scores.b", "payload.inner.bytes", "price", "tags"}, Vector: "raw", Types: map[string]record.Type{"price": record.Text}},
			`raw=[1] scores.b=2 payload.inner.bytes=10 price=-12345678901234567.8901 tags=["x","y"]`, false},
		{"created", record.Spec{}, "id=7 embedding=[0.5,7] words=[0.5,0,0,2] made=1970-01-01 00:00:00.0015Z", false},
		{"deleted", record.Spec{Paths: []string{"id", "source.table", "embedding"}}, "id=7 source.table=items embedding=[0.5,7]", true},
		{"flat", record.Spec{}, "id=a v=[1.5,2.5]", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			folder := filepath.Join("..", "..", "testdata", "foreign", "avro")
			schema, err := os.ReadFile(filepath.Join(folder, row.name+".avsc"))
			if err != nil {
				t.Fatal(err)
			}
			value, err := os.ReadFile(filepath.Join(folder, row.name+".bin"))
			if err != nil {
				t.Fatal(err)
			}
			d, err := avrorec.Compile(string(schema), nil, row.spec)
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Decode(value, table.Origin{})
			if err != nil {
				t.Fatal(err)
			}
			if text := shown(got.Table); text != row.want || got.Deleted != row.deleted {
				t.Errorf("got  %s (deleted %v)\nwant %s", text, got.Deleted, row.want)
			}
		})
	}
}
