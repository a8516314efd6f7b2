"""The types of attributes and results for callers that check theirs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CODE = """
from typing import Any, assert_type

import numpy as np

from unfold_live import Unfold, UnfoldAligned, UnfoldClassifier, UnfoldClusters

Array = np.ndarray[Any, Any]

x = np.zeros((9, 4))
model = Unfold(2, n_neighbors=5).fit(x)
assert_type(model, Unfold)
assert_type(model.embedding_, Array)
assert_type(model.sigma_, Array)
assert_type(model.ids_, Array)
assert_type(model.novelty_local_, Array)
assert_type(model.novelty_, Array)
assert_type(model.clusters_, Array)
assert_type(model.classes_, Array)
assert_type(model.n_features_in_, int)
assert_type(model.report_, dict[str, Any])
assert_type(model.score_, dict[str, float])
assert_type(model.rad_orig_, Array)
assert_type(model.fit_transform(x), Array)
assert_type(model.transform(x), Array)
assert_type(model.place(x).sigma, Array)
assert_type(model.inverse_transform(x), Array)
assert_type(model.inverse_transform(x, return_error=True), tuple[Array, Array])
assert_type(model.set_output(transform="pandas"), Unfold)
assert_type(Unfold.from_umap(n_neighbors=5), Unfold)

classifier = UnfoldClassifier().fit(x, [0, 1] * 4 + [0])
assert_type(classifier, UnfoldClassifier)
assert_type(classifier.classes_, Array)
assert_type(classifier.predict(x), Array)

clusters = UnfoldClusters.from_hdbscan(min_cluster_size=5).fit(x)
assert_type(clusters, UnfoldClusters)
assert_type(clusters.labels_, Array)
assert_type(clusters.probabilities_, Array)
assert_type(clusters.fit_predict(x), Array)

maps = UnfoldAligned().fit([x, x], relations=[{0: 0}])
assert_type(maps.embeddings_, list[Array])
assert_type(maps.models_[0].embedding_, Array)
"""


def mypy(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    file = folder / "own.py"
    file.write_text(code)
    flags = ["--strict", "--ignore-missing-imports", "--cache-dir", str(folder / "cache")]
    return subprocess.run([sys.executable, "-m", "mypy", *flags, str(file)], capture_output=True, text=True, cwd=folder)


def test_a_callers_code_is_checked(tmp_path: Path) -> None:
    """Attributes and results have types, so that a checker finds an attribute that is not there."""
    done = mypy(tmp_path, CODE)
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = mypy(tmp_path, CODE + "\nmodel.embeddings_\n")
    assert wrong.returncode == 1 and '"Unfold" has no attribute "embeddings_"' in wrong.stdout, wrong.stdout
