package ingest_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/internal/foreign"
)

// Vectors in files by pyarrow, polars and DuckDB, in every encoding and compression that they write
// vectors in, are those that were written.
func TestVectorsOfOtherWriters(t *testing.T) {
	dir := t.TempDir()
	out := foreign.Run(t, `
import sys, itertools, numpy as np, pyarrow as pa, pyarrow.parquet as pq, polars, duckdb
dir, n, d = sys.argv[1], 3000, 37
x = np.random.default_rng(1).integers(-500, 500, (n, d)) / 8
np.save(dir + "/want.npy", x.astype(np.float32))
offsets = pa.array(np.arange(n + 1, dtype=np.int32) * d)
for kind in np.float32, np.float64, np.float16:
    flat = pa.array(x.ravel().astype(kind))
    for shape, column in ("list", pa.ListArray.from_arrays(offsets, flat)), ("fixed", pa.FixedSizeListArray.from_arrays(flat, d)):
        for codec, version, encoding in itertools.product(["none", "snappy", "zstd"], ["1.0", "2.0"], ["plain", "split", "dictionary"]):
            name = f"{kind.__name__}-{shape}-{codec}-{version}-{encoding}.parquet"
            pq.write_table(pa.table({"v": column}), f"{dir}/{name}", compression=codec, data_page_version=version, row_group_size=1100,
                data_page_size=20000, use_dictionary=encoding == "dictionary", use_byte_stream_split=encoding == "split", dictionary_pagesize_limit=3000)
            print(name)
table = pa.table({"v": pa.ListArray.from_arrays(offsets, pa.array(x.ravel().astype(np.float32)))})
polars.from_arrow(table).write_parquet(dir + "/polars.parquet")
duckdb.sql(f"COPY (SELECT * FROM \"table\") TO '{dir}/duckdb.parquet' (FORMAT parquet)")
pq.write_table(pa.table({f"c{j}": x[:, j].astype(np.float32) for j in range(d)}), dir + "/columns.parquet")
print("polars.parquet", "duckdb.parquet", "columns.parquet", sep="\n")
`, dir)
	specs, err := ingest.ParseColumns("*")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) *ingest.Dataset {
		opts := ingest.ReadOptions{}
		if name == "columns.parquet" {
			opts.Mapping.Columns = specs
		}
		d, err := ingest.ReadAll(context.Background(), []string{filepath.Join(dir, name)}, opts)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return d
	}
	want := read("want.npy").X
	names := strings.Fields(string(out))
	if len(names) != 111 {
		t.Errorf("%d files", len(names))
	}
	for _, name := range names {
		got := read(name).X
		if got.Rows != want.Rows || got.Cols != want.Cols {
			t.Errorf("%s: %d x %d, want %d x %d", name, got.Rows, got.Cols, want.Rows, want.Cols)
			continue
		}
		for i, v := range want.Data {
			if got.Data[i] != v {
				t.Errorf("%s: value %d is %v, want %v", name, i, got.Data[i], v)
				break
			}
		}
	}
}
