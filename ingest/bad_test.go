package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"unfold/ingest"
	"unfold/ingest/csv"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

func gz(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func zst(t testing.TB, b []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(b, nil)
}

// idx returns an IDX file of bytes with the given sizes and number of values.
func idx(values int, sizes ...byte) []byte {
	b := []byte{0, 0, 8, byte(len(sizes))}
	for _, s := range sizes {
		b = append(b, 0, 0, 0, s)
	}
	return append(b, make([]byte, values)...)
}

// npy returns an npy file with the given header and data.
func npy(header string, data []byte) []byte {
	for (10+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	b := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(header)), byte(len(header) >> 8)}
	return append(append(b, header...), data...)
}

// arrowStream returns a message with the given columns.
func arrowStream(t testing.TB, cols ...table.Column) []byte {
	records, err := table.NewTable(table.Origin{}, cols...)
	if err != nil {
		t.Fatal(err)
	}
	b, err := emit.EncodeTable(records)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func vectors(values ...float32) table.Column {
	return table.VectorColumn("embedding", vec.Of(len(values)/2, 2, values))
}

// mapFile returns a valid map in the format of an extension.
func mapFile(t testing.TB, ext string) []byte {
	path := filepath.Join(t.TempDir(), "m"+ext)
	w, err := emit.Create(path, emit.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := errors.Join(w.Write(ingesttest.Output(50, 2)), w.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type badInput struct {
	name    string // of the file
	content []byte // nil: the file is not created
	opts    ingest.ReadOptions
	want    []string // all must be in the message
}

func badInputs(t testing.TB) []badInput {
	columns := func(text string) ingest.ReadOptions {
		specs, err := ingest.ParseColumns(text)
		if err != nil {
			t.Fatal(err)
		}
		return ingest.ReadOptions{Mapping: ingest.Mapping{Columns: specs}}
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	arrow, parquet, stream := mapFile(t, ".arrow"), mapFile(t, ".parquet"), mapFile(t, ".arrows")
	flipped := func(b []byte, at int) []byte {
		out := bytes.Clone(b)
		out[at] ^= 0xff
		return out
	}
	const three = "a,b,word\n1,2,x\n3,4,y\n"
	var long strings.Builder
	long.WriteString("a,b\n")
	for i := range 3000 {
		fmt.Fprintf(&long, "%d,%d\n", i, i)
	}
	return []badInput{
		{"missing.parquet", nil, ingest.ReadOptions{}, []string{"does not exist"}},
		{"empty.csv", []byte{}, ingest.ReadOptions{}, []string{"the file is empty"}},
		{"empty.csv.gz", gz(nil), ingest.ReadOptions{}, []string{"empty inside its gzip"}},
		{"blank.csv", []byte("\n\n"), columns("*"), []string{"no records"}},
		{"header-only.csv", []byte("a,b\n"), columns("a"), []string{"there are no rows"}},
		{"header-alone.csv", []byte("a,b\n"), columns("*"), []string{"there are no rows"}},
		{"header.csv", []byte("a,b\n"), ingest.ReadOptions{}, []string{"there are no rows"}},
		{"picture.png", []byte("\x89PNG\r\n\x1a\n\x00\x00"), ingest.ReadOptions{}, []string{"this is a picture (PNG), which is not read"}},
		{"unknown.bin", []byte("\x89XYZ\r\n\x1a\n\x00\x00"), ingest.ReadOptions{}, []string{"no known format", ".parquet"}},
		{"not.parquet", []byte(three), ingest.ReadOptions{}, []string{"does not have the format of its name (.parquet)"}},

		{"unknown-column.csv", []byte(three), columns("a,wrod"), []string{`column "wrod"`, "no such column", `did you mean "word"?`, "a, b, word"}},
		{"unknown-id.csv", []byte(three), ingest.ReadOptions{Mapping: ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "a"}}, Selection: ingest.Selection{ID: "key"}}},
			[]string{`column "key"`, "a, b, word"}},
		{"no-vector.csv", []byte(three), ingest.ReadOptions{}, []string{"no vector column", "a, b"}},
		{"ragged.csv", []byte("a,b\n1,2\n3\n5,6\n"), columns("*"), []string{"row 2 (line 3)", "1 field instead of 2"}},
		{"word.csv", []byte("a,b\n1,2\n3,4\nx,5\n"), columns("a:standardize,b"), []string{"row 3 (line 4)", `column "a"`, `"x" is not a number`, "2 of the 3 values", "--types a=string"}},
		{"words.csv", []byte("a,b\n1,2\ny,4\nx,5\n"), columns("a:standardize,b"), []string{`column "a"`, "it is text"}},
		{"late-word.csv", []byte(long.String() + "oops,1\n"), ingest.ReadOptions{Mapping: columns("*").Mapping, Options: ingest.Options{CSV: csv.Options{InferBytes: 1000}}},
			[]string{"row 3001 (line 3002)", `column "a"`, `"oops" is not of type int64`, "set it to string"}},
		{"null.csv", []byte("a,b\n1,2\n,4\n"), columns("a,b"), []string{"row 2", `column "a"`, "missing"}},
		{"nan.csv", []byte("a,b\n1,2\n3,NaN\n"), columns("a,b"), []string{"row 2", `column "b"`, "NaN"}},
		{"inf.csv", []byte("a,b\n1,2\n3,-Inf\n"), columns("a:log1p,b"), []string{"row 2", `column "b"`, "-Inf"}},
		{"huge.csv", []byte("a,b\n1,2\n3,1e300\n"), columns("a,b"), []string{"row 2", `column "b"`, "1e+300"}},
		{"quote.csv", []byte("a,b\n1,2\n3,\"x\"y\n"), columns("a"), []string{"row 2 (line 3)", "quotes"}},
		{"open-quote.csv", []byte("a,b\n1,2\n3,\"x\n"), columns("a"), []string{"row 2", "quotes"}},
		{"truncated.csv.gz", gz([]byte(three))[:30], columns("a"), []string{"truncated"}},
		{"corrupt.csv.gz", flipped(gz([]byte(three)), 36), columns("a"), []string{"corrupt"}},

		{"truncated-idx3-ubyte", idx(5*4-1, 5, 2, 2), ingest.ReadOptions{}, []string{"row 5", "truncated", "5 rows"}},
		{"short-header.idx", []byte{0, 0, 8, 3, 0, 0, 0, 1}, ingest.ReadOptions{}, []string{"truncated"}},
		{"more.idx", idx(5*4+1, 5, 2, 2), ingest.ReadOptions{}, []string{"more data"}},
		{"no-rows.idx", idx(0, 0, 2, 2), ingest.ReadOptions{}, []string{"there are no rows"}},
		{"labels.idx", idx(5, 5), ingest.ReadOptions{}, []string{"no vector column", "value"}},
		{"huge.idx", idx(0, 1, 255, 255, 255, 255, 255), ingest.ReadOptions{}, []string{"rows of shape"}},
		{"truncated.idx.gz", gz(idx(5*4, 5, 2, 2))[:24], ingest.ReadOptions{}, []string{"truncated"}},

		{"fortran.npy", npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", make([]byte, 15)), ingest.ReadOptions{}, []string{"2 rows, which take 16 bytes, and it has 15", "truncated"}},
		{"matrix-of-texts.npy", npy("{'descr': '<U4', 'fortran_order': False, 'shape': (2, 2), }", make([]byte, 64)), ingest.ReadOptions{}, []string{"texts in 2 dimensions"}},
		{"truncated.csv.zst", zst(t, []byte(three))[:20], columns("a"), []string{"truncated"}},
		{"corrupt.csv.zst", flipped(zst(t, []byte(three)), 14), columns("a"), []string{"corrupt"}},
		{"archive.zip", []byte("PK\x03\x04 and no more"), ingest.ReadOptions{}, []string{"the zip archive is corrupt or truncated"}},
		{"page.csv", []byte("<!DOCTYPE html><html></html>"), columns("*"), []string{"this is an HTML page", "its address leads to a page"}},
		{"objects.npy", npy("{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }", nil), ingest.ReadOptions{}, []string{"type", "O"}},
		{"structured.npy", npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", nil), ingest.ReadOptions{}, []string{"its elements are records"}},
		{"truncated.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", make([]byte, 15)), ingest.ReadOptions{}, []string{"row 2", "truncated"}},
		{"header.npy", []byte("\x93NUMPY\x01\x00\xff\x00{'descr"), ingest.ReadOptions{}, []string{"truncated"}},

		{"truncated.arrow", arrow[:len(arrow)/2], ingest.ReadOptions{}, []string{"truncated"}},
		{"corrupt.arrow", flipped(arrow, 16), ingest.ReadOptions{}, []string{"corrupt"}},
		{"truncated.arrows", stream[:len(stream)-9], ingest.ReadOptions{}, []string{"truncated"}},
		{"half-an-end.arrows", stream[:len(stream)-4], ingest.ReadOptions{}, []string{"truncated"}},
		{"corrupt.arrows", flipped(stream, 40), ingest.ReadOptions{}, []string{"corrupt"}},
		{"gzipped.parquet.gz", gz(parquet), ingest.ReadOptions{}, []string{"inside gzip", "gunzip"}},
		{"truncated.parquet", parquet[:len(parquet)-20], ingest.ReadOptions{}, []string{"corrupt or truncated", "footer"}},
		{"corrupt.parquet", flipped(parquet, 8), ingest.ReadOptions{Mapping: ingest.Mapping{Selection: ingest.Selection{ID: "id"}}}, []string{"corrupt"}},

		{"nan.arrows", arrowStream(t, vectors(1, 2, 3, nan)), ingest.ReadOptions{}, []string{"row 2", `column "embedding"`, "element 1", "NaN"}},
		{"inf.arrows", arrowStream(t, vectors(1, 2, inf, 4)), ingest.ReadOptions{}, []string{"row 2", "element 0", "-Inf"}},
		{"two-vectors.arrows", arrowStream(t, vectors(1, 2), vectors(1, 2).Renamed("other")), ingest.ReadOptions{}, []string{"2 vector columns", "embedding, other"}},
		{"not-a-vector.arrows", arrowStream(t, vectors(1, 2), table.StringColumn("s", []string{"x"})), ingest.ReadOptions{Mapping: ingest.Mapping{Vector: "s"}},
			[]string{`column "s"`, "its type is string"}},
		{"ragged.arrows", lists([]int{2, 3}, -1), ingest.ReadOptions{}, []string{"row 2", `column "v"`, "3 elements, 2 are expected"}},
		{"null.arrows", lists([]int{2, 2, 2}, 1), ingest.ReadOptions{}, []string{"row 2", `column "v"`, "the vector is null"}},
		{"empty-vectors.arrows", lists([]int{0, 0}, -1), ingest.ReadOptions{}, []string{`column "v"`, "empty"}},
	}
}

// Every bad input leads to an *Error that names the file, the position and the problem.
func TestBadInputs(t *testing.T) {
	dir := t.TempDir()
	for _, c := range badInputs(t) {
		path := filepath.Join(dir, c.name)
		if c.content != nil {
			if err := os.WriteFile(path, c.content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, err := ingest.ReadAll(context.Background(), []string{path}, c.opts)
		if !table.IsBadInput(err) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: error %v", c.name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v\nlacks %q", c.name, err, want)
			}
		}
	}
}

func TestMissingFileIsNotExist(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "events.csv"), []byte("a\n1\n"), 0o644)
	_, err := ingest.Open(context.Background(), filepath.Join(dir, "evnts.csv"), ingest.Options{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), `did you mean "`+filepath.Join(dir, "events.csv")) {
		t.Errorf("error %v", err)
	}
	if _, err := ingest.Open(context.Background(), dir, ingest.Options{}); !table.IsBadInput(err) || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory: %v", err)
	}
}

// The dimension changes between files, or between fitting and encoding.
func TestDimensionChange(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.idx"), filepath.Join(dir, "b.idx")
	os.WriteFile(a, idx(2*4, 2, 2, 2), 0o644)
	os.WriteFile(b, idx(2*9, 2, 3, 3), 0o644)
	_, err := ingest.ReadAll(context.Background(), []string{a, b}, ingest.ReadOptions{})
	if !table.IsBadInput(err) || !strings.Contains(err.Error(), b+": row 1, column \"vector\": the vector has 9 elements, 4 are expected") {
		t.Errorf("between files: %v", err)
	}
	d, err := ingest.ReadAll(context.Background(), []string{a}, ingest.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = ingest.ReadAll(context.Background(), []string{b}, ingest.ReadOptions{Encoder: d.Encoder})
	if !table.IsBadInput(err) || !strings.Contains(err.Error(), "9 elements, 4 are expected") {
		t.Errorf("against the encoder: %v", err)
	}
	three, _ := table.NewTable(ingesttest.Here(), table.VectorColumn("vector", vec.New[float32](1, 3)))
	if _, err := d.Encoder.Encode(three); !table.IsBadInput(err) ||
		!strings.HasPrefix(err.Error(), `topic events, partition 3, offset 41: row 1, column "vector": the vector has 3 elements`) {
		t.Errorf("in a message: %v", err)
	}
}

func TestLabelFileErrors(t *testing.T) {
	dir := t.TempDir()
	data, labels, two := filepath.Join(dir, "x.idx"), filepath.Join(dir, "y.idx"), filepath.Join(dir, "z.csv")
	os.WriteFile(data, idx(3*4, 3, 2, 2), 0o644)
	os.WriteFile(labels, idx(2, 2), 0o644)
	os.WriteFile(two, []byte("a,b\n1,2\n"), 0o644)
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{labels}, labels + ": it has 2 labels for the 3 rows of " + data},
		{[]string{labels, labels}, "2 label files for 1 inputs"},
		{[]string{two}, two + ": a label file has one column"},
		{[]string{filepath.Join(dir, "none")}, "does not exist"},
	} {
		_, err := ingest.ReadAll(context.Background(), []string{data}, ingest.ReadOptions{LabelFiles: c.files})
		if !table.IsBadInput(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// Label files may have an index column of pandas, or be an array of an archive.
func TestLabelsOfStrangers(t *testing.T) {
	indexed := filepath.Join(t.TempDir(), "y.csv")
	os.WriteFile(indexed, []byte(",kind\n0,a\n1,b\n2,a\n"), 0o644)
	for _, path := range []string{indexed, strangers + "/many.npz:y"} {
		c, err := ingest.OpenLabels(context.Background(), path, ingest.Options{})
		if err != nil || fmt.Sprint(c.Strings()) != "[a b a]" || c.Name() != ingest.LabelName {
			t.Errorf("%s: %v, error %v", path, c.Strings(), err)
		}
	}
}

func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"b.csv", "a.csv", "c[1].csv"} {
		os.WriteFile(filepath.Join(dir, n), []byte("x"), 0o644)
	}
	got, err := input.Expand([]string{"-", filepath.Join(dir, "?.csv"), filepath.Join(dir, "c[1].csv"), "nowhere.csv"})
	want := []string{"-", filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv"), filepath.Join(dir, "c[1].csv"), "nowhere.csv"}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, error %v", got, err)
	}
	for _, p := range []string{filepath.Join(dir, "*.parquet"), filepath.Join(dir, "[")} {
		if _, err := input.Expand([]string{p}); !table.IsBadInput(err) {
			t.Errorf("%s: error %v", p, err)
		}
	}
	if _, err := input.Expand(nil); !table.IsBadInput(err) {
		t.Errorf("nothing: error %v", err)
	}
}
