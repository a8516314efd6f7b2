"""Adding rows to an estimator's map and removing rows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrow, _files
from ._base import available_if, check_is_fitted
from ._progress import Bars

if TYPE_CHECKING:
    from ._handle import Handle


def check_ids(ids: Any, n: int | None) -> None:
    """Raise ``ValueError`` unless there are n ids. An unknown n (None) is not checked."""
    if ids is not None and n is not None and len(ids) != n:
        raise ValueError(f"there are {len(ids)} ids for {n} rows")


def as_ids(ids: Any) -> np.ndarray[Any, Any]:
    """Return ids as an array. Integers in a list that NumPy would convert to doubles stay exact as objects."""
    out = np.asarray(ids)
    if out.dtype.kind == "f" and isinstance(ids, list | tuple | range) and all(isinstance(v, int) for v in ids):
        return np.asarray(ids, dtype=object)
    return out


def joined(first: np.ndarray[Any, Any], more: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Concatenate ids. A mix of signed and unsigned integers becomes objects, because NumPy would convert it to doubles."""
    if first.dtype.kind in "iu" and more.dtype.kind in "iu" and np.result_type(first, more).kind == "f":
        first, more = first.astype(object), more.astype(object)
    return np.concatenate([first, more])


def _follows(estimator: Any) -> bool:
    return estimator._follows()


#: Why maps do not follow.
_FOLLOWED = 'maps of kind "lvm" take new rows, and those of distances do not'


class Follows:
    """The state of ``Unfold`` for the rows on its map."""

    ids_: np.ndarray[Any, Any]
    embedding_: np.ndarray[Any, Any]
    sigma_: np.ndarray[Any, Any]
    novelty_local_: np.ndarray[Any, Any]
    novelty_global_: np.ndarray[Any, Any]

    if TYPE_CHECKING:
        id_column: str | None
        kind: str
        metric: str
        n_jobs: int | None
        verbose: bool
        _model: Handle
        _next_id: int
        _point: Any
        _row: Any  # the index of each row's point among the points of the map

        def fit(self, X: Any, y: Any = None, *, ids: Any = None) -> Any: ...
        def _put(self, x: Any, folder: _files.Folder, *, fit: bool) -> Any: ...
        def _place_flags(self) -> list[str]: ...

    @available_if(_follows, _FOLLOWED)
    def partial_fit(self, X: Any, y: Any = None, *, ids: Any = None) -> Any:
        """Add rows and update the map. Existing rows hardly move. The first call fits the map.

        Labels are used in the first call only. Labels of later rows do not change predictions.

        Examples
        --------
        >>> import numpy as np
        >>> from unfold_live import Unfold
        >>> X = np.random.default_rng(1).normal(size=(300, 8))
        >>> model = Unfold().fit(X[:250]).partial_fit(X[250:])
        >>> model.forget(range(100)).embedding_.shape
        (200, 2)
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y, ids=ids)
        with _files.Folder(_files.size_of(X)) as folder, Bars(self.verbose) as progress:
            rows = self._put(X, folder, fit=False)
            check_ids(ids, rows.n)
            self._update([rows.path, *rows.flags, "--map", str(folder.file("map.arrows"))], folder, progress, rows.names)
            self._take(_arrow.read(folder.file("map.arrows")), ids, more=True)
            self._follow(_arrow.read(folder.file("points.arrows")))
        return self

    @available_if(_follows, _FOLLOWED)
    def forget(self, ids: Any) -> Any:
        """Remove rows by id and update the map.

        Raises
        ------
        KeyError
            There is no row with one of the ids.
        ValueError
            Fewer than two points would remain.
        """
        check_is_fitted(self)
        gone = self._rows_of(ids)
        if not len(gone):
            return self
        with _files.Folder(8 * len(gone)) as folder, Bars(self.verbose) as progress:
            path = folder.file("gone.csv")
            path.write_text("point\n" + "\n".join(map(str, self._point[gone])) + "\n")
            self._update(["--forget", str(path)], folder, progress, {str(path): "ids"})
            keep = np.ones(len(self.ids_), dtype=np.bool_)
            keep[gone] = False
            for name in ("ids_", "_point", "embedding_", "sigma_", "novelty_local_", "novelty_global_"):
                setattr(self, name, getattr(self, name)[keep])
            self._follow(_arrow.read(folder.file("points.arrows")))
        return self

    def _follows(self) -> bool:
        """Report whether rows can be added and removed. That requires the kind "lvm" and vectors instead of distances."""
        return self.kind == "lvm" and self.metric != "precomputed" and not callable(self.metric)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def _take(self, at: dict[str, np.ndarray[Any, Any]], ids: Any, *, more: bool = False) -> None:
        """Store the program's results for rows. With ``more`` they are appended to the existing ones."""
        n = len(at["point"])
        if ids is None and "id" in at and self.id_column:
            ids = at["id"]
        if ids is None:
            first = 0 if not more else self._next_id
            ids = np.arange(first, first + n)
        check_ids(ids, n)
        ids = as_ids(ids)
        new = {
            "ids_": ids,
            "_point": at["point"],
            "embedding_": at["embedding"],
            "sigma_": at["sigma"],
            "novelty_local_": at["novelty_local"],
            "novelty_global_": at["novelty_global"],
        }
        for name, values in new.items():
            setattr(self, name, joined(getattr(self, name), values) if more else values)
        self._next_id = (self._next_id if more else 0) + n
        self._row = self._point  # until points are removed, or points of a loaded map are added

    def _update(self, args: list[str], folder: _files.Folder, progress: Any, names: dict[str, str]) -> None:
        model = str(self._model.own())
        points = ["--points", str(folder.file("points.arrows"))]
        self._model.run(["update", model, *args, "-o", model, *points, *self._place_flags()], progress, names)

    def _follow(self, points: dict[str, np.ndarray[Any, Any]]) -> None:
        """Update the positions of all rows from the map's points."""
        row = self._row = np.searchsorted(points["point"], self._point)
        self.embedding_ = points["embedding"][row]
        self.sigma_ = points["sigma"][row]

    def _rows_of(self, ids: Any) -> np.ndarray[Any, Any]:
        """Return the row of each id, the last one if several rows have the id."""
        where = {v: i for i, v in enumerate(self.ids_.tolist())}
        wanted = np.atleast_1d(as_ids(ids)).tolist()
        missing = [v for v in wanted if v not in where]
        if missing:
            raise KeyError(f"no row has the id {missing[0]!r}" + (f", nor have {len(missing) - 1} more" if missing[1:] else ""))
        return np.array([where[v] for v in dict.fromkeys(wanted)], dtype=np.intp)
