package avrorec_test

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"unfold/ingest/avrorec"
	"unfold/ingest/record"
	"unfold/ingest/table"
)

func longs(values ...int64) (b []byte) {
	for _, v := range values {
		b = binary.AppendVarint(b, v)
	}
	return b
}

// Bad messages return an error quickly and without much memory.
func TestHostile(t *testing.T) {
	field := func(of string) string {
		return `{"type":"record","name":"E","fields":[{"name":"x","type":` + of + `}]}`
	}
	floats, nulls := field(`{"type":"array","items":"float"}`), field(`{"type":"array","items":"null"}`)
	ring := `{"type":"record","name":"E","fields":[{"name":"x","type":["null","E"]},{"name":"y","type":"int"}]}`
	for _, row := range []struct {
		name, schema string
		paths        []string
		value        []byte
		want         string
	}{
		{"a huge array", floats, nil, longs(1 << 60), "items"},
		{"a huge array, passed over", floats, []string{"y"}, longs(1 << 60), "items"},
		{"a huge block of bytes", floats, nil, longs(-1, 1<<60), "block of"},
		{"the least count", floats, nil, longs(-1<<63, 0), "too many items"},
		{"a huge text", field(`"string"`), nil, longs(1<<62, 0), "length"},
		{"a text of negative length", field(`"string"`), nil, longs(-5), "length"},
		{"a branch that is not there", field(`["null","int"]`), nil, longs(2), "branch 2"},
		{"a negative branch", field(`["null","int"]`), nil, longs(-1), "branch -1"},
		{"a symbol that is not there", field(`{"type":"enum","name":"C","symbols":["A"]}`), nil, longs(1), "symbol 1"},
		{"an integer without end", field(`"long"`), nil, []byte(strings.Repeat("\xff", 20)), "64 bits"},
		{"cut off", field(`"double"`), nil, make([]byte, 7), "cut off"},
		{"empty", field(`"double"`), nil, nil, "cut off"},
		{"more behind it", field(`"int"`), nil, longs(1, 2), "behind the record"},
		{"deep", ring, []string{"y"}, longs(make([]int64, 0)...), "cut off"},
		{"deeper than allowed", ring, []string{"y"}, []byte(strings.Repeat("\x02", 1000)), "too deep"},
		{"not UTF-8", field(`"string"`), nil, append(longs(2), 0xff, 0xfe), "UTF-8"},
		{"a list of a null without end", nulls, nil, append(longs(1<<62), 0, 1), "behind the record"},
		{"a decimal of many bytes", field(`{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`), nil, append(longs(10_000), make([]byte, 10_000)...), "too large"},
		{"a date too far away", field(`{"type":"long","logicalType":"timestamp-millis"}`), nil, longs(1 << 62), "time"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := decode(t, row.schema, record.Spec{Paths: row.paths}, row.value)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

// Values without bytes are not counted one by one, so a huge count of them costs no time.
func TestNullsWithoutEnd(t *testing.T) {
	fields := make([]string, 4000)
	for i := range fields {
		fields[i] = fmt.Sprintf(`{"name":"n%d","type":"null"}`, i)
	}
	empty := `{"type":"record","name":"N","fields":[` + strings.Join(fields, ",") + `]}`
	schema := `{"type":"record","name":"E","fields":[{"name":"a","type":{"type":"array","items":` + empty + `}},{"name":"m","type":{"type":"map","values":"N"}},{"name":"y","type":"int"}]}`
	got, err := decode(t, schema, record.Spec{Paths: []string{"y"}}, longs(1<<60, 0, 0, 5))
	if err != nil || shown(got.Table) != "y=5" {
		t.Errorf("%v, %v", got, err)
	}
}

// The work for schemas whose types refer to each other many times is bounded.
func TestHugeSchemas(t *testing.T) {
	var types []string
	for i := range 30 {
		of := `"int"`
		if i > 0 {
			of = fmt.Sprintf(`"R%d"`, i-1)
		}
		types = append(types, fmt.Sprintf(`{"type":"record","name":"R%d","fields":[{"name":"a","type":%s},{"name":"b","type":%s}]}`, i, of, of))
	}
	var references []avrorec.Reference
	for i, text := range types[:29] {
		references = append(references, avrorec.Reference{Name: fmt.Sprintf("R%d", i), Text: text})
	}
	if _, err := avrorec.Compile(types[29], references, record.Spec{}); err == nil || !strings.Contains(err.Error(), "name the columns") {
		t.Errorf("all of 2^30 fields: %v", err)
	}
	path := strings.TrimPrefix(strings.Repeat(".b", 30), ".")
	d, err := avrorec.Compile(types[29], references, record.Spec{Paths: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Decode(make([]byte, 100), table.Origin{}); err == nil {
		t.Error("100 bytes hold 2^30 integers")
	}
}

// A message cannot make the decoder exceed its memory limit.
func TestMemoryIsBounded(t *testing.T) {
	schema := `{"type":"record","name":"E","fields":[{"name":"x","type":{"type":"array","items":"int"}}]}`
	value := append(longs(30<<20), make([]byte, 30<<20+1)...)
	d, err := avrorec.Compile(schema, nil, record.Spec{Limits: record.Limits{Memory: 16 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = d.Decode(value, table.Origin{})
	runtime.ReadMemStats(&after)
	if err == nil || after.TotalAlloc-before.TotalAlloc > 64<<20 {
		t.Errorf("%v, after %d bytes", err, after.TotalAlloc-before.TotalAlloc)
	}
}

// A list of records with very many fields that take no bytes is refused as a column before it is
// decoded to JSON, which would take a thousand times the limit.
func TestWideRecordsAreWeighed(t *testing.T) {
	fields := []string{`{"name":"b","type":"boolean"}`}
	for i := range 3000 {
		fields = append(fields, fmt.Sprintf(`{"name":"n%d","type":"null"}`, i))
	}
	wide := `{"type":"record","name":"W","fields":[` + strings.Join(fields, ",") + `]}`
	schema := `{"type":"record","name":"E","fields":[{"name":"x","type":{"type":"map","values":{"type":"array","items":` + wide + `}}},{"name":"y","type":"int"}]}`
	d, err := avrorec.Compile(schema, nil, record.Spec{Paths: []string{"x", "y"}, Limits: record.Limits{Memory: 16 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	value := func(n int) []byte {
		return append(append(append(longs(1, 1), 'k'), longs(int64(n))...), append(make([]byte, n), longs(0, 0, 7)...)...)
	}
	if got, err := d.Decode(value(2), table.Origin{}); err != nil || !strings.Contains(shown(got.Table), "y=7") {
		t.Errorf("two of them: %v", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = d.Decode(value(2000), table.Origin{})
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err == nil || !strings.Contains(err.Error(), "when it is decoded") || took > 16<<20 {
		t.Errorf("%v, after %d bytes", err, took)
	}
}

// Symbols with long names, and decimals with many digits, are weighed by their texts.
func TestLongTextsAreWeighed(t *testing.T) {
	for _, item := range []string{
		`{"type":"enum","name":"C","symbols":["A` + strings.Repeat("a", 10_000) + `"]}`,
		`{"type":"bytes","logicalType":"decimal","precision":10000,"scale":10000}`,
		`{"type":"bytes","logicalType":"big-decimal"}`,
	} {
		schema := `{"type":"record","name":"E","fields":[{"name":"x","type":{"type":"map","values":{"type":"array","items":` + item + `}}}]}`
		d, err := avrorec.Compile(schema, nil, record.Spec{Paths: []string{"x"}, Limits: record.Limits{Memory: 16 << 20}})
		if err != nil {
			t.Fatal(err)
		}
		const n = 50_000
		value := append(append(append(longs(1, 1), 'k'), longs(n)...), append(make([]byte, n), longs(0, 0)...)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = d.Decode(value, table.Origin{})
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 16<<20 {
			t.Errorf("%.60s: %v, after %d bytes", item, err, took)
		}
	}
}
