"""A model file and the child process that uses it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ._files import Folder
from ._session import Progress, Session

#: The default name of the model file in its folder.
_NAME = "model.unfold"


class Handle:
    """An estimator's model: its file, and a session.

    The file is in a temporary folder. Pickles contain its bytes. An unpickled copy, or a forked
    process, writes them to its own folder when it is used, so changes do not affect the original.

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

    @property
    def path(self) -> Path:
        """The path of the model file."""
        if self._folder is not None and self._folder.owner != os.getpid():
            theirs, self._folder = self._folder.file(self.name), None
            self._bytes = theirs.read_bytes() if theirs.exists() else None
        if self._folder is None:
            self._folder = Folder(len(self._bytes or b""))
            if self._bytes is not None:
                self._folder.file(self.name).write_bytes(self._bytes)
                self._bytes = None
        return self._folder.file(self.name)

    def folder(self, size: int | None) -> Folder:
        """Return the folder for a file of about ``size`` bytes, which is created if there is none."""
        if self._folder is None or self._folder.owner != os.getpid():
            self._folder = Folder(size)
        return self._folder

    @property
    def session(self) -> Session:
        """The child process."""
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

    def __deepcopy__(self, memo: dict[int, Any]) -> Handle:
        other = Handle.__new__(Handle)
        other.__setstate__(self.__getstate__())
        return other
