"""scikit-learn's interface without importing it, which takes longer than a fit of a few thousand rows.

Estimators derive from the small classes below, which only need NumPy. Once any code has
imported scikit-learn, they become subclasses of its base classes. That happens when an
estimator is created or used, or when an attribute is accessed that only those base classes
have. So users of scikit-learn get real estimators, and others do not pay for the import.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _files

if TYPE_CHECKING:
    from typing_extensions import Self

#: The module with the base classes of scikit-learn.
_SKLEARN = "sklearn.base"

_adopting = threading.Lock()


def _loaded() -> bool:
    return _SKLEARN in sys.modules


def adopt(cls: type[BaseEstimator]) -> None:
    """Add the bases of scikit-learn to a class and its superclasses, in place of the ones below.

    It does nothing the second time. It imports scikit-learn if necessary.
    """
    from sklearn import base

    with _adopting:
        for one in reversed(cls.__mro__):
            if one.__module__ == __name__ or not any(b.__module__ == __name__ for b in one.__bases__):
                continue
            one.__bases__ = tuple(getattr(base, b.__name__) if b.__module__ == __name__ else b for b in one.__bases__)
            _subclassed(one)


def _subclassed(cls: Any) -> None:
    """Call the ``__init_subclass__`` of the new bases for a class and its subclasses, as Python does when a class is created."""
    super(cls, cls).__init_subclass__()
    for sub in cls.__subclasses__():
        _subclassed(sub)


def adopted(cls: type) -> bool:
    """Report whether a class has scikit-learn's bases. They are added if scikit-learn has been imported."""
    if issubclass(cls, BaseEstimator) and _loaded():
        adopt(cls)
    return not issubclass(cls, BaseEstimator)


def _asks_for_sklearn(name: str) -> bool:
    """Report whether an attribute is a method of scikit-learn that users call directly."""
    return name in ("set_output", "get_metadata_routing") and importlib.util.find_spec("sklearn") is not None


class BaseEstimator:
    """An estimator whose parameters are the arguments of its constructor."""

    if TYPE_CHECKING:
        n_features_in_: int
        feature_names_in_: np.ndarray[Any, Any]

        def __sklearn_tags__(self) -> Any: ...

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        adopted(cls)

    if not TYPE_CHECKING:  # a type checker would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            cls = type(self)
            if hasattr(cls, name):  # it exists, and raises its own error
                return object.__getattribute__(self, name)
            if _loaded() or _asks_for_sklearn(name):
                adopt(cls)
                return getattr(self, name)
            raise AttributeError(f"{cls.__name__!r} object has no attribute {name!r}")

    @classmethod
    def _names(cls) -> list[str]:
        return [n for n in inspect.signature(cls.__init__).parameters if n != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters and return the estimator."""
        for name, value in params.items():
            if name not in self._names():
                raise ValueError(f"there is no parameter {name!r}; they are {', '.join(self._names())}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        given = [f"{k}={v!r}" for k, v in self.get_params().items() if v is not defaults[k].default and v != defaults[k].default]
        return f"{type(self).__name__}({', '.join(given)})"


class TransformerMixin:
    """An empty class, because estimators define ``fit_transform`` themselves."""

    if TYPE_CHECKING:

        def set_output(self, *, transform: str | None = None) -> Self: ...


class ClassifierMixin:
    """An empty class. That of scikit-learn sets the tags of classifiers."""


class ClusterMixin:
    """An estimator of clusters of the fitted rows."""

    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> np.ndarray[Any, Any]:
        """Fit, and return the labels of the rows."""
        return self.fit(X, **kwargs).labels_  # type: ignore[attr-defined]


class ClassNamePrefixFeaturesOutMixin:
    """An estimator whose outputs are named by its class and a number."""

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """Return the names of the coordinates."""
        check_is_fitted(self)
        n = self._n_features_out  # type: ignore[attr-defined]
        return np.asarray([f"{type(self).__name__.lower()}{i}" for i in range(n)], dtype=object)


class NotFittedError(ValueError, AttributeError):
    """The error of an estimator that has not been fitted, unless scikit-learn is imported and its own error is raised."""


def available_if(check: Any, why: str) -> Any:
    """Create a method that exists only if ``check(self)`` is true. ``why`` is the end of the error if it does not."""

    class _Available:
        def __init__(self, f: Any) -> None:
            self.f = f
            self.__doc__ = f.__doc__

        def __get__(self, obj: Any, owner: Any = None) -> Any:
            if obj is not None and not check(obj):
                raise AttributeError(f"this {owner.__name__} has no {self.f.__name__}: {obj!r}; {why}")
            return self.f.__get__(obj, owner)

    return _Available


def check_is_fitted(estimator: Any) -> None:
    """Raise ``NotFittedError`` if the estimator has not been fitted."""
    if adopted(type(estimator)):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)
    elif not estimator.__sklearn_is_fitted__():
        raise NotFittedError(f"this {type(estimator).__name__} is not fitted yet; call fit first")


def check_rows(estimator: Any, x: Any, *, reset: bool, allow_nan: bool = False, least: int = 1) -> Any:
    """Return rows as an array or a CSR matrix, and set or check ``n_features_in_`` and ``feature_names_in_``."""
    if adopted(type(estimator)):
        from sklearn.utils.validation import validate_data

        try:
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
        except ValueError as e:
            if str(e).startswith("Input X contains NaN"):  # scikit-learn's message goes on about other estimators
                raise ValueError(f"Input X contains NaN, missing values: {_where(x, np.isnan)}{_remedy(estimator)}") from None
            if str(e).startswith("Input X contains infinity") and (at := _where(x, np.isinf)):
                raise ValueError(f"Input X contains infinity: {at}{_remedy(estimator, finite=True)}") from None
            if str(e).startswith("Found array with dim"):
                raise ValueError(f"{e} {_FLAT}") from None
            if (text := _TEXT.match(str(e))) is not None:
                raise ValueError(texts_problem(text[1])) from None
            raise
    names = _column_names(x)
    x = numbers(estimator, x, allow_nan, least)
    _check_columns(estimator, x.shape[1], names, reset)
    return x


#: NumPy's error for a text in an array of objects.
_TEXT = re.compile(r"could not convert string to float: '(.*)'$", re.DOTALL)


def texts_problem(example: Any) -> str:
    """Return the error of rows that hold texts, with one of them."""
    return (
        f"X holds texts, such as {str(example)[:40]!r}, and rows have to be numbers: give a data frame, whose columns of texts "
        "become categories, or the vectors of an encoder of sentences"
    )


def _where(x: Any, bad: Any) -> str:
    """Return the place of the first value for which a function is true, such as ``X[3, 0] is nan``."""
    if _files.is_sparse(x):
        x = x.tocoo()
        k = int(np.argmax(bad(x.data)))
        return f"X[{x.row[k]}, {x.col[k]}] is {x.data[k]}"
    x = np.asarray(x, dtype=np.float64)
    for i, j in np.argwhere(bad(x))[:1]:
        return f"X[{i}, {j}] is {x[i, j]}"
    return ""


#: What to do about arrays of more than 2 dimensions.
_FLAT = "Give X.reshape(len(X), -1), in which each row holds all values of one"


def _remedy(estimator: Any, finite: bool = False) -> str:
    """Return what to do about missing values, or with ``finite`` about infinite ones, as the end of a message."""
    if getattr(estimator, "metric", None) == "precomputed":
        return "; leave unknown distances out of a sparse matrix of those that are known"
    if finite:
        return "; drop such rows, or clip their values"
    if not hasattr(estimator, "missing"):
        return "; drop such rows, or fill them in"
    return f'; drop such rows, or fill them in, as {type(estimator).__name__}(missing="mean") does'


def numbers(estimator: Any, x: Any, allow_nan: bool, least: int) -> Any:
    """Return rows as an array or a sparse matrix of finite numbers, without a look at their columns."""
    if not _files.is_sparse(x):
        x = np.asarray(x)
        if x.dtype == object:
            try:
                x = x.astype(np.float64)
            except ValueError as e:
                text = _TEXT.match(str(e))
                raise (ValueError(texts_problem(text[1])) if text is not None else e) from None
        if x.dtype.kind not in "fiub":
            raise ValueError(f"rows have to be numbers, not {x.dtype}")
    if x.ndim != 2:
        raise ValueError(f"expected 2 dimensions, rows and columns; got {x.ndim}" + (f". {_FLAT}" if x.ndim > 2 else ""))
    if x.shape[0] < least or x.shape[1] < 1:
        raise ValueError(f"found {x.shape[0]} sample(s) of {x.shape[1]} feature(s); at least {least} of 1 are needed")
    values = x.data if _files.is_sparse(x) else x
    if values.dtype.kind == "f" and not np.isfinite(values.sum(dtype=np.float64)):
        bad = np.isinf(values).any() if allow_nan else not np.isfinite(values).all()
        if bad:
            remedy = _remedy(estimator, finite=bool(np.isinf(values).any()))
            raise ValueError(f"rows contain NaN or infinity: {_where(x, lambda v: ~np.isfinite(v))}{remedy}")
    return x


def _column_names(x: Any) -> np.ndarray[Any, Any] | None:
    """Return the names of a data frame's columns, or None unless all are strings."""
    names = getattr(x, "columns", None)
    if names is None or not all(isinstance(n, str) for n in names):
        return None
    return np.asarray(names, dtype=object)


def _check_columns(estimator: Any, n: int, names: np.ndarray[Any, Any] | None, reset: bool) -> None:
    """Set the columns of an estimator, or check that others equal them."""
    if reset:
        estimator.n_features_in_ = n
        if names is not None:
            estimator.feature_names_in_ = names
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        return
    if n != estimator.n_features_in_:
        raise ValueError(
            f"X has {n} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input"
        )
    known = getattr(estimator, "feature_names_in_", None)
    if names is not None and known is not None and list(names) != list(known):
        raise ValueError(f"the columns of X are {', '.join(names)}; the map was fitted to {', '.join(known)}, in that order")


__all__ = [
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "ClusterMixin",
    "NotFittedError",
    "TransformerMixin",
    "adopt",
    "adopted",
    "available_if",
    "check_is_fitted",
    "check_rows",
    "numbers",
    "texts_problem",
]
