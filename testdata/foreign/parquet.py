"""Writes beside every Parquet file of the folders given what pyarrow reads of it: FILE.arrow, or
FILE.refused with pyarrow's reason. Fields of structs are columns, named by dotted paths; extension
types are their storage, dictionaries their values.

    pip install -r requirements.txt
    python3 parquet.py parquet
"""
import os, sys
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


def judge(path):
    for end in [".arrow", ".refused"]:
        if os.path.exists(path + end):
            os.remove(path + end)
    try:
        table = flat(pa.parquet.ParquetFile(path).read())
        pa.feather.write_feather(table, path + ".arrow", compression="zstd", chunksize=1 << 16)
    except Exception as e:
        with open(path + ".refused", "w") as out:
            out.write(str(e).splitlines()[0] + "\n")


def made(folder):
    """What pyarrow writes if it is asked for these encodings."""
    numbers = pa.table({"i": pa.array([k * k for k in range(4097)], pa.int64())})
    pa.parquet.write_table(numbers, os.path.join(folder, "delta-4097.parquet"), use_dictionary=False, column_encoding={"i": "DELTA_BINARY_PACKED"})
    vectors = pa.table({"v": pa.array([[k / 8, -k / 4] for k in range(50)], pa.list_(pa.float32(), 2))})
    pa.parquet.write_table(vectors, os.path.join(folder, "bss-vectors.parquet"), use_dictionary=False, column_encoding={"v.list.element": "BYTE_STREAM_SPLIT"})


for top in sys.argv[1:]:
    if os.path.basename(top) == "parquet":
        made(top)
    for folder, _, names in os.walk(top):
        for name in sorted(names):
            # Strings of two gigabytes are no test of a format.
            if ".parquet" in name and not name.endswith((".arrow", ".refused", ".json")) and not name.startswith("large_string_map"):
                judge(os.path.join(folder, name))
