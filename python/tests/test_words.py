"""Translated error messages, invalid parameters, and open files."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unfold_live import Unfold, UnfoldClusters
from unfold_live._words import translated

FITS = {
    "n_components": ["23", True, 2.5, 2.0, 0, "1:x"],
    "n_neighbors": [0, True, "x", 6.0],
    "pca": [0, "x", True],
    "density": [9, "1", True],
    "supervision": [7, "x", True],
    "standardize": ["x", 3],
    "thorough": ["x"],
    "report": ["yes"],
    "n_jobs": ["x", 1.5, True],
    "kind": ["umap", 3],
    "metric": ["none", np.hypot],
    "memory": ["much"],
    "random_state": [-1],
    "frame": ["none of them", np.zeros((3, 2))],
    "precomputed_knn": [(np.zeros((3, 2), int), np.zeros((3, 2)))],
    "settings": [{"weight": "x"}, {"wait": 1}],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, values in FITS.items() for v in values], ids=str)
def test_parameters_that_make_no_sense(data: Any, name: str, value: Any) -> None:
    """Invalid parameters are a ``ValueError`` that names the parameter instead of a flag or a scratch file."""
    with pytest.raises(ValueError, match=name) as e:
        Unfold(**{name: value}).fit(data[0][:100], data[1][:100])
    assert "--" not in str(e.value) and "unfold-" not in str(e.value)


def test_clusters_that_make_no_sense(data: Any) -> None:
    for name, value in (("min_cluster_size", 1), ("cluster_selection_method", "tree"), ("cluster_selection_epsilon", -1)):
        with pytest.raises(ValueError, match=f"^{name}"):
            UnfoldClusters(**{name: value}).fit(data[0][:100])


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("--dims: 0 is too small; see unfold fit --help", "n_components: 0 is too small"),
        (
            'unknown flag --wait, did you mean "--weight"?; see unfold fit --help',
            'settings: there is no flag "wait", did you mean "weight"?',
        ),
        ('unknown flag --o, did you mean one of "-h", "-q", "--output", "-o"?', 'settings: there is no flag "o"'),
        (
            "times are not in the vectors: a time tells when a row was written; to have it there: --columns '*,a'",
            'times are not in the vectors: a time tells when a row was written; to have it there: columns="*,a"',
        ),
        ("is too little; give --memory 137MiB", 'is too little; give memory="137MiB"'),
        ("project the vectors with --pca 50", "project the vectors with pca=50"),
        ("values are missing: --missing mean fills them", 'values are missing: missing="mean" fills them'),
        ("name the data's by --id, and give", "name the data's by id_column, and give"),
        ("--min-samples: 0", "min_samples: 0"),
        ("say so: --csv-skip 3", 'say so: settings["csv_skip"]=3'),
        ('X: row 1, column "vector": value 3 is 2, and', "X[0, 3] is 2, and"),
        ("/dev/shm/unfold-0/unfold-hj7968i4/frame.npy: 3 rows", "frame: 3 rows"),
        ("/tmp/unfold-p7x317aj/x.npy and /data/unfold-mine/x.npy", "X and /data/unfold-mine/x.npy"),
        ("the well-known -- and --", "the well-known -- and --"),
    ],
)
def test_words(text: str, want: str) -> None:
    assert translated(text, {}) == want


def test_where_a_value_is(data: Any) -> None:
    """Errors count rows from 0, as usual in Python."""
    x = np.abs(data[0][:50])
    x[7, 3] = -1
    with pytest.raises(ValueError, match=r"^Negative values in data: X\[7, 3\] is -1"):
        Unfold(metric="hellinger").fit(x)


def test_kinds_that_cannot_follow(data: Any) -> None:
    """Methods that a kind does not support do not exist."""
    for model in (Unfold(kind="pca"), Unfold(kind="gplvm"), Unfold(metric="precomputed")):
        assert not hasattr(model, "partial_fit") and not hasattr(model, "forget")
    assert hasattr(Unfold(), "partial_fit") and hasattr(Unfold(metric="cosine"), "forget")
    with pytest.raises(AttributeError, match=r"partial_fit: Unfold\(kind='pca'\)"):
        Unfold(kind="pca").fit(data[0]).partial_fit(data[0])


def test_no_file_stays_open() -> None:
    script = (
        "import numpy as np; from unfold_live import Unfold, UnfoldClusters\n"
        "x = np.random.default_rng(1).normal(size=(50, 3))\n"
        "m = Unfold().fit(x); m.transform(x); m.fit(x); m.clusters_; del m\n"
        "kept = Unfold().fit(x)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "always::ResourceWarning", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and done.stderr == ""


def test_warnings_name_the_callers_line() -> None:
    """A warning is at the line of the code that called, also through a pipeline."""
    x = np.random.default_rng(0).normal(size=(20, 3))
    steps = make_pipeline(StandardScaler(), Unfold(n_neighbors=30))
    for fit in (Unfold(n_neighbors=30).fit, Unfold(n_neighbors=30).fit_transform, steps.fit):
        with pytest.warns(UserWarning, match="19 are taken") as found:
            fit(x)
        assert [w.filename for w in found] == [__file__]


def test_isomap_says_that_parts_are_joined() -> None:
    """Where parts of a graph of neighbours lie follows from few edges, of which isomap warns, for rows and for distances."""
    x = np.array([0, 1, 2, 5, 6, 7.0])[:, None]
    for model, rows in (
        (Unfold(kind="isomap", n_neighbors=2), x),
        (Unfold(kind="isomap", n_neighbors=2, metric="precomputed"), np.abs(x - x.T)),
    ):
        with pytest.warns(UserWarning, match="has 2 parts"):
            model.fit(rows)
