"""The location of the program."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._errors import UnfoldError

if TYPE_CHECKING:
    import subprocess

#: The environment variable with the path of a program to use instead of the wheel's.
VARIABLE = "UNFOLD_BINARY"


def binary() -> str:
    """Return the path of the program, from ``UNFOLD_BINARY`` or in the wheel."""
    given = os.environ.get(VARIABLE)
    if given:
        return given
    own = Path(__file__).with_name("_bin") / ("unfold.exe" if os.name == "nt" else "unfold")
    if own.exists():
        return str(own)
    raise UnfoldError(f"the program is not at {own}: install a wheel for this platform, or set {VARIABLE} to the path of unfold")


def start(args: list[str], **how: Any) -> subprocess.Popen[Any]:
    """Start the program. ``how`` are arguments of ``Popen``.

    Raises
    ------
    UnfoldError
        The program is missing, not executable, or for another platform.
    """
    import subprocess

    path = binary()
    try:
        return subprocess.Popen([path, *args], **how)
    except OSError as e:
        hint = f"{VARIABLE} names it" if os.environ.get(VARIABLE) else "it came with the wheel: install that again"
        raise UnfoldError(f"the program {path} does not start: {e.strerror}; {hint}") from e


def main() -> int:
    """Run the program as the command ``unfold``."""
    args = [binary(), *sys.argv[1:]]
    if os.name != "nt":
        os.execv(args[0], args)
    import subprocess

    return subprocess.run(args, check=False).returncode
