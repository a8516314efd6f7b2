"""Times `unfold clusters` beside fast_hdbscan: 70,000 digits in 10 principal components.

    python bench/clusters/speed.py UNFOLD DATA

prints a table in Markdown. DATA is the folder that UNFOLD_DATA names. Python needs numpy and fast_hdbscan,
whose code is compiled before it is timed; unfold's time is that of the whole command with reading and writing.
"""

import csv, gzip, os, subprocess, sys, tempfile, time, warnings

import numpy as np
import fast_hdbscan

warnings.filterwarnings("ignore")


def digits(data):
    parts = []
    for part in ("train", "t10k"):
        with gzip.open(f"{data}/mnist/{part}-images-idx3-ubyte.gz") as f:
            parts.append(np.frombuffer(f.read(), np.uint8, offset=16).reshape(-1, 784))
    x = np.vstack(parts).astype(np.float32)
    x -= x.mean(0)
    _, axes = np.linalg.eigh(x.T @ x)
    return np.ascontiguousarray(x @ axes[:, -10:])


def main():
    unfold, data = sys.argv[1:]
    x = digits(data)
    fast_hdbscan.HDBSCAN(min_cluster_size=50).fit(x[:2000])
    print("| run | unfold, s | fast_hdbscan, s | ratio | clusters | rows with the same cluster |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x)
        for run in (1, 2):
            begin = time.time()
            subprocess.run([unfold, "-q", "clusters", f"{folder}/x.npy", "-o", f"{folder}/out.csv"], check=True, capture_output=True)
            ours = time.time() - begin
            begin = time.time()
            peer = fast_hdbscan.HDBSCAN(min_cluster_size=50, min_samples=50).fit(x).labels_
            theirs = time.time() - begin
            with open(f"{folder}/out.csv") as f:
                label = np.array([int(row["cluster"]) for row in csv.DictReader(f)])
            same = sum((peer[label == c] == np.bincount(peer[label == c] + 1).argmax() - 1).sum() for c in np.unique(label))
            print(f"| {run} | {ours:.1f} | {theirs:.1f} | {theirs / ours:.1f} | {label.max() + 1} and {peer.max() + 1} | {same} of {len(x)} |", flush=True)


main()
