package ingest_test

import (
	"context"
	"path/filepath"
	"testing"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/internal/foreign"
	"unfold/internal/vec"
)

// Times without a zone stay so, and instants stay instants, from Parquet and Arrow files of other
// programs to files of every typed format. Arrow files also keep the metadata of fields.
func TestTimesKeepTheirZones(t *testing.T) {
	dir := t.TempDir()
	foreign.Run(t, `
import sys, pyarrow as pa, pyarrow.parquet, pyarrow.feather
at = [1_700_000_000, None, -5]
columns = {}
for unit, per in [("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)]:
    for zone in [None, "UTC", "Europe/Berlin"]:
        values = pa.array([None if v is None else v * per for v in at], pa.int64()).cast(pa.timestamp(unit, zone))
        columns[f"{unit} {zone}"] = values
columns["list"] = pa.array([[1], [], None], pa.list_(pa.timestamp("us")))
table = pa.table(columns)
table = table.cast(pa.schema([f.with_metadata({"unit": "of " + f.name}) for f in table.schema]))
pa.parquet.write_table(table, sys.argv[1] + "/in.parquet", version="2.6")
pa.feather.write_feather(table, sys.argv[1] + "/in.arrow", compression="uncompressed")
`, dir)
	for _, in := range []string{"in.parquet", "in.arrow"} {
		table := readTable(t, filepath.Join(dir, in), ingest.Options{})
		for _, out := range []string{".parquet", ".arrow", ".arrows"} {
			w, err := emit.Create(filepath.Join(dir, in+out), emit.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Abort()
			if err := w.Write(&emit.Output{Kept: table.Columns(), Embedding: vec.New[float32](table.Len(), 2)}); err != nil {
				t.Fatalf("%s to %s: %v", in, out, err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if again, err := ingest.ReadMap(context.Background(), filepath.Join(dir, in+out), ingest.Options{}); err != nil || len(again.Kept) != 13 {
				t.Errorf("%s to %s: %v", in, out, err)
			}
		}
	}
	foreign.Run(t, `
import sys, pyarrow as pa, pyarrow.parquet, pyarrow.feather, pyarrow.ipc
dir = sys.argv[1]
for source in ["in.parquet", "in.arrow"]:
    want = pa.parquet.read_table(f"{dir}/{source}") if source == "in.parquet" else pa.feather.read_table(f"{dir}/{source}")
    for out in [".parquet", ".arrow", ".arrows"]:
        path = f"{dir}/{source}{out}"
        got = pa.parquet.read_table(path) if out == ".parquet" else pa.ipc.open_stream(path).read_all() if out == ".arrows" else pa.feather.read_table(path)
        got.validate(full=True)
        for name in want.column_names:
            a, b = got.column(name).combine_chunks(), want.column(name).combine_chunks()
            if name == "list":
                assert a.type.value_type == pa.timestamp("us"), f"{path}: {a.type}"
                assert a.to_pylist() == b.to_pylist()
                continue
            assert (a.type.tz is None) == (b.type.tz is None), f"{path}: {name}: {a.type}, was {b.type}"
            if "arrow" in out and source == "in.arrow":
                assert got.schema.field(name).metadata == want.schema.field(name).metadata == {b"unit": b"of " + name.encode()}
                assert a.type == b.type, f"{path}: {a.type}, was {b.type}"
            assert a.cast(pa.timestamp("ns", b.type.tz)).cast(pa.int64()).equals(b.cast(pa.timestamp("ns", b.type.tz)).cast(pa.int64())), f"{path}: {name}: {a}, was {b}"
`, dir)
}
