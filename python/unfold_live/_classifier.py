"""The estimator of classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _annotated, _labels, _translation
from ._base import ClassifierMixin, adopt, check_is_fitted
from ._unfold import Unfold


class UnfoldClassifier(ClassifierMixin, Unfold):
    """A classifier of rows by their positions on a map and by their nearest rows.

    It is an ``Unfold`` that always learns to predict, and has ``transform``, ``explain``, ``clusters`` and its other methods.
    It does not have ``partial_fit`` and ``forget``, because later rows would not change predictions. Neither rows nor classes
    have weights in a fit, so there is no ``sample_weight`` and no ``class_weight``; ``score`` takes ``sample_weight``.

    Parameters
    ----------
    n_components, n_neighbors, kind, frame, pca, supervision, density, metric, precomputed_knn, missing, standardize, log1p, \
columns, id_column, classify, thorough, report, random_state, n_jobs, memory, settings, verbose
        Parameters of ``Unfold``. ``classify`` must be True, and ``metric`` must not be "precomputed".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, in ascending order.
    embedding_ and others
        Attributes of ``Unfold``.

    Examples
    --------
    >>> import numpy as np
    >>> from unfold_live import UnfoldClassifier
    >>> X = np.random.default_rng(1).normal(size=(300, 8))
    >>> y = np.where(X[:, 0] > 0, "east", "west")
    >>> model = UnfoldClassifier().fit(X, y)
    >>> model.classes_.tolist(), model.predict_proba(X[:4]).shape
    (['east', 'west'], (4, 2))
    """

    @_translation.unweighted
    def fit(self, X: Any, y: Any = None, *, ids: Any = None, use_rep: str | None = None) -> UnfoldClassifier:
        """Learn a map and the classes of its rows.

        Parameters
        ----------
        X : rows
            Rows as for ``Unfold.fit``.
        y : array-like of shape (n,) or (n, n_classes)
            The class of each row, None or NaN if it is unknown. Alternatively a column for each class, with 1 for the class of
            the row and 0 for the others. The classes are then the names of a data frame's columns, or numbers from 0.
        ids, use_rep
            Arguments as for ``Unfold.fit``.

        Returns
        -------
        UnfoldClassifier
            The estimator.

        Raises
        ------
        ValueError
            Rows, labels or parameters are invalid.
        TypeError
            ``sample_weight`` is given.
        """
        if self._precomputed():
            raise ValueError(
                'UnfoldClassifier learns classes of rows, and metric="precomputed" or a function leaves distances alone: give rows '
                "and another metric"
            )
        if not self.classify:
            raise ValueError("classify has to be True; Unfold makes maps alone")
        if y is None:
            raise ValueError("UnfoldClassifier requires y to be passed, but the target y is None")
        labels = _labels.required(_annotated.labels(X, y) if _annotated.is_annotated(X) else y)
        classes = _labels.known(labels)
        super().fit(X, labels, ids=ids, use_rep=use_rep)
        if len(classes) == 1:  # the program needs at least two classes
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
        """Return the share of correct predictions, weighted by ``sample_weight`` if given.

        Rows whose label is None or NaN do not count. For an AnnData object ``y`` can also be the name of a column of ``obs``.
        """
        if y is None:
            raise ValueError("score needs y, the classes of the rows")
        y = _annotated.labels(X, y) if _annotated.is_annotated(X) else y
        return _labels.share_right(self.predict(X), _labels.required(y), sample_weight)

    def _follows(self) -> bool:
        return False

    def __sklearn_tags__(self) -> Any:
        adopt(type(self))
        return super().__sklearn_tags__()
