"""Compare ways to learn a map of rows with missing values, and write docs/decisions/missing.md.

    compare.py UNFOLD DATA OUT PAGE

UNFOLD is the program, DATA the folder that holds usps/ and kddcup99/, PAGE what is written. Cells of the table go
to the folder OUT, each when it is measured; those that are there are taken as they are. Python needs what bench/ep/supervise.txt lists. The essay of the page is in it.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

ROWS = 1500
NEAR = 60
VOTERS = 9

PAGE = """# Why holes are filled with means

Written by `make missing`; every figure is measured.

The expected squared distance of two rows, given what is known of them, is

    E|x - y|^2 = |x' - y'|^2 + v(x) + v(y)

with means in the holes of x' and y', and v the sum of the variances of a row's missing values. From one row x the order of others is that of
|x' - y'|^2 + v(y), the distance of (x', 0) from (y', sqrt(v(y))). `--missing mean` leaves v out; a row of many holes is then a neighbour of many.

**Decision**: the program has `--missing mean`, and no `--missing distance`.

## What was measured

{rows} rows of each set. Even holes are drawn for each value by itself. Uneven ones come by rows: some are nearly whole, others nearly empty (the
share of a row is from a beta distribution, of parameters {beta} (1 - p)/p for shares p). Standardized columns, one draw. The figure is the share of rows whose class most of their nine
nearest rows have, in the rows or on the map:

- rows, mean: by |x' - y'|^2;
- rows, expected: by |x' - y'|^2 + v(y);
- mean: the map of `unfold fit --missing mean`;
- expected: the same with the {near} nearest by the expected distance, as `--neighbors-file` takes them; distances are those of x' and y';
- KNNImputer, IterativeImputer: scikit-learn {sklearn} fills in, umap-learn {umap} makes the map. The latter imputer takes {features} other columns
  for each and {iterations} rounds, as more take minutes.

| set | holes | rows, mean | rows, expected | mean | expected | KNNImputer | IterativeImputer |
|---|---|---:|---:|---:|---:|---:|---:|
{table}

## What it says

Differences of the expected distance from means, least and largest:

| holes | in the rows | on the map |
|---|---:|---:|
{differences}

Where holes are even, v is nearly the same for all rows. Where they are uneven, the expected distance finds better neighbours among the digits. A map
gains little, since its length scales and its frame are those of the means, and loses where half of the values are missing.

## Why there is no `--missing distance`

Each row would have one vector to search by, (x', 0), and another one to be found by, (x', sqrt(v)). Lists, indexes and spanning trees hold one vector
of a row, and take distances to be symmetric; an event would not lie where an equal row lies. The maps are not better for it. Lists of others are
taken by `--missing mean --neighbors-file`; events are placed by means there, too.
"""
BETA = 0.5
FEATURES, ITERATIONS = 10, 3


def usps(data):
    rows = np.array([line.split() for line in gzip.open(os.path.join(data, "usps", "zip.train.gz"), "rt")], dtype=np.float64)
    return rows[:, 1:], rows[:, 0].astype(int)


def kdd(data):
    """Every 100th connection: numbers by log(1 + v), without the three columns of text."""
    x, label = [], []
    with gzip.open(os.path.join(data, "kddcup99", "kddcup.data_10_percent.gz"), "rt") as lines:
        for i, line in enumerate(lines):
            if i % 100 == 0:
                f = line.strip().split(",")
                x.append([float(v) for c, v in enumerate(f[:41]) if not 1 <= c <= 3])
                label.append(f[41])
    return np.log1p(np.array(x)), np.unique(label, return_inverse=True)[1]


def holes(kind, share, shape, rng):
    if kind == "even":
        return rng.random(shape) < share
    each = rng.beta(BETA, BETA * (1 - share) / share, shape[0])
    return rng.random(shape) < each[:, None]


def squared(x):
    square = (x * x).sum(1)
    return np.maximum(square[:, None] + square - 2 * x @ x.T, 0)


def nearest(d, k):
    """Returns the k others nearest to each row by d, whose elements (i, j) lead from i to j."""
    d = d.copy()
    np.fill_diagonal(d, np.inf)
    return np.argsort(d, axis=1, kind="stable")[:, :k]


def right(d, label):
    votes = label[nearest(d, VOTERS)]
    return np.mean([np.bincount(v).argmax() for v in votes] == label)


def ours(unfold, holed, work, near=None):
    data, made = os.path.join(work, "x.npy"), os.path.join(work, "map.npy")
    np.save(data, holed.astype(np.float32))
    more = []
    if near is not None:
        np.save(os.path.join(work, "near.npy"), near.astype(np.int32))
        more = ["--neighbors-file", os.path.join(work, "near.npy")]
    subprocess.run([unfold, "-q", "fit", data, "--missing", "mean", "-o", os.path.join(work, "m.unfold"), "--map", made, *more], check=True, capture_output=True)
    return squared(np.load(made).astype(np.float64))


def theirs(filled):
    import umap

    return squared(umap.UMAP(random_state=1).fit_transform(filled.astype(np.float32)).astype(np.float64))


def cell(unfold, x, label, kind, share, rng, work):
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer, KNNImputer

    hole = holes(kind, share, x.shape, rng)
    hole[hole.all(1), 0] = False  # nothing is to be known of a row that has no value
    holed = np.where(hole, np.nan, x)
    means, variances = np.nanmean(holed, 0), np.nanvar(holed, 0)
    filled = np.where(hole, means, x)
    mean = squared(filled)
    expected = mean + (hole * variances).sum(1)
    return [
        right(mean, label),
        right(expected, label),
        right(ours(unfold, holed, work), label),
        right(ours(unfold, holed, work, nearest(expected, NEAR)), label),
        right(theirs(KNNImputer().fit_transform(holed)), label),
        right(theirs(IterativeImputer(n_nearest_features=FEATURES, max_iter=ITERATIONS, random_state=1).fit_transform(holed)), label),
    ]


def main():
    import sklearn
    import umap

    unfold, data, out, page = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    table, found = [], []
    for name, load in {"USPS digits": usps, "KDD Cup 1999": kdd}.items():
        x, label = load(data)
        rng = np.random.default_rng(1)
        # The first of equal rows: copies would be found whatever is missing.
        first = np.sort(np.unique(x, axis=0, return_index=True)[1])
        rows = rng.permutation(first)[:ROWS]
        x, label = x[rows], label[rows]
        x = x[:, x.std(0) > 0]
        x = (x - x.mean(0)) / x.std(0)
        for kind in ["even", "uneven"]:
            for share in [0.05, 0.2, 0.5]:
                path = os.path.join(out, f"{load.__name__}-{kind}-{share}.json")
                if not os.path.exists(path):
                    with tempfile.TemporaryDirectory() as work:
                        got = cell(unfold, x, label, kind, share, np.random.default_rng(2), work)
                    with open(path, "w") as f:
                        json.dump(got, f)
                with open(path) as f:
                    got = json.load(f)
                found.append((kind, got))
                table.append(f"| {name} | {kind}, {share:.0%} | " + " | ".join(f"{v:.3f}" for v in got) + " |")
                print(table[-1], flush=True)
    differences = []
    for kind in ["even", "uneven"]:
        gains = [[g[1] - g[0] for k, g in found if k == kind], [g[3] - g[2] for k, g in found if k == kind]]
        differences.append(f"| {kind} | " + " | ".join(f"{min(g):+.3f} to {max(g):+.3f}" for g in gains) + " |")
    text = PAGE.format(
        rows=f"{ROWS:,}", beta=f"{BETA} and {BETA}", near=NEAR, sklearn=sklearn.__version__, umap=umap.__version__, features=FEATURES, iterations=ITERATIONS,
        table="\n".join(table), differences="\n".join(differences),
    )
    with open(page, "w") as f:
        f.write(text)


warnings.filterwarnings("ignore")
main()
