package arrowfmt_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/ingesttest"
)

// viewsOf returns a column of n equal text views: each has this length and refers to the same place
// of a buffer.
func viewsOf(n int, length, which, at int32, buffers ...[]byte) arrow.Array {
	le := binary.LittleEndian
	one := le.AppendUint32(nil, uint32(length))
	one = append(one, buffers[0][:4]...)
	one = le.AppendUint32(le.AppendUint32(one, uint32(which)), uint32(at))
	parts := []*memory.Buffer{nil, memory.NewBufferBytes(slices.Repeat(one, n))}
	for _, b := range buffers {
		parts = append(parts, memory.NewBufferBytes(b))
	}
	return array.MakeFromData(array.NewData(arrow.BinaryTypes.StringView, n, parts, nil, 0, 0))
}

func runsOf(n int, values arrow.Array, ends ...int32) arrow.Array {
	b := array.NewInt32Builder(memory.NewGoAllocator())
	b.AppendValues(ends, nil)
	return array.NewRunEndEncodedArray(b.NewArray(), values, n, 0)
}

func texts(values ...string) arrow.Array {
	b := array.NewStringBuilder(memory.NewGoAllocator())
	b.AppendValues(values, nil)
	return b.NewArray()
}

// Views and runs that expand to more bytes than the limit are refused before they are expanded, and
// views that refer to bytes outside their buffers before they are read.
func TestPlainColumnsAreBounded(t *testing.T) {
	long := []byte(strings.Repeat("long", 1<<18))
	for _, c := range []struct {
		name   string
		column arrow.Array
		want   string  // of the error; "" for none
		ends   []int32 // instead of the runs' own
	}{
		{"one view", viewsOf(1, 1<<20, 0, 0, long), "", nil},
		{"views of the last bytes", viewsOf(3, 16, 1, 1<<20-16, long, long), "", nil},
		{"views that share a megabyte", viewsOf(100_000, 1<<20, 0, 0, long), "larger than is allowed", nil},
		{"views that share little", viewsOf(500_000, 60, 0, 0, long), "needs more than 33554432 bytes", nil},
		{"a view past its buffer", viewsOf(2, 17, 0, 1<<20-16, long), "row 0 leads out of its buffers", nil},
		{"a view of a buffer that is not there", viewsOf(2, 17, 1, 0, long), "leads out of its buffers", nil},
		{"a view of a buffer before the first", viewsOf(2, 17, -1, 0, long), "leads out of its buffers", nil},
		{"a view from before its buffer", viewsOf(2, 17, 0, -1, long), "leads out of its buffers", nil},
		{"a view of negative length", viewsOf(2, -17, 0, 0, long), "leads out of its buffers", nil},
		{"one run", runsOf(3, texts("a"), 3), "", nil},
		{"a long run of little", runsOf(1<<20, texts("a"), 1<<20), "", nil},
		{"a long run of much", runsOf(1<<20, texts(string(long)), 1<<20), "larger than is allowed", nil},
		{"a long run of more", runsOf(1<<20, texts(string(long[:100])), 1<<20), "needs more than 33554432 bytes", nil},
		{"runs that end too early", runsOf(1004, texts("a", "b"), 1003, 1004), "its runs end at 1002 of 1004 rows", []int32{1001, 1002}},
		{"runs that fall", runsOf(1004, texts("a", "b"), 1003, 1004), "run 1 ends at 1004, not after 1005", []int32{1005, 1004}},
		{"a run of nothing", runsOf(1004, texts("a", "b"), 1003, 1004), "run 0 ends at 0", []int32{0, 1004}},
		{"a run of less than nothing", runsOf(1004, texts("a", "b"), 1003, 1004), "run 0 ends at -1", []int32{-1, 1004}},
	} {
		message := ingesttest.StreamOf(c.column)
		if c.ends != nil {
			// Arrow's writer writes no such runs.
			own, others := arrow.GetBytes([]int32{1003, 1004}), arrow.GetBytes(c.ends)
			if !bytes.Contains(message, own) {
				t.Fatalf("%s: the ends of the runs are not where they should be", c.name)
			}
			message = bytes.Replace(message, own, others, 1)
		}
		before := ingesttest.Allocated()
		table, err := arrowfmt.DecodeMessage(message, ingesttest.Here(), arrowfmt.Limits{Memory: 32 << 20})
		took := ingesttest.Allocated() - before
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want == "" && ingesttest.Touch(table) == 0:
			t.Errorf("%s: no text", c.name)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if took > 160<<20 {
			t.Errorf("%s: %d MiB were allocated", c.name, took>>20)
		}
	}
}
