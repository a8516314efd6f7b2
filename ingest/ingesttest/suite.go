package ingesttest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// TestReader checks the contract of table.Reader. open opens the same source each time; rows is its
// number of rows.
func TestReader(t *testing.T, open func(opts ingest.Options) (table.Reader, error), rows int) {
	t.Helper()
	var whole *table.Table
	for _, batch := range []int{0, 1, 7, rows + 1} {
		if batch == 1 && rows > 500 {
			continue
		}
		r, err := open(ingest.Options{BatchRows: batch})
		if err != nil {
			t.Fatalf("open: %v", err)
		}
		tables := readAll(t, r, batch)
		all, err := table.ConcatTables(tables...)
		if err != nil {
			t.Fatalf("batches of %d: %v", batch, err)
		}
		if all.Len() != rows {
			t.Errorf("batches of %d: %d rows, want %d", batch, all.Len(), rows)
		}
		if whole == nil {
			whole = all
		}
		EqualTables(t, "batches of another size", all, whole)
	}
	cancelled(t, open)
}

// readAll reads to the end and checks every table.
func readAll(t *testing.T, r table.Reader, batch int) []*table.Table {
	t.Helper()
	ctx := context.Background()
	schema := r.Schema().String()
	var out []*table.Table
	row := int64(0)
	for {
		records, err := r.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("row %d: %v", row, err)
		}
		if records.Len() == 0 || batch > 0 && records.Len() > batch {
			t.Errorf("a table of %d rows, at most %d are allowed", records.Len(), batch)
		}
		if records.Origin.Row != row {
			t.Errorf("a table starts at row %d, want %d", records.Origin.Row, row)
		}
		if got := records.Schema(); !sameColumns(got, r.Schema()) {
			t.Errorf("a table has columns %s, the reader %s", got, schema)
		}
		row += int64(records.Len())
		out = append(out, records)
	}
	if _, err := r.Next(ctx); err != io.EOF {
		t.Errorf("after the end: %v, want io.EOF again", err)
	}
	if c, ok := r.(table.Counted); ok {
		if n, known := c.NumRows(); known && n != row {
			t.Errorf("it promised %d rows and gave %d", n, row)
		}
	}
	if err := r.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	return out
}

func sameColumns(a, b table.Schema) bool {
	return slices.EqualFunc(a, b, func(x, y table.Field) bool {
		return x.Name == y.Name && x.Kind == y.Kind && x.Type == y.Type && x.Dim == y.Dim
	})
}

func cancelled(t *testing.T, open func(opts ingest.Options) (table.Reader, error)) {
	t.Helper()
	r, err := open(ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: %v", err)
	}
}

// TestFormat checks that a map written under a name with the given extension is equal after
// reading, however it was split into outputs. It also checks that the file appears only when it is
// complete, and that it is a valid input. full means that the format stores all columns, not only
// the embedding.
func TestFormat(t *testing.T, ext string, full bool) {
	dir := t.TempDir()
	var first []byte
	for i, sizes := range [][]int{{1500}, {1}, {1000}, {700, 1, 799}, {3, 0, 4}} {
		path := filepath.Join(dir, strings.Repeat("x", i+1)+ext)
		n := 0
		w, err := emit.Create(path, emit.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sizes {
			if err := w.Write(Placed(n, s)); err != nil {
				t.Fatal(err)
			}
			n += s
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("the file is there before it is whole")
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		w.Abort()
		checkMap(t, path, n, full)
		TestReader(t, func(o ingest.Options) (table.Reader, error) { return ingest.Open(context.Background(), path, o) }, n)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		switch i {
		case 0:
			first = b
		case 3:
			if !bytes.Equal(b, first) {
				t.Error("the same rows in other portions give other bytes")
			}
		}
	}
	aborted(t, dir, ext)
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// aborted checks that an unfinished file leaves nothing, and that an old file under its name stays.
func aborted(t *testing.T, dir, ext string) {
	t.Helper()
	path := filepath.Join(dir, "old"+ext)
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := emit.Create(path, emit.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(Placed(0, 1200)); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	empty, err := emit.Create(path, emit.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := empty.Close(); err == nil {
		t.Error("a file without rows was written")
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
		t.Errorf("the old file is %q, %v", b, err)
	}
}

// Placed returns rows from..from+n of a made-up map in two dimensions.
func Placed(from, n int) *emit.Output {
	o := &emit.Output{Embedding: vec.New[float32](n, 2), Sigma: []float32{}, NoveltyLocal: []float32{}, NoveltyGlobal: []float32{}, Epoch: 2, Version: 77}
	o.Class, o.Probability = make([]string, n), make([]float32, n)
	o.Cluster, o.ClusterProbability, o.ClusterOutlier = make([]int64, n), make([]float32, n), make([]float32, n)
	ids, numbers, words, flags := make([]string, n), make([]int64, n), make([]string, n), make([]bool, n)
	for k := range n {
		i := from + k
		ids[k] = "event-" + strings.Repeat("é", i%3) + string(rune('a'+i%26))
		numbers[k] = int64(i) * 1_000_003
		words[k] = []string{"a,b", "say \"so\"", "line\nbreak", "", "plain"}[i%5]
		flags[k] = i%2 == 0
		o.Class[k], o.Probability[k] = []string{"élan", "", "7"}[i%3], float32(i%83)/83
		o.Cluster[k], o.ClusterProbability[k], o.ClusterOutlier[k] = int64(i%7)-1, float32(i%79)/79, float32(i%73)/73
		copy(o.Embedding.Row(k), []float32{float32(i) / 3, -1e-7 * float32(i)})
		o.Sigma = append(o.Sigma, float32(i)+0.1)
		o.NoveltyLocal = append(o.NoveltyLocal, float32(i%97)/97)
		o.NoveltyGlobal = append(o.NoveltyGlobal, float32(i%89)/89)
	}
	o.ID = table.StringColumn("key", ids)
	o.Kept = []table.Column{table.Int64Column("number", numbers), table.StringColumn("word", words), table.BoolColumn("flag", flags)}
	return o
}

func checkMap(t *testing.T, path string, n int, full bool) {
	t.Helper()
	m, err := ingest.ReadMap(context.Background(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := Placed(0, n)
	if m.Len() != n || !slices.Equal(m.Embedding.Data, want.Embedding.Data) {
		t.Errorf("%s: the embedding differs", path)
	}
	if !full {
		return
	}
	if !slices.Equal(m.Sigma, want.Sigma) || !slices.Equal(m.NoveltyLocal, want.NoveltyLocal) || !slices.Equal(m.NoveltyGlobal, want.NoveltyGlobal) {
		t.Errorf("%s: sigma or novelty differ", path)
	}
	if !slices.Equal(m.Class, want.Class) || !slices.Equal(m.Probability, want.Probability) {
		t.Errorf("%s: the classes differ", path)
	}
	if !slices.Equal(m.Cluster, want.Cluster) || !slices.Equal(m.ClusterProbability, want.ClusterProbability) || !slices.Equal(m.ClusterOutlier, want.ClusterOutlier) {
		t.Errorf("%s: the clusters differ", path)
	}
	if m.Epoch != want.Epoch || m.Version != want.Version {
		t.Errorf("%s: epoch %d, version %d", path, m.Epoch, m.Version)
	}
	EqualColumns(t, path, m.ID, want.ID.Renamed(emit.IDName))
	for i, c := range want.Kept {
		if strings.Contains(path, ".csv") && c.Kind() == table.Text {
			// Separated text does not distinguish empty text from null, and is read as null.
			if got := m.Kept[i]; got.Name() != c.Name() || got.DataType() != c.DataType() || !slices.Equal(got.Strings(), c.Strings()) {
				t.Errorf("%s: the texts of %q differ", path, c.Name())
			}
			continue
		}
		EqualColumns(t, path, m.Kept[i], c)
	}
}
