"""Translation of parameter names of umap-learn and other packages."""

from __future__ import annotations

import difflib
import functools
import importlib.util
import inspect
import numbers
from collections.abc import Callable, Collection, Iterable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from . import _pairwise, _settings

P = ParamSpec("P")
T = TypeVar("T")

#: Parameters that have the same name and meaning.
_SAME = ("n_components", "n_neighbors", "random_state", "n_jobs", "verbose", "precomputed_knn")

#: Metrics that have another name.
_METRICS = {"l2": "euclidean", "l1": "manhattan", "taxicab": "manhattan", "cityblock": "manhattan", "linfinity": "chebyshev"}

#: Explanations for parameters without a counterpart, which are ignored.
_NOTHING = {
    **dict.fromkeys(
        ("min_dist", "spread", "a", "b"), 'the length scales follow the data; settings={"weight": X} spreads groups apart'
    ),
    **dict.fromkeys(
        ("repulsion_strength", "negative_sample_rate"), 'repulsion is exact; settings={"weight": X} is how strong it is'
    ),
    **dict.fromkeys(("learning_rate", "early_exaggeration"), "steps are chosen by the optimizer"),
    **dict.fromkeys(("local_connectivity", "set_op_mix_ratio"), "the model's similarities have no such choice"),
    **dict.fromkeys(("transform_seed", "transform_queue_size"), "placing is exact, and chance has no part in it"),
    "transform_mode": "graph_ and transform_graph(X) are there with every map",
    "output_metric_kwds": "maps are Euclidean",
    "output_metric": "maps are Euclidean",
    "target_metric_kwds": "y are classes",
    "low_memory": 'memory="2GiB" bounds a fit',
    "unique": "equal rows are always one point",
    "target_metric": "y are classes",
    "target_n_neighbors": "y are classes",
    "angular_rp_forest": 'neighbours are exact; metric="cosine" goes by direction',
    "force_approximation_algorithm": "neighbours are exact for small data, and found by an index for large",
    "tqdm_kwds": "verbose=True shows bars",
    "disconnection_distance": "points are never left out",
    "output_dens": "sigma_ has how dense it is around each place",
    "parallel": "n_jobs is how many threads there are",
}

#: Bounds of parameters that are ignored or converted. A value outside is an error there, and so it is here.
_BOUNDS: dict[str, tuple[float, float]] = {
    "min_dist": (0, float("inf")),
    "set_op_mix_ratio": (0, 1),
    "learning_rate": (0, float("inf")),
    "repulsion_strength": (0, float("inf")),
    "negative_sample_rate": (0, float("inf")),
    "dens_lambda": (0, float("inf")),
    "dens_frac": (0, 1),
    "dens_var_shift": (0, float("inf")),
}

#: Replacements for parameters of other packages, for errors about unknown parameters.
_ELSEWHERE = {
    "n_epochs": 'settings={"steps": N}, or thorough=True',
    "max_iter": 'settings={"steps": N}, or thorough=True',
    "n_iter": 'settings={"steps": N}, or thorough=True',
    "densmap": "density=2",
    "dens_lambda": "density",
    "dens_frac": "density",
    "dens_var_shift": "density",
    "init": 'frame: "geodesic", "pca" or coordinates',
    "target_weight": "supervision",
    "perplexity": "n_neighbors",
    "affinity": 'metric="precomputed"',
    "dissimilarity": 'metric="precomputed"',
    "seed": "random_state",
    "threads": "n_jobs",
    "dims": "n_components",
    "metric_kwds": "from_umap(metric=..., metric_kwds=...)",
    **{
        name: f"UnfoldClusters({name}=...)"
        for name in ("min_cluster_size", "min_samples", "cluster_selection_method", "cluster_selection_epsilon")
    },
}

#: Replacements for parameters of umap-learn's AlignedUMAP.
_ELSEWHERE_ALIGNED = {
    "alignment_regularisation": 'settings={"frame_weight": X}',
    "alignment_window_size": "sweeps, the passes in which each slice is learnt near both adjacent ones,",
    "n_epochs": 'settings={"steps": N}',
}


#: Parameters of hdbscan with the same name and meaning here. None means the default.
_SAME_CLUSTERS = (
    *("min_cluster_size", "min_samples", "cluster_selection_method", "cluster_selection_epsilon", "cluster_selection_epsilon_max"),
    *("cluster_selection_persistence", "allow_single_cluster", "max_cluster_size", "n_jobs"),
)

#: Explanations for parameters of hdbscan and of scikit-learn's HDBSCAN without a counterpart, which are ignored.
_NOTHING_CLUSTERS = {
    **dict.fromkeys(
        ("algorithm", "leaf_size", "approx_min_span_tree"), "the spanning tree is exact, by a search that suits the rows"
    ),
    "alpha": "distances are those of the metric",
    **dict.fromkeys(("memory", "copy"), "the rows are not changed, and nothing is cached on disk"),
    **dict.fromkeys(("gen_min_span_tree", "prediction_data"), "minimum_spanning_tree_ and predict are always there"),
    "store_centers": "centroids_ and medoids_ are always there",
    "match_reference_implementation": "min_samples does not count the point itself",
    "branch_detection_data": "branches of clusters are not sought",
}

#: Replacements for parameters of hdbscan.
_ELSEWHERE_CLUSTERS = {"core_dist_n_jobs": "n_jobs"}

#: Replacements for parameters of other packages' clusters, for errors about unknown parameters.
_ELSEWHERE_CLUSTERS_TOO = {
    "eps": "dbscan_clustering(eps) after a fit",
    "min_pts": "min_samples",
    "minPts": "min_samples",
    **dict.fromkeys(("p", "metric_params"), "from_hdbscan(metric=..., p=...)"),
}


#: Parameters of SciPy's metrics of which one is needed, and examples.
_NEEDED = {"mahalanobis": ("V", "VI"), "seuclidean": ("V",)}
_EXAMPLES = {"mahalanobis": "np.cov(X.T)", "seuclidean": "X.var(axis=0, ddof=1)"}


#: Minkowski distances that have a name, by their exponent.
_MINKOWSKI = {1: "manhattan", 2: "euclidean", float("inf"): "chebyshev"}


def _metric(value: Any, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the metric for another package's. Names that only SciPy has become its functions, with ``parameters``."""
    parameters = {k: v for k, v in (parameters or {}).items() if v is not None}
    if value in ("minkowski", "p"):
        value = _MINKOWSKI.get(parameters.get("p", 2), "minkowski")
        named = f"minkowski:{parameters['p']:g}" if value == "minkowski" else value
        if _pairwise.known(named):
            return {"metric": named}
    elif not callable(value):
        parameters.pop("p", None)
    needed = _NEEDED.get(value, ()) if isinstance(value, str) else ()
    if needed and not any(name in parameters for name in needed):
        raise ValueError(f"metric={value!r} needs {' or '.join(needed)} among its parameters, such as V={_EXAMPLES[value]}")
    if value == "mahalanobis" and "V" in parameters:
        parameters["VI"] = np.linalg.inv(parameters.pop("V"))
    name = _METRICS.get(value, value) if isinstance(value, str) else value
    if isinstance(name, str) and name != "precomputed" and not _pairwise.known(name):
        name = _of_scipy(name)
    return {"metric": functools.partial(name, **parameters) if callable(name) and parameters else name}


def check_metric(cls: type, metric: Any) -> None:
    """Raise ``ValueError`` for a metric of another name in other packages."""
    if not isinstance(metric, str):
        return
    if metric in _METRICS:
        raise ValueError(f"metric={metric!r} is {_METRICS[metric]!r} here")
    if metric == "minkowski":
        raise ValueError("metric='minkowski' has its power in its name here, such as 'minkowski:1.5'")
    way = next((way for way in _FOREIGN if hasattr(cls, way)), None)
    own = metric == "mahalanobis" and way == "from_umap"  # by the covariance of the rows
    if way is not None and metric in _SCIPY_METRICS and not own:
        raise ValueError(
            f"metric={metric!r} is a function of SciPy: {cls.__name__}.{way}(metric={metric!r}) calls it for each pair"
        )


def _of_scipy(name: str) -> Any:
    """Return SciPy's function of two rows for the name of a metric, or the name if there is none."""
    if importlib.util.find_spec("scipy") is None:
        return name
    from scipy.spatial import distance

    known = name in (*_SCIPY_METRICS, "minkowski")
    return getattr(distance, name) if known and hasattr(distance, name) else name


#: Metrics that SciPy has, and the program does not.
_SCIPY_METRICS = (
    "jensenshannon",
    "mahalanobis",
    "russellrao",
    "seuclidean",
    "sokalmichener",
    "sqeuclidean",
    "yule",
)


def _shown(value: Any) -> str:
    """Return a value for a note. Functions are shown by their name."""
    f = getattr(value, "func", value)
    return f.__name__ if callable(f) and hasattr(f, "__name__") else repr(value)


def _init(value: Any) -> dict[str, Any]:
    if not isinstance(value, str):
        return {"frame": value}
    return {"frame": {"spectral": "geodesic", "tswspectral": "geodesic"}.get(value, value)} if value != "random" else {}


def _epochs(value: Any) -> dict[str, Any]:
    return {} if value is None else {"settings": {"steps": value}}


#: Parameters whose values are converted.
_TURNED: dict[str, Callable[[Any], dict[str, Any]]] = {
    "metric": _metric,
    "init": _init,
    "n_epochs": _epochs,
    "densmap": lambda value: {"density": 2.0} if value else {},
    "target_weight": lambda value: {"supervision": value},
}


def from_umap(words: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the parameters of ``Unfold`` for those of umap-learn, with a note for each renamed or unsupported one.

    Raises
    ------
    TypeError
        umap-learn does not have such a parameter.
    ValueError
        A value is out of range there, or asks for a map that is not Euclidean.
    """
    _check_values(words)
    out: dict[str, Any] = {}
    notes = []
    nothing: dict[str, list[str]] = {}
    for name, value in words.items():
        if name == "precomputed_knn" and value is not None and value[0] is None:
            continue  # umap-learn's default
        if name == "metric_kwds":
            continue  # parameters of the metric
        if name in _SAME:
            out[name] = value
        elif name in _TURNED:
            into = _metric(value, words.get("metric_kwds")) if name == "metric" else _TURNED[name](value)
            if "density" in into:
                into["density"] = float(words.get("dens_lambda", 2.0))
            out.update(into)
            if into != {name: value}:
                set_to = ", ".join(f"{k}={_shown(v)}" for k, v in into.items()) or "nothing is set"
                notes.append(f"{name}={_shown(value)}: {set_to}{_CALLED if _is_called(value, into) else ''}")
        elif name in _NOTHING:
            nothing.setdefault(_NOTHING[name], []).append(name)
        elif not name.startswith("dens_"):
            known = (*_SAME, *_TURNED, *_NOTHING, "metric_kwds")
            raise TypeError(f"umap-learn's UMAP has no parameter {name!r}{_near(name, known)}")
    notes += [f"{', '.join(names)}: nothing is set, {reason}" for reason, names in nothing.items()]
    k = _others_listed(out.get("precomputed_knn"))
    if k is not None and out.get("n_neighbors", 0) > k:
        out["n_neighbors"] = k
        notes.append(
            f"n_neighbors={words['n_neighbors']!r}: n_neighbors={k}, as precomputed_knn lists each row itself and {k} others"
        )
    return out, notes


#: The end of the note on a metric that is a function.
_CALLED = ", which is called for each pair of rows"


def _is_called(metric: Any, into: dict[str, Any]) -> bool:
    """Report whether another package's name of a metric has become a function."""
    return callable(into.get("metric")) and not callable(metric)


def _check_values(words: dict[str, Any]) -> None:
    """Raise ``ValueError`` for values of umap-learn's parameters that are errors there, or that no map here has."""
    for name, (least, most) in _BOUNDS.items():
        if words.get(name) is not None:
            _settings.real(name, words[name], least, most)
    if words.get("min_dist", 0.1) > words.get("spread", 1.0):
        raise ValueError(f"min_dist={words['min_dist']!r} is larger than spread={words.get('spread', 1.0)!r}")
    if words.get("target_n_neighbors", -1) not in (None, -1):
        _settings.whole("target_n_neighbors", words["target_n_neighbors"], 2, ", or -1")
    if words.get("output_metric", "euclidean") not in ("euclidean", "l2", None):
        raise ValueError(f"output_metric={words['output_metric']!r}: maps are Euclidean, and have no other metric")


def _others_listed(knn: Any) -> int | None:
    """Return the number of other rows in lists of neighbours that begin with the row itself, or None for other lists."""
    if knn is None:
        return None
    near = np.asarray(knn[0])
    if near.ndim != 2 or not (near[:, 0] == np.arange(len(near))).all():
        return None
    return near.shape[1] - 1


def from_hdbscan(words: dict[str, Any], *, itself: bool = False) -> tuple[dict[str, Any], list[str]]:
    """Return the parameters of ``UnfoldClusters`` for those of hdbscan, with a note for each renamed or unsupported one.

    With ``itself``, ``min_samples`` counts the point itself, as in scikit-learn.

    Raises
    ------
    TypeError
        hdbscan does not have such a parameter.
    """
    _check_values_clusters(words)
    out: dict[str, Any] = {}
    notes = []
    for name, value in words.items():
        if name in _SAME_CLUSTERS:
            out[name] = value
        elif name == "metric":
            into = _metric(value, {"p": words.get("p"), **(words.get("metric_params") or {})})
            out.update(into)
            if _is_called(value, into):
                notes.append(f"metric={value!r}: metric={_shown(into['metric'])}{_CALLED}")
        elif name in ("p", "metric_params"):
            continue  # parameters of the metric
        elif name in _ELSEWHERE_CLUSTERS:
            out[_ELSEWHERE_CLUSTERS[name]] = value
            notes.append(f"{name}={value!r}: {_ELSEWHERE_CLUSTERS[name]}={value!r}")
        elif name in _NOTHING_CLUSTERS:
            notes.append(f"{name}: nothing is set, {_NOTHING_CLUSTERS[name]}")
        else:
            known = (*_SAME_CLUSTERS, "metric", "metric_params", "p", *_ELSEWHERE_CLUSTERS, *_NOTHING_CLUSTERS)
            raise TypeError(f"HDBSCAN has no parameter {name!r}{_near(name, known)}")
    if itself:
        rank = out.get("min_samples")
        out["min_samples"] = _others(out.get("min_cluster_size", 5) if rank is None else rank)
    return out, notes


#: The algorithms of hdbscan and of scikit-learn's HDBSCAN.
_ALGORITHMS = (
    *("best", "generic", "prims_kdtree", "prims_balltree", "boruvka_kdtree", "boruvka_balltree"),
    *("auto", "brute", "kd_tree", "ball_tree"),
)


def _check_values_clusters(words: dict[str, Any]) -> None:
    """Raise ``ValueError`` for values of hdbscan's parameters that have no counterpart here and are errors there."""
    if words.get("algorithm", "best") not in _ALGORITHMS:
        raise ValueError(f"algorithm has to be one of {', '.join(_ALGORITHMS)}, not {words['algorithm']!r}")
    if "leaf_size" in words:
        _settings.whole("leaf_size", words["leaf_size"], 1)
    if words.get("p") is not None:
        _settings.real("p", words["p"], 0, float("inf"))
    if "alpha" in words and not (isinstance(words["alpha"], numbers.Real) and float(words["alpha"]) > 0):
        raise ValueError(f"alpha has to be a number above 0, not {words['alpha']!r}")


def _others(rank: Any) -> Any:
    """Return the rank of a neighbour without the point itself, at least 1. Values that are no rank are errors of the fit.

    Rank 1 leads to the clusters of rank 0: a point's nearest other is at most as far as the end of any of its edges.
    """
    return max(1, int(rank) - 1) if isinstance(rank, numbers.Integral) and int(rank) > 0 else rank


def answering(init: Callable[P, None]) -> Callable[P, None]:
    """Wrap a constructor so that errors about unknown parameters name replacements."""
    known = [name for name in inspect.signature(init).parameters if name != "self"]

    @functools.wraps(init)
    def answered(*args: P.args, **parameters: P.kwargs) -> None:
        unknown = [name for name in parameters if name not in known]
        if unknown:
            raise TypeError(answer(type(args[0]), unknown, known))
        init(*args, **parameters)

    return answered


#: Explanations for parameters of scikit-learn's classifiers that have no counterpart, and are no other package's.
_UNWEIGHTED = {
    "class_weight": "classes are not weighted in a fit; choose them by weighted shares, as by predict_proba(X) * weights",
    "sample_weight": "rows are not weighted in a fit; leave out rows that should not count, or give them the label None",
}


def unweighted(fit: Callable[P, T]) -> Callable[P, T]:
    """Wrap a fit so that the error about ``sample_weight`` says why there is none."""

    @functools.wraps(fit)
    def answered(*args: P.args, **parameters: P.kwargs) -> T:
        if "sample_weight" in parameters:
            raise TypeError(f"{type(args[0]).__name__}.fit has no parameter 'sample_weight': {_UNWEIGHTED['sample_weight']}")
        return fit(*args, **parameters)

    return answered


#: By the constructor that takes another package's parameters: the package, replacements, and explanations of what has none.
_FOREIGN = {
    "from_umap": ("umap-learn", _ELSEWHERE, _NOTHING),
    "from_hdbscan": ("hdbscan", _ELSEWHERE_CLUSTERS | _ELSEWHERE_CLUSTERS_TOO, _NOTHING_CLUSTERS),
}


def answer(cls: type, unknown: Iterable[str], known: Collection[str]) -> str:
    """Return the error message for parameters that an estimator does not have."""
    way = next((way for way in _FOREIGN if hasattr(cls, way)), None)
    package, elsewhere, nothing = _FOREIGN[way] if way else ("", _ELSEWHERE_ALIGNED, _NOTHING)
    flags = "; flags of the program go into settings" if "settings" in known else ""
    said = []
    for name in unknown:
        no = f"{cls.__name__} has no parameter {name!r}"
        if name in elsewhere:
            said.append(f"{no}; {elsewhere[name]} is nearest to it")
        elif name in nothing or name in _UNWEIGHTED:
            said.append(f"{no}: {nothing.get(name) or _UNWEIGHTED[name]}")
        else:
            said.append(f"{no}{_near(name, known)}{flags}")
    if way and any(name in elsewhere or name in nothing for name in unknown):
        said.append(f"{cls.__name__}.{way} takes {package}'s parameters")
    return ". ".join(said)


def _near(name: str, known: Iterable[str]) -> str:
    found = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {found[0]!r}?" if found else ""
