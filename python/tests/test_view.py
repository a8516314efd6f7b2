"""The live page."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest

from unfold_live import Unfold


def get(url: str) -> bytes:
    request = urllib.request.Request(url, headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=20) as r:
        return r.read()


def test_model(data: Any) -> None:
    x, _ = data
    with Unfold().fit(x).view() as page:
        assert b"<canvas" in get(page.url)
        assert json.loads(get(page.url.rstrip("/") + "/api/map"))
        assert page.url in page._repr_html_()
    with pytest.raises(OSError, match="refused"):
        get(page.url)


def test_columns(data: Any) -> None:
    x, kind = data
    model = Unfold().fit(x, ids=[f"row {i}" for i in range(len(x))])
    with model.view({"kind": kind}) as page:
        assert b"row 7" in get(page.url.rstrip("/") + "/api/points")
    with pytest.raises(ValueError, match="'kind' has 3 values for 600 rows"):
        model.view({"kind": kind[:3]})
