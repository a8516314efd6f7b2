"""A reader of the program's Arrow IPC streams that returns NumPy arrays.

It supports the types that occur in maps, so that pyarrow is not needed: numbers, booleans, texts,
times, maps and lists of equal length. The layout is the Arrow columnar format, version 1, with
flatbuffers as metadata. The file is memory-mapped and parsed in place. Ids and labels of a table
keep their types; pyarrow reads files with others, such as categories.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

_SCHEMA, _BATCH = 1, 3
_INT, _FLOAT, _UTF8, _BOOL, _TIMESTAMP, _STRUCT, _FIXED_LIST, _MAP, _LARGE_UTF8 = 2, 3, 5, 6, 10, 13, 16, 17, 20


class _OtherTypeError(Exception):
    """A column has a type that this module does not read. The argument is its name."""


class _Table:
    """A table of a flatbuffer, with fields by number."""

    def __init__(self, buf: memoryview, at: int) -> None:
        self.buf, self.at = buf, at
        vtable = at - struct.unpack_from("<i", buf, at)[0]
        size = struct.unpack_from("<H", buf, vtable)[0]
        self.offsets = struct.unpack_from(f"<{(size - 4) // 2}H", buf, vtable + 4)

    def _where(self, field: int) -> int:
        offset = self.offsets[field] if field < len(self.offsets) else 0
        return self.at + offset if offset else 0

    def has(self, field: int) -> bool:
        return self._where(field) > 0

    def number(self, field: int, form: str, default: int = 0) -> int:
        at = self._where(field)
        return struct.unpack_from("<" + form, self.buf, at)[0] if at else default

    def _follow(self, at: int) -> int:
        return at + struct.unpack_from("<I", self.buf, at)[0]

    def table(self, field: int) -> _Table:
        return _Table(self.buf, self._follow(self._where(field)))

    def text(self, field: int) -> str:
        at = self._where(field)
        if not at:
            return ""
        at = self._follow(at)
        n = struct.unpack_from("<I", self.buf, at)[0]
        return bytes(self.buf[at + 4 : at + 4 + n]).decode()

    def tables(self, field: int) -> list[_Table]:
        at = self._where(field)
        if not at:
            return []
        at = self._follow(at)
        n = struct.unpack_from("<I", self.buf, at)[0]
        return [_Table(self.buf, self._follow(at + 4 + 4 * i)) for i in range(n)]

    def structs(self, field: int) -> list[tuple[int, int]]:
        """Return pairs of 64-bit numbers."""
        at = self._where(field)
        if not at:
            return []
        at = self._follow(at)
        n = struct.unpack_from("<I", self.buf, at)[0]
        return [struct.unpack_from("<qq", self.buf, at + 4 + 16 * i) for i in range(n)]


#: The field of a column with its dictionary, if it has one.
_DICTIONARY = 4


class _Field:
    """A column of a schema."""

    def __init__(self, t: _Table) -> None:
        self.name = t.text(0)
        self.kind = t.number(2, "B")
        self.children = [_Field(c) for c in t.tables(5)]
        self.list_size = 0
        self.dtype: np.dtype[Any] | None = None
        if t.has(_DICTIONARY):
            raise _OtherTypeError(self.name)
        if t.number(2, "B") == _INT:
            of = t.table(3)
            self.dtype = np.dtype(f"<{'i' if of.number(1, '?') else 'u'}{of.number(0, 'i') // 8}")
        elif self.kind == _FLOAT:
            self.dtype = np.dtype(("<f2", "<f4", "<f8")[t.table(3).number(0, "h")])
        elif self.kind == _TIMESTAMP:
            self.dtype = np.dtype(f"<M8[{('s', 'ms', 'us', 'ns')[t.table(3).number(0, 'h')]}]")
        elif self.kind == _FIXED_LIST:
            self.list_size = t.table(3).number(0, "i")
        elif self.kind == _MAP:
            self.children = self.children[0].children  # the fields of the entries
        elif self.kind not in (_UTF8, _LARGE_UTF8, _BOOL, _STRUCT):
            raise _OtherTypeError(self.name)


def _messages(buf: memoryview) -> Iterator[tuple[_Table, int, memoryview]]:
    """Yield the header, its kind and the body of each message."""
    at = 0
    while at + 8 <= len(buf):
        mark, size = struct.unpack_from("<iI", buf, at)
        if mark != -1 or size == 0:
            return
        meta = buf[at + 8 : at + 8 + size]
        message = _Table(meta, struct.unpack_from("<I", meta, 0)[0])
        body = message.number(3, "q")
        at += 8 + size
        yield message.table(2), message.number(1, "B"), buf[at : at + body]
        at += body


class _Parts:
    """The nodes and buffers of a batch, read sequentially."""

    def __init__(self, header: _Table, body: memoryview) -> None:
        self.nodes, self.buffers, self.body = iter(header.structs(1)), iter(header.structs(2)), body

    def buffer(self) -> memoryview:
        offset, length = next(self.buffers)
        return self.body[offset : offset + length]

    def column(self, f: _Field) -> np.ndarray[Any, Any]:
        n, nulls = next(self.nodes)
        valid = self.buffer()
        if f.kind == _FIXED_LIST:
            return self.column(f.children[0]).reshape(n, f.list_size)
        if f.kind == _MAP:
            out = self.maps(f, n)
        elif f.kind in (_UTF8, _LARGE_UTF8):
            ends = np.frombuffer(self.buffer(), "<i8" if f.kind == _LARGE_UTF8 else "<i4")[: n + 1]
            data = bytes(self.buffer())
            out = np.array([data[a:b].decode() for a, b in pairwise(ends)], dtype=object)
            out = out if n else np.empty(0, dtype=object)
        elif f.kind == _BOOL:
            out = _bits(self.buffer(), n)
        else:
            out = np.frombuffer(self.buffer(), f.dtype, n)
        if nulls:
            missing = ~_bits(valid, n)
            if out.dtype.kind == "M":
                out = out.copy()
                out[missing] = np.datetime64("NaT")
                return out
            out = out.astype(object if out.dtype.kind in "Ob" else np.result_type(out.dtype, np.float32))
            out[missing] = None if out.dtype == object else np.nan
        return out

    def maps(self, f: _Field, n: int) -> np.ndarray[Any, Any]:
        ends = np.frombuffer(self.buffer(), "<i4")[: n + 1]
        next(self.nodes), self.buffer()  # of the entries
        keys, values = (self.column(c).tolist() for c in f.children)
        out = np.empty(n, dtype=object)
        out[:] = [dict(zip(keys[a:b], values[a:b], strict=True)) for a, b in pairwise(ends)]
        return out


def _bits(buf: memoryview, n: int) -> np.ndarray[Any, Any]:
    return np.unpackbits(np.frombuffer(buf, np.uint8), count=n, bitorder="little").astype(bool)


def read(path: str | Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return the columns of an Arrow IPC stream in a file by name.

    Parameters
    ----------
    path : str or Path
        The file. It may be removed afterwards: the arrays are copies.

    Returns
    -------
    dict of ndarray
        Lists of equal length have the shape (rows, length). Maps are dicts. Missing numbers are NaN, and
        other missing values are None.

    Raises
    ------
    ValueError
        A column has a type that needs pyarrow, which is not installed.
    """
    with open(path, "rb") as f:
        mapped = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        return _columns(memoryview(mapped))
    except _OtherTypeError as e:
        column = str(e)
    return _by_pyarrow(path, column)


def _by_pyarrow(path: str | Path, column: str) -> dict[str, np.ndarray[Any, Any]]:
    try:
        import pyarrow as pa
    except ImportError:
        raise ValueError(
            f"the column {column!r} has a type that needs pyarrow: pip install pyarrow, or make it numbers or texts"
        ) from None
    with pa.OSFile(str(path)) as f, pa.ipc.open_stream(f) as reader:
        return {name: _plain(pa, column) for name, column in zip(reader.schema.names, reader.read_all().columns, strict=True)}


def _plain(pa: Any, column: Any) -> np.ndarray[Any, Any]:
    """Return a column of pyarrow as an array, (n, length) for lists of equal length."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_fixed_size_list(column.type):
        return column.combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(len(column), column.type.list_size)
    if pa.types.is_map(column.type):
        out = np.empty(len(column), dtype=object)
        out[:] = [None if row is None else dict(row) for row in column.to_pylist()]
        return out
    return column.to_numpy(zero_copy_only=False)


def _columns(view: memoryview) -> dict[str, np.ndarray[Any, Any]]:
    fields: list[_Field] = []
    parts: list[list[np.ndarray[Any, Any]]] = []
    for header, kind, body in _messages(view):
        if kind == _SCHEMA:
            fields = [_Field(t) for t in header.tables(1)]
            parts = [[] for _ in fields]
        elif kind == _BATCH:
            batch = _Parts(header, body)
            for f, into in zip(fields, parts, strict=True):
                into.append(batch.column(f))
    out = {f.name: np.concatenate(p) if p else _nothing(f) for f, p in zip(fields, parts, strict=True)}
    parts.clear()
    return out


def _nothing(f: _Field) -> np.ndarray[Any, Any]:
    if f.kind == _FIXED_LIST:
        return np.empty((0, f.list_size), f.children[0].dtype)
    objects = (_UTF8, _LARGE_UTF8, _MAP)
    return np.empty(0, object if f.kind in objects else bool if f.kind == _BOOL else f.dtype)
