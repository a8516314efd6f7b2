"""Parameters of an estimator as flags of the program."""

from __future__ import annotations

import numbers
from typing import Any, SupportsInt, cast

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
        if isinstance(value, np.bool_):
            value = bool(value)
        if value is None or value is False:
            continue
        if value is True:
            out.append(flag)
        elif isinstance(value, list | tuple):
            out.append(f"{flag}={','.join(map(str, value))}")
        else:
            out.append(f"{flag}={value}")
    return out


def whole(name: str, value: Any, least: int | None = None, words: str = "") -> int:
    """Return a parameter that has to be a whole number of at least ``least``.

    Parameters
    ----------
    name : str
        The parameter's name, for the error.
    value : Any
        Its value. Truth values and numbers as texts are refused.
    least : int, optional
        The smallest value that is allowed.
    words : str
        Other values that are allowed, for the error.

    Raises
    ------
    ValueError
        It is something else.
    """
    if isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_):
        n = int(cast(SupportsInt, value))
        if least is None or n >= least:
            return n
    bound = "" if least is None else f" of at least {least}"
    raise ValueError(f"{name} has to be a whole number{bound}{words}, not {value!r}")


def real(name: str, value: Any, least: float, most: float) -> None:
    """Raise ``ValueError`` unless a parameter is None or a number within bounds."""
    if value is None:
        return
    if isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_) and least <= float(value) <= most:
        return
    raise ValueError(f"{name} has to be a number from {least:g} to {most:g}, or None, not {value!r}")


def switches(estimator: Any, *names: str) -> None:
    """Raise ``ValueError`` unless parameters are truth values."""
    for name in names:
        value = getattr(estimator, name)
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name} has to be True or False, not {value!r}")


def text(name: str, value: Any, hint: str = "") -> None:
    """Raise ``ValueError`` unless a parameter is a text."""
    if not isinstance(value, str):
        raise ValueError(f"{name} has to be a text, not {value!r}{hint}")


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
    n = whole("n_jobs", n_jobs)
    if n > 0:
        return n
    if n == 0:
        raise ValueError("n_jobs has to be 1 or more, or negative: -1 is one thread a processor")
    import os

    return max(1, (os.cpu_count() or 1) + 1 + n)
