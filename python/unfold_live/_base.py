"""scikit-learn's base classes where it is installed, and as much of them as is needed where not."""

from __future__ import annotations

import importlib.util
import inspect
from typing import Any

import numpy as np

from . import _files

HAS_SKLEARN = importlib.util.find_spec("sklearn") is not None

if HAS_SKLEARN:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.validation import check_is_fitted, validate_data

    def check_rows(estimator: Any, x: Any, *, reset: bool, allow_nan: bool = False, least: int = 1) -> Any:
        """Return rows as an array or a CSR matrix, checked as scikit-learn does, and set or check ``n_features_in_``."""
        return validate_data(
            estimator,
            x,
            reset=reset,
            accept_sparse="csr",
            dtype="numeric",
            order=None,
            ensure_all_finite="allow-nan" if allow_nan else True,
            ensure_min_samples=least,
        )

else:

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """The estimator has not been fitted."""

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters by the names of the constructor's arguments."""

        @classmethod
        def _names(cls) -> list[str]:
            return [n for n in inspect.signature(cls.__init__).parameters if n != "self"]

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters."""
            return {name: getattr(self, name) for name in self._names()}

        def set_params(self, **params: Any) -> Any:
            """Set parameters and return the estimator."""
            for name, value in params.items():
                if name not in self._names():
                    raise ValueError(f"there is no parameter {name!r}; they are {', '.join(self._names())}")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            defaults = inspect.signature(type(self).__init__).parameters
            given = [
                f"{k}={v!r}" for k, v in self.get_params().items() if v is not defaults[k].default and v != defaults[k].default
            ]
            return f"{type(self).__name__}({', '.join(given)})"

    class TransformerMixin:  # type: ignore[no-redef]
        """Nothing: estimators have a ``fit_transform`` of their own."""

    class ClusterMixin:  # type: ignore[no-redef]
        """Clusters of the rows that are fitted."""

        def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> Any:
            """Fit, and return the labels of the rows."""
            return self.fit(X, **kwargs).labels_  # type: ignore[attr-defined]

    class ClassNamePrefixFeaturesOutMixin:  # type: ignore[no-redef]
        """Names of what comes out: the class's and a number."""

        def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
            """Return the names of the coordinates."""
            check_is_fitted(self)
            n = self._n_features_out  # type: ignore[attr-defined]
            return np.asarray([f"{type(self).__name__.lower()}{i}" for i in range(n)], dtype=object)

    def available_if(check: Any) -> Any:
        """Make a method that is there only if ``check(self)`` is true."""

        class _Available:
            def __init__(self, f: Any) -> None:
                self.f = f
                self.__doc__ = f.__doc__

            def __get__(self, obj: Any, owner: Any = None) -> Any:
                if obj is not None and not check(obj):
                    raise AttributeError(f"{owner.__name__} has no {self.f.__name__} as it is")
                return self.f.__get__(obj, owner)

        return _Available

    def check_is_fitted(estimator: Any) -> None:
        """Raise ``NotFittedError`` if there is nothing fitted."""
        if not estimator.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(estimator).__name__} is not fitted yet; call fit first")

    def check_rows(estimator: Any, x: Any, *, reset: bool, allow_nan: bool = False, least: int = 1) -> Any:
        """Return rows as an array or a CSR matrix, and set or check ``n_features_in_``."""
        if not _files.is_sparse(x):
            x = np.asarray(x)
            if x.dtype == object:
                x = x.astype(np.float64)
            if x.dtype.kind not in "fiub":
                raise ValueError(f"rows have to be numbers, not {x.dtype}")
        if x.ndim != 2:
            raise ValueError(f"expected 2 dimensions, rows and columns; got {x.ndim}")
        if x.shape[0] < least or x.shape[1] < 1:
            raise ValueError(f"found {x.shape[0]} sample(s) of {x.shape[1]} feature(s); at least {least} of 1 are needed")
        values = x.data if _files.is_sparse(x) else x
        if values.dtype.kind == "f" and not np.isfinite(values.sum(dtype=np.float64)):
            bad = np.isinf(values).any() if allow_nan else not np.isfinite(values).all()
            if bad:
                raise ValueError("rows contain NaN or infinity")
        if reset:
            estimator.n_features_in_ = x.shape[1]
        elif x.shape[1] != estimator.n_features_in_:
            raise ValueError(
                f"X has {x.shape[1]} features, but {type(estimator).__name__} is expecting "
                f"{estimator.n_features_in_} features as input"
            )
        return x


__all__ = [
    "HAS_SKLEARN",
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "ClusterMixin",
    "NotFittedError",
    "TransformerMixin",
    "available_if",
    "check_is_fitted",
    "check_rows",
]
