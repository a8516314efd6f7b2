"""Writes landmarks.json: maps of landmark Isomap by numpy, scipy and scikit-learn's neighbours.

The formulas are those of V. de Silva and J. Tenenbaum, "Global versus local methods in nonlinear dimensionality reduction" (NIPS
2002) and "Sparse multidimensional scaling using landmark points" (2004): classical scaling of the landmarks' geodesics, and the
triangulation -1/2 L# (delta^2 - mean delta^2) of all others. New vectors are triangulated by the lengths over their neighbours.

    pip install scikit-learn
    python landmarks.py
"""

import json
import pathlib

import numpy as np
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial.distance import cdist
from sklearn.neighbors import kneighbors_graph

K = 8
# The samples that the program draws with seed 1 (models/placing.Sample).
LANDMARKS = {
    "sheet": [2, 5, 12, 16, 17, 22, 33, 35, 38, 40, 46, 48, 71, 74, 79, 94, 100, 102, 108, 109, 113, 120, 121, 123, 136],
    "cloud": [5, 11, 14, 16, 17, 18, 23, 24, 26, 33, 36, 37, 43, 45, 46, 48, 52, 57, 67, 68, 72, 78, 80, 81, 82, 84, 94, 99, 106, 108],
}

rng = np.random.default_rng(12)
t, h = rng.uniform(1.5, 4.5, size=160), rng.uniform(0, 3, size=160)
sheet = np.stack([t * np.cos(t), h * 2, t * np.sin(t), 0.3 * h * t], axis=1)
cloud = rng.normal(size=(130, 6)) * [3, 2, 1.5, 1, 0.7, 0.5] + 2


def places(learn, more, marks, dims):
    graph = kneighbors_graph(learn, K, mode="distance")
    graph = graph.maximum(graph.T)
    assert connected_components(graph, directed=False)[0] == 1
    paths = dijkstra(graph, directed=False, indices=marks)
    squares = paths[:, marks] ** 2
    m = len(marks)
    centring = np.eye(m) - 1 / m
    values, vectors = np.linalg.eigh(-0.5 * centring @ squares @ centring)
    values, vectors = values[::-1][:dims], vectors[:, ::-1][:, :dims]
    sharp = (vectors / np.sqrt(values)).T
    mean = squares.mean(axis=1)
    all_places = (-0.5 * sharp @ (paths**2 - mean[:, None])).T
    # Of landmarks this is their classical scaling.
    np.testing.assert_allclose(all_places[marks], vectors * np.sqrt(values), atol=1e-9)
    steps = cdist(more, learn)
    near = np.argsort(steps, axis=1)[:, :K]
    over = np.stack([(steps[i, k] + paths[:, k]).min(axis=1) for i, k in enumerate(near)])
    return all_places, (-0.5 * sharp @ (over.T**2 - mean[:, None])).T


cases = []
for name, x in (("sheet", sheet), ("cloud", cloud)):
    x = x.round(3).astype(np.float32).astype(float)
    learn, more = x[:-20], x[-20:]
    learnt, others = places(learn, more, LANDMARKS[name], 2 if name == "sheet" else 3)
    cases.append({
        "name": name, "method": "isomap", "neighbors": K, "points": len(LANDMARKS[name]), "learn": learn.tolist(), "more": more.tolist(),
        "places": learnt.tolist(), "others": others.tolist(),
    })

text = json.dumps({"written_by": "numpy " + np.__version__, "cases": cases})
pathlib.Path(__file__).with_name("landmarks.json").write_text(text + "\n")
