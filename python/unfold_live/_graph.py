"""The neighbour graph of rows, with the weights of UMAP and scanpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Number of neighbours per row if ``n_neighbors`` is None, as in scanpy.
NEAREST = 15

#: Rounds of bisection for the length scales of rows, and the minimum scale as a share of the mean distance.
_ROUNDS, _LEAST = 64, 1e-3

#: What is added to squared radii, as umap-learn does, so that rows without different neighbours have finite logarithms.
_NO_LENGTH = 1e-8


class Edges(NamedTuple):
    """Distances of rows from other rows, in the layout of a CSR matrix."""

    data: np.ndarray[Any, Any]
    column: np.ndarray[Any, Any]
    start: np.ndarray[Any, Any]
    shape: tuple[int, int]

    @classmethod
    def of_lists(cls, near: np.ndarray[Any, Any], distance: np.ndarray[Any, Any], columns: int) -> Edges:
        """Return the edges of neighbour lists and their distances, both (n, k)."""
        n, k = near.shape
        return cls(distance.astype(np.float64).ravel(), near.ravel(), np.arange(0, n * k + 1, k or 1)[: n + 1], (n, columns))

    def matrix(self, data: np.ndarray[Any, Any] | None = None) -> csr_matrix:
        """Return a matrix of the distances, or of other values of the edges."""
        from scipy.sparse import csr_matrix

        out = csr_matrix((self.data if data is None else data, self.column, self.start), shape=self.shape, copy=True)
        out.sort_indices()
        return out

    def weights(self) -> csr_matrix:
        """Return the directed weights of edges, from 0 to 1: exp(-(d - nearest) / scale), 1 for the nearest.

        A row's scale is chosen so that its weights sum to log2(k + 1) for k neighbours (McInnes et al. 2018, section 3.1).
        """
        n, count = self.shape[0], np.diff(self.start)
        row = np.repeat(np.arange(n), count)
        nearest = np.full(n, np.inf)
        np.minimum.at(nearest, row, np.where(self.data > 0, self.data, np.inf))
        beyond = np.maximum(self.data - np.where(np.isfinite(nearest), nearest, 0)[row], 0)
        low, high, wanted = np.zeros(n), np.full(n, np.inf), np.log2(count + 1.0)
        scale = np.ones(n) * max(float(self.data.mean()) if self.data.size else 1.0, np.finfo(float).tiny)
        for _ in range(_ROUNDS):
            sums = np.bincount(row, np.exp(-beyond / scale[row]), n)
            above = sums > wanted
            high[above], low[~above] = scale[above], scale[~above]
            scale = np.where(np.isfinite(high), (low + high) / 2, 2 * low)
            scale = np.clip(scale, np.finfo(float).tiny, 1e300)
        mean = np.bincount(row, self.data, n) / np.maximum(count, 1)
        scale = np.maximum(scale, np.maximum(_LEAST * mean, np.finfo(float).tiny))
        return self.matrix(np.exp(-beyond / scale[row]))


def union(w: csr_matrix) -> csr_matrix:
    """Return the symmetric graph of directed weights: the probability of an edge in at least one direction."""
    both = w.multiply(w.T)
    return (w + w.T - both).tocsr()


def log_radii(w: csr_matrix, distances: csr_matrix, at: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the logarithms of mean squared lengths of each row's edges by weight: in the data and on the map.

    They are the local radii of densMAP (Narayan et al. 2021, equation 1), log(sum(w d^2) / sum(w)).
    """
    d = distances.maximum(distances.T)
    total = np.maximum(np.asarray(w.sum(axis=1)).ravel(), np.finfo(float).tiny)
    edges = w.tocoo()
    apart = ((at[edges.row].astype(np.float64) - at[edges.col]) ** 2).sum(axis=1)
    squares = np.asarray(w.multiply(d.multiply(d)).sum(axis=1)).ravel(), np.bincount(edges.row, edges.data * apart, w.shape[0])
    first, second = (np.log(s / total + _NO_LENGTH) for s in squares)
    return first, second


class Rows:
    """The mapping from rows to the points of a map. Equal rows are one point.

    Parameters
    ----------
    point : array of n
        The index of each row's point, below ``points``.
    points : int
        Number of points of the map. Some may not belong to any of the rows.
    """

    def __init__(self, point: np.ndarray[Any, Any], points: int) -> None:
        from scipy.sparse import csr_matrix

        n = len(point)
        _, first = np.unique(point, return_index=True)
        rest = np.setdiff1d(np.arange(n), first)

        def marks(rows: np.ndarray[Any, Any]) -> csr_matrix:
            return csr_matrix((np.ones(len(rows)), (rows, point[rows])), shape=(n, points))

        self._first, self._rest = marks(first), marks(rest)

    def graph(self, w: csr_matrix, equal: float) -> csr_matrix:
        """Convert a graph of points to a graph of rows. Rows that equal an earlier row get an edge to it with value ``equal``."""
        among = self._first @ w @ self._first.T
        tied = self._rest @ w @ self._first.T
        same = self._rest @ self._first.T
        same.data[:] = equal
        return (among + tied + tied.T + same + same.T).tocsr()

    def columns(self, w: csr_matrix) -> csr_matrix:
        """Convert the columns of a matrix from points to rows. The first of several equal rows is used."""
        return (w @ self._first.T).tocsr()
