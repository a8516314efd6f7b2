"""The child process: errors, notes, interrupts, forks."""

from __future__ import annotations

import asyncio
import gc
import importlib
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unfold_live import Unfold, UnfoldError, __version__, load
from unfold_live._binary import binary
from unfold_live._process import Process
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
        (["fit", "--no-such-flag"], 'no flag "no-such-flag"'),
        (["serve", "m.unfold"], "a session runs fit, embed"),
        ([], "a session runs"),
    ],
    ids=["no file", "no flag", "no command of a session", "nothing"],
)
def test_errors_are_the_programs(args: list[str], says: str) -> None:
    s = Session()
    with pytest.raises(ValueError, match=says):
        s.run(args)
    assert s.run(["version"])  # it continues
    s.close()


def test_errors_name_the_rows(data: Any) -> None:
    x = data[0].astype(np.float64)
    x[7, 3] = 1e300
    with pytest.raises(ValueError, match=r"X\[7, 3\]") as e:
        Unfold().fit(x)
    assert "/unfold-" not in str(e.value)


def test_settings_that_make_no_sense(data: Any) -> None:
    with pytest.raises(ValueError, match="n_components"):
        Unfold(0).fit(data[0])
    with pytest.raises(ValueError, match='no flag "thickness"'):
        Unfold(settings={"thickness": 3}).fit(data[0])
    with pytest.raises(UnfoldError, match="memory: "):
        Unfold(memory="1MiB").fit(data[0])


def test_notes_are_logged(data: Any, caplog: pytest.LogCaptureFixture) -> None:
    x = data[0].copy()
    x[:, 0] *= 1e6
    with caplog.at_level(logging.INFO, "unfold_live"):
        Unfold().fit(x)
    assert any("squared distance" in r.message for r in caplog.records)


def test_a_heavy_weight_is_one_warning(data: Any) -> None:
    with pytest.warns(UserWarning, match=r"weight 100 is 1\d\d times the default for \d+ points") as seen:
        Unfold(settings={"weight": 100}).fit(data[0])
    assert [w.category for w in seen].count(UserWarning) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Unfold().fit(data[0])


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


def files_of(pid: int) -> set[Path]:
    """Return the folders of a process, found by its locked files."""
    links = (Path(f"/proc/{pid}/fd") / name for name in os.listdir(f"/proc/{pid}/fd"))
    return {Path(os.readlink(link)).parent for link in links if link.exists() and os.readlink(link).endswith("/.lock")}


def test_interrupt_stops_the_child() -> None:
    """An interrupt returns at once and stops the child. The next call starts a new one.

    Polars, which other test modules import, makes the system restart calls after an interrupt.
    """
    importlib.import_module("polars")
    # Shells let the programs that they start in the background ignore interrupts, and Python follows.
    ignored = signal.signal(signal.SIGINT, signal.default_int_handler)
    x = np.random.default_rng(1).normal(size=(60_000, 50)).astype(np.float32)
    model = Unfold(thorough=True)
    gc.collect()  # Python ignores an interrupt that meets the finalizer of another test's estimator
    before = files_of(os.getpid())
    sent = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    threading.Timer(2.0, interrupt).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(x)
    finally:
        signal.signal(signal.SIGINT, ignored)
    assert time.monotonic() - sent[0] < 8
    assert not hasattr(model, "_model")
    assert not files_of(os.getpid()) - before
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


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what a process holds is read from /proc")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["asked to end", "killed"])
def test_a_process_that_is_killed(how: signal.Signals) -> None:
    """The busy child of a killed process ends. The next process that creates a folder removes its files."""
    script = (
        "import numpy as np\nfrom unfold_live import Unfold\nimport unfold_live._unfold as u\n"
        "put = u.Unfold._put\n"
        "def said(*a, **k):\n    rows = put(*a, **k)\n    print('begins', flush=True)\n    return rows\n"
        "u.Unfold._put = said\n"
        "Unfold(settings={'steps': 1000000}).fit(np.random.default_rng(1).normal(size=(3000, 5)))"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None and parent.stdout.readline() == "begins\n"
        children: list[str] = []
        while not children:
            children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
        time.sleep(0.3)
        held = files_of(parent.pid)
        assert held
        parent.send_signal(how)
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() for pid in children):
            break
        time.sleep(0.05)
    else:
        pytest.fail("the child outlived its parent by five seconds")
    if "PYTEST_XDIST_WORKER" not in os.environ:  # tests of other workers may also be such processes
        assert all(folder.exists() for folder in held)
    other = "from unfold_live._files import Folder\nFolder(), Folder(None)"
    subprocess.run([sys.executable, "-c", other], check=True)
    assert not any(folder.exists() for folder in held)


def test_a_dead_child_is_replaced(data: Any) -> None:
    x, _ = data
    model = Unfold().fit(x)
    want = model.transform(x[:5])
    os.kill(model._model.session.pid, signal.SIGKILL)
    model._model.session._child.wait()
    np.testing.assert_array_equal(model.transform(x[:5]), want)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_fork(data: Any) -> None:
    """A fork has its own child and does not affect that of its parent."""
    x, _ = data
    model = Unfold().fit(x)
    want = model.transform(x[:5])
    pid = os.fork()
    if pid == 0:
        os._exit(0 if np.array_equal(model.transform(x[:5]), want) else 3)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    np.testing.assert_array_equal(model.transform(x[:5]), want)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_what_a_fork_changes_is_its_own(data: Any) -> None:
    """Rows added in a fork are not on its parent's map. Each worker of a pool has its own map."""
    x, _ = data
    model = Unfold().fit(x)
    before = model._model.model()
    pid = os.fork()
    if pid == 0:
        os._exit(0 if len(model.partial_fit(x[:3] + 1).embedding_) == 603 and model._model.model() != before else 3)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert model._model.model() == before
    with multiprocessing.get_context("fork").Pool(2) as pool:
        parts = pool.map(model.transform, [x[:300], x[300:]])
    np.testing.assert_array_equal(np.vstack(parts), model.transform(x))


def test_tasks_of_an_event_loop(data: Any) -> None:
    x, _ = data
    model = Unfold().fit(x)

    async def places() -> list[Any]:
        return await asyncio.gather(*(asyncio.to_thread(model.transform, x[k::3]) for k in range(3)))

    for k, part in enumerate(asyncio.run(places())):
        np.testing.assert_array_equal(part, model.embedding_[k::3])


def test_a_fit_in_a_thread(data: Any) -> None:
    """Concurrent fits lead to the same results as sequential ones."""
    x, _ = data
    with ThreadPoolExecutor(3) as pool:
        maps = list(pool.map(lambda dims: Unfold(dims).fit_transform(x), [2, 3, 2]))
    np.testing.assert_array_equal(maps[0], maps[2])
    np.testing.assert_array_equal(maps[1], Unfold(3).fit_transform(x))


@pytest.mark.skipif(sys.platform == "win32", reason="programs are scripts here")
@pytest.mark.parametrize(
    "case",
    {
        "nowhere": (None, 0, "does not start: No such file or directory; UNFOLD_BINARY names it"),
        "not to be run": ("", 0o644, "does not start: Permission denied; UNFOLD_BINARY names it"),
        "of another platform": ("\x7fELF", 0o755, "does not start: Exec format error"),
        "one that ends": ("#!/bin/sh\necho no such command >&2\nexit 2\n", 0o755, "no such command"),
        "another program": ("#!/bin/sh\nexec cat\n", 0o755, "does not answer as unfold session does"),
    }.items(),
    ids=lambda case: case[0],
)
def test_programs_that_are_not_ours(
    case: tuple[str, tuple[str | None, int, str]], data: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, mode, says = case[1]
    path = tmp_path / "unfold"
    if text is not None:
        path.write_text(text)
        path.chmod(mode)
    monkeypatch.setenv("UNFOLD_BINARY", str(path))
    with pytest.raises(UnfoldError, match=says):
        Unfold().fit(data[0])


#: A program that crashes like a Go program, at the first command of a session and in a separate command.
CRASHES = """#!{python}
import struct, sys
if "session" in sys.argv:
    for answer in (b'{{"end": {{"code": 0, "output": "unfold"}}}}', b""):
        n = struct.unpack(">I", sys.stdin.buffer.read(4))[0]
        sys.stdin.buffer.read(n)
        if answer:
            sys.stdout.buffer.write(struct.pack(">I", len(answer)) + answer)
            sys.stdout.buffer.flush()
else:
    sys.stderr.write("begins\\n")
sys.stderr.write("panic: tile: no such thing [recovered, repanicked]\\n\\n")
sys.stderr.write("goroutine 1 [running]:\\nmain.main()\\n\\t/src/main.go:7 +0x1d\\n")
sys.exit(2)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="programs are scripts here")
@pytest.mark.parametrize("command", ["session", "run"])
def test_a_crash_is_one_sentence(command: str, data: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    """The error names the reason and the file with the trace. The trace is not logged."""
    path = tmp_path / "crashes"
    path.write_text(CRASHES.format(python=sys.executable))
    path.chmod(0o755)
    monkeypatch.setenv("UNFOLD_BINARY", str(path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    caplog.set_level(logging.DEBUG, "unfold_live")
    call = (lambda: Unfold().fit(data[0])) if command == "session" else (lambda: Process(["run"]).said("nothing"))
    with pytest.raises(UnfoldError) as e:
        call()
    (trace,) = tmp_path.glob("unfold-trace-*.txt")
    assert str(e.value) == f"unfold crashed: tile: no such thing; its trace is in {trace}"
    assert "goroutine 1 [running]" in trace.read_text()
    assert "goroutine" not in caplog.text


def test_the_program_of_another_release(data: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """The program is used, and its version is logged."""
    monkeypatch.setenv("UNFOLD_BINARY", binary())
    Unfold().fit(data[0])
    assert not caplog.records
    other = Session()
    monkeypatch.setattr(other, "_ask", lambda *_: {"code": 0, "output": "unfold v0.0.1\n", "error": ""})
    other.run(["version"])
    other.close()
    assert [r.getMessage() for r in caplog.records] == [f"UNFOLD_BINARY names unfold v0.0.1, and this package is of {__version__}"]


@pytest.mark.parametrize("text", [b"", b"no model", None], ids=["empty", "another file", "cut short"])
def test_files_that_are_no_models(text: bytes | None, data: Any, tmp_path: Path) -> None:
    if text is None:
        Unfold().fit(data[0]).save(tmp_path / "m.unfold")
        text = (tmp_path / "m.unfold").read_bytes()[:2000]
    (tmp_path / "m.unfold").write_bytes(text)
    with pytest.raises(ValueError, match=r"the model|m\.unfold"):
        load(tmp_path / "m.unfold")


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
