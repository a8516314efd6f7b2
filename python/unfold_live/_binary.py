"""Where the program is."""

from __future__ import annotations

import os
import sys
from pathlib import Path

#: Names another program than the wheel's own, such as one that was just built.
VARIABLE = "UNFOLD_BINARY"


def binary() -> str:
    """Return the path of the program: that of ``UNFOLD_BINARY``, or the wheel's own."""
    given = os.environ.get(VARIABLE)
    if given:
        return given
    own = Path(__file__).with_name("_bin") / ("unfold.exe" if os.name == "nt" else "unfold")
    if own.exists():
        return str(own)
    raise FileNotFoundError(
        f"the program is not at {own}: install a wheel for this platform, or set {VARIABLE} to the path of unfold"
    )


def main() -> int:
    """Run the program as the command ``unfold``."""
    args = [binary(), *sys.argv[1:]]
    if os.name != "nt":
        os.execv(args[0], args)
    import subprocess

    return subprocess.run(args, check=False).returncode
