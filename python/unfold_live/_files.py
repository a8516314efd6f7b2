"""Rows as files that the program reads: in memory, where the system has files there."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np

#: Where files live in memory.
_SHM = Path("/dev/shm")

#: How many bytes are copied at a time, so that no second copy of the rows is made.
_BLOCK = 8 << 20


class Folder:
    """A temporary folder, removed with the object that holds it.

    Parameters
    ----------
    size : int
        About how many bytes it will hold. It is in memory if that has room for twice as many,
        else on disk.
    """

    def __init__(self, size: int = 0) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="unfold-", dir=_parent(size)))
        self._end = weakref.finalize(self, _remove, str(self.path), os.getpid())

    def file(self, name: str) -> Path:
        """Return the path of a file in it."""
        return self.path / name

    def close(self) -> None:
        """Remove it."""
        self._end()

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _remove(path: str, owner: int) -> None:
    if os.getpid() == owner:  # a fork's copy leaves its parent's folder alone
        shutil.rmtree(path, ignore_errors=True)


def _parent(size: int) -> str | None:
    if _SHM.is_dir() and os.access(_SHM, os.W_OK) and shutil.disk_usage(_SHM).free > 2 * size + (16 << 20):
        return str(_SHM)
    return None


def is_file(x: Any) -> bool:
    """Report whether rows are given as the path of a file."""
    return isinstance(x, str | os.PathLike)


def is_sparse(x: Any) -> bool:
    """Report whether rows are a sparse matrix of SciPy's."""
    return hasattr(x, "tocsr") and hasattr(x, "nnz")


def is_arrow(x: Any) -> bool:
    """Report whether rows come by the Arrow PyCapsule interface."""
    return hasattr(x, "__arrow_c_stream__")


def size_of(x: Any) -> int:
    """Return about how many bytes rows take as a file."""
    if is_sparse(x):
        return 12 * x.nnz + 8 * x.shape[0]
    return int(getattr(x, "nbytes", 0) or 0)


def mapped_file(x: Any) -> Path | None:
    """Return the .npy file that an array is the whole of, mapped; None if there is none."""
    name = getattr(x, "filename", None)
    if not isinstance(x, np.memmap) or name is None or not x.flags.c_contiguous:
        return None
    try:
        with open(name, "rb") as f:
            if np.lib.format.read_magic(f) != (1, 0):
                return None
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(f)
            if f.tell() != x.offset:
                return None
    except (OSError, ValueError):
        return None
    # Of another shape or type it is a part, or a view.
    return Path(name) if (shape, fortran, dtype) == (x.shape, False, x.dtype) else None


def write_array(path: Path, x: Any) -> Path:
    """Write an array as a .npy file, or a sparse matrix as SciPy's .npz beside it, and return the file's path.

    Rows are written block by block: nothing as large as the array is made. What is mapped
    from a .npy file already is not written; its own path comes back.
    """
    if is_sparse(x):
        return _write_sparse(path.with_suffix(".npz"), x)
    own = mapped_file(x)
    if own is not None:
        return own
    with open(path, "wb", buffering=0) as f:
        np.lib.format.write_array_header_1_0(
            f, {"descr": np.lib.format.dtype_to_descr(x.dtype), "fortran_order": False, "shape": x.shape}
        )
        if x.flags.c_contiguous:
            _write_all(f, _bytes(x))
            return path
        width = int(np.prod(x.shape[1:], dtype=np.int64)) * x.dtype.itemsize
        step = max(1, _BLOCK // max(1, width))
        for i in range(0, x.shape[0], step):
            _write_all(f, _bytes(np.ascontiguousarray(x[i : i + step])))
    return path


def _write_sparse(path: Path, x: Any) -> Path:
    import scipy.sparse

    scipy.sparse.save_npz(path, x.tocsr(), compressed=False)
    return path


def read_array(path: Path) -> Any:
    """Read what write_array wrote: an array, or a sparse matrix."""
    if path.suffix != ".npz":
        return np.load(path)
    import scipy.sparse

    return scipy.sparse.load_npz(path)


def _bytes(x: Any) -> memoryview:
    """Return the memory of an array that is whole, of whatever type and byte order."""
    return memoryview(x.reshape(-1).view(np.uint8))


def _write_all(f: Any, view: memoryview) -> None:
    while view:
        view = view[f.write(view[:_BLOCK]) :]


def write_texts(path: Path, values: list[str]) -> Path:
    """Write texts, a column, as a .npy file."""
    np.save(path, np.array(values, dtype=np.str_) if any(values) else np.array([" "] * len(values)))
    return path


def write_table(path: Path, x: Any) -> Path:
    """Write rows that come by the Arrow PyCapsule interface as an Arrow stream, batch by batch."""
    try:
        import pyarrow as pa
    except ImportError:
        raise ValueError(
            "a table with columns of several kinds needs pyarrow: pip install pyarrow, or give an array of numbers, or a file"
        ) from None
    with pa.RecordBatchReader.from_stream(x) as reader, pa.OSFile(str(path), "wb") as f:
        with pa.ipc.new_stream(f, _plain(pa, reader.schema)) as out:
            for batch in reader:
                out.write_batch(batch.cast(out_schema) if (out_schema := _plain(pa, batch.schema)) != batch.schema else batch)
    return path


def _plain(pa: Any, schema: Any) -> Any:
    """Return the schema with views as plain columns: the program reads the older layouts."""
    types = {
        "string_view": pa.large_string(),
        "binary_view": pa.large_binary(),
    }
    fields = [f.with_type(types[str(f.type)]) if str(f.type) in types else f for f in schema]
    return pa.schema(fields, metadata=schema.metadata)
