"""Measure a peer of one row.

    peers.py TASK THREADS ROUNDS ARGS...

One line of JSON at the end says what was measured, in the words of record.go:
series of samples, versions, and what is missing because it is not installed.
Whatever is compiled at the first call is called once before it is measured.
"""
import gzip
import importlib.metadata
import json
import os
import platform
import sys
import time
import warnings

TASK, THREADS, ROUNDS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ARGS = sys.argv[4:]
PATIENCE = 600  # seconds of measuring one figure, after which there is no further round

import numpy as np

np.random.seed(1)
series, versions, missing, notes = [], {"Python": platform.python_version()}, [], []


def add(who, what, unit, samples):
    series.append({"who": who, "what": what, "unit": unit, "samples": [float(v) for v in samples]})


def timed(f):
    """Seconds of every round, and the last result."""
    out, begin = [], time.perf_counter()
    for _ in range(ROUNDS):
        clock = time.perf_counter()
        result = f()
        out.append(time.perf_counter() - clock)
        if time.perf_counter() - begin > PATIENCE:
            break
    return out, result


def note_version(*packages):
    for p in packages:
        versions[p] = importlib.metadata.version(p)


def read_idx(*paths):
    """The vectors of idx.gz files of bytes, one after the other, as float32."""
    out = []
    for path in paths:
        with gzip.open(path) as f:
            data = f.read()
        shape = np.frombuffer(data, ">i4", data[3], 4)
        out.append(np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape[0], -1))
    return np.concatenate(out).astype(np.float32)


def whole():
    """WHO DIMS MAP IMAGES...: from files to a map, once; the process is measured from outside."""
    who, dims, path, images = ARGS[0], int(ARGS[1]), ARGS[2], ARGS[3:]
    from sklearn.decomposition import PCA

    if who == "PaCMAP":
        import pacmap

        note_version("pacmap", "scikit-learn")
        model = pacmap.PaCMAP(n_components=dims, random_state=1)
    else:
        import umap

        note_version("umap-learn", "pynndescent", "scikit-learn")
        # A random_state would hold UMAP to one thread; the global seed leaves it all.
        model = umap.UMAP(n_components=dims, n_jobs=THREADS)
    z = PCA(50, random_state=1).fit_transform(read_idx(*images))
    np.save(path, np.asarray(model.fit_transform(z), dtype=np.float32))


def pca():
    """IMAGES..."""
    from sklearn.decomposition import PCA

    note_version("scikit-learn")
    x = read_idx(*ARGS)
    add("scikit-learn", "fit", "s", timed(lambda: PCA(50, svd_solver="randomized", random_state=1).fit(x))[0])


def exact():
    """VECTORS.npy K [FIGURE]"""
    import faiss

    note_version("faiss-cpu")
    faiss.omp_set_num_threads(THREADS)
    x, k = np.load(ARGS[0]), int(ARGS[1])

    def search():
        index = faiss.IndexFlatL2(x.shape[1])
        index.add(x)
        return index.search(x, k + 1)

    add("faiss IndexFlatL2", ARGS[2] if len(ARGS) > 2 else "graph", "s", timed(search)[0])


def bits():
    """K ROWS IMAGES...: of images of 0 and 1, as faiss and, for some rows, as numpy searches."""
    import faiss

    note_version("faiss-cpu", "numpy")
    faiss.omp_set_num_threads(THREADS)
    k, some = int(ARGS[0]), int(ARGS[1])
    x = np.packbits(read_idx(*ARGS[2:]) >= 128, axis=1)

    def search():
        index = faiss.IndexBinaryFlat(8 * x.shape[1])
        index.add(x)
        return index.search(x, k + 1)

    def count():
        wide = np.ascontiguousarray(np.pad(x, ((0, 0), (0, -x.shape[1] % 8)))).view(np.uint64)
        for i in range(0, len(x), len(x) // some):
            differ = np.bitwise_count(wide ^ wide[i]).sum(axis=1, dtype=np.int32)
            np.argpartition(differ, k + 1)

    add("faiss IndexBinaryFlat", "graph", "s", timed(search)[0])
    add("numpy", "%d lists" % some, "s", timed(count)[0])


def transform():
    """CALLS TRAIN TEST: one row at a time on a map of the training images."""
    import umap
    from sklearn.decomposition import PCA

    note_version("umap-learn", "pynndescent", "scikit-learn")
    calls, test = int(ARGS[0]), read_idx(ARGS[2])
    p = PCA(50, random_state=1)
    model = umap.UMAP(n_jobs=THREADS).fit(p.fit_transform(read_idx(ARGS[1])))

    def place(rows):
        return model.transform(p.transform(rows))

    for i in range(max(2, calls // 10)):
        place(test[i : i + 1])
    halves, tails = [], []
    for _ in range(ROUNDS):
        took = []
        for i in range(calls):
            clock = time.perf_counter()
            place(test[i : i + 1])
            took.append(time.perf_counter() - clock)
        took.sort()
        halves.append(took[calls // 2])
        tails.append(took[min(int(0.99 * calls), calls - 1)])
    add("umap-learn", "one, p50", "s", halves)
    add("umap-learn", "one, p99", "s", tails)
    took, _ = timed(lambda: place(test))
    add("umap-learn", "in batches", "1/s", [len(test) / s for s in took])


def recall_of(dist2, last):
    """Share of list places that hold a row as near as the true last neighbour."""
    return float((dist2 <= last * (1 + 1e-5)).mean())


def descent():
    """VECTORS.npy LAST.npy K"""
    import pynndescent

    note_version("pynndescent", "numba")
    x, last, k = np.load(ARGS[0]), np.load(ARGS[1]), int(ARGS[2])

    pynndescent.NNDescent(x[:5000], n_neighbors=k + 1, n_jobs=THREADS, random_state=1)
    for longer in [0, 5, 10, 20, 40]:

        def search_longer():
            index = pynndescent.NNDescent(x, n_neighbors=k + 1 + longer, n_jobs=THREADS, random_state=1)
            return index.neighbor_graph

        _, dist = search_longer()
        found = recall_of(np.square(dist[:, 1 : k + 1]), last)
        if found >= 0.99 or longer == 40:
            break
    add("pynndescent", "recall", "", [found])
    add("pynndescent", "graph", "s", timed(search_longer)[0])
    notes.append("pynndescent: n_neighbors %d, of which %d are used" % (k + 1 + longer, k + 1))


def measure_index(who, make, set_candidates, batch, single):
    """An HNSW index: build, queries of recall .99, single queries."""
    x, last, first, k = np.load(ARGS[0]), np.load(ARGS[1]), int(ARGS[2]), int(ARGS[3])
    rows, queries = x[:first], np.ascontiguousarray(x[first:])
    took, index = timed(lambda: make(rows))
    add(who, "build", "s", took)
    for ef in [10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512]:
        set_candidates(index, ef)
        labels = batch(index, queries, k)
        exact = ((queries[:, None, :] - rows[labels]) ** 2).sum(2)
        found = recall_of(exact, last)
        if found >= 0.99:
            break
    notes.append("%s: candidates %d" % (who, ef))
    add(who, "recall", "", [found])
    took, _ = timed(lambda: batch(index, queries, k))
    add(who, "in batches", "1/s", [len(queries) / s for s in took])
    halves, tails = [], []
    for _ in range(ROUNDS):
        took = []
        for i in range(len(queries)):
            q = queries[i : i + 1]
            clock = time.perf_counter()
            single(index, q, k)
            took.append(time.perf_counter() - clock)
        took.sort()
        halves.append(took[len(took) // 2])
        tails.append(took[int(0.99 * len(took))])
    add(who, "one, p50", "s", halves)
    add(who, "one, p99", "s", tails)


def hnsw_hnswlib():
    """VECTORS.npy LAST.npy ROWS K M CANDIDATES"""
    import hnswlib

    note_version("hnswlib")

    def make(rows):
        index = hnswlib.Index(space="l2", dim=rows.shape[1])
        index.init_index(max_elements=len(rows), M=int(ARGS[4]), ef_construction=int(ARGS[5]), random_seed=1)
        index.set_num_threads(THREADS)
        index.add_items(rows)
        return index

    measure_index(
        "hnswlib",
        make,
        lambda index, ef: index.set_ef(ef),
        lambda index, q, k: index.knn_query(q, k=k, num_threads=THREADS)[0].astype(np.int64),
        lambda index, q, k: index.knn_query(q, k=k, num_threads=1),
    )


def hnsw_faiss():
    """VECTORS.npy LAST.npy ROWS K M CANDIDATES"""
    import faiss

    note_version("faiss-cpu")
    faiss.omp_set_num_threads(THREADS)

    def make(rows):
        index = faiss.IndexHNSWFlat(rows.shape[1], int(ARGS[4]))
        index.hnsw.efConstruction = int(ARGS[5])
        index.add(rows)
        return index

    def candidates(index, ef):
        index.hnsw.efSearch = ef

    measure_index("faiss IndexHNSWFlat", make, candidates, lambda index, q, k: index.search(q, k)[1], lambda index, q, k: index.search(q, k))


def tree():
    """LISTS.npz"""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import minimum_spanning_tree

    note_version("scipy")
    lists = np.load(ARGS[0])
    index, dist2 = lists["index"], lists["dist2"]
    n, k = index.shape

    def span():
        a = csr_matrix((dist2.ravel(), index.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
        return minimum_spanning_tree(a.maximum(a.T))

    took, t = timed(span)
    if abs(t.sum() - lists["weight"][0]) > 1e-9 * t.sum():
        sys.exit("scipy's tree weighs %r, the other one %r" % (t.sum(), lists["weight"][0]))
    add("scipy", "tree", "s", took)


def read_system(path):
    """Lap(W) + Gamma and the right-hand sides."""
    from scipy.sparse import csr_matrix, diags

    s = np.load(path)
    n = len(s["diagonal"])
    return (diags(s["diagonal"]) - csr_matrix((s["data"], s["index"], s["start"]), shape=(n, n))).tocsr(), s["b"]


def systems():
    """FOLDER"""
    from scipy.sparse import diags
    from scipy.sparse.linalg import cg

    note_version("scipy")
    all_systems = [read_system(os.path.join(ARGS[0], name)) for name in sorted(os.listdir(ARGS[0]))]

    def measure(who, solver):
        def solve_all():
            worst = 0.0
            for a, b in all_systems:
                f = solver(a)
                for c in range(b.shape[1]):
                    rhs = np.ascontiguousarray(b[:, c])
                    worst = max(worst, np.linalg.norm(rhs - a @ f(rhs)) / np.linalg.norm(rhs))
            return worst

        took, worst = timed(solve_all)
        if worst > 1.1e-2:
            notes.append("%s: left out, its largest residual is %.1e" % (who, worst))
            missing.append("%s did not reach the residual" % who)
        else:
            add(who, "all systems", "s", took)

    def jacobi(a):
        m = diags(1 / a.diagonal())
        return lambda b: cg(a, b, rtol=1e-2, maxiter=20000, M=m)[0]

    measure("scipy CG, diagonal", jacobi)
    try:
        import pyamg
    except ImportError:
        missing.append("pyamg is not installed")
        return
    note_version("pyamg")

    def multigrid(make):
        def solver(a):
            ml = make(a)
            return lambda b: ml.solve(b, tol=1e-2, accel="cg", maxiter=500)

        return solver

    measure("pyamg, smoothed aggregation", multigrid(pyamg.smoothed_aggregation_solver))
    measure("pyamg, Ruge-Stuben", multigrid(pyamg.ruge_stuben_solver))


def eigen():
    """LAPLACIAN.npz TOLERANCE VALUE: until the residual is TOLERANCE times VALUE, the lowest eigenvalue."""
    import pyamg
    from scipy.sparse.linalg import lobpcg

    note_version("scipy", "pyamg")
    a, _ = read_system(ARGS[0])
    tolerance = float(ARGS[1]) * float(ARGS[2])
    n = a.shape[0]
    start = np.random.default_rng(1).standard_normal((n, 2))

    def lowest():
        m = pyamg.smoothed_aggregation_solver(a).aspreconditioner()
        return lobpcg(a, start.copy(), M=m, Y=np.ones((n, 1)) / np.sqrt(n), tol=tolerance, maxiter=500, largest=False)

    took, (values, v) = timed(lowest)
    residual = np.linalg.norm(a @ v - v * values, axis=0).max() / values.min()
    notes.append("scipy with pyamg: eigenvalues %.4g and %.4g, residual %.2g" % (min(values), max(values), residual))
    add("scipy LOBPCG with pyamg", "two eigenvectors", "s", took)


def gplvm():
    """FILE N WHAT GRADIENT: the value and gradient of a GP-LVM in numpy, named WHAT, and of N = 1000 points GPy's, named GRADIENT."""
    import threadpoolctl
    from scipy.linalg import lapack

    note_version("numpy", "scipy")
    n, d, q = int(ARGS[1]), 12, 2
    both = np.fromfile(ARGS[0])
    y, x = both[: n * d].reshape(n, d), both[n * d :].reshape(n, q)
    y = y - y.mean(0)
    gamma, variance, bias, white = 1.0, 1.0, np.exp(-1), np.exp(-1)

    def evaluate():
        norm = (x * x).sum(1)
        d2 = np.maximum(norm[:, None] + norm - 2 * (x @ x.T), 0)
        e = np.exp(-0.5 * gamma * d2)
        k = variance * e + bias
        k[np.diag_indices(n)] += white
        l, _ = lapack.dpotrf(k, lower=1)
        inverse, _ = lapack.dpotri(l, lower=1)
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        a = inverse @ y
        loglik = -0.5 * (d * n * np.log(2 * np.pi) + 2 * d * np.log(np.diag(l)).sum() + (a * y).sum())
        w = 0.5 * (a @ a.T - d * inverse)
        we = w * e
        theta = [-0.5 * variance * (we * d2).sum(), we.sum(), w.sum(), np.trace(w)]
        dx = -2 * gamma * variance * (x * we.sum(1)[:, None] - we @ x) - x
        return loglik, theta, dx

    with threadpoolctl.threadpool_limits(THREADS):
        evaluate()
        took, (loglik, _, _) = timed(evaluate)
        add("numpy on OpenBLAS", ARGS[2], "s", took)
        notes.append("numpy: log-likelihood %.10g of %d points" % (loglik, n))
        if n != 1000:
            return
        import GPy

        note_version("GPy")
        model = GPy.models.GPLVM(y, q, X=x.copy(), kernel=GPy.kern.RBF(q) + GPy.kern.Bias(q))
        v = model.optimizer_array.copy()
        model._grads(v)
        moves = iter(range(1, 1000))
        took, _ = timed(lambda: model._grads(v + 1e-6 * next(moves)))
        add("GPy", ARGS[3], "s", took)


def lllvm():
    """DATA.npz WHO WHAT"""
    import threadpoolctl

    f = np.load(ARGS[0])
    y, edges, c0, want = f["y"], f["edges"], f["c"], f["x"]
    (n, dy), d, eps, alpha = y.shape, 2, 1e-3, 1.0
    from_, to = edges[:, 0].astype(int), edges[:, 1].astype(int)
    near = [to[from_ == i] for i in range(n)]
    lap = np.zeros((n, n))
    lap[from_, to] = -1
    lap[np.arange(n), np.arange(n)] = [len(v) for v in near]
    inverse = np.linalg.inv(lap + 1 / n) - 1 / n
    prior = np.kron(np.eye(d), 2 * lap)
    ones = np.kron(np.eye(d), np.ones((n, n)))

    def sums(moments, sign):
        """The sums over p next to i and q next to j of (48) and (61), over gamma/2."""
        out = np.zeros((n * d, n * d))
        for i in range(n):
            p = near[i]
            bracket = inverse[p][:, to] - inverse[p][:, from_] - inverse[i, to] + inverse[i, from_]
            for r in range(d):
                for s in range(r + 1):
                    m = moments[r * n : (r + 1) * n, s * n : (s + 1) * n]
                    both = m[p][:, to] + sign * (m[p][:, from_] + m[i, to]) + m[i, from_]
                    row = np.bincount(from_, (bracket * both).sum(0), n)
                    out[r * n + i, s * n : (s + 1) * n] = row
                    out[s * n : (s + 1) * n, r * n + i] = row
        return out

    def iterate(c, cov_c, gamma):
        a = gamma / 2 * sums(dy * cov_c + c @ c.T, 1)
        b = np.zeros((d, n))
        for i in range(n):
            for j in near[i]:
                for r in range(d):
                    b[r, i] += gamma * (c[r * n + i] + c[r * n + j]) @ (y[i] - y[j])
        cov_x = np.linalg.inv(a + alpha * np.eye(n * d) + prior)
        x = cov_x @ b.ravel()
        both = sums(cov_x + np.outer(x, x), -1)
        h = np.zeros((n * d, dy))
        for i in range(n):
            for j in near[i]:
                for r in range(d):
                    h[r * n + i] += (y[j] - y[i]) * (x[r * n + j] - x[r * n + i])
        cov_c = np.linalg.inv(gamma / 2 * both + eps * ones + prior)
        c = gamma * cov_c @ h
        t = np.sum(both * (dy * cov_c + c @ c.T))
        gamma = dy * (n - 1) / 2 / (t / 4 - np.sum(c * h) + np.sum(y * (lap @ y)))
        return x, c, cov_c, gamma

    with threadpoolctl.threadpool_limits(THREADS):
        took, (x, _, _, _) = timed(lambda: iterate(c0, np.eye(n * d), 1.0))
    if np.abs(x.reshape(d, n).T - want).max() > 1e-6 * np.abs(want).max():
        sys.exit("numpy's means of q(x) differ from the other ones")
    note_version("numpy")
    add(ARGS[1], ARGS[2], "s", took)


def ep():
    """FILE N M WHAT: psi statistics in the plane and their gradients, named WHAT."""
    import GPy
    from GPy.core.parameterization.variational import NormalPosterior

    note_version("GPy", "numpy")
    n, m = int(ARGS[1]), int(ARGS[2])
    all_numbers, at = np.fromfile(ARGS[0]), 0
    parts = []
    for rows, cols in [(n, 2), (n, 2), (m, 2), (n, m), (m, m)]:
        parts.append(all_numbers[at : at + rows * cols].reshape(rows, cols))
        at += rows * cols
    mu, s, z, w1, w2 = parts
    kernel = GPy.kern.RBF(2, variance=2.0, lengthscale=[0.5**0.5] * 2, ARD=True)
    rounds = [0]

    def statistics():
        # It remembers the last answer to the same arguments: other ones each time.
        rounds[0] += 1
        q = NormalPosterior(mu + 1e-13 * rounds[0], s.copy())
        kernel.psi0(z, q)
        first, second = kernel.psi1(z, q), kernel.psi2(z, q)
        weights = dict(dL_dpsi0=np.zeros(n), dL_dpsi1=w1, dL_dpsi2=w2, Z=z, variational_posterior=q)
        kernel.update_gradients_expectations(**weights)
        kernel.gradients_Z_expectations(**weights)
        kernel.gradients_qX_expectations(**weights)
        return (first * w1).sum() + (second * w2).sum(), float(kernel.variance.gradient[0])

    took, (value, slope) = timed(statistics)
    notes.append("GPy: sums weighted %.10g, derivative in the variance %.10g" % (value, slope))
    add("GPy", ARGS[3], "s", took)


def textbook():
    """ALL.npy ROLL.npy LEARNT.npy REST.npy K: maps of all rows and of a roll, and of learnt rows, by which the rest are placed."""
    from sklearn.decomposition import PCA, KernelPCA
    from sklearn.manifold import Isomap, LocallyLinearEmbedding, SpectralEmbedding

    note_version("scikit-learn", "scipy", "numpy")
    x, roll, learnt, rest = (np.load(path) for path in ARGS[:4])
    k = int(ARGS[4])
    gamma = 1 / (learnt.shape[1] * learnt.var(axis=0).mean())
    # SpectralEmbedding counts a row among its own neighbours.
    graph = dict(affinity="nearest_neighbors", n_neighbors=k + 1, random_state=0, n_jobs=THREADS)
    local = dict(n_neighbors=k, random_state=0, n_jobs=THREADS)
    for name, rows, model in (
        ("pca", x, PCA(2, random_state=0)),
        ("eigenmaps", x, SpectralEmbedding(**graph)),
        ("lle", roll, LocallyLinearEmbedding(**local)),
        ("ltsa", roll, LocallyLinearEmbedding(method="ltsa", **local)),
    ):
        add("scikit-learn", name, "s", timed(lambda: model.fit_transform(rows))[0])
    for name, model in (
        ("isomap", Isomap(n_neighbors=k, n_jobs=THREADS)),
        ("kpca", KernelPCA(2, kernel="rbf", gamma=gamma, random_state=0, n_jobs=THREADS)),
    ):
        add("scikit-learn", name, "s", timed(lambda: model.fit(learnt).transform(rest))[0])


TASKS = {f.__name__: f for f in [whole, pca, exact, bits, descent, hnsw_hnswlib, hnsw_faiss, tree, systems, eigen, transform, gplvm, lllvm, ep, textbook]}

warnings.filterwarnings("ignore")
try:
    TASKS[TASK]()
except ImportError as e:
    missing.append("%s is not installed" % e.name)
print(json.dumps({"series": series, "versions": versions, "missing": missing, "notes": notes}))
