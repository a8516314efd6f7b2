"""Writes smacof.json: SMACOF of scikit-learn from a given start, after given numbers of steps.

    pip install scikit-learn
    python smacof.py
"""

import json
import pathlib
import warnings

import numpy as np
import sklearn
from sklearn.manifold import smacof

warnings.filterwarnings("ignore")
rng = np.random.default_rng(7)
cases = []
for name, n, dim, d in [("plane", 12, 5, 2), ("line", 9, 4, 1), ("space", 15, 6, 3), ("no metric", 10, 0, 2)]:
    if dim:
        x = rng.normal(size=(n, dim)).round(3)
        delta = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
    else:
        delta = rng.uniform(0.1, 2, size=(n, n)).round(3)
        delta = np.triu(delta, 1) + np.triu(delta, 1).T
    start = rng.normal(size=(n, d)).round(3)
    start -= start.mean(0)
    after = []
    for steps in (1, 2, 5, 40):
        places, stress = smacof(delta, metric=True, n_components=d, init=start, n_init=1, max_iter=steps, eps=0, normalized_stress=True)
        after.append({"steps": steps, "places": places.tolist(), "stress": float(stress)})
    cases.append({"name": name, "delta": delta.tolist(), "start": start.tolist(), "after": after})

text = json.dumps({"written_by": "scikit-learn " + sklearn.__version__, "cases": cases})
pathlib.Path(__file__).with_name("smacof.json").write_text(text + "\n")
