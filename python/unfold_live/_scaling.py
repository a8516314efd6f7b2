"""Coordinates with given distances, for kinds of maps that are defined by distances alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._errors import warn
from ._graph import Edges

_Array = np.ndarray[Any, Any]

#: The kinds. The program computes them from rows.
KINDS = ("mds", "isomap", "nmds", "sammon", "kpca", "eigenmaps")

#: Those that need the distances of nearest rows alone, and paths through these. Others may be unknown.
NEAR = ("isomap", "eigenmaps")

#: Those that depend on the order of distances alone.
_ORDER = ("nmds", "eigenmaps")

#: The number of nearest rows to which paths of "isomap" lead, if ``n_neighbors`` is None. It is the program's default.
NEAREST = 9

#: The largest number of rows, because the time grows with its third power.
MOST = 5_000

#: Negative eigenvalues down to this share of the largest count as rounding errors.
_ROUNDING = 1e-3

#: The least power of distances that is tried for "eigenmaps".
_LEAST_POWER = 1 / 16

#: The least eigenvalue with a column of coordinates, relative to the largest.
_LEAST = 1e-9


class Scaling(NamedTuple):
    """A classical scaling of n rows in q dimensions.

    ``axes``, (n, q), are the eigenvectors divided by the roots of their eigenvalues. ``mean``, (n,), are the means of squared
    distances. ``more`` is added to squares of the distances, which are raised to ``power`` before.
    """

    axes: _Array
    mean: _Array
    more: float
    power: float = 1.0

    def place(self, d: _Array) -> _Array:
        """Return the coordinates of new rows, (m, q), for their distances from the n rows, (m, n)."""
        return -0.5 * (np.asarray(d, np.float64) ** (2 * self.power) + self.more - self.mean) @ self.axes


def scaled(d: _Array, kind: str) -> tuple[Scaling, _Array]:
    """Return the scaling of rows with given distances, and their coordinates, (n, q).

    The Euclidean distances of the coordinates equal the given ones. That is impossible for some distances. For "mds" and
    "isomap", negative eigenvalues are then dropped, as in their definitions. For "nmds" and "eigenmaps", a constant is added to
    squared distances, which keeps their order, and for "eigenmaps" their root is taken before, as long as it helps: added to few
    and much larger distances, the constant would hide the differences of the small ones.

    Parameters
    ----------
    d : ndarray of shape (n, n)
        The distances, for "isomap" the lengths of paths.
    kind : str
        The kind of map.

    Raises
    ------
    ValueError
        There are too many rows, or no coordinates have these distances and the kind needs them.
    """
    n = len(d)
    check_number(n, kind)
    power, more = 1.0, 0.0
    while True:
        squares = np.asarray(d, np.float64) ** (2 * power)
        squares = (squares + squares.T) / 2
        np.fill_diagonal(squares, 0)
        values, vectors = _eigen(squares)
        if kind != "eigenmaps" or values[0] >= -_ROUNDING * values[-1] or power <= _LEAST_POWER:
            break
        power /= 2
    if values[0] < -_ROUNDING * values[-1]:
        if kind in _ORDER:
            more = -2.0 * float(values[0])
            squares += more * (1 - np.eye(n))
            values, vectors = _eigen(squares)
        elif kind not in ("mds", "isomap"):
            raise ValueError(
                f"X are distances that no rows of numbers have, and kind={kind!r} needs such: give the rows, or choose "
                '"mds", "nmds", "isomap", "eigenmaps" or "lvm"'
            )
    keep = values > _LEAST * values[-1]
    values, vectors = values[keep], vectors[:, keep]
    return Scaling(vectors / np.sqrt(values), squares.mean(axis=0), more, power), vectors * np.sqrt(values)


def paths(near: Edges, d: _Array | None, *, kind: str = "isomap", quiet: bool = False) -> _Array:
    """Return the lengths of the shortest paths between n rows, (n, n).

    Parameters
    ----------
    near : Edges
        The distances of each row from its nearest ones.
    d : ndarray of shape (n, n) or None
        All distances, if they are known. The parts of the graph are then joined by their shortest edges, as in the program.
    kind : str
        The kind of map, for errors.
    quiet : bool
        Whether the caller knows of the parts already, so that nothing is warned of.

    Raises
    ------
    ValueError
        The graph has several parts, and the distances between them are not known.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components, minimum_spanning_tree, shortest_path

    check_number(near.shape[0], kind)
    row = np.repeat(np.arange(near.shape[0]), np.diff(near.start))
    column, data = near.column, near.data
    count, part = connected_components(near.matrix(), directed=False)
    if count > 1:
        if d is None:
            raise ValueError(
                f"the known distances of X connect the rows to {count} separate parts, and kind={kind!r} needs paths between all: "
                "give more of them, or an array of all"
            )
        if not quiet:
            warn(
                f"the neighbour graph of kind isomap has {count} parts, joined by their shortest edges, on which the places of "
                "whole parts depend: take more neighbors"
            )
        ends = [_shortest(d, part, a, b) for a in range(count) for b in range(a)]
        pairs = csr_matrix(([apart for apart, _, _ in ends], np.tril_indices(count, -1)), shape=(count, count))
        kept = minimum_spanning_tree(pairs).tocoo()
        bridges = [ends[a * (a - 1) // 2 + b] for a, b in zip(kept.row, kept.col, strict=True)]
        row = np.append(row, [i for _, i, _ in bridges])
        column = np.append(column, [j for _, _, j in bridges])
        data = np.append(data, [apart for apart, _, _ in bridges])
    return shortest_path(csr_matrix((data, (row, column)), shape=near.shape), directed=False)


def _shortest(d: _Array, part: _Array, a: int, b: int) -> tuple[float, int, int]:
    """Return the least distance between the rows of two parts, above 0, and these rows."""
    i, j = np.flatnonzero(part == a), np.flatnonzero(part == b)
    at = np.unravel_index(int(d[np.ix_(i, j)].argmin()), (len(i), len(j)))
    return max(float(d[i[at[0]], j[at[1]]]), float(np.finfo(float).tiny)), int(i[at[0]]), int(j[at[1]])


def paths_from(near: Edges, lengths: _Array) -> _Array:
    """Return the lengths of the shortest paths from new rows, (m, n), through their nearest ones of n rows."""
    out = np.empty(near.shape)
    for i, (a, b) in enumerate(zip(near.start, near.start[1:], strict=False)):
        if a == b:
            raise ValueError(f"X[{i}] has no known distance from the rows of the map: give at least one")
        out[i] = (near.data[a:b, None] + lengths[near.column[a:b]]).min(axis=0)
    return out


def check_number(n: int, kind: str) -> None:
    """Raise ``ValueError`` if there are too many rows."""
    if n > MOST:
        raise ValueError(f"kind={kind!r} takes the distances of at most {MOST} rows, not of {n}")


def _eigen(squares: _Array) -> tuple[_Array, _Array]:
    """Return the eigenvalues, ascending, and eigenvectors of the matrix of inner products for squared distances."""
    mean = squares.mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (squares - mean - mean[:, None] + mean.mean()))
    return values, vectors
