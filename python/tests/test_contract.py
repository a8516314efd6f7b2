"""scikit-learn's checks for estimators of every kind and metric. UNFOLD_CONTRACT=all runs them all, in some ten minutes."""

from __future__ import annotations

import os
from typing import Any

import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from unfold_live import Unfold, UnfoldAligned, UnfoldClassifier, UnfoldClusters

from .test_few import KINDS

#: Fewer steps of learning, for maps of the default kind.
FEW = {"settings": {"steps": 20}}

#: Metrics of any numbers, or of those that the checks can provide. The rows of the checks are no sets and no places on a sphere.
METRICS = ("cosine", "correlation", "hellinger", "manhattan", "chebyshev", "canberra", "braycurtis", "precomputed")
OTHERS = ("hamming", "jaccard", "dice", "rogerstanimoto", "sokalsneath", "haversine")

#: Checks whose rows a metric cannot take, with reasons.
ZEROS = dict.fromkeys(
    ("check_estimators_dtypes", "check_estimator_sparse_tag", "check_estimator_sparse_array", "check_estimator_sparse_matrix"),
    "rows of zeros have no shares",
)
TWO = dict.fromkeys(
    (
        *("check_estimators_overwrite_params", "check_estimators_fit_returns_self", "check_readonly_memmap_input"),
        *("check_fit_idempotent", "check_fit_check_is_fitted", "check_n_features_in", "check_classifiers_one_label"),
        *("check_classifiers_train", "check_classifiers_classes", "check_estimators_partial_fit_n_features"),
        *("check_do_not_raise_errors_in_init_or_set_param", "check_supervised_y_2d", "check_classifiers_regression_target"),
    ),
    "rows of two columns have a correlation of 1 or -1",
)
GROUPS = {"check_clustering": "its rows are fixed, and those of two columns: no distances, and negative"}
SHARE = {"check_classifiers_train": "two columns have one share, in which its classes overlap"}
EXPECTED = {"hellinger": ZEROS | GROUPS | SHARE, "correlation": TWO | GROUPS, "braycurtis": GROUPS, "precomputed": GROUPS}


def expected(estimator: Any) -> dict[str, str]:
    """Return the checks that cannot pass."""
    if isinstance(estimator, UnfoldClassifier) and estimator.kind == "eigenmaps":
        return {"check_classifiers_classes": "its 20 rows have no map of this kind"}
    return EXPECTED.get(estimator.metric, {})


def all_estimators() -> list[Any]:
    rows = [m for m in METRICS if m != "precomputed"]
    return [
        *(Unfold(kind=kind) for kind in KINDS),
        *(Unfold(metric=metric, **FEW) for metric in METRICS),
        *(UnfoldClassifier(kind=kind) for kind in KINDS if kind != "lvm"),
        *(UnfoldClassifier(metric=metric, **FEW) for metric in rows),
        *(UnfoldClusters(metric=metric) for metric in METRICS),
        *(UnfoldAligned(metric=metric, settings={"steps": 5}) for metric in METRICS),
    ]


#: One of each that is quick. The defaults are checked in the tests of each estimator.
SOME = [Unfold(kind="mds"), Unfold(metric="precomputed"), UnfoldClusters(metric="braycurtis"), UnfoldClusters(metric="precomputed")]


@parametrize_with_checks(all_estimators() if os.environ.get("UNFOLD_CONTRACT") == "all" else SOME, expected_failed_checks=expected)
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("metric", OTHERS)
def test_metrics_of_other_values_are_not_checked(metric: str) -> None:
    """No tag tells the checks which rows these metrics take, so they skip such estimators."""
    from sklearn.utils.estimator_checks import check_estimator

    for estimator in (Unfold(metric=metric), UnfoldClusters(metric=metric), UnfoldAligned(metric=metric)):
        assert get_tags(estimator)._skip_test
        with pytest.warns(SkipTestWarning, match="_skip_test"):
            check_estimator(estimator)
