"""The map works as BERTopic's dimensionality reduction, and the clusters as its clustering."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from unfold_live import Unfold, UnfoldClusters

WORDS = {
    "ships": "harbour anchor sail captain deck keel mast tide hull rope",
    "bread": "flour yeast oven dough crust knead bake loaf salt grain",
    "stars": "galaxy orbit comet telescope nebula planet eclipse moon light dust",
}


def documents(n: int = 240) -> tuple[list[str], np.ndarray[Any, Any], list[str]]:
    """Return texts on three subjects, embeddings like those of a model, and the subjects."""
    random = np.random.default_rng(3)
    kinds = [list(WORDS)[k] for k in random.integers(0, 3, n)]
    centres = {k: random.normal(size=64) * 3 for k in WORDS}
    texts = [" ".join(random.choice(WORDS[k].split(), 12)) for k in kinds]
    return texts, np.array([centres[k] + random.normal(size=64) for k in kinds], dtype=np.float32), kinds


def test_both_slots() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from bertopic import BERTopic
    texts, at, kinds = documents()
    topics = BERTopic(umap_model=Unfold(5), hdbscan_model=UnfoldClusters(20), embedding_model=None, calculate_probabilities=False)
    found, _ = topics.fit_transform(texts[:200], embeddings=at[:200])
    assert len(set(found) - {-1}) == 3
    subject = {}
    for t in set(found) - {-1}:
        words = {w for w, _ in topics.get_topic(t)[:5]}
        subject[t] = next(k for k, own in WORDS.items() if words <= set(own.split()))
    assert sum(subject.get(t) == k for t, k in zip(found, kinds[:200], strict=True)) > 190
    new, _ = topics.transform(texts[200:], embeddings=at[200:])
    assert sum(subject.get(t) == k for t, k in zip(new, kinds[200:], strict=True)) > 36


def test_interface(data: Any) -> None:
    """The estimators have the methods that BERTopic calls."""
    x, _ = data
    umap_model, hdbscan_model = Unfold(5), UnfoldClusters()
    umap_model.fit(x, y=None)
    at = np.nan_to_num(umap_model.transform(x))
    hdbscan_model.fit(at, y=None)
    assert hdbscan_model.labels_.shape == (600,) == hdbscan_model.probabilities_.shape
    assert (hdbscan_model.predict(umap_model.transform(x[:50])) == hdbscan_model.labels_[:50]).mean() > 0.9
    with pytest.raises(ValueError, match="not fitted"):
        UnfoldClusters().predict(x)
