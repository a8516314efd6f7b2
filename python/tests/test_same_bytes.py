"""Results of the package equal those of the command line byte for byte."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.datasets import load_digits
from sklearn.manifold import trustworthiness
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

from unfold_live import Unfold, UnfoldClusters, load

from .conftest import blobs


def table(path: Path) -> pa.Table:
    """Read an Arrow stream with pyarrow, to test the package's own reader, too."""
    with pa.ipc.open_stream(path.read_bytes()) as r:
        return r.read_all()


def matrix(t: pa.Table) -> np.ndarray[Any, Any]:
    """Return the positions in a map."""
    return np.stack(t["embedding"].to_numpy())


def test_fit_and_place(data: Any, cli: Callable[..., str], tmp_path: Path) -> None:
    x, _ = data
    y = blobs(50, seed=2)[0]
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    cli("fit", "x.npy", "-o", "m.unfold", "--map", "map.arrows", "--seed", "3")
    cli("embed", "y.npy", "-m", "m.unfold", "-o", "places.arrows")
    model = Unfold(random_state=3).fit(x)
    assert model._model.model() == (tmp_path / "m.unfold").read_bytes()
    want = table(tmp_path / "map.arrows")
    np.testing.assert_array_equal(model.embedding_, matrix(want))
    for name in ("sigma", "novelty_local", "novelty_global"):
        np.testing.assert_array_equal(getattr(model, name + "_"), want[name].to_numpy())
    at, placed = model.place(y), table(tmp_path / "places.arrows")
    np.testing.assert_array_equal(at.embedding, matrix(placed))
    np.testing.assert_array_equal(at.sigma, placed["sigma"].to_numpy())
    np.testing.assert_array_equal(at.novelty_global, placed["novelty_global"].to_numpy())
    cli("embed", "y.npy", "-m", "m.unfold", "-o", "likely.arrows", "--loglik")
    np.testing.assert_array_equal(model.score_samples(y), table(tmp_path / "likely.arrows")["loglik"].to_numpy())


@pytest.mark.parametrize("distances", [True, False], ids=["with distances", "without"])
def test_neighbours_that_are_known(data: Any, distances: bool) -> None:
    """Nearest rows found by another program lead to the same model as the search."""
    x, _ = data
    far, near = NearestNeighbors(n_neighbors=57).fit(x).kneighbors(x)
    known = (near, far, None) if distances else (near,)
    model = Unfold(precomputed_knn=known, report=True).fit(x)
    assert model._model.model() == Unfold().fit(x)._model.model()
    assert model.report_["search"] == "given"
    assert Unfold(precomputed_knn=(np.roll(near, 1, axis=0),)).fit(x)._model.model() != model._model.model()


@pytest.mark.parametrize(
    ("known", "says"),
    [
        ((np.zeros((600, 12)), np.zeros((600, 12))), "integers"),
        ((np.zeros((600, 12), int), np.zeros((600, 11))), "of one shape"),
        ((np.arange(12)[None].repeat(590, 0),), "590"),
        ((np.full((600, 12), 600),), "600"),
    ],
    ids=["no integers", "another shape", "of fewer rows", "a row that is not there"],
)
def test_neighbours_that_do_not_fit(data: Any, known: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Unfold(precomputed_knn=known).fit(data[0])


@pytest.mark.parametrize("form", ["array", "sparse", "pandas"])
def test_distances_that_are_known(data: Any, cli: Callable[..., str], tmp_path: Path, form: str) -> None:
    """Distances lead to the command line's results for the graph, with all distances or only the nearest."""
    x, kind = data[0].copy(), data[1]
    x[7] = x[8]  # at distance 0
    new = blobs(30, seed=9)[0]
    whole, fresh = pairwise_distances(x).astype(np.float32), pairwise_distances(new, x).astype(np.float32)
    held: dict[str, Any] = {}
    for name, d in (("fit", whole), ("new", fresh)):
        order = np.argsort(
            d + np.where(np.eye(*d.shape, dtype=bool) & (name == "fit"), np.float32(np.inf), 0), axis=1, kind="stable"
        )[:, :15]
        lengths = np.take_along_axis(d, order, 1).astype(np.float64)
        lengths[lengths == 0] = lengths[lengths > 0].min()
        at = np.arange(len(d)).repeat(15)
        held[name] = scipy.sparse.coo_array((lengths.ravel(), (at, order.ravel())), shape=d.shape).tocsr()
        scipy.sparse.save_npz(tmp_path / f"{name}.npz", held[name])
    cli("fit", "--graph", "fit.npz", "--graph-weights", "distance", "-o", "m.unfold")
    cli("embed", "--graph", "new.npz", "-m", "m.unfold", "-o", "places.arrows")
    given = {
        "array": (whole, fresh),
        "sparse": (held["fit"], held["new"]),
        "pandas": (pd.DataFrame(whole), pd.DataFrame(fresh)),
    }[form]
    model = Unfold(metric="precomputed").fit(given[0])
    assert model._model.model() == (tmp_path / "m.unfold").read_bytes()
    np.testing.assert_array_equal(model.transform(given[1]), matrix(table(tmp_path / "places.arrows")))
    assert model.__sklearn_tags__().input_tags.pairwise
    # Classes stay together: 9 of 10 nearest positions have the same class.
    assert model.score(whole, kind) > 0.9
    model.save(tmp_path / "saved.unfold")
    np.testing.assert_array_equal(load(tmp_path / "saved.unfold").transform(given[1]), model.transform(given[1]))
    if form == "sparse":
        fewer = Unfold(metric="precomputed", n_neighbors=8).fit(whole)
        assert fewer._model.model() == Unfold(metric="precomputed", n_neighbors=8).fit(held["fit"])._model.model()


def test_as_many_new_rows_as_the_map_has(data: Any) -> None:
    """The diagonal counts for new rows, in sparse matrices and arrays: new row i is not row i of the map."""
    x = data[0][:100]
    new = blobs(100, seed=9)[0]
    model = Unfold(metric="precomputed").fit(pairwise_distances(x))
    d = pairwise_distances(new, x)
    np.fill_diagonal(d, 1e-3)
    np.testing.assert_array_equal(model.set_params(n_neighbors=15).transform(scipy.sparse.csr_array(d)), model.transform(d))


def test_distances_make_as_good_a_map() -> None:
    """A map of the digits' distances keeps neighbours as well as a map of their rows, measured by scikit-learn."""
    x = load_digits().data.astype(np.float32)
    rows, distances = Unfold().fit_transform(x), Unfold(metric="precomputed").fit_transform(pairwise_distances(x))
    assert trustworthiness(x, distances, n_neighbors=12) > trustworthiness(x, rows, n_neighbors=12) - 0.005


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (np.ones((5, 4)), "5 x 4"),
        (-np.ones((5, 5)), "not negative"),
        (np.full((5, 5), np.nan), "NaN"),
    ],
    ids=["not square", "negative", "unknown"],
)
def test_distances_that_are_none(rows: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Unfold(metric="precomputed").fit(rows)


def test_distances_have_no_rows(data: Any) -> None:
    d = pairwise_distances(data[0])
    model = Unfold(metric="precomputed").fit(d, data[1])  # nodes have no labels, but a pipeline passes y to all of its steps
    assert not hasattr(model, "classes_")
    with pytest.raises(ValueError, match="needs y"):
        model.score(d)
    with pytest.raises(ValueError, match="600"):
        model.transform(d[:, :-1])
    assert not hasattr(model, "partial_fit")


@pytest.mark.parametrize("kind", ["pca", "isomap", "lle", "kpca", "mds", "eigenmaps", "ltsa", "sammon", "nmds", "gtm"])
def test_textbook_kinds(data: Any, cli: Callable[..., str], tmp_path: Path, kind: str) -> None:
    x, _ = data
    new = blobs(30, seed=9)[0]
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "new.npy", new)
    cli("fit", "x.npy", "-o", "m.unfold", "--kind", kind, "--seed", "2")
    cli("embed", "new.npy", "-m", "m.unfold", "-o", "places.arrows")
    model = Unfold(kind=kind, random_state=2).fit(x)
    assert model._model.model() == (tmp_path / "m.unfold").read_bytes()
    at = model.transform(new)
    np.testing.assert_array_equal(at, matrix(table(tmp_path / "places.arrows")))
    assert model.inverse_transform(at).shape == new.shape
    assert np.linalg.norm(model.inverse_transform(model.embedding_) - x) < np.linalg.norm(x - x.mean(0))
    assert load(tmp_path / "m.unfold").kind == kind


def test_classes(data: Any, cli: Callable[..., str], tmp_path: Path) -> None:
    x, kind = data
    names = np.array(["ash", "beech", "elm", "oak"])[kind]
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "names.npy", names)
    cli("fit", "x.npy", "-o", "m.unfold", "--classify", "--label-file", "names.npy")
    model = Unfold().fit(x, names)
    assert model._model.model() == (tmp_path / "m.unfold").read_bytes()
    assert (model.predict(x) == names).mean() > 0.95
    assert load(tmp_path / "m.unfold").predict(x).tolist() == model.predict(x).tolist()
    p = model.predict_proba(x)
    assert p.shape == (len(x), 4) and np.allclose(p.sum(axis=1), 1, atol=1e-5)
    assert model.classes_[p.argmax(axis=1)].tolist() == model.predict(x).tolist()
    np.testing.assert_array_equal(p.max(axis=1), model.place(x).probability)


@pytest.mark.parametrize("calls", [1, 3], ids=["once", "one after the other"])
def test_follow(data: Any, cli: Callable[..., str], tmp_path: Path, calls: int) -> None:
    """A map that stays in memory between changes equals one that is read from its file each time."""
    x, _ = data
    np.save(tmp_path / "x.npy", x)
    cli("fit", "x.npy", "-o", "m.unfold")
    model = Unfold().fit(x)
    for k in range(calls):
        more = blobs(40, seed=20 + k)[0]
        np.save(tmp_path / "more.npy", more)
        cli("update", "m.unfold", "more.npy", "-o", "m.unfold", "--map", "map.arrows", "--points", "points.arrows")
        model.partial_fit(more)
        assert model._model.model() == (tmp_path / "m.unfold").read_bytes()
    want = table(tmp_path / "map.arrows")
    np.testing.assert_array_equal(model.novelty_local_[-40:], want["novelty_local"].to_numpy())
    # A row has the position of its point, and a row that equals a point has the position of that point.
    np.testing.assert_allclose(model.embedding_[-40:], matrix(want), atol=1e-5)
    (tmp_path / "gone.csv").write_text("point\n5\n17\n")
    cli("update", "m.unfold", "--forget", "gone.csv", "-o", "m.unfold")
    model.forget([5, 17])
    assert model._model.model() == (tmp_path / "m.unfold").read_bytes()


def test_explain(data: Any, cli: Callable[..., str], tmp_path: Path) -> None:
    x, _ = data
    odd = np.vstack([x[:2], x[:1] + 30])
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "odd.npy", odd)
    cli("fit", "x.npy", "-o", "m.unfold")
    want = [json.loads(line) for line in cli("explain", "m.unfold", "odd.npy", "--json", "--limit=0", "--above=0.99").splitlines()]
    got = Unfold().fit(x).explain(odd, above=0.99)
    assert len(want) >= 1 and got == want
    assert got[-1]["id"] == 2 and len(got[-1]["reasons"]) == 5


def test_clusters(data: Any, cli: Callable[..., str], tmp_path: Path) -> None:
    x, _ = data
    new = blobs(30, seed=4)[0]
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "new.npy", new)
    cli("clusters", "x.npy", "-o", "c.arrows", "--min-size=30")
    cli("clusters", "x.npy", "--new", "new.npy", "-o", "n.arrows", "--min-size=30")
    found = UnfoldClusters(30).fit(x)
    want = table(tmp_path / "c.arrows")
    np.testing.assert_array_equal(found.labels_, want["cluster"].to_numpy())
    # The table is in single precision, the attributes in double.
    np.testing.assert_array_equal(found.probabilities_.astype(np.float32), want["cluster_probability"].to_numpy())
    np.testing.assert_array_equal(found.outlier_scores_.astype(np.float32), want["cluster_outlier"].to_numpy())
    np.testing.assert_array_equal(found.predict(new), table(tmp_path / "n.arrows")["cluster"].to_numpy())
    assert set(found.labels_) >= {0, 1, 2, 3}


def test_decode(cli: Callable[..., str], tmp_path: Path) -> None:
    x = blobs(60, 5)[0]
    np.save(tmp_path / "x.npy", x)
    cli("fit", "x.npy", "-o", "m.unfold", "--kind=gplvm", "--steps=10")
    cli("decode", "-m", "m.unfold", "--at=0.25,-0.5", "-o", "back.npy")
    model = Unfold(kind="gplvm", settings={"steps": 10}).fit(x)
    assert model._model.model() == (tmp_path / "m.unfold").read_bytes()
    np.testing.assert_array_equal(model.inverse_transform([[0.25, -0.5]]), np.load(tmp_path / "back.npy"))


@pytest.mark.parametrize("tails", ["student", "gaussian"])
def test_decode_the_default_kind(data: Any, cli: Callable[..., str], tmp_path: Path, tails: str) -> None:
    x, kind = data
    np.save(tmp_path / "x.npy", x)
    cli("fit", "x.npy", "-o", "m.unfold", "--tails", tails)
    model = Unfold(settings={"tails": tails}).fit(x)
    at = model.embedding_
    np.save(tmp_path / "at.npy", at)
    cli("decode", "at.npy", "-m", "m.unfold", "-o", "back.npy")
    back, error = model.inverse_transform(at, return_error=True)
    assert back.dtype == np.float32
    np.testing.assert_array_equal(back, np.load(tmp_path / "back.npy"))
    centres = np.array([x[kind == k].mean(0) for k in range(4)])
    assert (np.linalg.norm(back[:, None] - centres, axis=2).argmin(1) == kind).mean() > 0.99
    new = blobs(200, seed=9)[0]
    back, error = model.inverse_transform(model.transform(new), return_error=True)
    off = np.sqrt(((back - new) ** 2).mean())
    assert 0.8 < np.sqrt((error**2).mean()) / off < 1.3
    _, far = model.inverse_transform([[1e4, 1e4]], return_error=True)
    assert far[0] > 2 * off
    for n in (1, 2):
        assert model.inverse_transform(at[:n]).shape == (n, 12)
    with pytest.raises(ValueError, match="no rows"):
        model.inverse_transform(at[:0])


def test_decode_has_the_units_of_the_rows(data: Any) -> None:
    x = np.exp(data[0][:, :3]).astype(np.float64)
    model = Unfold(log1p=True, standardize=True).fit(x)
    ratio = (1 + model.inverse_transform(model.embedding_)) / (1 + x)
    assert np.median(np.abs(np.log(ratio))) < 0.7
    far_off = x * [1, 1, 0.01] + [500_000, 4_649_776, 0]
    model = Unfold().fit(far_off)
    back = model.inverse_transform(model.embedding_)
    assert back.dtype == np.float64
    assert np.abs(back.mean(0) - far_off.mean(0)).max() < x.std(0).max()


def test_distances_decode_to_nothing(data: Any) -> None:
    model = Unfold(metric="precomputed").fit(pairwise_distances(data[0]))
    with pytest.raises(AttributeError, match="distances alone"):
        model.inverse_transform(model.embedding_)
