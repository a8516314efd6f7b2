package ingest

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// A draw has the requested number of rows, each with the same probability, and numbers them.
func TestDraw(t *testing.T) {
	for _, c := range [][2]int{{1, 0}, {1, 1}, {64, 64}, {65, 1}, {1000, 130}, {128, 127}} {
		d, seen := Draw(c[0], c[1], 3), 0
		for row := range c[0] {
			if d.Before(row) != seen {
				t.Fatalf("%d of %d: %d rows before row %d, want %d", c[1], c[0], d.Before(row), row, seen)
			}
			if d.Has(row) {
				if d.Row(seen) != row {
					t.Fatalf("%d of %d: drawn row %d is %d, want %d", c[1], c[0], seen, d.Row(seen), row)
				}
				seen++
			}
		}
		if seen != c[1] || d.Count != c[1] || d.Of != c[0] {
			t.Errorf("%d of %d rows are drawn, %d were to be", seen, c[0], c[1])
		}
	}
	const rows, count, times = 40, 10, 4000
	var of [rows]int
	for seed := range times {
		d := Draw(rows, count, uint64(seed))
		for row := range rows {
			if d.Has(row) {
				of[row]++
			}
		}
	}
	for row, n := range of {
		if p := float64(n) / times; math.Abs(p-count/float64(rows)) > 0.03 {
			t.Errorf("row %d is in %.3f of the draws", row, p)
		}
	}
}

// manyFiles writes rows with ids and labels in two files of each format.
func manyFiles(t *testing.T, rows int) map[string][]string {
	t.Helper()
	dir, all := t.TempDir(), map[string][]string{}
	for _, ext := range []string{".csv.gz", ".parquet", ".arrow", ".jsonl"} {
		for part := range 2 {
			path := filepath.Join(dir, fmt.Sprintf("part%d%s", part, ext))
			w, err := emit.Create(path, emit.WriteOptions{RowGroup: 700})
			if err != nil {
				t.Fatal(err)
			}
			x, ids, kinds := vec.New[float32](rows, 3), make([]string, rows), make([]string, rows)
			for i := range rows {
				n := part*rows + i
				ids[i], kinds[i] = fmt.Sprint("id ", n), fmt.Sprint("kind ", n%7)
				copy(x.Row(i), []float32{float32(n), float32(n%13) / 4, 1})
			}
			if err := errors.Join(w.Write(&emit.Output{ID: table.StringColumn("id", ids), Kept: []table.Column{table.StringColumn("kind", kinds)}, Embedding: x}), w.Close()); err != nil {
				t.Fatal(err)
			}
			all[ext] = append(all[ext], path)
		}
	}
	return all
}

// With Most some of the rows are read, with their ids and labels, as if they were the only ones.
func TestReadSome(t *testing.T) {
	const rows, most = 3000, 1234
	for ext, paths := range manyFiles(t, rows) {
		t.Run(ext, func(t *testing.T) {
			o := ReadOptions{Mapping: Mapping{OfMap: true, Standardize: true, Selection: Selection{ID: "id", Label: "kind"}}}
			all, err := ReadAll(t.Context(), paths, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Seed = 9
			o.Most = func(n, dim int) (int, error) {
				if n != 2*rows || dim != 3 {
					t.Errorf("%d rows of %d values", n, dim)
				}
				return most, nil
			}
			some, err := ReadAll(t.Context(), paths, o)
			if err != nil {
				t.Fatal(err)
			}
			if some.Len() != most || len(some.Label) != most || some.ID.Len() != most || some.Drawn.Of != 2*rows || all.Drawn != nil {
				t.Fatalf("%d rows, %d labels, %d ids, drawn of %d", some.Len(), len(some.Label), some.ID.Len(), some.Drawn.Of)
			}
			for k := range most {
				row := some.Drawn.Row(k)
				if !slices.Equal(some.X.Row(k), all.X.Row(row)) || some.Label[k] != all.Label[row] || some.ID.Text(k) != all.ID.Text(row) || some.Kept[0].Text(k) != all.Label[row] {
					t.Fatalf("row %d of %s is not row %d", k, ext, row)
				}
			}
		})
	}
}

// Labels from files are those of the drawn rows. A bad value has the number of its row in the file, whether the
// row was drawn or not. An error of Most ends reading.
func TestReadSomeOfText(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var data, labels strings.Builder
	for i := range 500 {
		fmt.Fprintf(&data, "%d,%d\n", i, i*i%31)
		fmt.Fprintf(&labels, "kind %d\n", i)
	}
	in, beside := file("data.csv", "a,b\n"+data.String()), file("labels.csv", "kind\n"+labels.String())
	o := ReadOptions{Mapping: Mapping{Columns: []ColumnSpec{{Name: "a"}, {Name: "b"}}, AsIs: true}, LabelFiles: []string{beside, beside}, Seed: 1,
		Most: func(int, int) (int, error) { return 100, nil }}
	d, err := ReadAll(t.Context(), []string{in, in}, o)
	if err != nil {
		t.Fatal(err)
	}
	for k, label := range d.Label {
		if row := d.Drawn.Row(k) % 500; label != fmt.Sprint("kind ", row) || d.X.Row(k)[0] != float32(row) {
			t.Fatalf("row %d is of %q with value %g, want those of row %d", k, label, d.X.Row(k)[0], row)
		}
	}
	enough := errors.New("no room")
	o.Most = func(int, int) (int, error) { return 0, enough }
	if _, err := ReadAll(t.Context(), []string{in, in}, o); !errors.Is(err, enough) {
		t.Errorf("%v", err)
	}
	o.LabelFiles, o.Most = nil, func(int, int) (int, error) { return 1, nil }
	bad := file("bad.csv", "a,b\n"+data.String()+"7,\n")
	var at *table.Error
	if _, err := ReadAll(t.Context(), []string{bad}, o); !errors.As(err, &at) || at.Row != 500 && at.Row != 501 {
		t.Errorf("%v", err)
	}
}
