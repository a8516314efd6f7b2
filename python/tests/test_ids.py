"""Ids at the limits of integer types are kept exactly and identify exactly their rows."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from unfold_live import Unfold

from .conftest import blobs

#: Integers that are equal after rounding to single or double precision, by type.
EDGES = {
    "int64": [-(2**63), -(2**63) + 1, -(2**53) - 1, -1, 0, 2**53, 2**53 + 1, 2**63 - 2, 2**63 - 1],
    "uint64": [0, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1],
}


def edges(kind: str, n: int) -> np.ndarray[Any, Any]:
    """Return n ids, beginning with the limits."""
    rest = range(10**6, 10**6 + n - len(EDGES[kind]))
    return np.array([*EDGES[kind], *rest], dtype=kind)


@pytest.mark.parametrize("kind", list(EDGES))
def test_ids_that_are_given(kind: str) -> None:
    """Given ids are returned exactly, and identify rows in ``forget``."""
    x, _ = blobs(60)
    ids = edges(kind, 60)
    model = Unfold(n_neighbors=5, n_jobs=1).fit(x, ids=ids)
    assert model.ids_.dtype == ids.dtype
    assert model.ids_.tolist() == ids.tolist()
    gone = ids[[1, 6, len(EDGES[kind]) - 1]]
    model.forget(gone)
    assert model.ids_.tolist() == [i for i in ids.tolist() if i not in gone.tolist()]
    with pytest.raises(KeyError, match=str(gone[2])):
        model.forget(gone[2:])


def test_ids_of_both_signs(data: Any) -> None:
    """Ids above the range of int64 can follow ids within it, in one list or in later calls. None is rounded."""
    x, _ = data
    ids = [-1, 2**53 + 1, 2**63 - 1, *range(10, 67)]
    more = [2**53, 2**53 + 2, 2**64 - 1, 2**63]
    model = Unfold(n_neighbors=5, n_jobs=1).fit(x[:60], ids=ids).partial_fit(x[60:64], ids=np.array(more, dtype=np.uint64))
    assert model.ids_.tolist() == ids + more
    model.forget([-1, 2**64 - 1])
    assert model.ids_.tolist() == [i for i in ids + more if i not in (-1, 2**64 - 1)]
    assert Unfold(n_neighbors=5, n_jobs=1).fit(x[:64], ids=ids + more).ids_.tolist() == ids + more


@pytest.mark.parametrize("kind", list(EDGES))
@pytest.mark.parametrize("table", ["pandas", "arrow", "parquet", "csv"])
def test_ids_in_a_column(kind: str, table: str, tmp_path: Path) -> None:
    """Ids in a column are passed through the program exactly, and identify rows in ``forget``."""
    x, _ = blobs(60)
    ids = edges(kind, 60)
    columns = [f"c{k}" for k in range(x.shape[1])]
    rows: Any = pd.DataFrame(x, columns=columns).assign(key=ids)
    if table == "csv":
        rows.to_csv(tmp_path / "rows.csv", index=False)
        rows = tmp_path / "rows.csv"
    elif table != "pandas":
        rows = pa.Table.from_pandas(rows, preserve_index=False)
    if table == "parquet":
        import pyarrow.parquet as pq

        pq.write_table(rows, tmp_path / "rows.parquet")
        rows = tmp_path / "rows.parquet"
    model = Unfold(n_neighbors=5, n_jobs=1, id_column="key", columns=None if table in ("pandas", "arrow") else columns).fit(rows)
    assert [str(i) for i in model.ids_] == [str(i) for i in ids]
    model.forget(model.ids_[:5])
    assert [str(i) for i in model.ids_] == [str(i) for i in ids[5:]]


def test_a_column_of_ids_among_features_is_warned_of() -> None:
    x = pd.DataFrame(blobs(60)[0][:, :4], columns=list("abcd"))
    ids = np.random.default_rng(1).permutation(1000)[: len(x)]
    with pytest.warns(UserWarning, match='column "id" has another whole number in every row.*X.drop'):
        Unfold(n_neighbors=5).fit(x.assign(id=ids))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Unfold(n_neighbors=5).fit(x.assign(id=ids % 7))
        Unfold(n_neighbors=5).fit(x.assign(count=ids))
