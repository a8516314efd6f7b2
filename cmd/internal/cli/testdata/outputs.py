# Reads maps of every format and compares them with what they should hold: folders are
# the arguments, in each map.* and a file NAME.TYPE of every column's plain values.
import gzip, io, json, os, sys
import numpy, polars, pyarrow, pyarrow.csv, pyarrow.feather, pyarrow.ipc, pyarrow.parquet

FORMATS = [".arrow", ".feather", ".ipc", ".arrows", ".parquet", ".csv", ".csv.gz", ".jsonl", ".jsonl.gz", ".npy"]
seen = {"Files": 0, "Columns": 0}


def expected(folder):
    dims = int(open(f"{folder}/dims").read())
    columns = {}
    for name in os.listdir(folder):
        column, _, kind = name.partition(".")
        if kind == "text":
            columns[column] = open(f"{folder}/{name}", newline="\n").read().split("\n")[:-1]
        elif column not in ("dims", "map"):
            columns[column] = numpy.fromfile(f"{folder}/{name}", dtype="<" + {"float32": "f4", "float64": "f8", "uint32": "u4", "uint64": "u8"}[kind])
    columns["embedding"] = columns["embedding"].reshape(-1, dims)
    order = ["id", "x3", "embedding", "sigma", "novelty_local", "novelty_global", "class", "class_probability", "map_epoch", "model_version"]
    return dims, {name: columns[name] for name in order if name in columns}


def numbers(values, dtype):
    return numpy.array(values, dtype=dtype)


def equal(where, name, got, want):
    seen["Columns"] += 1
    if isinstance(want, list):
        assert list(got) == want, f"{where}: {name}: {list(got)[:5]}, want {want[:5]}"
        return
    got = numpy.asarray(got)
    if len(want) == 0 and name == "x3":  # text without rows has no types
        got = got.astype(want.dtype)
    assert got.dtype == want.dtype and got.shape == want.shape, f"{where}: {name}: {got.dtype} {got.shape}, want {want.dtype} {want.shape}"
    assert got.tobytes() == want.tobytes(), f"{where}: {name} differs"


def arrow(where, table, want, dims, fixed):
    table.validate(full=True)
    assert table.column_names == list(want), f"{where}: columns {table.column_names}, want {list(want)}"
    for name, values in want.items():
        column = table.column(name).combine_chunks()
        if isinstance(column, pyarrow.ChunkedArray):
            column = pyarrow.concat_arrays(column.chunks) if column.num_chunks else pyarrow.array([], column.type)
        if name == "embedding":
            assert pyarrow.types.is_fixed_size_list(column.type) == fixed, f"{where}: {column.type}"
            assert column.null_count == 0
            column = column.flatten().to_numpy(zero_copy_only=False).reshape(-1, dims)
        elif isinstance(values, list):
            assert pyarrow.types.is_string(column.type) or len(values) == 0, f"{where}: {name}: {column.type}"
            column = column.to_pylist()
        else:
            column = column.to_numpy(zero_copy_only=False)
        equal(where, name, column, values)


def text(where, frame, want, dims):
    names = [n for name in want for n in ([f"embedding_{k}" for k in range(dims)] if name == "embedding" else [name])]
    assert frame.columns == names, f"{where}: columns {frame.columns}, want {names}"
    for name, values in want.items():
        if name == "embedding":
            got = numpy.stack([numbers(frame[f"embedding_{k}"].to_list(), values.dtype) for k in range(dims)], axis=1)
        elif isinstance(values, list):
            got = [v or "" for v in frame[name].to_list()]
        else:
            got = numbers(frame[name].to_list(), values.dtype)
        equal(where, name, got, values)


def lines(where, want):
    """lines holds JSON lines to the numbers."""
    with (gzip.open if where.endswith(".gz") else open)(where, "rt", encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    assert all(list(row) == list(want) for row in rows), f"{where}: fields {list(rows[0])}, want {list(want)}"
    for name, values in want.items():
        got = [row[name] for row in rows]
        if isinstance(values, list):
            got = [str(v) for v in got]
        else:
            got = numpy.array(got, dtype=numpy.float64 if values.dtype.kind == "f" else values.dtype).astype(values.dtype).reshape(values.shape)
        equal(where, name, got, values)


for folder in sys.argv[1:]:
    dims, want = expected(folder)
    for ext in FORMATS:
        where = f"{folder}/map{ext}"
        seen["Files"] += 1
        if ext == ".npy":
            got = numpy.load(where)
            equal(where, "embedding", got, want["embedding"])
            seen["Columns"] += len(want) - 1
        elif ext.startswith(".csv"):
            text(where, polars.read_csv(where, infer_schema=False), want, dims)
        elif ext.startswith(".jsonl"):
            lines(where, want)
        elif ext == ".parquet":
            arrow(where, pyarrow.parquet.read_table(where), want, dims, False)
            assert polars.read_parquet(where).height == len(want["sigma"])
        elif ext == ".arrows":
            arrow(where, pyarrow.ipc.open_stream(where).read_all(), want, dims, True)
        else:
            with pyarrow.ipc.open_file(where) as f:
                arrow(where, f.read_all(), want, dims, True)
print(json.dumps(seen))
