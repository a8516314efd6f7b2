"""Distances of the program that SciPy has, too."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unfold_live import Unfold


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "canberra", "braycurtis", "dice", "jaccard"])
def test_neighbours_are_scipys(metric: str) -> None:
    """The nearest other rows of each row are as near as SciPy's, in the map's graph."""
    rng = np.random.default_rng(3)
    x = rng.poisson(rng.gamma(0.5, 4, (3, 30))[np.arange(240) % 3]).astype(np.float32)
    if metric in ("dice", "jaccard"):
        x = (x > 0).astype(np.float32)
    x = np.unique(x, axis=0)
    graph = Unfold(metric=metric, n_neighbors=5, random_state=1).fit(x).graph_.tolil()
    rows, name = (x > 0, metric) if metric in ("dice", "jaccard") else (x, {"manhattan": "cityblock"}.get(metric, metric))
    want = np.nan_to_num(cdist(rows, rows, name))
    np.fill_diagonal(want, np.inf)
    for i, edges in enumerate(graph.rows):
        # The graph is symmetric, so that a row has its own neighbours, and rows that have it as one.
        assert np.sort(want[i, edges])[:5] == pytest.approx(np.sort(want[i])[:5], abs=1e-6)


@pytest.mark.parametrize("metric", ["braycurtis", "dice"])
def test_values_without_a_distance(metric: str) -> None:
    """Values that the metric is not defined for are refused."""
    with pytest.raises(ValueError, match=f"the metric {metric} takes"):
        Unfold(metric=metric).fit(np.random.default_rng(1).normal(size=(50, 4)))
