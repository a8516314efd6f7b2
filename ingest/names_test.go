package ingest_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// namesakes returns a stream of batches of two rows, with a vector "embedding", text "embedding",
// text "word", and numbers "n" twice.
func namesakes(batches int) []byte {
	vector := arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32)
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "embedding", Type: vector}, {Name: "embedding", Type: arrow.BinaryTypes.String}, {Name: "word", Type: arrow.BinaryTypes.String},
		{Name: "n", Type: arrow.PrimitiveTypes.Int32}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "v", Type: vector},
	}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	var records []arrow.Record
	for range batches {
		for _, at := range []int{0, 5} {
			list := b.Field(at).(*array.FixedSizeListBuilder)
			list.AppendValues([]bool{true, true})
			list.ValueBuilder().(*array.Float32Builder).AppendValues([]float32{1, 2, 3, 4}, nil)
		}
		b.Field(1).(*array.StringBuilder).AppendValues([]string{"a", "b"}, nil)
		b.Field(2).(*array.StringBuilder).AppendValues([]string{"c", "d"}, nil)
		b.Field(3).(*array.Int32Builder).AppendValues([]int32{1, 2}, nil)
		b.Field(4).(*array.Int64Builder).AppendValues([]int64{3, 4}, nil)
		records = append(records, b.NewRecord())
	}
	return ingesttest.Encode(schema, records)
}

// A name of two columns is ambiguous. Using it is an error that advises renaming; otherwise it has
// no effect.
func TestColumnsOfOneName(t *testing.T) {
	ctx := context.Background()
	const embedding = `column "embedding": columns 1 (fixed_size_list<float32>[2]) and 2 (string) have this name, and it is not known which is meant; rename all but one of them`
	const n = `column "n": columns 4 (int32) and 5 (int64) have this name`
	for _, batches := range []int{1, 3} {
		value := namesakes(batches)
		rows, err := arrowfmt.DecodeMessage(value, ingesttest.Here(), arrowfmt.Limits{})
		if err != nil || rows.Len() != 2*batches {
			t.Fatalf("%d batches: %v, %v", batches, rows, err)
		}
		for _, c := range []struct {
			m    ingest.Mapping
			want string
		}{
			{ingest.Mapping{Vector: "embedding"}, embedding},
			{ingest.Mapping{Vector: "v", Selection: ingest.Selection{ID: "n"}}, n},
			{ingest.Mapping{Vector: "v", Selection: ingest.Selection{Keep: []string{"word", "n"}}}, n},
			{ingest.Mapping{Vector: "v", Selection: ingest.Selection{Label: "n"}}, n},
			{ingest.Mapping{Columns: parse(t, "n")}, n},
			{ingest.Mapping{Columns: parse(t, "*")}, n},
			{ingest.Mapping{Vector: "v", Selection: ingest.Selection{ID: "word"}}, ""},
		} {
			f, err := ingest.NewFitter(c.m, rows.Schema())
			if c.want != "" {
				if !table.IsBadInput(err) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%+v: %v, want %s", c.m, err, c.want)
				}
				continue
			}
			if err != nil {
				t.Errorf("%+v: %v", c.m, err)
				continue
			}
			if err := f.Add(rows); err != nil {
				t.Fatal(err)
			}
			e, err := f.Encoder()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Encode(rows); err != nil {
				t.Errorf("%+v: %v", c.m, err)
			}
			// A later message has two such columns.
			_, err = e.With(ingest.Selection{Keep: []string{"n"}}).Encode(rows)
			if !table.IsBadInput(err) || !strings.Contains(err.Error(), n) {
				t.Errorf("encoding says %v", err)
			}
		}
		if _, err := ingest.ReadMap(ctx, tempFile(t, "x.arrows", value), ingest.Options{}); err == nil || !strings.Contains(err.Error(), embedding) {
			t.Errorf("read as a map: %v", err)
		}
	}
}

func TestCheckText(t *testing.T) {
	for _, c := range []struct {
		path, keep string
		good       bool
	}{
		{"x.csv", "embedding_1", false}, {"x.csv.gz", "embedding_12", false}, {"x.csv", "embedding_x", true},
		{"x.csv", "embeddings", true}, {"x.parquet", "embedding_1", true}, {"-", "embedding_1", true}, {"", "embedding_1", true},
	} {
		if err := emit.CheckText(c.path, []string{"a", c.keep}); (err == nil) != c.good {
			t.Errorf("%s in %s: %v", c.keep, c.path, err)
		}
	}
}

// A column without a name, which no option can name, is left out with the reason.
func TestColumnWithoutNameIsSaidToBeLeft(t *testing.T) {
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Float64}, {Name: "", Type: arrow.PrimitiveTypes.Float64}, {Name: "b", Type: arrow.PrimitiveTypes.Float64}}
	rb := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	for i, b := range rb.Fields() {
		b.(*array.Float64Builder).AppendValues([]float64{float64(i), 2.5, -1}, nil)
	}
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(rb.Schema()))
	if err := errors.Join(w.Write(rb.NewRecord()), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := ingest.Open(t.Context(), tempFile(t, "x.arrows", out.Bytes()), ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p, err := ingest.ReadProfile(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := ingest.DescribeLeft(p.Unused()); got != `columns that "*" leaves out: "" (it has no name)` {
		t.Errorf("left out: %q", got)
	}
}
