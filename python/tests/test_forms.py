"""Arrays with metrics that need columns of a table, and distances."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from unfold_live import Unfold, load


def codes(n: int = 200, columns: int = 6) -> np.ndarray:
    """Return categories as whole numbers, some negative, in two groups."""
    rng = np.random.default_rng(3)
    group = np.arange(n) % 2
    return np.where(rng.random((n, columns)) < 0.7, 5 * group[:, None] - 1, rng.integers(0, 70, (n, columns)))


def test_whole_numbers_are_categories_under_hamming(tmp_path: Path) -> None:
    """Whole numbers of any type have the same map as categories given as strings, also with a loaded model."""
    x = codes()
    model = Unfold(metric="hamming").fit(x)
    texts = pd.DataFrame(x).map("v{}".format).set_axis([f"x{k}" for k in range(6)], axis=1)
    want = Unfold(metric="hamming", settings={"vocabulary": 90}).fit(texts)
    np.testing.assert_array_equal(model.embedding_, want.embedding_)
    a, b = (model.embedding_[k::2] for k in range(2))
    assert np.linalg.norm(np.median(a, 0) - np.median(b, 0)) > 2 * max(np.median(np.std(p, 0)) for p in (a, b))
    for rows in (x.astype(float), x.tolist(), scipy.sparse.csr_matrix(x), pd.DataFrame(x)):
        np.testing.assert_array_equal(model.transform(rows), model.embedding_)
    np.testing.assert_array_equal(model.transform(x[:1]), model.embedding_[:1])
    assert np.isfinite(model.transform(x[:3] + 1000)).all()
    model.save(tmp_path / "m.unfold")
    again = load(tmp_path / "m.unfold")
    assert again.n_features_in_ == 6 and again.metric == "hamming"
    np.testing.assert_array_equal(again.transform(x[:9]), model.embedding_[:9])
    assert len(model.partial_fit(x[:5] + 1).embedding_) == 205
    assert 0 <= model.score(x) <= 1 and len(model.explain(x[:2])) == 2
    one = Unfold(metric="hamming").fit(x[:, :1])
    np.testing.assert_array_equal(one.transform(x[:2, :1]), one.embedding_[:2])
    with pytest.raises(ValueError, match="hamming takes 0 and 1"):
        Unfold(metric="hamming").fit(x + 0.5)


def test_haversine_of_an_array(tmp_path: Path) -> None:
    """Two columns of an array are latitude and longitude in degrees, as in a table."""
    rng = np.random.default_rng(1)
    x = np.column_stack([rng.uniform(-80, 80, 200), rng.uniform(-180, 180, 200)])
    model = Unfold(metric="haversine").fit(x)
    table = pd.DataFrame(x, columns=["latitude", "longitude"])
    want = Unfold(metric="haversine", columns=["latitude", "longitude"]).fit(table)
    np.testing.assert_array_equal(model.embedding_, want.embedding_)
    np.testing.assert_array_equal(model.transform(pd.DataFrame(x[:7])), model.embedding_[:7])
    model.save(tmp_path / "m.unfold")
    np.testing.assert_array_equal(load(tmp_path / "m.unfold").transform(x[:7]), model.embedding_[:7])
    with pytest.raises(ValueError, match="takes two, latitude and longitude"):
        Unfold(metric="haversine").fit(np.zeros((9, 3)))
    with pytest.raises(ValueError, match="latitudes from"):
        Unfold(metric="haversine").fit(x[:, ::-1])
    with pytest.warns(UserWarning, match="radians"):
        Unfold(metric="haversine").fit(np.radians(x))


@pytest.mark.parametrize("sparse", [False, True])
def test_distances_have_no_direction(sparse: bool) -> None:
    """Asymmetric distances are an error that names a pair. Rounding errors are accepted."""
    x = np.random.default_rng(1).normal(size=(60, 3))
    d = np.linalg.norm(x[:, None] - x[None], axis=2)
    kind = scipy.sparse.csr_matrix if sparse else np.asarray
    model = Unfold(metric="precomputed", n_neighbors=9)
    want = model.fit(kind(d)).embedding_
    assert np.isfinite(want).all()
    model.fit(kind(d + np.triu(np.full((60, 60), 1e-6), 1)))
    one_way = np.where(np.triu(np.ones((60, 60))) > 0, d, 0)
    if sparse:
        model.fit(kind(one_way))
    else:
        with pytest.raises(ValueError, match="direction"):
            model.fit(one_way)
    d[7, 3] *= 2
    with pytest.raises(ValueError, match=r"X\[3, 7\] is [\d.]+ and X\[7, 3\] is"):
        model.fit(kind(d))
