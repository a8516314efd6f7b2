"""Fits and places by one library, and prints what that took as JSON.

    times.py data FOLDER MNIST                        the rows, from the folder of MNIST's files
    times.py fit unfold|umap FOLDER SET THREADS BEGAN    BEGAN: when the process was started, in Unix seconds
    times.py clusters FOLDER THREADS ROUNDS           clusters by all packages, in turns
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

#: Images that are fitted, as many others are placed; numbers of rows, and principal components, of the smaller sets.
IMAGES, ROWS, DIM = 10_000, (1_000, 5_000, 20_000), 50

#: Rows and principal components for clusters.
CLUSTERED, CLUSTERED_DIM = 50_000, 10


def data(folder: Path, mnist: Path, small: bool) -> None:
    """Write rows to fit and rows to place, of both sets."""
    import gzip

    raw = gzip.decompress((mnist / "train-images-idx3-ubyte.gz").read_bytes())
    images = np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 784).astype(np.float32)
    if small:
        images = images[:1000]
    half = len(images) // 2
    centred = images - images[:half].mean(0)
    _, axes = np.linalg.eigh(centred[:half].T @ centred[:half])
    parts = centred @ axes[:, : -DIM - 1 : -1]
    for name, x, n in (("images", images, IMAGES), *((f"parts-{n}", parts, n) for n in ROWS)):
        n = min(n, half)
        np.save(folder / f"{name}.npy", np.ascontiguousarray(x[:n], dtype=np.float32))
        np.save(folder / f"{name}-new.npy", np.ascontiguousarray(x[half : half + n], dtype=np.float32))
    np.save(folder / "clustered.npy", np.ascontiguousarray(parts[:CLUSTERED, :CLUSTERED_DIM]))


def processor() -> float:
    """Return the seconds of processor time of this process and of its children, which may still run."""
    total = time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    for thread in Path("/proc/self/task").iterdir():
        for child in (thread / "children").read_text().split():
            # The fields after the name, which may hold spaces.
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def fit(who: str, folder: Path, name: str, threads: int, began: float) -> None:
    """Fit and place, twice each."""
    x, new = np.load(folder / f"{name}.npy"), np.load(folder / f"{name}-new.npy")
    out: dict[str, Any] = {"rows": len(x), "dim": x.shape[1]}

    def model() -> Any:
        if who == "unfold":
            from unfold_live import Unfold

            return Unfold(n_jobs=threads)
        from umap import UMAP

        return UMAP(n_jobs=threads)

    def timed(name: str, call: Any, begin: float, used: float) -> None:
        call()
        out[name], out[name + "_cpu"] = time.time() - begin, processor() - used

    first, again = model(), None
    timed("cold_fit", lambda: first.fit_transform(x), began, 0)
    timed("cold_transform", lambda: first.transform(new), time.time(), processor())
    again = model()
    timed("warm_fit", lambda: again.fit_transform(x), time.time(), processor())
    timed("warm_transform", lambda: first.transform(new), time.time(), processor())
    for m in (first, again):
        if who == "unfold":
            m.close()
    out["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    out["child"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 if who == "unfold" else 0
    print(json.dumps(out))


def clusters(folder: Path, threads: int, rounds: int) -> None:
    """Find clusters by each package that is installed, in turns. Code is compiled before it is timed."""
    import importlib.util

    x = np.load(folder / "clustered.npy")
    out: dict[str, Any] = {"rows": len(x), "dim": x.shape[1], "by": {}}
    size = 50

    def unfold() -> Any:
        from unfold_live import UnfoldClusters

        return UnfoldClusters(size, n_jobs=threads)

    def hdbscan() -> Any:
        import hdbscan

        return hdbscan.HDBSCAN(min_cluster_size=size, min_samples=size, core_dist_n_jobs=threads)

    def fast_hdbscan() -> Any:
        import fast_hdbscan

        return fast_hdbscan.HDBSCAN(min_cluster_size=size, min_samples=size)

    makers = [m for m in (unfold, fast_hdbscan, hdbscan) if m is unfold or importlib.util.find_spec(m.__name__) is not None]
    os.environ["NUMBA_NUM_THREADS"] = str(threads)
    for make in makers:
        make().fit(x[:2000])
        out["by"][make.__name__] = {"wall": [], "cpu": [], "clusters": 0}
    for _ in range(rounds):
        for make in makers:
            used, begin = processor(), time.time()
            labels = make().fit(x).labels_
            figures = out["by"][make.__name__]
            figures["wall"].append(time.time() - begin)
            figures["cpu"].append(processor() - used)
            figures["clusters"] = int(labels.max()) + 1
    print(json.dumps(out))


if __name__ == "__main__":
    if sys.argv[1] == "data":
        data(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:] == ["small"])
    elif sys.argv[1] == "clusters":
        clusters(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    else:
        fit(sys.argv[2], Path(sys.argv[3]), sys.argv[4], int(sys.argv[5]), float(sys.argv[6]))
