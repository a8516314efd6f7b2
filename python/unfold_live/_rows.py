"""Rows of any kind as files and flags of the program."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import _files, _forms
from ._base import check_rows
from ._graph import Edges


@dataclass
class Rows:
    """Rows that the program reads.

    Attributes
    ----------
    path : str
        The file.
    flags : list of str
        What a fit says of its columns.
    plain : bool
        Whether it is an array, whose elements have no names.
    n : int or None
        How many there are, if that is known.
    names : dict of str
        What errors call the file.
    graph : bool
        Whether it holds distances from rows of the map, rather than rows.
    edges : Edges or None
        These distances, if they were given as an array.
    """

    path: str
    flags: list[str] = field(default_factory=list)
    plain: bool = True
    n: int | None = None
    names: dict[str, str] = field(default_factory=dict)
    graph: bool = False
    edges: Edges | None = None

    @property
    def source(self) -> list[str]:
        """What ``fit`` and ``embed`` are given."""
        return ["--graph", self.path] if self.graph else [self.path]


def _numeric(x: Any) -> bool:
    """Report whether a data frame holds numbers alone, so that it is as good as an array."""
    dtypes = getattr(x, "dtypes", None)
    if dtypes is None:
        return False
    if hasattr(x, "iloc"):
        return all(getattr(d, "kind", "O") in "fiub" for d in dtypes)
    numeric = getattr(x, "select_dtypes", None)
    return numeric is None and all(getattr(d, "is_numeric", lambda: False)() for d in dtypes)


def is_table(x: Any, columns: Any) -> bool:
    """Report whether rows go as a table with columns of their own, or as a file, rather than as an array."""
    if _files.is_file(x):
        return True
    if _files.is_sparse(x) or isinstance(x, np.ndarray):
        return False
    if hasattr(x, "iloc") and hasattr(x, "dtypes"):
        return columns is not None or not _numeric(x)
    return _files.is_arrow(x) and (columns is not None or not _numeric(x))


def escaped(name: str) -> str:
    """Return a column's name as ``--columns`` takes it: separators, patterns and the sign of exclusion as they are."""
    return "".join("\\" + c if c in "\\,:" else c for c in name)


def _unmasked(x: Any) -> Any:
    """Return a masked array as a plain one, NaN where it is masked."""
    if not np.ma.is_masked(x):
        return np.ma.getdata(x)
    return x.astype(np.result_type(x.dtype, np.float32)).filled(np.nan)


def rows_of(x: Any) -> Any:
    """Return rows as what the rest of this module knows: a column of vectors as a table, what has only DLPack as an array.

    Dask's arrays and frames are computed; what a masked array hides is NaN.

    Raises
    ------
    ValueError
        They are a plan of rows, such as polars' lazy frames, or several arrays, rather than rows.
    """
    if isinstance(x, np.ma.MaskedArray):
        return _unmasked(x)
    if _files.is_file(x) or _files.is_sparse(x) or isinstance(x, np.ndarray | list | tuple):
        return x
    if hasattr(x, "dask") and hasattr(x, "compute"):
        return rows_of(x.compute())
    if hasattr(x, "data_vars"):
        names = ", ".join(map(str, x.data_vars))
        raise ValueError(
            f"X is a {type(x).__name__} of xarray's, which holds several arrays: give one, {names}, or X.to_dataframe()"
        )
    if hasattr(x, "dims") and hasattr(x, "coords"):  # xarray's, which Arrow would get as a long table
        return rows_of(np.asarray(x))
    if hasattr(x, "collect") and not hasattr(x, "__len__"):
        raise ValueError(
            f"X is a {type(x).__name__}, whose rows are not there yet: give X.collect(), and frames of Spark to unfold_live.spark"
        )
    if _files.is_column(x):
        return _files.vectors(x)
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
        return np.from_dlpack(x)
    return x


def _column_flags(columns: Any, schema: Any, aside: set[str]) -> list[str]:
    """Return which columns of a table form the vector: those named, else its list of numbers, else all."""
    if columns is not None:
        return ["--columns=" + (columns if isinstance(columns, str) else ",".join(_spec(c, schema) for c in columns))]
    if schema is None or any(f.type.num_fields for f in schema):
        return []
    return ["--columns=" + ",".join(escaped(f.name) for f in schema if f.name not in aside)]


def _spec(column: str, schema: Any) -> str:
    """Return an item of a list of columns. One that is the whole name of a column has no options."""
    if schema is None or "\\" in column:
        return column
    return escaped(column) if column in schema.names else column.replace(",", "\\,")


def put(
    estimator: Any,
    x: Any,
    folder: _files.Folder,
    *,
    fit: bool,
    columns: Any = None,
    aside: set[str] = frozenset(),  # type: ignore[assignment]
    allow_nan: bool = False,
    least: int = 1,
    name: str = "x",
    metric: str = "euclidean",
) -> Rows:
    """Write rows to files and return what the program is given.

    Parameters
    ----------
    estimator : object
        Whose rows they are: its ``n_features_in_`` is set, or checked.
    x : array, sparse matrix, table or path
        The rows.
    folder : Folder
        Where files go.
    fit : bool
        Whether they are fitted; else they are placed on what was.
    columns : str or list of str, optional
        Columns of a table that form the vector, as the program's ``--columns`` takes them.
    aside : set of str
        Columns of a table that form no vector: ids and labels.
    allow_nan : bool
        Whether values may be missing.
    least : int
        Fewest rows.
    name : str
        Of the file.
    metric : str
        The distance between rows. Some metrics take columns of a table, as which arrays are written then.
    """
    x = rows_of(x)
    if fit:
        estimator._form = None
    named = not fit and getattr(estimator, "_table", False)
    if is_table(x, True if named else columns if columns is not None else aside or None):
        return _put_table(estimator, x, folder, fit, columns, aside, name)
    if named and getattr(estimator, "_form", None) is None:
        raise ValueError("the map was fitted to a table with columns of its own; give a table with the same columns")
    whole = _files.mapped_file(x)
    checked = check_rows(estimator, x, reset=fit, allow_nan=allow_nan, least=least)
    if fit:
        estimator._form = _forms.form_of(metric, checked)
    form = getattr(estimator, "_form", None)
    if form is not None:
        path, flags = _forms.write(folder.file(name + ".csv"), form, checked)
        return Rows(str(path), flags if fit else [], n=checked.shape[0], names={str(path): "X"})
    path = whole if whole is not None else _files.write_array(folder.file(name + ".npy"), checked)
    return Rows(str(path), n=checked.shape[0], names={str(path): "X"})


def _put_table(estimator: Any, x: Any, folder: _files.Folder, fit: bool, columns: Any, aside: set[str], name: str) -> Rows:
    if _files.is_file(x):
        return Rows(os.fspath(x), _column_flags(columns, None, aside) if fit else [], plain=False)
    path: Path = folder.file(name + ".arrows")
    schema, n = _files.write_table(path, x)
    index = _files.index_of(schema)
    flags = _column_flags(columns, schema, aside | index) if fit else []
    if fit:
        names = [c for c in schema.names if c not in index]
        estimator.n_features_in_ = len(names)
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    return Rows(str(path), flags, plain=False, n=n, names={str(path): "X"})
