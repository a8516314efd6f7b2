"""Errors of the program, as Python has them."""

from __future__ import annotations


class UnfoldError(RuntimeError):
    """The program failed through no fault of the rows or the settings.

    Bad rows and settings that make no sense are a ``ValueError``, as elsewhere in Python's
    world of estimators, with the program's own words.
    """


#: Exit codes of the program: wrong usage and bad input are the caller's.
_USAGE, _BAD_INPUT = 2, 3


def error_of(code: int, text: str, names: dict[str, str]) -> Exception:
    """Return the exception of an exit code.

    Parameters
    ----------
    code : int
        The exit code, not 0.
    text : str
        What the program says.
    names : dict of str
        Paths of files that went to and fro, and what the caller calls them.
    """
    for path, name in names.items():
        text = text.replace(path, name)
    if code in (_USAGE, _BAD_INPUT):
        return ValueError(text)
    return UnfoldError(text or f"unfold ended with code {code}")
