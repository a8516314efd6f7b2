"""The neighbour graph, and AnnData."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import anndata
import dask.array
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import xarray
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import pairwise_distances
from umap.umap_ import fuzzy_simplicial_set

from unfold_live import Unfold, UnfoldClassifier, UnfoldClusters, load

from .conftest import blobs


@pytest.fixture(scope="module")
def fitted() -> tuple[Any, Any, Unfold]:
    """Rows in groups and their map. The last ten rows equal the first."""
    x, kind = blobs(150)
    x = np.vstack([x, x[:10]])
    return x, np.concatenate([kind, kind[:10]]), Unfold(n_neighbors=8, settings={"steps": 20}).fit(x)


def nearest(d: Any, k: int) -> Any:
    """Return the row and column indices of the k nearest of each row of distances."""
    return np.repeat(np.arange(len(d)), k), np.argsort(d, axis=1, kind="stable")[:, :k].ravel()


@pytest.mark.xdist_group("umap")  # as test_promises
def test_graph(fitted: Any) -> None:
    """The graph is symmetric, contains the nearest rows, has umap-learn's weights, and separates the groups."""
    x, kind, model = fitted
    g = model.graph_
    assert g.shape == (160, 160) and g.format == "csr" and abs(g - g.T).max() == 0 and g.diagonal().max() == 0
    assert g.data.min() > 0 and g.data.max() <= 1
    d = pairwise_distances(x[:150])
    np.fill_diagonal(d, np.inf)
    rows, columns = nearest(d, 8)
    own = g[:150, :150]
    assert (own[rows, columns] > 0).all()
    index, far = columns.reshape(150, 8), np.take_along_axis(d, columns.reshape(150, 8), 1)
    own_first = np.column_stack([np.arange(150), index]), np.column_stack([np.zeros(150), far])
    want = fuzzy_simplicial_set(x[:150], 9, None, "precomputed", knn_indices=own_first[0], knn_dists=own_first[1])[0]
    np.testing.assert_allclose(own.toarray(), want.toarray(), atol=2e-3)
    np.testing.assert_array_equal(g[150:, :150].toarray() - np.eye(10, 150), g[:10, :150].toarray())
    _, part = connected_components(g)
    assert all(len(set(kind[part == p])) == 1 for p in set(part))


def test_graph_of_new_rows(fitted: Any, tmp_path: Path) -> None:
    x, _, model = fitted
    new = blobs(20, seed=9)[0]
    g = model.transform_graph(new)
    assert g.shape == (20, 160) and (np.diff(g.indptr) == 8).all() and g.data.min() > 0 and g.data.max() <= 1
    rows, columns = nearest(pairwise_distances(new, x[:150]), 8)
    assert (g[rows, columns] > 0).all()
    np.testing.assert_allclose(g.max(axis=1).toarray(), 1)
    model.save(tmp_path / "m.unfold")
    loaded = load(tmp_path / "m.unfold").set_params(n_neighbors=8)
    assert loaded.graph_.shape == (150, 150) and loaded.transform_graph(new).shape == (20, 150)


def test_graph_follows(fitted: Any) -> None:
    """The graph contains added rows, but not removed ones."""
    x, _, _ = fitted
    model = Unfold(n_neighbors=8, settings={"steps": 20}).fit(x[:100])
    model.partial_fit(x[100:150]).forget(np.arange(0, 150, 7))
    left = np.delete(x[:150], np.arange(0, 150, 7), axis=0)
    d = pairwise_distances(left)
    np.fill_diagonal(d, np.inf)
    rows, columns = nearest(d, 8)
    g = model.graph_
    assert g.shape == (len(left), len(left)) and (g[rows, columns] > 0).all()


def test_graph_of_distances(fitted: Any) -> None:
    x, _, _ = fitted
    d = pairwise_distances(x[:150].astype(float))
    model = Unfold(metric="precomputed", n_neighbors=8).fit(d)
    want = Unfold(n_neighbors=8, pca="none", settings={"steps": 1}).fit(x[:150])
    np.testing.assert_allclose(model.graph_.toarray(), want.graph_.toarray(), atol=1e-3)
    new = blobs(20, seed=9)[0]
    g = model.transform_graph(pairwise_distances(new, x[:150]))
    np.testing.assert_allclose(g.toarray(), want.transform_graph(new).toarray(), atol=1e-3)


def annotated(n: int = 120) -> Any:
    """Return observations with principal components, sparse counts and cell types."""
    x, kind = blobs(n)
    counts = scipy.sparse.csr_matrix(np.maximum(np.rint(x), 0).astype(np.float32))
    obs = pd.DataFrame({"cell_type": pd.Categorical(np.array(list("abcd"))[kind])}, index=[f"cell{i}" for i in range(n)])
    return anndata.AnnData(counts, obs=obs, obsm={"X_pca": x})


def test_annotated_data() -> None:
    """The map is stored in ``obsm``, and the graph where scanpy expects it. Names of observations are the ids."""
    adata = annotated()
    few = {"steps": 20}
    model = Unfold(settings=few).fit(adata, y="cell_type")
    want = Unfold(settings=few).fit(adata.obsm["X_pca"])
    np.testing.assert_array_equal(adata.obsm["X_unfold"], want.embedding_)
    about = adata.uns["unfold"]
    assert abs(adata.obsp[about["connectivities_key"]] - want.graph_).max() == 0
    assert adata.obsp[about["distances_key"]].shape == (120, 120)
    assert list(model.ids_[:2]) == ["cell0", "cell1"] and list(model.classes_) == list("abcd")
    np.testing.assert_array_equal(model.transform(adata[:7]), want.embedding_[:7])
    assert list(model.predict(adata[:7])) == list(model.predict(adata.obsm["X_pca"][:7]))
    classifier = UnfoldClassifier(settings=few).fit(adata, "cell_type")
    assert classifier.score(adata, "cell_type") == classifier.score(adata, adata.obs["cell_type"]) > 0.9
    clusters = UnfoldClusters(10).fit(adata)
    np.testing.assert_array_equal(clusters.labels_, UnfoldClusters(10).fit(adata.obsm["X_pca"]).labels_)
    np.testing.assert_array_equal(clusters.predict(adata[:9]), clusters.labels_[:9])
    counts = Unfold(settings=few).fit_transform(adata, use_rep="X")
    np.testing.assert_array_equal(counts, Unfold(settings=few).fit_transform(adata.X))
    with pytest.raises(ValueError, match="has no use_rep='X_scvi' in obsm and layers; it has 'X_pca', 'X_unfold'"):
        Unfold().fit(adata, use_rep="X_scvi")
    with pytest.raises(ValueError, match="no column 'type'; it has 'cell_type'"):
        Unfold().fit(adata, "type")
    with pytest.raises(ValueError, match="is for AnnData objects"):
        Unfold().fit(adata.obsm["X_pca"], use_rep="X")


def test_annotated_distances_and_files(tmp_path: Path) -> None:
    """A map can be learnt from distances in ``obsp``, and from an open file."""
    adata = annotated()
    few = {"steps": 20}
    d = pairwise_distances(adata.obsm["X_pca"].astype(float))
    adata.obsp["distances"] = scipy.sparse.csr_matrix(np.where(d <= np.sort(d, axis=1)[:, 10:11], d, 0))
    model = Unfold(metric="precomputed", settings=few).fit(adata)
    np.testing.assert_array_equal(
        model.embedding_, Unfold(metric="precomputed", settings=few).fit(adata.obsp["distances"]).embedding_
    )
    assert adata.obsm["X_unfold"] is not None and abs(adata.obsp["unfold_connectivities"] - model.graph_).max() == 0
    with anndata.settings.override(allow_write_nullable_strings=True):
        adata.write_h5ad(tmp_path / "a.h5ad")
    held = anndata.read_h5ad(tmp_path / "a.h5ad", backed="r")
    np.testing.assert_array_equal(
        Unfold(settings=few).fit_transform(held, use_rep="X"), Unfold(settings=few).fit_transform(adata.X)
    )
    held.file.close()
    adata.X = adata.X.toarray()
    with anndata.settings.override(allow_write_nullable_strings=True):
        adata.write_h5ad(tmp_path / "b.h5ad")
    held = anndata.read_h5ad(tmp_path / "b.h5ad", backed="r")
    np.testing.assert_array_equal(
        Unfold(settings=few).fit_transform(held, use_rep="X"), Unfold(settings=few).fit_transform(adata.X)
    )
    held.file.close()


def test_arrays_that_are_computed_later() -> None:
    """Arrays of Dask are computed, and arrays of xarray are accepted. A Dataset of several arrays is an error with advice."""
    x, _ = blobs(60)
    few = {"steps": 5}
    want = Unfold(settings=few).fit_transform(x)
    lazy = dask.array.from_array(x, chunks=(25, 12))
    for rows in (lazy, lazy[lazy[:, 0] > -1e9], xarray.DataArray(x, dims=("row", "column")), xarray.DataArray(lazy)):
        np.testing.assert_array_equal(Unfold(settings=few).fit_transform(rows), want)
    with pytest.raises(ValueError, match=r"Dataset.*give one, a, b"):
        Unfold().fit(xarray.Dataset({"a": (("r", "c"), x), "b": ("r", x[:, 0])}))


def test_scipy_is_imported_for_graphs_alone() -> None:
    script = (
        "import sys, numpy as np\n"
        "from unfold_live import Unfold\n"
        "Unfold().fit(np.random.default_rng(1).normal(size=(60, 4)))\n"
        "assert not {'scipy', 'anndata', 'sklearn'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_radii() -> None:
    """Local radii are means over the edges of the graph, and with ``density`` those of the map follow those of the data."""
    random = np.random.default_rng(3)
    x = np.concatenate([random.normal(size=(100, 4)) * s + 40 * k for k, s in enumerate((0.2, 1, 5))])
    model = Unfold(density=2).fit(x)
    w = model.graph_.toarray()
    d = ((x[:, None] - x[None]) ** 2).sum(axis=-1)
    want = np.log((w * d).sum(axis=1) / w.sum(axis=1))
    np.testing.assert_allclose(model.rad_orig_, want, rtol=1e-3, atol=1e-3)
    at = model.embedding_.astype(float)
    apart = ((at[:, None] - at[None]) ** 2).sum(axis=-1)
    np.testing.assert_allclose(model.rad_emb_, np.log((w * apart).sum(axis=1) / w.sum(axis=1) + 1e-8), rtol=1e-6)
    assert np.corrcoef(model.rad_orig_, model.rad_emb_)[0, 1] > 0.8
    assert model.rad_orig_ is model.rad_orig_  # both are computed once


def test_combined_maps() -> None:
    """Maps of different columns combine by their graphs: near in both, in one of them, or in the first alone."""
    random = np.random.default_rng(5)
    first, second = random.integers(0, 2, 200), random.integers(0, 2, 200)
    a, b = (Unfold(n_neighbors=60).fit(np.c_[12.0 * k, np.zeros(200)] + random.normal(size=(200, 2))) for k in (first, second))

    def kept(model: Unfold, group: Any) -> float:
        """Return the share of rows whose nearest row on the map is of the same group."""
        d = ((model.embedding_[:, None] - model.embedding_[None]) ** 2).sum(axis=-1)
        np.fill_diagonal(d, np.inf)
        return float((group[d.argmin(axis=1)] == group).mean())

    both = a * b
    assert kept(both, 2 * first + second) > 0.9 and kept(a, 2 * first + second) < 0.7
    assert kept(a - b, first) > 0.9
    assert (a + b).embedding_.shape == (200, 2) and list(both.ids_) == list(a.ids_)
    with pytest.raises(ValueError, match="have 200 and 50 rows"):
        _ = a + Unfold().fit(random.normal(size=(50, 3)))
    with pytest.raises(TypeError):
        _ = a + 1  # type: ignore[operator]
