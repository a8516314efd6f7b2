"""Adding rows to maps and removing rows from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from unfold_live import Unfold, load

from .conftest import blobs


def test_rows_come(data: Any) -> None:
    """Rows can be added, and existing rows hardly move."""
    x, _ = data
    model = Unfold().fit(x)
    before = model.embedding_.copy()
    new = blobs(30, seed=8)[0]
    model.partial_fit(new)
    assert model.embedding_.shape == (630, 2) and model.sigma_.shape == (630,)
    assert model.ids_.tolist() == list(range(630))
    size = np.ptp(before, axis=0).max()
    assert np.median(np.linalg.norm(model.embedding_[:600] - before, axis=1)) < 0.05 * size
    np.testing.assert_allclose(model.transform(new), model.embedding_[600:], atol=1e-4 * size)


def test_first_call_fits(data: Any) -> None:
    x, kind = data
    a, b = Unfold().partial_fit(x, kind), Unfold().fit(x, kind)
    assert a._model.model() == b._model.model()


def test_rows_go_by_their_ids(data: Any) -> None:
    x, _ = data
    names = [f"row {i}" for i in range(len(x))]
    model = Unfold().fit(x, ids=names)
    model.forget(["row 7", "row 599"]).forget("row 0")
    assert len(model.ids_) == 597 == len(model.embedding_) == len(model.novelty_)
    assert not {"row 7", "row 599", "row 0"} & set(model.ids_)
    with pytest.raises(KeyError, match="row 7"):
        model.forget(["row 7"])
    model.partial_fit(x[:2], ids=["row 7", "again"])
    assert model.ids_[-2:].tolist() == ["row 7", "again"] and len(model.embedding_) == 599
    np.testing.assert_allclose(model.transform(x[1:2])[0], model.embedding_[-1], atol=1e-3)


def test_equal_rows_are_one_point(data: Any) -> None:
    """A row stays on the map if an equal row is removed."""
    x = np.vstack([data[0], data[0][:3]])
    model = Unfold().fit(x)
    np.testing.assert_array_equal(model.embedding_[600:], model.embedding_[:3])
    model.forget([600])
    np.testing.assert_array_equal(model.embedding_[0], model.transform(x[:1])[0])
    assert len(model.embedding_) == 602


def test_a_loaded_map_follows(data: Any, tmp_path: Any) -> None:
    x, kind = data
    model = Unfold().fit(x, kind)
    model.save(tmp_path / "m.unfold")
    other = load(tmp_path / "m.unfold")
    new = blobs(25, seed=9)[0]
    assert other.partial_fit(new).embedding_.shape == (25, 2)
    model.partial_fit(new)
    np.testing.assert_array_equal(other.embedding_, model.embedding_[600:])
    assert other.predict(new).tolist() == [str(c) for c in model.predict(new)]


def test_kinds_that_do_not_follow() -> None:
    x = blobs(60, 5)[0]
    model = Unfold(kind="lllvm", settings={"steps": 5}).fit(x)
    with pytest.raises(AttributeError, match="no partial_fit"):
        model.partial_fit(x[:3])
