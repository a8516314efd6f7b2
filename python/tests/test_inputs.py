"""Rows of every kind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from unfold_live import Unfold, UnfoldClusters
from unfold_live import _files as files

from .conftest import REPOSITORY, blobs

NAMES = [f"c{k}" for k in range(12)]


def _locked(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    out = x.copy()
    out.flags.writeable = False
    return out


def kinds_of(x: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return the same rows in all kinds."""
    frame = pd.DataFrame(x, columns=NAMES)
    lists = pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), x.shape[1])
    relation = duckdb.connect().from_arrow(pa.table({n: x[:, k] for k, n in enumerate(NAMES)}))
    return {
        "double precision": x.astype(np.float64),
        "the other byte order": x.astype(">f4"),
        "read only": _locked(x),
        "columns first": np.asfortranarray(x),
        "every second": np.repeat(x, 2, axis=0)[::2],
        "a list": x.tolist(),
        "a sparse matrix": scipy.sparse.csr_matrix(x),
        "a sparse array": scipy.sparse.csr_array(x),
        "pandas": frame,
        "polars": pl.DataFrame(frame),
        "pyarrow, columns": pa.table(frame),
        "pyarrow, a vector": pa.table({"v": lists}),
        "pandas, a vector": pd.DataFrame({"v": list(x)}),
        "polars, a vector": pl.DataFrame({"v": x}),
        "duckdb": relation,
    }


@pytest.mark.parametrize("kind", kinds_of(blobs(10)[0]))
def test_same_places(data: Any, kind: str) -> None:
    """The same numbers have the same places, whatever holds them."""
    x, _ = data
    want = Unfold().fit(x)
    model = Unfold().fit(kinds_of(x)[kind])
    np.testing.assert_array_equal(model.embedding_, want.embedding_)
    new = blobs(30, seed=5)[0]
    np.testing.assert_array_equal(model.transform(kinds_of(new)[kind]), want.transform(new))


@pytest.mark.parametrize("kind", ["a sparse matrix", "a sparse array", "columns first", "the other byte order"])
def test_same_clusters(data: Any, kind: str) -> None:
    """The same numbers have the same clusters, and new rows join the same ones."""
    x, _ = data
    new = blobs(30, seed=5)[0]
    want = UnfoldClusters().fit(x)
    found = UnfoldClusters().fit(kinds_of(x)[kind])
    np.testing.assert_array_equal(found.labels_, want.labels_)
    np.testing.assert_array_equal(found.predict(kinds_of(new)[kind]), want.predict(new))


def test_whole_numbers(data: Any) -> None:
    x = np.rint(data[0] * 10).astype(np.int16)
    np.testing.assert_array_equal(Unfold().fit_transform(x), Unfold().fit_transform(x.astype(np.float32)))


def test_mapped_files_are_not_copied(data: Any, tmp_path: Path) -> None:
    x, _ = data
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert files.mapped_file(mapped) == tmp_path / "x.npy"
    for part in (mapped[1:], mapped[::-1], mapped[:, :3], mapped.astype(np.float64), x):
        assert files.mapped_file(part) is None
    np.testing.assert_array_equal(Unfold().fit_transform(mapped), Unfold().fit_transform(x))
    np.testing.assert_array_equal(Unfold().fit_transform(mapped[::-1]), Unfold().fit_transform(x[::-1]))


def test_mixed_columns() -> None:
    """Texts and numbers of a data frame form a vector as the command line makes it."""
    frame = pd.read_csv(REPOSITORY / "testdata/kdd/kdd.csv.gz", nrows=1500)
    columns = ["protocol_type", "service", "src_bytes:log1p", "dst_bytes:log1p", "count", "serror_rate"]
    model = Unfold(columns=columns, standardize=True, id_column="record").fit(frame[:1200], frame.category[:1200])
    assert list(model.ids_) == list(frame.record[:1200])
    assert (model.predict(frame[1200:]) == frame.category[1200:]).mean() > 0.8
    np.testing.assert_array_equal(model.transform(pl.DataFrame(frame[1200:])), model.transform(frame[1200:]))
    with pytest.raises(ValueError, match="src_bytes"):
        model.transform(frame[["protocol_type", "service"]])
    with pytest.raises(ValueError, match="columns of its own"):
        model.transform(np.zeros((2, 6)))
    why = model.explain(frame[1200:1210])
    assert {r["column"] for w in why for r in w["reasons"]} <= {c.split(":")[0] for c in columns}


def test_files(tmp_path: Path) -> None:
    digits = REPOSITORY / "testdata/digits/train-images-idx3-ubyte.gz"
    model = Unfold().fit(digits)
    assert model.embedding_.shape == (3000, 2)
    frame = pd.read_csv(REPOSITORY / "testdata/kdd/kdd.csv.gz", nrows=300)
    frame.to_parquet(tmp_path / "kdd.parquet")
    columns = "src_bytes:log1p,dst_bytes:log1p,service"
    a = Unfold(columns=columns).fit(tmp_path / "kdd.parquet").embedding_
    np.testing.assert_array_equal(a, Unfold(columns=columns).fit(frame).embedding_)


def test_missing_values() -> None:
    """A missing value is an error that says so, or filled in by the kind that can."""
    x, _ = blobs(80, 6)
    x[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        Unfold().fit(x)
    model = Unfold(kind="gplvm", settings={"steps": 10}).fit(x)
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform(x[2:5])).all()


def test_labels_that_are_missing(data: Any) -> None:
    x, kind = data
    for y in (
        np.where(np.arange(len(x)) % 3 == 0, kind.astype(float), np.nan),
        [str(k) if i % 3 == 0 else None for i, k in enumerate(kind)],
    ):
        model = Unfold().fit(x, y)
        assert (np.asarray(model.predict(x), dtype=float) == kind).mean() > 0.9
    assert not hasattr(Unfold().fit(x, np.linspace(0, 1, len(x))), "predict")
    assert not hasattr(Unfold().fit(x), "predict")
    with pytest.raises(ValueError, match="600 rows, y 3"):
        Unfold().fit(x, [1, 2, 3])


def test_frames(data: Any) -> None:
    """A map is learnt near coordinates that are known."""
    x, _ = data
    before = Unfold().fit(x)
    again = Unfold(frame=before.embedding_).fit(np.vstack([x]))
    size = np.abs(before.embedding_ - before.embedding_.mean(0)).max()
    assert np.median(np.abs(again.embedding_ - before.embedding_)) < 0.1 * size


def test_without_pyarrow(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers need no pyarrow; what does says so."""
    x, _ = data
    want = Unfold().fit_transform(x)
    mixed = pd.DataFrame({"a": x[:, 0], "b": ["u", "v"] * (len(x) // 2)})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    np.testing.assert_array_equal(Unfold().fit_transform(pd.DataFrame(x, columns=NAMES)), want)
    with pytest.raises(ValueError, match="pip install pyarrow"):
        Unfold().fit(mixed)


def test_metric() -> None:
    """With the cosine a row's length does not matter, neither in a fit nor in placing."""
    x, _ = blobs(300, 12)
    model = Unfold(metric="cosine").fit(x)
    places = model.transform(x[:20])
    np.testing.assert_allclose(model.transform(4 * x[:20]), places, atol=1e-4)
    plain = Unfold().fit(x)
    assert np.abs(plain.transform(4 * x[:20]) - plain.transform(x[:20])).max() > 0.1
    with pytest.raises(ValueError, match="metric"):
        Unfold(metric="canberra").fit(x)


def test_missing_says_what_there_is() -> None:
    x, _ = blobs(60, 4)
    with pytest.raises(ValueError, match='has to be "mean"'):
        Unfold(missing="drop").fit(x)
