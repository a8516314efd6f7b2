"""The estimator of maps."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from . import (
    _annotated,
    _arrow,
    _combined,
    _distances,
    _files,
    _forms,
    _graph,
    _labels,
    _pairwise,
    _rows,
    _scaling,
    _settings,
    _translation,
)
from ._base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    adopt,
    adopted,
    available_if,
    check_is_fitted,
)
from ._errors import warn
from ._follow import Follows, check_ids
from ._graph import Edges
from ._handle import Handle
from ._measures import Measured
from ._progress import Bars

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from typing_extensions import Self

    from ._clusters import UnfoldClusters
    from ._view import View

#: The minimum number of rows of a map.
_LEAST = 3

#: A range of numbers, from which the kind "lllvm" selects one.
_RANGE = re.compile(r"\d+:\d+$")

#: A column of an array in reasons.
_ELEMENT = re.compile(r"vector\[(\d+)\]")


class Places(NamedTuple):
    """Positions of rows on a map and their other results, with one value per row.

    ``embedding`` has the shape (n, d). ``sigma`` is a length scale in units of the map. The
    novelties are percentiles from 0 to 1: the share of the map that is less novel. ``label`` is
    the predicted class and ``probability`` its probability. Both are None if the map was fitted
    without labels.
    """

    embedding: np.ndarray[Any, Any]
    sigma: np.ndarray[Any, Any]
    novelty_local: np.ndarray[Any, Any]
    novelty_global: np.ndarray[Any, Any]
    label: np.ndarray[Any, Any] | None
    probability: np.ndarray[Any, Any] | None


def _numbers(column: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a column as numbers. Times are converted to days since 1970."""
    if column.dtype.kind == "M":
        return column.astype("M8[ms]").astype(np.int64) / 86_400_000
    return column


def _name(metric: Any) -> str:
    return getattr(metric, "__name__", "a function") if callable(metric) else str(metric)


def _predicts(estimator: Unfold) -> bool:
    return hasattr(estimator, "classes_")


def _knows_rows(estimator: Unfold) -> bool:
    return not estimator._precomputed()


def _has_likelihood(estimator: Unfold) -> bool:
    return estimator.kind in ("lvm", "gplvm")


class Unfold(Follows, Measured, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """An estimator that learns a map of rows, places new rows on it, and updates it.

    A row has the same place in any batch, in any order and with any number of threads.

    Parameters
    ----------
    n_components : int, default=2
        Number of dimensions of the map.
    n_neighbors : int or None
        Number of neighbours of each row that the map keeps together. None means the program's default.
    kind : str, default="lvm"
        The model. "lvm" is for any number of rows and supports ``partial_fit`` and ``forget``. "lllvm" and "gplvm" are for a
        few thousand rows. Textbook methods for comparison are "pca", "isomap", "lle", "kpca", "mds", "eigenmaps", "ltsa",
        "sammon", "nmds" and "gtm".
    frame : str, path or array of shape (n, n_components), optional
        The frame that fixes the large-scale shape: "pca", "mds", "geodesic" or "none"; the path of a model or of a table
        with coordinates; or an array of coordinates, with NaN for rows that are free.
    pca : int or "none", optional
        Number of principal components onto which rows are projected first. By default it is chosen from 50 to 256 so that
        the nearest neighbours of a sample of rows are kept. There is no projection if it would save little.
    supervision : float, optional
        Influence of the labels given to ``fit`` on the map, from 0 to 1, as in umap-learn's supervised maps. By default
        labels do not influence the map and are only used by ``predict``.
    density : float, optional
        How closely the density of the map follows the density of the data, from 0 to 4.
    metric : str or callable, default="euclidean"
        The distance between rows: "euclidean", "cosine", "correlation", "hellinger", "haversine", "mahalanobis", "hamming",
        "manhattan", "chebyshev", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "sokalsneath", "minkowski:P"
        with a power such as 1.5 in place of P, "precomputed", or a function of two rows. Haversine needs two columns, latitude
        and longitude in degrees. Hamming needs values of 0 and 1, or whole numbers that stand for categories. Jaccard, dice,
        rogerstanimoto and sokalsneath need values of 0 and 1, hellinger and braycurtis values that are not negative.
        Mahalanobis takes the covariance of the rows of ``fit``. With "precomputed", X contains distances: an array of shape
        (n, n), or a sparse matrix of the known ones. In ``transform`` they are the distances of new rows from the rows of the
        map, (m, n). ``n_neighbors`` is then the number of distances used per row. None means 15 for an array, and all for a
        sparse matrix. A function, also one compiled by numba, is called for each pair of at most 10,000 rows, and the map is that
        of the distances it returns. Distances and functions go with the kinds "lvm", "mds", "isomap", "nmds", "sammon", "kpca"
        and "eigenmaps"; so do "manhattan", "chebyshev", "canberra" and "minkowski:P". Other kinds need Euclidean distances.
    precomputed_knn : tuple of arrays of shape (n, k), optional
        Known neighbours, which saves the search: row numbers from 0, nearest first, and their distances in any unit.
        Length scales, weights and novelty are computed from these distances. If they are None, distances are computed from X.
        Further elements are ignored, so that umap-learn's tuple is accepted.
    missing : {"mean"}, optional
        Replace NaN by the column's mean. Otherwise NaN is an error, except for kind "gplvm". Those of a table with texts are
        replaced by default, with a warning, if ``columns`` names none.
    standardize, log1p : bool, default=False
        ``standardize`` scales every column to mean 0 and unit variance. ``log1p`` replaces values v by sign(v) log(1+|v|).
    columns : str or list of str, optional
        Columns of a table that form the vector, such as ``["bytes:log1p", "service"]``. By default all columns except
        ``id_column`` if these are numbers. Otherwise the program chooses them, as for a file: the only list of numbers, or
        numbers, times and categories, standardized if their units differ. If ``fit`` has no labels, a column of classes is
        left out, with a warning.
    id_column : str, optional
        The column of a table that identifies a row.
    classify : bool, default=True
        Whether ``fit`` with labels learns to predict them.
    thorough : bool, default=False
        Learn longer, for a slightly better map.
    report : bool, default=False
        Measure the quality of the map, which sets ``report_`` and ``score_``.
    random_state : int, Generator, RandomState or None
        The seed. The same rows and seed lead to the same map. None is a fixed seed, too.
    n_jobs : int or None
        Number of threads, which does not affect the map. None and -1 mean one per processor.
    memory : str or int, optional
        Memory limit of a fit, such as "2GiB". If the fit needs more, it fails before it begins.
    settings : dict, optional
        Further flags of the program by name, such as ``{"weight": 0.1}``.
    verbose : bool, default=False
        Show the progress of a fit.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        Positions of the rows, in single precision.
    sigma_ : ndarray of shape (n,)
        Uncertainty of each position: a length scale in units of the map.
    novelty_local_, novelty_global_, novelty_ : ndarray of shape (n,)
        Local and global novelty as percentiles, and the larger of both.
    ids_ : ndarray of shape (n,)
        Ids of the rows: the given ones, or numbers.
    clusters_ : ndarray of int, shape (n,)
        Clusters of the map, -1 for noise; ``clusters()`` takes parameters.
    classes_ : ndarray
        Classes that ``predict`` distinguishes, if any.
    score_ : dict
        Quality measures: trustworthiness, continuity, and with labels ``loo1`` and ``loo9``. Only if ``report`` is set.
    report_ : dict
        The complete report of the fit. Only if ``report`` is set.
    n_features_in_ : int
        Number of columns of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from unfold_live import Unfold
    >>> X = np.random.default_rng(1).normal(size=(300, 8))
    >>> model = Unfold().fit(X[:250])
    >>> model.embedding_.shape
    (250, 2)
    >>> model.transform(X[250:]).shape
    (50, 2)
    """

    classes_: np.ndarray[Any, Any]
    report_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: np.ndarray[Any, Any]

    #: The cached neighbour graph, with the positions for which it was computed.
    _graph: tuple[Any, Any, Any] | None = None

    #: The cached local radii, with the positions for which they were computed.
    _radii: tuple[Any, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] | None = None

    #: The rows of a map whose metric is a function.
    _called: Any = None

    #: The scaling of given distances, for a kind that is defined by distances.
    _scaling: Any = None

    #: Whether the scaling is that of the lengths of paths.
    _by_paths: bool = False

    #: The table format of arrays, if the metric needs columns of a table.
    _form: _forms.Form | None = None

    @_translation.answering
    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: Any = None,
        kind: str = "lvm",
        frame: Any = None,
        pca: Any = None,
        supervision: float | None = None,
        density: float | None = None,
        metric: Any = "euclidean",
        precomputed_knn: Any = None,
        missing: str | None = None,
        standardize: bool = False,
        log1p: bool = False,
        columns: Any = None,
        id_column: str | None = None,
        classify: bool = True,
        thorough: bool = False,
        report: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        memory: Any = None,
        settings: dict[str, Any] | None = None,
        verbose: bool = False,
    ) -> None:
        adopted(type(self))
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.kind = kind
        self.frame = frame
        self.pca = pca
        self.supervision = supervision
        self.density = density
        self.metric = metric
        self.precomputed_knn = precomputed_knn
        self.missing = missing
        self.standardize = standardize
        self.log1p = log1p
        self.columns = columns
        self.id_column = id_column
        self.classify = classify
        self.thorough = thorough
        self.report = report
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.settings = settings
        self.verbose = verbose

    @classmethod
    def from_umap(cls, **parameters: Any) -> Self:
        """Return an estimator for umap-learn's parameters.

        A warning of one line lists the translation. ``n_epochs``, ``densmap``, ``init`` and ``target_weight`` have other
        names here. Some parameters, such as ``min_dist`` and ``spread``, have no counterpart. docs/python.md contains the table.

        Parameters
        ----------
        **parameters
            Parameters of ``umap.UMAP`` by name.

        Raises
        ------
        TypeError
            umap-learn does not have such a parameter.

        Examples
        --------
        >>> from unfold_live import Unfold
        >>> Unfold.from_umap(n_neighbors=20, metric="cosine").metric
        'cosine'
        """
        own, notes = _translation.from_umap(parameters)
        if notes:
            warn("; ".join(notes))
        return cls(**own)

    def fit(self, X: Any, y: Any = None, *, ids: Any = None, use_rep: str | None = None) -> Unfold:
        """Learn a map.

        Parameters
        ----------
        X : array, sparse matrix, table, AnnData or path, of n rows
            NumPy, SciPy CSR, pandas, polars, pyarrow, DuckDB relations, or a file that the program can read. In an AnnData
            object the positions are stored in ``obsm["X_unfold"]``, and the neighbour graph for scanpy's
            ``neighbors_key="unfold"``.
        y : array-like of n, optional
            Classes for ``predict``, None or NaN if unknown. They influence the map only with ``supervision``. For an AnnData
            object it can also be the name of a column of ``obs``.
        ids : array-like of n, optional
            Ids of the rows, for ``forget``. Default: numbers from 0, or the names of an AnnData object's observations.
        use_rep : str, optional
            The part of an AnnData object to map: a name in ``obsm``, a layer or "X". With ``metric="precomputed"`` it is a name
            in ``obsp``. Default: "X_pca" if it exists, otherwise "X"; "distances" in ``obsp``.

        Returns
        -------
        Unfold
            The estimator.

        Raises
        ------
        ValueError
            Rows, labels, ids or parameters are invalid.
        UnfoldError
            The program failed for another reason, for example because it needs more than ``memory``.

        Examples
        --------
        >>> import numpy as np
        >>> from unfold_live import Unfold
        >>> X = np.random.default_rng(1).normal(size=(300, 8))
        >>> model = Unfold().fit(X, X[:, 0] > 0, ids=[f"row {i}" for i in range(300)])
        >>> str(model.ids_[7]), model.classes_.tolist()
        ('row 7', [False, True])
        """
        self._check()
        adata, self._use_rep = (X if _annotated.is_annotated(X) else None), use_rep
        if adata is not None:
            y, ids = _annotated.labels(adata, y), _annotated.names(adata) if ids is None else ids
        elif use_rep is not None:
            raise ValueError(f"use_rep={use_rep!r} is for AnnData objects, and X is a {type(X).__name__}")
        handle = Handle(_settings.threads_of(self.n_jobs))
        with _files.Folder(_files.size_of(X)) as folder, Bars(self.verbose) as progress:
            rows = self._put(X, folder, fit=True)
            check_ids(ids, rows.n)
            args = ["fit", *rows.source, "-o", str(handle.path), "--map", str(folder.file("map.arrows")), "--numbers", *rows.flags]
            args += self._flags(folder, rows.n)
            # The nodes of a graph have no labels, but a pipeline passes y to all of its steps.
            wanted = (self.classify or self.supervision) and not rows.graph
            labels = _labels.classes_of(y, rows.n) if wanted else None
            if labels is not None:
                path = _files.write_texts(folder.file("y.npy"), labels[1])
                args += ["--label-file", str(path), *(["--classify"] if self.classify else [])]
                rows.names[str(path)] = "y"
                args += _settings.flags({"supervision": self.supervision})
            elif self.supervision:
                no = "" if y is None else ", and this y holds no classes that can be learnt"
                raise ValueError(f"supervision={self.supervision} needs y: integers or texts of at least two classes{no}")
            if self.report:
                args += ["--report", str(folder.file("report.json"))]
            try:
                handle.run(args, progress, rows.names)
            except BaseException:
                handle.discard()  # otherwise the error's traceback would keep the child alive
                raise
            at = _arrow.read(folder.file("map.arrows"))
            report = json.loads(folder.file("report.json").read_text()) if self.report else None
        self._take(at, ids)
        self._model = handle
        self._table = not rows.plain
        handle.vector = _rows.ARRAY if rows.plain else None
        self._edges, self._graph, self._radii = rows.edges, None, None
        self._keep(rows.values)
        if labels is not None and self.classify:
            self.classes_ = labels[0]
        elif hasattr(self, "classes_"):
            del self.classes_
        if report is not None:
            self.report_ = report
        elif hasattr(self, "report_"):
            del self.report_
        self._n_features_out = at["embedding"].shape[1]
        if adata is not None:
            params = {"n_neighbors": self._nearest(), "method": "unfold", "metric": _name(self.metric)}
            _annotated.store(adata, self, self._neighbor_graph()[0], self.graph_, params)
        return self

    def fit_transform(self, X: Any, y: Any = None, *, ids: Any = None, use_rep: str | None = None) -> np.ndarray[Any, Any]:
        """Learn a map and return the positions of its rows, (n, n_components)."""
        return self.fit(X, y, ids=ids, use_rep=use_rep).embedding_

    @property
    def graph_(self) -> csr_matrix:
        """The symmetric neighbour graph of the rows, (n, n), with weights above 0 and up to 1, as SciPy's CSR matrix.

        Each row has edges to its ``n_neighbors`` nearest rows (15 if that is None), and from the rows of which it is a
        neighbour. The weights are the connectivities of scanpy and UMAP for this map's distances. A row that equals an
        earlier row has the neighbours of that row, and an edge to it with weight 1. For a loaded model the rows are the
        points of the map.

        Examples
        --------
        >>> import numpy as np
        >>> from unfold_live import Unfold
        >>> graph = Unfold().fit(np.random.default_rng(1).normal(size=(300, 8))).graph_
        >>> graph.shape, bool(abs(graph - graph.T).max() < 1e-12)
        ((300, 300), True)
        """
        check_is_fitted(self)
        return self._neighbor_graph()[1]

    def __mul__(self, other: Unfold) -> Unfold:
        """Return a map of rows that are near in both maps of the same rows, such as maps of different columns."""
        return self._combined(other, "*")

    def __add__(self, other: Unfold) -> Unfold:
        """Return a map of rows that are near in at least one of two maps of the same rows."""
        return self._combined(other, "+")

    def __sub__(self, other: Unfold) -> Unfold:
        """Return a map of rows that are near in this map and not in another map of the same rows."""
        return self._combined(other, "-")

    def _combined(self, other: Unfold, how: str) -> Unfold:
        """Return a map of the combined neighbour graphs, which begins with this map's settings."""
        if not isinstance(other, Unfold):
            return NotImplemented
        a, b = self.graph_, other.graph_
        if a.shape != b.shape:
            raise ValueError(f"the maps have {a.shape[0]} and {b.shape[0]} rows: only maps of the same rows can be combined")
        out = Unfold(
            self.n_components,
            metric="precomputed",
            thorough=self.thorough,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            settings=self.settings,
            verbose=self.verbose,
        )
        return out.fit(_combined.combined(a, b, how), ids=self.ids_)

    @property
    def rad_orig_(self) -> np.ndarray[Any, Any]:
        """The logarithm of each row's local radius in the data, (n,): its mean squared distance to neighbours in ``graph_``.

        The attribute has umap-learn's name. With ``density`` it correlates with ``rad_emb_``.
        """
        return self._log_radii()[0]

    @property
    def rad_emb_(self) -> np.ndarray[Any, Any]:
        """The logarithm of each row's local radius on the map, (n,), for the same neighbours as ``rad_orig_``."""
        return self._log_radii()[1]

    def _log_radii(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        check_is_fitted(self)
        found = self._radii
        if found is None or found[0] is not self.embedding_:
            distances, weights = self._neighbor_graph()
            found = self._radii = (self.embedding_, _graph.log_radii(weights, distances, self.embedding_))
        return found[1]

    def transform_graph(self, X: Any) -> csr_matrix:
        """Return the weights of edges from new rows to the rows of the map, (n_new, n), as SciPy's CSR matrix.

        Weights are above 0 and up to 1. Each row has edges to as many nearest rows as in ``graph_``. If rows of the map are
        equal, the edge leads to the first of them.
        """
        check_is_fitted(self)
        if self._precomputed():
            with _files.Folder(_files.size_of(X)) as folder:
                edges = self._put(X, folder, fit=False).edges
            if edges is None:
                raise ValueError("transform_graph takes distances as an array or a sparse matrix, not as a file")
            return edges.weights()
        at = self._placed(X, f"--neighbors={self._nearest()}")
        points = self._points()
        w = Edges.of_lists(at["neighbor"], at["neighbor_distance"], points).weights()
        return _graph.Rows(self._row, points).columns(w) if len(self._row) else w

    def _nearest(self) -> int:
        """Return the number of neighbours per row in ``graph_``."""
        return int(self.n_neighbors) if self.n_neighbors is not None and not isinstance(self.n_neighbors, str) else _graph.NEAREST

    def _points(self) -> int:
        """Return the number of points of the map."""
        return int(json.loads(self._model.run(["inspect", str(self._model.path), "--json"]))["reference_points"])

    def _neighbor_graph(self) -> tuple[csr_matrix, csr_matrix]:
        """Return the distances of each row's nearest neighbours, and the weights of the graph."""
        found = self._graph
        if found is not None and found[0] is self.embedding_:
            return found[1], found[2]
        if self._precomputed():
            edges = getattr(self, "_edges", None)
            if edges is None:
                raise ValueError("the distances of this map are not known any longer: it was loaded, or fitted to a file")
            distances, weights = edges.matrix(), _graph.union(edges.weights())
        else:
            with _files.Folder(16 * self._nearest() * len(self._row)) as folder:
                out = folder.file("graph.arrows")
                flags = _settings.flags({"neighbors": self._nearest(), "threads": _settings.threads_of(self.n_jobs)})
                self._model.run(["embed", "-m", str(self._model.path), "-o", str(out), *flags])
                at = _arrow.read(out)
            edges = Edges.of_lists(at["neighbor"], at["neighbor_distance"], len(at["neighbor"]))
            distances, weights = edges.matrix(), _graph.union(edges.weights())
            if len(self._row):
                rows = _graph.Rows(self._row, edges.shape[0])
                distances, weights = rows.graph(distances, 0), rows.graph(weights, 1)
        self._graph = (self.embedding_, distances, weights)
        return distances, weights

    def place(self, X: Any) -> Places:
        """Return positions, uncertainties, novelties and classes of rows, without changing the map.

        Examples
        --------
        >>> import numpy as np
        >>> from unfold_live import Unfold
        >>> X = np.random.default_rng(1).normal(size=(300, 8))
        >>> at = Unfold().fit(X).place(np.vstack([X[:1], X[:1] + 50]))
        >>> bool(at.novelty_global[0] < 1), bool(at.novelty_global[1] == 1)
        (True, True)
        """
        at = self._placed(X)
        label = at.get("class")
        if label is not None and _predicts(self):
            label = _labels.decoded(label, self.classes_)
        return Places(at["embedding"], at["sigma"], at["novelty_local"], at["novelty_global"], label, at.get("class_probability"))

    @available_if(_has_likelihood, 'maps of the kinds "lvm" and "gplvm" have a likelihood')
    def score_samples(self, X: Any) -> np.ndarray[Any, Any]:
        """Return the log-likelihood of each row under the model, (n,), without changing the map.

        A low value means that the row is unlike the fitted rows. With ``kind="gplvm"`` it is the log-density of the row's
        values that are not missing (NaN). With ``kind="lvm"``, the default, it is the log-density of the lengths of the edges to
        its neighbours. Other kinds have no likelihood, and not this method.
        """
        return self._placed(X, "--loglik")["loglik"]

    def _placed(self, X: Any, *flags: str) -> dict[str, np.ndarray[Any, Any]]:
        """Return the columns that the program's ``embed`` writes for rows."""
        check_is_fitted(self)
        with _files.Folder(_files.size_of(X)) as folder:
            rows = self._put(X, folder, fit=False)
            out = folder.file("places.arrows")
            args = ["embed", *rows.source, *rows.flags, "-m", str(self._model.path), "-o", str(out), *self._place_flags(), *flags]
            self._model.run(args, None, rows.names)
            at = _arrow.read(out)
        if rows.copies is not None and len(self.embedding_):  # a copy of a fitted row is where that is
            new = np.flatnonzero(rows.copies >= 0)
            for name in ("embedding", "sigma", "novelty_local", "novelty_global"):
                at[name] = at[name].copy()
                at[name][new] = getattr(self, name + "_")[rows.copies[new]]
        return at

    def transform(self, X: Any) -> np.ndarray[Any, Any]:
        """Return the positions of rows, (n, n_components), without changing the map."""
        return self.place(X).embedding

    @available_if(_predicts, "it was fitted without classes: give them to fit as y")
    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """Return the predicted classes of rows. The method exists only if ``fit`` had labels."""
        return self.place(X).label  # type: ignore[return-value]

    @available_if(_predicts, "it was fitted without classes: give them to fit as y")
    def predict_proba(self, X: Any) -> np.ndarray[Any, Any]:
        """Return the probability of each class, (n, n_classes), in the order of ``classes_``, in single precision."""
        return _labels.shares(self._placed(X, "--class-probabilities")["class_probabilities"], self.classes_)

    @overload
    def inverse_transform(self, X: Any, *, return_error: Literal[False] = False) -> np.ndarray[Any, Any]: ...

    @overload
    def inverse_transform(self, X: Any, *, return_error: Literal[True]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]: ...

    @available_if(_knows_rows, "it knows distances alone")
    def inverse_transform(self, X: Any, *, return_error: bool = False) -> Any:
        """Predict the vectors at positions on the map, in the units of the rows. Maps of distances do not have the method.

        Parameters
        ----------
        X : array of shape (n, n_components)
            Positions on the map, also in empty regions.
        return_error : bool, default=False
            Also return the predicted error of each vector, which is large in empty regions.

        Returns
        -------
        ndarray of shape (n, n_features)
            The predicted vectors. For a table, each category is a column of shares, and times are days since 1970. With metric
            "cosine" or "correlation" vectors are directions, with "hellinger" shares.
        ndarray of shape (n,)
            The predicted root mean squared error of each vector's values. Only if ``return_error`` is set.

        Raises
        ------
        ValueError
            X has another shape.

        Examples
        --------
        >>> import numpy as np
        >>> from unfold_live import Unfold
        >>> model = Unfold().fit(np.random.default_rng(1).normal(size=(300, 8)))
        >>> vectors, error = model.inverse_transform([[0, 0], [1000, 1000]], return_error=True)
        >>> vectors.shape, bool(error[1] > error[0])
        ((2, 8), True)
        """
        check_is_fitted(self)
        try:
            at = np.ascontiguousarray(X, dtype=np.float32)
        except ValueError as e:
            raise ValueError(f"X has to be an array of positions on the map, which are numbers: {e}") from None
        if at.ndim != 2 or at.shape[1] != self._n_features_out:
            raise ValueError(f"points of the map have {self._n_features_out} coordinates each; got an array of shape {at.shape}")
        with _files.Folder(at.nbytes) as folder:
            path = _files.write_array(folder.file("at.npy"), at)
            out = folder.file("x.arrows")
            self._model.run(["decode", str(path), "-m", str(self._model.path), "-o", str(out)], None, {str(path): "X"})
            found = _arrow.read(out)
        values = [_numbers(column) for name, column in found.items() if name == "vector" or name.startswith("vector.")]
        vectors = values[0] if len(values) == 1 and values[0].ndim == 2 else np.column_stack(values)
        return (vectors, found["vector_sigma"]) if return_error else vectors

    def explain(self, X: Any, *, columns: int = 5, above: float | None = None) -> list[dict[str, Any]]:
        """Explain why rows are novel.

        Parameters
        ----------
        X : rows
            Rows as for ``transform``.
        columns : int
            Maximum number of columns to name per row.
        above : float, optional
            Explain only rows with a novelty above this percentile, such as 0.99.

        Returns
        -------
        list of dict
            The output of the program's ``explain --json``: ``id`` (the row's number if it has no id), ``reasons``,
            ``neighbors``, the position and the novelties. The shares of all columns sum to 1. Columns of a frame have their
            names; those of an array are ``vector[0]`` and so on.

        Examples
        --------
        >>> import numpy as np
        >>> from unfold_live import Unfold
        >>> X = np.random.default_rng(1).normal(size=(300, 8))
        >>> row = X[:1].copy()
        >>> row[0, 3] = 20
        >>> reason = Unfold().fit(X).explain(row)[0]["reasons"][0]
        >>> reason["column"], reason["direction"]
        ('vector[3]', 'above')
        """
        check_is_fitted(self)
        if self._precomputed():
            raise ValueError("explain needs a map of rows: this one knows distances alone")
        with _files.Folder(_files.size_of(X)) as folder:
            rows = self._put(X, folder, fit=False)
            args = [
                "explain",
                str(self._model.path),
                rows.path,
                "--json",
                "--limit=0",
                *rows.flags,
                *_settings.flags({"columns": columns, "above": above}),
            ]
            out = self._model.run(args, None, rows.names)
        return [self._named(json.loads(line)) for line in out.splitlines()]

    def _named(self, explained: dict[str, Any]) -> dict[str, Any]:
        """Name the columns of a frame that was written as an array."""
        names = getattr(self, "feature_names_in_", None)
        if names is None or self._table:
            return explained
        for reason in explained.get("reasons", ()):
            found = _ELEMENT.fullmatch(reason.get("column", ""))
            if found:
                reason["column"] = str(names[int(found[1])])
        return explained

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the quality of the map for rows, between 0 and 1. Larger is better.

        With labels it is the share of correct predictions. If the map was fitted without labels, it is the share of rows whose
        nearest neighbour on the map has the same class. Without labels it is the trustworthiness, which decreases with the
        number of neighbours on the map that are not neighbours in the data. Rows whose label is None or NaN do not count. For an
        AnnData object ``y`` can also be the name of a column of ``obs``. ``sample_weight`` is used for predictions only.
        """
        y = _annotated.labels(X, y) if _annotated.is_annotated(X) else y
        if y is not None and _predicts(self):
            return _labels.share_right(self.predict(X), y, sample_weight)
        check_is_fitted(self)
        if y is None and self._precomputed():
            raise ValueError("score needs y: the trustworthiness is that of rows, and the map knows distances alone")
        with _files.Folder(_files.size_of(X)) as folder:
            rows = self._put(X, folder, fit=False)
            at = folder.file("places.arrows")
            self._model.run(["embed", *rows.source, *rows.flags, "-m", str(self._model.path), "-o", str(at)], None, rows.names)
            args = ["score", str(at), "--json"]
            labels = _labels.classes_of(y, None)
            if labels is not None:
                args += ["--label-file", str(_files.write_texts(folder.file("y.npy"), labels[1]))]
            else:
                args += ["--data", rows.path, "--model", str(self._model.path), *rows.flags]
            figures = json.loads(self._model.run(args, None, rows.names))
        return float(figures["leave_one_out"]["accuracy"][0] if labels is not None else figures["structure"]["trustworthiness"])

    def clusters(self, **settings: Any) -> UnfoldClusters:
        """Return the fitted clusters of the map. ``settings`` are parameters of ``UnfoldClusters``."""
        from ._clusters import UnfoldClusters

        check_is_fitted(self)
        return UnfoldClusters(**{"n_jobs": self.n_jobs, **settings}).fit(self.embedding_)

    @property
    def clusters_(self) -> np.ndarray[Any, Any]:
        """Clusters of the rows with the defaults of ``UnfoldClusters``, -1 for noise. They are computed at the first access."""
        check_is_fitted(self)
        found = getattr(self, "_clusters", None)
        if found is None or found[0] is not self.embedding_:  # the map has changed
            found = self._clusters = (self.embedding_, self.clusters().labels_)
        return found[1]

    @property
    def score_(self) -> dict[str, float]:
        """Quality of the fitted map: trustworthiness, continuity, and with labels ``loo1`` and ``loo9``.

        ``loo1`` is the share of rows whose nearest neighbour on the map has the same class. ``loo9`` uses a majority vote of the
        nine nearest neighbours. The attribute exists only if ``report`` is set.
        """
        if not hasattr(self, "report_"):
            raise AttributeError("score_ is there after a fit with report=True; score(X) measures the map by any rows")
        return {k: self.report_[k] for k in ("trustworthiness", "continuity", "loo1", "loo9") if k in self.report_}

    @property
    def novelty_(self) -> np.ndarray[Any, Any]:
        """The larger of both novelties of each row."""
        check_is_fitted(self)
        return np.maximum(self.novelty_local_, self.novelty_global_)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, which the program and ``load`` can read.

        Examples
        --------
        >>> import tempfile, numpy as np
        >>> from unfold_live import Unfold, load
        >>> X = np.random.default_rng(1).normal(size=(300, 8))
        >>> model, path = Unfold().fit(X), tempfile.mkdtemp() + "/map.unfold"
        >>> model.save(path)
        >>> bool((load(path).transform(X[:5]) == model.transform(X[:5])).all())
        True
        """
        check_is_fitted(self)
        Path(path).write_bytes(self._model.model())

    def view(self, columns: dict[str, Any] | None = None) -> View:
        """Open the live page of the map.

        Parameters
        ----------
        columns : dict of array-like, optional
            Values of the rows, for colouring and searching.
        """
        from ._view import View

        check_is_fitted(self)
        return View.of(self, columns)

    def close(self) -> None:
        """Stop the child process. The next call that needs it starts a new one."""
        if self.__sklearn_is_fitted__():
            self._model.close()

    def __sklearn_tags__(self) -> Any:
        adopt(type(self))
        tags = super().__sklearn_tags__()
        _rows.tag(tags, self.metric)
        tags.input_tags.allow_nan = self._holes()
        tags.transformer_tags.preserves_dtype = []
        if tags.classifier_tags is None:  # it has predict_proba after a fit with labels, but is not a classifier
            from sklearn.utils import ClassifierTags

            tags.classifier_tags = ClassifierTags()
        return tags

    def _fit_files(self, path: str, name: str) -> Unfold:
        """Learn a map of files that need not fit in memory, and return it as ``load`` does: without the places of its rows."""
        self._check()
        handle = Handle(_settings.threads_of(self.n_jobs))
        with _files.Folder() as folder, Bars(self.verbose) as progress:
            rows = self._put(path, folder, fit=True)
            args = ["fit", *rows.source, "-o", str(handle.path), *rows.flags, *self._flags(folder)]
            try:
                handle.run(args, progress, {path: name})
            except BaseException:
                handle.discard()
                raise
        return of_handle(handle, name, self.n_jobs)

    def _put(self, x: Any, folder: _files.Folder, *, fit: bool) -> _rows.Rows:
        if _annotated.is_annotated(x):
            x = _annotated.rows(x, getattr(self, "_use_rep", None), self._precomputed())
        aside = {self.id_column} if self.id_column else set()
        least = _LEAST if fit else 1
        if self._precomputed():
            if self._by_function():
                self._called, x = _distances.called(self, x, fit=fit, least=least)
            if self.kind in _scaling.KINDS:
                return self._put_scaled(x, folder, fit, least)
            return _distances.put(self, x, folder, fit=fit, k=self.n_neighbors, least=least)
        columns = self.columns if fit or getattr(self, "_table", False) else None
        return _rows.put(
            self, x, folder, fit=fit, columns=columns, aside=aside, allow_nan=self._holes(), least=least, metric=self.metric
        )

    def _put_scaled(self, x: Any, folder: _files.Folder, fit: bool, least: int) -> _rows.Rows:
        """Write coordinates with the given distances, or the lengths of paths, for a kind that is defined by these."""
        d = _distances.checked(self, x, fit=fit, least=least, sparse=self.kind in _scaling.NEAR)
        edges = _distances.nearest(d, self.n_neighbors, fit=fit)
        by_paths = self._by_paths = (self.kind == "isomap" or _files.is_sparse(d)) if fit else self._by_paths
        if by_paths:
            near = _distances.nearest(d, self.n_neighbors, fit=fit, of_array=_scaling.NEAREST)
            if fit:
                self._paths = _scaling.paths(near, None if _files.is_sparse(d) else d, kind=self.kind)
            d = self._paths if fit else _scaling.paths_from(near, self._paths)
        if fit:
            self._scaling, at = _scaling.scaled(d, self.kind)
        else:
            at = self._scaling.place(d)
        path = str(_files.write_array(folder.file("distances.npy"), at))
        return _rows.Rows(path, n=len(at), names={path: "X"}, edges=edges, values=None if by_paths else d)

    def _check(self) -> None:
        """Raise ``ValueError`` for parameters that the program would misinterpret."""
        for name in ("n_components", "n_neighbors"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, str) and _RANGE.match(value)):
                _settings.whole(name, value, 1)
        if self.pca is not None and self.pca not in ("none", "auto"):
            _settings.whole("pca", self.pca, 1, ' or "none"')
        _settings.real("supervision", self.supervision, 0, 1)
        _settings.real("density", self.density, 0, 4)
        _settings.text("kind", self.kind)
        if not callable(self.metric):
            _settings.text("metric", self.metric, ", or a function of two rows")
        _translation.check_metric(type(self), self.metric)
        _settings.further(self.settings)
        _settings.switches(self, "standardize", "log1p", "classify", "thorough", "report")

    def _vector_column(self) -> str:
        """Return the name of the vectors that the map was learnt from, "" if it was learnt from other columns."""
        if self._model.vector is None:
            about = json.loads(self._model.run(["inspect", str(self._model.path), "--json"]))
            self._model.vector = about.get("vector", "")
        return self._model.vector

    def _precomputed(self) -> bool:
        """Report whether distances are given, or computed by a function, instead of by the program."""
        return self.metric == "precomputed" or self._by_function()

    def _by_function(self) -> bool:
        """Report whether distances are computed here: by a function, or by a metric that the program does not have for the kind."""
        return callable(self.metric) or (self.kind in _scaling.KINDS and _pairwise.linear(self.metric))

    def _holes(self) -> bool:
        """Return whether rows may contain NaN."""
        return self.kind == "gplvm" or self.missing is not None

    def _flags(self, folder: _files.Folder, n: int | None = None) -> list[str]:
        """Return the flags of a fit of n rows, None if their number is not known."""
        if self.missing not in (None, "mean"):
            raise ValueError(f'missing has to be "mean" or None, not {self.missing!r}')
        frame = self.frame
        if frame is not None and not isinstance(frame, str | os.PathLike):
            at = np.ascontiguousarray(frame, dtype=np.float64)
            if at.ndim != 2 or (n is not None and len(at) != n):
                raise ValueError(
                    f"frame has the shape {at.shape}, and X has {n} rows: give a position for each, NaN for rows that are free"
                )
            frame = _files.write_array(folder.file("frame.npy"), at)
        known = self._precomputed() and self.kind not in _scaling.KINDS
        kind = "mds" if self._precomputed() and self.kind == "isomap" else self.kind  # of the lengths of paths
        return _settings.flags(
            {
                "dims": self.n_components,
                "neighbors": None if known else self.n_neighbors,
                "graph_weights": "distance" if known else None,
                "kind": None if kind == "lvm" else kind,
                "frame": frame,
                "pca": self.pca,
                "density": self.density,
                "metric": None if self.metric == "euclidean" or self._precomputed() else self.metric,
                "neighbors_file": self._neighbors(folder),
                "missing": self.missing,
                "standardize": self.standardize,
                "log1p": self.log1p,
                "id": self.id_column,
                "thorough": self.thorough,
                "seed": _settings.seed_of(self.random_state),
                "threads": _settings.threads_of(self.n_jobs),
                "memory": self.memory,
                **(self.settings or {}),
            }
        )

    def _neighbors(self, folder: _files.Folder) -> Path | None:
        """Write the known neighbours to a file and return its path."""
        if self.precomputed_knn is None:
            return None
        rows, far = (*self.precomputed_knn, None)[:2] if isinstance(self.precomputed_knn, tuple | list) else (None, None)
        lists = {"rows": np.asarray(rows)} | ({} if far is None else {"distances": np.asarray(far)})
        if lists["rows"].dtype.kind not in "iu" or any(v.shape != lists["rows"].shape or v.ndim != 2 for v in lists.values()):
            raise ValueError(
                "precomputed_knn has to be an array of rows' numbers (n x k integers) and one of their distances, of one shape"
            )
        path = folder.file("neighbors.npz")
        np.savez(path, allow_pickle=False, **lists)
        return path

    def _place_flags(self) -> list[str]:
        return _settings.flags({"threads": _settings.threads_of(self.n_jobs)})


def load(path: str | os.PathLike[str], *, n_jobs: int | None = None) -> Unfold:
    """Return an estimator for a model file that the program or ``Unfold.save`` wrote.

    It can place, predict and explain rows, and follow new ones. The rows of the original fit are
    unknown: ``embedding_`` contains only rows that are added later.

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        The file is not a model.
    """
    return of_handle(Handle(_settings.threads_of(n_jobs), Path(path).read_bytes()), os.fspath(path), n_jobs)


def of_handle(handle: Handle, name: str, n_jobs: int | None) -> Unfold:
    """Return an estimator for a model, whose rows are unknown. ``name`` is the model's name in errors."""
    about = json.loads(handle.run(["inspect", str(handle.path), "--json"], None, {str(handle.path): name}))
    if "kind" not in about:
        raise ValueError(f"{name} is no model: the program takes it for a table")
    metric = "precomputed" if "graph" in about else about.get("metric", "euclidean")
    out = Unfold(about["dims"], kind=about["kind"], n_jobs=n_jobs, id_column=about.get("id"), metric=metric)
    out._model, out._table, out._n_features_out = handle, bool(about.get("elements")), about["dims"]
    handle.vector = about.get("vector", "")
    form = _forms.form_of_model(metric, about.get("elements") or [])
    if form is not None:
        out._form, out.n_features_in_ = form
    elif not out._table:
        out.n_features_in_ = about["values"]
    if about.get("classes"):
        out.classes_ = np.asarray(about["classes"])
    nothing = np.empty(0, np.float32)
    no_places = np.empty((0, about["dims"]), np.float32)
    out._take(
        {
            "point": np.empty(0, np.int64),
            "embedding": no_places,
            "sigma": nothing,
            "novelty_local": nothing,
            "novelty_global": nothing,
        },
        None,
    )
    return out
