"""Distances of the program that SciPy has, too."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unfold_live import Unfold

_NUMBERS = ["manhattan", "chebyshev", "canberra", "braycurtis", "minkowski:1.5", "minkowski:3", "mahalanobis"]
_BITS = ["dice", "jaccard", "rogerstanimoto", "sokalsneath"]


@pytest.mark.parametrize("metric", [*_NUMBERS, *_BITS])
def test_neighbours_are_scipys(metric: str) -> None:
    """The nearest other rows of each row are as near as SciPy's, in the map's graph."""
    rng = np.random.default_rng(3)
    x = rng.poisson(rng.gamma(0.5, 4, (3, 30))[np.arange(240) % 3]).astype(np.float32)
    if metric in _BITS:
        x = (x > 0).astype(np.float32)
    x = np.unique(x, axis=0)
    graph = Unfold(metric=metric, n_neighbors=5, random_state=1).fit(x).graph_.tolil()
    name, _, power = metric.partition(":")
    more = {"p": float(power)} if power else {}
    rows = x > 0 if metric in _BITS else x
    want = np.nan_to_num(cdist(rows, rows, {"manhattan": "cityblock"}.get(name, name), **more))
    np.fill_diagonal(want, np.inf)
    for i, edges in enumerate(graph.rows):
        # The graph is symmetric, so that a row has its own neighbours, and rows that have it as one.
        assert np.sort(want[i, edges])[:5] == pytest.approx(np.sort(want[i])[:5], abs=1e-6)


@pytest.mark.parametrize("metric", ["braycurtis", "dice"])
def test_values_without_a_distance(metric: str) -> None:
    """Values that the metric is not defined for are refused."""
    with pytest.raises(ValueError, match=f"the metric {metric} takes"):
        Unfold(metric=metric).fit(np.random.default_rng(1).normal(size=(50, 4)))
