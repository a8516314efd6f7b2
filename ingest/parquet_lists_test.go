package ingest_test

import (
	"path/filepath"
	"testing"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/internal/foreign"
	"unfold/internal/vec"
)

// Lists of every type keep their values in Parquet, including slices and nulls.
func TestListsInParquet(t *testing.T) {
	dir := t.TempDir()
	foreign.Run(t, `
import sys, pyarrow as pa, pyarrow.feather
rows = [[9.0, 9.0], [1.5, 2.0], None, [3.0, None], [5.0, 6.0]]
table = pa.table({
    "list": pa.array(rows, pa.list_(pa.float32())), "large": pa.array(rows, pa.large_list(pa.float32())), "fixed": pa.array(rows, pa.list_(pa.float32(), 2)),
    "nested": pa.array([[r] for r in rows], pa.large_list(pa.list_(pa.float32(), 2))),
    "text": pa.array([["a"], [], None, ["b", None], ["c"]], pa.large_list(pa.large_string())),
}).slice(1)
pa.feather.write_feather(table, sys.argv[1] + "/in.arrow", compression="uncompressed")
`, dir)
	table := readTable(t, filepath.Join(dir, "in.arrow"), ingest.Options{})
	w, err := emit.Create(filepath.Join(dir, "out.parquet"), emit.WriteOptions{RowGroup: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.Write(&emit.Output{Kept: table.Columns(), Embedding: vec.New[float32](table.Len(), 2)}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	foreign.Run(t, `
import sys, pyarrow.feather, pyarrow.parquet
want, got = pyarrow.feather.read_table(sys.argv[1] + "/in.arrow"), pyarrow.parquet.read_table(sys.argv[1] + "/out.parquet")
got.validate(full=True)
for name in want.column_names:
    assert got.column(name).to_pylist() == want.column(name).to_pylist(), f"{name}: {got.column(name)}, was {want.column(name)}"
`, dir)
}
