"""DREAMS: t-SNE that is held near an embedding of the whole (Kury, Kobak, Damrich, arXiv 2508.13747).

Its objective is

    (1 - lambda) KL(Y) + lambda/n |Y - alpha R|^2,    alpha = |Y| / |R|

with a reference R: the leading principal components, or an embedding by
multidimensional scaling. This file has the steps that the authors' program (a
changed openTSNE, published as source) takes, around the gradient,
the step sizes and the schedule of the openTSNE that is installed: openTSNE's own
step times 1 - lambda, less the reference's gradient, times lambda twice, as there;
momentum and gains are of t-SNE alone. The map starts from R.

The authors' reference by multidimensional scaling is SQuad-MDS (Lambert, de Bodt,
Verleysen, Lee, Neurocomputing 2022): in every iteration the points are split at
random into groups of four, and each group takes a step that brings its six
distances, relative to their sum, nearer to those in the data.
"""
import numpy as np
from openTSNE import TSNE
from openTSNE.tsne import gradient_descent

# Default of the authors' program.
STRENGTH = 0.1

# Pairs among four points.
FIRST, SECOND = np.triu_indices(4, 1)


class Held(gradient_descent):
    """openTSNE's gradient descent with steps towards a reference."""

    def __init__(self, reference, strength=STRENGTH):
        super().__init__()
        self.reference, self.strength = reference, strength

    def copy(self):
        other = super().copy()
        other.reference, other.strength = self.reference, self.strength
        return other

    def __call__(
        self, embedding, P, n_iter, objective_function, learning_rate, momentum, exaggeration=None, dof=1, min_gain=0.01,
        max_step_norm=5, theta=0.5, n_interpolation_points=3, min_num_intervals=50, ints_in_interval=1, n_jobs=1, **_
    ):
        y = embedding.view(np.ndarray)
        if self.update is None:
            self.update, self.gains = np.zeros_like(y), np.ones_like(y)
        if exaggeration is not None:
            P = P * exaggeration
        for _ in range(n_iter):
            error, gradient = objective_function(
                embedding, P, dof=dof, bh_params={"theta": theta}, reference_embedding=None, n_jobs=n_jobs, should_eval_error=False,
                fft_params={"n_interpolation_points": n_interpolation_points, "min_num_intervals": min_num_intervals, "ints_in_interval": ints_in_interval},
            )
            gradient = gradient.view(np.ndarray)
            flipped = np.sign(self.update) != np.sign(gradient)
            self.gains = np.where(flipped, self.gains + 0.2, self.gains * 0.8 + min_gain)
            self.update = momentum * self.update - learning_rate * self.gains * gradient
            self.update *= np.minimum(1, max_step_norm / np.maximum(np.linalg.norm(self.update, axis=1, keepdims=True), 1e-300))
            y += (1 - self.strength) * self.update - self.strength**2 * learning_rate * self.pull(y)
            y -= y.mean(axis=0)
        return error, embedding

    def pull(self, y):
        """Returns the gradient of |Y - alpha R|^2 / n, alpha fixed."""
        alpha = np.linalg.norm(y) / (np.linalg.norm(self.reference) + 1e-8)
        return 2 / len(y) * (y - alpha * self.reference)


def principal(x, dims):
    """Returns the coordinates of rows by their leading principal components."""
    x = x - x.mean(axis=0, dtype=np.float64)
    values, vectors = np.linalg.eigh(x.T @ x)
    return x @ vectors[:, ::-1][:, :dims]


def quartet_gradient(x, y):
    """Returns the gradient, by the places y (groups x 4 x dims), of the sum of squared
    differences between relative distances there and among the rows x."""
    def distances(z):
        apart = z[:, FIRST] - z[:, SECOND]
        return apart, np.sqrt(np.einsum("gpc,gpc->gp", apart, apart))

    wanted = distances(x)[1]
    wanted = wanted / (wanted.sum(axis=1, keepdims=True) + 1e-12)
    apart, d = distances(y)
    d = d + 1e-12
    total = d.sum(axis=1, keepdims=True)
    share = d / total
    off = share - wanted
    # With s the sum of distances d, the share's derivative by d_k is (delta - share)/s.
    slope = 2 / total * (off - np.sum(off * share, axis=1, keepdims=True))
    force = (slope / d)[:, :, None] * apart
    out = np.zeros_like(y)
    for p in range(len(FIRST)):
        out[:, FIRST[p]] += force[:, p]
        out[:, SECOND[p]] -= force[:, p]
    return out


def scaled(x, dims, seed, steps=3000):
    """Returns an embedding by SQuad-MDS with its program's settings: from principal
    components of deviation 10, steps with Nesterov's momentum whose size decays."""
    decay, friction = 0.34, 0.99
    rng = np.random.default_rng(seed)
    y = principal(x, dims)
    y *= 10 / y.std()
    speed, gradient = np.zeros_like(y), np.zeros_like(y)
    whole = len(y) // 4 * 4
    for i in range(steps):
        late = max(0, i / steps - 0.1) / 0.9
        rate = np.exp(-late * late / decay) - np.exp(-1 / decay)
        speed *= friction
        groups = rng.permutation(len(y))[:whole].reshape(-1, 4)
        gradient.fill(0)
        gradient[groups] = quartet_gradient(x[groups], (y + speed)[groups])
        speed -= rate * gradient
        y += speed
    return y


class Dreams(TSNE):
    """openTSNE that starts from a reference and is held near it."""

    strength = STRENGTH

    def prepare_initial(self, X=None, affinities=None, initialization=None):
        embedding = super().prepare_initial(X, affinities, initialization)
        embedding.optimizer = Held(np.array(embedding), self.strength)
        return embedding


def embedder(reference, threads, seed, **settings):
    """Returns what makes maps near the rows of the reference, by openTSNE's settings."""
    reference = reference - reference.mean(axis=0)
    start = np.ascontiguousarray(reference / reference[:, 0].std(), dtype=np.float64)
    return Dreams(n_components=start.shape[1], n_jobs=threads, random_state=seed, initialization=start, **settings)
