"""Distances between a few rows in NumPy, for the program's metrics and the caller's functions."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

_Array = np.ndarray[Any, Any]

#: The number of values of a block of differences.
_BLOCK = 1 << 22

#: The number of pairs for which the caller's function is also called with the rows swapped.
_SWAPPED = 16

#: The largest difference of two distances between the same rows, relative to the largest distance, that counts as a rounding error.
_ROUNDING = 1e-3

#: The largest number of rows for the caller's function, which is called for each pair.
MOST = 10_000


def _unit(x: _Array) -> _Array:
    length = np.linalg.norm(x, axis=1, keepdims=True)
    return x / np.where(length == 0, 1, length)


def _sphere(x: _Array) -> _Array:
    """Return latitudes and longitudes in degrees as points of the unit sphere."""
    lat, lon = np.radians(x[:, 0]), np.radians(x[:, 1])
    return np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])


def _share(part: _Array, whole: _Array) -> _Array:
    """Return part / whole, 0 where the whole is 0."""
    return part / np.where(whole == 0, 1, whole)


#: Transformations that turn a metric into the Euclidean distance, as in the program.
_EUCLIDEAN: dict[str, Callable[[_Array], _Array]] = {
    "euclidean": lambda x: x,
    "cosine": _unit,
    "correlation": lambda x: _unit(x - x.mean(axis=1, keepdims=True)),
    "hellinger": lambda x: _unit(np.sqrt(x)),
    "haversine": _sphere,
}

#: Functions of pairs of rows, (m, n, d), for the other metrics.
_REDUCED: dict[str, Callable[[_Array, _Array], _Array]] = {
    "manhattan": lambda a, b: np.abs(a - b).sum(axis=-1),
    "chebyshev": lambda a, b: np.abs(a - b).max(axis=-1),
    "hamming": lambda a, b: np.sqrt((a != b).sum(axis=-1)),
    "jaccard": lambda a, b: _share((a != b).sum(axis=-1), ((a != 0) | (b != 0)).sum(axis=-1)),
    "canberra": lambda a, b: _share(np.abs(a - b), np.abs(a) + np.abs(b)).sum(axis=-1),
    "braycurtis": lambda a, b: _share(np.abs(a - b).sum(axis=-1), (np.abs(a) + np.abs(b)).sum(axis=-1)),
    "rogerstanimoto": lambda a, b: _share(2 * (a != b).sum(axis=-1), a.shape[-1] + (a != b).sum(axis=-1)),
    "sokalsneath": lambda a, b: _share(2 * (a != b).sum(axis=-1), ((a != 0) & (b != 0)).sum(axis=-1) + 2 * (a != b).sum(axis=-1)),
    "dice": lambda a, b: _share((a != b).sum(axis=-1), (a != 0).sum(axis=-1) + (b != 0).sum(axis=-1)),
}

#: Metrics that SciPy computes faster, by its names.
_SCIPY = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev", "canberra": "canberra"}

#: The metrics of the program, but for mahalanobis, which needs the covariance of all rows. P stands for a power.
METRICS = (*_EUCLIDEAN, *_REDUCED, "minkowski:P")

#: Those of any numbers that are not Euclidean, but for powers.
_OTHERS = ("manhattan", "chebyshev", "canberra")

#: The largest power of a Minkowski distance, and its steps in one.
_MOST_POWER, _STEPS = 100, 1000


def power(metric: Any) -> float | None:
    """Return the power of a metric such as "minkowski:1.5", None for another one or one without."""
    name, _, text = metric.partition(":") if isinstance(metric, str) else ("", "", "")
    if name != "minkowski":
        return None
    try:
        p = float(text)
    except ValueError:
        return None
    return p if 1 <= p <= _MOST_POWER and round(p * _STEPS) / _STEPS == p else None


def known(metric: Any) -> bool:
    """Return whether rows have distances by the metric of that name."""
    return metric in METRICS[:-1] or power(metric) is not None


def linear(metric: Any) -> bool:
    """Return whether a metric takes any numbers and is not Euclidean."""
    return metric in _OTHERS or power(metric) is not None


def _number(value: Any) -> float:
    """Return the result of the caller's function as a number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"metric: the function returns {value!r} for two rows; it has to return a number") from None


def _euclidean(a: _Array, b: _Array) -> _Array:
    return np.sqrt(((a - b) ** 2).sum(axis=-1))


def distances(metric: str | Callable[[_Array, _Array], float], a: _Array, b: _Array) -> _Array:
    """Return the distances of rows a, (m, d), from rows b, (n, d), as an array of shape (m, n)."""
    if callable(metric):
        return np.array([[_number(metric(p, q)) for q in b] for p in a]).reshape(len(a), len(b))
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if metric in _EUCLIDEAN:
        a, b, metric = _EUCLIDEAN[metric](a), _EUCLIDEAN[metric](b), "euclidean"
    p = power(metric)
    if (p is not None or metric in _SCIPY) and importlib.util.find_spec("scipy") is not None:
        from scipy.spatial.distance import cdist

        return cdist(a, b, _SCIPY[metric]) if p is None else cdist(a, b, "minkowski", p=p)
    reduced = _REDUCED.get(metric, _euclidean)
    if p is not None:

        def reduced(a: _Array, b: _Array) -> _Array:
            return np.linalg.norm(a - b, ord=p, axis=-1)

    out = np.empty((len(a), len(b)))
    step = max(1, _BLOCK // max(1, b.size))
    for i in range(0, len(a), step):
        out[i : i + step] = reduced(a[i : i + step, None], b[None])
    return out


def all_pairs(metric: Callable[[_Array, _Array], float], x: _Array) -> _Array:
    """Return the distances of all rows from each other, (n, n), by a function that is called once for each pair.

    Raises
    ------
    ValueError
        There are too many rows, or a distance is negative or not finite, or depends on the direction, as far as some pairs show.
    """
    n = len(x)
    if n > MOST:
        raise ValueError(
            f"a function as metric is called for each pair, and {n} rows have {n * (n - 1) // 2} of them: at most {MOST} rows "
            f"are taken; name one of {', '.join(METRICS)}"
        )
    out = np.zeros((n, n))
    for i in range(n - 1):
        row = [_number(metric(x[i], q)) for q in x[i + 1 :]]
        out[i, i + 1 :] = out[i + 1 :, i] = row
    bad = ~(np.isfinite(out) & (out >= 0))
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise ValueError(f"metric: the distance of rows {i} and {j} is {out[i, j]:g}; distances are finite and not negative")
    for i in range(0, n - 1, max(1, (n - 1) // _SWAPPED)):
        swapped = _number(metric(x[i + 1], x[i]))
        if not abs(swapped - out[i, i + 1]) <= _ROUNDING * out.max():
            raise ValueError(
                f"metric: the distance of rows {i} and {i + 1} is {out[i, i + 1]:g}, and swapped {swapped:g}: distances do not "
                "depend on the direction; take the mean of both"
            )
    return out
