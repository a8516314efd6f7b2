"""Translation of parameter names of umap-learn and other packages."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Collection, Iterable
from typing import Any, ParamSpec

P = ParamSpec("P")

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
    **dict.fromkeys(("transform_seed", "transform_queue_size", "transform_mode"), "placing is exact, and chance has no part in it"),
    **dict.fromkeys(("output_metric", "output_metric_kwds"), "maps are Euclidean"),
    "target_metric_kwds": "y are classes",
    "low_memory": 'memory="2GiB" bounds a fit',
    "unique": "equal rows are always one point",
    "target_metric": "y are classes",
    "target_n_neighbors": "y are classes",
    "metric_kwds": "metrics have no parameters; frame.assign or standardize=True scale columns",
    "angular_rp_forest": 'neighbours are exact; metric="cosine" goes by direction',
    "force_approximation_algorithm": "neighbours are exact for small data, and found by an index for large",
    "tqdm_kwds": "verbose=True shows bars",
    "disconnection_distance": "points are never left out",
    "output_dens": "sigma_ has how dense it is around each place",
    "parallel": "n_jobs is how many threads there are",
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
}


#: Parameters of hdbscan with the same name and meaning here. None means the default.
_SAME_CLUSTERS = (
    *("min_cluster_size", "min_samples", "cluster_selection_method", "cluster_selection_epsilon", "cluster_selection_epsilon_max"),
    *("allow_single_cluster", "max_cluster_size", "n_jobs"),
)

#: Explanations for parameters of hdbscan and of scikit-learn's HDBSCAN without a counterpart, which are ignored.
_NOTHING_CLUSTERS = {
    **dict.fromkeys(
        ("algorithm", "leaf_size", "approx_min_span_tree"), "the spanning tree is exact, by a search that suits the rows"
    ),
    **dict.fromkeys(("alpha", "p"), "distances are those of the metric"),
    **dict.fromkeys(("memory", "copy"), "the rows are not changed, and nothing is cached on disk"),
    "metric_params": "metrics have no parameters; a function as metric can have them",
    **dict.fromkeys(("gen_min_span_tree", "prediction_data"), "minimum_spanning_tree_ and predict are always there"),
    "store_centers": "centroids_ and medoids_ are always there",
    "match_reference_implementation": "min_samples does not count the point itself",
    "branch_detection_data": "branches of clusters are not sought",
    "cluster_selection_persistence": "the tree is not simplified",
}

#: Replacements for parameters of hdbscan.
_ELSEWHERE_CLUSTERS = {"core_dist_n_jobs": "n_jobs"}


def _metric(value: Any) -> dict[str, Any]:
    return {"metric": _METRICS.get(value, value) if isinstance(value, str) else value}


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
    """
    out: dict[str, Any] = {}
    notes = []
    for name, value in words.items():
        if name == "precomputed_knn" and value is not None and value[0] is None:
            continue  # umap-learn's default
        if name in _SAME:
            out[name] = value
        elif name in _TURNED:
            into = _TURNED[name](value)
            out.update(into)
            if into != {name: value}:
                notes.append(f"{name}={value!r}: {', '.join(f'{k}={v!r}' for k, v in into.items()) or 'nothing is set'}")
        elif name in _NOTHING:
            notes.append(f"{name}: nothing is set, {_NOTHING[name]}")
        elif not name.startswith("dens_"):
            raise TypeError(f"umap-learn's UMAP has no parameter {name!r}{_near(name, (*_SAME, *_TURNED, *_NOTHING))}")
    if "density" in out:
        out["density"] = float(words.get("dens_lambda", 2.0))
    return out, notes


def from_hdbscan(words: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the parameters of ``UnfoldClusters`` for those of hdbscan, with a note for each renamed or unsupported one.

    Raises
    ------
    TypeError
        hdbscan does not have such a parameter.
    """
    out: dict[str, Any] = {}
    notes = []
    for name, value in words.items():
        if name in _SAME_CLUSTERS:
            out[name] = value
        elif name == "metric":
            out.update(_metric(value))
        elif name in _ELSEWHERE_CLUSTERS:
            out[_ELSEWHERE_CLUSTERS[name]] = value
            notes.append(f"{name}={value!r}: {_ELSEWHERE_CLUSTERS[name]}={value!r}")
        elif name in _NOTHING_CLUSTERS:
            notes.append(f"{name}: nothing is set, {_NOTHING_CLUSTERS[name]}")
        else:
            known = (*_SAME_CLUSTERS, "metric", *_ELSEWHERE_CLUSTERS, *_NOTHING_CLUSTERS)
            raise TypeError(f"HDBSCAN has no parameter {name!r}{_near(name, known)}")
    return out, notes


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


#: By the constructor that takes another package's parameters: the package, replacements, and explanations of what has none.
_FOREIGN = {
    "from_umap": ("umap-learn", _ELSEWHERE, _NOTHING),
    "from_hdbscan": ("hdbscan", _ELSEWHERE_CLUSTERS, _NOTHING_CLUSTERS),
}


def answer(cls: type, unknown: Iterable[str], known: Collection[str]) -> str:
    """Return the error message for parameters that an estimator does not have."""
    way = next(way for way in _FOREIGN if hasattr(cls, way))
    package, elsewhere, nothing = _FOREIGN[way]
    flags = "; flags of the program go into settings" if "settings" in known else ""
    said = []
    for name in unknown:
        no = f"{cls.__name__} has no parameter {name!r}"
        if name in elsewhere:
            said.append(f"{no}; {elsewhere[name]} is nearest to it")
        elif name in nothing:
            said.append(f"{no}: {nothing[name]}")
        else:
            said.append(f"{no}{_near(name, known)}{flags}")
    if any(name in elsewhere or name in nothing for name in unknown):
        said.append(f"{cls.__name__}.{way} takes {package}'s parameters")
    return ". ".join(said)


def _near(name: str, known: Iterable[str]) -> str:
    found = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {found[0]!r}?" if found else ""
