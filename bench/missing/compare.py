"""Compare ways to learn a map of rows with missing values, and write docs/decisions/missing.md.

    compare.py UNFOLD DATA OUT PAGE

UNFOLD is the program, DATA the folder that holds usps/, kddcup99/ and oil/, PAGE what is written. Cells of the table go
to the folder OUT, each when it is measured; those that are there are taken as they are. Python needs what bench/ep/supervise.txt lists. The essay of the page is in it.
"""
import csv
import gzip
import json
import os
import resource
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

with means in the holes of x' and y', and v the sum of the variances of a row's missing values. For a row x, the order of the other rows is by
|x' - y'|^2 + v(y), the distance of (x', 0) from (y', sqrt(v(y))). `--missing mean` leaves v out; a row of many holes is then a neighbour of many.

**Decision**: the program has `--missing mean`, and no `--missing distance`.

## What was measured

{rows} rows of each set. Even holes are drawn for each value. Uneven holes depend on the row: some are nearly whole, others nearly empty (the
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

Each row would need two vectors: (x', 0) to search by, and (x', sqrt(v)) to be found by. Lists, indexes and spanning trees have one vector
for each row and assume symmetric distances. An event would not lie where an equal row lies. And the maps are no better. `--missing mean --neighbors-file` accepts
lists of another program; events are placed by means there, too.

## Kind gplvm

The columns of a Gaussian process latent variable model are independent given the places. So missing values drop out of its likelihood, and of the
bound that `--supervise` maximizes: each column is a process of the rows in which it is observed. `--missing auto`, the default, does that, and
`--missing mean` learns from means. {learnt} rows are learnt in {dims} dimensions and {steps} steps, by `--supervise` with the labels of every fifth
row. Holes are even and only in these rows. {placed} other rows are placed. Means of {draws} draws:

- class: the share of placed rows whose class is right, by `--supervise` the model's own, otherwise that of most of the nine nearest learnt rows;
- holes: the root mean square error of what the model predicts for the missing values, as a share of that of the means;
- time: of learning, as a multiple of that with means.

| set | kind | holes | class, mean | class, auto | holes, mean | holes, auto | time |
|---|---|---|---:|---:|---:|---:|---:|
{processes}

{words}
"""
LEARNT, PLACED, DIMS, STEPS, DRAWS, LABELLED = 300, 300, 5, 40, 2, 5
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


def oil(data):
    x, label = [], []
    for part in ["Trn", "Tst"]:
        x.append(np.loadtxt(os.path.join(data, "oil", f"Data{part}.txt")))
        label.append(np.loadtxt(os.path.join(data, "oil", f"Data{part}Lbls.txt")).argmax(1))
    return np.concatenate(x), np.concatenate(label)


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


def process(unfold, x, label, share, supervised, missing, rng, work):
    """Returns the share of right classes, the error of what was missing, and the seconds of learning."""
    rows = rng.permutation(len(x))[: LEARNT + PLACED]
    x, label = x[rows], label[rows]
    hole = holes("even", share, (LEARNT, x.shape[1]), rng)
    hole[hole.all(1), 0] = False
    keep = x[:LEARNT].std(0) > 0
    x, hole = x[:, keep], hole[:, keep]
    at = {name: os.path.join(work, name) for name in ["learn.csv", "place.csv", "m.unfold", "map.npy", "placed.csv", "back.npy"]}
    names = [f"v{c}" for c in range(x.shape[1])]
    for path, part, lost in [(at["learn.csv"], slice(0, LEARNT), hole), (at["place.csv"], slice(LEARNT, None), None)]:
        with open(path, "w") as f:
            f.write(",".join(names) + ",kind\n")
            for i, row in enumerate(x[part]):
                cells = ["" if lost is not None and lost[i, c] else f"{v:.6g}" for c, v in enumerate(row)]
                f.write(",".join(cells) + "," + (f"k{label[i]}" if lost is not None and i % LABELLED == 0 else "") + "\n")
    more = ["--supervise", "kind"] if supervised else ["--keep", "kind"]
    call = lambda *args: subprocess.run([unfold, "-q", *args], check=True, capture_output=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    call("fit", at["learn.csv"], "--columns", "v*", "--kind", "gplvm", "--pca", "none", "--dims", str(DIMS), "--steps", str(STEPS), "--missing", missing,
         "-o", at["m.unfold"], "--map", at["map.npy"], *more)
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    call("embed", at["place.csv"], "-m", at["m.unfold"], "-o", at["placed.csv"])
    call("decode", at["map.npy"], "-m", at["m.unfold"], "-o", at["back.npy"])
    with open(at["placed.csv"]) as f:
        placed = list(csv.DictReader(f))
    if supervised:
        right = np.mean([p["class"] == f"k{k}" for p, k in zip(placed, label[LEARNT:])])
    else:
        y = np.array([[float(p[f"embedding_{c}"]) for c in range(DIMS)] for p in placed])
        there = np.load(at["map.npy"]).astype(np.float64)
        d = ((y[:, None] - there) ** 2).sum(2)
        right = np.mean([np.bincount(label[near]).argmax() for near in np.argsort(d, 1, kind="stable")[:, :VOTERS]] == label[LEARNT:])
    back = np.load(at["back.npy"]).astype(np.float64)
    means = np.nanmean(np.where(hole, np.nan, x[:LEARNT]), 0)
    error = ((back - x[:LEARNT])[hole] ** 2).mean() / ((means - x[:LEARNT])[hole] ** 2).mean()
    return [float(right), float(np.sqrt(error)), took]


def processes(unfold, data, out):
    """Measures kind gplvm. Returns the rows of the table, and what they say."""
    table, better, errors = [], [], []
    for name, load, kinds in [("Oil flow", oil, [False, True]), ("USPS digits", usps, [True])]:
        x, label = load(data)
        for supervised in kinds:
            for share in [0.1, 0.3]:
                path = os.path.join(out, f"gplvm-{load.__name__}-{'supervised' if supervised else 'alone'}-{share}.json")
                if not os.path.exists(path):
                    got = []
                    for draw in range(DRAWS):
                        with tempfile.TemporaryDirectory() as work:
                            got.append([process(unfold, x, label, share, supervised, missing, np.random.default_rng(draw), work) for missing in ["mean", "auto"]])
                    with open(path, "w") as f:
                        json.dump(got, f)
                with open(path) as f:
                    mean, auto = np.array(json.load(f)).mean(0)
                better.append(auto[0] - mean[0])
                errors.append((mean[1], auto[1]))
                kind = "`--supervise`" if supervised else "gplvm"
                table.append(f"| {name} | {kind} | {share:.0%} | {mean[0]:.3f} | {auto[0]:.3f} | {mean[1]:.2f} | {auto[1]:.2f} | {auto[2] / mean[2]:.1f} |")
                print(table[-1], flush=True)
    words = (f"Differences in class are {min(better):+.3f} to {max(better):+.3f}. Errors of missing values are {min(e[1] for e in errors):.2f} to "
             f"{max(e[1] for e in errors):.2f} of those of\nthe means, and {min(e[0] for e in errors):.2f} to {max(e[0] for e in errors):.2f} of them if the model was learnt from means.")
    return "\n".join(table), words


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
    of_processes, words = processes(unfold, data, out)
    text = PAGE.format(
        learnt=LEARNT, placed=PLACED, dims=DIMS, steps=STEPS, draws=DRAWS, processes=of_processes, words=words,
        rows=f"{ROWS:,}", beta=f"{BETA} and {BETA}", near=NEAR, sklearn=sklearn.__version__, umap=umap.__version__, features=FEATURES, iterations=ITERATIONS,
        table="\n".join(table), differences="\n".join(differences),
    )
    with open(page, "w") as f:
        f.write(text)


warnings.filterwarnings("ignore")
main()
