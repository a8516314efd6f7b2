package protorec

import (
	"testing"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// FuzzDecode checks that arbitrary bytes give a table or an input error.
func FuzzDecode(f *testing.F) {
	m := everyEvent(f)
	envelope := parsed(f, debezium, "")
	for _, text := range []string{
		`event_id: "a" embedding: [1, 2.5, -3] payload { bytes: 7 nested { event_id: "x" } } hash: 9`,
		`scores { key: "a" value: 1.5 } flags { key: -2 value: true } at { seconds: 3 } took { nanos: 5 } maybe { value: 3 }`,
		`more { fields { key: "v" value { list_value { values { number_value: 1 } } } } fields { key: "s" value { struct_value { fields { key: "y" value { bool_value: true } } } } } }`,
		`sparse { dimensions: 4 vector { key: 1 value: 2.5 } } price { value: "\x04\xd2" scale: 2 } colour: BLUE inner { ok: true } tags: "x"`,
	} {
		f.Add(wire(f, m, text))
	}
	f.Add(wire(f, envelope, `op: "u" after { id: 3 embedding: [1, 2] words { dimensions: 3 vector { key: 2 value: 5 } } }`))
	f.Add(wire(f, envelope, `op: "d" before { id: 3 }`))
	limits := record.Limits{Memory: 16 << 20}
	var all []*Decoder
	for _, s := range []record.Spec{{Limits: limits}, {Paths: []string{"embedding", "event_id", "payload.nested.payload.bytes", "scores.a", "more.v", "number", "tags", "colours"}, Vector: "embedding", Limits: limits}} {
		d, err := Compile(m, s)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, d)
	}
	d, err := Compile(envelope, record.Spec{Limits: limits})
	if err != nil {
		f.Fatal(err)
	}
	all = append(all, d)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, d := range all {
			got, err := d.Decode(b, table.Origin{})
			if err != nil {
				if !table.IsBadInput(err) {
					t.Fatal(err)
				}
				continue
			}
			if got.Table.Len() != 1 {
				t.Fatalf("%d rows", got.Table.Len())
			}
			for _, c := range got.Table.Columns() {
				c.Strings()
				c.Floats()
			}
		}
	})
}
