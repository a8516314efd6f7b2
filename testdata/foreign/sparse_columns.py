"""Writes columns of sparse vectors into the folder given (tables/ beside this script), as pyarrow,
polars, pandas and Spark write them: the rows of words.npz there, by the number of the row.

    pip install scipy==1.17.1 pyspark==4.3.0 -r requirements.txt
    python3 sparse_columns.py tables

Spark needs Java. Without pyspark its files are left as they are.
"""
import glob, os, shutil, sys
import pandas as pd, polars as pl, pyarrow as pa, pyarrow.parquet as pq, scipy.sparse

os.chdir(sys.argv[1])
m = scipy.sparse.load_npz("words.npz").tocsr()
m.sort_indices()
n = m.shape[0]
rows = [(m.indices[a:b].tolist(), m.data[a:b].tolist()) for a, b in zip(m.indptr, m.indptr[1:])]
row = pa.array(range(n), pa.int32())

# pyarrow: lists of structs, whose fields and entries come in any order; maps.
entry = pa.struct([("value", pa.float32()), ("index", pa.uint16())])
entries = pa.array([[{"index": i, "value": v} for i, v in reversed(list(zip(*r)))] for r in rows], pa.list_(entry))
maps = pa.array([list(zip(*r)) for r in rows], pa.map_(pa.int64(), pa.float32()))
for name, column in [("words-pyarrow", entries), ("words-map", maps)]:
    t = pa.table({"row": row, "terms": column})
    pq.write_table(t, name + ".parquet", row_group_size=50, compression="zstd")
    with pa.ipc.new_file(name + ".arrow", t.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as w:
        w.write_table(t, max_chunksize=50)

# polars: large lists of structs, and structs of two lists.
frame = pl.DataFrame({"row": range(n), "terms": [[{"index": i, "value": v} for i, v in zip(*r)] for r in rows]},
                     schema_overrides={"terms": pl.List(pl.Struct({"index": pl.Int32, "value": pl.Float32}))})
frame.write_parquet("words-polars.parquet")
frame.write_ipc("words-polars.arrow", compression="zstd")
pl.DataFrame({"row": range(n), "terms": [{"indices": i, "values": v} for i, v in rows]},
             schema_overrides={"terms": pl.Struct({"indices": pl.List(pl.UInt32), "values": pl.List(pl.Float64)})}).write_parquet("words-lists.parquet")

# pandas: lists of dictionaries, in Parquet and in JSON lines.
dictionaries = pd.DataFrame({"row": range(n), "terms": [[{"index": i, "value": v} for i, v in zip(*r)] for r in rows]})
dictionaries.to_parquet("words-pandas.parquet", index=False, compression="zstd")
with pa.output_stream("words-pandas.jsonl.zst", compression="zstd") as f:
    f.write(dictionaries.to_json(orient="records", lines=True, double_precision=15).encode())

# An entry that is null, an entry twice, an index below 0, rows without a vector, and fields of other names.
pq.write_table(pa.table({"nothing": pa.array([[{"index": 1, "value": 2.0}], None, []]),
                         "hole": pa.array([[{"index": 1, "value": 2.0}], [{"index": 0, "value": None}], []]),
                         "absent": pa.array([[{"index": 1, "value": 2.0}], [None], []]),
                         "twice": pa.array([[{"index": 7, "value": 1.0}], [{"index": 3, "value": 1.0}, {"index": 3, "value": 0.0}], []]),
                         "below": pa.array([[{"index": 7, "value": 1.0}], [{"index": -2, "value": 1.0}], []]),
                         "far": pa.array([[{"index": 7, "value": 1.0}], [{"index": 2**40, "value": 1.0}], []]),
                         "other": pa.array([[{"at": 7, "weight": 1.0}], [{"at": 3, "weight": 1.0}], []])}), "odd-entries.parquet")
pq.write_table(pa.table({"other": pa.array([[{"at": 7, "weight": 1.0}]]), "n": [1.0]}), "others.parquet")

try:
    from pyspark.ml.linalg import Vectors
    from pyspark.sql import SparkSession
except ImportError:
    sys.exit()
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False).getOrCreate()


def spark_parquet(name, vectors):
    spark.createDataFrame([(i, v) for i, v in enumerate(vectors)], ["row", "terms"]).coalesce(1).write.option("compression", "zstd").mode("overwrite").parquet("spark")
    shutil.move(glob.glob("spark/part-*.parquet")[0], name)
    shutil.rmtree("spark")


# Spark ML's vectors: of some rows in full, which its readers take for the same.
sparse = [Vectors.sparse(m.shape[1], i, v) for i, v in rows]
spark_parquet("words-spark.parquet", [Vectors.dense(v.toArray()) if i % 40 == 7 else v for i, v in enumerate(sparse)])
spark_parquet("odd-sizes.parquet", [Vectors.sparse(5, [1], [2.0]), Vectors.sparse(6, [1], [2.0])])
