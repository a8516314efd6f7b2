package ingest_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/table"
	"unfold/internal/foreign"
)

// foreignTable returns the path of a file that another program wrote.
func foreignTable(name string) string {
	return filepath.Join(tables, name)
}

// numpy's two arrays begin with the row itself, and pyarrow's two columns omit it. Both contain the
// same neighbours.
func TestNeighborsOfOthers(t *testing.T) {
	self, err := ingest.ReadNeighbors(t.Context(), foreignTable("neighbors.npz"), ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	without, err := ingest.ReadNeighbors(t.Context(), foreignTable("neighbors.parquet"), ingest.Options{BatchRows: 7})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := ingest.ReadNeighbors(t.Context(), foreignTable("neighbors.npz:arr_0"), ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if self.N != 96 || self.K != 15 || without.N != 96 || without.K != 14 {
		t.Fatalf("%d x %d and %d x %d", self.N, self.K, without.N, without.K)
	}
	for i := range self.N {
		if row := self.Row(i); row[0] != int32(i) || !slices.Equal(row[1:], without.Row(i)) || !slices.Equal(row, alone.Row(i)) {
			t.Fatalf("row %d: %v, %v and %v", i, row, without.Row(i), alone.Row(i))
		}
	}
}

// nearFile writes an .npz of two arrays with two columns, neighbours and distances (nil: none).
func nearFile(t *testing.T, rows []int64, far []float64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "near.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	add := func(name, descr string, n int, data any) {
		w, err := z.Create(name + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := binary.Write(&b, binary.LittleEndian, data); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(npy(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, 2), }", descr, n/2), b.Bytes())); err != nil {
			t.Fatal(err)
		}
	}
	if far != nil {
		add("far", "<f8", len(far), far)
	}
	add("near", "<i8", len(rows), rows)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Invalid neighbour lists are errors that name the row.
func TestBadNeighbors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name string
		rows []int64
		far  []float64
		want string
	}{
		{"none found", []int64{1, 2, 0, -1, 0, 1}, nil, ": row 2: its neighbour 2 is -1: no row was found"},
		{"beyond the rows", []int64{1, 0, 0, 2}, nil, "its neighbour 2 is 2, and there are lists of 2 rows; it needs a list for each row of the inputs, numbered from 0 to 1"},
		{"beyond any row", []int64{1, 3e9, 0, 1}, nil, ": row 1: its neighbour 2 is 3e+09, beyond any row"},
		{"twice", []int64{1, 0, 1, 1}, nil, ": row 2: its neighbour 1 (numbered from 0) is there twice"},
		{"order", []int64{0, 1, 0, 1}, []float64{0, 2, 2.5, 2}, "its distance 2 is 2, after 2.5"},
		{"below 0", []int64{0, 1, 1, 0}, []float64{0, 2, -1, 2}, "its distance 1 is -1"},
		{"NaN", []int64{0, 1, 0, 1}, []float64{0, 2, 1, nan}, "its distance 2 is NaN"},
		{"infinite", []int64{0, 1, 1, 0}, []float64{0, 2, 0, inf}, "its distance 2 is +Inf"},
		{"far from itself", []int64{0, 1, 0, 1}, []float64{0, 2, 1, 2}, "it is its own neighbour at the distance 2"},
		{"too few distances", []int64{0, 1, 1, 0}, []float64{0, 2}, "distances are there for 1 rows, and neighbours for 2"},
		{"too many distances", []int64{0, 1, 1, 0}, []float64{0, 2, 0, 2, 0, 2}, "distances are there for 3 rows, and neighbours for 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ingest.ReadNeighbors(t.Context(), nearFile(t, c.rows, c.far), ingest.Options{})
			if !table.IsBadInput(err) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, expected %s", err, c.want)
			}
			var e *table.Error
			if count := strings.Contains(c.name, "distances"); !count && (!errors.As(err, &e) || e.Row < 0) {
				t.Errorf("%v names no row", err)
			}
		})
	}
}

// Lists of different lengths or with gaps are errors with their row. Files without neighbour lists
// are errors.
func TestBadNeighborColumns(t *testing.T) {
	for _, c := range []struct{ name, columns, want string }{
		{"another length", "pa.array([[1, 2], [0], [0, 1]])", `row 2, column "c0": its list holds 1 values, and 2 are expected`},
		{"a missing one", "pa.array([[1, 2], [0, None], [0, 1]])", "row 2: its neighbour 2 is missing"},
		{"a missing list", "pa.array([[1, 2], [0, 2], None])", `row 3, column "c0": its list holds 0 values`},
		{"no whole numbers", "pa.array([[1., 2.], [0., 1.]])", "it holds 1 columns or arrays of lists"},
		{"two of whole numbers", "pa.array([[1], [0]]), pa.array([[1], [0]])", "it holds 2 columns or arrays of lists"},
		{"no lists", "pa.array([1, 2])", "it holds 0 columns or arrays of lists"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "near.parquet")
			foreign.Run(t, "import sys, pyarrow as pa, pyarrow.parquet as pq\nc = ["+c.columns+"]\npq.write_table(pa.table(c, [f'c{i}' for i in range(len(c))]), sys.argv[1])", path)
			_, err := ingest.ReadNeighbors(t.Context(), path, ingest.Options{})
			if !table.IsBadInput(err) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, expected %s", err, c.want)
			}
		})
	}
}
