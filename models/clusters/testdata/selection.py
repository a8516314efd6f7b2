# Writes selection.json: labels and probabilities by hdbscan 0.8.44 for settings that select clusters, where hdbscan does not depend on
# the order of the rows. Run: python selection.py > selection.json
import itertools
import json

import hdbscan
import numpy as np
from sklearn.metrics import adjusted_rand_score

random = np.random.default_rng(8)
centres = np.array([[0, 0], [1.6, 0], [6, 5], [6, 6.6], [-7, 4]])
sets = {
    "nested": np.round(np.concatenate([c + random.normal(size=(18, 2)) * w for c, w in zip(centres, (0.4, 0.4, 0.5, 0.3, 1.2))]), 4),
    "one": np.round(random.normal(size=(70, 2)), 4),
}
common = {"min_cluster_size": 6, "min_samples": 3}
choices = [
    {"allow_single_cluster": single, "cluster_selection_method": method, **more}
    for single, method, more in itertools.product(
        (False, True),
        ("eom", "leaf"),
        (
            {},
            {"cluster_selection_epsilon": 0.7},
            {"cluster_selection_epsilon": 2.5},
            {"max_cluster_size": 20},
            {"cluster_selection_epsilon_max": 1.2},
            {"cluster_selection_epsilon": 0.3, "cluster_selection_epsilon_max": 4.0, "max_cluster_size": 40},
        ),
    )
]


def fit(x, settings):
    return hdbscan.HDBSCAN(**common, **settings, approx_min_span_tree=False).fit(x)


out = []
for name, x in sets.items():
    cases = []
    for settings in choices:
        first = fit(x, settings)
        for seed in range(5):
            order = np.random.default_rng(seed).permutation(len(x))
            again = np.empty(len(x), int)
            again[order] = fit(x[order], settings).labels_
            if adjusted_rand_score(first.labels_, again) < 1 or not np.array_equal(first.labels_ < 0, again < 0):
                break
        else:
            cases.append({**settings, "labels": first.labels_.tolist(), "probabilities": np.round(first.probabilities_, 9).tolist()})
    out.append({"name": name, "x": x.tolist(), "cases": cases})
print(json.dumps({**common, "sets": out}, separators=(",", ":")).replace('{"allow', '\n{"allow').replace('{"name', '\n{"name'))
