# Reads places with their reasons by pandas, polars and pyarrow and prints how many files it read.
import json, sys
import pandas as pd, polars as pl, pyarrow as pa, pyarrow.feather, pyarrow.ipc, pyarrow.parquet

for path in sys.argv[1:]:
    if path.endswith((".csv", ".csv.gz")):
        t = pd.read_csv(path)
        rows = [{k: None if pd.isna(v) else json.loads(v) for k, v in r.items()} for r in t[["reasons", "neighbors"]].to_dict("records")]
    elif path.endswith((".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")):
        rows = pd.read_json(path, lines=True).to_dict("records")
        if path.endswith("l"):
            assert pl.read_ndjson(path)["reasons"].dtype == pl.List(pl.Struct), pl.read_ndjson(path).schema
    elif path.endswith(".parquet"):
        rows = pa.parquet.read_table(path).to_pylist()
        assert pl.read_parquet(path)["reasons"].to_list() == [r["reasons"] for r in rows]
    elif path.endswith(".arrows"):
        rows = pa.ipc.open_stream(path).read_all().to_pylist()
    else:
        rows = pa.ipc.open_file(path).read_all().to_pylist()
    assert len(rows) == 2, (path, rows)
    odd, plain = rows
    assert odd["reasons"][0]["column"] == "c" and odd["reasons"][0]["direction"] == "above" and odd["reasons"][0]["value"] == 900, (path, odd)
    assert 0.9 < odd["reasons"][0]["share"] <= 1 and odd["reasons"][0]["expected_low"] <= odd["reasons"][0]["expected_high"] < 5, (path, odd)
    assert len(odd["neighbors"]) == 10 and odd["neighbors"][0]["distance"] > 890, (path, odd)
    for name in ["reasons", "neighbors"]:
        assert plain[name] is None or plain[name] != plain[name], (path, plain)
print(json.dumps({"files": len(sys.argv) - 1}))
