"""Explain the mean distance of events to their nearest reference rows by SHAP.

    peers.py REFERENCE.npy EVENTS.npy SETTINGS.json

SETTINGS has groups (the first element of each column, and the end), neighbors, background
(rows that stand for what is absent) and seed. One line of JSON on standard output: the
scores, and for each explainer the seconds of an event and the columns of each event by
what they add to the score, the most first.
"""
import json
import sys
import time

import numpy as np
import shap
from shap.utils._legacy import DenseData

reference, events = np.load(sys.argv[1]), np.load(sys.argv[2])
with open(sys.argv[3]) as f:
    settings = json.load(f)
k, groups = settings["neighbors"], settings["groups"]
columns = [np.arange(a, b) for a, b in zip(groups, groups[1:])]
rng = np.random.default_rng(settings["seed"])
background = reference[rng.choice(len(reference), min(settings["background"], len(reference)), replace=False)]
centre = reference.mean(axis=0)
rows = (reference - centre).astype(np.float32)
norms = (rows * rows).sum(axis=1)
asked = 0


def score(x):
    """The mean distance to the k nearest reference rows."""
    global asked
    asked += len(x)
    out = np.empty(len(x))
    for a in range(0, len(x), 2048):
        part = (x[a : a + 2048] - centre).astype(np.float32)
        d2 = norms - 2 * part @ rows.T + (part * part).sum(axis=1)[:, None]
        out[a : a + 2048] = np.sqrt(np.maximum(np.partition(d2, k - 1, axis=1)[:, :k], 0)).mean(axis=1)
    return out


class Masker:
    """Absent columns are those of the background."""

    shape = (len(background), len(columns))

    def __call__(self, mask, x):
        out = background.copy()
        for c, present in enumerate(mask):
            if present:
                out[:, columns[c]] = event[columns[c]]
        return (out,)


def permutation(x):
    global event
    event = x
    explainer = shap.PermutationExplainer(score, Masker(), seed=settings["seed"])
    return explainer(np.zeros((1, len(columns)))).values[0]


def kernel(x):
    np.random.seed(settings["seed"])
    data = DenseData(background, [str(c) for c in range(len(columns))], columns)
    explainer = shap.KernelExplainer(score, data)
    return np.asarray(explainer.shap_values(x[None], silent=True)).reshape(-1)


result = {"shap": shap.__version__, "python": sys.version.split()[0], "score": score(events).tolist(), "explainers": {}}
for name, explain in (("permutation", permutation), ("kernel", kernel)):
    explain(events[0])  # what is compiled is compiled
    asked, clock = 0, time.perf_counter()
    values = [explain(x) for x in events]
    seconds = (time.perf_counter() - clock) / len(events)
    result["explainers"][name] = {
        "seconds": seconds,
        "asked": asked / len(events),
        "columns": [[int(c) for c in np.argsort(-v, kind="stable")] for v in values],
    }
print(json.dumps(result))
