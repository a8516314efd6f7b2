"""Aligned maps of slices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks

from unfold_live import Unfold, UnfoldAligned

#: The number of rows of a slice, and of those that are not in the next one.
WIDTH, STEP = 260, 100


@parametrize_with_checks([UnfoldAligned(settings={"steps": 5})])
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def slices() -> list[np.ndarray[Any, Any]]:
    """Digits in the order of their classes, in slices that overlap."""
    x, y = load_digits(return_X_y=True)
    x = x[np.argsort(y, kind="stable")]
    return [x[k * STEP : k * STEP + WIDTH] for k in range(3)]


RELATIONS = [{i + STEP: i for i in range(WIDTH - STEP)} for _ in range(2)]


def r_nx(x: Any, at: Any) -> float:
    """Return the area under R_NX over the logarithm of the neighbourhood's size, from 0 to 1."""
    n = len(x)
    ranks = []
    for rows in (x, at):
        d = ((rows[:, None].astype(float) - rows[None]) ** 2).sum(axis=-1)
        np.fill_diagonal(d, -1)
        ranks.append(d.argsort(axis=1).argsort(axis=1))
    worse = np.maximum(*ranks)[~np.eye(n, dtype=bool)]
    k = np.arange(1, n - 1)
    q = np.cumsum(np.bincount(worse, minlength=n)[1 : n - 1]) / (k * n)
    return float((((n - 1) * q - k) / (n - 1 - k) / k).sum() / (1 / k).sum())


def drift(a: Any, b: Any) -> float:
    apart = ((a[STEP:] - b[: WIDTH - STEP]) ** 2).sum(axis=1).mean()
    return float(np.sqrt(apart / ((a.var(axis=0).sum() + b.var(axis=0).sum()) / 2)))


def test_shared_rows_stay(slices: Any) -> None:
    """Shared rows drift by less than an eighth of the maps' radius, and each map is nearly as good as one of its slice alone."""
    model = UnfoldAligned().fit(slices, relations=RELATIONS)
    alone = [Unfold().fit(x) for x in slices]
    for k in range(2):
        assert model.drift_[k] == pytest.approx(drift(*model.embeddings_[k : k + 2]), rel=1e-5)
        assert model.drift_[k] < 0.125 and drift(alone[k].embedding_, alone[k + 1].embedding_) > 2 * model.drift_[k]
    for x, at, one in zip(slices, model.embeddings_, alone, strict=True):
        assert r_nx(x, at) > r_nx(x, one.embedding_) - 0.04
    np.testing.assert_array_equal(model.models_[1].transform(slices[1][:5]), model.embeddings_[1][:5])


def test_update(slices: Any) -> None:
    """An added slice is aligned with the last one, whose map does not change."""
    model = UnfoldAligned(sweeps=0).fit(slices[:2], relations=RELATIONS[:1])
    before = [at.copy() for at in model.embeddings_]
    model.update(slices[2], relations=RELATIONS[1])
    assert len(model.embeddings_) == 3 == len(model.models_) and model.drift_.shape == (2,) and model.drift_[1] < 0.25
    for a, b in zip(before, model.embeddings_, strict=False):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("relations", "says"),
    [
        (None, "relations has 0 dicts for 2 slices"),
        ([{}], r"relations\[0\] is empty"),
        ([{0: 1, 2: 1}], "several rows to the same row of slice 1"),
        ([{0: 30}], r"relations\[0\] names row 30 of slice 1, which has 30 rows"),
        ([{-1: 0}], r"relations\[0\] names row -1 of slice 0"),
    ],
)
def test_relations_that_make_no_sense(relations: Any, says: str) -> None:
    x = np.random.default_rng(1).normal(size=(2, 30, 4))
    with pytest.raises(ValueError, match=says):
        UnfoldAligned(settings={"steps": 5}).fit(list(x), relations=relations)


def test_neighbors_of_each_slice(slices: Any) -> None:
    """Slices may have their own numbers of neighbours, one for each."""
    few = {"settings": {"steps": 10}, "sweeps": 0}
    two = UnfoldAligned(n_neighbors=[5, 9], **few).fit(slices[:2], relations=RELATIONS[:1])
    assert [m.n_neighbors for m in two.models_] == [5, 9]
    one = UnfoldAligned(n_neighbors=5, **few).fit(slices[:1])
    np.testing.assert_array_equal(two.embeddings_[0], one.embeddings_[0])
    assert two.update(slices[2], relations=RELATIONS[1], n_neighbors=7).models_[-1].n_neighbors == 7
    with pytest.raises(ValueError, match="n_neighbors has 3 numbers for 2 slices: give one, or one for each slice"):
        UnfoldAligned(n_neighbors=[5, 5, 5]).fit(slices[:2], relations=RELATIONS[:1])
