package protorec

import (
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// A list of an enum's values with a long name takes no more memory than is allowed when it becomes a
// text.
func TestLongNamesAreBounded(t *testing.T) {
	m := parsed(t, `syntax = "proto3"; enum E { `+strings.Repeat("A", 10_000)+` = 0; } message M { repeated E e = 1; }`, "M")
	d, err := Compile(m, record.Spec{Paths: []string{"e"}, Limits: record.Limits{Memory: 16 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	value := func(n int) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), make([]byte, n))
	}
	if _, err := d.Decode(value(2), table.Origin{}); err != nil {
		t.Errorf("two of them: %v", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = d.Decode(value(50_000), table.Origin{})
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 32<<20 {
		t.Errorf("%v, after %d bytes", err, took)
	}
}
