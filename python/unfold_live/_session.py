"""A child process that runs commands of the program sequentially over a pipe.

A frame consists of the length of its body, 4 bytes in big-endian order, and the body, a JSON object.
The program's docs/reference/http.md describes the protocol ("A session on a pipe").
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import select
import struct
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import IO, Any

from ._binary import VARIABLE, binary, start
from ._errors import UnfoldError, crash_of, error_of, is_crash, warn
from ._version import __version__
from ._words import translated

log = logging.getLogger("unfold_live")

#: A callback for the progress of a command, called with stage, unit, done and total.
Progress = Callable[[str, str, int, int], None]

#: The time limit in seconds for a child to end.
_PATIENCE = 5.0


class Session:
    """A child process ``unfold session``.

    It is started by the first command. A forked process starts its own child.

    Parameters
    ----------
    threads : int or None
        Number of threads of the child. None means one per processor.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads
        self._lock, self._locker = threading.Lock(), os.getpid()
        self._child: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._complaints: IO[bytes] | None = None
        self._end: weakref.finalize[Any, Any] | None = None

    @property
    def pid(self) -> int | None:
        """The child's process id, or None if no child runs."""
        return self._child.pid if self._child is not None and self._owner == os.getpid() else None

    def run(self, args: Sequence[str], progress: Progress | None = None, names: dict[str, str] | None = None) -> str:
        """Run a command and return its output.

        Parameters
        ----------
        args : sequence of str
            A command line without the program's name, such as ``["inspect", "m.unfold"]``.
        progress : callable, optional
            Called with the stage, the unit, the amount done and the total.
        names : dict of str, optional
            Names of files for errors, by path.

        Raises
        ------
        ValueError
            The rows or the settings are invalid.
        UnfoldError
            The command failed for another reason.
        UserWarning
            Issued as a warning if the settings have a probably unwanted effect, or if the program left a column out as the label
            or filled missing values by its own choice.
        KeyboardInterrupt
            The child was stopped. The next command starts a new one.
        """
        with self._alone():
            if not self._running():
                self._start()
                if os.environ.get(VARIABLE):
                    _compare(self._ask(["version"], None)["output"])
            end = self._ask(args, progress)
        notes = end.get("notes", [])
        for text in notes:
            log.info("%s", translated(text, names or {}))
        chosen = () if "--new" in args else end.get("chosen", ())  # rows to predict were mentioned when they were fitted
        for text in (*end.get("warnings", ()), *chosen):
            warn(translated(text, names or {}))
        if end["code"] != 0:
            raise error_of(end["code"], end.get("error", ""), names or {})
        return end["output"]

    def _ask(self, args: Sequence[str], progress: Progress | None) -> dict[str, Any]:
        """Let the child run a command and return its final answer."""
        child = self._child
        assert child is not None
        warned: list[str] = []
        notes: list[str] = []
        chosen: list[str] = []
        try:
            _send(child.stdin, {"args": list(args), "progress": progress is not None})
            while True:
                answer = _receive(child.stdout)
                if answer is None:
                    raise _ended(self._last_words(), "unfold ended in the middle of a command")
                if "end" in answer:
                    return answer["end"] | {"warnings": warned, "notes": notes, "chosen": chosen}
                if "warning" in answer:
                    warned.append(answer["warning"])  # issued at the end, because a filter may turn it into an exception
                elif "note" in answer:
                    notes.append(answer["note"])
                    if answer.get("chosen"):
                        chosen.append(answer["note"])
                elif "args" in answer:
                    raise UnfoldError(f"{binary()} does not answer as unfold session does")
                elif progress is not None and "progress" in answer:
                    step = answer["progress"]
                    progress(step["stage"], step.get("unit", ""), step["done"], step["total"])
        except BrokenPipeError:
            words = self._last_words()
            self._stop()
            raise _ended(words, "unfold ended") from None
        except BaseException:
            # The answer is no longer needed, and the child has only written its own files.
            self._stop()
            raise

    def close(self) -> None:
        """Stop the child."""
        with self._alone():
            self._stop()

    def _alone(self) -> threading.Lock:
        """Return the lock that guards the child."""
        if self._locker != os.getpid():  # a fork: the thread that held the lock does not exist here
            self._lock, self._locker = threading.Lock(), os.getpid()
        return self._lock

    def _running(self) -> bool:
        return self._child is not None and self._owner == os.getpid() and self._child.poll() is None

    def _start(self) -> None:
        self._stop()
        env = dict(os.environ)
        if self._threads:
            env["GOMAXPROCS"] = str(self._threads)
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the child
        self._child = start(
            ["session"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            env=env,
            bufsize=0,
            **_apart(),
        )
        self._owner = os.getpid()
        self._end = weakref.finalize(self, _abandon, self._child, self._owner, self._complaints)

    def _stop(self) -> None:
        child, self._child = self._child, None
        if self._end is not None:
            self._end.detach()
            self._end = None
        if child is not None:
            _finish(child, self._owner)
        if self._complaints is not None:
            self._complaints.close()
            self._complaints = None

    def _last_words(self) -> str:
        if self._complaints is None:
            return ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self._child is not None:
                self._child.wait(_PATIENCE)
        self._complaints.seek(0)
        text = self._complaints.read().decode("utf-8", "replace").strip()
        return text or (f"exit code {self._child.returncode}" if self._child is not None else "")


def _ended(words: str, what: str) -> UnfoldError:
    """Return the exception for a child that has ended, with its last output."""
    return crash_of(words) if is_crash(words) else UnfoldError(f"{what}: {words}")


#: The end of a version that the go command makes of a commit: its time and hash.
_COMMIT = re.compile(r"-\d{14}-[0-9a-f]{12}(\+dirty)?$")


def _compare(said: str) -> None:
    """Log a message if the program has another release number. A development build has none, or that of a commit."""
    release = said.split()[1:2]
    if release and release[0].startswith("v") and not _COMMIT.search(release[0]) and release[0] != f"v{__version__}":
        log.warning("%s names unfold %s, and this package is of %s", VARIABLE, release[0], __version__)


def _apart() -> dict[str, Any]:
    """Return the arguments that start a child which the terminal does not interrupt, because its parent stops it."""
    if os.name == "nt":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined]
    return {"start_new_session": True}


def _abandon(child: subprocess.Popen[bytes], owner: int, complaints: IO[bytes]) -> None:
    """Stop the child of a deleted session."""
    _finish(child, owner)
    complaints.close()


def _finish(child: subprocess.Popen[bytes], owner: int) -> None:
    """Stop a child by closing its input, or kill it if it is busy."""
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    if owner != os.getpid():
        return  # a forked process: the child belongs to its parent
    try:
        child.wait(0.2)
    except subprocess.TimeoutExpired:
        child.terminate()
        try:
            child.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _send(pipe: IO[bytes] | None, request: dict[str, Any]) -> None:
    assert pipe is not None
    body = json.dumps(request).encode()
    frame = struct.pack(">I", len(body)) + body
    view = memoryview(frame)
    while view:
        view = view[pipe.write(view) :]


def _receive(pipe: IO[bytes] | None) -> dict[str, Any] | None:
    head = _read(pipe, 4)
    if head is None:
        return None
    body = _read(pipe, struct.unpack(">I", head)[0])
    return None if body is None else json.loads(body)


def _read(pipe: IO[bytes] | None, n: int) -> bytes | None:
    assert pipe is not None
    parts = []
    while n > 0:
        _await(pipe)
        part = pipe.read(n)
        if not part:
            return None
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def _await(pipe: IO[bytes]) -> None:
    """Wait until the pipe is readable, or for an interrupt.

    Some libraries, such as Polars, make the system restart calls after SIGINT. A blocking read would
    then continue, and Python would not handle the signal. Polling is never restarted.
    """
    if hasattr(select, "poll"):
        p = select.poll()
        p.register(pipe, select.POLLIN)
        p.poll()
