"""Follow a stream of events with a peer.

    peers.py METHOD FOLDER DIM FIRST BLOCK REFIT EVERY THREADS

FOLDER holds, little-endian: vectors.f32 (n x DIM), events.i32 (rows of vectors, one
an event), counts.i32 (for every block, how many reference points there are when it
comes) and members.i32 (which ones: rows of vectors, block by block). The first
FIRST events come before the blocks, BLOCK events make a block. For every block the
places of its reference points, then those of the distinct rows of its EVERY-th
events in ascending order, are appended to METHOD.f32 (2 columns). Nothing of a block is known when it is placed.

    umap   fitted to the reference set every REFIT events; what comes in between is
           transformed, and what has been placed since the fit keeps its place
    ipca   incremental PCA: every block is placed, then learnt by partial_fit

The last line of standard output is JSON.
"""
import json
import sys
import time
import warnings

METHOD, FOLDER = sys.argv[1], sys.argv[2]
DIM, FIRST, BLOCK, REFIT, EVERY, THREADS = map(int, sys.argv[3:])


def read(name, kind):
    return np.fromfile(FOLDER + "/" + name, kind)


def umap(x, members, events):
    import umap

    np.random.seed(1)
    at = np.full((len(x), 2), np.nan, np.float32)
    fits = 0
    for number, (known, new) in enumerate(zip(members, events[1:])):
        if number * BLOCK >= fits * REFIT:
            # A random_state would hold UMAP to one thread; the global seed leaves it all.
            model = umap.UMAP(n_jobs=THREADS).fit(x[known])
            at[:] = np.nan
            at[known] = model.embedding_
            fits += 1
        rows = np.unique(new[::EVERY])
        need = np.union1d(rows, known)
        missing = need[np.isnan(at[need, 0])]
        if len(missing):
            at[missing] = model.transform(x[missing])
        yield at[known], at[rows], fits


def ipca(x, members, events):
    from sklearn.decomposition import IncrementalPCA

    model = IncrementalPCA(2).partial_fit(x[events[0]])
    for number, (known, new) in enumerate(zip(members, events[1:])):
        yield model.transform(x[known]), model.transform(x[np.unique(new[::EVERY])]), number + 1
        if len(new) >= 2:
            model.partial_fit(x[new])


PACKAGES = {"umap": (umap, "umap-learn"), "ipca": (ipca, "scikit-learn")}

warnings.filterwarnings("ignore")
method, package = PACKAGES[METHOD]
try:
    import importlib.metadata

    import numpy as np

    version = importlib.metadata.version(package)
    __import__({"umap-learn": "umap", "scikit-learn": "sklearn"}[package])
except ImportError:
    print(json.dumps({"missing": package + " is not installed"}))
    sys.exit()

x = read("vectors.f32", "<f4").reshape(-1, DIM)
events = read("events.i32", "<i4")
events = [events[:FIRST]] + [events[i : i + BLOCK] for i in range(FIRST, len(events), BLOCK)]
members = np.split(read("members.i32", "<i4"), np.cumsum(read("counts.i32", "<i4"))[:-1])
begin, cpu, fits = time.perf_counter(), time.process_time(), 0
with open(FOLDER + "/" + METHOD + ".f32", "wb") as out:
    for known, new, fits in method(x, members, events):
        for places in known, new:
            np.ascontiguousarray(places, "<f4").tofile(out)
print(json.dumps({"version": package + " " + version, "fits": fits, "seconds": time.perf_counter() - begin, "cpu": time.process_time() - cpu}))
