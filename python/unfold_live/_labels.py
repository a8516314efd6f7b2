"""Conversion of classes to and from the strings that the program uses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import warn


def classes_of(y: Any, n: int | None) -> tuple[np.ndarray[Any, Any], list[str]] | None:
    """Return the classes, and the class of each row as a string, "" if unknown.

    Return None if there is nothing to predict: no labels, numbers that are not classes, or fewer
    than two classes.

    Parameters
    ----------
    y : array-like or None
        A label for each row; None, NaN and "" mean unknown.
    n : int or None
        The number of rows, if known.
    """
    if y is None:
        return None
    y = _unmasked(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        return None
    if n is not None and len(y) != n:
        raise ValueError(f"X has {n} rows, y {len(y)}")
    missing = _missing(y)
    if y.dtype.kind == "f" and not np.array_equal(y[~missing], np.floor(y[~missing])):
        return None
    found, code = _classes(y, missing)
    if len(found) < 2:
        return None
    out = np.full(len(y), "", dtype=object)
    texts = np.array([text_of(c) for c in found], dtype=object)
    out[~missing] = texts[code]
    return found, list(out)


def required(y: Any) -> np.ndarray[Any, Any]:
    """Return a classifier's labels as one column. They are given as a label per row, or as a column per class.

    Raises
    ------
    ValueError
        The labels are not classes.
    """
    names = getattr(y, "columns", None)
    y = _unmasked(y.toarray() if hasattr(y, "toarray") else y)
    if y.ndim == 2 and y.shape[1] == 1:
        warn("A column-vector y was passed when a 1d array was expected; give y.ravel()", _conversion_warning())
        y = y[:, 0]
    if y.ndim == 2:
        return _of_columns(y, names)
    if y.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead")
    if y.dtype.kind == "f":
        if np.isinf(y).any():
            raise ValueError("Input y contains infinity; classes are finite")
        if not np.array_equal(y[~np.isnan(y)], np.floor(y[~np.isnan(y)])):
            raise ValueError("Unknown label type: continuous. y holds numbers that are no classes; give integers or texts")
    elif y.dtype.kind == "c":
        raise ValueError("Complex data not supported: y holds complex numbers, and classes are integers or texts")
    elif y.dtype.kind not in "OUSbiuT":
        raise ValueError(f"Unknown label type: {y.dtype}. Give integers or texts")
    return y


def _of_columns(y: np.ndarray[Any, Any], names: Any) -> np.ndarray[Any, Any]:
    """Return the labels for a matrix with a column per class."""
    if y.dtype.kind not in "biuf" or not np.isin(y, (0, 1)).all() or not (y.sum(axis=1) == 1).all():
        raise ValueError(
            "Unknown label type: y has several columns, and not one 1 and else 0 in each row; give one class for each row"
        )
    classes = np.arange(y.shape[1]) if names is None else np.asarray(list(names))
    return classes[np.argmax(y, axis=1)]


def _conversion_warning() -> type[Warning]:
    """Return the class of scikit-learn's warning, if scikit-learn is imported."""
    import sys

    return getattr(sys.modules.get("sklearn.exceptions"), "DataConversionWarning", UserWarning)


def share_right(predicted: np.ndarray[Any, Any], y: Any, weights: Any = None) -> float:
    """Return the share of predictions that equal the labels, of the rows whose label is known.

    Raises
    ------
    ValueError
        The labels are of another number of rows, or none is known.
    """
    y = _unmasked(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.shape != predicted.shape:
        raise ValueError(f"X has {len(predicted)} rows, and y is an array of shape {y.shape}: give one label for each row")
    here = ~_missing(y)
    if not here.any():
        raise ValueError("y holds no class: every label is missing")
    return float(np.average(predicted[here] == y[here], weights=None if weights is None else np.asarray(weights)[here]))


def known(y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the classes that occur in labels.

    Raises
    ------
    ValueError
        There are none, or classes of several types.
    """
    found = _classes(y, _missing(y))[0]
    if not len(found):
        raise ValueError("y holds no class: every label is missing")
    return found


def _classes(y: np.ndarray[Any, Any], missing: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the classes in ascending order, and the index of the class of each label that is not missing."""
    try:
        found, code = np.unique(y[~missing], return_inverse=True)
    except TypeError:
        kinds = sorted({type(v).__name__ for v in y[~missing]})
        raise ValueError(
            f"y has classes of several types, {', '.join(kinds)}: give all in one, such as [str(c) for c in y]"
        ) from None
    if found.dtype == object and {type(c) for c in found} == {int}:
        found = np.array(found.tolist())  # a None or NA among the integers made them objects
    return found, code


def shares(rows: np.ndarray[Any, Any], classes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the probabilities of classes, (n, n_classes), from dicts with the program's strings as keys."""
    names = [text_of(c) for c in classes]
    return np.array([[row[name] for name in names] for row in rows], dtype=np.float32).reshape(len(rows), len(names))


def _unmasked(y: Any) -> np.ndarray[Any, Any]:
    """Return labels as an array with None for masked labels."""
    if not np.ma.is_masked(y):
        kind = getattr(getattr(y, "dtype", None), "kind", "O")
        # NumPy makes pandas' integers and truths with NA doubles.
        own = kind in "iub" and getattr(y, "hasnans", False)
        found = np.asarray(y.astype(object) if own else y)
        if found.dtype.kind == "U" and isinstance(y, list | tuple) and not all(isinstance(v, str) for v in y):
            found = np.array(y, dtype=object)  # NumPy makes texts of all values of a list, also of NaN
        return found
    out = np.ma.getdata(y).astype(object)
    out[np.ma.getmaskarray(y)] = None
    return out


def _missing(y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind == "U":
        return np.asarray(y == "")
    if y.dtype.kind == "O":
        return np.array([_no_class(v) for v in y], dtype=bool)
    return np.zeros(len(y), dtype=bool)


def _no_class(v: Any) -> bool:
    """Report whether a value is None, "" or a value that does not equal itself: NaN, NaT, pandas' NA."""
    if v is None or isinstance(v, str):
        return not v
    try:
        return bool(v != v)
    except TypeError:  # comparisons with NA have no truth value
        return True


def text_of(c: Any) -> str:
    """Return the program's string for a class."""
    c = c.item() if isinstance(c, np.generic) else c
    return str(int(c)) if isinstance(c, float) else str(c)


def decoded(texts: np.ndarray[Any, Any], classes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the classes for the program's strings."""
    number = {text_of(c): i for i, c in enumerate(classes)}
    return classes[np.array([number[t] for t in texts], dtype=np.intp)]
