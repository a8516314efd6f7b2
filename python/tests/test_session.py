"""The child process: errors, notes, interrupts, forks."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unfold_live import Unfold, UnfoldError
from unfold_live._session import Session

from .conftest import blobs


def test_version() -> None:
    s = Session()
    assert s.run(["version"]).startswith("unfold ")
    first = s.pid
    s.run(["version"])
    assert s.pid == first
    s.close()
    assert s.pid is None
    s.run(["version"])
    assert s.pid not in (None, first)
    s.close()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["fit", "nowhere.npy", "-o", "m.unfold"], "nowhere.npy"),
        (["fit", "--no-such-flag"], "unknown flag --no-such-flag"),
        (["serve", "m.unfold"], "a session runs fit, embed"),
        ([], "a session runs"),
    ],
    ids=["no file", "no flag", "no command of a session", "nothing"],
)
def test_errors_are_the_programs(args: list[str], says: str) -> None:
    s = Session()
    with pytest.raises(ValueError, match=says):
        s.run(args)
    assert s.run(["version"])  # it goes on
    s.close()


def test_errors_name_the_rows(data: Any) -> None:
    x = data[0].astype(np.float64)
    x[7, 3] = 1e300
    with pytest.raises(ValueError, match=r"X.*row 8") as e:
        Unfold().fit(x)
    assert "/unfold-" not in str(e.value)


def test_settings_that_make_no_sense(data: Any) -> None:
    with pytest.raises(ValueError, match="--dims"):
        Unfold(0).fit(data[0])
    with pytest.raises(ValueError, match="unknown flag --thickness"):
        Unfold(settings={"thickness": 3}).fit(data[0])
    with pytest.raises(UnfoldError, match="--memory"):
        Unfold(memory="1MiB").fit(data[0])


def test_notes_are_logged(data: Any, caplog: pytest.LogCaptureFixture) -> None:
    x = data[0].copy()
    x[:, 0] *= 1e6
    with caplog.at_level(logging.INFO, "unfold_live"):
        Unfold().fit(x)
    assert any("squared distance" in r.message for r in caplog.records)


def test_progress(data: Any) -> None:
    seen: list[tuple[str, str, int, int]] = []
    s = Session()
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"progress-{os.getpid()}"
    np.save(f"{path}.npy", data[0])
    try:
        s.run(["fit", f"{path}.npy", "-o", f"{path}.unfold"], lambda *step: seen.append(step))
    finally:
        for end in (".npy", ".unfold"):
            Path(f"{path}{end}").unlink(missing_ok=True)
        s.close()
    assert {"read", "em"} <= {stage for stage, *_ in seen}
    assert all(0 <= done <= total for stage, _, done, total in seen if stage == "em")


def test_interrupt_stops_the_child() -> None:
    """An interrupt comes back at once, the child is gone, and the next call has another."""
    x = np.random.default_rng(1).normal(size=(60_000, 50)).astype(np.float32)
    model = Unfold(thorough=True)
    sent = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    threading.Timer(2.0, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(x)
    assert time.monotonic() - sent[0] < 8
    assert not hasattr(model, "_model")
    children = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "args="], capture_output=True, text=True, check=False).stdout
    assert " session" not in children
    assert model.set_params(thorough=False).fit(x[:500]).embedding_.shape == (500, 2)


def test_child_ends_with_its_parent() -> None:
    script = (
        "import numpy as np, os\nfrom unfold_live import Unfold\n"
        "m = Unfold().fit(np.random.default_rng(1).normal(size=(300, 5)))\n"
        "print(m._model.session.pid, flush=True)\nos._exit(1)"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    pid = int(out.stdout)
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.05)
    pytest.fail("the child outlived its parent by five seconds")


def test_a_dead_child_is_replaced(data: Any) -> None:
    x, _ = data
    model = Unfold().fit(x)
    want = model.transform(x[:5])
    os.kill(model._model.session.pid, signal.SIGKILL)
    model._model.session._child.wait()
    np.testing.assert_array_equal(model.transform(x[:5]), want)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_fork(data: Any) -> None:
    """A fork has a child of its own and leaves its parent's alone."""
    x, _ = data
    model = Unfold().fit(x)
    want = model.transform(x[:5])
    pid = os.fork()
    if pid == 0:
        os._exit(0 if np.array_equal(model.transform(x[:5]), want) else 3)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    np.testing.assert_array_equal(model.transform(x[:5]), want)


def test_many_threads_share_a_model() -> None:
    x, _ = blobs()
    model = Unfold().fit(x)
    want = model.transform(x)
    wrong: list[int] = []

    def place(k: int) -> None:
        if not np.array_equal(model.transform(x[k::4]), want[k::4]):
            wrong.append(k)

    threads = [threading.Thread(target=place, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
