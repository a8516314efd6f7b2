"""The hierarchy of clusters: the condensed tree, the single linkage tree and the minimum spanning tree."""

from __future__ import annotations

from collections.abc import Callable
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


def _networkx() -> Any:
    try:
        import networkx
    except ImportError:
        raise ImportError("graphs need networkx: pip install networkx") from None
    return networkx


def _directed(edges: list[tuple[int, int, float]], sizes: dict[int, int]) -> Any:
    """Return a directed graph of networkx with weights of edges and sizes of nodes."""
    nx = _networkx()
    out = nx.DiGraph()
    out.add_weighted_edges_from(edges)
    nx.set_node_attributes(out, sizes, "size")
    return out


def _shades(cmap: str, ax: Any, most: int, colorbar: bool) -> Callable[[int], Any]:
    """Return the colour of numbers up to ``most``, grey if there is no colour map."""
    if cmap == "none":
        return lambda _: "lightgrey"
    import matplotlib as mpl

    shown = mpl.cm.ScalarMappable(mpl.colors.Normalize(0, most), cmap)
    if colorbar:
        ax.figure.colorbar(shown, ax=ax, label="rows")
    return lambda n: shown.to_rgba(np.asarray(n))


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

    def to_networkx(self) -> Any:
        """Return a directed graph from parents to children, with ``weight`` lambda and, for each child, ``size``."""
        edges = self.to_numpy().tolist()
        return _directed(
            [(parent, child, weight) for parent, child, weight, _ in edges], {child: size for _, child, _, size in edges}
        )

    def plot(
        self,
        ax: Any = None,
        *,
        select_clusters: bool = True,
        label_clusters: bool = False,
        selection_palette: Any = None,
        cmap: str = "none",
        colorbar: bool = True,
        log_size: bool = False,
    ) -> Any:
        """Draw each cluster as a bar from its birth to its end, as wide as its number of rows, and return the axes.

        Parameters
        ----------
        ax : axes of matplotlib, optional
            Where to draw.
        select_clusters, label_clusters : bool
            Colour the selected clusters, and write their labels.
        selection_palette : list of colours, optional
            Colours of the selected clusters, by label.
        cmap : str, default="none"
            A colour map of matplotlib by which the other clusters show their numbers of rows.
        colorbar : bool, default=True
            Explain the colours of ``cmap``.
        log_size : bool, default=False
            The widths are logarithms of the numbers of rows.
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
        shades = _shades(cmap, ax, int(size.max()), colorbar)
        palette = [f"C{k}" for k in range(10)] if selection_palette is None else list(selection_palette)
        width = np.log1p(size) if log_size else size
        for v in range(len(parent)):
            selected = select_clusters and label[v] >= 0
            color = palette[label[v] % len(palette)] if selected else shades(int(size[v]))
            middle = left[v] + size[v] / 2
            ax.bar(middle, death[v] - birth[v], width[v], birth[v], color=color, edgecolor="white")
            if label_clusters and label[v] >= 0:
                ax.annotate(str(label[v]), (middle, death[v]), ha="center", va="top")
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

    def to_networkx(self) -> Any:
        """Return a directed graph from merged nodes to their parts, with ``weight`` distance and, for each merge, ``size``."""
        n, edges, sizes = len(self._linkage) + 1, [], {}
        for node, (left, right, distance, size) in enumerate(self._linkage.tolist(), n):
            edges += [(node, int(left), distance), (node, int(right), distance)]
            sizes[node] = int(size)
        return _directed(edges, sizes)

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

    def plot(
        self, ax: Any = None, *, cmap: str = "none", vary_line_width: bool = False, colorbar: bool = True, **settings: Any
    ) -> Any:
        """Draw the tree, and return the axes.

        Parameters
        ----------
        ax : axes of matplotlib, optional
            Where to draw.
        cmap : str, default="none"
            A colour map of matplotlib for the numbers of rows of merges.
        vary_line_width : bool, default=False
            Draw merges of many rows thicker.
        colorbar : bool, default=True
            Explain the colours of ``cmap``.
        **settings
            Arguments of ``scipy.cluster.hierarchy.dendrogram``, such as ``truncate_mode`` and ``p``.
        """
        from scipy.cluster.hierarchy import dendrogram

        ax = _axes(ax)
        from matplotlib.collections import LineCollection

        # Merges are drawn in an order of their own, so each has its number instead of a colour.
        drawn = dendrogram(self._linkage, **{**settings, "no_plot": True, "link_color_func": str})
        size = self._linkage[[int(k) - len(self._linkage) - 1 for k in drawn["color_list"]], 3]
        lines = [np.column_stack(at) for at in zip(drawn["icoord"], drawn["dcoord"], strict=True)]
        shades = _shades(cmap, ax, len(self._linkage) + 1, colorbar)
        width = 0.5 + 2 * np.log1p(size) / np.log1p(size.max()) if vary_line_width else 1.0
        ax.add_collection(LineCollection(lines, colors=[shades(int(n)) for n in size], linewidths=width))
        ax.autoscale_view()
        ax.set(ylabel="distance", xticks=[], ylim=(0, None))
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

    def to_networkx(self) -> Any:
        """Return a graph of the rows, with ``weight`` distance. If the rows are known, each node has them as ``data``."""
        out = _networkx().Graph()
        out.add_weighted_edges_from((int(i), int(j), d) for i, j, d in self._edges.tolist())
        for i, row in enumerate([] if self._rows is None else self._rows.tolist()):
            out.nodes[i]["data"] = tuple(row)
        return out

    def plot(self, ax: Any = None, *, edge_cmap: str = "none", vary_line_width: bool = False, colorbar: bool = True) -> Any:
        """Draw the edges between the first two columns of the rows, and return the axes.

        Parameters
        ----------
        ax : axes of matplotlib, optional
            Where to draw.
        edge_cmap : str, default="none"
            A colour map of matplotlib for the lengths of edges.
        vary_line_width : bool, default=False
            Draw short edges thicker.
        colorbar : bool, default=True
            Explain the colours of ``edge_cmap``.
        """
        if self._rows is None or self._rows.shape[1] < 2:
            raise ValueError("the spanning tree is drawn between rows of two columns and more")
        ax = _axes(ax)
        from matplotlib.collections import LineCollection

        ends, length = self._rows[:, :2][self._edges[:, :2].astype(np.intp)], self._edges[:, 2]
        width = 0.5 + 2 * (1 - length / length.max()) if vary_line_width and length.max() > 0 else 0.5
        lines = LineCollection(list(ends), linewidths=width, zorder=0)
        lines.set_color("grey")
        if edge_cmap != "none":
            lines.set(array=length, cmap=edge_cmap)
            if colorbar:
                ax.figure.colorbar(lines, ax=ax, label="mutual reachability distance")
        ax.add_collection(lines)
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
