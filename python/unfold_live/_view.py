"""The live page of a map."""

from __future__ import annotations

import csv
import os
import secrets
from typing import TYPE_CHECKING, Any

import numpy as np

from ._files import Folder
from ._process import Process

if TYPE_CHECKING:
    from ._unfold import Unfold


class View:
    """A page that shows a map. It is served on this machine to clients with its token until it is closed.

    In a notebook it is shown as a link, because the page must not be embedded in frames.

    Attributes
    ----------
    url : str
        The address with the token, to open in a browser, like the address of a notebook.
    address : str
        The address without the token, ``http://127.0.0.1:PORT``, for programs. Their endpoints are below ``/api/``.
    token : str
        The token that programs send as ``Authorization: Bearer TOKEN``.
    """

    def __init__(self, process: Process, address: str, token: str, folder: Folder) -> None:
        self._process, self._folder = process, folder
        self.address, self.token = address, token
        self.url = f"{address}/?token={token}"

    @classmethod
    def of(cls, model: Unfold, columns: dict[str, Any] | None) -> View:
        """Open the page of an estimator, optionally with values of its rows."""
        folder = Folder()
        known = folder.file("map.unfold")
        known.write_bytes(model._model.model())
        shown = [str(known)]
        if columns is not None:
            path = folder.file("map.csv")
            with open(path, "w", newline="", encoding="utf-8") as f:
                _write(csv.writer(f), model, columns)
            shown = [str(path), "--model", str(known)]
        token, named = secrets.token_hex(16), folder.file("token")
        with open(os.open(named, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as f:
            f.write(token)
        process = Process(["view", *shown, "--listen", "127.0.0.1:0", "--token-file", str(named)])
        try:
            return cls(process, process.said(r"(http://[^\s\"]+)"), token, folder)
        except BaseException:
            process.close()
            raise

    def open(self) -> View:
        """Open the page in the browser."""
        import webbrowser

        webbrowser.open(self.url)
        return self

    def close(self) -> None:
        """Close the page."""
        self._process.close()
        self._folder.close()

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<the page of a map at {self.address}>"

    def _repr_html_(self) -> str:
        return f'<a href="{self.url}" target="_blank">the page of the map</a>'


def _write(out: Any, model: Unfold, columns: dict[str, Any]) -> None:
    values = {"id": model.ids_, **{k: np.asarray(v) for k, v in columns.items()}}
    for name, column in values.items():
        if len(column) != len(model.ids_):
            raise ValueError(f"the column {name!r} has {len(column)} values for {len(model.ids_)} rows")
    at = model.embedding_
    dims = [f"embedding_{k}" for k in range(at.shape[1])]
    own = {"sigma": model.sigma_, "novelty_local": model.novelty_local_, "novelty_global": model.novelty_global_}
    out.writerow([*values, *dims, *own])
    for row in zip(*values.values(), *at.T, *own.values(), strict=True):
        out.writerow(row)
