"""Parameters of umap-learn."""

from __future__ import annotations

import inspect
import re
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import russellrao
from sklearn.base import clone

from unfold_live import Unfold, UnfoldClassifier

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from umap import UMAP


@pytest.mark.parametrize(
    ("words", "want", "note"),
    [
        (
            {"n_components": 3, "n_neighbors": 20, "random_state": 4, "metric": "cosine"},
            {"n_components": 3, "n_neighbors": 20},
            None,
        ),
        ({"n_epochs": 500}, {"settings": {"steps": 500}}, "n_epochs=500: settings={'steps': 500}"),
        ({"densmap": True, "dens_lambda": 3}, {"density": 3.0}, "densmap=True: density="),
        ({"densmap": False}, {"density": None}, "densmap=False: nothing is set"),
        ({"min_dist": 0.0, "spread": 2}, {"density": None}, "min_dist, spread: nothing is set, the length scales follow the data"),
        (
            {"init": "spectral", "target_weight": 0.7},
            {"frame": "geodesic", "supervision": 0.7},
            "init='spectral': frame='geodesic'",
        ),
        ({"metric": "l1"}, {"metric": "manhattan"}, "metric='l1': metric='manhattan'"),
        ({"metric": "minkowski", "metric_kwds": {"p": 1}}, {"metric": "manhattan"}, "metric='minkowski': metric='manhattan'"),
        ({"metric": "russellrao"}, {"metric": russellrao}, "metric='russellrao': metric=russellrao"),
    ],
    ids=lambda value: re.sub(r" at 0x[0-9a-f]+", "", str(value)),  # the same in every process
)
def test_parameters_of_umap(words: dict[str, Any], want: dict[str, Any], note: str | None) -> None:
    """Parameters are translated, and a warning lists those that are renamed or unsupported."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = Unfold.from_umap(**words)
    assert {k: model.get_params()[k] for k in want} == want
    assert len(said) == (note is not None) and (note is None or note in str(said[0].message))


@pytest.mark.parametrize(
    "words",
    [
        *({name: -1} for name in ("min_dist", "learning_rate", "repulsion_strength", "dens_frac", "set_op_mix_ratio")),
        *({"dens_frac": 1.5}, {"min_dist": 2.0}, {"min_dist": "a"}, {"target_n_neighbors": 1}),
        *({"output_metric": "haversine"}, {"output_metric": 2.75}),
    ],
    ids=str,
)
def test_values_that_are_errors_there(words: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(words))):
        Unfold.from_umap(**words)


def test_neighbours_that_begin_with_the_row(data: Any) -> None:
    """umap-learn counts a row among its neighbours, also in lists."""
    from sklearn.neighbors import NearestNeighbors

    x = data[0][:200]
    far, near = NearestNeighbors(n_neighbors=15).fit(x).kneighbors(x)
    with pytest.warns(UserWarning, match=r"n_neighbors=15: n_neighbors=14"):
        model = Unfold.from_umap(n_neighbors=15, precomputed_knn=(near, far))
    want = Unfold(n_neighbors=14, precomputed_knn=(near[:, 1:], far[:, 1:]))
    np.testing.assert_array_equal(model.fit_transform(x), want.fit_transform(x))


@pytest.mark.filterwarnings("ignore")
def test_all_parameters_of_umap_are_taken() -> None:
    """The defaults of the installed version lead to a map."""
    defaults = {n: p.default for n, p in inspect.signature(UMAP.__init__).parameters.items() if n != "self"}
    del defaults["target_weight"]  # it is only valid with labels
    model = Unfold.from_umap(**defaults)
    assert model.fit_transform(np.random.default_rng(1).normal(size=(60, 4))).shape == (60, 2)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(TypeError, match="no parameter 'min_dits'; did you mean 'min_dist'"):
        Unfold.from_umap(min_dits=1)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("min_dist", "length scales follow the data.*from_umap takes"),
        ("n_epochs", '"steps": N'),
        ("perplexity", "n_neighbors is nearest"),
        ("n_neighbours", "did you mean 'n_neighbors'"),
        ("weight", "flags of the program go into settings"),
    ],
)
def test_unknown_parameters(name: str, says: str) -> None:
    """The error contains the right name."""
    for cls in (Unfold, UnfoldClassifier):
        with pytest.raises(TypeError, match=f"^{cls.__name__} has no parameter '{name}'.*{says}"):
            cls(**{name: 1})
