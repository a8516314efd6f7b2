"""Conversion of arrays for metrics that need columns of a table: categories, or latitudes and longitudes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import _files
from ._errors import warn

#: Names of the columns. The model file contains those of codes, so that ``form_of_model`` can recognise the form.
_CODE, _DEGREES = "x{}", ("latitude", "longitude")

#: The name of an element of a column of codes in models: the column and the category, or "?" for others.
_ELEMENT = re.compile(r"x(\d+)=(?:v-?\d+|\?)$")


class Form(NamedTuple):
    """The table form of an array. ``kind`` is "codes" or "degrees", ``most`` the maximum number of categories of a column."""

    kind: str
    most: int = 0


def form_of(metric: str, x: Any) -> Form | None:
    """Return the form of the rows of a fit, or None if they are written as an array.

    Raises
    ------
    ValueError
        The metric is haversine, and rows are not pairs of degrees.
    """
    if metric == "haversine":
        _check_degrees(x)
        return Form("degrees")
    if metric != "hamming" or x.dtype.kind not in "fiu":
        return None
    values = x.data if _files.is_sparse(x) else x
    if ((values == 0) | (values == 1)).all() or (values.dtype.kind == "f" and not (values == np.floor(values)).all()):
        return None
    x = _dense(x)
    return Form("codes", max(len(np.unique(x[:, k])) for k in range(x.shape[1])))


def _check_degrees(x: Any) -> None:
    if x.shape[1] != 2:
        raise ValueError(f"X has {x.shape[1]} columns; the metric haversine takes two, latitude and longitude in degrees")
    x = _dense(x)
    low, high = x.min(axis=0), x.max(axis=0)
    if low[0] < -90 or high[0] > 90:
        raise ValueError(f"X has latitudes from {low[0]:g} to {high[0]:g}; the metric haversine takes degrees: latitude, longitude")
    if (np.abs([low, high]) <= (np.pi / 2, np.pi)).all():
        warn("all latitudes and longitudes lie within 3.2 degrees of 0: if X is in radians give np.degrees(X)")


def write(path: Path, form: Form, x: Any) -> tuple[Path, list[str]]:
    """Write rows as a table and return its path and the flags of a fit."""
    x = _dense(x)
    if form.kind == "degrees":
        names, rows, style = list(_DEGREES), x, "%.17g"
    else:
        names, rows, style = [_CODE.format(k) for k in range(x.shape[1])], x.astype(np.int64), "v%d"
    np.savetxt(path, rows, fmt=style, delimiter=",", header=",".join(names), comments="")
    flags = ["--columns=" + ",".join(names)]
    return path, [*flags, f"--vocabulary={form.most}"] if form.most else flags


def form_of_model(metric: str, elements: list[str]) -> tuple[Form, int] | None:
    """Return the form of arrays for a model file and their number of columns, or None if the model needs no form.

    The file does not contain the names of latitude and longitude, so the names that ``write`` uses are assumed.
    """
    if metric == "haversine":
        return Form("degrees"), 2
    found = [_ELEMENT.match(e) for e in elements]
    if metric != "hamming" or not found or not all(found):
        return None
    return Form("codes"), len({m[1] for m in found if m})


def _dense(x: Any) -> np.ndarray[Any, Any]:
    return x.toarray() if _files.is_sparse(x) else np.asarray(x)
