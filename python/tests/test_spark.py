"""Spark, in local mode with four workers."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unfold_live import Unfold, UnfoldError, spark

from .conftest import blobs

if shutil.which("java") is None and os.environ.get("UNFOLD_TESTS") != "required":
    pytest.skip("SKIPPED, there is no java for Spark", allow_module_level=True)

pytestmark = pytest.mark.xdist_group("spark")  # in one worker, so that Spark starts only once


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """Spark with four workers, whose tasks may fail once."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    s = (
        SparkSession.builder.master("local[4,3]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    s.sparkContext.setLogLevel("OFF")
    yield s
    s.stop()


def frame(session: Any, n: int = 3000) -> Any:
    """Return rows with an id, a kind and a vector, in eight partitions."""
    x, kind = blobs(n, 8)
    rows = pd.DataFrame({"id": np.arange(n), "kind": kind.astype(str), "v": [row.tolist() for row in x]})
    return session.createDataFrame(rows).repartition(8, "id")


def test_places_are_those_of_one_machine(session: Any) -> None:
    x, kind = blobs(3000, 8)
    model = Unfold().fit(x[:500], kind[:500].astype(str))
    out = spark.transform(frame(session), model, keep=["id"]).toPandas().sort_values("id")
    assert list(out.columns) == ["id", "embedding", "sigma", "novelty_local", "novelty_global", "class", "class_probability"]
    at = model.place(x.astype(np.float64))
    np.testing.assert_array_equal(np.stack(out.embedding).astype(np.float32), at.embedding)
    np.testing.assert_array_equal(out.novelty_global.to_numpy(np.float32), at.novelty_global)
    assert out["class"].tolist() == at.label.tolist()


def test_fit_on_a_sample(session: Any) -> None:
    df = frame(session)
    a = spark.fit(df, sample=600, vector="v")
    assert 450 < len(a.embedding_) < 750
    assert spark.fit(df, sample=600, vector="v")._model.model() == a._model.model()
    assert len(spark.fit(df, sample=10_000, vector="v").embedding_) == 3000
    assert spark.transform(df, a).columns[:2] == ["id", "kind"]


def test_fit_of_files(session: Any, tmp_path: Path) -> None:
    """Executors write the rows, and the driver's Python does not hold them. The map is that of the same rows in memory."""
    x, _ = blobs(3000, 8)
    df = session.createDataFrame(pd.DataFrame({"v": [row.tolist() for row in x.astype(float)]})).coalesce(1)
    for folder in (str(tmp_path / "rows"), f"file:{tmp_path}/again"):
        model = spark.fit(df, folder=folder, vector="v")
        np.testing.assert_array_equal(model.transform(x[:100]), Unfold(random_state=1).fit(x).transform(x[:100]))
        assert len(model.embedding_) == 0
    places = spark.transform(frame(session), model, keep=["id"]).toPandas().sort_values("id")
    np.testing.assert_array_equal(np.stack(places.embedding).astype(np.float32), model.transform(x))
    some = spark.fit(frame(session), folder=str(tmp_path / "some"), columns=None, vector="v", sample=600)
    assert 450 < some._points() < 750
    with pytest.raises(Exception, match=r"(?i)exists"):
        spark.fit(df, folder=str(tmp_path / "rows"))


def test_fit_of_more_than_memory_holds(session: Any, tmp_path: Path) -> None:
    """Of more rows than the fit may hold it draws some."""
    df = session.range(0, 400_000).selectExpr(*(f"rand({k}) as c{k}" for k in range(12)))
    model = spark.fit(df, folder=str(tmp_path / "rows"), memory="200MiB", settings={"steps": 5})
    assert 1000 < model._points() < 400_000
    new = pd.DataFrame(np.random.default_rng(1).random((9, 12)), columns=[f"c{k}" for k in range(12)])
    assert np.isfinite(model.transform(new)).all()


def test_files_are_placed_by_the_program(session: Any, tmp_path: Path) -> None:
    """Places of files are those of their rows, file by file; a folder without files is an error."""
    x, _ = blobs(3000, 8)
    model = Unfold().fit(x[:500])
    frame(session).write.parquet(str(tmp_path / "rows"))
    out = spark.transform_files(
        session, str(tmp_path / "rows"), str(tmp_path / "places"), model, vector="v", id_column="id", keep=["kind"]
    )
    rows = out.toPandas().astype({"id": int}).sort_values("id")
    at = model.place(x.astype(np.float64))
    np.testing.assert_array_equal(rows["id"].astype(int), np.arange(3000))
    assert set(rows.kind) == set("0123")
    place = np.stack(rows.embedding) if "embedding" in rows else rows[["x", "y"]].to_numpy()
    np.testing.assert_array_equal(place.astype(np.float32), at.embedding)
    np.testing.assert_array_equal(rows.novelty_global.to_numpy(np.float32), at.novelty_global)
    assert out.schema == session.read.parquet(str(tmp_path / "places")).schema
    assert not list((tmp_path / "places").glob("_model*"))
    (tmp_path / "none").mkdir()
    with pytest.raises(ValueError, match="holds no files"):
        spark.transform_files(session, str(tmp_path / "none"), str(tmp_path / "other"), model)


def test_errors_of_files_are_those_of_rows(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bad row is a ``ValueError`` that names the file. A program that fails is repeated, and then an ``UnfoldError``."""
    x, _ = blobs(300, 8)
    model = Unfold().fit(x)
    (tmp_path / "rows").mkdir()
    a = tmp_path / "rows" / "a.parquet"
    where = str(tmp_path / "rows")
    pq.write_table(pa.table({"v": pa.array([x[0].tolist(), None], pa.list_(pa.float32()))}), a)
    with pytest.raises(ValueError, match=r"rows/a\.parquet.*row 2"):
        spark.transform_files(session, where, str(tmp_path / "places"), model, vector="v")
    pq.write_table(pa.table({"v": pa.array([x[0].tolist()], pa.list_(pa.float32()))}), a)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho >>{tmp_path}/attempts\nUNFOLD_BINARY=/bin/false exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(session.sparkContext, "pythonExec", str(python))
    with pytest.raises(UnfoldError, match="unfold ended"):
        spark.transform_files(session, where, str(tmp_path / "again"), model, vector="v")
    assert len((tmp_path / "attempts").read_text()) == 3
    assert not list((tmp_path / "again").glob("*.parquet"))


def test_plain_columns(session: Any) -> None:
    x, _ = blobs(400, 3)
    df = session.createDataFrame(pd.DataFrame(x, columns=["a", "b", "c"]).assign(word=np.where(x[:, 0] > 0, "up", "down")))
    model = spark.fit(df, columns=["a", "b:standardize", "word"])
    out = spark.transform(df, model).toPandas()
    assert list(out.columns[:4]) == ["a", "b", "c", "word"] and np.isfinite(np.stack(out.embedding)).all()


def test_order_and_columns_that_pass(session: Any) -> None:
    """Rows keep the order of their partition, and columns of any type are passed on unchanged."""
    x, _ = blobs(300, 8)
    rows = pd.DataFrame({"id": np.arange(300)[::-1], "v": [r.tolist() for r in x], "at": pd.Timestamp("2026-01-02"), "word": "é"})
    df = session.createDataFrame(rows).coalesce(1)
    out = spark.transform(df, Unfold().fit(x)).toPandas()
    assert list(out.columns[:3]) == ["id", "at", "word"]
    np.testing.assert_array_equal(out["id"], rows["id"])
    pd.testing.assert_series_equal(out["at"], df.toPandas()["at"])
    assert set(out["word"]) == {"é"}


def test_partitions_without_rows(session: Any) -> None:
    x, _ = blobs(300, 8)
    model = Unfold().fit(x)
    df = frame(session, 40).repartition(30, "id")
    assert spark.transform(df, model).count() == 40
    none = spark.transform(df.where("id < 0"), model)
    assert none.count() == 0 and "embedding" in none.columns


def test_vectors_that_are_missing(session: Any) -> None:
    """Missing vectors end the job, as they end the command. The error names the row of the batch."""
    x, _ = blobs(300, 8)
    df = session.createDataFrame([(0, x[0].tolist()), (1, None)], "id long, v array<float>").coalesce(1)
    with pytest.raises(Exception, match=r"the rows.*row 2"):
        spark.transform(df, Unfold().fit(x), vector="v").collect()
    with pytest.raises(ValueError, match="2 columns of lists, v, w"):
        spark.transform(df.withColumn("w", df.v), Unfold().fit(x))


def test_retries_give_the_same_bytes(session: Any, tmp_path: Path) -> None:
    """A task that fails after placing rows is retried elsewhere with the same result."""
    model = Unfold().fit(blobs(500, 8)[0])
    df = frame(session)
    want = spark.transform(df, model, keep=["id"]).toPandas().sort_values("id").reset_index(drop=True)
    placed = spark.transform(df, model, keep=["id"])
    marks = str(tmp_path)

    def fail_once(batches: Iterator[Any]) -> Iterator[Any]:
        import os as system

        from pyspark import TaskContext

        task = TaskContext.get()
        assert task is not None
        yield from batches
        mark = system.path.join(marks, str(task.partitionId()))
        if task.partitionId() % 2 == 0 and not system.path.exists(mark):
            open(mark, "w").close()
            raise RuntimeError("this worker fails")

    got = placed.mapInArrow(fail_once, placed.schema).toPandas().sort_values("id").reset_index(drop=True)
    assert len(list(tmp_path.iterdir())) >= 2
    pd.testing.assert_frame_equal(got, want, check_exact=True)
