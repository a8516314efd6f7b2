"""Functions as metrics, and given distances with a frame."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.manifold import Isomap
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline

from unfold_live import Unfold, UnfoldClusters

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
    """nmds uses only the order of distances; mds and isomap accept all. Sammon's mapping rejects those that are not Euclidean."""
    rng = np.random.default_rng(3)
    d = rng.uniform(1, 2, size=(30, 30)) ** 3
    d = np.triu(d, 1) + np.triu(d, 1).T
    for kind in ("mds", "nmds", "isomap"):
        model = Unfold(kind=kind, metric="precomputed").fit(d)
        assert np.isfinite(model.embedding_).all() and np.isfinite(model.transform(d[:3])).all()
    values, vectors = np.linalg.eigh(-0.5 * (np.eye(30) - 1 / 30) @ d**2 @ (np.eye(30) - 1 / 30))
    want = vectors[:, :-3:-1] * np.sqrt(values[:-3:-1])
    at = Unfold(kind="mds", metric="precomputed").fit(d).embedding_
    np.testing.assert_allclose(at @ at.T, want @ want.T, atol=1e-3)
    with pytest.raises(ValueError, match="no rows of numbers have"):
        Unfold(kind="sammon", metric="precomputed").fit(d)
    with pytest.raises(ValueError, match="direction"):
        Unfold(kind="mds", metric="precomputed").fit(rng.uniform(1, 2, size=(30, 30)))


def apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The distances of rows of a from those of b."""
    return np.sqrt(((a[:, None].astype(float) - b[None]) ** 2).sum(axis=-1))


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "canberra"])
def test_isomap_of_any_metric(metric: str) -> None:
    """Isomap of another metric is scikit-learn's, for the rows and for new ones, by name and by distances."""
    x, new = blobs(90, 4, seed=2)[0].astype(float), blobs(7, 4, seed=9)[0].astype(float)
    want = Isomap(n_neighbors=12, metric=metric).fit(x)
    between = pairwise_distances(x, metric=metric)
    for model, rows in (
        (Unfold(kind="isomap", n_neighbors=12, metric=metric).fit(x), new),
        (Unfold(kind="isomap", n_neighbors=12, metric="precomputed").fit(between), pairwise_distances(new, x, metric=metric)),
    ):
        size = np.ptp(want.embedding_)
        np.testing.assert_allclose(
            apart(model.embedding_, model.embedding_), apart(want.embedding_, want.embedding_), atol=1e-4 * size
        )
        placed = apart(model.transform(rows), model.embedding_)
        np.testing.assert_allclose(placed, apart(want.transform(new), want.embedding_), atol=1e-4 * size)
        assert model.graph_.shape == (90, 90)


def test_isomap_of_a_graph_of_neighbours() -> None:
    """A pipeline of scikit-learn's neighbours and isomap is isomap of the rows; a graph of parts cannot be."""
    x, new = blobs(80, 3, seed=4)[0].astype(float), blobs(6, 3, seed=5)[0].astype(float)
    neighbours = KNeighborsTransformer(n_neighbors=20, mode="distance")
    chain = make_pipeline(neighbours, Unfold(kind="isomap", n_neighbors=20, metric="precomputed")).fit(x)
    rows = Unfold(kind="isomap", n_neighbors=20).fit(x)
    at, size = chain[-1].embedding_, np.ptp(rows.embedding_)
    np.testing.assert_allclose(apart(at, at), apart(rows.embedding_, rows.embedding_), atol=1e-4 * size)
    placed = apart(chain.transform(new), at)
    np.testing.assert_allclose(placed, apart(rows.transform(new), rows.embedding_), atol=1e-4 * size)
    far = np.vstack([x[:40], x[40:] + 1000])
    with pytest.raises(ValueError, match="2 separate parts"):
        chain.fit(far)


def test_isomap_joins_parts_as_the_program_does() -> None:
    """Parts of the graph of given distances are joined by their shortest edges."""
    rng = np.random.default_rng(6)
    x = np.vstack([rng.normal(size=(40, 3)) + shift for shift in ((0, 0, 0), (30, 0, 0), (30, 40, 5))])
    rows = Unfold(kind="isomap", n_neighbors=8).fit(x).embedding_
    given = Unfold(kind="isomap", n_neighbors=8, metric="precomputed").fit(apart(x, x)).embedding_
    np.testing.assert_allclose(apart(given, given), apart(rows, rows), atol=1e-4 * np.ptp(rows))


@pytest.mark.parametrize("metric", ["precomputed", "function"])
def test_a_copy_of_a_fitted_row_is_where_that_is(metric: str) -> None:
    """Also beside other rows: the place of a new row depends on its own distances alone."""
    x = blobs(120)[0]
    d = np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))
    if metric == "function":
        model, rows = Unfold(metric=lambda a, b: np.sqrt(((a - b) ** 2).sum())).fit(x[:100]), x
    else:
        model, rows = Unfold(metric="precomputed").fit(d[:100, :100]), d[:, :100]
    np.testing.assert_array_equal(model.transform(rows[:100]), model.embedding_)
    at = model.place(rows[90:])
    np.testing.assert_array_equal(at.sigma[:10], model.sigma_[90:])
    for k in range(30):
        np.testing.assert_array_equal(model.transform(rows[90 + k : 91 + k])[0], at.embedding[k])
    each = np.concatenate([model.score_samples(rows[k : k + 1]) for k in range(90, 120)])
    np.testing.assert_array_equal(each, model.score_samples(rows[90:]))
    assert not hasattr(model, "inverse_transform")


@pytest.mark.parametrize("metric", ["braycurtis", "canberra"])
def test_clusters_predict_by_metrics_that_depend_on_the_origin(metric: str) -> None:
    x = np.abs(blobs(200, dim=30, kinds=2)[0]).astype(np.float64)
    found = UnfoldClusters(8, metric=metric).fit(x[:150])
    alone = found.predict(x[150:])
    given = UnfoldClusters(8, metric="precomputed").fit(cdist(x[:150], x[:150], metric))
    np.testing.assert_array_equal(alone, given.predict(cdist(x[150:], x[:150], metric)))
    with pytest.raises(ValueError, match=r"^Negative values in data: X\[0, 3\] is -1, and the metric braycurtis takes values of 0"):
        UnfoldClusters(8, metric="braycurtis").fit(x).predict(np.where(np.arange(30) == 3, -1.0, x[:1]))
