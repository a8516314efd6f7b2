"""Rows of every type."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import dask.dataframe
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse

from unfold_live import Unfold, UnfoldClusters, load
from unfold_live import _files as files

from .conftest import REPOSITORY, blobs

NAMES = [f"c{k}" for k in range(12)]


class Tensor:
    """An array of another library, which NumPy can view."""

    def __init__(self, x: np.ndarray[Any, Any]) -> None:
        self.x, self.shape = x, x.shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return self.x.astype(dtype) if dtype else self.x


class Exchanged:
    """An array that only supports DLPack."""

    def __init__(self, x: np.ndarray[Any, Any]) -> None:
        self.x = x

    def __dlpack__(self, **how: Any) -> Any:
        return self.x.__dlpack__(**how)

    def __dlpack_device__(self) -> Any:
        return self.x.__dlpack_device__()


def _locked(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    out = x.copy()
    out.flags.writeable = False
    return out


def kinds_of(x: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return the same rows in all types."""
    frame = pd.DataFrame(x, columns=NAMES)
    lists = pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), x.shape[1])
    table = pa.table(frame)
    relation = duckdb.connect().from_arrow(pa.table({n: x[:, k] for k, n in enumerate(NAMES)}))
    return {
        "double precision": x.astype(np.float64),
        "the other byte order": x.astype(">f4"),
        "read only": _locked(x),
        "columns first": np.asfortranarray(x),
        "every second": np.repeat(x, 2, axis=0)[::2],
        "from the last to the first": x[::-1].copy()[::-1],
        "columns from the last to the first": x[:, ::-1].copy()[:, ::-1],
        "a list": x.tolist(),
        "a list of arrays": list(x),
        "NumPy's interface": Tensor(x),
        "DLPack": Exchanged(x),
        "a sparse matrix": scipy.sparse.csr_matrix(x),
        "a sparse array": scipy.sparse.csr_array(x),
        "sparse columns": scipy.sparse.csc_matrix(x),
        "sparse coordinates": scipy.sparse.coo_array(x),
        "pandas": frame,
        "pandas, some rows": pd.concat([frame, frame])[len(x) :].set_index(np.arange(len(x)) * 3),
        "pandas, nullable": frame.astype("Float32"),
        "pandas, pyarrow's": frame.astype("float[pyarrow]"),
        "polars": pl.DataFrame(frame),
        "pyarrow, columns": table,
        "pyarrow, a batch": table.to_batches()[0],
        "pyarrow, a vector": pa.table({"v": lists}),
        "pyarrow, an array": lists,
        "pyarrow, chunks": pa.chunked_array([lists[:7], lists[7:]]),
        "polars, a series": pl.Series(x),
        "polars, a series of lists": pl.Series(x.tolist()),
        "pandas, a series": pd.Series(list(x)),
        "pandas, a vector": pd.DataFrame({"v": list(x)}),
        "polars, a vector": pl.DataFrame({"v": x}),
        "duckdb": relation,
    }


@pytest.fixture(scope="module")
def plain(data: Any) -> Unfold:
    """The map of the rows given as a NumPy array."""
    return Unfold().fit(data[0])


@pytest.mark.parametrize("kind", kinds_of(blobs(10)[0]))
def test_same_places(data: Any, plain: Unfold, kind: str) -> None:
    """The same numbers have the same positions, whatever their container."""
    x, want = data[0], plain
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
    """Whole numbers have the same positions in any number type."""
    x = np.rint(np.abs(data[0]) * 4).astype(np.int8)
    model = Unfold().fit(x.astype(np.float32))
    rows = [x.astype(t) for t in ("int8", "uint8", "int16", "int64", "uint64", "float16", "float64")]
    rows += [pd.DataFrame(x, columns=NAMES).astype(t) for t in ("Int64", "int32[pyarrow]")]
    for some in rows:
        np.testing.assert_array_equal(model.transform(some), model.embedding_)
    np.testing.assert_array_equal(Unfold().fit_transform(rows[0]), model.embedding_)


def test_truths(data: Any) -> None:
    x = data[0] > 0
    want = Unfold().fit_transform(x.astype(np.float32))
    for rows in (x, pd.DataFrame(x, columns=NAMES), pd.DataFrame(x, columns=NAMES).astype("boolean")):
        np.testing.assert_array_equal(Unfold().fit_transform(rows), want)


@pytest.mark.parametrize(
    "case",
    {
        "no rows": (np.zeros((0, 3)), "0 sample"),
        "one row": (np.zeros((1, 3)), "1 sample"),
        "no columns": (np.zeros((9, 0)), "0 feature"),
        "infinite": (np.full((9, 3), np.inf), "infinity"),
        "complex": (np.zeros((9, 3), complex), "[Cc]omplex"),
        "texts": ([["a", "b"]] * 9, "string|numbers"),
        "a row": (np.zeros(9), "2D|2 dimensions"),
        "a column": (pd.Series(np.zeros(9)), "2D|2 dimensions"),
        "a column of polars": (pl.Series(np.zeros(9)), "2D|2 dimensions"),
        "too many dimensions": (np.zeros((3, 3, 3)), "dim"),
        "rows of unlike lengths": ([[1.0, 2.0], [1.0], [3.0]], r"X\[1\] has 1 values, and X\[0\] has 2"),
        "lists of unlike lengths": (pa.table({"v": [[1.0, 2.0], [1.0], [3.0, 4.0]]}), r"row 1 \(counted from 0\)"),
        "a lazy frame": (pl.LazyFrame({"a": [1.0, 2.0, 3.0]}), r"collect\(\)"),
        "nothing": (None, "2D|2 dimensions"),
        "an empty frame": (pd.DataFrame({"a": [], "b": []}), "0 sample"),
        "an empty table": (pa.table({"a": pa.array([], pa.float32()), "b": pa.array([], pa.string())}), "X"),
        "no file": ("/nowhere/rows.csv", "/nowhere/rows.csv"),
    }.items(),
    ids=lambda case: case[0],
)
def test_no_rows_of_a_map(case: tuple[str, tuple[Any, str]]) -> None:
    """Unsupported input is a ``ValueError`` with the reason."""
    rows, says = case[1]
    with pytest.raises(ValueError, match=says):
        Unfold().fit(rows)


def test_one_row_and_none(data: Any, plain: Unfold) -> None:
    x, model = data[0], plain
    np.testing.assert_array_equal(model.transform(x[:1]), model.embedding_[:1])
    with pytest.raises(ValueError, match="0 sample"):
        model.transform(x[:0])
    with pytest.raises(ValueError, match="NaN"):
        model.transform(np.full((1, 12), np.nan))


def test_a_reader_is_read_once(data: Any, plain: Unfold) -> None:
    """The schema of a reader is not requested before, because it can be read only once."""
    table = pa.table(pd.DataFrame(data[0], columns=NAMES))
    np.testing.assert_array_equal(Unfold().fit(table.to_reader(100)).embedding_, plain.embedding_)


def test_categories(data: Any) -> None:
    """Categories and strings of any type are encoded as the same columns."""
    x, kind = data
    words = np.array(["ash", "beech", "elm", "oak"])[kind]
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "tree": words})
    model = Unfold(standardize=True, columns=["a", "b", "tree"]).fit(frame)
    assert model.n_features_in_ == 3 and list(model.feature_names_in_) == ["a", "b", "tree"]
    for dtype in ("category", "string", "string[pyarrow]", object):
        np.testing.assert_array_equal(
            Unfold(standardize=True, columns=["a", "b", "tree"]).fit(frame.astype({"tree": dtype})).embedding_, model.embedding_
        )
    for rows in (pl.DataFrame(frame), pl.DataFrame(frame).with_columns(pl.col("tree").cast(pl.Categorical)), pa.table(frame)):
        np.testing.assert_array_equal(model.transform(rows), model.embedding_)
    np.testing.assert_array_equal(model.transform(frame[::-1]), model.embedding_[::-1])
    np.testing.assert_array_equal(model.transform(frame[["tree", "b", "a"]]), model.embedding_)


@pytest.mark.parametrize(
    "rows",
    [
        np.zeros((100, 8)),
        np.zeros((100, 8)).tolist(),
        pd.DataFrame(np.zeros((100, 8))),
        pl.DataFrame(np.zeros((100, 8))),
        pa.table({str(k): np.zeros(100) for k in range(8)}),
    ],
    ids=["NumPy", "a list", "pandas", "polars", "pyarrow"],
)
def test_sizes_are_known(rows: Any) -> None:
    """The size of files is known, because it determines their folder."""
    assert files.size_of(rows) == pytest.approx(6400, rel=0.05)


def test_what_is_of_unknown_size_is_on_disk() -> None:
    assert files.size_of(duckdb.sql("select 1 as a")) is None
    with files.Folder(None) as unknown:
        assert files._SHM not in unknown.path.parents


def test_ids_of_another_number(data: Any) -> None:
    """The error is raised before learning, and the estimator is unchanged."""
    x, _ = data
    with pytest.raises(ValueError, match="3 ids for 600 rows"):
        Unfold().fit(x, ids=[1, 2, 3])
    model = Unfold().fit(x)
    before = model._model.model()
    with pytest.raises(ValueError, match="3 ids for 2 rows"):
        model.partial_fit(x[:2] + 1, ids=[1, 2, 3])
    assert model._model.model() == before and len(model.embedding_) == 600
    frame = pd.DataFrame({"a": x[:, 0], "s": "x"})
    with pytest.raises(ValueError, match="3 ids for 600 rows"):
        Unfold().fit(frame, ids=[1, 2, 3])


def test_mapped_files_are_not_copied(data: Any, tmp_path: Path) -> None:
    x, _ = data
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert files.mapped_file(mapped) == tmp_path / "x.npy"
    for part in (mapped[1:], mapped[::-1], mapped[:, :3], mapped.astype(np.float64), x):
        assert files.mapped_file(part) is None
    np.testing.assert_array_equal(Unfold().fit_transform(mapped), Unfold().fit_transform(x))
    np.testing.assert_array_equal(Unfold().fit_transform(mapped[::-1]), Unfold().fit_transform(x[::-1]))


def test_maps_of_memory_are_read_from_it(data: Any, tmp_path: Path) -> None:
    """The memory is used instead of the file if a copy-on-write map was changed or the file was replaced."""
    x, _ = data
    np.save(tmp_path / "x.npy", x)
    changed = np.load(tmp_path / "x.npy", mmap_mode="c")
    changed[:] = x[::-1]
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    np.save(tmp_path / "y.npy", x[::-1])
    os.replace(tmp_path / "y.npy", tmp_path / "x.npy")
    np.testing.assert_array_equal(mapped, x)
    want = Unfold().fit(x).embedding_
    np.testing.assert_array_equal(Unfold().fit_transform(mapped), want)
    np.testing.assert_array_equal(Unfold().fit(x).transform(changed), want[::-1])
    written = np.load(tmp_path / "x.npy", mmap_mode="r+")
    written[:] = x
    assert files.mapped_file(written) == tmp_path / "x.npy"


def test_names_of_columns(data: Any) -> None:
    """Names may contain separators and wildcards."""
    x, kind = data
    names = ["a,b", "c:log1p", "d*", "-e", "f\\g", "h"]
    words = np.array(["ash", "beech", "elm", "oak"])[kind]
    plain = pd.DataFrame(x[:, :6], columns=list("abcdef")).assign(tree=words)
    frame = plain.set_axis([*names, "tr,ee"], axis=1)
    model = Unfold(standardize=True).fit(frame)
    np.testing.assert_array_equal(model.embedding_, Unfold(standardize=True).fit(plain).embedding_)
    np.testing.assert_array_equal(model.transform(frame[:5]), model.embedding_[:5])
    some = Unfold(columns=["a,b:log1p", "c:log1p", "tr,ee"]).fit(frame)
    np.testing.assert_array_equal(some.embedding_, Unfold(columns=["a:log1p", "b", "tree"]).fit(plain).embedding_)


def test_masked_values(data: Any) -> None:
    """Masked values are missing, whatever the value below the mask."""
    x, kind = data
    hidden = np.ma.masked_array(np.where(x > 5, 1e6, x), mask=x > 5)
    assert hidden.mask.any()
    with pytest.raises(ValueError, match="NaN"):
        Unfold().fit(hidden)
    want = Unfold(missing="mean").fit(np.where(x > 5, np.nan, x))
    np.testing.assert_array_equal(Unfold(missing="mean").fit(hidden).embedding_, want.embedding_)
    np.testing.assert_array_equal(Unfold().fit(np.ma.masked_array(x)).embedding_, Unfold().fit(x).embedding_)
    some = np.ma.masked_array(kind, mask=np.arange(len(x)) % 3 > 0)
    assert (Unfold().fit(x, some).predict(x) == kind).mean() > 0.9


def test_decimals(data: Any) -> None:
    """Decimals of polars, which NumPy holds as objects, are numbers."""
    x = np.round(data[0].astype(float), 2)
    frame = pl.DataFrame({n: x[:, k] for k, n in enumerate(NAMES)}).cast(pl.Decimal(10, 2))
    np.testing.assert_array_equal(Unfold().fit(frame).embedding_, Unfold().fit(x).embedding_)
    np.testing.assert_array_equal(UnfoldClusters().fit(frame).labels_, UnfoldClusters().fit(x).labels_)


def test_partitions_of_dask(data: Any, plain: Unfold) -> None:
    """Partitions are placed as in docs/python.md, also those without rows."""
    rows = pd.DataFrame(data[0], columns=NAMES)
    model = copy.deepcopy(plain)
    model.n_jobs = 1

    def place(part: pd.DataFrame) -> pd.DataFrame:
        at = model.transform(part.drop(columns="number").to_numpy()) if len(part) else np.empty((0, 2), np.float32)
        return pd.DataFrame(at, index=part.index, columns=["x", "y"])

    parts = dask.dataframe.from_pandas(rows.assign(number=range(len(rows))), npartitions=4)
    some = parts[parts["number"] >= 400].map_partitions(place, meta={"x": "f4", "y": "f4"}).compute()
    np.testing.assert_array_equal(some, plain.embedding_[400:])


def test_mixed_columns() -> None:
    """Strings and numbers of a data frame are encoded as by the command line."""
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


def test_loaded_models_take_frames_of_numbers(data: Any, tmp_path: Path) -> None:
    """The model file contains the columns from which it was learnt."""
    frame = pd.DataFrame(data[0], columns=NAMES)
    model = Unfold(columns=["c3", "c1", "c2"]).fit(frame)
    model.save(tmp_path / "m.unfold")
    np.testing.assert_array_equal(load(tmp_path / "m.unfold").transform(frame[:9]), model.embedding_[:9])


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
    """A missing value is an error with the reason, unless the kind supports it."""
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
        pd.Series(kind).astype("Int64").where(np.arange(len(x)) % 3 == 0),
        pd.Series(kind).astype("category").where(np.arange(len(x)) % 3 == 0),
        pl.Series([int(k) if i % 3 == 0 else None for i, k in enumerate(kind)]),
        pa.array([str(k) if i % 3 == 0 else None for i, k in enumerate(kind)]),
    ):
        model = Unfold().fit(x, y)
        assert (np.asarray(model.predict(x), dtype=float) == kind).mean() > 0.9
    assert not hasattr(Unfold().fit(x, np.linspace(0, 1, len(x))), "predict")
    assert not hasattr(Unfold().fit(x), "predict")
    with pytest.raises(ValueError, match="600 rows, y 3"):
        Unfold().fit(x, [1, 2, 3])


def test_frames(data: Any) -> None:
    """A map is learnt near given coordinates."""
    x, _ = data
    before = Unfold().fit(x)
    again = Unfold(frame=before.embedding_).fit(np.vstack([x]))
    size = np.abs(before.embedding_ - before.embedding_.mean(0)).max()
    assert np.median(np.abs(again.embedding_ - before.embedding_)) < 0.1 * size


def test_without_pyarrow(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers do not need pyarrow. Rows that need it raise an error that names it."""
    x, _ = data
    want = Unfold().fit_transform(x)
    mixed = pd.DataFrame({"a": x[:, 0], "b": ["u", "v"] * (len(x) // 2)})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    np.testing.assert_array_equal(Unfold().fit_transform(pd.DataFrame(x, columns=NAMES)), want)
    with pytest.raises(ValueError, match="pip install pyarrow"):
        Unfold().fit(mixed)


def test_metric() -> None:
    """With metric "cosine" a row's length does not matter, in a fit and in placement."""
    x, _ = blobs(300, 12)
    model = Unfold(metric="cosine").fit(x)
    places = model.transform(x[:20])
    np.testing.assert_allclose(model.transform(4 * x[:20]), places, atol=1e-4)
    plain = Unfold().fit(x)
    assert np.abs(plain.transform(4 * x[:20]) - plain.transform(x[:20])).max() > 0.1
    with pytest.raises(ValueError, match="metric"):
        Unfold(metric="taxicabs").fit(x)


def test_missing_says_what_there_is() -> None:
    x, _ = blobs(60, 4)
    with pytest.raises(ValueError, match='has to be "mean"'):
        Unfold(missing="drop").fit(x)


def test_reasons_name_the_columns_of_a_frame() -> None:
    """Frames of numbers are written as arrays; their columns keep their names in reasons."""
    import pandas as pd

    x = np.random.default_rng(1).normal(size=(200, 4))
    frame = pd.DataFrame(x, columns=["height", "weight", "a,b", "vector[0]"])
    odd = frame.iloc[:1].assign(weight=30.0)
    assert Unfold().fit(frame).explain(odd, columns=1)[0]["reasons"][0]["column"] == "weight"
    assert Unfold().fit(x).explain(odd.to_numpy(), columns=1)[0]["reasons"][0]["column"] == "vector[1]"


@pytest.mark.parametrize(
    ("rows", "want"),
    [
        (pd.DataFrame(np.arange(80.0).reshape(20, 4), columns=["a", "b", "a", "c"]), "two columns named 'a': rename one"),
        (pd.DataFrame({"a": [1, "x", 2.5, 3] * 5, "b": np.arange(20.0)}), "values are not of one type: .*column a .*astype"),
        (np.where(np.eye(20) > 0, np.nan, 1.0), r'contains? NaN.* X\[0, 0\] is nan; .* as Unfold\(missing="mean"\) does$'),
        (scipy.sparse.csr_array(np.where(np.arange(80.0).reshape(20, 4) == 30, np.nan, 1.0)), r"X\[7, 2\] is nan; "),
        (pd.DataFrame({"a": [1, None, 3] * 5, "b": range(15)}, dtype="Int64"), r"X\[1, 0\] is nan; "),
        ({"a": np.arange(20.0)}, r"X is a dict: give a data frame, pandas.DataFrame\(X\)$"),
        ([{"a": 1.0, "b": 2.0}] * 9, r"X is a list of dicts: give a data frame, pandas.DataFrame\(X\)$"),
        (iter(np.eye(9)), r"give list\(X\)$"),
        (np.rec.fromarrays(np.eye(9)), r"structured array: give pandas.DataFrame\(X\)"),
        (["a text", "another", "a third"], "X holds texts, such as 'a text', .*: give a data frame, .* encoder"),
        (np.array([["ash", "elm"]] * 9), "X holds texts, such as 'ash', "),
        (np.array([["ash", "elm"]] * 9, dtype=object), "X holds texts, such as 'ash', "),
        (np.full((9, 3), 1e300), r"^X\[0, 0\] is 1e\+300; values must be finite numbers in the range of float32"),
    ],
)
def test_errors_say_what_to_do(rows: Any, want: str) -> None:
    """What cannot be taken is an error of one line that says what to do, not one of the libraries below."""
    with pytest.raises(ValueError, match=want) as raised:
        Unfold().fit(rows)
    assert "\n" not in str(raised.value)


class OnGPU:
    """An array whose memory the processor does not read."""

    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


def test_arrays_of_a_gpu() -> None:
    with pytest.raises(ValueError, match=r"in the memory of a GPU: copy it, by X.cpu\(\) or X.get\(\)"):
        Unfold().fit(OnGPU())


@pytest.mark.parametrize("loaded", [True, False], ids=["with scikit-learn", "alone"])
def test_numbers_of_other_kinds(loaded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nullable and sparse columns, long doubles and all sparse formats are the same rows, with or without scikit-learn."""
    script = f"""
import warnings
import numpy as np, pandas as pd, scipy.sparse as sp
{"import sklearn.base" if loaded else ""}
from unfold_live import Unfold
x = np.random.default_rng(1).normal(size=(60, 5)).round(3)
frame = pd.DataFrame(x, columns=list("abcde"))
model = Unfold(missing="mean", settings={{"steps": 5}})
want = model.fit_transform(x)
warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)
for rows in (
    frame.astype("Float64"), frame.astype("double[pyarrow]"), frame.astype(pd.SparseDtype(float)),
    x.astype(np.longdouble), x.astype(">f8"),
    *(form(x) for form in (sp.csc_array, sp.coo_array, sp.lil_array, sp.dok_array, sp.bsr_array, sp.dia_array, sp.csr_matrix)),
):
    assert np.array_equal(model.fit_transform(rows), want), type(rows)
holes = frame.mask(frame > 1)
want = model.fit_transform(holes)
for rows in (holes.astype("Float64"), holes.astype("double[pyarrow]"), holes.to_numpy()):
    assert np.array_equal(model.fit_transform(rows), want), type(rows)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("of", ["a file of an array", "a file of a table", "a table", "a loaded model"])
def test_vectors_have_any_name(data: Any, tmp_path: Path, of: str) -> None:
    """Rows of a map of vectors are an array or a column of vectors, whatever the column's name in the fit."""
    x, new = data[0].astype(np.float32), data[0][:20].astype(np.float32) + np.float32(0.5)
    np.save(tmp_path / "x.npy", x)
    table = pa.table({"v": list(x)})
    pq.write_table(table, tmp_path / "v.parquet")
    fitted = {"a file of an array": tmp_path / "x.npy", "a table": table}.get(of, tmp_path / "v.parquet")
    model = Unfold(settings={"steps": 5}).fit(fitted)
    if of == "a loaded model":
        model.save(tmp_path / "v.unfold")
        model = load(tmp_path / "v.unfold")
    want = Unfold(settings={"steps": 5}).fit(x).place(new)
    rows = (new, new.tolist(), pd.DataFrame(new), pd.Series(list(new)), pa.table({"w": list(new)}), pl.DataFrame({"v": new}))
    for given in rows:
        np.testing.assert_array_equal(model.place(given).embedding, want.embedding)
    assert np.isfinite(model.score_samples(new)).all() and 0 < model.score(x) <= 1 and len(model.explain(new)) == 20
    before = len(model.embedding_)
    assert len(model.partial_fit(new).embedding_) == before + 20
    with pytest.raises(ValueError, match="3 elements, 12 are expected"):
        model.transform(new[:, :3])
