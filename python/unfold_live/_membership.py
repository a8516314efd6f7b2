"""Soft membership of rows in clusters, as hdbscan defines it, from the condensed tree and exemplars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_Array = np.ndarray[Any, Any]

#: Added to lambdas in denominators, as in hdbscan.
_TINY = 1e-8

#: Replaces the infinite lambda of equal rows, so that quotients of lambdas are numbers.
_MOST = 1e300


class Membership:
    """The part of a condensed tree that determines membership. It has n rows and V clusters, of which k are selected.

    Parameters
    ----------
    columns : dict of ndarray
        The program's table of the tree: n rows, then V clusters.
    n : int
        The number of rows.
    """

    def __init__(self, columns: dict[str, _Array], n: int) -> None:
        at = np.minimum(columns["lambda"], _MOST)
        self._of, self._lambda = columns["parent"][:n] - n, at[:n]
        parent, birth, label = columns["parent"][n:] - n, at[n:], columns["cluster"][n:]
        self.selected = np.flatnonzero(label >= 0)[np.argsort(label[label >= 0])]
        self._parent = parent
        self._last = np.zeros(len(parent))
        np.maximum.at(self._last, self._of, self._lambda)
        np.maximum.at(self._last, parent[1:], birth[1:])
        self._heights = self._meetings(parent, birth)

    def _meetings(self, parent: _Array, birth: _Array) -> _Array:
        """Return the lambda at which each cluster meets each selected one, (V, k); NaN if one contains the other."""
        clusters, k = len(parent), len(self.selected)
        around = np.zeros((clusters, k), bool)  # the cluster is the selected one or contains it
        around[self.selected, np.arange(k)] = True
        for v in range(clusters - 1, 0, -1):
            around[parent[v]] |= around[v]
        inside = np.zeros((clusters, k), bool)
        inside[self.selected, np.arange(k)] = True
        out = np.full((clusters, k), np.nan)
        for v in range(1, clusters):
            p = parent[v]
            inside[v] |= inside[p]
            out[v] = np.where(around[v] | inside[v], np.nan, np.where(around[p], birth[v], out[p]))
        return out

    def exemplars(self) -> list[_Array]:
        """Return the rows of each selected cluster that stay longest in its leaves."""
        leaf = np.ones(len(self._parent), bool)
        leaf[self._parent[1:]] = False
        stays = leaf[self._of] & (self._lambda == self._last[self._of])
        label = np.full(len(self._parent), -1)
        label[self.selected] = np.arange(len(self.selected))
        for v in range(1, len(label)):
            if label[v] < 0:
                label[v] = label[self._parent[v]]
        of = np.where(stays, label[self._of], -1)
        return [np.flatnonzero(of == c) for c in range(len(self.selected))]

    def _height(self, of: _Array, at: _Array) -> _Array:
        """Return the lambda at which rows that leave clusters ``of`` at lambdas ``at`` meet each selected cluster."""
        heights = self._heights[of]
        return np.where(np.isnan(heights), at[:, None], heights)

    def _some(self, height: _Array, at: _Array, more: float) -> _Array:
        """Return the probability that a row is in any cluster."""
        nearest = self.selected[height.argmax(axis=1)]
        return height.max(axis=1) / (np.maximum(self._last[nearest], at) + more)

    def of_rows(self, distance: _Array) -> _Array:
        """Return the membership vectors of the fitted rows, (n, k), for their distances from exemplars, (n, k)."""
        height = self._height(self._of, self._lambda)
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.exp(-((self._last[self._of] + _TINY)[:, None] / height))
            score = np.exp(score - np.nanmax(score))
            out = _shares(_closeness(distance) * _shares(score))
            return out * self._some(height, self._lambda, 0.0)[:, None]

    def of_new(self, distance: _Array, joins: _Array, at: _Array) -> _Array:
        """Return the membership vectors of new rows, (m, k), that join fitted rows at lambdas ``at``."""
        at = np.minimum(at, self._lambda[joins])
        height = self._height(self._of[joins], at)
        last = self._last[self._of[joins]][:, None]
        apart = last - height
        score = last / np.where(apart <= 0, _TINY, apart)
        score = np.exp(score - np.nanmax(score, axis=1, keepdims=True))
        out = _shares(_closeness(distance) ** 0.5 * _shares(score) ** 2)
        return out * self._some(height, at, _TINY)[:, None]


def _shares(values: _Array) -> _Array:
    return values / values.sum(axis=1, keepdims=True)


def _closeness(distance: _Array) -> _Array:
    """Return reciprocal distances, divided by their sum in each row. For distance 0 the largest number replaces the reciprocal."""
    with np.errstate(divide="ignore"):
        near = np.where(distance == 0, np.finfo(np.float64).max / distance.shape[1], 1 / distance)
    return _shares(near)


def nearest_exemplar(exemplars: list[_Array], between: Callable[[_Array], _Array]) -> _Array:
    """Return the distance of each row from the nearest exemplar of each cluster, (m, k).

    Parameters
    ----------
    exemplars : list of ndarray
        Row numbers of each cluster's exemplars.
    between : callable
        Returns the distances of the rows from some fitted rows, given their numbers.
    """
    return np.column_stack([between(rows).min(axis=1) for rows in exemplars])
