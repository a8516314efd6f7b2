"""Calls that a newcomer gets wrong: each error names the argument and says what to do, without flags and scratch files."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from unfold_live import Unfold, UnfoldAligned, UnfoldClassifier, UnfoldClusters

X = np.abs(np.random.default_rng(5).normal(size=(40, 4)))
APART = np.linalg.norm(X[:, None] - X, axis=2)
HOLED = np.where(X[7, 2] == X, np.nan, X)
ENDLESS = np.where(X[7, 2] == X, np.inf, X)
NEAR = np.argsort(APART, axis=1)[:, 1:6]
FAR = np.take_along_axis(APART, NEAR, axis=1)
RELATION = [{0: 0}]


def unordered() -> Any:
    """Return lists of neighbours of which one does not begin with the nearest."""
    near, far = NEAR.copy(), FAR.copy()
    near[3, :2], far[3, :2] = near[3, 1::-1], far[3, 1::-1]
    return near, far


ERRORS: dict[str, tuple[Callable[[], Any], str]] = {
    "metric of SciPy": (lambda: Unfold(metric="cityblock").fit(X), "metric='cityblock' is 'manhattan' here"),
    "metric of clusters": (lambda: UnfoldClusters(metric="l2").fit(X), "metric='l2' is 'euclidean' here"),
    "Minkowski": (lambda: Unfold(metric="minkowski").fit(X), r"has its power in its name here, such as 'minkowski:1\.5'"),
    "metric of SciPy alone": (lambda: Unfold(metric="yule").fit(X), r"Unfold\.from_umap\(metric='yule'\) calls it for each pair"),
    "no metric": (lambda: Unfold(metric=None).fit(X), "metric has to be a text, not None, or a function"),
    "one-sided": (
        lambda: Unfold(metric=lambda a, b: 9 + a[0] - b[0]).fit(X),
        r"rows 0 and 1 is .*, and swapped .*: distances do not",
    ),
    "settings": (lambda: Unfold(settings=3).fit(X), "settings has to be a dict of flags by name"),
    "output": (lambda: Unfold(settings={"output": "x"}).fit(X), r"settings\['output'\] is a flag that the package sets itself"),
    "misspelt": (lambda: Unfold(settings={"weigth": 1}).fit(X), r'no flag "weigth", did you mean one of "weight", "width"\?'),
    "knn": (lambda: Unfold(precomputed_knn=3).fit(X), "precomputed_knn has to be an array of rows' numbers"),
    "knn far": (
        lambda: Unfold(precomputed_knn=(NEAR + 9, FAR)).fit(X),
        r"precomputed_knn\[0\]\[\d+, \d\] is 4\d, and there are lists of 40",
    ),
    "knn order": (lambda: Unfold(precomputed_knn=unordered()).fit(X), r"precomputed_knn\[1\]\[3, 1\] is .*, after .*sort both"),
    "frame": (lambda: Unfold(frame=X[:3, :2]).fit(X), r"frame has the shape \(3, 2\), and X has 40 rows"),
    "columns": (lambda: Unfold(columns=[0, 1]).fit(X), r"columns=\[0, 1\] names columns of a table, and X is an array"),
    "id_column": (lambda: Unfold(id_column="id").fit(X), r"id_column='id' is a column of a table.*ids=\.\.\."),
    "infinite": (lambda: Unfold().fit(ENDLESS), r"infinity: X\[7, 2\] is inf; drop such rows, or clip"),
    "unknown": (
        lambda: Unfold(metric="precomputed").fit(np.where(APART > 2, np.nan, APART)),
        "leave unknown distances out of a sparse",
    ),
    "far apart": (
        lambda: Unfold(metric="precomputed").fit(np.where(APART > 2, np.inf, APART)),
        "leave unknown distances out",
    ),
    "pictures": (lambda: Unfold().fit(X.reshape(10, 4, 4)), r"Give X\.reshape\(len\(X\), -1\)"),
    "ragged": (lambda: Unfold().fit([[1, 2], [3], [4, 5]]), r"^X\[1\] has 1 values, and X\[0\] has 2"),
    "hole in a table": (
        lambda: Unfold().fit(pa.Table.from_pandas(pd.DataFrame(HOLED, columns=list("abcd")))),
        r'^X: row 7 \(counted from 0\), column "c": the value is missing; drop such rows, fill them \(missing="mean"\), or leave',
    ),
    "equal rows": (lambda: Unfold().fit(np.ones((9, 2))), "^X: 9 rows, 1 of them distinct"),
    "too many dimensions": (lambda: Unfold(33).fit(np.eye(20, 40)), "take a smaller n_components"),
    "distances": (
        lambda: Unfold(kind="lle", metric="precomputed").fit(APART),
        'kind lle takes rows, and X are distances: choose one of "lvm"',
    ),
    "reasons": (lambda: Unfold(metric="precomputed").fit(APART).explain(APART), "explain needs a map of rows"),
    "positions": (lambda: Unfold().fit(X).inverse_transform([["a", "b"]]), "X has to be an array of positions on the map"),
    "amounts": (lambda: Unfold(supervision=0.5).fit(X, X[:, 0]), "supervision=0.5 needs y: .*, and this y holds no classes"),
    "mixed list": (
        lambda: UnfoldClassifier().fit(X, [i if i % 2 else "a" for i in range(40)]),
        "classes of several types, int, str",
    ),
    "cut": (lambda: UnfoldClusters().fit(X).dbscan_clustering(-1), "cut_distance has to be a number of at least 0"),
    "epsilon": (lambda: UnfoldClusters(cluster_selection_epsilon=-1).fit(X), "has to be a number of at least 0, or None, not -1"),
    "relation": (lambda: UnfoldAligned().fit([X, X], relations=[[(0, 0)]]), r"relations\[0\] is a list: give a dict"),
    "rows of a relation": (
        lambda: UnfoldAligned().fit([X, X], relations=[{"a": 0}]),
        r"relations\[0\]: a row has to be a whole number",
    ),
    "one slice": (lambda: UnfoldAligned().fit(X, relations=RELATION), "X is a ndarray, one slice"),
    "no slice": (lambda: UnfoldAligned().fit([], relations=[]), "X holds no slice"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    call, says = ERRORS[name]
    with pytest.raises(ValueError, match=says) as e:
        call()
    assert not re.search(r"--[a-z]|unfold-|/tmp|graph|nodes", str(e.value))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Unfold(min_cluster_size=5), r"UnfoldClusters\(min_cluster_size=\.\.\.\) is nearest"),
        (lambda: Unfold(metric_kwds={"p": 3}), r"from_umap\(metric=\.\.\., metric_kwds=\.\.\.\)"),
        (lambda: UnfoldClusters(eps=1), r"dbscan_clustering\(eps\) after a fit"),
        (lambda: UnfoldClusters(min_pts=1), "min_samples is nearest"),
        (lambda: UnfoldAligned(alignment_regularisation=1), '"frame_weight": X'),
        (lambda: UnfoldAligned(foo=1), "UnfoldAligned has no parameter 'foo'"),
    ],
    ids=["min_cluster_size", "metric_kwds", "eps", "min_pts", "alignment_regularisation", "foo"],  # the same in every process
)
def test_words_of_other_packages(make: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        make()


def test_methods_that_are_not_there_say_why() -> None:
    m = Unfold(kind="isomap", n_neighbors=20).fit(X)
    for name, why in (("predict", "without classes"), ("partial_fit", 'kind "lvm"'), ("score_samples", "have a likelihood")):
        assert not hasattr(m, name)
        with pytest.raises(AttributeError, match=why):
            getattr(m, name)


def test_notes_on_the_words_of_umap() -> None:
    """A reason is given once, and the note has the value that is set."""
    with pytest.warns(UserWarning, match="nothing is set") as said:
        Unfold.from_umap(densmap=True, dens_lambda=3, min_dist=0.5, spread=2.0, metric="yule")
    text = str(said[0].message)
    assert "densmap=True: density=3.0" in text and "min_dist, spread: nothing is set" in text
    assert "metric='yule': metric=yule, which is called for each pair of rows" in text


def test_a_missing_label_in_a_list_of_texts_is_unknown() -> None:
    assert UnfoldClassifier().fit(X, ["a", "b", float("nan"), None] * 10).classes_.tolist() == ["a", "b"]
