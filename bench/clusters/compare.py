"""Which space to look for clusters in: the input, maps of several dimensions, the map.

    python bench/clusters/compare.py UNFOLD DATA [SET...]

prints the first table of "Clusters" in docs/reference/decisions.md. DATA is the folder that UNFOLD_DATA names; sets are digits
(which comes with the repository), oil, usps and mnist, all four by default. Only Python is needed.
"""

import csv, gzip, os, re, subprocess, sys, tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testdata")


def write(path, rows):
    """Writes a table of label and values."""
    with open(path, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["label"] + [f"v{k}" for k in range(len(rows[0]) - 1)])
        w.writerows(rows)


def oil(data, out):
    rows = []
    for part in ("Trn", "Vdn", "Tst"):
        with open(f"{data}/oil/Data{part}.txt") as x, open(f"{data}/oil/Data{part}Lbls.txt") as y:
            rows += [["abc"[label.split().index(max(label.split(), key=float))]] + values.split() for values, label in zip(x, y) if values.strip()]
    write(out, rows)
    return ["--columns", "*", "--label", "label"], [out]


def usps(data, out):
    rows = []
    with gzip.open(f"{data}/usps/zip.train.gz", "rt") as f:
        for line in f:
            label, *values = line.split()
            rows.append(["d" + label[0]] + values)
    write(out, rows)
    return ["--columns", "*", "--label", "label"], [out]


def digits(data, out):
    return ["--label-file", f"{HERE}/digits/train-labels-idx1-ubyte.gz"], [f"{HERE}/digits/train-images-idx3-ubyte.gz"]


def mnist(data, out):
    return ["--label-file", f"{data}/mnist/t10k-labels-idx1-ubyte.gz"], [f"{data}/mnist/t10k-images-idx3-ubyte.gz"]


def run(*args):
    return subprocess.run(args, check=True, capture_output=True, text=True).stdout


def main():
    unfold, data, *names = sys.argv[1:]
    sets = {"digits": digits, "oil": oil, "usps": usps, "mnist": mnist}
    print("| set | where | fewest | m | clusters | noise | adjusted Rand | information |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names or sets:
            flags, files = sets[name](data, f"{folder}/{name}.csv")
            spaces = {"input": (files, flags)}
            for dims in (10, 5, 2):
                path = f"{folder}/{name}-{dims}.parquet"
                run(unfold, "-q", "fit", *files, *flags, "--dims", str(dims), "-o", f"{folder}/m.unfold", "--map", path)
                spaces[f"map of {dims}"] = ([path], ["--label", "label"])
            for size, samples in ((50, 50), (50, 5), (20, 20), (20, 5)):
                for where, (inputs, columns) in spaces.items():
                    out = run(unfold, "-q", "clusters", *inputs, *columns, "--min-size", str(size), "--min-samples", str(samples))
                    found, noise = re.search(r": ([\d,]+) clusters? of at least \d+, ([\d.]+)% noise", out).groups()
                    rand, = re.search(r"adjusted Rand +(\S+)", out).groups()
                    information, = re.search(r"information +(\S+)", out).groups()
                    print(f"| {name} | {where} | {size} | {samples} | {found} | {noise} % | {float(rand):.3f} | {float(information):.3f} |", flush=True)


main()
