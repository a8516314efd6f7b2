"""Compares aligned maps of overlapping slices of digits with umap-learn's AlignedUMAP: python bench/aligned/compare.py.

It needs unfold_live, scikit-learn and umap-learn. The digits are in the order of their classes, in five slices of 400 rows, of which 250
are in the next one. Drift is the root mean square distance of shared rows on both maps, relative to the maps' radius of gyration.
"""

import warnings

import numpy as np
from sklearn.datasets import load_digits

from unfold_live import Unfold, UnfoldAligned

WIDTH, STEP, SLICES = 400, 150, 5


def r_nx(x, at):
    """Return the area under R_NX over the logarithm of the neighbourhood's size."""
    n = len(x)
    ranks = []
    for rows in (x, at):
        d = ((rows[:, None].astype(float) - rows[None]) ** 2).sum(axis=-1)
        np.fill_diagonal(d, -1)
        ranks.append(d.argsort(axis=1).argsort(axis=1))
    worse = np.maximum(*ranks)[~np.eye(n, dtype=bool)]
    k = np.arange(1, n - 1)
    q = np.cumsum(np.bincount(worse, minlength=n)[1 : n - 1]) / (k * n)
    return (((n - 1) * q - k) / (n - 1 - k) / k).sum() / (1 / k).sum()


def drift(a, b):
    apart = ((a[STEP:] - b[: WIDTH - STEP]) ** 2).sum(axis=1).mean()
    return np.sqrt(apart / ((a.var(axis=0).sum() + b.var(axis=0).sum()) / 2))


warnings.simplefilter("ignore")
x, y = load_digits(return_X_y=True)
x = x[np.argsort(y, kind="stable")]
slices = [x[k * STEP : k * STEP + WIDTH] for k in range(SLICES)]
relations = [{i + STEP: i for i in range(WIDTH - STEP)} for _ in range(SLICES - 1)]


def theirs():
    import umap

    return umap.AlignedUMAP(random_state=1).fit(slices, relations=relations).embeddings_


for name, fit in {
    "Unfold, each slice alone": lambda: [Unfold().fit_transform(s) for s in slices],
    "UnfoldAligned(sweeps=0)": lambda: UnfoldAligned(sweeps=0).fit_transform(
        slices, relations=relations
    ),
    "UnfoldAligned()": lambda: UnfoldAligned().fit_transform(
        slices, relations=relations
    ),
    "UnfoldAligned(sweeps=3)": lambda: UnfoldAligned(sweeps=3).fit_transform(
        slices, relations=relations
    ),
    "AlignedUMAP(random_state=1)": theirs,
}.items():
    maps = [np.asarray(m) for m in fit()]
    far = [drift(a, b) for a, b in zip(maps, maps[1:], strict=False)]
    good = [r_nx(s, m) for s, m in zip(slices, maps, strict=True)]
    print(
        f"| {name} | {np.mean(far):.3f} | {np.max(far):.3f} | {np.mean(good):.3f} | {np.min(good):.3f} |",
        flush=True,
    )
