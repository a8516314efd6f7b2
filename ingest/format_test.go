package ingest_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

func TestFormats(t *testing.T) {
	for _, ext := range emit.Extensions {
		t.Run(ext, func(t *testing.T) { ingesttest.TestFormat(t, ext, ext != ".npy") })
	}
}

// Files of other programs pass the conformance suite of readers.
func TestReaders(t *testing.T) {
	parquet, stream := parquetFile(t, []int{50, 1, 300}, parquetVariants["snappy"]...)
	for _, c := range []struct {
		name  string
		bytes []byte
		rows  int
	}{
		{"x.parquet", parquet, 351},
		{"x.arrows", stream, 351},
		{"x.arrows.gz", gz(stream), 351},
		{"images-idx3-ubyte.gz", gz(idx(40*6, 40, 2, 3)), 40},
		{"labels-idx1-ubyte", idx(40, 40), 40},
		{"x.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (5, 2), }", make([]byte, 80)), 5},
		{"x.npy.gz", gz(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (12,), }", make([]byte, 12))), 12},
		{"x.csv", []byte("a,b,c\n1,x,true\n2,y,\n\n,z,false\n"), 3},
		{"x.jsonl", []byte("{\"a\":1,\"v\":[1,2]}\n{\"v\":[0.5],\"a\":null}\n"), 2},
		{"x.json.gz", gz([]byte("\xef\xbb\xbf[ {\"a\":{\"b\":\"x\"}},\n {\"c\":true} ]")), 2},
		{"x.txt", []byte("  1.5   2 -3 \n4\t5 6\n"), 2},
	} {
		path := tempFile(t, c.name, c.bytes)
		t.Run(c.name, func(t *testing.T) {
			ingesttest.TestReader(t, func(o ingest.Options) (table.Reader, error) { return ingest.Open(context.Background(), path, o) }, c.rows)
		})
		if c.name == "x.arrows" {
			t.Run("standard input", func(t *testing.T) {
				ingesttest.TestReader(t, func(o ingest.Options) (table.Reader, error) {
					o.Stdin = bytes.NewReader(c.bytes)
					return ingest.Open(context.Background(), "-", o)
				}, c.rows)
			})
		}
	}
}

// Every sample stream is read equally from a file, with any batch size.
func TestStreamsAsFiles(t *testing.T) {
	for _, s := range ingesttest.Streams() {
		if s.Rows == 0 {
			continue
		}
		path := tempFile(t, "x.bin", s.Bytes)
		records := readTable(t, path, ingest.Options{BatchRows: 5})
		want, err := arrowfmt.DecodeMessage(s.Bytes, ingesttest.Here(), arrowfmt.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range want.Columns() {
			ingesttest.EqualColumns(t, s.Name, records.Columns()[i], c)
		}
	}
}

func TestArraysOfEveryByteOrder(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes []byte
	}{
		{"little.npy", npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }", []byte{1, 0, 2, 0, 0, 1, 255, 255})},
		{"big.npy", npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2, 2), }", []byte{0, 1, 0, 2, 1, 0, 255, 255})},
		{"big.idx", append([]byte{0, 0, 0x0B, 2, 0, 0, 0, 2, 0, 0, 0, 2}, 0, 1, 0, 2, 1, 0, 255, 255)},
	} {
		d, err := ingest.ReadAll(context.Background(), []string{tempFile(t, c.name, c.bytes)}, ingest.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := d.X.Data, []float32{1, 2, 256, -1}; !equal(got, want) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
}

func equal(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// A kept column whose dictionary differs between batches can be written in every format. Files
// contain its values.
func TestKeptDictionaries(t *testing.T) {
	dict := func(words ...string) table.Column {
		b := array.NewDictionaryBuilder(memory.NewGoAllocator(), &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
		for _, w := range words {
			if w == "" {
				b.AppendNull()
			} else if err := b.AppendString(w); err != nil {
				t.Fatal(err)
			}
		}
		records, err := arrowfmt.DecodeMessage(ingesttest.StreamOf(b.NewArray()), ingesttest.Here(), arrowfmt.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		c, _ := records.Column("v")
		return c
	}
	for _, ext := range emit.Extensions {
		if ext == ".npy" {
			continue
		}
		path := filepath.Join(t.TempDir(), "x"+ext)
		w, err := emit.Create(path, emit.WriteOptions{RowGroup: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range [][]string{{"a", "b"}, {"c", ""}, {"a", "a"}} {
			if err := w.Write(&emit.Output{Embedding: vec.New[float32](2, 1), Kept: []table.Column{dict(words...)}}); err != nil {
				t.Fatalf("%s: %v", ext, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		m, err := ingest.ReadMap(context.Background(), path, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v, err := m.Column("v")
		if err != nil || strings.Join(v.Strings(), "|") != "a|b|c||a|a" || v.DataType() != "string" {
			t.Errorf("%s: %v %s, %v", ext, v.Strings(), v.DataType(), err)
		}
	}
}

func TestStandardOutput(t *testing.T) {
	var out bytes.Buffer
	w, err := emit.Create("-", emit.WriteOptions{Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(ingesttest.Output(10, 3)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	records, err := arrowfmt.DecodeMessage(out.Bytes(), ingesttest.Here(), arrowfmt.Limits{})
	if err != nil || records.Len() != 10 {
		t.Errorf("%v, %v", records, err)
	}
}

func TestCreateErrors(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "map.xlsx"):          "known are .arrow",
		filepath.Join(dir, "map.parquet.gz"):    "known are .arrow",
		filepath.Join(dir, "none", "map.csv"):   "cannot be written",
		filepath.Join(dir, "folder.csv") + "//": "known are",
	} {
		if _, err := emit.Create(path, emit.WriteOptions{}); err == nil || !strings.Contains(err.Error(), want) || table.IsBadInput(err) {
			t.Errorf("%s: error %v, want one with %q", path, err, want)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "d.csv"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := emit.Create(filepath.Join(dir, "d.csv"), emit.WriteOptions{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := emit.Create("-", emit.WriteOptions{Format: input.Parquet}); err == nil {
		t.Error("Parquet went to standard output")
	}
}

// The columns must be the same in every Write.
func TestWritersRefuseOtherColumns(t *testing.T) {
	for _, ext := range []string{".arrow", ".arrows", ".parquet", ".csv", ".npy"} {
		w, err := emit.Create(filepath.Join(t.TempDir(), "x"+ext), emit.WriteOptions{RowGroup: 4})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(ingesttest.Output(4, 2)); err != nil {
			t.Fatal(err)
		}
		if err := w.Write(ingesttest.Output(4, 3)); err == nil {
			t.Errorf("%s: another dimension was written", ext)
		}
		w.Abort()
	}
}

// Rows of two versions of a map can be written to one file, in groups of any size.
func TestVersionsInOneFile(t *testing.T) {
	for _, ext := range emit.Extensions {
		if ext == ".npy" {
			continue
		}
		path := filepath.Join(t.TempDir(), "x"+ext)
		w, err := emit.Create(path, emit.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for version := range uint64(3) {
			o := ingesttest.Placed(0, 2)
			o.Version = 1<<60 + 1 + version
			if err := w.Write(o); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		c, ok := readTable(t, path, ingest.Options{}).Column(emit.VersionName)
		if want := "1152921504606846977|1152921504606846977|1152921504606846978|1152921504606846978|1152921504606846979|1152921504606846979"; !ok || strings.Join(c.Strings(), "|") != want {
			t.Errorf("%s: versions %v", ext, c.Strings())
		}
		if m, err := ingest.ReadMap(context.Background(), path, ingest.Options{}); err != nil || m.Version != 1<<60+3 {
			t.Errorf("%s: %v, %v", ext, m, err)
		}
	}
}

// In text files a kept column must not have the name of a coordinate column.
func TestTextHasOneColumnOfAName(t *testing.T) {
	w, err := emit.Create(filepath.Join(t.TempDir(), "x.csv"), emit.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := ingesttest.Output(3, 2)
	o.Kept = append(o.Kept, table.Int64Column("embedding_1", make([]int64, 3)))
	if err = w.Write(o); err == nil {
		err = w.Close()
	}
	if err == nil || !strings.Contains(err.Error(), `two columns are called "embedding_1"`) {
		t.Errorf("error %v", err)
	}
	w.Abort()
}
