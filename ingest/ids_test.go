package ingest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"unfold/ingest"
)

// TestIDsOfFilesAreExact: 64-bit ids that differ in the last place stay different in every file
// format. Ids that cannot be exact are an error with row and column.
func TestIDsOfFilesAreExact(t *testing.T) {
	csv := func(ids ...string) []byte {
		var b strings.Builder
		b.WriteString("id,a,b\n")
		for i, id := range ids {
			fmt.Fprintf(&b, "%s,%d,%d.5\n", id, i, i*i)
		}
		return []byte(b.String())
	}
	lines := func(ids ...string) []byte {
		var b strings.Builder
		for i, id := range ids {
			fmt.Fprintf(&b, "{\"id\": %s, \"a\": %d, \"b\": %d.5}\n", id, i, i*i)
		}
		return []byte(b.String())
	}
	large := []string{"9223372036854775808", "9223372036854775809", "18446744073709551615", "7"}
	for _, c := range []struct {
		name, file string
		data       []byte
		want       []string
		bad        string
	}{
		{"csv", "x.csv", csv(large...), large, ""},
		{"json lines", "x.jsonl", lines(large...), large, ""},
		{"csv, beyond all", "x.csv", csv("1", "18446744073709551616", "3"), nil, `row 2 (line 3), column "id"`},
		{"csv, a fraction", "x.csv", csv("1", "2", "2.5"), nil, `row 3 (line 4), column "id": 2.5 cannot be an id`},
		{"json lines, beyond all", "x.jsonl", lines("1", "18446744073709551616"), nil, `row 2 (line 2), column "id"`},
		{"json lines, a float", "x.jsonl", lines("1.0", "1e20"), nil, `row 2 (line 2), column "id": 1e+20 cannot be an id`},
		{"json lines, negative and beyond", "x.jsonl", lines("-1", "18446744073709551615"), nil, `row 2 (line 2), column "id"`},
	} {
		m := columnsOf(t, "a,b")
		m.ID = "id"
		d, err := ingest.ReadAll(context.Background(), []string{tempFile(t, c.file, c.data)}, ingest.ReadOptions{Mapping: m})
		if c.bad != "" {
			if err == nil || !strings.Contains(err.Error(), c.bad) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.bad)
			}
			continue
		}
		if err != nil || strings.Join(d.ID.Strings(), " ") != strings.Join(c.want, " ") {
			t.Errorf("%s: %v, %v; want %v", c.name, d, err, c.want)
		}
	}
}

// TestUnsignedNpy: an array of uint64 is passed on unchanged.
func TestUnsignedNpy(t *testing.T) {
	var b bytes.Buffer
	header := "{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }"
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	b.WriteString("\x93NUMPY\x01\x00")
	_ = binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	_ = binary.Write(&b, binary.LittleEndian, []uint64{1<<63 + 1, 1<<64 - 1})
	m := columnsOf(t, "value")
	m.ID = "value"
	d, err := ingest.ReadAll(context.Background(), []string{tempFile(t, "x.npy", b.Bytes())}, ingest.ReadOptions{Mapping: m})
	if err != nil || strings.Join(d.ID.Strings(), " ") != "9223372036854775809 18446744073709551615" {
		t.Errorf("%v, %v", d, err)
	}
}
