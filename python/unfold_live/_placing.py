"""Placement of files in a task of Spark: ``python -m unfold_live._placing SOURCE TARGET FLAG ...``.

Spark writes the names of the files to standard input. It starts the process itself, without a Python worker of its own, which
would take longer to start than to place a hundred thousand rows.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable

from ._errors import UnfoldError
from ._session import Session

#: The names of the model and of the last error in the folder of places. Spark ignores files with such names.
MODEL, ERROR = "_model.unfold", "_error.txt"


def place(names: Iterable[str], source: str, target: str, flags: list[str]) -> str | None:
    """Place files, and return the error of wrong rows or settings, if there is one.

    Raises
    ------
    UnfoldError
        The program failed for another reason.
    """
    session, model = Session(1), os.path.join(target, MODEL)
    try:
        for name in names:
            path = os.path.join(source, name)
            out = os.path.join(target, name.split(".")[0] + ".parquet")  # appears when it is complete, also if a task is repeated
            try:
                session.run(["embed", path, "-m", model, "-o", out, "--threads=1", *flags], None, {model: "the model"})
            except ValueError as e:
                return str(e)
    finally:
        session.close()
    return None


def main() -> int:
    """Place the files that standard input names. Standard output has the error of wrong rows or settings, as JSON."""
    source, target, *flags = sys.argv[1:]
    try:
        error = place((line.rstrip("\n") for line in sys.stdin), source, target, flags)
    except UnfoldError as e:
        # Spark repeats the task. If that fails, too, it tells no more than the exit code.
        with contextlib.suppress(OSError):
            number, path = tempfile.mkstemp(prefix="_", dir=target)
            with open(number, "w", encoding="utf-8") as f:
                f.write(str(e))
            os.replace(path, os.path.join(target, ERROR))
        print(e, file=sys.stderr)
        return 1
    if error is not None:
        print(json.dumps(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
