"""Measure a peer of one row.

    peers.py TASK THREADS ROUNDS ARGS...

One line of JSON at the end says what was measured, in the words of record.go:
series of samples, versions, and what is missing because it is not installed.
Whatever is compiled at the first call is called once before it is measured.
"""
import gzip
import importlib.metadata
import json
import os
import platform
import sys
import time
import warnings

TASK, THREADS, ROUNDS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ARGS = sys.argv[4:]
PATIENCE = 600  # seconds of measuring one figure, after which there is no further round

import numpy as np

np.random.seed(1)
series, versions, missing, notes = [], {"Python": platform.python_version()}, [], []


def add(who, what, unit, samples):
    series.append({"who": who, "what": what, "unit": unit, "samples": [float(v) for v in samples]})


def timed(f):
    """Seconds of every round, and the last result."""
    out, begin = [], time.perf_counter()
    for _ in range(ROUNDS):
        clock = time.perf_counter()
        result = f()
        out.append(time.perf_counter() - clock)
        if time.perf_counter() - begin > PATIENCE:
            break
    return out, result


def note_version(*packages):
    for p in packages:
        versions[p] = importlib.metadata.version(p)


def read_idx(*paths):
    """The vectors of idx.gz files of bytes, one after the other, as float32."""
    out = []
    for path in paths:
        with gzip.open(path) as f:
            data = f.read()
        shape = np.frombuffer(data, ">i4", data[3], 4)
        out.append(np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape[0], -1))
    return np.concatenate(out).astype(np.float32)


def whole():
    """WHO MAP IMAGES...: from files to a map, once; the process is measured from outside."""
    who, path, images = ARGS[0], ARGS[1], ARGS[2:]
    from sklearn.decomposition import PCA

    if who == "PaCMAP":
        import pacmap

        note_version("pacmap", "scikit-learn")
        model = pacmap.PaCMAP(random_state=1)
    else:
        import umap

        note_version("umap-learn", "pynndescent", "scikit-learn")
        # A random_state would hold UMAP to one thread; the global seed leaves it all.
        model = umap.UMAP(n_jobs=THREADS)
    z = PCA(50, random_state=1).fit_transform(read_idx(*images))
    np.save(path, np.asarray(model.fit_transform(z), dtype=np.float32))


def pca():
    """IMAGES..."""
    from sklearn.decomposition import PCA

    note_version("scikit-learn")
    x = read_idx(*ARGS)
    add("scikit-learn", "fit", "s", timed(lambda: PCA(50, svd_solver="randomized", random_state=1).fit(x))[0])


def exact():
    """VECTORS.npy K"""
    import faiss

    note_version("faiss-cpu")
    faiss.omp_set_num_threads(THREADS)
    x, k = np.load(ARGS[0]), int(ARGS[1])

    def search():
        index = faiss.IndexFlatL2(x.shape[1])
        index.add(x)
        return index.search(x, k + 1)

    add("faiss IndexFlatL2", "graph", "s", timed(search)[0])


def transform():
    """CALLS TRAIN TEST: one row at a time on a map of the training images."""
    import umap
    from sklearn.decomposition import PCA

    note_version("umap-learn", "pynndescent", "scikit-learn")
    calls, test = int(ARGS[0]), read_idx(ARGS[2])
    p = PCA(50, random_state=1)
    model = umap.UMAP(n_jobs=THREADS).fit(p.fit_transform(read_idx(ARGS[1])))

    def place(rows):
        return model.transform(p.transform(rows))

    for i in range(max(2, calls // 10)):
        place(test[i : i + 1])
    halves, tails = [], []
    for _ in range(ROUNDS):
        took = []
        for i in range(calls):
            clock = time.perf_counter()
            place(test[i : i + 1])
            took.append(time.perf_counter() - clock)
        took.sort()
        halves.append(took[calls // 2])
        tails.append(took[min(int(0.99 * calls), calls - 1)])
    add("umap-learn", "one, p50", "s", halves)
    add("umap-learn", "one, p99", "s", tails)
    took, _ = timed(lambda: place(test))
    add("umap-learn", "in batches", "1/s", [len(test) / s for s in took])


TASKS = {f.__name__: f for f in [whole, pca, exact, transform]}

warnings.filterwarnings("ignore")
try:
    TASKS[TASK]()
except ImportError as e:
    missing.append("%s is not installed" % e.name)
print(json.dumps({"series": series, "versions": versions, "missing": missing, "notes": notes}))
