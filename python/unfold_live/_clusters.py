"""The estimator of clusters."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _annotated, _arrow, _distances, _files, _membership, _pairwise, _rows, _settings, _translation, _trees
from ._base import BaseEstimator, ClusterMixin, adopt, adopted, available_if, check_is_fitted, check_rows
from ._errors import warn
from ._handle import Handle
from ._progress import Bars

if TYPE_CHECKING:
    from typing_extensions import Self

#: Values of ``ties`` and the program's words for them.
_TIES = {"together": "together", "hdbscan": "apart"}

#: An infinite distance is so many times the largest finite one.
_FAR = 1e6


def _takes_rows(estimator: UnfoldClusters) -> bool:
    return estimator.metric != "precomputed"


class UnfoldClusters(ClusterMixin, BaseEstimator):
    """Clusters of rows at all densities: exact HDBSCAN*.

    Even with equal distances, the clusters do not depend on the order of the rows. Parameters and attributes have the names
    of hdbscan's.

    Parameters
    ----------
    min_cluster_size : int, optional
        Minimum number of points of a cluster, at least 2. Default 50, or a twentieth of the rows if that is less, but at least 5.
    min_samples : int, optional
        Rank of the nearest neighbour whose distance determines the density at a point, at least 1. Default ``min_cluster_size``.
    cluster_selection_method : {"eom", "leaf"}, default="eom"
        The clusters of the hierarchy to select: the most persistent ones, or the leaves.
    cluster_selection_epsilon : float, default=0.0
        Clusters that split at a smaller distance are not split.
    cluster_selection_epsilon_max : float, optional
        With "eom": clusters that appear at a larger distance are not selected. None and infinity mean no limit.
    cluster_selection_persistence : float, default=0.0
        Splits of a cluster of which a side lasts for a smaller range of lambda, 1/distance, are undone.
    allow_single_cluster : bool, default=False
        Whether all rows may be one cluster.
    max_cluster_size : int, optional
        With "eom": maximum number of points of a cluster. ``cluster_selection_epsilon`` can lead to larger ones. None and 0
        mean no limit.
    metric : str or callable, default="euclidean"
        The distance between rows: a metric of ``Unfold``, "precomputed" for the distances of rows from each other, an array
        of all or a sparse matrix of those that are known, or a function of two rows that returns their distance. Distances of
        "cosine", "correlation", "hellinger", "haversine" and "hamming" are Euclidean ones of converted rows, whose order is
        that of the metric. Haversine takes degrees.
    ties : {"together", "hdbscan"}, default="together"
        Equal distances join all their parts at once, or two parts at a time. With "hdbscan" the clusters equal those of
        hdbscan 0.8.44 wherever these do not depend on the order of the rows.
    columns : str or list of str, optional
        Columns of a table that form the vector, as those of ``Unfold``.
    standardize : bool, default=False
        Scale every number of a table to mean 0 and unit variance.
    n_jobs : int or None
        Number of threads, which does not affect the clusters.
    verbose : bool, default=False
        Show the progress.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        The cluster of each row, -1 for noise and for rows with missing or infinite values.
    probabilities_ : ndarray of shape (n,)
        Strength of each row's membership in its cluster.
    outlier_scores_ : ndarray of shape (n,)
        Outlier score of each row relative to its neighbourhood (GLOSH).
    cluster_persistence_ : ndarray of shape (k,)
        How persistent each cluster is, from 0 to 1.
    condensed_tree_, single_linkage_tree_, minimum_spanning_tree_ : object
        The hierarchy. Each has ``to_numpy``, ``to_pandas`` and, with matplotlib, ``plot``.
    exemplars_ : list of ndarray
        For each cluster its rows that stay longest in its leaves. With ``metric="precomputed"`` their numbers.
    centroids_ : ndarray of shape (k, d)
        Mean of each cluster's rows, weighted by ``probabilities_``.
    medoids_ : ndarray of shape (k, d)
        The row of each cluster with the least sum of distances, weighted by ``probabilities_``.
    n_features_in_ : int
        Number of columns of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from unfold_live import UnfoldClusters
    >>> X = np.random.default_rng(1).normal(size=(300, 2)) + 20 * (np.arange(300) % 3)[:, None]
    >>> clusters = UnfoldClusters().fit(X)
    >>> len(clusters.cluster_persistence_), clusters.centroids_.shape
    (3, (3, 2))
    """

    labels_: np.ndarray[Any, Any]
    probabilities_: np.ndarray[Any, Any]
    outlier_scores_: np.ndarray[Any, Any]
    cluster_persistence_: np.ndarray[Any, Any]
    n_features_in_: int
    feature_names_in_: np.ndarray[Any, Any]

    #: The table format of arrays, if the metric needs columns of a table.
    _form: Any = None

    #: The number that stands for infinite distances, which is larger than all others; None if there are none.
    _far: float | None = None

    #: The cached single linkage tree, with the edges that it was made of.
    _linkage: tuple[Any, Any] | None = None

    @_translation.answering
    def __init__(
        self,
        min_cluster_size: int | None = None,
        *,
        min_samples: int | None = None,
        cluster_selection_method: str = "eom",
        cluster_selection_epsilon: float = 0.0,
        cluster_selection_epsilon_max: float | None = None,
        cluster_selection_persistence: float = 0.0,
        allow_single_cluster: bool = False,
        max_cluster_size: int | None = None,
        metric: Any = "euclidean",
        ties: str = "together",
        columns: Any = None,
        standardize: bool = False,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        adopted(type(self))
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_method = cluster_selection_method
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.cluster_selection_epsilon_max = cluster_selection_epsilon_max
        self.cluster_selection_persistence = cluster_selection_persistence
        self.allow_single_cluster = allow_single_cluster
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.ties = ties
        self.columns = columns
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def from_hdbscan(cls, **parameters: Any) -> Self:
        """Return an estimator for the parameters of ``hdbscan.HDBSCAN``.

        ``min_cluster_size`` is 5 unless it is given, and ``ties`` is "hdbscan". A warning of one line lists parameters that
        have another name here or no counterpart. A metric that only SciPy has becomes SciPy's function.

        Parameters
        ----------
        **parameters
            Parameters by name.

        Raises
        ------
        TypeError
            hdbscan has no such parameter.
        """
        own, notes = _translation.from_hdbscan(parameters)
        if notes:
            warn("; ".join(notes))
        return cls(**{"min_cluster_size": 5, "ties": "hdbscan", **own})

    @classmethod
    def from_sklearn(cls, **parameters: Any) -> Self:
        """Return an estimator for the parameters of ``sklearn.cluster.HDBSCAN``.

        It is that of ``from_hdbscan`` with ``min_samples`` smaller by one, because scikit-learn counts the point itself.
        Here, rows with missing or infinite values have the label -1 of noise.

        Parameters
        ----------
        **parameters
            Parameters by name.

        Raises
        ------
        TypeError
            scikit-learn's ``HDBSCAN`` has no such parameter.
        """
        own, notes = _translation.from_hdbscan(parameters, itself=True)
        if notes:
            warn("; ".join(notes))
        return cls(**{"min_cluster_size": 5, "ties": "hdbscan", **own})

    def fit(self, X: Any, y: Any = None) -> UnfoldClusters:
        """Find the clusters of rows, for example of positions on a map.

        Rows with missing or infinite values are noise, if they are an array, a sparse matrix or a frame of numbers.

        Parameters
        ----------
        X : rows
            Rows as for ``Unfold.fit``, such as AnnData's ``obsm["X_pca"]``. With ``metric="precomputed"`` an array of shape (n, n),
            or a sparse matrix of the known distances, which have to connect all rows. Those of a sparse matrix are taken in
            single precision. In an array they may be infinite, for rows that have nothing to do with each other.
        y : ignored
            For pipelines.

        Raises
        ------
        ValueError
            Rows or parameters are invalid.
        """
        self._check()
        handle = Handle(_settings.threads_of(self.n_jobs))
        self._points = self._finite = self._far = None
        x = self._rows_of(X)
        with _files.Folder() as folder, Bars(self.verbose) as progress:
            own = handle.folder(_files.size_of(x))
            if self._given():
                x = self._put_distances(x)
                rows = _rows.Rows(str(_files.write_array(own.file("x.npy"), x)), n=x.shape[0])
            else:
                x, self._finite = _finite(x)
                rows = _rows.put(self, x, own, fit=True, columns=self.columns, least=2, metric=self.metric)
            if self.standardize and rows.plain:
                raise ValueError(
                    "standardize scales the columns of a table: scale an array first, as StandardScaler does, or name columns"
                )
            # The caller's file may change, so new rows are not compared with it.
            self._held = Path(rows.path).parent == own.path
            if self._held:
                handle.name = Path(rows.path).name
            self._flags = [*rows.flags, *self._settings()]
            tree, spanning = folder.file("tree.arrows"), folder.file("spanning.arrows")
            args = ["clusters", rows.path, "--tree", str(tree), "--spanning", str(spanning), *self._flags]
            try:
                handle.run(args, progress, {**rows.names, rows.path: "X"})
            except BaseException:
                handle.discard()
                raise
            self._tree, edges = _arrow.read(tree), _arrow.read(spanning)
        self._edges = np.column_stack([edges["from"], edges["to"], edges["distance"]])
        if self._far is not None:
            self._edges[self._edges[:, 2] >= self._far, 2] = np.inf
            self._tree["lambda"] = np.where(self._tree["lambda"] * self._far <= 1, 0.0, self._tree["lambda"])
        self._table = not rows.plain
        if self._form is not None:
            self._points = np.asarray(x.toarray() if _files.is_sparse(x) else x)
        n = int((self._tree["parent"] < 0).argmax())
        self._membership = _membership.Membership(self._tree, n)
        self._tree, self._edges = self._all_rows(self._tree), self._all_edges(self._edges)
        n = int((self._tree["parent"] < 0).argmax())
        self.labels_ = self._tree["cluster"][:n].astype(np.intp)
        self.probabilities_ = self._tree["probability"][:n]
        self.outlier_scores_ = self._tree["outlier"][:n]
        label = self._tree["cluster"][n:]
        self.cluster_persistence_ = self._tree["persistence"][n:][label >= 0][np.argsort(label[label >= 0])]
        self._model = handle
        return self

    @available_if(_takes_rows, "clusters of distances are fitted to the distances of all rows")
    def partial_fit(self, X: Any, y: Any = None) -> UnfoldClusters:
        """Add rows and find the clusters of all rows so far. The first call is a fit.

        The clusters equal those of ``fit`` for all rows, and take as long. The numbers of clusters may change.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, d), or frame of numbers
            The new rows.
        y : ignored
            For pipelines.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X)
        before = self._all_data()
        names = getattr(self, "feature_names_in_", None)
        x = self._rows_of(X)
        new = _dense(check_rows(self, x, reset=False, allow_nan=True))
        self.fit(np.vstack([before, new]))
        if names is not None:
            self.feature_names_in_ = names
        return self

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """Return the predicted clusters of new rows, -1 for none.

        Examples
        --------
        >>> import numpy as np
        >>> from unfold_live import UnfoldClusters
        >>> X = np.random.default_rng(1).normal(size=(300, 2)) + 20 * (np.arange(300) % 3)[:, None]
        >>> clusters = UnfoldClusters().fit(X)
        >>> bool(clusters.predict([[20, 20]])[0] == clusters.labels_[1])
        True
        """
        return self.approximate_predict(X)[0]

    def approximate_predict(self, X: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Return the predicted clusters of new rows, -1 for none, and the strengths of membership.

        A new row joins its nearest fitted row under mutual reachability; clusters do not change. With
        ``metric="precomputed"`` X are the distances of new rows from the fitted ones, (m, n).
        """
        found, finite = self._placed(X)
        labels, strength = np.full(len(finite), -1, np.intp), np.zeros(len(finite))
        if finite.any():
            labels[finite], strength[finite] = found["cluster"], found["cluster_probability"]
        return labels, strength

    def membership_vector(self, X: Any) -> np.ndarray[Any, Any]:
        """Return the probabilities that new rows are in each cluster, (m, k), as hdbscan's ``membership_vector``.

        Rows sum to the probability of being in any cluster.
        """
        found, finite = self._placed(X, "--joins")
        out = np.zeros((len(finite), len(self.cluster_persistence_)))
        if finite.any() and out.shape[1]:
            with np.errstate(divide="ignore"):
                at = 1 / found["joins_distance"]
            x = self._rows_of(X)
            d = self._distances(_dense(x)[finite])
            out[finite] = self._membership.of_new(d, found["joins"], at)
        return out

    def all_points_membership_vectors(self) -> np.ndarray[Any, Any]:
        """Return the probabilities that fitted rows are in each cluster, (n, k), as hdbscan's function of that name.

        Rows sum to the probability of being in any cluster. They are computed from distances to exemplars and from the
        condensed tree. Rows with missing values have zeros.
        """
        check_is_fitted(self)
        out = np.zeros((len(self.labels_), len(self.cluster_persistence_)))
        if out.shape[1]:
            here = slice(None) if self._finite is None else self._finite
            out[here] = self._membership.of_rows(self._distances(self._data()))
        return out

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> np.ndarray[Any, Any]:
        """Return the clusters of DBSCAN* for a distance, -1 for noise: those of the single linkage tree below a cut.

        Parameters
        ----------
        cut_distance : float
            The mutual reachability distance at which the tree is cut.
        min_cluster_size : int, default=5
            Minimum number of points of a cluster.
        """
        if cut_distance is None:
            raise ValueError("cut_distance has to be a number of at least 0, not None")
        _settings.real("cut_distance", cut_distance, 0, np.inf)
        return self.single_linkage_tree_.get_clusters(cut_distance, min_cluster_size)

    @property
    def condensed_tree_(self) -> _trees.CondensedTree:
        """The condensed tree of the rows.

        Examples
        --------
        >>> import numpy as np
        >>> from unfold_live import UnfoldClusters
        >>> X = np.random.default_rng(1).normal(size=(300, 2)) + 20 * (np.arange(300) % 3)[:, None]
        >>> UnfoldClusters().fit(X).condensed_tree_.to_numpy().dtype.names
        ('parent', 'child', 'lambda_val', 'child_size')
        """
        check_is_fitted(self)
        return _trees.CondensedTree(self._tree)

    @property
    def single_linkage_tree_(self) -> _trees.SingleLinkageTree:
        """The single linkage tree of the rows under mutual reachability."""
        check_is_fitted(self)
        known = self._linkage
        if known is None or known[0] is not self._edges:
            known = self._linkage = (self._edges, _trees.linkage_of(self._edges))
        return _trees.SingleLinkageTree(known[1])

    @property
    def minimum_spanning_tree_(self) -> _trees.MinimumSpanningTree:
        """The minimum spanning tree of the rows under mutual reachability."""
        check_is_fitted(self)
        rows = None
        if self.metric != "precomputed" and self._held and not self._table and self._finite is None:
            rows = self._data()
        return _trees.MinimumSpanningTree(self._edges, rows)

    @property
    def exemplars_(self) -> list[np.ndarray[Any, Any]]:
        """For each cluster its rows that stay longest in its leaves."""
        check_is_fitted(self)
        exemplars = self._membership.exemplars()
        if self.metric == "precomputed":
            numbers = np.arange(len(self.labels_)) if self._finite is None else np.flatnonzero(self._finite)
            return [numbers[rows] for rows in exemplars]
        x = self._data()
        return [x[rows] for rows in exemplars]

    @property
    def centroids_(self) -> np.ndarray[Any, Any]:
        """Mean of each cluster's rows, weighted by ``probabilities_``, (k, d)."""
        return np.array([np.average(x, weights=weight, axis=0) for x, weight in self._members()])

    @property
    def medoids_(self) -> np.ndarray[Any, Any]:
        """The row of each cluster with the least sum of distances, weighted by ``probabilities_``, (k, d)."""
        return np.array([x[(_pairwise.distances(self.metric, x, x) @ weight).argmin()] for x, weight in self._members()])

    def _members(self) -> list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
        """Return the rows of each cluster and their weights."""
        check_is_fitted(self)
        if self.metric == "precomputed":
            raise AttributeError('centroids_ and medoids_ are of rows; metric="precomputed" knows distances alone')
        x = self._data()
        here = slice(None) if self._finite is None else self._finite
        labels, weight = self.labels_[here], self.probabilities_[here]
        return [(x[labels == c], weight[labels == c]) for c in range(len(self.cluster_persistence_))]

    def _data(self) -> np.ndarray[Any, Any]:
        """Return the fitted rows without missing values as an array, or the given distances."""
        if self._points is not None:
            return self._points
        if self._table or not self._held:
            raise AttributeError("the clusters are of a table or a file; this goes with clusters of an array")
        if self.metric == "precomputed" and self._model.path.suffix == ".npz":
            raise AttributeError("the clusters are of some of the distances; this needs those of all rows, as an array")
        return _dense(_files.read_array(self._model.path))

    def _all_data(self) -> np.ndarray[Any, Any]:
        """Return the fitted rows, with NaN in those with missing values."""
        x = self._data()
        if self._finite is None:
            return x
        out = np.full((len(self._finite), x.shape[1]), np.nan)
        out[self._finite] = x
        return out

    def _distances(self, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the distance of each row from the nearest exemplar of each cluster, (m, k)."""
        exemplars = self._membership.exemplars()
        if self.metric == "precomputed":
            return _membership.nearest_exemplar(exemplars, lambda rows: x[:, rows])
        fitted = self._data()
        return _membership.nearest_exemplar(exemplars, lambda rows: _pairwise.distances(self.metric, x, fitted[rows]))

    def _placed(self, X: Any, *flags: str) -> tuple[dict[str, np.ndarray[Any, Any]], np.ndarray[Any, Any]]:
        """Return the program's table of the new rows without missing values, and a mask of these rows."""
        check_is_fitted(self)
        if not self._held:
            raise ValueError("the clusters are of a file; predict goes with clusters of an array or a table")
        x, finite = (self._rows_of(X), None) if self.metric == "precomputed" else _finite(self._rows_of(X))
        if finite is not None and not finite.any():
            check_rows(self, np.zeros((1, *np.shape(x)[1:])), reset=False)
            return {}, finite
        with _files.Folder(_files.size_of(x)) as folder:
            if self._given():
                x = check_rows(self, self._reachable(x) if self.metric == "precomputed" else x, reset=False)
                if self.metric == "precomputed" and _files.is_sparse(x):
                    raise ValueError("X is sparse: predictions need the distances of new rows from all fitted ones, as an array")
                if self._points is not None:
                    x = _pairwise.distances(self.metric, x, self._points)
                path = str(_files.write_array(folder.file("new.npy"), x))
                rows = _rows.Rows(path, n=len(x), names={path: "X"})
            else:
                rows = _rows.put(self, x, folder, fit=False, name="new", metric=self.metric)
            out = folder.file("joined.arrows")
            args = ["clusters", str(self._model.path), "--new", rows.path, "-o", str(out), *self._flags, *flags]
            self._model.run(args, None, rows.names)
            found = _arrow.read(out)
        return found, np.ones(len(found["cluster"]), bool) if finite is None else finite

    def _rows_of(self, x: Any) -> Any:
        """Return rows of any kind as an array or a table. Those of an AnnData object are those of ``Unfold.fit``."""
        if _annotated.is_annotated(x):
            x = _annotated.rows(x, None, self.metric == "precomputed")
        return _rows.rows_of(x)

    def _given(self) -> bool:
        """Report whether the program is given distances instead of rows."""
        return self.metric == "precomputed" or callable(self.metric)

    def _put_distances(self, x: Any) -> Any:
        """Return the distances of rows for the program, as an array or a sparse matrix."""
        if _files.is_file(x):
            raise ValueError(f"{os.fspath(x)} is a file; metric={self.metric!r} takes an array")
        if callable(self.metric):
            self._points = np.asarray(_dense(check_rows(self, x, reset=True, least=2)))
            return _pairwise.all_pairs(self.metric, self._points)
        d = check_rows(self, self._reachable(x, fit=True), reset=True, least=2)
        _distances.check_square(d)
        _distances.check_signs(d.data if _files.is_sparse(d) else d)
        _distances.check_symmetric(d)
        return _distances.stored(d) if _files.is_sparse(d) else d

    def _reachable(self, x: Any, *, fit: bool = False) -> Any:
        """Return distances with a large number, ``_far``, instead of infinity, which the program does not take."""
        if _files.is_sparse(x):
            return x
        d = np.asarray(x)
        if d.dtype.kind != "f" or d.ndim != 2 or (fit and d.shape[0] != d.shape[1]) or not np.isposinf(d).any():
            return x
        if fit:
            self._far = _FAR * float(max(d.max(where=np.isfinite(d), initial=0.0), np.finfo(np.float32).tiny))
        return np.where(np.isposinf(d), np.inf if self._far is None else self._far, d.astype(np.float64))

    def _check(self) -> None:
        """Raise ``ValueError`` for parameters out of range."""
        if self.min_cluster_size is not None:
            _settings.whole("min_cluster_size", self.min_cluster_size, 2, ", or None")
        if self.min_samples is not None:
            _settings.whole("min_samples", self.min_samples, 1, ", or None")
        if self.max_cluster_size is not None:
            _settings.whole("max_cluster_size", self.max_cluster_size, 0, ", or None")
        _settings.real("cluster_selection_epsilon", self.cluster_selection_epsilon, 0, np.finfo(float).max)
        _settings.real("cluster_selection_persistence", self.cluster_selection_persistence, 0, np.finfo(float).max)
        if self.cluster_selection_epsilon_max is not None:
            _settings.real("cluster_selection_epsilon_max", self.cluster_selection_epsilon_max, 0, np.inf)
            if self.cluster_selection_epsilon_max < (self.cluster_selection_epsilon or 0):
                raise ValueError(
                    f"cluster_selection_epsilon_max={self.cluster_selection_epsilon_max:g} is below "
                    f"cluster_selection_epsilon={self.cluster_selection_epsilon:g}"
                )
        _settings.switches(self, "allow_single_cluster", "standardize")
        for name, known in (("cluster_selection_method", ("eom", "leaf")), ("ties", tuple(_TIES))):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} has to be {' or '.join(map(repr, known))}, not {getattr(self, name)!r}")
        _translation.check_metric(type(self), self.metric)
        if not callable(self.metric) and self.metric != "precomputed" and not _pairwise.known(self.metric):
            raise ValueError(
                f"metric has to be one of {', '.join((*_pairwise.METRICS, 'precomputed'))}, or a function, not {self.metric!r}"
            )

    def _settings(self) -> list[str]:
        """Return the flags of the parameters. The program has their defaults."""
        far = self.cluster_selection_epsilon_max
        return _settings.flags(
            {
                "min_size": self.min_cluster_size,
                "min_samples": self.min_samples,
                "selection": self.cluster_selection_method,
                "epsilon": self.cluster_selection_epsilon or None,
                "epsilon_max": None if far is None or np.isinf(far) else far,
                "persistence": self.cluster_selection_persistence or None,
                "allow_single": bool(self.allow_single_cluster),
                "max_size": self.max_cluster_size or None,
                "ties": _TIES[self.ties],
                "distances": self._given(),
                "standardize": bool(self.standardize),
                "metric": None if self._given() or self.metric == "euclidean" else self.metric,
                "threads": _settings.threads_of(self.n_jobs),
            }
        )

    def _all_rows(self, tree: dict[str, np.ndarray[Any, Any]]) -> dict[str, np.ndarray[Any, Any]]:
        """Extend a tree of the rows without missing values to all rows. The others leave the root at lambda 0."""
        if self._finite is None:
            return tree
        total, n = len(self._finite), int(self._finite.sum())
        missing = {"parent": n, "lambda": 0.0, "size": 1, "cluster": -1, "probability": 0.0, "outlier": 1.0, "persistence": np.nan}
        out = {}
        for name, values in tree.items():
            if name not in missing:
                continue
            rows = np.full(total, missing[name], values.dtype)
            rows[self._finite] = values[:n]
            out[name] = np.concatenate([rows, values[n:]])
        out["parent"] = np.where(out["parent"] < 0, -1, out["parent"] + total - n)
        out["size"][total] = total
        out["child"] = np.arange(len(out["parent"]))
        return out

    def _all_edges(self, edges: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Extend the edges to all rows. Edges to rows with missing values are infinitely long."""
        if self._finite is None:
            return edges
        numbers, missing = np.flatnonzero(self._finite), np.flatnonzero(~self._finite)
        known = np.column_stack([numbers[edges[:, 0].astype(int)], numbers[edges[:, 1].astype(int)], edges[:, 2]])
        more = np.column_stack([np.full(len(missing), numbers[0]), missing, np.full(len(missing), np.inf)])
        return np.vstack([known, more])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "labels_")

    def __sklearn_tags__(self) -> Any:
        adopt(type(self))
        tags = super().__sklearn_tags__()
        _rows.tag(tags, self.metric)
        tags.input_tags.allow_nan = not self._given()
        return tags


def _dense(x: Any) -> np.ndarray[Any, Any]:
    return x.toarray() if _files.is_sparse(x) else np.asarray(x)


def _finite(x: Any) -> tuple[Any, np.ndarray[Any, Any] | None]:
    """Return the rows of an array, a sparse matrix or a frame of numbers without missing or infinite values, and a mask of them.

    The mask is None if these are all rows, or if the rows are of another kind.
    """
    if isinstance(x, np.memmap):
        x = np.asarray(x)  # so that the rows are copied, and their file may change
    if isinstance(x, list | tuple):
        x = np.asarray(x)
    if _rows.is_table(x, None):
        return x, None
    sparse = _files.is_sparse(x)
    objects = isinstance(x, np.ndarray) and x.dtype.kind == "O"
    try:
        values: Any = x if sparse else np.asarray(x, dtype=np.float64 if objects else None)
    except (TypeError, ValueError):
        return x, None  # objects that are no numbers: check_rows describes them
    if values.ndim != 2 or values.dtype.kind != "f":
        return x, None
    if sparse:
        finite = np.ones(values.shape[0], bool)
        finite[np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))[~np.isfinite(values.data)]] = False
    else:
        finite = np.isfinite(values).all(axis=1)
    if finite.all():
        return x, None
    if not finite.any():
        return x, finite
    return (x.iloc[finite] if hasattr(x, "iloc") else x[np.flatnonzero(finite)]), finite
