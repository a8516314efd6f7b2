"""The estimator of aligned maps of slices of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _rows, _settings, _translation
from ._base import BaseEstimator, adopt, adopted, check_is_fitted
from ._unfold import Unfold

_Array = np.ndarray[Any, Any]

#: The weight of holding shared rows near their places, in the last steps of learning.
_HOLD = 0.3


class UnfoldAligned(BaseEstimator):
    """Maps of slices of data, such as years. Rows that are in several slices have nearly the same places on all their maps.

    Each slice is learnt in the frame of the maps before and after it, so that shared rows are held near their places there. Other
    rows are free.

    Parameters
    ----------
    n_components : int, default=2
        Number of dimensions of the maps.
    n_neighbors : int, list of int, or None
        Number of neighbours of each row that a map keeps together. None means the program's default.
    metric : str or callable, default="euclidean"
        The distance between rows, as in ``Unfold``.
    standardize : bool, default=False
        Scale the columns of each slice to mean 0 and unit variance.
    sweeps : int, default=1
        Number of passes that learn every slice again, near both adjacent slices. Before, each is learnt near the previous one.
    random_state : int, Generator, RandomState or None
        The seed. None is a fixed seed, too.
    n_jobs : int or None
        Number of threads, which does not affect the maps.
    settings : dict, optional
        Further flags of the program by name. A larger ``frame_weight`` than 0.3 holds shared rows more firmly.
    verbose : bool, default=False
        Show the progress of the fits.

    Attributes
    ----------
    embeddings_ : list of ndarray of shape (n_k, n_components)
        Positions of the rows of each slice.
    models_ : list of Unfold
        The map of each slice, for example to place new rows on it.
    drift_ : ndarray
        Root mean square distance between the two places of rows that a slice shares with the next one, relative to the radius
        of gyration of the maps.
    n_features_in_ : int
        Number of columns of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from unfold_live import UnfoldAligned
    >>> X = np.random.default_rng(1).normal(size=(300, 8))
    >>> same = {50 + i: i for i in range(150)}
    >>> maps = UnfoldAligned().fit([X[:200], X[50:250]], relations=[same])
    >>> [at.shape for at in maps.embeddings_], bool(maps.drift_[0] < 0.5)
    ([(200, 2), (200, 2)], True)
    """

    embeddings_: list[_Array]
    models_: list[Unfold]
    drift_: _Array
    n_features_in_: int
    feature_names_in_: _Array

    @_translation.answering
    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: Any = None,
        metric: Any = "euclidean",
        standardize: bool = False,
        sweeps: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
        settings: dict[str, Any] | None = None,
        verbose: bool = False,
    ) -> None:
        adopted(type(self))
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.standardize = standardize
        self.sweeps = sweeps
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.settings = settings
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, relations: Sequence[Mapping[int, int]] | None = None) -> UnfoldAligned:
        """Learn the maps.

        Parameters
        ----------
        X : list of rows
            The slices, each as for ``Unfold.fit``. A single array is a single slice.
        y : ignored
            For pipelines.
        relations : list of dict
            For each slice but the last, the rows that are also in the next one: ``{row: row of the next slice}``, from 0.

        Raises
        ------
        ValueError
            Slices, relations or parameters are invalid.
        """
        _settings.whole("sweeps", self.sweeps, 0)
        slices = list(X) if _is_list_of_slices(X) else [X]
        if isinstance(X, list | tuple) and not X:
            raise ValueError("X holds no slice: give a list of arrays or tables")
        pairs = [_pairs(k, r) for k, r in enumerate(relations or [])]
        if len(slices) == 1 and pairs:
            raise ValueError(f"X is a {type(X).__name__}, one slice, and there are relations: give a list of slices")
        if len(pairs) != len(slices) - 1:
            raise ValueError(
                f"relations has {len(pairs)} dicts for {len(slices)} slices: give one for each slice but the last, "
                "from its rows to those of the next one"
            )
        nearest = self._nearest(len(slices))
        seed = _settings.seed_of(self.random_state)
        models: list[Unfold] = []
        for k, x in enumerate(slices):
            frame = None
            if k > 0:
                before = models[-1].embedding_
                n = _count(x)
                _check_pairs(k - 1, pairs[k - 1], len(before), n)
                frame = _frame(n, [(before, pairs[k - 1])])
            models.append(self._learn(x, frame, seed, nearest[k]))
        for _ in range(self.sweeps if len(slices) > 1 else 0):
            for k, x in enumerate(slices):
                near = [(models[k - 1].embedding_, pairs[k - 1])] if k > 0 else []
                if k + 1 < len(slices):
                    near.append((models[k + 1].embedding_, pairs[k][:, ::-1]))
                again = self._learn(x, _frame(len(models[k].embedding_), near), seed, nearest[k])
                models[k].close()
                models[k] = again
        self.models_ = models
        self.embeddings_ = [m.embedding_ for m in models]
        self._pairs = pairs
        self.drift_ = np.array([_drift(a, b, p) for a, b, p in zip(self.embeddings_, self.embeddings_[1:], pairs, strict=False)])
        self.n_features_in_ = models[0].n_features_in_
        if hasattr(models[0], "feature_names_in_"):
            self.feature_names_in_ = models[0].feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def fit_transform(self, X: Any, y: Any = None, *, relations: Sequence[Mapping[int, int]] | None = None) -> list[_Array]:
        """Learn the maps and return the positions of the rows of each slice."""
        return self.fit(X, relations=relations).embeddings_

    def update(self, X: Any, *, relations: Mapping[int, int], n_neighbors: int | None = None) -> UnfoldAligned:
        """Add a slice. The maps of the others do not change.

        Parameters
        ----------
        X : rows
            The rows of the new slice.
        relations : dict
            The rows of the last slice that are also in the new one: ``{row: row of the new slice}``.
        n_neighbors : int, optional
            Number of neighbours of the new slice. Default: that of the last slice.
        """
        check_is_fitted(self)
        before, pairs = self.embeddings_[-1], _pairs(len(self._pairs), relations)
        n = _count(X)
        _check_pairs(len(self._pairs), pairs, len(before), n)
        nearest = n_neighbors if n_neighbors is not None else self.models_[-1].n_neighbors
        model = self._learn(X, _frame(n, [(before, pairs)]), _settings.seed_of(self.random_state), nearest)
        self.models_ = [*self.models_, model]
        self.embeddings_ = [*self.embeddings_, model.embedding_]
        self._pairs = [*self._pairs, pairs]
        self.drift_ = np.append(self.drift_, _drift(before, model.embedding_, pairs))
        return self

    def _nearest(self, n: int) -> list[Any]:
        """Return the number of neighbours of each of n slices."""
        if not isinstance(self.n_neighbors, list | tuple | np.ndarray):
            return [self.n_neighbors] * n
        if len(self.n_neighbors) != n:
            raise ValueError(f"n_neighbors has {len(self.n_neighbors)} numbers for {n} slices: give one, or one for each slice")
        return list(self.n_neighbors)

    def _learn(self, x: Any, frame: _Array | None, seed: int | None, nearest: Any) -> Unfold:
        model = Unfold(
            self.n_components,
            n_neighbors=nearest,
            metric=self.metric,
            standardize=self.standardize,
            frame=frame,
            random_state=seed,
            n_jobs=self.n_jobs,
            settings=self.settings if frame is None else {"frame_weight": _HOLD, **(self.settings or {})},
            verbose=self.verbose,
        )
        return model.fit(x)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "embeddings_")

    def __sklearn_tags__(self) -> Any:
        adopt(type(self))
        tags = super().__sklearn_tags__()
        _rows.tag(tags, self.metric)
        return tags


def _is_list_of_slices(x: Any) -> bool:
    """Report whether X is a list of collections of rows instead of a list of rows."""
    return isinstance(x, list | tuple) and len(x) > 0 and (hasattr(x[0], "shape") or np.ndim(x[0]) == 2) and np.ndim(x[0]) != 1


def _count(x: Any) -> int:
    """Return the number of rows of a slice."""
    return int(x.shape[0]) if hasattr(x, "shape") else len(x)


def _pairs(k: int, relation: Mapping[int, int]) -> _Array:
    """Return a relation as an array of pairs of row numbers, (m, 2)."""
    if not isinstance(relation, Mapping):
        raise ValueError(
            f"relations[{k}] is a {type(relation).__name__}: give a dict, {{row: row of slice {k + 1}}}, as dict(pairs) makes"
        )
    for row in (row for pair in relation.items() for row in pair):
        _settings.whole(f"relations[{k}]: a row", row)
    pairs = np.array([(int(i), int(j)) for i, j in relation.items()], dtype=np.intp).reshape(-1, 2)
    if not len(pairs):
        raise ValueError(f"relations[{k}] is empty: slices {k} and {k + 1} share no row by which the maps could be aligned")
    if len(np.unique(pairs[:, 1])) < len(pairs):
        raise ValueError(f"relations[{k}] leads from several rows to the same row of slice {k + 1}")
    return pairs


def _check_pairs(k: int, pairs: _Array, before: int, after: int) -> None:
    """Raise ``ValueError`` for row numbers that slices k and k + 1 do not have."""
    for column, n in ((0, before), (1, after)):
        bad = pairs[(pairs[:, column] < 0) | (pairs[:, column] >= n), column]
        if len(bad):
            raise ValueError(f"relations[{k}] names row {bad[0]} of slice {k + column}, which has {n} rows")


def _frame(n: int, near: list[tuple[_Array, _Array]]) -> _Array:
    """Return the mean positions of n rows on other maps, NaN for rows that are on no other map.

    Parameters
    ----------
    n : int
        The number of rows.
    near : list of tuples
        For each map its positions, and pairs of a row of the map and one of the n rows.
    """
    total, count = np.zeros((n, near[0][0].shape[1])), np.zeros(n)
    for at, pairs in near:
        total[pairs[:, 1]] += at[pairs[:, 0]]
        count[pairs[:, 1]] += 1
    return np.where(count[:, None] > 0, total / np.maximum(count, 1)[:, None], np.nan)


def _drift(a: _Array, b: _Array, pairs: _Array) -> float:
    """Return the root mean square distance of shared rows, relative to the maps' radius of gyration."""
    apart = ((a[pairs[:, 0]] - b[pairs[:, 1]]).astype(float) ** 2).sum(axis=1).mean()
    size = (a.var(axis=0, dtype=float).sum() + b.var(axis=0, dtype=float).sum()) / 2
    return float(np.sqrt(apart / size)) if size else 0.0
