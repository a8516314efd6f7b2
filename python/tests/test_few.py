"""No row, one row and two rows, through every method of every estimator."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from unfold_live import Unfold, UnfoldClusters, UnfoldError

#: Rows of 0 and 1, which every metric supports, and names of their columns.
ROWS = np.array([[i >> k & 1 for k in range(6)] for i in range(1, 41)], dtype=np.float32)
NAMES = list("abcdef")

#: The kinds of models.
KINDS = ("lvm", "lllvm", "gplvm", "pca", "isomap", "lle", "kpca", "mds", "eigenmaps", "ltsa", "sammon", "nmds", "gtm")

#: Latitudes and longitudes.
PLACES = np.random.default_rng(1).normal(size=(40, 2)).astype(np.float32)

#: Calls of a map's methods with rows and their number.
METHODS: dict[str, Callable[[Unfold, Any, int], Any]] = {
    "clusters": lambda m, x, n: m.clusters(),
    "close": lambda m, x, n: m.close(),
    "explain": lambda m, x, n: m.explain(x),
    "fit": lambda m, x, n: m.fit(x),
    "fit_transform": lambda m, x, n: m.fit_transform(x),
    "forget": lambda m, x, n: m.forget(m.ids_[:n]),
    "get_feature_names_out": lambda m, x, n: m.get_feature_names_out(),
    "inverse_transform": lambda m, x, n: m.inverse_transform(m.embedding_[:n]),
    "partial_fit": lambda m, x, n: m.partial_fit(x),
    "place": lambda m, x, n: m.place(x),
    "predict": lambda m, x, n: m.predict(x),
    "predict_proba": lambda m, x, n: m.predict_proba(x),
    "save": lambda m, x, n: m.save(Path(tempfile.gettempdir()) / "few.unfold"),
    "score": lambda m, x, n: m.score(x),
    "score_samples": lambda m, x, n: m.score_samples(x),
    "transform": lambda m, x, n: m.transform(x),
    "transform_graph": lambda m, x, n: m.transform_graph(x),
    "view": lambda m, x, n: m.view().close(),
}

#: The methods of scikit-learn's base classes.
BASE = {"from_umap", "get_params", "set_params", "set_output", "get_metadata_routing"}

#: The methods that return one row per input row.
PLACED = {"transform", "predict", "predict_proba", "score_samples", "inverse_transform"}


def metrics() -> list[str]:
    """Return the metrics that the program supports."""
    with pytest.raises(ValueError, match="is none of") as e:
        Unfold(metric="none").fit(ROWS)
    found = re.search(r"is none of ([a-z, ]+)", str(e.value))
    assert found
    return found[1].split(", ")


def models() -> list[dict[str, Any]]:
    """Return parameters for every kind, and for every metric of the kind "lvm", with and without components."""
    few = {"settings": {"steps": 2}}
    kinds = [{"kind": kind, "pca": pca, **few} for kind in KINDS for pca in ("none", 3)]
    return kinds + [{"metric": metric, "pca": pca, **few} for metric in metrics()[1:] for pca in ("none", 1)]


def in_words(call: Callable[[], Any]) -> Any:
    """Return a call's result, or None if it raised an error with a readable message."""
    try:
        return call()
    except (ValueError, KeyError, AttributeError, UnfoldError) as e:
        text = str(e)
    assert text and not re.search(r"goroutine|panic|crashed|Traceback|runtime error", text), text
    return None


def test_methods_are_all_tested() -> None:
    have = {name for name in dir(Unfold) if not name.startswith("_") and not name.endswith("_") and name not in BASE}
    # After an import of scikit-learn, classes have a method such as set_fit_request for each method with more arguments than X.
    have = {name for name in have if not re.fullmatch(r"set_\w+_request", name)}
    assert have - {"metadata_routing"} == set(METHODS)


def test_few_rows() -> None:
    fitted = 0
    for parameters in models():
        x = PLACES if parameters.get("metric") == "haversine" else ROWS
        y = np.arange(40) % 2
        first = in_words(lambda p=parameters, x=x, y=y: Unfold(**p).fit(x, y))
        if first is None:
            continue
        fitted += 1
        for n in range(3):
            for name, call in METHODS.items():
                if not hasattr(first, name) or (name == "view" and fitted > 1):
                    continue
                rows = len(first.ids_)
                got = in_words(lambda c=call, m=first, x=x, n=n: c(m, x[:n], n))
                if got is not None and name in PLACED:
                    assert len(got) == n, (parameters, name, n)
                change = {"forget": -n, "partial_fit": n}.get(name, 0) if got is not None else 0
                assert len(first.ids_) == len(first.embedding_) == rows + change, (parameters, name, n)
        first.close()
    assert fitted > len(KINDS) - 1 + len(metrics())


@pytest.mark.parametrize("n", range(3))
def test_few_rows_of_a_table(n: int) -> None:
    """Rows of a table with its own columns are written in another way than arrays."""
    table = pd.DataFrame(ROWS, columns=NAMES).assign(kind=["even", "odd"] * 20)
    few = table.iloc[:n]
    model = Unfold(settings={"steps": 2}).fit(table)
    for name, call in METHODS.items():
        if hasattr(model, name) and name not in {"fit", "fit_transform", "forget", "view"}:
            in_words(lambda c=call: c(model, few, n))
    assert in_words(lambda: Unfold().fit(few)) is None


@pytest.mark.parametrize("pca", ["none", 3])
def test_forget_to_the_last_rows(pca: Any) -> None:
    """Two rows are enough for a map. Fewer are an error that changes nothing."""
    model = Unfold(pca=pca, settings={"steps": 2}).fit(ROWS)
    for left in (0, 1):
        with pytest.raises(ValueError, match=f"{left} point"):
            model.forget(model.ids_[left:])
        assert len(model.embedding_) == 40
    assert model.forget(model.ids_[2:]).embedding_.shape == (2, 2)
    assert model.partial_fit(ROWS[10:20]).embedding_.shape == (12, 2)


@pytest.mark.parametrize("n", range(3))
def test_clusters_of_few_rows(n: int) -> None:
    found = UnfoldClusters(min_cluster_size=2)
    if in_words(lambda: found.fit(ROWS[:n])) is not None:
        assert found.labels_.shape == (n,)
    found.fit(ROWS)
    got = in_words(lambda: found.predict(ROWS[:n]))
    assert got is None or got.shape == (n,)
