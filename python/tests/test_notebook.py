"""The notebook runs from its first cell to its last."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

from .conftest import REPOSITORY


def test_notebook(tmp_path: Path) -> None:
    book = nbformat.read(REPOSITORY / "docs/python.ipynb", as_version=4)
    assert all(not c.get("outputs") for c in book.cells if c.cell_type == "code")
    done = NotebookClient(book, timeout=240, resources={"metadata": {"path": str(REPOSITORY)}}).execute()
    pictures = [o for c in done.cells if c.cell_type == "code" for o in c.outputs if "image/png" in o.get("data", {})]
    assert len(pictures) >= 3
    nbformat.write(done, tmp_path / "done.ipynb")
