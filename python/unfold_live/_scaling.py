"""Coordinates with given distances, for kinds of maps that are defined by distances alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

_Array = np.ndarray[Any, Any]

#: The kinds. The program computes them from rows.
KINDS = ("mds", "isomap", "nmds", "sammon")

#: The largest number of rows, because the time grows with its third power.
_MOST = 5_000

#: Negative eigenvalues down to this share of the largest count as rounding errors.
_ROUNDING = 1e-3

#: The least eigenvalue with a column of coordinates, relative to the largest.
_LEAST = 1e-9


class Scaling(NamedTuple):
    """A classical scaling of n rows in q dimensions.

    ``axes``, (n, q), are the eigenvectors divided by the roots of their eigenvalues. ``mean``, (n,), are the means of squared
    distances. ``more`` is added to squared distances.
    """

    axes: _Array
    mean: _Array
    more: float

    def place(self, d: _Array) -> _Array:
        """Return the coordinates of new rows, (m, q), for their distances from the n rows, (m, n)."""
        return -0.5 * (np.asarray(d, np.float64) ** 2 + self.more - self.mean) @ self.axes


def scaled(d: _Array, kind: str) -> tuple[Scaling, _Array]:
    """Return the scaling of rows with given distances, and their coordinates, (n, q).

    The Euclidean distances of the coordinates equal the given ones. That is impossible for some distances. For "mds", negative
    eigenvalues are then dropped, as in its definition. For "nmds", a constant is added to squared distances, which keeps
    their order.

    Parameters
    ----------
    d : ndarray of shape (n, n)
        The distances.
    kind : str
        The kind of map.

    Raises
    ------
    ValueError
        There are too many rows, or no coordinates have these distances and the kind needs them.
    """
    n = len(d)
    if n > _MOST:
        raise ValueError(f"kind={kind!r} takes the distances of at most {_MOST} rows, not of {n}")
    squares = np.asarray(d, np.float64) ** 2
    squares = (squares + squares.T) / 2
    np.fill_diagonal(squares, 0)
    values, vectors = _eigen(squares)
    more = 0.0
    if values[0] < -_ROUNDING * values[-1]:
        if kind == "nmds":
            more = -2.0 * float(values[0])
            squares += more * (1 - np.eye(n))
            values, vectors = _eigen(squares)
        elif kind != "mds":
            raise ValueError(
                f"X are distances that no rows of numbers have, and kind={kind!r} needs such: give the rows, or choose "
                '"mds", "nmds" or "lvm"'
            )
    keep = values > _LEAST * values[-1]
    values, vectors = values[keep], vectors[:, keep]
    return Scaling(vectors / np.sqrt(values), squares.mean(axis=0), more), vectors * np.sqrt(values)


def _eigen(squares: _Array) -> tuple[_Array, _Array]:
    """Return the eigenvalues, ascending, and eigenvectors of the matrix of inner products for squared distances."""
    mean = squares.mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (squares - mean - mean[:, None] + mean.mean()))
    return values, vectors
