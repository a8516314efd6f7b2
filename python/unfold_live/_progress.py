"""Shows the progress of a command."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Any

from ._session import Progress

log = logging.getLogger("unfold_live")


class Bars:
    """A progress bar per stage with tqdm, if that is installed; otherwise a log line per stage.

    Parameters
    ----------
    wanted : bool
        Whether anything is shown.
    """

    def __init__(self, wanted: bool) -> None:
        self._wanted = bool(wanted)
        self._stage = ""
        self._bar: Any = None
        self._tqdm: Any = None

    def __enter__(self) -> Progress | None:
        if not self._wanted:
            return None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm = tqdm
        return self._show

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._close()

    def _show(self, stage: str, unit: str, done: int, total: int) -> None:
        if stage != self._stage:
            self._close()
            self._stage = stage
            if self._tqdm is None:
                log.info("%s", stage)
            else:
                self._bar = self._tqdm(total=total or None, desc=stage, unit=unit or "it", leave=False)
        if self._bar is not None:
            self._bar.update(max(0, done - self._bar.n))

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        self._stage = ""
