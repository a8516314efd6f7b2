"""Writes beside every file of the folders given what its own library reads of it: FILE.arrow, or
FILE.refused with the library's reason. Parquet and Arrow are read by pyarrow, text by pandas with a
header and without (FILE.bare.arrow) and by DuckDB (FILE.duckdb.arrow), Avro by fastavro, .npy and
.npz by numpy. Fields of structs are columns,
named by dotted paths; extension types are their storage, dictionaries their values.

    pip install -r requirements.txt
    python3 judge.py parquet judged
"""
import datetime, decimal, os, signal, sys, uuid
import fastavro, numpy, pandas
import pyarrow as pa, pyarrow.feather, pyarrow.parquet


def stored(column):
    chunks = [c.storage if isinstance(c.type, pa.BaseExtensionType) else c for c in column.chunks]
    kind = column.type.storage_type if isinstance(column.type, pa.BaseExtensionType) else column.type
    column = pa.chunked_array(chunks, kind)
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column


def flat(table):
    while True:
        table = pa.table([stored(c) for c in table.columns], names=table.column_names)
        if not any(pa.types.is_struct(c.type) for c in table.columns):
            return table
        table = table.flatten()


def parquet(path):
    return pa.parquet.ParquetFile(path).read()


def arrow(path):
    with open(path, "rb") as f:
        magic = f.read(6)
    if magic.startswith(b"FEA1"):
        raise ValueError("Feather version 1")
    return pa.ipc.open_file(path).read_all() if magic == b"ARROW1" else pa.ipc.open_stream(path).read_all()


def text(path, header=0):
    frame = pandas.read_csv(path, sep="\t" if ".tsv" in path else ",", header=header, low_memory=False)
    if not isinstance(frame.index, pandas.RangeIndex):
        frame = frame.reset_index()
    frame.columns = [str(c) for c in frame.columns]
    return pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()


def bare(path):
    return text(path, None)


def sniffed(path):
    import duckdb
    return duckdb.sql(f"from read_csv('{path}')").to_arrow_table()


def avro(path):
    with open(path, "rb") as f:
        rows = [{k: str(v) if isinstance(v, uuid.UUID) else v for k, v in row.items()} for row in fastavro.reader(f)]
    return pa.Table.from_pylist(rows)


def npy(path):
    a = numpy.load(path)
    if not isinstance(a, numpy.ndarray):
        a = a[a.files[0]]
    if a.ndim == 1:
        return pa.table({"value": pa.array(a.tolist())})
    a = a.reshape(len(a), -1).astype(a.dtype.newbyteorder("="))
    return pa.table({"vector": pa.FixedSizeListArray.from_arrays(pa.array(a.ravel()), a.shape[1])})


def ended(*ends):
    return lambda name: any(name.endswith(end + packed) for end in ends for packed in ["", ".gz", ".zst", ".bz2"])


# How files of a name are read, and what is appended to the name of the result.
JUDGES = [
    # Strings of two gigabytes are no test of a format.
    (lambda name: ".parquet" in name.lower() and not name.startswith("large_string_map"), parquet, ""),
    (ended(".arrow_file", ".stream", ".ipc", ".feather", ".arrows"), arrow, ""),
    (ended(".csv", ".tsv"), text, ""),
    (ended(".csv", ".tsv"), bare, ".bare"),
    (ended(".csv", ".tsv"), sniffed, ".duckdb"),
    (ended(".avro"), avro, ""),
    (ended(".npy", ".npz"), npy, ""),
]
OURS = (".arrow", ".refused", ".json", ".md", ".crc")


def judge(path, read, name):
    """Reads in a process of its own, since a damaged file may end it."""
    for end in [".arrow", ".refused"]:
        if os.path.exists(path + name + end):
            os.remove(path + name + end)
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)
            pa.feather.write_feather(flat(read(path)), path + name + ".arrow", compression="zstd", chunksize=1 << 16)
        except BaseException as e:
            refuse(path + name, (str(e).splitlines() or [type(e).__name__])[0])
        os._exit(0)
    if status := os.waitpid(child, 0)[1]:
        refuse(path + name, f"the library ended with status {status}")


def refuse(path, why):
    if os.path.exists(path + ".arrow"):
        os.remove(path + ".arrow")
    with open(path + ".refused", "w") as out:
        out.write(why + "\n")


def made_parquet(folder):
    """What pyarrow writes if it is asked for these encodings."""
    numbers = pa.table({"i": pa.array([k * k for k in range(4097)], pa.int64())})
    pa.parquet.write_table(numbers, os.path.join(folder, "delta-4097.parquet"), use_dictionary=False, column_encoding={"i": "DELTA_BINARY_PACKED"})
    vectors = pa.table({"v": pa.array([[k / 8, -k / 4] for k in range(50)], pa.list_(pa.float32(), 2))})
    pa.parquet.write_table(vectors, os.path.join(folder, "bss-vectors.parquet"), use_dictionary=False, column_encoding={"v.list.element": "BYTE_STREAM_SPLIT"})


def made_others(folder):
    """Files of pandas, fastavro, polars and numpy."""
    import polars
    frame = pandas.DataFrame({"name": ["a", "b, c", None], "x": [0.1, None, -1e300], "n": [1, 2, 3], "day": ["2020-01-01", "", "x"]})
    frame.to_csv(os.path.join(folder, "index.csv"))
    frame.to_csv(os.path.join(folder, "tabs.tsv"), sep="\t", index=False)
    pandas.DataFrame(numpy.arange(12).reshape(3, 4) / 8).to_csv(os.path.join(folder, "numbers.csv.gz"), index=False)
    numpy.save(os.path.join(folder, "half.npy"), numpy.arange(6, dtype="<f2").reshape(3, 2) / 3)
    numpy.save(os.path.join(folder, "big.npy"), numpy.asfortranarray(numpy.arange(6, dtype=">f8").reshape(3, 2) / 7))
    numpy.savez(os.path.join(folder, "one.npz"), numpy.arange(5, dtype="u2"))
    optional = lambda kind: ["null", kind]
    fields = {
        "f": "float", "d": "double", "l": "long", "t": optional("string"),
        "price": optional({"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}),
        "at": {"type": "long", "logicalType": "timestamp-micros"},
        "v": {"type": "array", "items": "float"},
        "tags": optional({"type": "array", "items": "string"}),
        "odd": optional({"type": "array", "items": {"type": "array", "items": "int"}}),
    }
    schema = fastavro.parse_schema({"type": "record", "name": "r", "fields": [{"name": n, "type": t} for n, t in fields.items()]})
    moment = datetime.datetime(2020, 5, 17, 12, tzinfo=datetime.timezone.utc)
    records = [
        {"f": 1.1, "d": 1.1, "l": 2**60 + 1, "t": None, "price": None, "at": moment, "v": [0.5, 1.1], "tags": None, "odd": None},
        {"f": -0.3, "d": 1e300, "l": -5, "t": "x", "price": decimal.Decimal("-12.50"), "at": moment, "v": [2.5, -1], "tags": [], "odd": []},
        {"f": 7, "d": 0.1, "l": 0, "t": "", "price": decimal.Decimal("0.01"), "at": moment, "v": [0, 3], "tags": ["a", "b"], "odd": [[1], [2, 3]]},
    ]
    for codec in ["null", "deflate", "bzip2", "snappy", "zstandard", "xz"]:
        with open(os.path.join(folder, codec + ".avro"), "wb") as out:
            fastavro.writer(out, schema, records, codec)
    # Its record has no name.
    polars.DataFrame({"name": ["a", None, "c"], "x": [0.5, None, -2], "v": [[1, 2.5], [3, 4], [5, 6]]}, strict=False).write_avro(os.path.join(folder, "polars.avro"), "snappy")


MADE = {"parquet": made_parquet, "judged": made_others}

for top in sys.argv[1:]:
    MADE.get(os.path.basename(top), lambda _: None)(top)
    for folder, _, names in os.walk(top):
        for name in sorted(names):
            for of, read, end in JUDGES:
                if of(name) and not name.endswith(OURS):
                    judge(os.path.join(folder, name), read, end)
