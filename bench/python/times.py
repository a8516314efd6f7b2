"""Fits and places by one library, and prints what that took as JSON.

    times.py data FOLDER MNIST                        the rows, from the folder of MNIST's files
    times.py fit unfold|umap FOLDER SET THREADS BEGAN    BEGAN: when the process was started, in Unix seconds
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

#: Images that are fitted, as many others are placed; rows and principal components of the smaller set.
IMAGES, ROWS, DIM = 10_000, 5_000, 50


def data(folder: Path, mnist: Path, small: bool) -> None:
    """Write rows to fit and rows to place, of both sets."""
    import gzip

    raw = gzip.decompress((mnist / "train-images-idx3-ubyte.gz").read_bytes())
    images = np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 784)[: 2 * IMAGES].astype(np.float32)
    if small:
        images = images[:1000]
    half = len(images) // 2
    centred = images - images[:half].mean(0)
    _, axes = np.linalg.eigh(centred[:half].T @ centred[:half])
    parts = centred @ axes[:, : -DIM - 1 : -1]
    rows = min(ROWS, half)
    for name, x, n in (("images", images, half), ("parts", parts, rows)):
        np.save(folder / f"{name}.npy", np.ascontiguousarray(x[:n], dtype=np.float32))
        np.save(folder / f"{name}-new.npy", np.ascontiguousarray(x[half : half + n], dtype=np.float32))


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

    def seconds(begin: float) -> float:
        return time.time() - begin

    first = model()
    first.fit_transform(x)
    out["cold_fit"] = seconds(began)
    begin = time.time()
    first.transform(new)
    out["cold_transform"] = seconds(begin)
    again = model()
    begin = time.time()
    again.fit_transform(x)
    out["warm_fit"] = seconds(begin)
    begin = time.time()
    first.transform(new)
    out["warm_transform"] = seconds(begin)
    for m in (first, again):
        if who == "unfold":
            m.close()
    out["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    out["child"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 if who == "unfold" else 0
    print(json.dumps(out))


if __name__ == "__main__":
    if sys.argv[1] == "data":
        data(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:] == ["small"])
    else:
        fit(sys.argv[2], Path(sys.argv[3]), sys.argv[4], int(sys.argv[5]), float(sys.argv[6]))
