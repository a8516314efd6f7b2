"""Counts how often clusters differ from hdbscan's because of equal distances: python bench/clusters/ties.py, with unfold_live installed.

A setting is stable if hdbscan finds the same clusters for 40 orders of the rows.
"""

import itertools

import hdbscan
import numpy as np
from sklearn.metrics import adjusted_rand_score

from unfold_live import UnfoldClusters

ORDERS = 40


def rows(seed):
    """Three groups of 60 rows of different densities, and 40 rows between them."""
    random = np.random.default_rng(seed)
    parts = [
        random.normal(size=(60, 3)) * s + c
        for s, c in ((0.3, [0, 0, 0]), (0.5, [3, 3, 1]), (0.2, [0, 3, 2]))
    ]
    return np.concatenate([*parts, random.uniform(-2, 5, size=(40, 3))])


def theirs(x, settings):
    return hdbscan.HDBSCAN(**settings, approx_min_span_tree=False).fit(x).labels_


def same(a, b):
    return adjusted_rand_score(a, b) == 1 and np.array_equal(a < 0, b < 0)


results = []
for method, size, m, seed in itertools.product(
    ("eom", "leaf"), (5, 15), (1, 5, 15), range(8)
):
    x = rows(seed)
    settings = {
        "min_cluster_size": size,
        "min_samples": m,
        "cluster_selection_method": method,
    }
    first, stable, itself = theirs(x, settings), True, 1.0
    for order in (np.random.default_rng(s).permutation(len(x)) for s in range(ORDERS)):
        again = np.empty(len(x), int)
        again[order] = theirs(x[order], settings)
        itself = min(itself, adjusted_rand_score(first, again))
        stable = stable and same(first, again)
    ours = {
        ties: UnfoldClusters(**settings, ties=ties).fit(x).labels_
        for ties in ("hdbscan", "together")
    }
    results.append(
        (
            method,
            stable,
            itself,
            {
                t: (same(first, v), adjusted_rand_score(first, v))
                for t, v in ours.items()
            },
        )
    )
for method in ("eom", "leaf"):
    of = [r for r in results if r[0] == method]
    print(
        f"{method}: {len(of)} settings, {sum(r[1] for r in of)} stable; hdbscan beside itself: least ARI {min(r[2] for r in of):.3f}"
    )
    for ties in ("hdbscan", "together"):
        stable = [r[3][ties][0] for r in of if r[1]]
        print(
            f"  {ties}: {sum(stable)} of {len(stable)} stable ones equal, least ARI of all {min(r[3][ties][1] for r in of):.3f}"
        )
