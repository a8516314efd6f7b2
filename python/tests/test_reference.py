"""The reference page, which is generated from the docstrings."""

from __future__ import annotations

import importlib.util
import inspect
from typing import Any

import unfold_live

from .conftest import REPOSITORY


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("reference", REPOSITORY / "python" / "reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_that_of_the_docstrings() -> None:
    page = (REPOSITORY / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    assert generator().page() == page, "make python-reference writes it again"


def test_every_parameter_is_documented() -> None:
    """Each parameter of an estimator has an entry of its docstring."""
    reference = generator()
    for name in ("Unfold", "UnfoldAligned", "UnfoldClusters"):
        cls = getattr(unfold_live, name)
        text = dict(reference.sections(cls.__doc__))["Parameters"]
        known = {n.strip() for names, _, _ in reference.entries(text) for n in names.split(",")}
        assert known == set(inspect.signature(cls.__init__).parameters) - {"self"}
