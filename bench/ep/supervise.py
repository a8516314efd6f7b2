"""The maps that umap-learn learns by labels: reads a question as JSON, prints the answers.

x, class: rows, and their classes, -1 where it is not known. test: rows to place. weights:
what target_weight is, a map for each, below 0 without classes. seed: random_state.
"""

import json
import platform
import sys
import warnings

import numpy as np
import umap


def answer(q):
    x, y, test = (np.array(q[name], dtype=kind) for name, kind in [("x", np.float32), ("class", np.int64), ("test", np.float32)])
    maps = []
    for weight in q["weights"]:
        m = umap.UMAP(target_weight=max(weight, 0), random_state=q["seed"], n_jobs=1).fit(x, y if weight >= 0 else None)
        maps.append({"mu": m.embedding_.tolist(), "at": m.transform(test).tolist()})
    return {"umap": f"umap-learn {umap.__version__}", "python": platform.python_version(), "maps": maps}


warnings.filterwarnings("ignore")
json.dump(answer(json.load(sys.stdin)), sys.stdout)
