package ingest_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"testing"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
	"unfold/internal/testkit/tier"
)

// ReadAll returns the same as encoding the files one by one, in their order.
func TestReadAllJoinsFiles(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	var tables []*table.Table
	for i, content := range []string{"id,n,w\n1,0.5,a\n2,1.5,b\n", "id,n,w\n3,2,b\n", "id,n,w\n4,1,1\n5,7,c\n6,8,\"a\"\n"} {
		path := filepath.Join(dir, string(rune('a'+i))+".csv")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
		tables = append(tables, readTable(t, path, ingest.Options{}))
	}
	m := ingest.Mapping{Columns: parse(t, "n:standardize,w"), Selection: ingest.Selection{ID: "id", Keep: []string{"n"}, Label: "w"}}
	calls := 0
	d, err := ingest.ReadAll(context.Background(), paths, ingest.ReadOptions{Mapping: m, Options: ingest.Options{BatchRows: 2},
		Progress: func(_ string, done, total int64) {
			if calls++; total > 0 && done > total {
				t.Errorf("%d of %d rows", done, total)
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	e := fit(t, m, tables...)
	var want []float32
	for _, records := range tables {
		b, err := e.Encode(records)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, b.X.Data...)
	}
	if !equal(d.X.Data, want) || calls == 0 {
		t.Errorf("%v, want %v", d.X.Data, want)
	}
	if !slices.Equal(d.ID.Strings(), []string{"1", "2", "3", "4", "5", "6"}) || !slices.Equal(d.Label, []string{"a", "b", "b", "1", "c", "a"}) {
		t.Errorf("ids %v, labels %v", d.ID.Strings(), d.Label)
	}
	if len(d.Kept) != 2 || d.Kept[0].DataType() != "float64" || len(d.Files) != 3 || d.Files[2].Rows != 3 {
		t.Errorf("kept %v, files %v", d.Kept, d.Files)
	}
}

func TestReadAllWithLabelFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	labels := idx(2, 2)
	labels[len(labels)-1] = 9
	d, err := ingest.ReadAll(context.Background(),
		[]string{file("a.idx", idx(8, 2, 2, 2)), file("b.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }", make([]byte, 16)))},
		ingest.ReadOptions{LabelFiles: []string{file("a-labels.idx", labels), file("b-labels.csv", []byte("label\ncat\n"))}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Label, []string{"0", "9", "cat"}) || len(d.Kept) != 1 || d.Kept[0].Name() != ingest.LabelName {
		t.Errorf("labels %v, kept %v", d.Label, d.Kept)
	}
}

func TestReadAllFromStandardInput(t *testing.T) {
	stream := arrowStream(t, vectors(1, 2, 3, 4, 5, 6))
	d, err := ingest.ReadAll(context.Background(), []string{"-"}, ingest.ReadOptions{
		Mapping: ingest.Mapping{Standardize: true}, Options: ingest.Options{Stdin: bytes.NewReader(stream)}})
	if err != nil || d.X.Rows != 3 || d.X.Data[2] != 0 {
		t.Errorf("%v, %v", d, err)
	}
}

// A given encoder is used unchanged, with another selection.
func TestReadAllWithAnEncoder(t *testing.T) {
	records := flows(t)
	e := fit(t, ingest.Mapping{Columns: parse(t, "bytes:standardize"), Selection: ingest.Selection{ID: "id"}}, records)
	part, err := emit.EncodeTable(records.Slice(1, 3))
	if err != nil {
		t.Fatal(err)
	}
	path := tempFile(t, "x.arrows", part)
	d, err := ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{Encoder: e, Mapping: ingest.Mapping{Selection: ingest.Selection{Label: "proto"}}})
	if err != nil {
		t.Fatal(err)
	}
	want, _ := e.Encode(records)
	if !equal(d.X.Data, want.X.Data[1:3]) || d.ID.Valid() || !slices.Equal(d.Label, []string{"udp", "tcp"}) {
		t.Errorf("%v, id %v, labels %v", d.X.Data, d.ID.Valid(), d.Label)
	}
}

// MNIST is read into one float32 matrix with little additional memory.
func TestReadMNISTOnce(t *testing.T) {
	dir := filepath.Join(tier.Data(t), "mnist")
	in := func(names ...string) []string {
		for i := range names {
			names[i] = filepath.Join(dir, names[i])
		}
		return names
	}
	before := ingesttest.Allocated()
	d, err := ingest.ReadAll(context.Background(), in("train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"),
		ingest.ReadOptions{LabelFiles: in("train-labels-idx1-ubyte.gz", "t10k-labels-idx1-ubyte.gz")})
	if err != nil {
		t.Fatal(err)
	}
	total := ingesttest.Allocated() - before
	if d.X.Rows != 70000 || d.X.Cols != 784 || !slices.Equal(d.Label[:5], []string{"5", "0", "4", "1", "9"}) {
		t.Errorf("%d x %d, labels %v", d.X.Rows, d.X.Cols, d.Label[:5])
	}
	matrix := uint64(4 * len(d.X.Data))
	// Total allocations: the matrix, and the bytes of the images while they are read.
	t.Logf("%d MiB for the matrix, %d MiB in all, heap %d MiB", matrix>>20, total>>20, heap()>>20)
	if total > matrix+matrix/2 {
		t.Errorf("%d MiB allocated for a matrix of %d MiB", total>>20, matrix>>20)
	}
}

func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// The other data sets in their published formats.
func TestReadPublishedFiles(t *testing.T) {
	dir := tier.Data(t)
	star := ingest.Mapping{Columns: parse(t, "*")}
	for _, c := range []struct {
		file      string
		m         ingest.Mapping
		rows, dim int
		label     string
	}{
		{"nslkdd/KDDTest+.txt.gz", ingest.Mapping{Columns: parse(t, "*:log1p:standardize,column_1,column_2,column_3,-column_42"), Selection: ingest.Selection{Label: "column_41"}}, 22544, 0, "neptune"},
		{"swissroll/swiss_roll.csv.gz", ingest.Mapping{Columns: parse(t, "x,y,z")}, 20000, 3, ""},
		{"usps/zip.test.gz", ingest.Mapping{Columns: parse(t, "*"), Selection: ingest.Selection{Label: "column_0"}}, 2007, 256, "9"},
		{"wordvec/glove_twitter_11925x25.txt.gz", ingest.Mapping{Selection: ingest.Selection{ID: "word"}}, 11925, 25, ""},
		{"isomap_faces/faces_698x1024_f64.npy.gz", ingest.Mapping{}, 698, 1024, ""},
		{"isomap_faces/faces_latent.csv", star, 698, 3, ""},
	} {
		d, err := ingest.ReadAll(context.Background(), []string{filepath.Join(dir, c.file)}, ingest.ReadOptions{Mapping: c.m})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if d.X.Rows != c.rows || c.dim > 0 && d.X.Cols != c.dim || c.label != "" && d.Label[0] != c.label {
			t.Errorf("%s: %d x %d, label %q", c.file, d.X.Rows, d.X.Cols, d.Label)
		}
	}
}

// A written map can be read as an input, like any other file.
func TestMapsAreInputs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.parquet")
	w, err := emit.Create(path, emit.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.Write(ingesttest.Placed(0, 30)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{Mapping: ingest.Mapping{Selection: ingest.Selection{ID: "id", Label: "word"}}})
	if err != nil || d.X.Rows != 30 || d.X.Cols != 2 || d.Label[0] != "a,b" {
		t.Errorf("%v, %v", d, err)
	}
}
