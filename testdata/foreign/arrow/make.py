# Writes the samples of this folder: one Arrow IPC stream for each type that pyarrow and
# polars write, with the vectors that make it an input. Run it as
#
#   python3 make.py FOLDER
#
# with the libraries of ../requirements.txt.
import datetime as dt, decimal, io, sys, uuid
import polars as pl, pyarrow as pa

N = 6
folder = sys.argv[1]

vectors = pa.FixedSizeListArray.from_arrays(pa.array([float(i * i % 7) for i in range(2 * N)], pa.float32()), 2)
words = ["short", "a text of more than twelve bytes", None, "", "short", "Größe, in Bytes gezählt"]
plain = ["a", "b", "a", "c", "b", "a"]


def save(name, data):
    with open(f"{folder}/{name}.arrows", "wb") as f:
        f.write(data)


def stream(table, end=True, **options):
    out = io.BytesIO()
    w = pa.ipc.new_stream(out, table.schema, options=pa.ipc.IpcWriteOptions(**options))
    w.write_table(table, max_chunksize=4)
    if end:
        w.close()
    return out.getvalue()


def column(name, array, **options):
    save(name, stream(pa.table({"v": vectors, "x": array}), **options))


# Text and bytes.
column("utf8", pa.array(words))
column("large_utf8", pa.array(words, pa.large_string()))
column("utf8_view", pa.array(words, pa.string_view()))
column("utf8_view_lz4", pa.array([w and w * 20 for w in words], pa.string_view()), compression="lz4")
column("binary", pa.array([None if w is None else w.encode() for w in words], pa.binary()))
column("large_binary", pa.array([None if w is None else w.encode() for w in words], pa.large_binary()))
column("binary_view", pa.array([None if w is None else w.encode() for w in words], pa.binary_view()))
column("fixed_binary", pa.array([b"abc", b"def", None, b"   ", b"abc", b"\0\1\2"], pa.binary(3)))

# Dictionaries, with every kind of index.
for index in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]:
    indices = pa.array([0, 1, None, 2, 0, 1], getattr(pa, index)())
    column("dictionary_" + index, pa.DictionaryArray.from_arrays(indices, pa.array(["red", "green", "a colour of many letters"])))
column("dictionary_large_utf8", pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1, 0, 1], pa.int8()), pa.array(["red", "green"], pa.large_string())))
column("dictionary_utf8_view", pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1, 0, 1], pa.int8()), pa.array(["red", "a colour of many letters"], pa.string_view())))
column("dictionary_int64_values", pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1, 0, 1], pa.int16()), pa.array([7, 8], pa.int64())))

# Run-end encoding.
runs = lambda values, ends=pa.int32(): pa.RunEndEncodedArray.from_arrays(pa.array([3, 4, 6], ends), values)
column("runs_utf8", runs(pa.array(["red", None, "green"])))
column("runs_utf8_view", runs(pa.array(["red", None, "a colour of many letters"], pa.string_view())))
column("runs_int64", runs(pa.array([1, None, 3], pa.int64())))
column("runs_float32_16", runs(pa.array([1, 2, 3], pa.float32()), pa.int16()))
column("runs_bool_64", runs(pa.array([True, None, False]), pa.int64()))
column("runs_dictionary", runs(pa.array(["red", None, "green"]).dictionary_encode()))
column("runs_list", runs(pa.array([[1], None, [2, 3]])))

# Lists, which are vectors if all of one length.
rows = [[float(i), 1.0] for i in range(N)]
def vector(name, array):
    save(name, stream(pa.table({"x": array, "word": pa.array(plain)})))
vector("vector_list", pa.array(rows, pa.list_(pa.float64())))
vector("vector_large_list", pa.array(rows, pa.large_list(pa.float64())))
vector("vector_list_view", pa.array(rows, pa.list_view(pa.float64())))
vector("vector_large_list_view", pa.array(rows, pa.large_list_view(pa.float32())))
vector("vector_fixed_list_float16", pa.array(rows, pa.list_(pa.float16(), 2)))
for t in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]:
    vector("vector_" + t, pa.array([[int(a) for a in r] for r in rows], pa.list_(getattr(pa, t)(), 2)))
column("list_utf8_view", pa.array([[w, "x"] for w in words], pa.list_(pa.string_view())))
column("list_view_utf8", pa.array([[w, "x"] if w else None for w in words], pa.list_view(pa.string())))
column("large_list_view_int32", pa.array([[1, 2], None, [], [3], [4, 5, 6], [7]], pa.large_list_view(pa.int32())))
column("struct", pa.array([{"a": w, "b": i} for i, w in enumerate(words)], pa.struct([("a", pa.string_view()), ("b", pa.int16())])))
column("map", pa.array([[("k", i)] for i in range(N)], pa.map_(pa.string(), pa.int64())))
column("map_utf8_view", pa.array([[("k", w)] for w in words], pa.map_(pa.string_view(), pa.string_view())))

# Numbers and times.
numbers = [1, None, 3, 4, 5, 6]
for t in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]:
    column(t, pa.array(numbers, getattr(pa, t)()))
column("bool", pa.array([True, None, False, True, True, False]))
column("null", pa.nulls(N))
cents = [None if n is None else decimal.Decimal(n) / 100 for n in numbers]
for bits in [32, 64, 128, 256]:
    column(f"decimal{bits}", pa.array(cents, getattr(pa, f"decimal{bits}")(7, 2)))
moment = dt.datetime(2024, 2, 29, 12, 34, 56)
column("date32", pa.array([moment.date()] * N, pa.date32()))
column("date64", pa.array([moment.date()] * N, pa.date64()))
column("time32", pa.array([moment.time()] * N, pa.time32("s")))
column("time64", pa.array([moment.time()] * N, pa.time64("ns")))
column("timestamp", pa.array([moment] * N, pa.timestamp("us")))
column("timestamp_zone", pa.array([moment] * N, pa.timestamp("ms", "Europe/Berlin")))
column("duration", pa.array([1, 2, None, 4, 5, 6], pa.duration("s")))
column("month_day_nano", pa.array([(1, 2, 3), None, (4, 5, 6), (0, 0, 0), (1, 1, 1), (2, 2, 2)], pa.month_day_nano_interval()))

# Unions and extensions.
children = [pa.array([1, 2, 3, 4, 5, 6]), pa.array(["a"] * N)]
column("sparse_union", pa.UnionArray.from_sparse(pa.array([0, 1, 0, 1, 0, 1], pa.int8()), children))
column("dense_union", pa.UnionArray.from_dense(pa.array([0, 1, 0, 1, 0, 1], pa.int8()), pa.array([0, 0, 1, 1, 2, 2], pa.int32()), children))
column("uuid", pa.array([uuid.UUID(int=i).bytes for i in range(N)], pa.uuid()))
column("bool8", pa.array([True, False, None, True, True, False]).cast(pa.int8()).cast(pa.bool8()))
column("json", pa.ExtensionArray.from_storage(pa.json_(), pa.array(['{"a": 1}'] * N)))
save("vector_tensor", stream(pa.table({"x": pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.float32(), [2]), vectors), "word": pa.array(plain)})))

# Streams that stop, and one in the framing of old.
table = pa.table({"v": vectors, "x": pa.array(words)})
save("no_end_marker", stream(table, end=False))
empty = io.BytesIO()
pa.ipc.new_stream(empty, table.schema).write_batch(pa.RecordBatch.from_pylist([], table.schema))
save("no_end_marker_no_rows", empty.getvalue())
save("before_0_15", stream(table, use_legacy_format=True, metadata_version=pa.ipc.MetadataVersion.V4))

# polars, with its own text and categories.
def frame(name, **columns):
    out = io.BytesIO()
    pl.DataFrame(columns).write_ipc_stream(out)
    save("polars_" + name, out.getvalue())


v = pl.Series([[float(i), 1.0] for i in range(N)], dtype=pl.Array(pl.Float32, 2))
frame("string", v=v, x=pl.Series(words))
pl.DataFrame({"v": v, "x": words}).write_ipc(f"{folder}/polars_string.arrow")
frame("binary", v=v, x=pl.Series([None if w is None else w.encode() for w in words], dtype=pl.Binary))
frame("categorical", v=v, x=pl.Series(words, dtype=pl.Categorical))
frame("enum", v=v, x=pl.Series(plain, dtype=pl.Enum(["a", "b", "c"])))
frame("list", x=pl.Series([[float(i), 1.0] for i in range(N)]), word=pl.Series(plain))
frame("list_string", v=v, x=pl.Series([[w, "x"] for w in words]))
frame("struct", v=v, x=pl.Series([{"a": w, "b": 1} for w in words]))
frame("decimal", v=v, x=pl.Series(cents, dtype=pl.Decimal(7, 2)))
frame("int128", v=v, x=pl.Series(numbers, dtype=pl.Int128))
frame("times", v=v, x=pl.Series([moment] * N), y=pl.Series([moment.date()] * N), z=pl.Series([moment.time()] * N), w=pl.Series([dt.timedelta(seconds=1)] * N))
frame("null", v=v, x=pl.Series([None] * N))
