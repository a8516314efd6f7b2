"""Conversion of given distances to a graph for the program."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _files, _pairwise, _scaling
from ._base import check_rows
from ._graph import Edges
from ._rows import Rows, rows_of

#: The number of distances kept per row of an array, if ``n_neighbors`` is None.
_NEAREST = 15

#: The maximum difference of two distances between the same rows, relative to the largest distance, caused by single precision.
_ROUNDING = 1e-3

#: The number of distances processed at a time.
_BLOCK = 1 << 22


def put(estimator: Any, x: Any, folder: _files.Folder, *, fit: bool, k: int | None, least: int) -> Rows:
    """Write the edges of a graph to a file and return it as rows for the program.

    Parameters
    ----------
    estimator : object
        The estimator, whose ``n_features_in_`` is set or checked.
    x : array or sparse matrix of shape (n, m), or path
        Distances of n rows from the m rows of the map, which are the same rows in a fit. Distances missing from a
        sparse matrix are unknown. A file must be readable by ``fit --graph``.
    folder : Folder
        The folder for the file.
    fit : bool
        Whether the rows are fitted. Otherwise they are placed on the fitted map.
    k : int or None
        The number of nearest distances used per row. None means all of a sparse matrix, and 15 of an array.
    least : int
        The minimum number of rows.
    """
    if _files.is_file(x):
        return Rows(os.fspath(x), graph=True)
    edges = nearest(_checked(estimator, x, fit, least), k, fit=fit)
    data, index, start, shape = edges
    copies = None if fit else _copies(edges)
    # An edge needs a positive length, so copies get the distance of the nearest different rows: of all in a fit, and of the new
    # row alone otherwise, whose place must not depend on others.
    if fit:
        data[data == 0] = data.min(where=data > 0, initial=np.inf) if data.any() else 1
    else:
        row, smallest = np.repeat(np.arange(shape[0]), np.diff(start)), np.full(shape[0], np.inf)
        np.minimum.at(smallest, row, np.where(data > 0, data, np.inf))
        data[data == 0] = np.where(np.isfinite(smallest), smallest, 1)[row[data == 0]]
    path = folder.file("distances.npz")  # as SciPy writes it
    np.savez(path, allow_pickle=False, format=np.bytes_("csr"), shape=np.array(shape), data=data, indices=index, indptr=start)
    return Rows(str(path), n=shape[0], names={str(path): "X"}, graph=True, edges=edges, copies=copies)


def _copies(edges: Edges) -> np.ndarray[Any, Any]:
    """Return for each row the first column at distance 0, -1 for none."""
    row = np.repeat(np.arange(edges.shape[0]), np.diff(edges.start))
    zero = edges.data == 0
    out = np.full(edges.shape[0], edges.shape[1])
    np.minimum.at(out, row[zero], edges.column[zero])
    return np.where(out < edges.shape[1], out, -1)


def nearest(d: Any, k: int | None, *, fit: bool, of_array: int = _NEAREST) -> Edges:
    """Return the ``k`` least distances of each row, in a fit without those from itself.

    ``k`` None means all of a sparse matrix, and ``of_array`` of an array.
    """
    if _files.is_sparse(d):
        data, index, start = _held(d, k, fit)
    else:
        index, near = _nearest(np.asarray(d), min(k or of_array, d.shape[1] - fit), fit)
        data, start = near.ravel(), np.arange(0, index.size + 1, index.shape[1])
    if data.size and data.min() < 0:
        raise ValueError(f"Negative values in data: X holds {data.min():g}, and distances are not negative")
    return Edges(data, index.ravel(), start, d.shape)


def _checked(estimator: Any, x: Any, fit: bool, least: int) -> Any:
    """Return distances as an array or a sparse matrix."""
    # If distances were computed, ``called`` has checked X already; d has another number of columns.
    d = x if estimator._by_function() else check_rows(estimator, rows_of(x), reset=fit, allow_nan=False, least=least)
    if fit:
        check_square(d)
        check_symmetric(d)
    return d


def checked(estimator: Any, x: Any, *, fit: bool, least: int, sparse: bool = False) -> Any:
    """Return the distances of all rows as an array, or with ``sparse`` also as a sparse matrix of those that are known.

    Raises
    ------
    ValueError
        Some are unknown, negative or depend on the direction.
    """
    if _files.is_file(x):
        raise ValueError(f"{os.fspath(x)} is a file; kind={estimator.kind!r} takes the distances of all rows as an array")
    d = _checked(estimator, x, fit, least)
    if _files.is_sparse(d) and sparse:
        return d
    if _files.is_sparse(d):
        raise ValueError(f"X is sparse, and kind={estimator.kind!r} takes the distances of all rows: give an array")
    check_signs(d)
    return np.asarray(d)


def called(estimator: Any, x: Any, *, fit: bool, least: int) -> tuple[Any, Any]:
    """Return the rows of a map whose distances are computed here, and the distances of rows from them.

    Parameters
    ----------
    estimator : object
        The estimator, whose ``n_features_in_`` is set or checked. ``_called`` are the rows of its map.
    x : array or sparse matrix of shape (n, d)
        The rows.
    fit : bool
        Whether the rows are fitted.
    least : int
        The minimum number of rows.
    """
    if _files.is_file(x):
        raise ValueError(f"{os.fspath(x)} is a file; a function as metric takes the rows of an array")
    x = check_rows(estimator, rows_of(x), reset=fit, allow_nan=False, least=least)
    x = np.asarray(x.toarray() if _files.is_sparse(x) else x)
    if fit and callable(estimator.metric):
        return x, _pairwise.all_pairs(estimator.metric, x)
    if fit:
        _scaling.check_number(len(x), estimator.kind)
        return x, _pairwise.distances(estimator.metric, x, x)
    return estimator._called, _pairwise.distances(estimator.metric, x, estimator._called)


def check_square(d: Any) -> None:
    """Raise ``ValueError`` for distances that are not those of all rows from each other."""
    if d.shape[0] != d.shape[1]:
        raise ValueError(
            f'X is {d.shape[0]} x {d.shape[1]}; metric="precomputed" wants the distances of all rows from each other, n x n'
        )


def check_signs(d: Any) -> None:
    """Raise ``ValueError`` for negative distances."""
    if (d < 0).any():
        raise ValueError(f"Negative values in data: X holds {d.min():g}, and distances are not negative")


def stored(d: Any) -> Any:
    """Return a sparse matrix with a tiny number instead of stored zeros, which the program would take for unknown distances."""
    if not (d.data == 0).any():
        return d
    d = d.copy()
    d.data = np.where(d.data == 0, np.finfo(np.float32).tiny, d.data.astype(np.float64))
    return d


def check_symmetric(d: Any) -> None:
    """Raise ``ValueError`` if two distances between the same rows differ by more than a rounding error."""
    if _files.is_sparse(d):
        # Only those that are known in both directions.
        both = (d != 0).multiply((d != 0).T)
        apart = abs(d - d.T).multiply(both).tocoo()
        largest = abs(d.data).max(initial=0)
        found = [(int(apart.row[k]), int(apart.col[k])) for k in np.flatnonzero(apart.data > _ROUNDING * largest)[:1]]
        at = d.tocsr()
    else:
        at = np.asarray(d)
        largest, step = max(at.max(), -at.min()), max(1, _BLOCK // len(at))
        found = []
        for i in range(0, len(at), step):
            apart = np.abs(at[i : i + step].astype(np.float64) - at[:, i : i + step].T)
            found += [(i + int(a), int(b)) for a, b in np.argwhere(apart > _ROUNDING * largest)[:1]]
            if found:
                break
    for i, j in found:
        raise ValueError(
            f"X[{i}, {j}] is {at[i, j]:g} and X[{j}, {i}] is {at[j, i]:g}: distances do not depend on the direction; "
            "give their mean, (X + X.T) / 2, or the smaller one, np.minimum(X, X.T)"
        )


def _nearest(d: Any, k: int, square: bool) -> tuple[Any, Any]:
    """Return the k nearest of each row: columns in ascending order and distances, both (n, k).

    Ties are resolved in favour of the first columns. With ``square``, a row is not its own neighbour.
    """
    n, m = d.shape
    index = np.empty((n, k), np.int32)
    step = max(1, _BLOCK // m)
    for i in range(0, n, step):
        block = d[i : i + step]
        if square:
            block = block.astype(np.float64)
            block[np.arange(len(block)), np.arange(i, i + len(block))] = np.inf
        last = np.partition(block, k - 1, axis=1)[:, k - 1 : k]
        near, equal = block < last, block == last
        near |= equal & (np.cumsum(equal, axis=1) <= k - near.sum(axis=1, keepdims=True))
        index[i : i + step] = np.nonzero(near)[1].reshape(-1, k)
    return index, np.take_along_axis(d, index, axis=1).astype(np.float64)


def _held(x: Any, k: int | None, square: bool) -> tuple[Any, Any, Any]:
    """Return data, columns and row pointers of a sparse matrix.

    Only the ``k`` nearest of each row are returned, or all if it is None. With ``square``, a row is not its own neighbour.
    """
    x = x.tocsr()
    if not x.has_canonical_format:
        x = x.copy()
        x.sum_duplicates()
    row = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
    keep = np.flatnonzero(row != x.indices) if square else np.arange(x.nnz)
    if k is not None:
        order = keep[np.lexsort((x.data[keep], row[keep]))]
        first = np.searchsorted(row[order], row[order])
        keep = np.sort(order[np.arange(len(order)) - first < k])
    start = np.zeros(x.shape[0] + 1, np.int64)
    np.cumsum(np.bincount(row[keep], minlength=x.shape[0]), out=start[1:])
    return x.data[keep].astype(np.float64), x.indices[keep], start
