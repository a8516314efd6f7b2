"""The hierarchy of clusters: the condensed tree, the single linkage tree and the minimum spanning tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

_CONDENSED = np.dtype([("parent", np.intp), ("child", np.intp), ("lambda_val", np.float64), ("child_size", np.intp)])


def _axes(ax: Any) -> Any:
    """Return the axes of matplotlib to draw on."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return plt.gca()


class CondensedTree:
    """The condensed tree of n rows.

    Rows are numbered from 0 and clusters from n, the root, which contains all rows.

    Parameters
    ----------
    columns : dict of ndarray
        The program's table: a row for each row of the fit and for each cluster.
    """

    def __init__(self, columns: dict[str, np.ndarray[Any, Any]]) -> None:
        self._columns = columns

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """Return a structured array with the fields ``parent``, ``child``, ``lambda_val`` and ``child_size``.

        ``lambda_val`` is 1/distance where the child leaves its parent or splits from it. There is a row for each row of the fit
        and for each cluster but the root.
        """
        c = self._columns
        inside = c["parent"] >= 0
        out = np.empty(int(inside.sum()), _CONDENSED)
        for name, of in zip(_CONDENSED.names or (), ("parent", "child", "lambda", "size"), strict=True):
            out[name] = c[of][inside]
        return out[np.lexsort((out["child"], out["parent"]))]

    def to_pandas(self) -> pd.DataFrame:
        """Return the table of ``to_numpy`` as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.to_numpy())

    def plot(self, ax: Any = None) -> Any:
        """Draw each cluster as a bar from its birth to its end, as wide as its number of rows, and return the axes.

        Selected clusters are coloured.
        """
        ax = _axes(ax)
        c = self._columns
        n = int((c["parent"] < 0).argmax())
        parent, birth, size, label = (c[name][n:] for name in ("parent", "lambda", "size", "cluster"))
        parent = parent - n
        death = birth.copy()
        np.maximum.at(death, c["parent"][:n] - n, np.where(np.isfinite(c["lambda"][:n]), c["lambda"][:n], 0))
        left = np.zeros(len(parent))
        used = np.zeros(len(parent))
        for v in range(1, len(parent)):
            p = parent[v]
            death[p] = max(death[p], birth[v])
            left[v] = left[p] + used[p]
            used[p] += size[v]
        for v in range(len(parent)):
            color = f"C{label[v] % 10}" if label[v] >= 0 else "lightgrey"
            ax.bar(left[v] + size[v] / 2, death[v] - birth[v], size[v], birth[v], color=color, edgecolor="white")
        ax.invert_yaxis()
        ax.set(xlabel="rows", ylabel="lambda")
        return ax


class SingleLinkageTree:
    """The single linkage tree of n rows under mutual reachability.

    Parameters
    ----------
    linkage : ndarray of shape (n - 1, 4)
        The merges in SciPy's form.
    """

    def __init__(self, linkage: np.ndarray[Any, Any]) -> None:
        self._linkage = linkage

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """Return the merges, (n - 1, 4), in the form of ``scipy.cluster.hierarchy``: two nodes, distance and number of rows."""
        return self._linkage.copy()

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with the columns ``parent``, ``left_child``, ``right_child``, ``distance`` and ``size``."""
        import pandas as pd

        n = len(self._linkage) + 1
        names = ("left_child", "right_child", "distance", "size")
        return pd.DataFrame({"parent": np.arange(n, 2 * n - 1), **{name: self._linkage[:, k] for k, name in enumerate(names)}})

    def get_clusters(self, cut_distance: float, min_cluster_size: int = 5) -> np.ndarray[Any, Any]:
        """Return the cluster of each row if edges of ``cut_distance`` and longer are cut, -1 for clusters that are too small."""
        n = len(self._linkage) + 1
        part = np.arange(2 * n - 1)
        for node in range(2 * n - 2, n - 1, -1):  # from the root down
            left, right, distance, _ = self._linkage[node - n]
            if distance < cut_distance:
                part[int(left)] = part[int(right)] = part[node]
        _, first, group, size = np.unique(part[:n], return_index=True, return_inverse=True, return_counts=True)
        large = size >= min_cluster_size
        number = np.full(len(size), -1, np.intp)
        order = np.argsort(np.where(large, first, n))[: int(large.sum())]
        number[order] = np.arange(len(order))
        return number[group]

    def plot(self, ax: Any = None, **settings: Any) -> Any:
        """Draw the tree by ``scipy.cluster.hierarchy.dendrogram``, which takes ``settings``, and return the axes."""
        from scipy.cluster.hierarchy import dendrogram

        ax = _axes(ax)
        dendrogram(self._linkage, ax=ax, **{"no_labels": True, **settings})
        ax.set(ylabel="distance")
        return ax


class MinimumSpanningTree:
    """The minimum spanning tree of n rows under mutual reachability.

    Parameters
    ----------
    edges : ndarray of shape (n - 1, 3)
        Two rows and their distance, the shortest edge first.
    rows : ndarray of shape (n, d) or None
        The rows, for plots.
    """

    def __init__(self, edges: np.ndarray[Any, Any], rows: np.ndarray[Any, Any] | None) -> None:
        self._edges, self._rows = edges, rows

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """Return the edges, (n - 1, 3): two rows and their mutual reachability distance."""
        return self._edges.copy()

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with the columns ``from``, ``to`` and ``distance``."""
        import pandas as pd

        return pd.DataFrame(
            {"from": self._edges[:, 0].astype(int), "to": self._edges[:, 1].astype(int), "distance": self._edges[:, 2]}
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the edges between the first two columns of the rows, and return the axes."""
        if self._rows is None or self._rows.shape[1] < 2:
            raise ValueError("the spanning tree is drawn between rows of two columns and more")
        ax = _axes(ax)
        ends = self._rows[:, :2][self._edges[:, :2].astype(np.intp)]
        ax.plot(ends[:, :, 0].T, ends[:, :, 1].T, color="grey", linewidth=0.5)
        ax.scatter(self._rows[:, 0], self._rows[:, 1], s=4)
        return ax


def linkage_of(edges: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the merges of a spanning tree in SciPy's form, (n - 1, 4).

    Parameters
    ----------
    edges : ndarray of shape (n - 1, 3)
        The spanning tree, the shortest edge first.
    """
    n = len(edges) + 1
    parent = list(range(2 * n - 1))
    size = [1] * (2 * n - 1)

    def find(i: int) -> int:
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    out = np.empty((n - 1, 4))
    ends = edges[:, :2].astype(np.intp).tolist()
    for k, (i, j) in enumerate(ends):
        a, b = find(i), find(j)
        parent[a] = parent[b] = n + k
        size[n + k] = size[a] + size[b]
        out[k] = min(a, b), max(a, b), edges[k, 2], size[n + k]
    return out
