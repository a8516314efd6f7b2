"""Parameters of an estimator as flags of the program."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np


def flags(settings: dict[str, Any]) -> list[str]:
    """Return the flags of settings: None and False leave one out, True gives it bare.

    Parameters
    ----------
    settings : dict
        Values by the names of flags; an underscore stands for a dash.
    """
    out = []
    for name, value in settings.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            out.append(flag)
        elif isinstance(value, list | tuple):
            out.append(f"{flag}={','.join(map(str, value))}")
        else:
            out.append(f"{flag}={value}")
    return out


def seed_of(random_state: Any) -> int | None:
    """Return the seed of a ``random_state``; None leaves the program's own, which is fixed."""
    if random_state is None or isinstance(random_state, numbers.Integral):
        return None if random_state is None else int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ValueError(f"random_state has to be an integer, a generator of NumPy's or None, not {random_state!r}")


def threads_of(n_jobs: Any) -> int | None:
    """Return how many threads ``n_jobs`` means: None and -1 are one a processor, -2 one less."""
    if n_jobs is None:
        return None
    n = int(n_jobs)
    if n > 0:
        return n
    if n == 0:
        raise ValueError("n_jobs has to be 1 or more, or negative: -1 is one thread a processor")
    import os

    return max(1, (os.cpu_count() or 1) + 1 + n)
