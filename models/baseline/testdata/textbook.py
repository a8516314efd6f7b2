"""Writes textbook.json: maps of scikit-learn, and where it places other vectors.

    pip install scikit-learn
    python textbook.py
"""

import json
import pathlib

import numpy as np
import sklearn
from sklearn.decomposition import PCA, KernelPCA
from sklearn.manifold import Isomap, LocallyLinearEmbedding

K = 8
rng = np.random.default_rng(11)
t, h = rng.uniform(1.5, 4.5, size=160), rng.uniform(0, 3, size=160)
sheet = np.stack([t * np.cos(t), h * 2, t * np.sin(t), 0.3 * h * t], axis=1)
cloud = rng.normal(size=(130, 6)) * [3, 2, 1.5, 1, 0.7, 0.5] + 2

cases = []
for name, x in (("sheet", sheet), ("cloud", cloud)):
    x = x.round(3).astype(np.float32).astype(float)
    learn, more = x[:-20], x[-20:]
    d = 2 if name == "sheet" else 3
    gamma = 1 / (learn.shape[1] * learn.var(axis=0).mean())
    methods = {
        "pca": PCA(d, svd_solver="full"),
        "isomap": Isomap(n_neighbors=K, n_components=d, eigen_solver="dense"),
        "lle": LocallyLinearEmbedding(n_neighbors=K, n_components=d, eigen_solver="dense"),
        "kpca": KernelPCA(d, kernel="rbf", gamma=gamma, eigen_solver="dense"),
        # Classical scaling of Euclidean distances is that of products (Gower 1966).
        "mds": KernelPCA(d, kernel="linear", eigen_solver="dense"),
    }
    for method, model in methods.items():
        places = model.fit_transform(learn)
        cases.append({
            "name": name, "method": method, "neighbors": K, "learn": learn.tolist(), "more": more.tolist(),
            "places": places.tolist(), "others": model.transform(more).tolist(),
        })

text = json.dumps({"written_by": "scikit-learn " + sklearn.__version__, "cases": cases})
pathlib.Path(__file__).with_name("textbook.json").write_text(text + "\n")
