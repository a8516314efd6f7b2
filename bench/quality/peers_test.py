"""Checks of the peer that is written here: python peers_test.py, with the peers' libraries."""
import logging
import sys

import numpy as np
from openTSNE import TSNE

import dreams

logging.disable(logging.WARNING)
rng = np.random.default_rng(3)
u, v = rng.uniform(size=(2, 160))
x = np.stack([u * np.cos(7 * u), v, u * np.sin(7 * u)], axis=1) + 0.01 * rng.normal(size=(160, 3))


def check(what, holds):
    print(what)
    if not holds:
        sys.exit("does not hold: " + what)


def unrelated(y):
    """Returns the quartets' loss of places y, by its definition."""
    def relative(z):
        d = np.array([[np.linalg.norm(g[i] - g[j]) for i in range(4) for j in range(i + 1, 4)] for g in z])
        return d / d.sum(axis=1, keepdims=True)

    return np.sum((relative(groups) - relative(y)) ** 2)


groups, y = x[:40].reshape(10, 4, 3), rng.normal(size=(10, 4, 2))
gradient = dreams.quartet_gradient(groups, y)
worst = 0
for i in np.ndindex(y.shape):
    step = np.zeros_like(y)
    step[i] = 1e-5
    worst = max(worst, abs((unrelated(y + step) - unrelated(y - step)) / 2e-5 - gradient[i]))
check(f"the quartets' gradient is that of their loss, within {worst:.1e}", worst < 1e-7)

reference = dreams.principal(x, 2)
mds = dreams.scaled(x, 2, 1)
many = rng.permuted(np.tile(np.arange(160), (50, 1)), axis=1).reshape(-1, 4)
groups = x[many]
check(f"SQuad-MDS loses less than principal components: {unrelated(mds[many]):.2f}, {unrelated(reference[many]):.2f}",
      unrelated(mds[many]) < 0.9 * unrelated(reference[many]))
check("SQuad-MDS of a seed is the same", np.array_equal(dreams.scaled(x, 2, 1, 50), dreams.scaled(x, 2, 1, 50)))

settings = {"perplexity": 15, "early_exaggeration_iter": 50, "n_iter": 250}
free = dreams.embedder(reference, 1, 1, **settings)
free.strength = 0
plain = TSNE(initialization=free.initialization, n_jobs=1, random_state=1, **settings).fit(x)
off = np.abs(free.fit(x) - plain).max() / np.abs(plain).max()
check(f"held by nothing, the map is openTSNE's, within {off:.1e}", off < 1e-9)



def away(y):
    """Returns how far a map is from the reference of its size, relative to that."""
    far = np.linalg.norm(y) / np.linalg.norm(free.initialization) * free.initialization
    return np.linalg.norm(y - far) / np.linalg.norm(y)


held, tight = (dreams.embedder(reference, 1, 1, **settings) for _ in range(2))
tight.strength = 0.9
found = [away(np.array(y)) for y in (plain, held.fit(x), tight.fit(x))]
check("free, held and held tight, it comes nearer to the reference: {:.3f}, {:.3f}, {:.3f}".format(*found), found[0] > 1.1 * found[1] > 3 * found[2])
