"""The scripts of the gallery run, and what they assert holds."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from .conftest import REPOSITORY

GALLERY = REPOSITORY / "docs/gallery"
SCRIPTS = sorted(GALLERY.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script(script: Path, tmp_path: Path) -> None:
    """Each script draws one picture. UNFOLD_GALLERY=1 writes it beside the script."""
    import os

    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    runpy.run_path(str(script), run_name="__main__")
    assert len(plt.get_fignums()) == 1
    folder = GALLERY if os.environ.get("UNFOLD_GALLERY") else tmp_path
    plt.savefig(folder / f"{script.stem}.png", dpi=60, bbox_inches="tight")
    plt.close("all")


def test_page_lists_every_script() -> None:
    page = (GALLERY / "README.md").read_text()
    assert len(SCRIPTS) == 10
    for script in SCRIPTS:
        assert f"({script.name})" in page and f"({script.stem}.png)" in page and script.with_suffix(".png").exists()
