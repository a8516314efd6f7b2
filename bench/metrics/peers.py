"""What the page of metrics compares with.

    peers.py sets DATA OUT            write the sets from the files in DATA
    peers.py lists FILE METRIC LISTS  judge lists by all distances from some rows
    peers.py maps N FILE METRIC MAP ...  make maps with umap-learn on N threads, one after the other

One line of JSON at the end says what was found. LISTS is JSON: rows, and the neighbours of each.
"""
import gzip
import json
import os
import platform
import sys
import time
import warnings

import numpy as np

DIGITS = 3000  # of each set of images
INK = 128  # the least value of a pixel that is a 1
COMPILED = 200  # rows of a map that is not measured


def labelled(out, name, labels):
    with open(os.path.join(out, name + "-labels.csv"), "w") as f:
        f.write("label\n" + "".join(f"{v}\n" for v in labels))


def idx(path):
    with gzip.open(path) as f:
        data = f.read()
    shape = np.frombuffer(data, ">i4", data[3], 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape)


def sets(data, out):
    usps = np.loadtxt(os.path.join(data, "usps", "zip.train.gz"), max_rows=DIGITS)
    np.save(os.path.join(out, "usps.npy"), ((usps[:, 1:] + 1) / 2).astype(np.float32))
    labelled(out, "usps", usps[:, 0].astype(int))

    grey = idx(os.path.join(data, "mnist", "train-images-idx3-ubyte.gz"))[:DIGITS].reshape(DIGITS, -1)
    np.save(os.path.join(out, "mnist.npy"), grey.astype(np.float32))
    np.save(os.path.join(out, "mnist-bits.npy"), (grey >= INK).astype(np.float32))
    labelled(out, "mnist", idx(os.path.join(data, "mnist", "train-labels-idx1-ubyte.gz"))[:DIGITS])

    with open(os.path.join(data, "climate", "ushcn-v2.5-stations.csv")) as f:
        stations = [line.split(",") for line in f]
    with open(os.path.join(out, "stations.csv"), "w") as f:
        f.write("lat,lon\n" + "".join(f"{s[1]},{s[2]}\n" for s in stations))
    labelled(out, "stations", [s[4].strip() for s in stations])
    return {}


def rows(path):
    return np.loadtxt(path, delimiter=",", skiprows=1) if path.endswith(".csv") else np.load(path)


def distances(q, x, metric):
    """All distances of q from x by the definition of the metric, in double precision."""
    from scipy.spatial.distance import cdist
    from sklearn.metrics.pairwise import haversine_distances

    if metric == "haversine":
        return haversine_distances(np.radians(q), np.radians(x))
    if metric == "hellinger":
        p, of = (np.sqrt(v / v.sum(1, keepdims=True)) for v in (q, x))
        return np.sqrt(np.maximum(1 - p @ of.T, 0))
    if metric in ("hamming", "jaccard"):
        return cdist(q > 0, x > 0, metric)
    return cdist(q, x, {"manhattan": "cityblock"}.get(metric, metric))


def lists(path, metric, found):
    """The share of places that hold a row as near as the true last neighbour, and the seconds of a list."""
    import scipy
    import sklearn

    with open(found) as f:
        found = json.load(f)
    x, of, near = rows(path).astype(np.float64), np.array(found["rows"]), np.array(found["lists"])
    k = near.shape[1]
    clock = time.perf_counter()
    d = distances(x[of], x, metric)
    d[np.arange(len(of)), of] = np.inf
    last = np.partition(d, k - 1, axis=1)[:, k - 1 : k]
    took = time.perf_counter() - clock
    if any(len(set(row)) < k for row in near.tolist()):
        sys.exit("a list names a row twice")
    # But for the rounding of single precision.
    hits = np.take_along_axis(d, near, 1) <= last * (1 + 1e-5)
    versions = {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__, "Python": platform.python_version()}
    return {"recall": float(hits.mean()), "seconds": took / len(of), "versions": versions}


def maps(threads, *jobs):
    """Seconds of the processor for each map. A map of its first rows is made before, so that all is compiled."""
    import umap

    np.random.seed(1)  # A random_state would hold UMAP to one thread; the global seed leaves it all.
    took = []
    for path, metric, to in zip(jobs[0::3], jobs[1::3], jobs[2::3]):
        x = rows(path)
        x = (np.radians(x) if metric == "haversine" else x).astype(np.float32)
        umap.UMAP(metric=metric, n_jobs=int(threads)).fit_transform(x[:COMPILED])
        clock = time.process_time()
        at = umap.UMAP(metric=metric, n_jobs=int(threads)).fit_transform(x)
        took.append(time.process_time() - clock)
        np.save(to, at.astype(np.float32))
    return {"maps": took, "versions": {"umap-learn": umap.__version__}}


warnings.filterwarnings("ignore")
print(json.dumps({"sets": sets, "lists": lists, "maps": maps}[sys.argv[1]](*sys.argv[2:])))
