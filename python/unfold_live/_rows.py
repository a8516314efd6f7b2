"""Conversion of rows of any type to files and flags of the program."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import _files, _forms
from ._base import check_rows, numbers, texts_problem
from ._errors import warn
from ._graph import Edges


@dataclass
class Rows:
    """Rows that were written for the program.

    Attributes
    ----------
    path : str
        The file.
    flags : list of str
        Flags for its columns, of a fit or of a placement.
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
    values : array, sparse matrix or None
        The rows as numbers, if they were given so.
    copies : ndarray or None
        For placed rows, if their distances were given: the first fitted row at distance 0, -1 for none.
    """

    path: str
    flags: list[str] = field(default_factory=list)
    plain: bool = True
    n: int | None = None
    names: dict[str, str] = field(default_factory=dict)
    graph: bool = False
    edges: Edges | None = None
    values: Any = None
    copies: Any = None

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

#: Metrics of values that are not negative.
_POSITIVE = ("hellinger", "braycurtis", "precomputed")

#: Metrics of sets, categories or degrees. scikit-learn's checks have numbers that are none, and no tag says so.
_OTHER_VALUES = ("hamming", "jaccard", "dice", "rogerstanimoto", "sokalsneath", "haversine")


def tag(tags: Any, metric: Any) -> None:
    """Set scikit-learn's tags of the rows that a metric takes."""
    tags.input_tags.sparse = metric != "haversine"
    tags.input_tags.pairwise = metric == "precomputed"
    tags.input_tags.positive_only = metric in _POSITIVE
    tags._skip_test = metric in _OTHER_VALUES


def rows_of(x: Any) -> Any:
    """Convert rows to types that this module supports.

    A column of vectors becomes a table, and an object with only DLPack becomes an array. Dask arrays
    and frames are computed. Masked values become NaN.

    Raises
    ------
    ValueError
        The object is not a collection of rows, for example a lazy frame of polars or a set of arrays.
    """
    _check_kind(x)
    if isinstance(x, np.ma.MaskedArray):
        return _unmasked(x)
    if _files.is_sparse(x):
        return x.tocsr()
    if isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.dtype.itemsize > 8:
        return x.astype(np.float64)
    if _files.is_file(x) or isinstance(x, np.ndarray | list | tuple):
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
    return _without_na(x)


def _check_kind(x: Any) -> None:
    """Raise ``ValueError`` for objects that are no rows, with the way to make them rows."""
    first = x[0] if isinstance(x, list | tuple) and len(x) else None
    if x is None:
        raise ValueError("X is None, and not rows of 2 dimensions: give an array, a table or the path of a file")
    if (isinstance(x, dict) and not _files.is_sparse(x)) or isinstance(first, dict):
        raise ValueError(f"X is {'a dict' if isinstance(x, dict) else 'a list of dicts'}: give a data frame, pandas.DataFrame(X)")
    if isinstance(x, Iterator) and not _files.is_arrow(x):
        raise ValueError(f"X is a {type(x).__name__}, which can be read only once: give list(X)")
    if isinstance(x, np.ndarray) and x.dtype.names is not None:
        raise ValueError("X is a structured array: give pandas.DataFrame(X), whose columns have its names")
    if isinstance(first, str) or (isinstance(x, np.ndarray) and x.dtype.kind in "UST" and x.size):
        raise ValueError(texts_problem(first if isinstance(first, str) else x.flat[0]))
    if isinstance(first, list | tuple):
        for i, row in enumerate(x):
            if hasattr(row, "__len__") and len(row) != len(first):
                raise ValueError(f"X[{i}] has {len(row)} values, and X[0] has {len(first)}: all rows have the same columns")
    if hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] not in _HOST:
        raise ValueError(f"X is a {type(x).__name__} in the memory of a GPU: copy it, by X.cpu() or X.get()")


#: The devices of DLPack whose memory the processor reads: its own, and that pinned for CUDA and ROCm.
_HOST = (1, 3, 11)


def _without_na(x: Any) -> Any:
    """Return a pandas frame of numbers with NaN instead of NA, and without sparse columns. Others are unchanged.

    Decimals of polars, which NumPy would hold as objects, become doubles.
    """
    if type(x).__module__.startswith("polars.") and _numeric(x):
        import polars as pl

        return x.with_columns(pl.col(pl.Decimal).cast(pl.Float64)) if any(d == pl.Decimal for d in x.dtypes) else x
    if not (hasattr(x, "iloc") and hasattr(x, "dtypes") and hasattr(x, "columns") and _numeric(x)):
        return x
    own = [k for k, d in enumerate(x.dtypes) if not isinstance(d, np.dtype)]
    if any(hasattr(x.dtypes.iloc[k], "subtype") or x.iloc[:, k].hasnans for k in own):
        return x.astype(np.float64)
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
    own = "" if fit or getattr(estimator, "_form", None) is not None else _own_vector(estimator)
    if own and not is_table(x, None):  # the program checks the length
        x = numbers(estimator, x, allow_nan, least)
        path = _files.write_array(folder.file(name + ".npy"), x)
        return Rows(str(path), ["--vector=" + ARRAY], n=x.shape[0], names={str(path): "X"})
    named = not fit and getattr(estimator, "_table", False)
    if is_table(x, True if named else columns if columns is not None else aside or None):
        return _put_table(estimator, x, folder, fit, columns, aside, name)
    if named and getattr(estimator, "_form", None) is None:
        raise ValueError("the map was fitted to a table with columns of its own; give a table with the same columns")
    if fit and columns is not None:
        raise ValueError(f"columns={columns!r} names columns of a table, and X is an array: give X[:, [...]] or a data frame")
    if fit and aside:
        raise ValueError(f"id_column={min(aside)!r} is a column of a table, and X is an array: give fit(X, ids=...)")
    whole = _files.mapped_file(x)
    checked = check_rows(estimator, x, reset=fit, allow_nan=allow_nan, least=least)
    if fit:
        _warn_of_ids(x, checked)
        if metric in _DIRECTIONS and checked.shape[1] == 1:
            raise ValueError(f"X has 1 feature(s), and metric={metric!r} compares directions: give at least 2")
        estimator._form = _forms.form_of(metric, checked)
    form = getattr(estimator, "_form", None)
    if form is not None:
        path, flags = _forms.write(folder.file(name + ".csv"), form, checked)
        return Rows(str(path), flags if fit else [], n=checked.shape[0], names={str(path): "X"}, values=checked)
    path = whole if whole is not None else _files.write_array(folder.file(name + ".npy"), checked)
    return Rows(str(path), n=checked.shape[0], names={str(path): "X"}, values=checked)


def _warn_of_ids(x: Any, checked: Any) -> None:
    """Warn of a column of a frame that is an id by its name and values: as in scikit-learn, every column is a feature."""
    names = [str(name) for name in getattr(x, "columns", [])]
    if not isinstance(checked, np.ndarray) or len(names) != checked.shape[1] or len(checked) < 2:
        return
    for k, name in enumerate(names):
        if _says_id(name):
            values = checked[:, k]
            if np.all(values == np.floor(values)) and len(np.unique(values)) == len(values):
                warn(
                    f'column "{name}" has another whole number in every row, and is part of the vectors: '
                    f'if it only names the rows, leave it out, as in X.drop(columns="{name}")'
                )


def _says_id(name: str) -> bool:
    """Report whether a name is typical of numbers that identify rows. The program has the same rule for files."""
    plain = name.lower()
    return plain in _IDS or plain.endswith(("_id", "-id", " id")) or name.endswith(("Id", "ID"))


_IDS = ("id", "index", "idx", "key", "row", "rowid", "row_id", "rownum", "no", "nr", "uuid")

#: The name of the vectors of an array.
ARRAY = "vector"


def _own_vector(estimator: Any) -> str:
    """Return the column of vectors that the map was learnt from, "" if it was learnt from an array, or from other columns."""
    name = getattr(estimator, "_vector_column", str)()
    return name if getattr(estimator, "_table", False) or name != ARRAY else ""


def _other_vector(estimator: Any, schema: Any) -> list[str]:
    """Return the flag that names the only column of lists, if the map was learnt from vectors of another name."""
    name = getattr(estimator, "_vector_column", str)()
    lists = [f.name for f in schema if f.type.num_fields == 1]
    return ["--vector=" + lists[0]] if name and name not in schema.names and len(lists) == 1 else []


def _put_table(estimator: Any, x: Any, folder: _files.Folder, fit: bool, columns: Any, aside: set[str], name: str) -> Rows:
    if _files.is_file(x):
        return Rows(os.fspath(x), _column_flags(columns, None, aside) if fit else [], plain=False)
    path: Path = folder.file(name + ".arrows")
    schema, n = _files.write_table(path, x)
    index = _files.index_of(schema)
    flags = _column_flags(columns, schema, aside | index) if fit else _other_vector(estimator, schema)
    if fit:
        names = [c for c in schema.names if c not in index]
        estimator.n_features_in_ = len(names)
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    return Rows(str(path), flags, plain=False, n=n, names={str(path): "X"})
