"""The estimator of clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from . import _arrow, _files, _rows, _settings
from ._base import BaseEstimator, ClusterMixin, adopt, adopted, check_is_fitted
from ._handle import Handle
from ._progress import Bars

#: The default minimum size of a cluster: _MIN_SIZE, or a twentieth of the rows if that is less, but at least five.
_MIN_SIZE, _SHARE, _LEAST = 50, 20, 5


class UnfoldClusters(ClusterMixin, BaseEstimator):
    """Clusters of rows at all densities: exact HDBSCAN*.

    Even with equal distances, the clusters do not depend on the order of the rows.

    Parameters
    ----------
    min_cluster_size : int, optional
        Minimum number of points of a cluster. Default 50, or a twentieth of the rows if that is less, but at least 5.
    min_samples : int, optional
        Rank of the nearest neighbour whose distance determines the density at a point. Default ``min_cluster_size``.
    cluster_selection_method : {"eom", "leaf"}, default="eom"
        The clusters of the hierarchy to select: the most persistent ones, or the leaves.
    cluster_selection_epsilon : float, default=0.0
        Clusters that split at a smaller distance are not split.
    n_jobs : int or None
        Number of threads, which does not affect the clusters.
    verbose : bool, default=False
        Show the progress.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        The cluster of each row, -1 for noise.
    probabilities_ : ndarray of shape (n,)
        Strength of each row's membership in its cluster.
    outlier_scores_ : ndarray of shape (n,)
        Outlier score of each row relative to its neighbourhood (GLOSH).
    n_features_in_ : int
        Number of columns of the rows.
    """

    def __init__(
        self,
        min_cluster_size: int | None = None,
        *,
        min_samples: int | None = None,
        cluster_selection_method: str = "eom",
        cluster_selection_epsilon: float = 0.0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        adopted(type(self))
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_method = cluster_selection_method
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> UnfoldClusters:
        """Find the clusters of rows, for example of positions on a map."""
        handle = Handle(_settings.threads_of(self.n_jobs))
        with _files.Folder(_files.size_of(X)) as folder, Bars(self.verbose) as progress:
            rows = _rows.put(self, X, folder, fit=True, least=2)
            out = folder.file("clusters.arrows")
            self._fit_X = _files.read_array(Path(rows.path)) if rows.plain else None
            n = self._fit_X.shape[0] if self._fit_X is not None else None
            handle.run(["clusters", rows.path, "-o", str(out), *rows.flags, *self._flags(n)], progress, rows.names)
            found = _arrow.read(out)
        self.labels_ = found["cluster"].astype(np.intp)
        self.probabilities_ = found["cluster_probability"]
        self.outlier_scores_ = found["cluster_outlier"]
        self._model = handle
        return self

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """Return the predicted clusters of new rows, -1 for none."""
        check_is_fitted(self)
        if self._fit_X is None:
            raise ValueError("the clusters are of a table or a file; predict goes with clusters of an array")
        with _files.Folder(2 * (_files.size_of(self._fit_X) or 0)) as folder:
            rows = _rows.put(self, X, folder, fit=False, name="new")
            fitted = _files.write_array(folder.file("x.npy"), self._fit_X)
            out = folder.file("joined.arrows")
            args = ["clusters", str(fitted), "--new", rows.path, "-o", str(out), *self._flags(self._fit_X.shape[0])]
            self._model.run(args, None, rows.names)
            return _arrow.read(out)["cluster"].astype(np.intp)

    def _flags(self, n: int | None) -> list[str]:
        size = self.min_cluster_size
        if size is None and n is not None:
            size = min(_MIN_SIZE, max(_LEAST, n // _SHARE))
        return _settings.flags(
            {
                "min_size": size,
                "min_samples": self.min_samples,
                "selection": self.cluster_selection_method,
                "epsilon": self.cluster_selection_epsilon or None,
                "threads": _settings.threads_of(self.n_jobs),
            }
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "labels_")

    def __sklearn_tags__(self) -> Any:
        adopt(type(self))
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
