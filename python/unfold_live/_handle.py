"""A model file and the child process that uses it."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path
from typing import Any, NamedTuple

from ._files import Folder
from ._session import Progress, Session

#: The default name of the model file in its folder.
_NAME = "model.unfold"


class _Shared(NamedTuple):
    """The folder with a model's file, and the session that uses it, of all unpickled copies of the model in a process."""

    folder: Folder
    session: Session


_sharing = threading.Lock()

#: The last shared model, with what identifies it: joblib and dask unpickle a model for each of many calls.
_last: tuple[tuple[Any, ...], _Shared] | None = None


def _shared(model: bytes, name: str, threads: int | None) -> _Shared:
    """Return the folder and the session of a model. The last ones are kept, until another model is unpickled and used."""
    global _last
    key = (os.getpid(), name, threads, hashlib.blake2b(model).digest())
    with _sharing:
        if _last is None or _last[0] != key:
            folder = Folder(len(model))
            folder.file(name).write_bytes(model)
            _last = key, _Shared(folder, Session(threads))
        return _last[1]


class Handle:
    """An estimator's model: its file, and a session.

    The file is in a temporary folder. Pickles contain its bytes. A forked process writes them to its own folder
    when it is used. Unpickled copies of a model in a process share a file and a session, until one changes the
    model: changes do not affect the original, nor other copies.

    Parameters
    ----------
    threads : int or None
        Number of threads of the child.
    model : bytes, optional
        The content of the model file.
    name : str
        The name of the file. For clusters the file contains the rows, and its extension is their format.

    Attributes
    ----------
    vector : str or None
        The column of vectors that the model was learnt from, "" if it was learnt from other columns, None if that is not known.
    """

    def __init__(self, threads: int | None = None, model: bytes | None = None, name: str = _NAME) -> None:
        self.threads = threads
        self.name = name
        self.vector: str | None = None
        self._folder: Folder | None = None
        self._bytes = model
        self._session: Session | None = None
        #: Whether the file and the session are those of all unpickled copies, once they are used.
        self._shares = False

    @property
    def path(self) -> Path:
        """The path of the model file."""
        if self._folder is not None and self._folder.owner != os.getpid():
            theirs, self._folder = self._folder.file(self.name), None
            self._bytes = theirs.read_bytes() if theirs.exists() else None
        if self._folder is None and self._shares and self._bytes is not None:
            self._folder, self._session = _shared(self._bytes, self.name, self.threads)
            self._bytes = None
        if self._folder is None:
            self._folder = Folder(len(self._bytes or b""))
            if self._bytes is not None:
                self._folder.file(self.name).write_bytes(self._bytes)
                self._bytes = None
        return self._folder.file(self.name)

    def own(self) -> Path:
        """Return the path of the model file for a command that changes it. A shared file is copied first."""
        if self._shares:
            self._bytes = self.model()
            self._folder = self._session = None
            self._shares = False
        return self.path

    def folder(self, size: int | None) -> Folder:
        """Return the folder for a file of about ``size`` bytes, which is created if there is none."""
        if self._folder is None or self._folder.owner != os.getpid():
            self._folder = Folder(size)
        return self._folder

    @property
    def session(self) -> Session:
        """The child process."""
        if self._shares:
            self.path  # noqa: B018 - it is the path that finds the session
        if self._session is None:
            self._session = Session(self.threads)
        return self._session

    def model(self) -> bytes:
        """Return the bytes of the model's file."""
        return self._bytes if self._bytes is not None else self.path.read_bytes()

    def _copied(self) -> bytes | None:
        """Return the model for a copy of this object, or None if there is none."""
        if self._bytes is None and (self._folder is None or not self.path.exists()):
            return None
        return self.model()

    def run(self, args: list[str], progress: Progress | None = None, names: dict[str, str] | None = None) -> str:
        """Run a command. Error messages name the file "the model"."""
        return self.session.run(args, progress, {str(self.path): "the model", **(names or {})})

    def close(self) -> None:
        """Stop the child and keep the model."""
        if self._session is not None:
            self._session.close()

    def discard(self) -> None:
        """Stop the child and delete the file."""
        self.close()
        if self._folder is not None:
            self._folder.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"threads": self.threads, "model": self._copied(), "name": self.name, "vector": self.vector}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["threads"], state["model"], state.get("name", _NAME))  # type: ignore[misc]
        self.vector = state.get("vector")
        self._shares = state["model"] is not None

    def __deepcopy__(self, memo: dict[int, Any]) -> Handle:
        other = Handle.__new__(Handle)
        other.__setstate__(self.__getstate__())
        return other
