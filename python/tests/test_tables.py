"""Tables with columns of several kinds: the program chooses columns, and the label, as for the same file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from unfold_live import Unfold, UnfoldClassifier, UnfoldClusters

from .conftest import blobs

TREES = np.array(["ash", "beech", "elm", "oak"])


def trees(n: int = 240, seed: int = 1) -> pd.DataFrame:
    """Return rows of three numbers, and their groups as the column "species"."""
    x, kind = blobs(n, 3, seed=seed)
    return pd.DataFrame(x, columns=list("abc")).assign(species=TREES[kind])


def silent(fit: Any) -> Any:
    """Call a function that has to warn of nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        return fit()


@pytest.mark.parametrize(
    "kind", ["pandas", "object", "category", "polars", "polars categorical", "pyarrow", "dictionary", "csv", "parquet"]
)
def test_a_label_is_not_in_the_vectors(kind: str, tmp_path: Path) -> None:
    """A column of classes is left out with a warning. New rows may have it or not, with other values, too."""
    frame = trees()
    rows: Any = {
        "pandas": lambda: frame,
        "object": lambda: frame.astype({"species": object}),
        "category": lambda: frame.astype({"species": "category"}),
        "polars": lambda: pl.DataFrame(frame),
        "polars categorical": lambda: pl.DataFrame(frame).with_columns(pl.col("species").cast(pl.Categorical)),
        "pyarrow": lambda: pa.table(frame),
        "dictionary": lambda: pa.table(frame).set_column(
            3, "species", pa.chunked_array([pa.array(frame.species).dictionary_encode()])
        ),
        "csv": lambda: tmp_path / "trees.csv",
        "parquet": lambda: tmp_path / "trees.parquet",
    }[kind]()
    frame.to_csv(tmp_path / "trees.csv", index=False)
    frame.astype({"species": "category"}).to_parquet(tmp_path / "trees.parquet")
    with pytest.warns(
        UserWarning, match='^column "species" is taken as the label, by its name, and is not in the vectors; '
    ) as said:
        model = Unfold().fit(rows)
    assert len(said) == 1
    assert str(said[0].message).endswith(
        'give it to fit as y to predict it, or to have it in them: columns="*,species", standardize=True'
    )
    want = Unfold(columns=["a", "b", "c"]).fit(frame)
    np.testing.assert_array_equal(model.embedding_, want.embedding_)
    assert not hasattr(model, "predict")
    new = trees(20, seed=2)
    for other in (new, new[["c", "a", "b"]], new.assign(species="fir"), pl.DataFrame(new), new.astype({"species": "category"})):
        np.testing.assert_array_equal(silent(lambda o=other: model.transform(o)), want.transform(new))


def test_columns_that_are_named_are_in_the_vectors() -> None:
    frame = trees()
    model = silent(lambda: Unfold(columns=["a", "b", "c", "species"], standardize=True).fit(frame))
    with pytest.warns(UserWarning, match="label"):
        said = Unfold().fit(frame)
    assert said.embedding_.shape == model.embedding_.shape and not np.array_equal(said.embedding_, model.embedding_)
    with_label = silent(lambda: Unfold(columns="*,species", standardize=True).fit(frame))  # as the warning says
    np.testing.assert_array_equal(with_label.embedding_, model.embedding_)
    with pytest.raises(ValueError, match="species"):
        model.transform(frame[["a", "b", "c"]])


def test_given_labels_are_the_labels() -> None:
    """With y no label is guessed: all columns are features, and y is predicted."""
    frame, y = trees(), np.arange(240) % 2
    model = silent(lambda: Unfold().fit(frame, y))
    assert list(model.classes_) == [0, 1]
    np.testing.assert_array_equal(
        model.embedding_, Unfold(columns=["a", "b", "c", "species"], standardize=True).fit(frame).embedding_
    )
    found = silent(lambda: UnfoldClassifier().fit(frame[["a", "b", "c"]], frame.species))
    assert (found.predict(frame[["a", "b", "c"]]) == frame.species).mean() > 0.9


def test_the_only_category_is_the_label() -> None:
    frame = trees().rename(columns={"species": "what"})
    with pytest.warns(UserWarning, match='^column "what" is taken as the label, as the only column of categories, and'):
        model = Unfold().fit(frame)
    np.testing.assert_array_equal(model.embedding_, Unfold().fit(frame[["a", "b", "c"]]).embedding_)
    two = frame.assign(other=TREES[::-1][np.arange(240) % 4])
    silent(lambda: Unfold().fit(two))  # of several none is the only one


def test_filled_values_are_said() -> None:
    """The program fills missing values of a table, and the warning says so, unless `missing` asked for that."""
    frame = trees().rename(columns={"species": "kind"}).assign(other=TREES[np.arange(240) % 4])
    frame.loc[3, "a"] = np.nan
    model = Unfold(columns=["a", "b", "c", "kind", "other"], standardize=True, missing="mean")
    want = silent(lambda: model.fit(frame)).embedding_
    with pytest.warns(UserWarning, match=r"missing values are filled with the mean of their columns: a \(1 row\)"):
        Unfold(columns=None).fit(frame.drop(columns="kind").assign(more=frame.other[::-1].to_numpy()))
    assert np.isfinite(want).all()
    with pytest.raises(ValueError, match=r'column "a": the value is missing'):
        Unfold(settings={"missing": "error"}).fit(frame)


def test_clusters_of_a_table() -> None:
    """Labels do not separate clusters. New rows need no label."""
    frame = trees()
    with pytest.warns(UserWarning, match="is taken as the label"):
        found = UnfoldClusters().fit(frame)
    plain = UnfoldClusters().fit(frame[["a", "b", "c"]])
    np.testing.assert_array_equal(found.labels_, plain.labels_)
    new = trees(20, seed=2)
    np.testing.assert_array_equal(silent(lambda: found.predict(new)), plain.predict(new[["a", "b", "c"]]))
    np.testing.assert_array_equal(silent(lambda: found.predict(new[["a", "b", "c"]])), plain.predict(new[["a", "b", "c"]]))
    named = silent(lambda: UnfoldClusters(columns=["a", "species"], standardize=True).fit(frame))
    assert len(named.predict(new)) == 20
    with pytest.raises(ValueError, match="standardize scales the columns of a table"):
        UnfoldClusters(standardize=True).fit(frame[["a", "b", "c"]].to_numpy())
