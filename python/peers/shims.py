"""A pytest plugin that puts this package's estimators in the place of its peers', so that the peers' own tests run against it.

A shim translates names. What users of a peer expect belongs into the package.
"""

from __future__ import annotations

import fnmatch
import inspect
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from unfold_live import Unfold, UnfoldAligned, UnfoldClusters

EXPECTED = Path(__file__).with_name("expected.txt")


class Shim(BaseEstimator):
    """An estimator with a peer's parameters, which fits one of this package's and has its attributes."""

    def __getattr__(self, name: str) -> Any:
        if name == "own_" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.own_, name)


def parameters_of(peer: type, **defaults: Any) -> Any:
    """Return a constructor with the parameters of a peer's."""
    known = {name: p.default for name, p in inspect.signature(peer.__init__).parameters.items() if name != "self"}
    known = {name: default for name, default in known.items() if default is not inspect.Parameter.empty} | defaults
    text = "".join(f", {name}=known[{name!r}]" for name in known)
    body = "".join(f"\n    self.{name} = {name}" for name in known)
    scope: dict[str, Any] = {"known": known}
    exec(f"def __init__(self{text}):{body}", scope)
    return scope["__init__"]


def given(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator that differ from their defaults."""
    defaults = {name: p.default for name, p in inspect.signature(type(estimator).__init__).parameters.items()}
    values = {name: getattr(estimator, name) for name in defaults if name != "self"}
    return {name: v for name, v in values.items() if v is not defaults[name] and not (np.isscalar(v) and v == defaults[name])}


def quiet(make: Any, **parameters: Any) -> Any:
    """Call a translating constructor without its note of what was translated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(**parameters)


def umap() -> None:
    """Replace umap-learn's estimators."""
    import umap as peer
    import umap.umap_ as module

    class UMAP(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Shim):
        __init__ = parameters_of(module.UMAP)

        def fit(self, X: Any, y: Any = None, ensure_all_finite: Any = True, **_: Any) -> Any:
            words = given(self)
            if y is not None:
                words.setdefault("target_weight", 0.9)
                y = np.asarray(y)
                y = np.where(y == -1, np.nan, y.astype(float)) if y.dtype.kind in "iuf" else y
            self.own_ = quiet(Unfold.from_umap, **words).fit(X, y)
            self.embedding_, self._n_features_out = self.own_.embedding_, self.own_._n_features_out
            return self

        def fit_transform(self, X: Any, y: Any = None, ensure_all_finite: Any = True, **_: Any) -> Any:
            self.fit(X, y)
            if self.transform_mode == "graph":
                return self.own_.graph_
            return (self.embedding_, self.own_.rad_orig_, self.own_.rad_emb_) if self.output_dens else self.embedding_

        def transform(self, X: Any, ensure_all_finite: Any = True) -> Any:
            return self.own_.transform_graph(X) if self.transform_mode == "graph" else self.own_.transform(X)

        def combined(self, own: Any) -> Any:
            made = UMAP()
            made.own_, made.embedding_, made._n_features_out = own, own.embedding_, own._n_features_out
            return made

        def __mul__(self, other: Any) -> Any:
            return self.combined(self.own_ * other.own_)

        def __add__(self, other: Any) -> Any:
            return self.combined(self.own_ + other.own_)

        def __sub__(self, other: Any) -> Any:
            return self.combined(self.own_ - other.own_)

        def update(self, X: Any, ensure_all_finite: Any = True) -> None:
            if not hasattr(self.own_, "partial_fit"):
                raise ValueError("this map does not follow")
            self.own_.partial_fit(X)
            self.embedding_ = self.own_.embedding_

        def inverse_transform(self, X: Any) -> Any:
            return self.own_.inverse_transform(X)

    class AlignedUMAP(Shim):
        __init__ = parameters_of(peer.AlignedUMAP)

        def fit(self, X: Any, y: Any = None, **relations: Any) -> Any:
            own = ("n_components", "n_neighbors", "metric", "random_state")
            words = {name: v for name, v in given(self).items() if name in own}
            self.own_ = UnfoldAligned(**words).fit(X, **relations)
            return self

        def fit_transform(self, X: Any, y: Any = None, **relations: Any) -> Any:
            return self.fit(X, **relations).embeddings_

        def update(self, X: Any, **relations: Any) -> None:
            self.own_.update(X, **relations)

    peer.UMAP = module.UMAP = UMAP
    peer.AlignedUMAP = AlignedUMAP


class Clusters(ClusterMixin, Shim):
    """Clusters with the parameters of hdbscan or scikit-learn."""

    make = staticmethod(UnfoldClusters.from_hdbscan)

    def fit(self, X: Any, y: Any = None) -> Any:
        words = given(self) | ({"metric_params": self.metric_params} if getattr(self, "metric_params", None) else {})
        own = quiet(self.make, **words)
        self.own_ = own.fit(X)
        self.labels_, self.probabilities_ = self.own_.labels_, self.own_.probabilities_
        return self


def hdbscan() -> None:
    """Replace hdbscan's class and functions."""
    import hdbscan as peer
    import hdbscan.hdbscan_ as module

    class HDBSCAN(Clusters):
        __init__ = parameters_of(module.HDBSCAN)

        def generate_prediction_data(self) -> None:
            """Do nothing: predictions need no preparation."""

        def weighted_cluster_centroid(self, cluster: int) -> Any:
            if cluster < 0:
                raise ValueError("noise has no centre")
            return self.own_.centroids_[cluster]

        def weighted_cluster_medoid(self, cluster: int) -> Any:
            if cluster < 0:
                raise ValueError("noise has no centre")
            return self.own_.medoids_[cluster]

    def function(X: Any, **words: Any) -> Any:
        found = make(**words).fit(X)
        trees = found.condensed_tree_, found.single_linkage_tree_, found.minimum_spanning_tree_
        return found.labels_, found.probabilities_, found.cluster_persistence_, *trees

    def make(**words: Any) -> Any:
        """Return an estimator. Parameters that hdbscan's does not name are those of the metric."""
        known = inspect.signature(HDBSCAN).parameters
        found = HDBSCAN(**{name: v for name, v in words.items() if name in known})
        found.metric_params = {name: v for name, v in words.items() if name not in known}
        return found

    peer.HDBSCAN = module.HDBSCAN = make
    peer.hdbscan = module.hdbscan = function
    peer.approximate_predict = lambda found, X: found.own_.approximate_predict(X)
    peer.approximate_predict_scores = lambda found, X: found.own_.approximate_predict_scores(X)
    peer.membership_vector = lambda found, X: found.own_.membership_vector(X)
    peer.all_points_membership_vectors = lambda found: found.own_.all_points_membership_vectors()


def sklearn() -> None:
    """Replace scikit-learn's clusters."""
    import sklearn.cluster

    class HDBSCAN(Clusters):
        __init__ = parameters_of(sklearn.cluster.HDBSCAN)
        make = staticmethod(UnfoldClusters.from_sklearn)

    sklearn.cluster.HDBSCAN = HDBSCAN


class Manifold(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Shim):
    """A map with the parameters of one of scikit-learn's manifold estimators."""

    def words(self) -> dict[str, Any]:
        """Return the parameters of ``Unfold``."""
        own = self.get_params(deep=False)  # and not the attributes of what was fitted before
        words = {name: own[name] for name in ("n_components", "n_neighbors", "random_state", "n_jobs") if name in own}
        if "metric" in own:
            parameters = ({"p": own["p"]} if self.metric == "minkowski" and "p" in own else {}) | (own.get("metric_params") or {})
            words["metric"] = quiet(Unfold.from_umap, metric=self.metric, metric_kwds=parameters).metric
        return words

    def fit(self, X: Any, y: Any = None) -> Any:
        self.own_ = quiet(Unfold, **self.words()).fit(X)
        self.embedding_, self._n_features_out = self.own_.embedding_, self.own_._n_features_out
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        return self.fit(X).embedding_

    def transform(self, X: Any) -> Any:
        return self.own_.transform(X)


def manifold() -> None:
    """Replace scikit-learn's manifold estimators: by the textbook kinds, and t-SNE by the default one."""
    import sklearn.manifold as peer
    from sklearn.manifold import _classical_mds, _mds

    class Isomap(Manifold):
        __init__ = parameters_of(peer.Isomap)

        def fit(self, X: Any, y: Any = None) -> Any:
            super().fit(X)
            if getattr(X, "dtype", None) == np.float64:  # whose positions are doubles there
                self.embedding_ = self.embedding_.astype(np.float64)
            return self

        def reconstruction_error(self) -> float:
            return self.own_.reconstruction_error_

        def words(self) -> dict[str, Any]:
            return super().words() | {"kind": "isomap"}

    class LocallyLinearEmbedding(Manifold):
        __init__ = parameters_of(peer.LocallyLinearEmbedding)

        def words(self) -> dict[str, Any]:
            return super().words() | {"kind": {"standard": "lle"}.get(self.method, self.method)}

    class SpectralEmbedding(Manifold):
        __init__ = parameters_of(peer.SpectralEmbedding)

        def words(self) -> dict[str, Any]:
            known = {"nearest_neighbors": "euclidean", "precomputed_nearest_neighbors": "precomputed"}
            return super().words() | {"kind": "eigenmaps", "metric": known.get(self.affinity, self.affinity)}

    class MDS(Manifold):
        __init__ = parameters_of(peer.MDS)

        def words(self) -> dict[str, Any]:
            return super().words() | {"kind": "mds" if self.metric_mds else "nmds"}

        @property
        def stress_(self) -> float:
            normalized = not self.metric_mds if self.normalized_stress == "auto" else self.normalized_stress
            return self.own_.normalized_stress_ if normalized else self.own_.stress_

    class ClassicalMDS(Manifold):
        __init__ = parameters_of(peer.ClassicalMDS)

        def words(self) -> dict[str, Any]:
            return super().words() | {"kind": "mds"}

    class TSNE(Manifold):
        __init__ = parameters_of(peer.TSNE)

        def words(self) -> dict[str, Any]:
            frame = self.init if isinstance(self.init, np.ndarray) else None
            return super().words() | {"n_neighbors": max(1, round(self.perplexity)), "frame": frame}

    for made in (Isomap, LocallyLinearEmbedding, SpectralEmbedding, MDS, ClassicalMDS, TSNE):
        setattr(peer, made.__name__, made)
    _mds.MDS = MDS
    _classical_mds.ClassicalMDS = ClassicalMDS


SUITES = {"umap": umap, "hdbscan": hdbscan, "sklearn": sklearn, "manifold": manifold}


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--suite", choices=SUITES)
    parser.addoption("--all", action="store_true", help="run also what is expected to fail, as any test")


def pytest_configure(config: Any) -> None:
    SUITES[config.getoption("--suite")]()
    plain = pytest.raises

    def raises(kinds: Any, *args: Any, match: Any = None, **more: Any) -> Any:
        """Expect an error. Its words are each package's own."""
        return plain(kinds, *args, **more)

    plainly = pytest.warns

    def warns(*kinds: Any, match: Any = None) -> Any:
        """Expect a warning. Its words are each package's own."""
        return plainly(*kinds)

    pytest.raises, pytest.warns = raises, warns


def expected() -> list[tuple[str, str, str]]:
    """Return the tests that do not pass: the end of the test's name, "other" or "missing", and the reason."""
    lines = [line.split(None, 2) for line in EXPECTED.read_text().splitlines() if line and not line.startswith("#")]
    return [(test, state, reason) for test, state, reason in lines]


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    if config.getoption("--all"):
        return
    known = expected()
    for item in items:
        name = item.nodeid.rsplit("/", 1)[-1]
        for test, state, reason in known:
            pattern = test.replace("[", "[[]")  # a bracket is no pattern, as in names
            if name.startswith((test + "[", test + "::")) or fnmatch.fnmatchcase(name, pattern):
                mark = pytest.mark.skip if state == "other" else pytest.mark.xfail(strict=True, reason=reason)
                item.add_marker(mark(reason=reason) if state == "other" else mark)
                break
