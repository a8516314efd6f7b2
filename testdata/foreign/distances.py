"""Writes into the folder given (tables/ beside this script) distances.json: rows of numbers and rows of
0 and 1, the distances that scipy has between them, and the neighbours that scikit-learn finds.

    pip install scipy==1.17.1 scikit-learn==1.9.1 -r requirements.txt
    python3 distances.py tables
"""
import json, os, sys
import numpy as np
from scipy.spatial import distance
from sklearn.neighbors import NearestNeighbors

os.chdir(sys.argv[1])
rng = np.random.default_rng(11)
rows = np.round(rng.normal(0, 3, (24, 7)), 3).astype("f4").astype(float)
usual = rng.random((3, 50)) < 0.3
bits = usual[np.arange(24) % 3] ^ (rng.random((24, 50)) < 0.08)
bits[23] = False
out = {"rows": rows.tolist(), "bits": bits.astype(int).tolist(), "distances": {}, "nearest": {}}
for name, scipys, x in [
    ("manhattan", "cityblock", rows), ("chebyshev", "chebyshev", rows), ("jaccard", "jaccard", bits),
    ("canberra", "canberra", rows), ("braycurtis", "braycurtis", np.abs(rows)), ("dice", "dice", bits),
    ("rogerstanimoto", "rogerstanimoto", bits), ("sokalsneath", "sokalsneath", bits),
    ("minkowski:1.5", "minkowski", rows), ("minkowski:3", "minkowski", rows),
]:
    name_only, _, power = name.partition(":")
    power = {"p": float(power)} if power else {}
    out["distances"][name] = np.nan_to_num(distance.cdist(x, x, scipys, **power)).tolist()  # of two rows of zeros scipy has NaN for dice, and 0 for jaccard
    _, found = NearestNeighbors(n_neighbors=5, metric=name_only, algorithm="brute", **power).fit(x).kneighbors()
    out["nearest"][name] = found.tolist()
json.dump(out, open("distances.json", "w"))
