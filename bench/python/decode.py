"""Measures unfold decode beside umap-learn's inverse_transform, for docs/decisions/decode.md.

    decode.py UNFOLD [--umap] TRAIN [TEST]

TRAIN and TEST are images as IDX files (gzip). Without TEST 5,000 rows are drawn, 1,000 of which are held out.
Both libraries learn from the other rows with their defaults, place the held-out rows, and decode these places. A
line of JSON says by how much the vectors are off: the mean squared error over that of the mean vector. Seconds are of
user time: of the whole process of unfold, and of umap-learn's second call, without what it compiles in the first.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np


def images(path: str) -> np.ndarray[Any, Any]:
    """Return the rows of an IDX file of bytes."""
    raw = gzip.decompress(Path(path).read_bytes())
    sizes = [int.from_bytes(raw[4 + 4 * i : 8 + 4 * i], "big") for i in range(raw[3])]
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(sizes[0], -1).astype(np.float32)


def user(who: int) -> float:
    """Return the user time so far, in seconds."""
    return resource.getrusage(who).ru_utime


def nearest(train: np.ndarray[Any, Any], on_map: np.ndarray[Any, Any], at: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the rows whose places are nearest."""
    return train[((at[:, None] - on_map[None]) ** 2).sum(2).argmin(1)]


def unfold(program: str, train: np.ndarray[Any, Any], test: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return vectors, those nearest, predicted errors and the time of unfold."""
    with tempfile.TemporaryDirectory() as folder:

        def run(*args: str) -> float:
            before = user(resource.RUSAGE_CHILDREN)
            subprocess.run([program, "-q", *args], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            return user(resource.RUSAGE_CHILDREN) - before

        def load(name: str) -> np.ndarray[Any, Any]:
            return np.load(Path(folder, name))

        np.save(Path(folder, "train.npy"), train)
        np.save(Path(folder, "test.npy"), test)
        run("fit", "train.npy", "-o", "m.unfold", "--map", "map.npy")
        run("embed", "test.npy", "-m", "m.unfold", "-o", "at.npy")
        seconds = run("decode", "at.npy", "-m", "m.unfold", "-o", "back.npy")
        run("decode", "at.npy", "-m", "m.unfold", "-o", "back.csv")
        table = np.genfromtxt(Path(folder, "back.csv"), delimiter=",", names=True, usecols=(0, 1), encoding=None)
        return {"x": load("back.npy"), "nearest": nearest(train, load("map.npy"), load("at.npy")), "error": table["vector_sigma"], "seconds": seconds}


def umap_learn(train: np.ndarray[Any, Any], test: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return the same of umap-learn, which predicts no errors."""
    import umap

    model = umap.UMAP(random_state=1).fit(train)
    at = model.transform(test)
    model.inverse_transform(at[:20])
    before = user(resource.RUSAGE_SELF)
    x = model.inverse_transform(at)
    return {"x": x, "nearest": nearest(train, model.embedding_, at), "seconds": user(resource.RUSAGE_SELF) - before}


def main() -> None:
    """Measure."""
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("program")
    flags.add_argument("files", nargs="+")
    flags.add_argument("--umap", action="store_true")
    o = flags.parse_args()
    train = images(o.files[0])
    if len(o.files) > 1:
        test = images(o.files[1])
    else:
        rows = np.random.default_rng(1).permutation(len(train))[:5000]
        train, test = train[rows[1000:]], train[rows[:1000]]
    mean = float(((test - train.mean(0)) ** 2).mean())
    for name, found in [("unfold", unfold(str(Path(o.program).resolve()), train, test)), *([("umap-learn", umap_learn(train, test))] if o.umap else [])]:
        square = ((found["x"] - test) ** 2).mean(1)
        line = {"of": name, "error": square.mean() / mean, "nearest": ((found["nearest"] - test) ** 2).mean() / mean, "user_seconds": found["seconds"]}
        if "error" in found:
            line["predicted_over_true"] = np.sqrt((found["error"] ** 2).mean() / square.mean())
            # True errors of the fifth of the vectors whose errors are predicted least, and most.
            order = np.argsort(found["error"])
            fifth = len(order) // 5
            line["least_fifth"], line["most_fifth"] = (square[part].mean() / mean for part in (order[:fifth], order[-fifth:]))
        print(json.dumps({key: value if isinstance(value, str) else round(float(value), 4) for key, value in line.items()}), flush=True)


if __name__ == "__main__":
    main()
