"""Errors that textbook kinds of maps minimize, from distances of the data and positions on the map."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrow, _distances, _files, _pairwise, _scaling
from ._base import check_is_fitted

if TYPE_CHECKING:
    from ._handle import Handle

_Array = np.ndarray[Any, Any]

#: Kinds with a stress.
STRESSED = ("mds", "nmds", "sammon")

#: The amount added to the diagonal of a local Gram matrix, as a share of its trace, as in the program.
_RIDGE = 1e-3

#: Squared extents of a neighbourhood below this share of the largest count as 0.
_LEAST_EXTENT = 1e-10


def _pairs(d: _Array) -> _Array:
    """Return the distances above the diagonal."""
    return d[np.triu_indices(len(d), 1)]


def disparities(d: _Array, apart: _Array) -> _Array:
    """Return the monotone least-squares fit of distances on the map to those of the data, for pairs.

    Equal distances of the data get equal disparities (Kruskal's secondary approach).
    """
    from scipy.optimize import isotonic_regression

    values, which, count = np.unique(d, return_inverse=True, return_counts=True)
    mean = np.bincount(which, apart, len(values)) / count
    return isotonic_regression(mean, weights=count).x[which]


def stress(kind: str, d: _Array, at: _Array) -> tuple[float, float]:
    """Return the stress of a map, and Kruskal's stress-1, which has no unit.

    Parameters
    ----------
    kind : str
        "mds": the sum over pairs of the squared difference of both distances. "nmds": the same for disparities instead of the
        distances of the data. "sammon": each square is divided by the distance of the data, and the sum by that of the
        distances.
    d : ndarray of shape (n, n)
        Distances of the data.
    at : ndarray of shape (n, dims)
        Positions.
    """
    d, apart = _pairs(d), _pairs(_pairwise.distances("euclidean", at, at))
    wanted = disparities(d, apart) if kind == "nmds" else d
    squares = (apart - wanted) ** 2
    raw, size = float(squares.sum()), float((apart**2).sum())
    first = float(np.sqrt(raw / size)) if size > 0 else 0.0
    if kind != "sammon":
        return raw, first
    some = d > 0
    return float((squares[some] / d[some]).sum() / d.sum()), first


def paths(d: _Array, k: int | None) -> _Array:
    """Return the lengths of the shortest paths between rows, (n, n), through the ``k`` nearest of each."""
    k = min(k or _scaling.NEAREST, len(d) - 1)
    return _scaling.paths(_distances.nearest(d, k, fit=True), d, quiet=True)


def _path_error(d: _Array, at: _Array, k: int | None) -> float:
    return path_error(paths(d, k), at)


def path_error(lengths: _Array, at: _Array) -> float:
    """Return the root of the sum of squared differences of both matrices of inner products, by the number of rows.

    It is scikit-learn's error of Isomap, for lengths of paths and for distances on the map.
    """
    k, fitted = (_products(m**2) for m in (lengths, _pairwise.distances("euclidean", at, at)))
    return float(np.linalg.norm(k - fitted) / len(at))


def _products(squares: _Array) -> _Array:
    """Return the inner products of centred rows for their squared distances."""
    mean = squares.mean(axis=0)
    return -0.5 * (squares - mean - mean[:, None] + mean.mean())


def _lists(d: _Array, k: int | None) -> _Array:
    """Return the columns of the ``k`` nearest of each row, (n, k)."""
    k = min(k or _scaling.NEAREST, len(d) - 1)
    return _distances.nearest(d, k, fit=True).column.reshape(len(d), k)


def _barycentric_error(d: _Array, at: _Array, k: int | None) -> float:
    """Return the sum of squared distances on the map of rows from the weighted means of their neighbours.

    The weights are those that best reconstruct each row in the data (Roweis and Saul 2000).
    """
    total = 0.0
    for i, near in enumerate(_lists(d, k)):
        own = d[i, near] ** 2
        gram = (own + own[:, None] - d[np.ix_(near, near)] ** 2) / 2
        trace = np.trace(gram)
        gram[np.diag_indices(len(near))] += _RIDGE * trace
        w = np.linalg.solve(gram, np.ones(len(near))) if trace > 0 else np.ones(len(near))
        total += float(((at[i] - w @ at[near] / w.sum()) ** 2).sum())
    return total


def _alignment_error(d: _Array, at: _Array, k: int | None) -> float:
    """Return the sum of squared distances on the map of neighbourhoods from images of their tangent coordinates.

    They are affine images of as many coordinates as the map has (Zhang and Zha 2004).
    """
    dims, total = at.shape[1], 0.0
    for i, near in enumerate(_lists(d, k)):
        own = np.append(i, near)
        extents, axes = np.linalg.eigh(_products(d[np.ix_(own, own)] ** 2))
        axes = axes[:, -dims:][:, extents[-dims:] > _LEAST_EXTENT * extents[-1]]
        y = at[own] - at[own].mean(axis=0)
        total += float(((y - axes @ (axes.T @ y)) ** 2).sum())
    return total


#: Errors of reconstruction by kind: functions of distances, positions and the number of neighbours.
RECONSTRUCTED: dict[str, Callable[[_Array, _Array, int | None], float]] = {
    "isomap": _path_error,
    "lle": _barycentric_error,
    "ltsa": _alignment_error,
}

#: Kinds whose maps keep their rows, for the errors above.
KINDS = (*STRESSED, *RECONSTRUCTED)


class Measured:
    """The attributes of ``Unfold`` that say how well a textbook kind's map fits."""

    embedding_: _Array

    #: The fitted rows, or their given distances, if the kind has errors.
    _fitted: Any = None

    #: The lengths of paths between the rows of an isomap of given distances.
    _paths: Any = None

    if TYPE_CHECKING:
        kind: str
        metric: Any
        n_neighbors: Any
        standardize: bool
        log1p: bool
        _model: Handle
        _row: Any

        def _precomputed(self) -> bool: ...

    def _keep(self, values: Any) -> None:
        """Keep a copy of the fitted rows, or of their given distances, for the attributes below."""
        own = values is not None and self.kind in KINDS and not _files.is_sparse(values) and len(values) <= _scaling.MOST
        changed = not self._precomputed() and (
            self.standardize or self.log1p or (own and np.isnan(values.astype(np.float64)).any())
        )
        self._fitted = np.array(values) if own and not changed else None
        if not self._precomputed():
            self._paths = None

    @property
    def dissimilarity_matrix_(self) -> _Array:
        """The distances between the rows, (n, n), for the kinds "mds", "nmds" and "sammon".

        They are those of X in double precision, or for a table, sparse rows, ``standardize``, ``log1p`` and ``missing`` those
        of the fitted vectors in single precision. There may be up to 5,000 rows.
        """
        self._check_kind("dissimilarity_matrix_", *STRESSED)
        return self._distances()

    @property
    def dist_matrix_(self) -> _Array:
        """The lengths of the shortest paths between the rows, (n, n), for the kind "isomap", in the unit of its distances."""
        self._check_kind("dist_matrix_", "isomap")
        if self._paths is not None:
            return self._paths
        first, point = self._distinct()
        return paths(self._distances()[np.ix_(first, first)], self.n_neighbors)[np.ix_(point, point)]

    @property
    def stress_(self) -> float:
        """The stress of the map, for the kinds "mds", "nmds" and "sammon".

        "mds": the sum over pairs of rows of (d - D)^2, for the distances d on the map and D in the data. "nmds": D is replaced
        by the disparities, the best monotone function of it. "sammon": the sum of (d - D)^2 / D, divided by the sum of D.
        Equal rows count once.
        """
        return self._stress("stress_")[0]

    @property
    def normalized_stress_(self) -> float:
        """Kruskal's stress-1 of the map, for the kinds "mds", "nmds" and "sammon". It has no unit, and 0 is a perfect map.

        It is the root of the sum over pairs of (d - D)^2, divided by the sum of d^2, as for ``stress_``.
        """
        return self._stress("normalized_stress_")[1]

    @property
    def reconstruction_error_(self) -> float:
        """The error that the kinds "isomap", "lle" and "ltsa" minimize, of the positions of all rows.

        "isomap": the norm of the difference of the inner products of ``dist_matrix_`` and of the map, divided by the number of
        rows. "lle": the sum of squared distances on the map of rows from the weighted means of their neighbours. "ltsa": that
        of neighbourhoods from affine images of their tangent coordinates. Equal rows count once.
        """
        self._check_kind("reconstruction_error_", *RECONSTRUCTED)
        first, _ = self._distinct()
        at = self.embedding_[first].astype(np.float64)
        if self._paths is not None:
            return path_error(self._paths[np.ix_(first, first)], at)
        return RECONSTRUCTED[self.kind](self._distances()[np.ix_(first, first)], at, self.n_neighbors)

    def _stress(self, name: str) -> tuple[float, float]:
        self._check_kind(name, *STRESSED)
        first, _ = self._distinct()
        return stress(self.kind, self._distances()[np.ix_(first, first)], self.embedding_[first].astype(np.float64))

    def _check_kind(self, name: str, *kinds: str) -> None:
        """Raise ``AttributeError`` unless the kind is one of those that have an attribute, and the rows are known and few."""
        check_is_fitted(self)
        n = len(self.embedding_)
        if self.kind not in kinds:
            raise AttributeError(f"{name} is of the kinds {', '.join(kinds)}, and this map is of kind {self.kind}")
        if not 0 < n <= _scaling.MOST:
            raise AttributeError(f"{name} is of maps of up to {_scaling.MOST} rows that fit was given; this one has {n}")

    def _distinct(self) -> tuple[_Array, _Array]:
        """Return the first of all rows that are equal, and for each row its index among these."""
        _, first, point = np.unique(self._row, return_index=True, return_inverse=True)
        return first, point

    def _distances(self) -> _Array:
        """Return the distances between all rows, in double precision if the rows or the distances were given as an array."""
        if self._fitted is not None:
            if self._precomputed():
                return self._fitted
            return _pairwise.distances(self.metric, self._fitted, self._fitted)
        n = int(np.max(self._row)) + 1
        with _files.Folder(12 * n * n) as folder:
            out = folder.file("distances.arrows")
            self._model.run(["embed", "-m", str(self._model.path), "-o", str(out), f"--neighbors={max(1, n - 1)}"])
            at = _arrow.read(out)
        d = np.zeros((n, n))
        np.put_along_axis(d, at["neighbor"], at["neighbor_distance"].astype(np.float64), axis=1)
        return d[np.ix_(self._row, self._row)]
