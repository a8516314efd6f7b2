"""Density of the maps in testdata/fixtures/score, from its definition alone.

    density.py ../../../testdata/fixtures/score/*.json > density.json

Pearson's correlation of the logarithms of local radii in the data (x) and on the map (y):
the mean distance of a point to its 15 nearest other points, ties by index. Points with a
radius of 0 are left out.
"""
import json
import math
import os
import sys


def radii(rows):
    out = []
    for i, a in enumerate(rows):
        far = sorted((math.dist(a, b), j) for j, b in enumerate(rows) if j != i)
        out.append(math.fsum(d for d, _ in far[:15]) / 15)
    return out


def correlation(a, b):
    ma, mb = math.fsum(a) / len(a), math.fsum(b) / len(b)
    ab = math.fsum((p - ma) * (q - mb) for p, q in zip(a, b))
    return ab / math.sqrt(math.fsum((p - ma) ** 2 for p in a) * math.fsum((q - mb) ** 2 for q in b))


values = {}
for path in sys.argv[1:]:
    f = json.load(open(path))
    known = [(math.log(p), math.log(q)) for p, q in zip(radii(f["x"]), radii(f["y"])) if p > 0 and q > 0]
    values[os.path.basename(path)] = correlation(*zip(*known))
json.dump(values, sys.stdout, indent=1)
print()
