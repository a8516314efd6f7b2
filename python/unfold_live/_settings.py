"""Conversion of an estimator's parameters to flags of the program."""

from __future__ import annotations

import numbers
from typing import Any, SupportsInt, cast

import numpy as np


def flags(settings: dict[str, Any]) -> list[str]:
    """Return the flags for settings. None and False omit a flag, and True adds it without a value.

    Parameters
    ----------
    settings : dict
        Values by flag name, with underscores instead of dashes.
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
    """Return a parameter as a whole number of at least ``least``.

    Parameters
    ----------
    name : str
        The parameter's name, for the error.
    value : Any
        Its value. Booleans and strings are rejected.
    least : int, optional
        The smallest allowed value.
    words : str
        Other allowed values, for the error.

    Raises
    ------
    ValueError
        The value is not such a number.
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
    bounds = f"of at least {least:g}" if most >= np.finfo(np.float64).max else f"from {least:g} to {most:g}"
    raise ValueError(f"{name} has to be a number {bounds}, or None, not {value!r}")


def switches(estimator: Any, *names: str) -> None:
    """Raise ``ValueError`` unless parameters are booleans."""
    for name in names:
        value = getattr(estimator, name)
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name} has to be True or False, not {value!r}")


def text(name: str, value: Any, hint: str = "") -> None:
    """Raise ``ValueError`` unless a parameter is a string."""
    if not isinstance(value, str):
        raise ValueError(f"{name} has to be a text, not {value!r}{hint}")


#: Flags of outputs, inputs and labels, which the package sets itself.
_OWN = ("output", "map", "numbers", "graph", "label", "label_file", "supervise", "neighbors_file", "vector")


def further(settings: Any) -> None:
    """Raise ``ValueError`` unless further flags are a dict by name, without those that the package sets itself."""
    if settings is None:
        return
    if not isinstance(settings, dict) or not all(isinstance(name, str) for name in settings):
        raise ValueError(f'settings has to be a dict of flags by name, such as {{"weight": 0.1}}, not {settings!r}')
    for name in settings:
        if name.replace("-", "_") in _OWN:
            raise ValueError(f"settings[{name!r}] is a flag that the package sets itself: leave it out")


def seed_of(random_state: Any) -> int | None:
    """Return the seed for a ``random_state``. None keeps the program's fixed default."""
    if random_state is None or isinstance(random_state, numbers.Integral):
        return None if random_state is None else int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ValueError(f"random_state has to be an integer, a generator of NumPy's or None, not {random_state!r}")


def threads_of(n_jobs: Any) -> int | None:
    """Return the number of threads for ``n_jobs``. None and -1 mean one per processor, and -2 one less."""
    if n_jobs is None:
        return None
    n = whole("n_jobs", n_jobs)
    if n > 0:
        return n
    if n == 0:
        raise ValueError("n_jobs has to be 1 or more, or negative: -1 is one thread a processor")
    import os

    return max(1, (os.cpu_count() or 1) + 1 + n)
