"""Compare the density of maps by --density with densMAP's, as docs/decisions/density.md does.

    compare.py UNFOLD FOLDER...

UNFOLD is the program; each FOLDER holds input.npy, the rows that maps are made of, and
beside.csv, with a column label if there are labels, as `quality -quick` leaves them in
OUT/quick/data. Maps are of at most 4,000 distinct rows, drawn by a fixed seed, and scored by
`unfold score` against these rows, ranks of all. Python needs what
bench/quality/requirements.txt lists. A table is printed in Markdown.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy

ROWS = 4000
POWERS = [0, 1, 1.5, 2, 3]


def load(folder):
    """Returns the rows, and their labels or None."""
    x = numpy.load(os.path.join(folder, "input.npy"))
    table = list(csv.DictReader(open(os.path.join(folder, "beside.csv"))))
    label = [row["label"] for row in table] if table and "label" in table[0] else None
    first = numpy.unique(x, axis=0, return_index=True)[1]
    rows = numpy.sort(numpy.random.default_rng(1).permutation(first)[:ROWS])
    return x[rows].astype(numpy.float32), label and [label[i] for i in rows]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def densmap(x):
    import umap

    return umap.UMAP(densmap=True, random_state=1).fit_transform(x)


def compare(unfold, folder, work):
    x, label = load(folder)
    data, beside, made = (os.path.join(work, name) for name in ["data.npy", "beside.csv", "map.npy"])
    numpy.save(data, x)
    with open(beside, "w", newline="") as f:
        csv.writer(f).writerows([["row", "label"]] + [[i, v] for i, v in enumerate(label or [])])

    def line(name):
        more = ["--beside", beside, "--label", "label", "--neighbors", "1"] if label else []
        s = json.loads(run(unfold, "score", "-q", "--json", "--sample", "0", "--data", data, made, *more))
        f, known = s["structure"], s.get("leave_one_out")
        print("| {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.4f} | {} |".format(
            os.path.basename(folder), name, f["density"], f["rnx_auc"], f["recall_at"][0], f["trustworthiness"],
            "{:.4f}".format(known["accuracy"][0]) if known else ""), flush=True)

    for power in POWERS:
        run(unfold, "fit", "-q", data, "--pca", "none", "--seed", "1", "--density", str(power), "-o", os.path.join(work, "m.unfold"), "--map", made)
        line("--density {:g}".format(power))
    numpy.save(made, densmap(x))
    line("densMAP")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    print("| set | map | density | R_NX | recall of 10 | trustworthiness | 1-NN |\n|---|---|---|---|---|---|---|", flush=True)
    for folder in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as work:
            compare(sys.argv[1], folder.rstrip("/"), work)
