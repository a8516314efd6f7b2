"""Errors of textbook kinds, beside scikit-learn's and the program's."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.datasets import make_swiss_roll
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.manifold import Isomap
from sklearn.manifold._locally_linear import barycenter_kneighbors_graph
from sklearn.neighbors import KNeighborsTransformer

from unfold_live import Unfold, load

#: Rows of a curved surface; no distances tie.
ROWS = make_swiss_roll(300, random_state=1)[0]
APART = squareform(pdist(ROWS))


def pairs(d: Any) -> Any:
    return d[np.triu_indices(len(d), 1)]


def test_principal_components_count_equal_rows() -> None:
    rows = np.vstack([ROWS, np.repeat(ROWS[:1], 200, axis=0)])
    theirs, ours = PCA(2).fit_transform(rows), Unfold(kind="pca").fit_transform(rows)
    np.testing.assert_allclose(ours * np.sign((ours * theirs).sum(axis=0)), theirs, atol=1e-4)


@pytest.mark.parametrize("kind", ["kpca", "eigenmaps"])
def test_kernels_and_graphs_of_distances_are_those_of_rows(kind: str) -> None:
    """Distances of rows lead to the map of the rows, up to signs, and new rows to their places."""
    of_rows = Unfold(kind=kind).fit(ROWS)
    given = Unfold(kind=kind, metric="precomputed").fit(APART)
    sign = np.sign((of_rows.embedding_ * given.embedding_).sum(axis=0))
    size = np.abs(of_rows.embedding_).max()
    np.testing.assert_allclose(given.embedding_ * sign, of_rows.embedding_, atol=0.01 * size)
    new = ROWS[:5] + 0.1
    np.testing.assert_allclose(given.transform(cdist(new, ROWS)) * sign, of_rows.transform(new), atol=0.01 * size)


def test_eigenmaps_of_any_distances() -> None:
    """The graph depends on the order of distances, which need not be Euclidean, and on those of nearest rows alone."""
    of_rows = Unfold(kind="eigenmaps").fit(ROWS).embedding_
    near = KNeighborsTransformer(n_neighbors=9).fit_transform(ROWS)
    for distances in (APART**3, near):
        at = Unfold(kind="eigenmaps", metric="precomputed").fit_transform(distances)
        for k in range(2):
            assert abs(np.corrcoef(at[:, k], of_rows[:, k])[0, 1]) > 0.99
    with pytest.raises(ValueError, match=r"kind='kpca'.*\"eigenmaps\""):
        Unfold(kind="kpca", metric="precomputed").fit(APART**3)


def test_isomap_has_the_paths_and_the_error_of_scikit_learn() -> None:
    """Also for given distances, and with equal rows, which count once."""
    theirs = Isomap(n_neighbors=9).fit(ROWS)
    ours = Unfold(kind="isomap").fit(ROWS)
    np.testing.assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-9)
    assert ours.reconstruction_error_ == pytest.approx(theirs.reconstruction_error(), rel=1e-4)
    given = Unfold(kind="isomap", metric="precomputed").fit(APART)
    np.testing.assert_allclose(given.dist_matrix_, theirs.dist_matrix_, rtol=1e-9)
    assert given.reconstruction_error_ == pytest.approx(theirs.reconstruction_error(), rel=1e-4)
    twice = Unfold(kind="isomap").fit(np.vstack([ROWS, ROWS[:7]]))
    np.testing.assert_allclose(twice.dist_matrix_[300:, :300], theirs.dist_matrix_[:7], rtol=1e-9)
    assert twice.reconstruction_error_ == pytest.approx(theirs.reconstruction_error(), rel=1e-4)


@pytest.mark.parametrize(
    ("kind", "metric"),
    [
        *(("mds", metric) for metric in ("euclidean", "manhattan", "precomputed")),
        *(("sammon", metric) for metric in ("euclidean", "precomputed")),  # others are of no rows, and rejected
    ],
)
def test_the_stress_is_of_the_distances_of_the_rows(kind: str, metric: str) -> None:
    wanted = squareform(pdist(ROWS, "cityblock")) if metric == "manhattan" else APART
    m = Unfold(kind=kind, metric=metric).fit(APART if metric == "precomputed" else ROWS)
    np.testing.assert_allclose(m.dissimilarity_matrix_, wanted, rtol=1e-12, atol=1e-12)
    d, at = pairs(wanted), pdist(m.embedding_.astype(np.float64))
    raw = ((at - d) ** 2).sum() if kind == "mds" else ((at - d) ** 2 / d).sum() / d.sum()
    assert m.stress_ == pytest.approx(raw, rel=1e-9)
    assert m.normalized_stress_ == pytest.approx(np.sqrt(((at - d) ** 2).sum() / (at**2).sum()), rel=1e-9)


def test_the_stress_of_nmds_is_the_one_the_program_minimized(tmp_path: Path) -> None:
    m = Unfold(kind="nmds").fit(ROWS)
    m.save(tmp_path / "m.unfold")
    said = re.search(r"([\d.]+) \(Kruskal's stress-1\)", m._model.run(["inspect", str(tmp_path / "m.unfold")]))
    assert said is not None
    assert m.normalized_stress_ == pytest.approx(float(said[1]), rel=1e-3)


def test_lle_and_ltsa_have_the_errors_of_their_definitions() -> None:
    """A plane in five dimensions has nearly no error, and a curved surface has some."""
    lle = Unfold(kind="lle", n_neighbors=8).fit(ROWS)
    at = lle.embedding_.astype(np.float64)
    w = barycenter_kneighbors_graph(ROWS, 8, reg=1e-3)
    assert lle.reconstruction_error_ == pytest.approx(((w @ at - at) ** 2).sum(), rel=1e-6)
    plane = np.random.default_rng(1).normal(size=(200, 2)) @ np.random.default_rng(2).normal(size=(2, 5))
    flat, curved = (Unfold(kind="ltsa", n_neighbors=12).fit(x).reconstruction_error_ for x in (plane, ROWS))
    assert 0 <= flat < 1e-6 < curved


def test_fitted_vectors_count_where_rows_are_scaled_or_of_a_table() -> None:
    """The program's distances are in single precision."""
    scaled = (ROWS - ROWS.mean(axis=0)) / ROWS.std(axis=0)
    wanted = squareform(pdist(scaled))
    for m in (
        Unfold(kind="mds", standardize=True).fit(ROWS),
        Unfold(kind="mds", standardize=True, columns=["a", "b", "c"]).fit(pd.DataFrame(ROWS, columns=list("abc"))),
    ):
        np.testing.assert_allclose(m.dissimilarity_matrix_, wanted, rtol=1e-5, atol=1e-5)
        assert m.normalized_stress_ > 0


def test_the_attributes_exist_for_their_kinds_alone(tmp_path: Path) -> None:
    """They outlive pickles, changes of the caller's array and other fits, and are not those of loaded maps."""
    x = ROWS.copy()
    m = Unfold(kind="mds").fit(x)
    stress = m.stress_
    x[:] = 0
    assert m.stress_ == stress == pickle.loads(pickle.dumps(m)).stress_
    assert not hasattr(m, "reconstruction_error_") and not hasattr(m, "dist_matrix_")
    m.save(tmp_path / "m.unfold")
    with pytest.raises(AttributeError, match="up to 5000 rows that fit was given"):
        load(tmp_path / "m.unfold").stress_  # noqa: B018
    with pytest.raises(AttributeError, match="of the kinds mds, nmds, sammon, and this map is of kind lvm"):
        Unfold().fit(ROWS).stress_  # noqa: B018
    with pytest.raises(NotFittedError):
        Unfold(kind="mds").stress_  # noqa: B018
    m.set_params(kind="isomap", metric="precomputed").fit(APART)
    given = m.reconstruction_error_
    assert m.set_params(metric="euclidean").fit(ROWS).reconstruction_error_ == pytest.approx(given, rel=1e-3)
