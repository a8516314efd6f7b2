"""Classes of rows, to and from the program, which knows texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def classes_of(y: Any, n: int | None) -> tuple[np.ndarray[Any, Any], list[str]] | None:
    """Return the classes, and each row's as text, "" where it has none.

    None if there is nothing to predict: no labels, numbers that are no classes, or fewer
    than two classes.

    Parameters
    ----------
    y : array-like or None
        A label for each row; None, NaN and "" are of rows without one.
    n : int or None
        How many rows there are, if that is known.
    """
    if y is None:
        return None
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        return None
    if n is not None and len(y) != n:
        raise ValueError(f"X has {n} rows, y {len(y)}")
    missing = _missing(y)
    if y.dtype.kind == "f" and not np.array_equal(y[~missing], np.floor(y[~missing])):
        return None
    found, code = np.unique(y[~missing], return_inverse=True)
    if len(found) < 2:
        return None
    out = np.full(len(y), "", dtype=object)
    texts = np.array([text_of(c) for c in found], dtype=object)
    out[~missing] = texts[code]
    return found, list(out)


def _missing(y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind == "U":
        return np.asarray(y == "")
    if y.dtype.kind == "O":
        return np.array([_no_class(v) for v in y], dtype=bool)
    return np.zeros(len(y), dtype=bool)


def _no_class(v: Any) -> bool:
    """Report whether a value is None, "" or one of those that equal nothing: NaN, NaT, pandas' NA."""
    if v is None or isinstance(v, str):
        return not v
    try:
        return bool(v != v)
    except TypeError:  # NA says of no comparison what it is
        return True


def text_of(c: Any) -> str:
    """Return the text that a class is to the program."""
    c = c.item() if isinstance(c, np.generic) else c
    return str(int(c)) if isinstance(c, float) else str(c)


def decoded(texts: np.ndarray[Any, Any], classes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the classes that the program's texts stand for."""
    number = {text_of(c): i for i, c in enumerate(classes)}
    return classes[np.array([number[t] for t in texts], dtype=np.intp)]


def probabilities(rows: Iterable[dict[str, float]], classes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the probabilities of rows by the program's texts as (n, len(classes)), 0 for a class that no row was learnt of."""
    number = {text_of(c): i for i, c in enumerate(classes)}
    out = []
    for row in rows:
        line = np.zeros(len(classes), dtype=np.float32)
        for text, p in row.items():
            line[number[text]] = p
        out.append(line)
    return np.array(out, dtype=np.float32).reshape(-1, len(classes))
