"""Neighbour graphs of several maps of the same rows, combined into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._graph import union

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: The least share of an edge's weight that remains in a difference, so that no row loses all its edges.
_LEAST = 0.01

#: The least weight and length of an edge.
_WEAKEST = 1e-8


def combined(a: csr_matrix, b: csr_matrix, how: str) -> csr_matrix:
    """Return lengths of edges, -log(weight), for two graphs of the same rows with weights up to 1.

    Parameters
    ----------
    a, b : csr_matrix of shape (n, n)
        Symmetric weights.
    how : {"*", "+", "-"}
        Edges of both graphs (the geometric mean of the weights, with half of the least weight for an edge that one graph lacks),
        edges of either, or edges of the first that the second lacks.
    """
    from scipy.sparse import csr_matrix

    edges = (a + b).tocoo()
    x, y = (np.asarray(w.tocsr()[edges.row, edges.col]).ravel() for w in (a, b))
    if how == "*":
        least = max(min(a.data.min(), b.data.min()) / 2, _WEAKEST)
        w = np.sqrt(np.maximum(x, least) * np.maximum(y, least))
    elif how == "+":
        w = x + y - x * y
    else:
        w = x * np.maximum(1 - y, _LEAST)
    most = np.zeros(a.shape[0])
    np.maximum.at(most, edges.row, w)
    here = w > 0
    out = union(csr_matrix(((w / most[edges.row])[here], (edges.row[here], edges.col[here])), shape=a.shape))
    out.data = np.maximum(-np.log(np.clip(out.data, _WEAKEST, 1)), _WEAKEST)
    return out
