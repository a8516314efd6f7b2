"""Conversion of rows of any type to files and flags of the program."""

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
    """Rows that were written for the program.

    Attributes
    ----------
    path : str
        The file.
    flags : list of str
        Flags of a fit for its columns.
    plain : bool
        Whether it is an array, whose elements have no names.
    n : int or None
        The number of rows, if known.
    names : dict of str
        The name of the file in errors, by path.
    graph : bool
        Whether it contains distances from rows of the map instead of rows.
    edges : Edges or None
        The distances, if they were given as an array.
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
        """The input arguments for ``fit`` and ``embed``."""
        return ["--graph", self.path] if self.graph else [self.path]


def _numeric(x: Any) -> bool:
    """Report whether a data frame contains only numbers, so that it can be written as an array."""
    dtypes = getattr(x, "dtypes", None)
    if dtypes is None:
        return False
    if hasattr(x, "iloc"):
        return all(getattr(d, "kind", "O") in "fiub" for d in dtypes)
    numeric = getattr(x, "select_dtypes", None)
    return numeric is None and all(getattr(d, "is_numeric", lambda: False)() for d in dtypes)


def is_table(x: Any, columns: Any) -> bool:
    """Report whether rows are a table with its own columns, or a file, instead of an array."""
    if _files.is_file(x):
        return True
    if _files.is_sparse(x) or isinstance(x, np.ndarray):
        return False
    if hasattr(x, "iloc") and hasattr(x, "dtypes"):
        return columns is not None or not _numeric(x)
    return _files.is_arrow(x) and (columns is not None or not _numeric(x))


def _check_names(x: Any) -> None:
    """Raise ``ValueError`` if two columns of a data frame have the same name."""
    if not hasattr(x, "iloc") or getattr(x, "columns", None) is None or x.columns.is_unique:
        return
    twice = x.columns[x.columns.duplicated()][0]
    raise ValueError(f"X has two columns named {twice!r}: rename one, or give X.to_numpy()")


def escaped(name: str) -> str:
    """Escape separators, patterns and the exclusion sign in a column's name for ``--columns``."""
    return "".join("\\" + c if c in "\\,:" else c for c in name)


def _unmasked(x: Any) -> Any:
    """Return a masked array as a plain array with NaN for masked values."""
    if not np.ma.is_masked(x):
        return np.ma.getdata(x)
    return x.astype(np.result_type(x.dtype, np.float32)).filled(np.nan)


#: Metrics of directions, which a single column does not have.
_DIRECTIONS = ("cosine", "correlation", "hellinger")


def tag(tags: Any, metric: Any) -> None:
    """Set scikit-learn's tags of the rows that a metric takes."""
    tags.input_tags.sparse = metric != "haversine"
    tags.input_tags.pairwise = metric == "precomputed"
    tags.input_tags.positive_only = metric == "hellinger"


def rows_of(x: Any) -> Any:
    """Convert rows to types that this module supports.

    A column of vectors becomes a table, and an object with only DLPack becomes an array. Dask arrays
    and frames are computed. Masked values become NaN.

    Raises
    ------
    ValueError
        The object is not a collection of rows, for example a lazy frame of polars or a set of arrays.
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
    if hasattr(x, "dims") and hasattr(x, "coords"):  # xarray, which the Arrow interface would return as a long table
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
    """Return the flags for the columns that form the vector: the named ones, or all if all are numbers.

    Otherwise the program decides, as for a file: the only list of numbers, or columns by their values.
    """
    if columns is not None:
        return ["--columns=" + (columns if isinstance(columns, str) else ",".join(_spec(c, schema) for c in columns))]
    own = [] if schema is None else [f for f in schema if f.name not in aside]
    if not own or not all(_is_number(f.type) for f in own):
        return []
    return ["--columns=" + ",".join(escaped(f.name) for f in own)]


def _is_number(t: Any) -> bool:
    """Report whether a type of pyarrow is one of numbers or booleans."""
    import pyarrow as pa

    return pa.types.is_integer(t) or pa.types.is_floating(t) or pa.types.is_boolean(t)


def _spec(column: str, schema: Any) -> str:
    """Return an item of a list of columns, escaped if it equals the name of a column and so has no options."""
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
    """Write rows to files and return them as input for the program.

    Parameters
    ----------
    estimator : object
        The estimator, whose ``n_features_in_`` is set or checked.
    x : array, sparse matrix, table or path
        The rows.
    folder : Folder
        The folder for files.
    fit : bool
        Whether the rows are fitted. Otherwise they are placed on the fitted map.
    columns : str or list of str, optional
        Columns of a table that form the vector, in the syntax of the program's ``--columns``.
    aside : set of str
        Columns of a table that are not part of the vector: ids and labels.
    allow_nan : bool
        Whether values may be missing.
    least : int
        The minimum number of rows.
    name : str
        The name of the file.
    metric : str
        The distance between rows. For metrics that need columns of a table, arrays are written as tables.
    """
    x = rows_of(x)
    _check_names(x)
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
        if metric in _DIRECTIONS and checked.shape[1] == 1:
            raise ValueError(f"X has 1 feature(s), and metric={metric!r} compares directions: give at least 2")
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
