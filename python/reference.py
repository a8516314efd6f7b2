"""Writes docs/reference/python.md, the reference of the package, from its docstrings: python3 python/reference.py [-o FILE]."""

from __future__ import annotations

import argparse
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

# The sources beside this file, unless the package has been imported already, as in its tests.
sys.path.append(str(HERE))
import unfold_live  # noqa: E402
from unfold_live import _trees, spark  # noqa: E402

#: The first lines of the page.
HEAD = """# Reference of the Python package

`make python-reference` writes this page from the docstrings of `unfold_live`. [python.md](../python.md) is the guide.
"""

#: An entry of a numpydoc section (a parameter, attribute or exception): its name, and its type if it has one.
_ENTRY = re.compile(r"(?P<name>\S.*?)(?: : (?P<type>.*))?$")


def sections(doc: str) -> list[tuple[str, str]]:
    """Return the sections of a numpydoc docstring as pairs of title and text. The first one has no title."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-+\n", inspect.cleandoc(doc), flags=re.MULTILINE)
    return [("", parts[0].strip()), *((parts[k], parts[k + 1].strip("\n")) for k in range(1, len(parts), 2))]


def entries(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, type and description of each entry of a section."""
    for block in re.split(r"\n(?=\S)", text):
        head, _, body = block.partition("\n")
        found = _ENTRY.match(head)
        assert found is not None
        yield found["name"], found["type"] or "", " ".join(textwrap.dedent(body).split())


def plain(text: str) -> str:
    """Return text with code marked as in Markdown instead of reStructuredText."""
    return re.sub(r"``(.+?)``", r"`\1`", text).replace(" # doctest: +SKIP", "").rstrip()


def described(doc: str) -> Iterator[str]:
    """Yield the lines of a docstring in Markdown."""
    for title, text in sections(doc):
        if not title:
            yield plain(text)
        elif title == "Examples":
            # What a line prints becomes a comment.
            code = [line[4:] if line.startswith((">>> ", "... ")) else f"# {line}" for line in plain(text).splitlines()]
            yield "```python\n" + "\n".join(line.rstrip() for line in code) + "\n```"
        else:
            yield f"{title}:"
            named = title not in ("Returns", "Raises", "Yields")
            lines = []
            for name, kind, about in entries(text):
                shown = f"`{name}`" if named or title == "Raises" else plain(name)
                lines.append(plain(f"- {shown}{f' ({kind})' if kind else ''}{': ' + about if about else ''}"))
            yield "\n".join(lines)


def signature(f: Callable[..., Any]) -> str:
    """Return the parameters of a function without types and without ``self``."""
    found = inspect.signature(f)
    shown = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values() if p.name not in ("self", "cls")]
    return str(found.replace(parameters=shown, return_annotation=inspect.Signature.empty))


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield the documented methods and properties of a class and its private base classes, by name.

    Methods that scikit-learn adds to its estimators are omitted.
    """
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        own = base is cls or base.__name__ not in unfold_live.__all__
        if own and base.__module__.startswith("unfold_live") and base.__module__ != "unfold_live._base":
            found.update({name: value for name, value in vars(base).items() if not name.startswith("_")})
    for name, value in sorted(found.items()):
        known = isinstance(value, property | classmethod | staticmethod) or inspect.isfunction(value) or hasattr(value, "f")
        if known and inspect.getdoc(value):
            yield name, value


def of_class(cls: type) -> Iterator[str]:
    """Yield the paragraphs of a class."""
    yield f"## {cls.__name__}"
    yield f"`{cls.__name__}{signature(cls.__init__)}`" if not issubclass(cls, tuple) else f"`{cls.__name__}` is a named tuple."
    yield from described(cls.__doc__ or "")
    for base in cls.__mro__[1:]:
        if base.__name__ in unfold_live.__all__:
            yield f"It derives from `{base.__name__}` and has its methods."
    for name, value in members(cls):
        if isinstance(value, property):
            yield f"### {cls.__name__}.{name}"
        else:
            f = getattr(value, "__func__", getattr(value, "f", value))
            yield f"### {cls.__name__}.{name}{signature(f)}"
        yield from described(value.__doc__ or "")


def of_function(name: str, f: Callable[..., Any]) -> Iterator[str]:
    """Yield the paragraphs of a function."""
    yield f"## {name}"
    yield f"`{name}{signature(f)}`"
    yield from described(f.__doc__ or "")


def page() -> str:
    """Return the page."""
    out = [HEAD.strip()]
    for name in unfold_live.__all__:
        value = getattr(unfold_live, name)
        if inspect.isclass(value):
            out += of_class(value)
        elif callable(value):
            out += of_function(name, value)
    for cls in (_trees.CondensedTree, _trees.SingleLinkageTree, _trees.MinimumSpanningTree):
        out += of_class(cls)
    for name in ("fit", "transform", "transform_files"):
        out += of_function(f"spark.{name}", getattr(spark, name))
    return "\n\n".join(out) + "\n"


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", default=str(HERE.parent / "docs" / "reference" / "python.md"))
    Path(parser.parse_args().o).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
