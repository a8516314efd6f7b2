"""Files with rows for the program, in memory if the system supports it."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import stat
import tempfile
import weakref
from pathlib import Path
from typing import IO, Any

import numpy as np

try:
    import fcntl
except ImportError:  # Windows: folders of a killed process are not removed
    fcntl = None  # type: ignore[assignment]

#: The file system in memory.
_SHM = Path("/dev/shm")

#: Bytes copied at a time, to avoid a second copy of the rows.
_BLOCK = 8 << 20

#: The prefix of folder names, the file in each folder that its process locks, and the content of that file.
_PREFIX, _LOCK, _MARK = "unfold-", ".lock", b"a scratch folder of unfold-live\n"


class Folder:
    """A temporary folder that is removed when this object is deleted.

    If the process is killed, the folder is removed by the next process that creates one in the same place.

    Parameters
    ----------
    size : int or None
        The approximate size of its files in bytes. The folder is in memory if twice as many bytes are free there,
        otherwise on disk. None means unknown, and uses the disk.
    """

    def __init__(self, size: int | None = 0) -> None:
        parent = _own(_parent(size))
        self.owner = os.getpid()
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        self._lock = _locked(self.path)
        self._end = weakref.finalize(self, _remove, str(self.path), self._lock, self.owner)

    def file(self, name: str) -> Path:
        """Return the path of a file in the folder."""
        return self.path / name

    def close(self) -> None:
        """Remove the folder."""
        self._end()

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _remove(path: str, lock: IO[bytes] | None, owner: int) -> None:
    if os.getpid() == owner:  # a forked process must not remove its parent's folder
        shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        lock.close()


def _parent(size: int | None) -> str:
    if size is not None and _SHM.is_dir() and os.access(_SHM, os.W_OK) and shutil.disk_usage(_SHM).free > 2 * size + (16 << 20):
        return str(_SHM)
    return tempfile.gettempdir()


def _own(parent: str) -> str:
    """Return this user's private folder without abandoned folders, or the parent if it cannot be created.

    Any user may write to the parent, so a name alone does not prove that a folder belongs to this user.
    """
    if not hasattr(os, "getuid"):  # Windows: the parent already belongs to the user
        return parent
    own = os.path.join(parent, f"{_PREFIX}{os.getuid()}")
    with contextlib.suppress(FileExistsError):
        os.mkdir(own, 0o700)
    if not _is_private(own):
        return parent  # it belongs to another user; a random name in the parent is safe, too
    _sweep(own)
    return own


def _is_private(folder: str) -> bool:
    """Report whether a path is a folder (not a link) that belongs to this user and that no other user may write to."""
    try:
        info = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(info.st_mode) and info.st_uid == os.getuid() and info.st_mode & 0o077 == 0


def _locked(folder: Path) -> IO[bytes] | None:
    """Create a file in a folder that stays locked until this process and its forks end."""
    if fcntl is None:
        return None
    lock = open(folder / (_LOCK + "-new"), "wb", buffering=0)  # noqa: SIM115 - as long as the folder
    fcntl.flock(lock, fcntl.LOCK_EX)
    lock.write(_MARK)
    # Renaming after locking ensures that other processes only find a locked file.
    os.rename(lock.name, folder / _LOCK)
    return lock


@functools.cache
def _sweep(own: str) -> None:
    """Remove folders of killed processes, once per process. The system has released their locks."""
    if fcntl is None:
        return
    for path in Path(own).glob(_PREFIX + "*"):
        # Ignore folders that have just been removed, or were not created by _locked.
        with contextlib.suppress(OSError):
            if _is_abandoned(path):
                shutil.rmtree(path, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    """Report whether a folder belongs to this user, was marked by _locked, and is not locked by a process."""
    if not _is_private(str(folder)):
        return False
    # Do not block on a named pipe without a writer, and do not follow a link.
    number = os.open(folder / _LOCK, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(number, "rb") as lock:
        info = os.fstat(number)
        if not stat.S_ISREG(info.st_mode) or info.st_uid != os.getuid() or lock.read(len(_MARK) + 1) != _MARK:
            return False
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return True


def is_file(x: Any) -> bool:
    """Report whether rows are given as a path."""
    return isinstance(x, str | os.PathLike)


def is_sparse(x: Any) -> bool:
    """Report whether rows are a sparse matrix of SciPy."""
    return hasattr(x, "tocsr") and hasattr(x, "nnz")


def is_arrow(x: Any) -> bool:
    """Report whether rows support the Arrow PyCapsule interface."""
    return hasattr(x, "__arrow_c_stream__")


def is_column(x: Any) -> bool:
    """Report whether rows are a column of pyarrow, polars or pandas instead of a table."""
    if hasattr(x, "iloc"):  # before pandas 3 a series has no Arrow interface
        return not hasattr(x, "columns")
    by_arrow = is_arrow(x) or hasattr(x, "__arrow_c_array__")
    return by_arrow and not any(hasattr(x, name) for name in ("columns", "column_names", "schema"))


def vectors(x: Any) -> Any:
    """Return a column of vectors as a table with the default name of vectors, and any other column as an array."""
    try:
        import pyarrow as pa
    except ImportError:
        return np.asarray(x)
    column = pa.chunked_array(x) if is_arrow(x) else pa.array(x)
    return pa.table({"vector": column}) if pa.types.is_nested(column.type) else np.asarray(x)


def size_of(x: Any) -> int | None:
    """Return the approximate size of the file for rows in bytes, or None if it is unknown."""
    if is_sparse(x):
        return 12 * x.nnz + 8 * x.shape[0]
    if is_file(x):
        return 0
    if hasattr(x, "dask"):
        return None
    if isinstance(x, list | tuple):
        return 8 * len(x) * (len(x[0]) if len(x) and hasattr(x[0], "__len__") else 1)
    if hasattr(x, "memory_usage"):  # pandas
        return int(np.sum(x.memory_usage(index=False, deep=True)))
    if hasattr(x, "estimated_size"):  # polars
        return int(x.estimated_size())
    size = getattr(x, "nbytes", None)
    return None if size is None else int(size)


def mapped_file(x: Any) -> Path | None:
    """Return the .npy file of which an array is a complete memory map with equal bytes, or None.

    A copy-on-write map may differ from its file, and the file may have been replaced.
    """
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
    # With another shape or type the array is only a part or a view.
    if (shape, fortran, dtype) != (x.shape, False, x.dtype) or not _has_bytes(Path(name), x):
        return None
    return Path(name)


def _has_bytes(path: Path, x: np.memmap[Any, Any]) -> bool:
    """Report whether a file contains exactly the array's bytes from the array's offset to its end."""
    view, buffer = _bytes(x), bytearray(_BLOCK)
    with open(path, "rb", buffering=0) as f:
        f.seek(x.offset)
        while view:
            n = f.readinto(memoryview(buffer)[: len(view)])
            if not n or buffer[:n] != view[:n]:
                return False
            view = view[n:]
        return not f.read(1)


def write_array(path: Path, x: Any) -> Path:
    """Write an array as a .npy file, or a sparse matrix as SciPy's .npz, and return the file's path.

    Rows are written in blocks to avoid a copy of the array. An array that is mapped from a .npy file
    is not written; the path of that file is returned.
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
    """Read an array or a sparse matrix written by write_array."""
    if path.suffix != ".npz":
        return np.load(path)
    import scipy.sparse

    return scipy.sparse.load_npz(path)


def _bytes(x: Any) -> memoryview:
    """Return the memory of a contiguous array of any type and byte order."""
    return memoryview(x.reshape(-1).view(np.uint8))


def _write_all(f: Any, view: memoryview) -> None:
    while view:
        view = view[f.write(view[:_BLOCK]) :]


def write_texts(path: Path, values: list[str]) -> Path:
    """Write a column of strings as a .npy file."""
    np.save(path, np.array(values, dtype=np.str_) if any(values) else np.array([" "] * len(values)))
    return path


def write_table(path: Path, x: Any) -> tuple[Any, int]:
    """Write rows with the Arrow PyCapsule interface as an Arrow stream, in batches. Return their schema and number."""
    try:
        import pyarrow as pa
    except ImportError:
        raise ValueError(
            "a table with columns of several kinds needs pyarrow: pip install pyarrow, or give an array of numbers, or a file"
        ) from None
    rows = 0
    try:
        stream = pa.RecordBatchReader.from_stream(x)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as e:
        why = "; ".join(map(str, e.args))
        raise ValueError(f"X has a column whose values are not of one type: {why}; convert it, as by X[name].astype(str)") from e
    with stream as reader, pa.OSFile(str(path), "wb") as f:
        with pa.ipc.new_stream(f, _plain(pa, reader.schema)) as out:
            for batch in reader:
                out.write_batch(batch.cast(out_schema) if (out_schema := _plain(pa, batch.schema)) != batch.schema else batch)
                rows += batch.num_rows
        return reader.schema, rows


def index_of(schema: Any) -> set[str]:
    """Return the columns of a schema that are the index of pandas, which is not part of the rows."""
    about = schema.pandas_metadata or {}
    return {name for name in about.get("index_columns", []) if isinstance(name, str)}


def _plain(pa: Any, schema: Any) -> Any:
    """Return the schema with plain types instead of views, because the program only reads plain layouts."""
    types = {
        "string_view": pa.large_string(),
        "binary_view": pa.large_binary(),
    }
    fields = [f.with_type(types[str(f.type)]) if str(f.type) in types else f for f in schema]
    return pa.schema(fields, metadata=schema.metadata)
