"""Writes the small files of the folder given (tables/ beside this script): tables of many
kinds as duckdb, polars, pandas, pyarrow, numpy and zstd write them, and in metrics.json the
distances that scipy has between rows (of rows of 0 and 1 in metrics-bits.json).

    pip install duckdb==2.0.0 scipy==1.17.1 -r requirements.txt
    python3 tables.py tables
"""
import json, os, sys
from datetime import date, datetime, timedelta
from decimal import Decimal
import duckdb, numpy as np, pandas as pd, polars as pl, pyarrow as pa, pyarrow.dataset as ds, pyarrow.parquet as pq
import scipy.sparse
from scipy.spatial import distance

os.chdir(sys.argv[1])
rng = np.random.default_rng(7)
n = 96
group = np.arange(n) % 3
base = np.array([[0, 0, 0], [4, 1, 0], [0, 5, 3]], float)[group]
x = np.round(base + rng.normal(0, 0.6, (n, 3)), 3)
begin = datetime(2024, 3, 1, 6)

# Folders of parts, as duckdb and pyarrow write them; one key has no value in some rows.
flights = pd.DataFrame({"f0": x[:, 0], "f1": x[:, 1], "f2": x[:, 2], "kind": np.array(["in", "out", "to go"])[group],
                        "year": 2022 + np.arange(n) % 2, "gate": [None if i % 8 == 0 else f"{i % 4:02d}" for i in range(n)]})
duckdb.sql("copy (select * from flights order by year, kind) to 'flights' (format parquet, partition_by (year, kind), overwrite_or_ignore)")
ds.write_dataset(pa.Table.from_pandas(flights.drop(columns=["kind", "year"]), preserve_index=False), "gates", format="csv",
                 partitioning=ds.partitioning(pa.schema([("gate", pa.string())]), flavor="hive"), existing_data_behavior="overwrite_or_ignore")
open("flights/_SUCCESS", "w").close()

# Structs, a list in one of them, decimals, dates, times of the day, dictionaries, nulls.
sensors = pa.table({
    "id": pa.array([f"s{i}" for i in range(n)]),
    "sensor": pa.StructArray.from_arrays([
        pa.array(x[:, 0]), pa.array(x[:, 1]),
        pa.StructArray.from_arrays([pa.array(x[:, 2]), pa.array([["a", "b", "c"][g] for g in group])], ["z", "room"]),
    ], ["temp", "humid", "at"]),
    "price": pa.array([Decimal(int(v * 1000)) / 1000 for v in x[:, 0]], pa.decimal128(12, 3)),
    "day": pa.array([date(2024, 3, 1) + timedelta(days=int(i)) for i in range(n)]),
    "seen": pa.array([begin + timedelta(minutes=37 * i) for i in range(n)], pa.timestamp("us")),
    "color": pa.array([["red", "green", "blue"][g] for g in group]).dictionary_encode(),
    "load": pa.array([None if i % 10 == 3 else float(v) for i, v in enumerate(x[:, 1])]),
})
pq.write_table(sensors, "sensors.parquet", row_group_size=40)
with pa.ipc.new_file("sensors.arrow", sensors.schema) as w:
    w.write_table(sensors)
half = pa.StructArray.from_arrays([pa.array([[float(a), float(b)] for a, b in x[:, :2]]), pa.array(x[:, 2])], ["v", "w"],
                                  mask=pa.array([i % 16 == 5 for i in range(n)]))
pq.write_table(pa.table({"e": half, "row": pa.array(range(n))}), "nested.parquet")
pl.from_arrow(sensors).write_ipc("polars.arrow")
duckdb.sql("copy (select *, price * 2 as twice from 'sensors.parquet') to 'duckdb.parquet' (format parquet)")

# Text: packed, with decimal commas, with holes.
frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "color": np.array(["red", "green", "blue"])[group]})
holes = frame.copy()
for i in range(n):
    if i % 7 == 2: holes.loc[i, "a"] = np.nan
    if i % 11 == 4: holes.loc[i, "b"] = np.nan
holes.to_csv("holes.csv", index=False)
frame.to_csv("german.csv.bz2", sep=";", decimal=",", index=False)
with pa.output_stream("frame.jsonl.zst", compression="zstd") as f:
    f.write(frame.to_json(orient="records", lines=True).encode())
with pa.output_stream("frame.csv.zst", compression="zstd") as f:
    f.write(frame.to_csv(index=False).encode())

# Arrays.
np.savez_compressed("arrays.npz", x=x.astype("f4"), y=group)
np.save("columns.npy", np.asfortranarray(x))
wide = rng.normal(0, 1, (n, 64)) + 3 * rng.normal(0, 1, (3, 64))[group]
wide *= (10 + rng.normal(0, 0.5, n))[:, None] / np.linalg.norm(wide, axis=1)[:, None]
pl.DataFrame({"text_id": [f"t{i}" for i in range(n)], "embedding": wide.astype("f4")}, schema_overrides={"embedding": pl.Array(pl.Float32, 64)}).write_parquet("embeddings.parquet")
pl.DataFrame({"vec": wide[:9].astype("f4")}, schema_overrides={"vec": pl.Array(pl.Float32, 64)}).write_parquet("renamed.parquet")

# Places on the earth, also about the antimeridian; counts; a log with times.
around = np.array([[52.5, 13.4], [-17.8, 179.9], [40.7, -74.0]])[group]
cities = np.round(around + rng.normal(0, 0.3, (n, 2)), 4)
cities[:, 1] = (cities[:, 1] + 180) % 360 - 180
pd.DataFrame({"city": [f"c{i}" for i in range(n)], "lat": cities[:, 0], "lon": cities[:, 1]}).to_csv("cities.csv", index=False)
counts = rng.poisson(np.array([[9, 1, 1, 4], [1, 9, 1, 4], [1, 1, 9, 4]])[group] * rng.uniform(1, 20, n)[:, None]) + np.eye(4, dtype=int)[group]
pd.DataFrame(counts, columns=["w0", "w1", "w2", "w3"]).to_csv("counts.csv", index=False)
words = ["disk full on node", "user login failed from", "request served in ms"]
pd.DataFrame({"at": [begin + timedelta(minutes=53 * i) for i in range(n)], "level": np.array(["error", "warn", "info"])[group],
              "took": np.round(np.exp(x[:, 0]), 3), "message": [f"{words[g]} {i % 5}" for i, g in enumerate(group)]}).to_parquet("log.parquet", index=False)

# Distances of scipy.
m = x[:12] + 6
km = 6371.0088
rad = np.radians(cities[:12])
chord = np.stack([np.cos(rad[:, 0]) * np.cos(rad[:, 1]), np.cos(rad[:, 0]) * np.sin(rad[:, 1]), np.sin(rad[:, 0])], 1)
arc = lambda a, b: 2 * km * np.arcsin(np.sqrt(np.sin((b[0] - a[0]) / 2) ** 2 + np.cos(a[0]) * np.cos(b[0]) * np.sin((b[1] - a[1]) / 2) ** 2))
root = np.sqrt(m / m.sum(1, keepdims=True))
json.dump({"rows": m.tolist(), "places": cities[:12].tolist(),
           "cosine": distance.cdist(m, m, "cosine").tolist(), "correlation": distance.cdist(m, m, "correlation").tolist(),
           "mahalanobis": distance.cdist(m, m, "mahalanobis", VI=np.linalg.inv(np.cov(m.T))).tolist(),
           "hellinger": (distance.cdist(root, root) / np.sqrt(2)).tolist(),
           "haversine": [[arc(a, b) for b in rad] for a in rad]}, open("metrics.json", "w"))

# Neighbours of the rows of arrays.npz as umap-learn keeps them (precomputed_knn): every row
# first has itself. In Parquet it is left out.
single = x.astype("f4")
far = distance.cdist(single, single)
near = np.argsort(far, axis=1, kind="stable")[:, :15]
far = np.take_along_axis(far, near, 1)
np.savez_compressed("neighbors.npz", near.astype("i4"), far.astype("f4"))
pq.write_table(pa.table({"neighbors": near[:, 1:].tolist(), "distances": far[:, 1:].tolist()}), "neighbors.parquet", row_group_size=40)

# Sparse matrices, which are kept apart from archives of arrays.
for kind in ["csr", "coo"]:
    scipy.sparse.save_npz(f"sparse-{kind}.npz", scipy.sparse.coo_array(np.eye(4)).asformat(kind))

# Alarms that are on or off, a zone, and scipy's distances of rows of bits. A row of each
# group has about the alarms of its group.
rng = np.random.default_rng(8)
usual = rng.random((3, 40)) < 0.3
alarms = (usual[group] ^ (rng.random((n, 40)) < 0.06)).astype(int)
frame = pd.DataFrame(alarms, columns=[f"a{k:02d}" for k in range(40)])
frame.insert(0, "device", [f"d{i}" for i in range(n)])
frame["zone"] = np.array(["north", "south", "west"])[(group + (np.arange(n) % 11 == 0)) % 3]
frame.to_csv("alarms.csv", index=False)
some = alarms[:12].astype(bool)
json.dump({"rows": alarms[:12].tolist(), "hamming": distance.cdist(some, some, "hamming").tolist()}, open("metrics-bits.json", "w"))
