package jsonrec

import (
	"fmt"
	"strings"
	"testing"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// event is a record of 50 numbers, as float32 prints, and 5 fields.
func event() []byte {
	v := make([]string, 50)
	for i := range v {
		v[i] = fmt.Sprint(float32(i)*0.0137 - 0.3)
	}
	return []byte(`{"id":123456,"proto":"tcp","bytes":1234.5,"label":"web","ts":1700000000000,"embedding":[` + strings.Join(v, ",") + `]}`)
}

// BenchmarkEvent: an event from bytes to its table.
func BenchmarkEvent(b *testing.B) {
	d, e := New(record.Spec{}), event()
	b.ReportAllocs()
	b.SetBytes(int64(len(e)))
	for b.Loop() {
		if _, err := d.Decode(e, table.Origin{}); err != nil {
			b.Fatal(err)
		}
	}
}
