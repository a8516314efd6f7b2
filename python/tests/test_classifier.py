"""The classifier: scikit-learn's contract, labels of every kind, probabilities."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

from unfold_live import Unfold, UnfoldClassifier, load

from .conftest import blobs


@parametrize_with_checks([UnfoldClassifier(settings={"steps": 20})])
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def fitted() -> tuple[Any, Any, UnfoldClassifier]:
    """Rows, their classes, and a classifier of most of them."""
    x, kind = blobs(400)
    return x, kind, UnfoldClassifier().fit(x[:300], kind[:300])


def test_probabilities(fitted: Any, tmp_path: Path) -> None:
    """There is one probability per class in the order of the classes. The likeliest is predicted. ``Unfold`` returns the same."""
    x, kind, model = fitted
    p = model.predict_proba(x)
    assert p.shape == (400, 4) and p.min() >= 0
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(x))
    assert model.score(x[300:], kind[300:]) > 0.95 and log_loss(kind[300:], p[300:]) < 0.2
    plain = Unfold().fit(x[:300], kind[:300])
    np.testing.assert_allclose(plain.predict_proba(x), p, atol=1e-6)
    assert not hasattr(Unfold().fit(x), "predict_proba")
    np.testing.assert_allclose(plain.place(x).probability, p.max(axis=1), atol=1e-6)
    np.testing.assert_array_equal(plain.transform(x), model.transform(x))
    model.save(tmp_path / "m.unfold")
    np.testing.assert_array_equal(load(tmp_path / "m.unfold").predict(x).astype(int), model.predict(x))  # files have strings
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(x[:9]), p[:9])
    assert model.predict_proba(x[:1]).shape == (1, 4)


def test_in_scikit_learn(fitted: Any) -> None:
    """Stratified folds, cross-validated predictions and parameter searches work."""
    x, kind, _ = fitted
    model = UnfoldClassifier(settings={"steps": 20})
    assert is_classifier(model) and clone(model).get_params() == model.get_params()
    p = cross_val_predict(make_pipeline(StandardScaler(), model), x, kind, cv=StratifiedKFold(2), method="predict_proba")
    assert p.shape == (400, 4) and (p.argmax(axis=1) == kind).mean() > 0.95
    search = GridSearchCV(model, {"n_neighbors": [6, 10]}, cv=2, scoring="neg_log_loss").fit(x, kind)
    assert search.best_score_ > -0.2
    assert CalibratedClassifierCV(model, cv=2).fit(x, kind).score(x, kind) > 0.95
    weights = np.where(model.fit(x, kind).predict(x) == kind, 1.0, 0.0)
    assert model.score(x, kind, sample_weight=weights) == 1


def test_digits() -> None:
    """Held-out digits are predicted at least as well as by nearest neighbours."""
    x, kind = load_digits(return_X_y=True)
    model = UnfoldClassifier().fit(x[:1200], kind[:1200])
    assert model.score(x[1200:], kind[1200:]) > 0.94
    assert log_loss(kind[1200:], model.predict_proba(x[1200:])) < 0.35


@pytest.mark.parametrize(
    "classes",
    [
        ["b", "a", "d", "c"],
        ["", "x ", " x", "a,b"],
        ['"', "'", "\\", "\n"],
        ["nan", "None", "null", "NaN"],
        ["ä", "日本", "🙂", "e\u0301"],
        ["1", "01", "1.0", "1e0"],
        [True, False, True, False],
        [-1, 7, 0, 2**60],
        [0.0, 1.0, -3.0, 1e15],
        np.array([b"a", b"b", b"c", b"d"]),
        np.array(["x" * 100, "y" * 200, "z", "w"], dtype=object),
    ],
    ids=str,
)
def test_classes_of_any_kind(classes: Any) -> None:
    x, kind = blobs(120, 5)
    y = np.asarray(classes)[kind]
    model = UnfoldClassifier(settings={"steps": 5}).fit(x, y)
    known = y != "" if y.dtype.kind == "U" else np.ones(len(y), bool)  # an empty string means an unknown class
    np.testing.assert_array_equal(model.classes_, np.unique(y[known]))
    assert model.predict(x).dtype == model.classes_.dtype
    assert (model.predict(x)[known] == y[known]).mean() > 0.95


def test_labels_of_any_shape() -> None:
    """Labels can be a data frame's column, categories, partly missing, or one column per class."""
    x, kind = blobs(120, 5)
    words = np.array(["ash", "beech", "elm", "oak"])[kind]
    want = UnfoldClassifier(settings={"steps": 5}).fit(x, words)
    dummies = pd.get_dummies(words)
    for y in (pd.Series(words).astype("category"), pl.Series(words), words.tolist(), dummies, pl.DataFrame(dummies)):
        model = clone(want).fit(x, y)
        assert list(model.classes_) == list(want.classes_)
        np.testing.assert_array_equal(model.predict(x), want.predict(x))
    for one_hot in (np.eye(4)[kind], np.eye(4, dtype=bool)[kind], scipy.sparse.csr_matrix(np.eye(4, dtype=int)[kind])):
        model = clone(want).fit(x, one_hot)
        np.testing.assert_array_equal(want.classes_[model.predict(x)], want.predict(x))
    some = pd.Series(kind, dtype="Int64").mask(np.arange(120) % 2 > 0)
    assert clone(want).fit(x, some).predict(x).dtype.kind == "i"
    half = np.where(np.arange(120) % 2, kind.astype(float), np.nan)
    assert (clone(want).fit(x, half).predict(x) == kind).mean() > 0.95


def test_labels_that_are_no_classes() -> None:
    x, kind = blobs(60, 5)
    for y, says in (
        (None, "requires y"),
        (np.linspace(0, 1, 60), "continuous"),
        (np.array([1, "a", 2.5] * 20, dtype=object), "several types, float, int, str"),
        (np.full(60, np.nan), "no class"),
        ([""] * 60, "no class"),
        (np.eye(4)[kind] + np.eye(4)[(kind + 1) % 4], "several columns"),
        (np.zeros((60, 2, 2)), "1d array"),
        (kind[:-1], "60 rows, y 59"),
    ):
        with pytest.raises(ValueError, match=says):
            UnfoldClassifier().fit(x, y)
    with pytest.raises(ValueError, match="learns classes of rows"):
        UnfoldClassifier(metric="precomputed").fit(np.zeros((60, 60)), kind)
    with pytest.raises(ValueError, match="classify"):
        UnfoldClassifier(classify=False).fit(x, kind)
    with pytest.raises(ValueError, match="several types"):
        Unfold().fit(x, np.array([1, "a"] * 30, dtype=object))


def test_rows_without_a_class_are_not_scored() -> None:
    x, kind = blobs(300, 6)
    y = pd.Series(kind, dtype="Int64").mask(kind == 2)
    texts = np.where(kind == 2, None, np.array(list("abcd"), dtype=object)[kind])
    for model, labels in ((UnfoldClassifier(), y), (Unfold(), texts), (UnfoldClassifier(), texts)):
        assert model.fit(x, labels).score(x, labels) == 1
    with pytest.raises(ValueError, match="every label is missing"):
        model.score(x, [None] * 300)
    with pytest.raises(ValueError, match=r"300 rows, and y is an array of shape \(2,\)"):
        model.score(x, ["a", "b"])


def test_one_class_and_many() -> None:
    """A single class is predicted for all rows. More than 128 classes are distinguished."""
    x, _ = blobs(60, 5)
    one = UnfoldClassifier(settings={"steps": 5}).fit(x, ["a"] * 60)
    assert list(one.classes_) == ["a"] and set(one.predict(x)) == {"a"} and (one.predict_proba(x) == 1).all()
    centres = np.random.default_rng(1).normal(size=(130, 8)) * 20
    kind = np.arange(520) % 130
    x = centres[kind] + np.random.default_rng(2).normal(size=(520, 8))
    model = UnfoldClassifier(settings={"steps": 20}).fit(x[:390], kind[:390])
    assert model.predict_proba(x[390:]).shape == (130, 130) and model.score(x[390:], kind[390:]) > 0.95


def test_it_is_a_map_that_does_not_follow(fitted: Any) -> None:
    x, _, model = fitted
    assert model.transform(x).shape == (400, 2) and len(model.explain(x[:1])) == 1
    assert not hasattr(model, "partial_fit") and not hasattr(model, "forget")


def test_without_scikit_learn() -> None:
    """The classifier works without scikit-learn, and is a classifier of scikit-learn once that is imported."""
    script = (
        "import sys, numpy as np\n"
        "from unfold_live import UnfoldClassifier\n"
        "x = np.random.default_rng(1).normal(size=(60, 4)) + 9 * (np.arange(60) // 30)[:, None]\n"
        "m = UnfoldClassifier().fit(x, np.arange(60) // 30)\n"
        "assert m.score(x, np.arange(60) // 30) == 1 and 'sklearn' not in sys.modules\n"
        "from sklearn.base import is_classifier\n"
        "assert is_classifier(m) and m.predict_proba(x).shape == (60, 2)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_weights_are_refused_with_a_reason() -> None:
    """Neither rows nor classes have weights in a fit: the error says so, and scikit-learn sees it in the signature."""
    x, kind = blobs(60)
    with pytest.raises(TypeError, match="'sample_weight': rows are not weighted in a fit"):
        UnfoldClassifier(settings={"steps": 5}).fit(x, kind, sample_weight=np.ones(60))
    with pytest.raises(TypeError, match="'class_weight': classes are not weighted in a fit"):
        UnfoldClassifier(class_weight="balanced")
    assert not has_fit_parameter(UnfoldClassifier(), "sample_weight")
