"""Scratch folders are private, and only abandoned ones of this user are removed."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from unfold_live import _files as files

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows keeps temporary folders apart by user")


@pytest.fixture
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder to which every user may write."""
    monkeypatch.setattr(files, "_parent", lambda _size: str(tmp_path))
    files._sweep.cache_clear()
    return tmp_path


def _abandoned(parent: Path) -> Path:
    """Create a folder like one left by a killed process."""
    code = (
        "import os, sys\nfrom unfold_live import _files as f\nf._parent = lambda _size: sys.argv[1]\n"
        "kept = f.Folder()\nprint(kept.path, flush=True)\nos.kill(os.getpid(), 9)"
    )
    left = subprocess.run([sys.executable, "-c", code, str(parent)], capture_output=True, text=True, check=False)
    return Path(left.stdout.strip())


def test_abandoned_folders_are_removed(parent: Path) -> None:
    left = _abandoned(parent)
    assert left.is_dir()
    with files.Folder() as folder:
        assert not left.exists()
        assert stat.S_IMODE(folder.path.parent.stat().st_mode) == 0o700
        files._sweep.cache_clear()
        with files.Folder():
            assert folder.path.is_dir(), "a folder in use is left alone"


def test_a_named_pipe_holds_up_nothing(parent: Path) -> None:
    trap = parent / f"unfold-{os.getuid()}" / "unfold-trap"
    trap.mkdir(parents=True)
    trap.parent.chmod(0o700)
    trap.chmod(0o700)
    os.mkfifo(trap / ".lock")
    beside = parent / "unfold-trap"
    beside.mkdir()
    os.mkfifo(beside / ".lock")
    with files.Folder():
        assert trap.is_dir()
        assert beside.is_dir()


def test_folders_of_others_stay(parent: Path) -> None:
    own = parent / f"unfold-{os.getuid()}"
    for folder, mark in {parent / "unfold-data": files._MARK, own / "unfold-data": b"", own / "unfold-notes": b"mine"}.items():
        folder.mkdir(parents=True)
        folder.chmod(0o700)
        (folder / ".lock").write_bytes(mark)
    own.chmod(0o700)
    elsewhere = parent / "kept"
    elsewhere.mkdir(mode=0o700)
    (elsewhere / ".lock").write_bytes(files._MARK)
    (own / "unfold-link").symlink_to(elsewhere)
    with files.Folder():
        assert (parent / "unfold-data").is_dir()
        assert (own / "unfold-data").is_dir()
        assert (own / "unfold-notes").is_dir()
        assert elsewhere.is_dir()


@pytest.mark.parametrize("made", ["open", "link", "file"])
def test_a_private_folder_that_another_user_made_is_not_used(parent: Path, made: str) -> None:
    own = parent / f"unfold-{os.getuid()}"
    if made == "open":
        own.mkdir()
        own.chmod(0o777)
    elif made == "link":
        (parent / "theirs").mkdir(mode=0o700)
        own.symlink_to(parent / "theirs")
    else:
        own.write_text("")
    with files.Folder() as folder:
        assert folder.path.parent == parent
        assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
