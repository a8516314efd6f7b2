"""UnfoldClusters beside hdbscan 0.8.44."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import hdbscan
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from unfold_live import UnfoldClusters

#: The settings of both.
SIZES: dict[str, Any] = {"min_cluster_size": 12, "min_samples": 4}


def rows(seed: int = 10) -> np.ndarray[Any, Any]:
    """Three groups of 60 rows of different densities, and 30 rows between them.

    With the default seed, the clusters of hdbscan do not depend on the order of the rows in any test of this file.
    """
    random = np.random.default_rng(seed)
    parts = [random.normal(size=(60, 3)) * s + c for s, c in ((0.3, [0, 0, 0]), (0.5, [4, 4, 1]), (0.2, [0, 4, 2]))]
    return np.concatenate([*parts, random.uniform(-2, 6, size=(30, 3))])


@pytest.fixture(scope="module")
def x() -> np.ndarray[Any, Any]:
    return rows()


@pytest.fixture(scope="module")
def pair(x: Any) -> tuple[Any, UnfoldClusters, list[int]]:
    """The clusters of both, and hdbscan's label of each of ours."""
    theirs = hdbscan.HDBSCAN(**SIZES, prediction_data=True, gen_min_span_tree=True, approx_min_span_tree=False).fit(x)
    ours = UnfoldClusters(**SIZES, ties="hdbscan").fit(x)
    assert same(theirs.labels_, ours.labels_)
    return theirs, ours, [int(theirs.labels_[ours.labels_ == c][0]) for c in range(3)]


def same(a: Any, b: Any) -> bool:
    return adjusted_rand_score(a, b) == 1 and np.array_equal(np.asarray(a) < 0, np.asarray(b) < 0)


@parametrize_with_checks([UnfoldClusters(allow_single_cluster=True, ties="hdbscan", metric="manhattan")])
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def test_attributes(pair: Any, x: Any) -> None:
    theirs, ours, order = pair
    close = lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    close(ours.probabilities_, theirs.probabilities_)
    close(ours.outlier_scores_, theirs.outlier_scores_)
    close(ours.cluster_persistence_, theirs.cluster_persistence_[order])
    close(ours.centroids_, [theirs.weighted_cluster_centroid(c) for c in order])
    close(ours.medoids_, [theirs.weighted_cluster_medoid(c) for c in order])
    for a, c in zip(ours.exemplars_, order, strict=True):
        assert sorted(map(tuple, a)) == sorted(map(tuple, theirs.exemplars_[c]))
    for cut in (0.3, 0.6, 1.2):
        for size in (1, 5):
            assert same(ours.dbscan_clustering(cut, size), theirs.dbscan_clustering(cut, size))


def test_trees(pair: Any) -> None:
    theirs, ours, _ = pair
    for name in ("condensed_tree_", "single_linkage_tree_", "minimum_spanning_tree_"):
        a, b = getattr(ours, name).to_pandas(), getattr(theirs, name).to_pandas()
        assert list(a.columns) == list(b.columns) and len(a) == len(b)
        assert len(getattr(ours, name).to_numpy()) == len(b)
    tree, other = ours.condensed_tree_.to_pandas(), theirs.condensed_tree_.to_pandas()
    np.testing.assert_allclose(np.sort(tree.lambda_val), np.sort(other.lambda_val))
    of = lambda t: t[t.child < len(ours.labels_)].set_index("child").lambda_val.sort_index()
    np.testing.assert_allclose(of(tree), of(other))
    linkage, edges = ours.single_linkage_tree_.to_numpy(), ours.minimum_spanning_tree_.to_numpy()
    np.testing.assert_allclose(linkage[:, 2], theirs.single_linkage_tree_.to_numpy()[:, 2])
    np.testing.assert_array_equal(linkage[:, 2], edges[:, 2])
    assert linkage[-1, 3] == len(ours.labels_) and len(np.unique(linkage[:, :2])) == 2 * len(linkage)


def test_plots(pair: Any) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    for name in ("condensed_tree_", "single_linkage_tree_", "minimum_spanning_tree_"):
        ax = getattr(pair[1], name).plot()
        assert ax.patches or ax.lines or ax.collections
        plt.close("all")


def test_settings_of_plots(pair: Any) -> None:
    """hdbscan's settings of its plots."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    found = pair[1]
    ax = found.condensed_tree_.plot(label_clusters=True, selection_palette=["r", "g", "b"], cmap="Reds", log_size=True)
    assert {t.get_text() for t in ax.texts} == {"0", "1", "2"} and len(ax.figure.axes) == 2
    red = mpl.colors.to_rgba("r")
    assert red in {p.get_facecolor() for p in ax.patches}
    plt.close("all")
    ax = found.condensed_tree_.plot(select_clusters=False)
    assert len({p.get_facecolor() for p in ax.patches}) == 1
    plt.close("all")
    ax = found.single_linkage_tree_.plot(cmap="Reds", vary_line_width=True, truncate_mode="lastp", p=10)
    assert len(ax.collections[0].get_segments()) == 9 and len(set(ax.collections[0].get_linewidths())) > 1
    plt.close("all")
    ax = found.minimum_spanning_tree_.plot(edge_cmap="Reds", vary_line_width=True)
    assert len(ax.collections[0].get_segments()) == len(found.labels_) - 1 and len(ax.figure.axes) == 2
    plt.close("all")


def test_graphs(pair: Any) -> None:
    theirs, ours, _ = pair
    for name in ("condensed_tree_", "single_linkage_tree_", "minimum_spanning_tree_"):
        a, b = getattr(ours, name).to_networkx(), getattr(theirs, name).to_networkx()
        assert a.is_directed() == b.is_directed() and len(a) == len(b)
        lengths = [sorted(w for *_, w in g.edges(data="weight")) for g in (a, b)]
        np.testing.assert_allclose(*lengths)
        for of in ("size", "data"):
            assert sum(v is not None for _, v in a.nodes(data=of)) == sum(v is not None for _, v in b.nodes(data=of))


def test_new_rows(pair: Any) -> None:
    """Predictions and membership vectors are hdbscan's, also from a pickle. hdbscan uses single precision for new rows."""
    theirs, ours, order = pair
    new = np.random.default_rng(1).uniform(-2, 6, size=(40, 3))
    labels, strengths = ours.approximate_predict(new)
    want, how = hdbscan.approximate_predict(theirs, new)
    assert same(labels, want)
    np.testing.assert_allclose(strengths, how, atol=1e-6)
    np.testing.assert_allclose(ours.membership_vector(new), hdbscan.membership_vector(theirs, new)[:, order], atol=1e-6)
    np.testing.assert_allclose(
        ours.all_points_membership_vectors(), hdbscan.all_points_membership_vectors(theirs)[:, order], atol=1e-9
    )
    ours = copy.deepcopy(ours).set_params(min_cluster_size=99)
    for again in (ours, pickle.loads(pickle.dumps(ours))):
        np.testing.assert_array_equal(again.predict(new), labels)
    holes = np.where(np.arange(40)[:, None] % 4 == 0, np.nan, new)
    np.testing.assert_array_equal(ours.predict(holes), np.where(np.arange(40) % 4 == 0, -1, labels))
    assert (ours.predict(holes[:1]) == -1).all() and not ours.membership_vector(holes)[::4].any()


@pytest.mark.parametrize(
    "settings",
    [
        {"allow_single_cluster": True},
        {"cluster_selection_method": "leaf"},
        {"cluster_selection_epsilon": 1.5},
        {"cluster_selection_epsilon_max": 1.0},
        {"max_cluster_size": 55},
        {"cluster_selection_persistence": 0.4},
        {"cluster_selection_persistence": 1.0, "cluster_selection_method": "leaf"},
        {"metric": "manhattan"},
        {"metric": "chebyshev"},
    ],
    ids=lambda s: next(iter(s)) + str(next(iter(s.values()))),
)
def test_settings(settings: dict[str, Any], x: Any) -> None:
    theirs = hdbscan.HDBSCAN(**SIZES, **settings, approx_min_span_tree=False).fit(x)
    ours = UnfoldClusters(**SIZES, **settings, ties="hdbscan").fit(x)
    assert same(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_, atol=1e-9)


def test_given_distances(x: Any, pair: Any) -> None:
    """Given distances, and those of a function, lead to the same clusters and predictions as the rows."""
    ours = pair[1]
    new = np.random.default_rng(2).uniform(-2, 6, size=(20, 3))
    between = lambda a, b: np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=-1))
    given = UnfoldClusters(**SIZES, ties="hdbscan", metric="precomputed").fit(between(x, x))
    called = UnfoldClusters(**SIZES, ties="hdbscan", metric=lambda p, q: np.sqrt(((p - q) ** 2).sum())).fit(x)
    for found, rows in ((given, between(new, x)), (called, new)):
        np.testing.assert_array_equal(found.labels_, ours.labels_)
        np.testing.assert_allclose(found.probabilities_, ours.probabilities_)
        np.testing.assert_array_equal(found.predict(rows), ours.predict(new))
        np.testing.assert_allclose(found.all_points_membership_vectors(), ours.all_points_membership_vectors())
        np.testing.assert_allclose(found.membership_vector(rows), ours.membership_vector(new))
    for a, b in zip(given.exemplars_, ours.exemplars_, strict=True):
        np.testing.assert_array_equal(x[a], b)
    np.testing.assert_allclose(called.medoids_, ours.medoids_)
    with pytest.raises(AttributeError, match="precomputed"):
        _ = given.centroids_
    with pytest.raises(ValueError, match="direction"):
        UnfoldClusters(metric="precomputed").fit([[0, 1, 2], [9, 0, 1], [2, 1, 0]])
    with pytest.raises(ValueError, match="n x n"):
        UnfoldClusters(metric="precomputed").fit(x)


def test_known_distances(x: Any, pair: Any) -> None:
    """A sparse matrix of the distances that connect all rows leads to the clusters of all distances. Stored zeros are distances."""
    from scipy.sparse import csr_matrix

    ours = pair[1]
    d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=-1))
    near = d <= np.median(d)
    row, column = np.nonzero(near)  # with the diagonal, of stored zeros
    some = csr_matrix((d[near], (row, column)), shape=d.shape)
    given = UnfoldClusters(**SIZES, ties="hdbscan", metric="precomputed").fit(some)
    np.testing.assert_array_equal(given.labels_, ours.labels_)
    np.testing.assert_allclose(given.probabilities_, ours.probabilities_, atol=1e-6)
    np.testing.assert_allclose(given.single_linkage_tree_.to_numpy()[:, 2], ours.single_linkage_tree_.to_numpy()[:, 2], rtol=1e-6)
    np.testing.assert_array_equal(given.predict(d[:9]), ours.labels_[:9])
    twice = csr_matrix((np.r_[0.0, 0, 1, 1, 5], ([0, 2, 0, 2, 1], [1, 3, 2, 0, 3])), shape=(4, 4))
    copies = UnfoldClusters(2, min_samples=1, metric="precomputed").fit(twice)
    np.testing.assert_array_equal(copies.single_linkage_tree_.to_numpy()[:, 2].round(9), [0, 0, 1])
    with pytest.raises(AttributeError, match="all rows"):
        given.all_points_membership_vectors()
    with pytest.raises(ValueError, match="all fitted ones"):
        given.predict(some[:9])
    with pytest.raises(ValueError, match="do not connect"):
        UnfoldClusters(5, min_samples=2, metric="precomputed").fit(csr_matrix(np.kron(np.eye(2), np.ones((9, 9)))))
    with pytest.raises(ValueError, match="known distances from others, and min_samples is 4"):
        UnfoldClusters(**SIZES, metric="precomputed").fit(csr_matrix(np.eye(9)))
    with pytest.raises(ValueError, match="not negative"):
        UnfoldClusters(metric="precomputed").fit(csr_matrix(-d))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_rows_in_parts(x: Any, metric: str) -> None:
    """Parts lead to the clusters of all rows, also with missing values, frames and sparse rows."""
    holes = x.copy()
    holes[[3, 100], 1] = np.nan
    want = UnfoldClusters(**SIZES, metric=metric).fit(holes)
    parts = [holes[:90], pd.DataFrame(holes[90:150]).set_axis(list("abc"), axis=1), holes[150:]]
    found = UnfoldClusters(**SIZES, metric=metric)
    for part in parts:
        found.partial_fit(part)
    np.testing.assert_array_equal(found.labels_, want.labels_)
    np.testing.assert_array_equal(found.predict(x[:20]), want.predict(x[:20]))
    frame = UnfoldClusters(**SIZES).fit(pd.DataFrame(x[:90], columns=list("abc")))
    frame.partial_fit(pd.DataFrame(x[90:], columns=list("abc")))
    assert list(frame.feature_names_in_) == list("abc") and len(frame.labels_) == len(x)
    with pytest.raises(ValueError, match="features"):
        found.partial_fit(x[:5, :2])
    assert not hasattr(UnfoldClusters(metric="precomputed"), "partial_fit")


def test_missing_rows_are_noise(x: Any) -> None:
    holes = x.copy()
    holes[[3, 70], [0, 1]], holes[100, 2] = np.nan, np.inf
    theirs = hdbscan.HDBSCAN(**SIZES, approx_min_span_tree=False).fit(holes)
    for given in (holes, pd.DataFrame(holes)):
        ours = UnfoldClusters(**SIZES, ties="hdbscan").fit(given)
        assert same(ours.labels_, theirs.labels_) and (ours.labels_[[3, 70, 100]] == -1).all()
        np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_, atol=1e-9)
        tree = ours.condensed_tree_.to_pandas().set_index("child")
        assert len(tree) == len(theirs.condensed_tree_.to_pandas()) and (tree.lambda_val[[3, 70, 100]] == 0).all()
        np.testing.assert_array_equal(ours.dbscan_clustering(0.6)[[3, 70, 100]], -1)
        assert ours.all_points_membership_vectors().shape == (len(x), 3)


@pytest.mark.parametrize("kind", ["polars", "objects", "sparse"])
def test_missing_rows_of_other_types_are_noise(x: Any, kind: str) -> None:
    holes = x.copy()
    holes[5, 1], holes[70, 0] = np.nan, np.nan
    want = UnfoldClusters(**SIZES).fit(holes).labels_
    null = pl.DataFrame(holes).with_columns(pl.all().fill_nan(None))
    found = UnfoldClusters(**SIZES).fit({"polars": null, "objects": holes.astype(object), "sparse": csr_array(holes)}[kind])
    np.testing.assert_array_equal(found.labels_, want)
    assert found.labels_[5] == found.labels_[70] == -1 and found.labels_.max() == 2


def test_infinite_distances_separate(x: Any) -> None:
    """Groups that have infinite distances from each other are clusters, and the tree joins them at infinity."""
    x, group = x[:180], np.arange(180) // 60
    d = np.where(group[:, None] == group, cdist(x, x), np.inf)
    found = UnfoldClusters(**SIZES, metric="precomputed").fit(d)
    assert [len(set(found.labels_[group == g]) - {-1}) for g in range(3)] == [1, 1, 1] and found.labels_.max() == 2
    assert np.isinf(found.minimum_spanning_tree_.to_numpy()[:, 2]).sum() == 2
    assert found.condensed_tree_.to_numpy()["lambda_val"].min() == 0
    new = np.where(group == 1, cdist(x[60:61] + 0.01, x), np.inf)
    assert found.predict(new)[0] == found.labels_[60]
    d[0, 1] = d[1, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        UnfoldClusters(metric="precomputed").fit(d)


def test_equal_rows_have_memberships() -> None:
    """Rows that equal others, at an infinite density, are members of their own cluster."""
    x = np.repeat([[0.0, 0.0], [9.0, 0.0], [9.0, 7.0]], 20, axis=0)
    x[40:] += np.random.default_rng(1).normal(size=(20, 2))
    found = UnfoldClusters(5).fit(x)
    vectors = np.vstack([found.all_points_membership_vectors(), found.membership_vector(x)])
    assert len(found.cluster_persistence_) == 3 and np.isfinite(vectors).all()
    inside = np.tile(found.labels_ >= 0, 2)
    np.testing.assert_array_equal(vectors.argmax(axis=1)[inside], np.tile(found.labels_, 2)[inside])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("min_cluster_size", v) for v in (0, 1, -3, 2.5, "9", True)),
        *(("min_samples", v) for v in (0, -1, 1.5)),
        *(("cluster_selection_epsilon", v) for v in (-0.1, "1", np.nan)),
        *(("cluster_selection_epsilon_max", v) for v in (-1, "1")),
        *(("max_cluster_size", v) for v in (-1, 2.5)),
        *(("allow_single_cluster", v) for v in (None, 1)),
        *(("metric", v) for v in ("euclid", None, 3)),
        *(("ties", v) for v in ("apart", None)),
        ("cluster_selection_method", "oem"),
    ],
)
def test_parameters_out_of_range(name: str, value: Any, x: Any) -> None:
    with pytest.raises(ValueError, match=name):
        UnfoldClusters(**{name: value}).fit(x)


def test_parameters_of_hdbscan(x: Any) -> None:
    with pytest.warns(UserWarning, match=r"n_jobs=1.*algorithm: nothing is set"):
        found = UnfoldClusters.from_hdbscan(core_dist_n_jobs=1, algorithm="best", metric="l1")
    assert (found.min_cluster_size, found.ties, found.metric, found.n_jobs) == (5, "hdbscan", "manhattan", 1)
    with pytest.raises(TypeError, match="min_cluster_size"):
        UnfoldClusters.from_hdbscan(min_cluster_sizes=3)
    with pytest.raises(TypeError, match=r"prediction_data.*from_hdbscan"):
        UnfoldClusters(prediction_data=True)


@pytest.mark.parametrize(("name", "value"), [("algorithm", "best of all"), ("leaf_size", 0), ("alpha", -1), ("p", "two")])
def test_values_that_hdbscan_refuses(name: str, value: Any) -> None:
    """Values of parameters without a counterpart are errors where they are in hdbscan."""
    with pytest.raises(ValueError, match=f"^{name} has to be"):
        UnfoldClusters.from_hdbscan(**{name: value})


def test_parameters_of_scikit_learn(x: Any) -> None:
    """scikit-learn counts the point itself among min_samples."""
    from sklearn.cluster import HDBSCAN

    for words in ({}, {"min_samples": 7}, {"min_samples": 1}, {"metric": "minkowski", "metric_params": {"p": 1}}):
        with pytest.warns(UserWarning, match="copy: nothing is set"):
            ours = UnfoldClusters.from_sklearn(**words, copy=False).fit(x)
        theirs = HDBSCAN(**words, copy=False).fit(x)
        assert adjusted_rand_score(ours.labels_, theirs.labels_) > 0.98, words


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ({"metric": "minkowski", "p": 1}, "manhattan"),
        ({"metric": "minkowski", "p": 2}, "euclidean"),
        ({"metric": "minkowski", "p": 3}, "minkowski:3"),
        ({"metric": "canberra"}, "canberra"),
        ({"metric": "seuclidean", "metric_params": {"V": np.ones(3)}}, "seuclidean"),
        ({"metric": "mahalanobis", "metric_params": {"V": np.eye(3)}}, "mahalanobis"),
    ],
    ids=str,
)
def test_metrics_of_scipy(words: dict[str, Any], named: str, x: Any) -> None:
    """Metrics that only SciPy has are its functions."""
    x = x[::4]
    with pytest.warns(UserWarning, match="."):
        found = UnfoldClusters.from_hdbscan(**words, algorithm="best")
    assert getattr(getattr(found.metric, "func", found.metric), "__name__", found.metric) == named
    own = {
        "canberra": lambda a, b: (np.abs(a - b) / (np.abs(a) + np.abs(b))).sum(),
        "minkowski:3": lambda a, b: (np.abs(a - b) ** 3).sum() ** (1 / 3),
        "manhattan": "manhattan",
    }
    plain = UnfoldClusters(5, ties="hdbscan", metric=own.get(named, "euclidean")).fit(x)
    np.testing.assert_array_equal(found.fit(x).labels_, plain.labels_)


def test_double_precision() -> None:
    """Groups are found that single precision cannot separate, such as in projected geographic coordinates."""
    x = rows() * 1e-3 + 4_649_776.0
    assert same(UnfoldClusters(**SIZES).fit(x).labels_, UnfoldClusters(**SIZES).fit((x - 4_649_776.0) * 1e3).labels_)
