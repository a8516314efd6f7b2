"""Estimators that learn live maps of high-dimensional rows with the program unfold.

>>> import numpy as np
>>> from unfold_live import Unfold
>>> X = np.random.default_rng(1).normal(size=(300, 8))
>>> Unfold().fit_transform(X).shape
(300, 2)

The wheel contains the program. Each fitted estimator has one child process
(``unfold session``), which is started on demand and receives rows as files in memory. The
results equal those of the command line for the same rows, byte for byte.

Modules are imported on first use, so ``import unfold_live`` takes milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._version import __version__

if TYPE_CHECKING:
    from ._aligned import UnfoldAligned
    from ._classifier import UnfoldClassifier
    from ._clusters import UnfoldClusters
    from ._errors import UnfoldError
    from ._stream import Stage, stream
    from ._unfold import Places, Unfold, load

_HOMES = {
    "Unfold": "_unfold",
    "Places": "_unfold",
    "load": "_unfold",
    "UnfoldAligned": "_aligned",
    "UnfoldClassifier": "_classifier",
    "UnfoldClusters": "_clusters",
    "UnfoldError": "_errors",
    "Stage": "_stream",
    "stream": "_stream",
}

__all__ = [
    "Places",
    "Stage",
    "Unfold",
    "UnfoldAligned",
    "UnfoldClassifier",
    "UnfoldClusters",
    "UnfoldError",
    "__version__",
    "load",
    "stream",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module("." + _HOMES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOMES))
