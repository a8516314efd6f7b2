"""The examples of docstrings run and print what they say."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator

import pytest

import unfold_live

from .test_reference import generator


def docstrings() -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring of the package, and of every class, method, property and function of the reference."""
    reference = generator()
    yield "unfold_live", inspect.getdoc(unfold_live) or ""
    for name in unfold_live.__all__:
        value = getattr(unfold_live, name)
        if inspect.isclass(value) or callable(value):
            yield name, inspect.getdoc(value) or ""
        if inspect.isclass(value):
            yield from ((f"{name}.{member}", inspect.getdoc(of) or "") for member, of in reference.members(value))


EXAMPLES = {name: text for name, text in docstrings() if ">>>" in text}


@pytest.mark.parametrize("name", [name for name, text in EXAMPLES.items() if "+SKIP" not in text])
def test_example(name: str) -> None:
    example = doctest.DocTestParser().get_doctest(EXAMPLES[name], {}, name, None, 0)
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert not said, "".join(said)


def test_only_what_needs_kafka_does_not_run() -> None:
    assert [name for name, text in EXAMPLES.items() if "+SKIP" in text] == ["stream"]
    assert {"Unfold", "UnfoldClassifier", "UnfoldClusters", "UnfoldAligned"} <= set(EXAMPLES)
