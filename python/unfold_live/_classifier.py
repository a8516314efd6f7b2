"""The estimator of classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _annotated, _labels
from ._base import ClassifierMixin, adopt, check_is_fitted
from ._unfold import Unfold


class UnfoldClassifier(ClassifierMixin, Unfold):
    """A classifier of rows by their places on a map and by the rows near them.

    It is an ``Unfold`` that always learns to predict: ``transform``, ``explain``, ``clusters`` and the rest are there, too.
    ``partial_fit`` and ``forget`` are not, since later rows would not change what is predicted.

    Parameters
    ----------
    n_components, n_neighbors, kind, frame, pca, supervision, density, metric, precomputed_knn, missing, standardize, log1p, \
columns, id_column, classify, thorough, report, random_state, n_jobs, memory, settings, verbose
        As those of ``Unfold``. ``classify`` has to stay True, and ``metric`` is not "precomputed".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, in ascending order.
    embedding_ and others
        As those of ``Unfold``.
    """

    def fit(self, X: Any, y: Any = None, *, ids: Any = None, use_rep: str | None = None) -> UnfoldClassifier:
        """Learn a map and the classes of its rows.

        Parameters
        ----------
        X : rows
            As ``Unfold.fit`` takes them.
        y : array-like of shape (n,) or (n, n_classes)
            The class of each row, None or NaN where it is unknown; or a column for each class, 1 for the class of the row
            and 0 for the others. Names of a data frame's columns are then the classes, otherwise numbers from 0.
        ids, use_rep
            As ``Unfold.fit`` takes them.

        Returns
        -------
        UnfoldClassifier
            The estimator.

        Raises
        ------
        ValueError
            Rows, labels or parameters are at fault.
        """
        if self._precomputed():
            raise ValueError('metric="precomputed": the nodes of a graph have no classes to learn; give rows and another metric')
        if not self.classify:
            raise ValueError("classify has to be True; Unfold makes maps alone")
        if y is None:
            raise ValueError("UnfoldClassifier requires y to be passed, but the target y is None")
        labels = _labels.required(_annotated.labels(X, y) if _annotated.is_annotated(X) else y)
        classes = _labels.known(labels)
        super().fit(X, labels, ids=ids, use_rep=use_rep)
        if len(classes) == 1:  # the program has nothing to tell apart
            self.classes_ = classes
        return self

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """Return the likeliest class of each row, (n,)."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray[Any, Any]:
        """Return the probability of each class, (n, n_classes), in the order of ``classes_``. Rows sum to 1."""
        check_is_fitted(self)
        if len(self.classes_) == 1:
            return np.ones((len(self.transform(X)), 1))
        p = super().predict_proba(X).astype(np.float64)
        return p / p.sum(axis=1, keepdims=True)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of rows whose class is predicted, weighted if there are weights."""
        if y is None:
            raise ValueError("score needs y, the classes of the rows")
        return float(np.average(self.predict(X) == _labels.required(y), weights=sample_weight))

    def _follows(self) -> bool:
        return False

    def __sklearn_tags__(self) -> Any:
        adopt(type(self))
        return super().__sklearn_tags__()
