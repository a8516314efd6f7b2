"""Costs of the package: imports, starts, copies, memory.

Tests measure processor time, which a busy machine affects less.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unfold_live import Unfold


def python(script: str) -> dict[str, Any]:
    """Run a script in a separate process and return the object that it prints."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_import_is_nothing() -> None:
    """The best of five imports takes at most 50 ms and loads no dependency."""
    script = (
        "import time, sys, json; t = time.perf_counter(); import unfold_live; s = time.perf_counter() - t\n"
        "print(json.dumps({'seconds': s, 'numpy': 'numpy' in sys.modules, 'sklearn': 'sklearn' in sys.modules}))"
    )
    runs = [python(script) for _ in range(5)]
    assert not runs[0]["numpy"] and not runs[0]["sklearn"]
    assert min(r["seconds"] for r in runs) <= 0.05


MEMORY = """
import json, resource, sys, threading, time
import numpy as np
from unfold_live import Unfold
import sklearn.utils.validation
def now():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()
x = np.random.default_rng(1).random((20_000, 784), dtype=np.float32)
np.isfinite(x.sum())
before, peak, done = now(), [0], threading.Event()
def watch():
    while not done.is_set():
        peak[0] = max(peak[0], now())
        time.sleep(0.002)
w = threading.Thread(target=watch); w.start()
out = Unfold(settings={"steps": 1}).fit_transform(x)
done.set(); w.join()
print(json.dumps({"more": peak[0] - before, "out": out.nbytes, "in": x.nbytes}))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_memory() -> None:
    """Besides rows and positions, a fit takes at most 50 MB in this process."""
    r = python(MEMORY)
    assert r["more"] <= r["out"] + 50e6, r


def test_the_way_there_and_back() -> None:
    """Checking and writing 70,000 rows of 784 numbers and reading their map takes this process at most 0.3 s."""
    import time

    from unfold_live import _arrow, _files

    x = np.random.default_rng(1).random((70_000, 784), dtype=np.float32)
    small = Unfold().fit(x[:300])

    def seconds() -> float:
        begin = time.process_time()
        with _files.Folder(x.nbytes) as folder:
            small._put(x, folder, fit=False)
        return time.process_time() - begin

    def reading() -> float:
        with _files.Folder() as folder:
            np.save(folder.file("x.npy"), x[:, :5])
            model = Unfold(pca="none", settings={"steps": 1}).fit(x[:3000, :5])
            model._model.run(
                ["embed", str(folder.file("x.npy")), "-m", str(model._model.path), "-o", str(folder.file("out.arrows"))]
            )
            begin = time.process_time()
            at = _arrow.read(folder.file("out.arrows"))
            assert at["embedding"].shape == (70_000, 2)
            return time.process_time() - begin

    assert min(seconds() for _ in range(3)) + reading() <= 0.3


COLD = """
import json, resource, sys
import numpy as np
from unfold_live import Unfold
x = np.random.default_rng(1).normal(size=(5000, 50)).astype(np.float32) + np.random.default_rng(2).integers(0, 5, (5000, 1)) * 3
model = Unfold()
model.fit_transform(x)
model.close()
cpu = lambda who: sum(resource.getrusage(who)[:2])
print(json.dumps({"own": cpu(resource.RUSAGE_SELF), "child": cpu(resource.RUSAGE_CHILDREN), "sklearn": "sklearn" in sys.modules}))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processor times are read from getrusage")
def test_cold_start() -> None:
    """A new process computes the map of 5,000 rows of 50 numbers within 1.5 s on two processors with AVX-512.

    That includes importing NumPy. Without AVX-512 the limit is twice as long. scikit-learn is installed but not imported.
    """
    runs = [python(COLD) for _ in range(3)]
    assert importlib.util.find_spec("sklearn") is not None and not runs[0]["sklearn"]
    assert min(r["own"] + r["child"] / 2 for r in runs) <= (1.5 if has_avx512() else 3), runs


def has_avx512() -> bool:
    """Whether the processor has AVX-512; False if the system does not report it."""
    flags = Path("/proc/cpuinfo")
    return flags.exists() and "avx512bw" in flags.read_text()
