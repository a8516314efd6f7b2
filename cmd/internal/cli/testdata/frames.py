# Writes the coordinates of 60 rows, row i at (i, -i/2), in the ways that people have them:
# by id in another order, where row 7 is not there, row 11 has no value, row 13 half of one
# and row 17 an infinite one; and without ids, all of them in the rows' order.
import sys
import numpy as np, pandas as pd, polars as pl

folder, n = sys.argv[1], 60
at = np.array([(i, -i / 2) for i in range(n)])
order = [i for i in np.random.default_rng(1).permutation(n) if i != 7]
holes = at.copy()
holes[11] = np.nan
holes[13, 1] = np.nan
holes[17, 0] = np.inf
key = [f"key {i}" for i in order]
d = pd.DataFrame({"lon": holes[order, 0], "key": key, "place": ["somewhere"] * len(order), "lat": holes[order, 1]})
d.to_csv(f"{folder}/index.csv")
d.to_csv(f"{folder}/plain.csv", index=False)
d.to_parquet(f"{folder}/pandas.parquet")
d.set_index("key").to_parquet(f"{folder}/indexed.parquet")
p = pl.DataFrame({"id": key, "embedding_0": holes[order, 0], "embedding_1": holes[order, 1], "n": range(len(order))})
p.write_parquet(f"{folder}/polars.parquet")
p.write_ipc(f"{folder}/polars.arrow")
p.write_csv(f"{folder}/polars.csv")
lists = [None if i == 11 else [float("nan") if v != v else v for v in holes[i]] for i in order]
pl.DataFrame({"key": key, "n": range(len(order)), "xy": pl.Series(lists, dtype=pl.List(pl.Float64))}).write_parquet(f"{folder}/lists.parquet")
pl.DataFrame({"embedding": pl.Series(lists, dtype=pl.List(pl.Float32)), "key": key}).write_ipc_stream(f"{folder}/lists.arrows")
np.save(f"{folder}/order.npy", at)
np.save(f"{folder}/order32.npy", at.astype(np.float32))
pd.DataFrame(at, columns=["x", "y"]).to_csv(f"{folder}/order.csv", index=False)
pd.DataFrame(at, columns=["x", "y"]).to_parquet(f"{folder}/order.parquet")
pl.DataFrame(at, schema=["x", "y"]).write_ipc(f"{folder}/order.arrow")
