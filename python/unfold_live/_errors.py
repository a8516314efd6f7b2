"""Conversion of the program's errors to exceptions."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import warnings

from ._words import translated


class UnfoldError(RuntimeError):
    """An error of the program that is not caused by the rows or the settings.

    Invalid rows and settings raise a ``ValueError`` with the program's message, as usual for
    estimators.
    """


#: The beginning of the trace that Go's runtime writes when the program crashes.
_CRASH = re.compile(
    r"^(?:panic: |fatal error: |runtime: |unexpected fault address |SIG(?:ABRT|BUS|FPE|ILL|QUIT|SEGV|TRAP): )(.*)$", re.MULTILINE
)

#: Additions of the runtime to the reason.
_ADDED = re.compile(r"\s*\[recovered(?:, repanicked)?\]$|^runtime error: ")


def is_crash(text: str) -> bool:
    """Report whether the program's standard error contains a trace."""
    return _CRASH.search(text) is not None


def crash_of(text: str) -> UnfoldError:
    """Save the trace of a crash and return an exception with the reason and the trace's file."""
    found = _CRASH.search(text)
    reason = _ADDED.sub("", found[1]) if found else ""
    try:
        number, path = tempfile.mkstemp(prefix="unfold-trace-", suffix=".txt")
        with open(number, "w", encoding="utf-8") as f:
            f.write(text + "\n")
        where = f"its trace is in {path}"
    except OSError as e:
        where = f"its trace could not be saved in {tempfile.gettempdir()}: {os.strerror(e.errno or 0)}"
    return UnfoldError(f"unfold crashed: {reason}; {where}")


#: Exit codes of the program for errors of the caller: wrong usage and bad input.
_USAGE, _BAD_INPUT = 2, 3


def error_of(code: int, text: str, names: dict[str, str]) -> Exception:
    """Return the exception of an exit code.

    Parameters
    ----------
    code : int
        The exit code, not 0.
    text : str
        The program's message. Flags and paths in it become parameters.
    names : dict of str
        Names of files for the caller, by path.
    """
    text = translated(text, names)
    if code in (_USAGE, _BAD_INPUT):
        return ValueError(text)
    return UnfoldError(text or f"unfold ended with code {code}")


#: The packages whose code is not the caller's.
_PACKAGES = (__name__.partition(".")[0], "sklearn")


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning at the caller's line: the first one outside of this package and of scikit-learn, which may call it."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _PACKAGES:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
