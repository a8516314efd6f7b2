package ingest_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// oddShapes are inconsistent rows, with the expected error as key.
var oddShapes = map[string]struct {
	shape int
	rows  string
}{
	"the vector is of type 2, not 0 (sparse) or 1 (in full)":               {4, `[{"type": 2, "size": 3, "indices": [0], "values": [1]}]`},
	"the vector has 2 indices and 1 values":                                {4, `[{"type": 0, "size": 3, "indices": [0, 1], "values": [1]}]`},
	"the vector's size is -3":                                              {4, `[{"type": 0, "size": -3, "indices": [0], "values": [1]}]`},
	"index 3 of the vector is beyond its 3 elements":                       {4, `[{"type": 0, "size": 3, "indices": [3], "values": [1]}]`},
	"the vector has 2000000 elements, more than 1048576":                   {4, `[{"type": 0, "size": 2000000, "indices": [3], "values": [1]}]`},
	"the vector has 4 elements, 3 are expected":                            {4, `[{"type": 0, "size": 3, "indices": [0], "values": [1]}, {"type": 1, "values": [1, 2, 3, 4]}]`},
	"the vector has 1 indices and 0 values":                                {3, `[{"indices": [0]}]`},
	"the vector is null":                                                   {3, `[null]`},
	"element 1 of the vector is 1e+39":                                     {0, `[[{"index": 1, "value": 1e39}]]`},
	"an entry of the vector has no index":                                  {0, `[[{"value": 1}]]`},
	"the vectors are empty":                                                {0, `[[]]`},
	"index 2147483647 of the vector is too large; vectors have at most":    {2, `[[{"key": 2147483647, "value": 1}]]`},
	"index 5 comes twice in the vector; add its values, or keep one of th": {2, `[[{"key": 5, "value": 1}, {"key": 5, "value": 1}]]`},
}

// Inconsistent rows are errors, in Arrow and in Parquet.
func TestSparseColumnsThatLie(t *testing.T) {
	for want, c := range oddShapes {
		t.Run(want, func(t *testing.T) {
			rec := sparseArray(t, shapes[c.shape].of(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Float64), c.rows)
			for _, content := range [][]byte{streamOf(t, rec), parquetOf(t, rec, 10)} {
				path := filepath.Join(t.TempDir(), "x")
				if err := os.WriteFile(path, content, 0o644); err != nil {
					t.Fatal(err)
				}
				_, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Sparse: 1})
				if !table.IsBadInput(err) || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %s", err, want)
				}
			}
		})
	}
}

// sparseSeeds returns small files with sparse columns.
func sparseSeeds(t testing.TB) map[string][]byte {
	seeds := map[string][]byte{}
	for _, name := range []string{"odd-sizes.parquet", "odd-entries.parquet"} {
		b, err := os.ReadFile(foreignTable(name))
		if err != nil {
			t.Fatal(err)
		}
		seeds[name] = b
	}
	for _, s := range shapes {
		rows := `[[{"index": 2, "key": 2, "value": 1}, {"index": 0, "key": 0, "value": 3}], [], null, [{"index": 1, "key": 1, "value": 4}]]`
		if s.name == "lists" || s.sized {
			rows = `[{"type": 0, "size": 3, "indices": [2, 0], "values": [1, 3]}, null, {"type": 0, "size": 3, "indices": [1], "values": [4]}]`
		}
		rec := sparseArray(t, s.of(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Float64), rows)
		if seeds[s.name+".arrows"] = streamOf(t, rec); s.name != "large list" {
			seeds[s.name+".parquet"] = parquetOf(t, rec, 2)
		}
	}
	return seeds
}

// readSparse reads every vector column in a file's schema, both sparse and full. Errors must be
// about the input.
func readSparse(t testing.TB, path string) (read bool) {
	names := []string{""}
	r, err := ingest.Open(t.Context(), path, ingest.Options{Memory: 64 << 20})
	if err == nil {
		names = r.Schema().Of(table.SparseVector)
		r.Close()
	}
	for _, name := range names {
		for _, bound := range []int{0, 1} {
			o := ingest.ReadOptions{Mapping: ingest.Mapping{Vector: name, Drop: true}, Sparse: bound, Options: ingest.Options{Memory: 64 << 20}}
			d, err := ingest.ReadAll(t.Context(), []string{path}, o)
			switch {
			case err == nil:
				if read = true; d.Sparse != nil && d.Sparse.Own().Validate() != nil {
					t.Fatal(d.Sparse.Own().Validate())
				}
			case !table.IsBadInput(err):
				t.Fatal(err)
			}
		}
	}
	return read
}

// A damaged file of sparse vectors leads to an error about the input, or to valid rows.
func TestSparseColumnsSurviveMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 17))
	path := filepath.Join(t.TempDir(), "x.bin")
	read, refused := 0, 0
	seeds := sparseSeeds(t)
	for _, name := range slices.Sorted(maps.Keys(seeds)) {
		for range 60 {
			if err := os.WriteFile(path, ingesttest.Mutate(seeds[name], rng), 0o644); err != nil {
				t.Fatal(err)
			}
			if readSparse(t, path) {
				read++
			} else {
				refused++
			}
		}
	}
	t.Logf("%d read, %d refused", read, refused)
	if read == 0 || refused == 0 {
		t.Error("the damage does not separate good from bad")
	}
}

func FuzzSparseColumns(f *testing.F) {
	for _, b := range sparseSeeds(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "x.bin")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		readSparse(t, path)
	})
}
