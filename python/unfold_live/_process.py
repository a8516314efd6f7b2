"""Processes that run until they are stopped: a page or a stage."""

from __future__ import annotations

import contextlib
import logging
import re
import subprocess
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from ._binary import start
from ._errors import UnfoldError, crash_of, error_of, is_crash
from ._session import _apart

log = logging.getLogger("unfold_live")


class Process:
    """A process of the program that runs until it is stopped.

    Its output is written to the log ``unfold_live``. It stops cleanly when this process ends, even after a crash,
    because the system closes the pipe to its standard input.

    Parameters
    ----------
    args : list of str
        The command line without the program's name.
    level : int
        The level of log messages.
    """

    def __init__(self, args: list[str], level: int = logging.INFO) -> None:
        self._lines: list[str] = []
        self._crash: list[UnfoldError] = []
        self._news = threading.Condition()
        self._level = level
        self._child = start(
            [*args, "--attached"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **_apart()
        )
        self._reader = threading.Thread(
            target=_read, args=(self._child.stderr, self._lines, self._crash, self._news, level), daemon=True
        )
        self._reader.start()
        self._end = weakref.finalize(self, _end, self._child)

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self._child.poll() is None

    def said(self, pattern: str, timeout: float = 30.0) -> str:
        """Wait for output that matches a pattern and return the pattern's first group.

        Raises
        ------
        ValueError, UnfoldError
            The process has ended.
        TimeoutError
            There was no such output within the timeout.
        """
        until = time.monotonic() + timeout
        at = 0
        with self._news:
            while True:
                for line in self._lines[at:]:
                    found = re.search(pattern, line)
                    if found:
                        return found.group(1)
                at = len(self._lines)
                if not self._reader.is_alive() or not self.running:
                    self._news.wait(0.2)
                    if at == len(self._lines):
                        raise self.error()
                    continue
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"unfold has not said {pattern!r} within {timeout} seconds: {self._lines[-3:]}")
                self._news.wait(min(left, 0.5))

    def error(self) -> Exception:
        """Return the exception for the end of the process."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(5)
        self._reader.join(1)
        if self._crash:
            return self._crash[0]
        text = "\n".join(line.removeprefix("unfold: ") for line in self._lines[-5:])
        return error_of(self._child.returncode or 1, text, {}) if self._child.returncode else UnfoldError(f"unfold ended: {text}")

    def close(self, timeout: float = 30.0) -> int:
        """Stop the process cleanly and return its exit code."""
        if self.running:
            self._child.terminate()
            try:
                self._child.wait(timeout)
            except subprocess.TimeoutExpired:
                self._child.kill()
        self._end.detach()
        code = self._child.wait()
        self._reader.join(1)
        for pipe in (self._child.stdin, self._child.stderr):
            if pipe is not None:
                pipe.close()
        return code


def _read(pipe: Any, lines: list[str], crash: list[UnfoldError], news: threading.Condition, level: int) -> None:
    """Collect lines until the pipe ends. A trace is saved, not logged.

    The thread must not refer to the Process, which could not be deleted then.
    """
    say: Callable[..., None] = log.log
    trace: list[str] = []
    with contextlib.suppress(ValueError):  # the pipe was closed
        for line in pipe:
            text = line.rstrip("\n")
            if trace or is_crash(text):
                trace.append(text)
                continue
            say(level, "%s", text)
            with news:
                lines.append(text)
                del lines[:-1000]
                news.notify_all()
    if trace:
        crash.append(crash_of("\n".join(trace)))
        log.error("%s", crash[0])
    with news:
        news.notify_all()


def _end(child: subprocess.Popen[str]) -> None:
    if child.poll() is None:
        child.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(2)
