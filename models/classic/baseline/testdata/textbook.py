"""Writes textbook.json: maps of scikit-learn, and where it places other vectors.

It has no mapping by Sammon, no generative topographic mapping, and no places of other vectors by Laplacian eigenmaps and by
non-metric scaling: these are the formulas of the papers.

    pip install scikit-learn
    python textbook.py
"""

import json
import pathlib
import unittest.mock

import numpy as np
import scipy.optimize
import scipy.special
import sklearn
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA, KernelPCA
from sklearn.isotonic import IsotonicRegression
from sklearn.manifold import Isomap, LocallyLinearEmbedding, SpectralEmbedding, smacof
from sklearn.neighbors import NearestNeighbors

K = 8


class Eigenmaps:
    """Laplacian eigenmaps, with Bengio et al.'s places of new vectors (NIPS 2004, section 4)."""

    def __init__(self, dims):
        # scikit-learn counts a vector among its own neighbours.
        self.model = SpectralEmbedding(
            dims, affinity="nearest_neighbors", n_neighbors=K + 1, eigen_solver="arpack", random_state=0
        )

    def fit_transform(self, x):
        places = self.model.fit_transform(x)
        search = NearestNeighbors(n_neighbors=K).fit(x)
        length, near = search.kneighbors()
        self.search, self.reach, n = search, length[:, -1], len(x)
        kernel = np.zeros((n, n))
        np.put_along_axis(kernel, near, 0.5, axis=1)
        kernel += kernel.T
        self.mean = kernel.mean(axis=0)
        normal = kernel / n / np.sqrt(np.outer(self.mean, self.mean))
        self.vectors = places * np.sqrt(kernel.sum(axis=0))[:, None]
        self.values = np.einsum("ik,ij,jk->k", self.vectors, normal, self.vectors)
        np.testing.assert_allclose(normal @ self.vectors, self.vectors * self.values, atol=1e-10)
        return places

    def transform(self, z):
        length, near = self.search.kneighbors(z, n_neighbors=len(self.reach))
        kernel = np.zeros((len(z), len(self.reach)))
        np.put_along_axis(kernel, near, length <= self.reach[near], axis=1)
        np.put_along_axis(kernel, near[:, :K], 1 + np.take_along_axis(kernel, near[:, :K], axis=1), axis=1)
        kernel /= 2
        n, mean = kernel.shape[1], kernel.mean(axis=1)
        normal = kernel / n / np.sqrt(np.outer(mean, self.mean))
        return normal @ self.vectors / self.values / np.sqrt(n * mean)[:, None]


rng = np.random.default_rng(11)
t, h = rng.uniform(1.5, 4.5, size=160), rng.uniform(0, 3, size=160)
sheet = np.stack([t * np.cos(t), h * 2, t * np.sin(t), 0.3 * h * t], axis=1)
cloud = rng.normal(size=(130, 6)) * [3, 2, 1.5, 1, 0.7, 0.5] + 2

class WithItself(NearestNeighbors):
    """Lists a learnt vector once more, as its own first neighbour."""

    def kneighbors(self, x, n_neighbors, return_distance):
        near = super().kneighbors(x, n_neighbors - 1, return_distance=return_distance)
        return np.concatenate([near[:, :1], near], axis=1)


class TangentSpaces:
    """Local tangent space alignment of vectors with K neighbours and themselves, as in its paper.

    scikit-learn leaves them out, so that a vector which is a neighbour of no other is nowhere.
    """

    def __init__(self, dims):
        self.model = LocallyLinearEmbedding(n_components=dims, eigen_solver="dense", method="ltsa")

    def fit_transform(self, x):
        with unittest.mock.patch("sklearn.manifold._locally_linear.NearestNeighbors", WithItself):
            places = self.model.set_params(n_neighbors=K + 1).fit_transform(x)
        self.model.set_params(n_neighbors=K).nbrs_ = NearestNeighbors().fit(x)
        return places

    def transform(self, z):
        return self.model.transform(z)


def least(start, stress):
    """Where the stress is least."""
    found = scipy.optimize.minimize(stress, start.ravel(), jac=True, method="BFGS", options={"gtol": 1e-12})
    assert np.abs(found.jac).max() < 1e-6, found
    return found.x.reshape(start.shape)


class Sammon:
    """Sammon's mapping (1969), from principal components on, turned to its principal axes."""

    def __init__(self, dims):
        self.dims = dims

    def fit_transform(self, x):
        self.x, n = x, len(x)
        want = cdist(x, x) + np.eye(n)  # a point is not held against itself

        def stress(flat):
            at = flat.reshape(n, -1)
            have = cdist(at, at) + np.eye(n)
            pull = (have - want) / (have * want)
            return ((want - have) ** 2 / want).sum() / 2, 2 * (pull.sum(axis=1)[:, None] * at - pull @ at).ravel()

        start = PCA(self.dims, svd_solver="full").fit_transform(x)
        at = least(start, stress)
        at -= at.mean(axis=0)
        self.at = at @ np.linalg.svd(at)[2].T
        return self.at

    def transform(self, z):
        near = np.argsort(cdist(z, self.x), axis=1)[:, :K]
        places = [self.at[k].mean(axis=0) for k in near]
        for i, want in enumerate(cdist(z, self.x)):

            def stress(at):
                have = np.linalg.norm(at - self.at, axis=1)
                return ((want - have) ** 2 / want).sum(), 2 * ((have - want) / (have * want)) @ (at - self.at)

            places[i] = least(places[i], stress)
        return np.array(places)


class NonMetric:
    """Kruskal's non-metric scaling (1964) of scikit-learn, from principal components on, turned to its principal axes.

    scikit-learn does not place other vectors: their disparities are those of the monotone regression, and their places those of
    the least stress by these, learnt ones staying.
    """

    def __init__(self, dims):
        self.dims = dims

    def fit_transform(self, x):
        self.x, pairs = x, np.triu_indices(len(x), 1)
        start = PCA(self.dims, svd_solver="full").fit_transform(x)
        at, _, self.steps = smacof(cdist(x, x), metric=False, init=start, n_init=1, return_n_iter=True)
        at -= at.mean(axis=0)
        self.at = at @ np.linalg.svd(at)[2].T
        self.order = IsotonicRegression(out_of_bounds="clip")
        want, have = cdist(x, x)[pairs], cdist(self.at, self.at)[pairs]
        self.stress = np.sqrt(((have - self.order.fit_transform(want, have)) ** 2).sum() / (have**2).sum())
        return self.at

    def transform(self, z):
        near = np.argsort(cdist(z, self.x), axis=1)[:, :K]
        places = [self.at[k].mean(axis=0) for k in near]
        for i, delta in enumerate(cdist(z, self.x)):
            want = self.order.predict(delta)

            def stress(at):
                have = np.linalg.norm(at - self.at, axis=1)
                return ((want - have) ** 2).sum(), 2 * ((have - want) / have) @ (at - self.at)

            places[i] = least(places[i], stress)
        return np.array(places)


class Topographic:
    """Generative topographic mapping (Bishop, Svensen and Williams 1998): 15 x 15 latent points and 4 x 4 functions of a plane."""

    RIDGE, STEPS = 0.1, 60

    def __init__(self, dims):
        points, functions = {2: (15, 4), 3: (6, 3)}[dims]
        self.points, self.centres = self.grid(points, dims), self.grid(functions, dims)
        self.width = 2 / (functions - 1)

    def grid(self, side, dims):
        return np.stack(np.meshgrid(*[np.linspace(-1, 1, side)] * dims, indexing="ij"), axis=-1).reshape(-1, dims)

    def functions(self, at):
        gaussians = np.exp(-cdist(at, self.centres, "sqeuclidean") / (2 * self.width**2))
        return np.hstack([gaussians, np.ones((len(at), 1))])

    def log_densities(self, y):
        """Of vectors (rows) and latent points (columns), together."""
        q, k = y.shape[1], len(self.points)
        return q / 2 * np.log(self.beta / (2 * np.pi)) - self.beta / 2 * cdist(y, self.images, "sqeuclidean") - np.log(k)

    def fit_transform(self, x):
        self.mean, d = x.mean(axis=0), self.points.shape[1]
        self.scale = 1 / np.sqrt(((x - self.mean) ** 2).mean())
        y = (x - self.mean) * self.scale
        n, q = y.shape
        values, axes = np.linalg.eigh(np.cov(y.T, bias=True))
        values, axes = values[::-1], axes[:, ::-1].astype(np.float32).astype(float)  # as the program keeps them
        plane = self.points / self.points.std(axis=0) * np.sqrt(values[:d]) @ axes[:, :d].T
        phi = self.functions(self.points)
        weights = np.linalg.lstsq(phi, plane, rcond=1e-10)[0]
        step = np.unique(self.points[:, 0])[1] + 1
        half = step / self.points[:, 0].std() * np.sqrt(values[0]) / 2
        self.beta, self.images = 1 / max(half**2, values[d] if d < q else 0), phi @ weights
        for _ in range(self.STEPS):
            r = scipy.special.softmax(self.log_densities(y), axis=1)
            system = phi.T @ np.diag(r.sum(axis=0)) @ phi + self.RIDGE / self.beta * np.eye(phi.shape[1])
            weights = np.linalg.solve(system, phi.T @ r.T @ y)
            self.images = phi @ weights
            self.beta = n * q / (r * cdist(y, self.images, "sqeuclidean")).sum()
        self.weights = weights
        self.loglik = scipy.special.logsumexp(self.log_densities(y), axis=1).sum() + n * q * np.log(self.scale)
        return self.transform(x)

    def transform(self, z):
        return scipy.special.softmax(self.log_densities((z - self.mean) * self.scale), axis=1) @ self.points

    def inverse_transform(self, at):
        return self.functions(at) @ self.weights / self.scale + self.mean


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
        "eigenmaps": Eigenmaps(d),
        "ltsa": TangentSpaces(d),
        "sammon": Sammon(d),
        "gtm": Topographic(d),
        "nmds": NonMetric(d),
    }
    for method, model in methods.items():
        places = model.fit_transform(learn)
        case = {
            "name": name, "method": method, "neighbors": K, "learn": learn.tolist(), "more": more.tolist(),
            "places": places.tolist(), "others": model.transform(more).tolist(),
        }
        if method == "gtm":
            case |= {
                "steps": model.STEPS, "loglik": model.loglik, "sigma": 1 / np.sqrt(model.beta) / model.scale,
                "decoded": model.inverse_transform(places).tolist(),
            }
        if method == "nmds":
            case |= {"iterations": model.steps, "stress": model.stress}
        cases.append(case)

text = json.dumps({"written_by": "scikit-learn " + sklearn.__version__, "cases": cases})
pathlib.Path(__file__).with_name("textbook.json").write_text(text + "\n")
