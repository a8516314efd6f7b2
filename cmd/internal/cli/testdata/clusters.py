# Reads tables of clusters with pandas and polars and prints what they hold.
import json, sys
import pandas as pd, polars as pl

theirs = pd.read_parquet("theirs.parquet")
seen = []
for path in sys.argv[1:]:
    if path.endswith((".csv", ".csv.gz")):
        t = pd.read_csv(path)
    elif path.endswith((".jsonl", ".jsonl.gz")):
        t = pl.read_ndjson(path).to_pandas() if path.endswith("l") else pd.read_json(path, lines=True)
    elif path.endswith(".parquet"):
        t = pl.read_parquet(path).to_pandas()
    elif path.endswith(".arrows"):
        t = pl.read_ipc_stream(path).to_pandas()
    else:
        t = pl.read_ipc(path).to_pandas()
    assert list(t.columns) == ["id", "kind", "cluster", "cluster_probability", "cluster_outlier"], list(t.columns)
    assert list(t["id"]) == list(theirs["user"]) and list(t["kind"]) == list(theirs["kind"]), path
    kinds = t[t["cluster"] >= 0].groupby("cluster")["kind"].agg(["nunique", "size"])
    assert (kinds["nunique"] == 1).all() and len(kinds) == 3, kinds
    assert (t["cluster"] == -1).equals(t["cluster_probability"] == 0), path
    assert t["cluster_probability"].between(0, 1).all() and t["cluster_outlier"].between(0, 1).all(), path
    assert t["cluster_outlier"].idxmax() == 1202, t.iloc[1202]
    seen.append([int(c) for c in t["cluster"]])
assert all(s == seen[0] for s in seen)
print(json.dumps({"files": len(seen), "noise": seen[0].count(-1)}))
