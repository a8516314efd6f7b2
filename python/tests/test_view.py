"""The live page."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import Any

import pytest

from unfold_live import Unfold


def get(url: str, **headers: str) -> bytes:
    """Open a page like a browser, with the cookie that the address with the token sets."""
    request = urllib.request.Request(url, headers={"Accept": "text/html", **headers})
    with urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(request, timeout=20) as r:
        return r.read()


def test_model(data: Any) -> None:
    x, _ = data
    with Unfold().fit(x).view() as page:
        assert b"<canvas" in get(page.url)
        assert json.loads(get(page.address + "/api/map", Authorization=f"Bearer {page.token}"))
        assert page.url in page._repr_html_()
        assert page.token not in repr(page)
        for path in ["/", "/api/map", "/app.js"]:
            with pytest.raises(urllib.error.HTTPError, match="401"):
                get(page.address + path)
    with pytest.raises(OSError, match="refused"):
        get(page.url)


def test_columns(data: Any) -> None:
    x, kind = data
    model = Unfold().fit(x, ids=[f"row {i}" for i in range(len(x))])
    with model.view({"kind": kind}) as page:
        assert b"row 7" in get(page.address + "/api/points", Authorization=f"Bearer {page.token}")
        why = json.loads(get(page.address + "/api/reasons/row%207", Authorization=f"Bearer {page.token}"))
        assert why["places"][0]["reasons"]
    with pytest.raises(ValueError, match="'kind' has 3 values for 600 rows"):
        model.view({"kind": kind[:3]})


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["asked to end", "killed"])
def test_a_process_that_is_killed(how: signal.Signals) -> None:
    """The page of a killed process ends, too."""
    script = (
        "import time\nimport numpy as np\nfrom unfold_live import Unfold\n"
        "page = Unfold().fit(np.random.default_rng(1).normal(size=(300, 5))).view()\nprint(page.url, flush=True)\ntime.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        url = parent.stdout.readline().strip()
        assert b"<canvas" in get(url)
        parent.send_signal(how)
    for _ in range(100):
        try:
            get(url)
        except OSError:
            return
        time.sleep(0.05)
    pytest.fail("the page outlived its process by five seconds")
