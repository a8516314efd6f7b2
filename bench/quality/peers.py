"""Make one map with a peer, and say what it took.

    peers.py METHOD INPUT.npy OUT.npy [--dims D] [--seed S] [--threads T] [--metric cosine] [--place TEST.npy PLACED.npy] [--untimed]

METHOD is umap, pacmap or opentsne, each with its own defaults, or dreams-pca or
dreams-mds, see dreams.py. Unless its time does not matter, before the map is made, the same work is done twice on the first 5,000 rows: the first time compiles
what numba compiles, the second measures the work itself. One line of
JSON on standard output reports, in seconds:

    embed    the map of all rows, everything compiled
    place    the places of the test rows, if asked for
    whole    as a user of a fresh process waits: start, imports, reading, compiling, embedding, writing
"""
import time

BEGIN = time.perf_counter()

import argparse
import json
import logging
import os
import platform
import sys
import warnings

WARM = 5000


def umap(args):
    import umap
    import numba

    numba.set_num_threads(args.threads)
    # A random_state would hold UMAP to one thread; the global seed leaves it both.
    return umap.__version__, lambda: umap.UMAP(n_components=args.dims, n_jobs=args.threads, metric=args.metric)


def pacmap(args):
    import importlib.metadata
    import pacmap
    import numba

    numba.set_num_threads(args.threads)
    distance = {"cosine": "angular"}.get(args.metric, args.metric)
    return importlib.metadata.version("pacmap"), lambda: pacmap.PaCMAP(n_components=args.dims, random_state=args.seed, distance=distance)


def opentsne(args):
    import importlib.metadata
    import openTSNE

    return importlib.metadata.version("openTSNE"), lambda: openTSNE.TSNE(n_components=args.dims, n_jobs=args.threads, random_state=args.seed, metric=args.metric)


class Dreams:
    """DREAMS with a reference that it makes itself, which is part of its work."""

    def __init__(self, args, reference):
        self.args, self.reference = args, reference

    def fit(self, rows):
        import dreams
        import numpy

        rows = rows.astype(numpy.float64)
        return dreams.embedder(self.reference(rows), self.args.threads, self.args.seed).fit(rows)


def dreams_pca(args):
    import dreams

    return opentsne(args)[0], lambda: Dreams(args, lambda rows: dreams.principal(rows, args.dims))


def dreams_mds(args):
    import dreams

    return opentsne(args)[0], lambda: Dreams(args, lambda rows: dreams.scaled(rows, args.dims, args.seed))


METHODS = {"umap": umap, "pacmap": pacmap, "opentsne": opentsne, "dreams-pca": dreams_pca, "dreams-mds": dreams_mds}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("method", choices=METHODS)
    p.add_argument("input")
    p.add_argument("output")
    p.add_argument("--dims", type=int, default=2)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--metric", default="euclidean", choices=["euclidean", "cosine"])
    p.add_argument("--place", nargs=2)
    p.add_argument("--untimed", action="store_true")
    args = p.parse_args()
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"]:
        os.environ[name] = str(args.threads)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)

    import numpy

    version, model = METHODS[args.method](args)
    x = numpy.ascontiguousarray(numpy.load(args.input), dtype=numpy.float32)
    test = numpy.load(args.place[0]).astype(numpy.float32) if args.place else None

    def work(rows, queries):
        """Returns the map, the places, and the seconds of both."""
        numpy.random.seed(args.seed)
        m = model()
        clock = time.perf_counter()
        if args.method in ("opentsne", "dreams-pca", "dreams-mds"):
            m = y = m.fit(rows)
        elif queries is None:
            y = m.fit_transform(rows)
        else:
            m = m.fit(rows)
            y = m.embedding_
        embed = time.perf_counter() - clock
        clock = time.perf_counter()
        placed = None if queries is None else m.transform(queries)
        return y, placed, embed, time.perf_counter() - clock

    warm = []
    for _ in range(0 if args.untimed else 2):
        clock = time.perf_counter()
        work(x[:WARM], None if test is None else test[: WARM // 5])
        warm.append(time.perf_counter() - clock)
    y, placed, embed, place = work(x, test)
    if not numpy.isfinite(y).all():
        sys.exit("the map is not finite")
    numpy.save(args.output, numpy.asarray(y, dtype=numpy.float32))
    if placed is not None:
        numpy.save(args.place[1], numpy.asarray(placed, dtype=numpy.float32))
    # The rehearsals' own work is no part of what a user waits for; compiling is.
    whole = time.perf_counter() - BEGIN - sum(warm[1:]) - min(warm, default=0)
    print(json.dumps({"version": version, "python": platform.python_version(), "embed": embed, "place": place, "whole": whole}))


main()
