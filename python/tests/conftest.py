"""Shared test data, and a fixture for the program's command line."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unfold_live._binary import binary

REPOSITORY = Path(__file__).resolve().parents[2]


def blobs(n: int = 600, dim: int = 12, kinds: int = 4, seed: int = 1) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return rows around some centres, in single precision, and the centre of each row."""
    random = np.random.default_rng(seed)
    kind = random.integers(0, kinds, n)
    centres = np.random.default_rng(7).normal(size=(kinds, dim)) * 4
    return (centres[kind] + random.normal(size=(n, dim))).astype(np.float32), kind


@pytest.fixture(scope="session")
def data() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """600 rows of 12 numbers, in four groups."""
    return blobs()


@pytest.fixture
def cli(tmp_path: Path) -> Callable[..., str]:
    """Run the command line in its own folder and return its output."""

    def run(*args: str) -> str:
        done = subprocess.run([binary(), "-q", *args], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
