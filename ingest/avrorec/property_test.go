package avrorec_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/twmb/avro"
	"pgregory.net/rapid"

	"unfold/ingest/avrorec"
	"unfold/ingest/record"
	"unfold/ingest/table"
)

// drawn is a random type, a value of that type, and the text expected in the column.
type drawn struct {
	schema any
	value  any
	shown  string
}

// draw draws a type that has a column, with a value.
func draw(t *rapid.T, at string) drawn {
	switch rapid.SampledFrom([]string{"int", "long", "float", "double", "boolean", "string", "array", "doubles", "null", "other"}).Draw(t, at) {
	case "int":
		v := rapid.Int32().Draw(t, at)
		return drawn{"int", v, fmt.Sprint(v)}
	case "long":
		v := rapid.Int64().Draw(t, at)
		return drawn{"long", v, fmt.Sprint(v)}
	case "float":
		v := rapid.Float32().Draw(t, at)
		return drawn{"float", v, fmt.Sprint(float64(v))}
	case "double":
		v := rapid.Float64().Draw(t, at)
		return drawn{"double", v, fmt.Sprint(v)}
	case "boolean":
		v := rapid.Bool().Draw(t, at)
		return drawn{"boolean", v, fmt.Sprint(v)}
	case "string":
		v := rapid.StringN(0, 20, -1).Draw(t, at)
		return drawn{"string", v, v}
	case "array":
		v := rapid.SliceOfN(rapid.Float32(), 0, 20).Draw(t, at)
		return drawn{m{"type": "array", "items": "float"}, v, strings.ReplaceAll(fmt.Sprint(v), " ", ",")}
	case "doubles":
		v := rapid.SliceOfN(rapid.Float64(), 0, 20).Draw(t, at)
		return drawn{m{"type": "array", "items": []any{"double", "null"}}, v, strings.ReplaceAll(fmt.Sprint(v), " ", ",")}
	case "null":
		inner := draw(t, at+"n")
		if _, union := inner.schema.([]any); union {
			return inner
		}
		return drawn{[]any{"null", inner.schema}, nil, "null"}
	}
	inner := draw(t, at+"o")
	if _, union := inner.schema.([]any); union {
		return inner
	}
	return drawn{[]any{"null", inner.schema}, inner.value, inner.shown}
}

// Records written by the library are read with the written values, whichever fields are requested.
// Records that are truncated or have extra bytes are refused.
func TestAgreesWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "fields")
		var fields []any
		value, inside := m{}, m{}
		var paths, want []string
		var nested []any
		for i := range n {
			name := fmt.Sprintf("f%d", i)
			d := draw(t, name)
			path := name
			if rapid.Bool().Draw(t, "nested") {
				nested, inside[name], path = append(nested, m{"name": name, "type": d.schema}), d.value, "in."+name
			} else {
				fields, value[name] = append(fields, m{"name": name, "type": d.schema}), d.value
			}
			if rapid.Bool().Draw(t, "wanted") {
				paths, want = append(paths, path), append(want, path+"="+d.shown)
			}
		}
		if nested != nil {
			fields = append(fields, m{"name": "in", "type": m{"type": "record", "name": "In", "fields": nested}})
			value["in"] = inside
		}
		text, err := json.Marshal(m{"type": "record", "name": "E", "fields": fields})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := avro.MustParse(string(text)).Encode(value)
		if err != nil {
			t.Fatal(err)
		}
		d, err := avrorec.Compile(string(text), nil, record.Spec{Paths: append([]string{"gone"}, paths...)})
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Decode(raw, table.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(append([]string{"gone=null"}, want...), " "); shown(got.Table) != all {
			t.Fatalf("got  %s\nwant %s", shown(got.Table), all)
		}
		if _, err := d.Decode(append(raw, 0), table.Origin{}); err == nil {
			t.Fatal("more bytes are not seen")
		}
		if cut := rapid.IntRange(0, len(raw)).Draw(t, "cut"); cut < len(raw) {
			if _, err := d.Decode(raw[:cut], table.Origin{}); err == nil {
				t.Fatal("a message that is cut off is read")
			}
		}
	})
}

// FuzzDecode decodes arbitrary messages and compares the result with the library's. The library
// accepts fewer messages, because it also checks values that this decoder skips by their length. It
// does not look at the size of a block, which this decoder checks.
func FuzzDecode(f *testing.F) {
	f.Add(encode(f, everything, event()))
	f.Add(encode(f, envelope, change("u", item(1), item(2))))
	f.Add(encode(f, envelope, change("d", item(1), nil)))
	f.Add(longs(-1, 1<<40, 0))
	type target struct {
		all, some *avrorec.Decoder
		schema    *avro.Schema
	}
	var targets []target
	for _, schema := range []string{everything, envelope} {
		all, err := avrorec.Compile(schema, nil, record.Spec{Limits: record.Limits{Memory: 1 << 20}})
		if err != nil {
			f.Fatal(err)
		}
		some, err := avrorec.Compile(schema, nil, record.Spec{Paths: []string{"id", "tags", "scores.a", "payload.next.next.bytes", "source.lsn", "words"}, Limits: record.Limits{Memory: 1 << 20}})
		if err != nil {
			f.Fatal(err)
		}
		targets = append(targets, target{all, some, avro.MustParse(schema)})
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		for _, to := range targets {
			a, err := to.all.Decode(value, table.Origin{})
			if _, e := to.some.Decode(value, table.Origin{}); err == nil && e != nil && !strings.Contains(e.Error(), "cannot be read: ") && !strings.Contains(e.Error(), "UTF-8") {
				t.Errorf("all is read, some is not: %v", e)
			}
			var v any
			rest, e := to.schema.Decode(value, &v)
			if e != nil {
				continue
			}
			if err != nil {
				if len(rest) == 0 && strings.Contains(err.Error(), "cannot be read: ") && !strings.Contains(err.Error(), "Debezium") && !strings.Contains(err.Error(), "a block of") && !strings.Contains(err.Error(), "deep") {
					t.Errorf("%v, and the library reads it", err)
				}
				continue
			}
			if len(rest) > 0 {
				t.Errorf("the library leaves %d bytes", len(rest))
			}
			of, _ := v.(m)
			if row, ok := of["after"].(m); ok && of["op"] != "d" {
				of = row
			} else if row, ok := of["before"].(m); ok {
				of = row
			}
			id, _ := a.Table.Need("id")
			if want, ok := of["id"].(string); ok && id.Text(0) != want {
				t.Errorf("id %q, the library says %q", id.Text(0), want)
			}
			if x, ok := of["d"].(float64); ok {
				c, _ := a.Table.Need("d")
				if got, _ := c.Float(0); math.Float64bits(got) != math.Float64bits(x) && !math.IsNaN(x) {
					t.Errorf("d %v, the library says %v", got, x)
				}
			}
		}
	})
}

// FuzzCompile compiles arbitrary schemas, and decodes with the result, without panics.
func FuzzCompile(f *testing.F) {
	f.Add(everything, []byte("\x00\x02a"))
	f.Add(envelope, []byte{2, 2, 0, 0, 0, 0, 0, 0, 0, 2, 'c'})
	f.Add(`{"type":"record","name":"E","fields":[{"name":"x","type":["null","E"]},{"name":"m","type":{"type":"map","values":{"type":"array","items":"E"}}}]}`, []byte{0, 0})
	f.Add(`{"type":"array","items":{"type":"record","name":"N","fields":[{"name":"n","type":"null"}]}}`, []byte{100, 0})
	f.Fuzz(func(t *testing.T, schema string, value []byte) {
		for _, paths := range [][]string{nil, {"id", "x.x.x", "m.a", "after", "tags"}} {
			d, err := avrorec.Compile(schema, nil, record.Spec{Paths: paths, Limits: record.Limits{Memory: 1 << 20}})
			if err != nil {
				continue
			}
			_, _ = d.Decode(value, table.Origin{})
			_, _ = d.Record(value)
			d.RecordType()
		}
	})
}
