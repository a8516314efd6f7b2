"""Functions as metrics, and given distances with a frame."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from unfold_live import Unfold

from .conftest import blobs

FEW = {"steps": 20}


def minkowski(a: Any, b: Any) -> float:
    """Return the Minkowski distance of order 3."""
    return float((np.abs(a - b) ** 3).sum() ** (1 / 3))


def distances(a: Any, b: Any) -> np.ndarray[Any, Any]:
    return (np.abs(a[:, None].astype(float) - b[None]) ** 3).sum(axis=-1) ** (1 / 3)


def test_a_function_is_a_metric() -> None:
    """A function leads to the same map, and places of new rows, as its distances."""
    x, new = blobs(90, 5)[0].astype(float), blobs(12, 5, seed=9)[0].astype(float)
    by = Unfold(metric=minkowski, n_neighbors=8, settings=FEW).fit(x)
    given = Unfold(metric="precomputed", n_neighbors=8, settings=FEW).fit(distances(x, x))
    np.testing.assert_allclose(by.embedding_, given.embedding_, atol=1e-4)
    np.testing.assert_allclose(by.transform(new), given.transform(distances(new, x)), atol=1e-4)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(by)).transform(new), by.transform(new))
    assert by.n_features_in_ == 5 and by.graph_.shape == (90, 90) and by.transform_graph(new).shape == (12, 90)
    assert not hasattr(by, "partial_fit") and not by.__sklearn_tags__().input_tags.pairwise
    with pytest.raises(ValueError, match="5 features"):
        by.transform(new[:, :3])


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        (lambda a, b: -1.0, "rows 0 and 1 is -1"),
        (lambda a, b: np.nan, "rows 0 and 1 is nan"),
        (3, "metric has to be a text, not 3, or a function"),
    ],
)
def test_metrics_that_are_none(metric: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Unfold(metric=metric).fit(np.eye(9))


def test_too_many_rows_for_a_function() -> None:
    with pytest.raises(ValueError, match=r"called for each pair.*at most 10000 rows"):
        Unfold(metric=minkowski).fit(np.zeros((10_001, 2)))


def test_a_frame_of_given_distances() -> None:
    """The map of given distances is aligned with its frame. Rows without coordinates are free."""
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    ring = 10 * np.column_stack([np.cos(angle), np.sin(angle)])
    frame = ring.copy()
    frame[::4] = np.nan
    d = np.sqrt(((ring[:, None] - ring[None]) ** 2).sum(axis=-1))
    at = Unfold(metric="precomputed", n_neighbors=6, frame=frame, settings={"steps": 40}).fit(d).embedding_
    cosine = (at * ring).sum() / (np.linalg.norm(at, axis=1) * 10).sum()
    assert cosine > 0.95
    with pytest.raises(ValueError, match="frame"):
        Unfold(metric="precomputed", frame=frame[:9]).fit(d)


@pytest.mark.parametrize("kind", ["mds", "isomap", "nmds", "sammon"])
def test_textbook_kinds_take_distances(kind: str) -> None:
    """The map of the distances of rows is that of the rows, up to a rotation or reflection."""
    x, new = blobs(80, 4)[0].astype(float), blobs(9, 4, seed=9)[0].astype(float)
    between = lambda a, b: np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=-1))
    rows = Unfold(kind=kind, n_neighbors=30).fit(x)
    given = Unfold(kind=kind, n_neighbors=30, metric="precomputed").fit(between(x, x))
    np.testing.assert_allclose(
        between(given.embedding_, given.embedding_), between(rows.embedding_, rows.embedding_), atol=0.02 * np.ptp(rows.embedding_)
    )
    np.testing.assert_allclose(
        between(given.transform(between(new, x)), given.embedding_),
        between(rows.transform(new), rows.embedding_),
        atol=0.02 * np.ptp(rows.embedding_),
    )
    assert given.n_features_in_ == 80


def test_distances_that_no_rows_have() -> None:
    """nmds uses only the order of distances, and mds accepts all. The other kinds reject distances that are not Euclidean."""
    rng = np.random.default_rng(3)
    d = rng.uniform(1, 2, size=(30, 30)) ** 3
    d = np.triu(d, 1) + np.triu(d, 1).T
    for kind in ("mds", "nmds"):
        model = Unfold(kind=kind, metric="precomputed").fit(d)
        assert np.isfinite(model.embedding_).all() and np.isfinite(model.transform(d[:3])).all()
    values, vectors = np.linalg.eigh(-0.5 * (np.eye(30) - 1 / 30) @ d**2 @ (np.eye(30) - 1 / 30))
    want = vectors[:, :-3:-1] * np.sqrt(values[:-3:-1])
    at = Unfold(kind="mds", metric="precomputed").fit(d).embedding_
    np.testing.assert_allclose(at @ at.T, want @ want.T, atol=1e-3)
    for kind in ("sammon", "isomap"):
        with pytest.raises(ValueError, match="no rows of numbers have"):
            Unfold(kind=kind, metric="precomputed").fit(d)
    with pytest.raises(ValueError, match="direction"):
        Unfold(kind="mds", metric="precomputed").fit(rng.uniform(1, 2, size=(30, 30)))
