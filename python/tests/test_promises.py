"""Guarantees for users of umap-learn, compared with the behaviour of umap-learn.

Each test names reports in umap-learn's tracker (github.com/lmcinnes/umap/issues). It shows
the behaviour of the installed version, and that of this package for the same rows. Problems
that umap-learn has fixed are marked, and their tests check the fix.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from unfold_live import Unfold

from .conftest import blobs

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from umap import UMAP


#: In one worker, so that numba compiles umap-learn only once, which takes most of the time.
pytestmark = pytest.mark.xdist_group("umap")


@pytest.fixture(scope="module")
def both() -> tuple[Any, Any, Any]:
    """The same rows, fitted by both packages."""
    x, _ = blobs(400)
    return x, UMAP(random_state=1).fit(x), Unfold().fit(x)


def test_566_a_row_does_not_depend_on_those_beside_it(both: tuple[Any, Any, Any]) -> None:
    """Issue 566: the position of a row depends on the other rows in the same transform."""
    _, theirs, ours = both
    new = blobs(60, seed=5)[0]
    together, alone = theirs.transform(new), np.vstack([theirs.transform(new[i : i + 1]) for i in range(20)])
    assert not np.allclose(together[:20], alone, atol=1e-3)
    np.testing.assert_array_equal(ours.transform(new)[:20], np.vstack([ours.transform(new[i : i + 1]) for i in range(20)]))
    np.testing.assert_array_equal(ours.transform(new[::-1])[::-1], ours.transform(new))


def test_566_a_row_that_was_fitted_has_its_place(both: tuple[Any, Any, Any]) -> None:
    """The same report: transform moves rows of the fit to other positions."""
    x, theirs, ours = both
    mixed = np.vstack([x[:20], blobs(5, seed=6)[0]])
    assert not np.allclose(theirs.transform(mixed)[:20], theirs.embedding_[:20], atol=1e-3)
    np.testing.assert_array_equal(ours.transform(mixed)[:20], ours.embedding_[:20])


def test_384_placing_does_not_change_the_map(both: tuple[Any, Any, Any]) -> None:
    """Issue 384: transform changes the positions of the fit. It is fixed there. Here the model file is unchanged."""
    _, theirs, ours = both
    new = blobs(60, seed=7)[0]
    was = theirs.embedding_.copy()
    theirs.transform(new)
    np.testing.assert_array_equal(theirs.embedding_, was)
    model, first = ours._model.model(), ours.transform(new)
    np.testing.assert_array_equal(ours.transform(new), first)
    assert ours._model.model() == model


def test_790_rows_come_and_go() -> None:
    """Issue 790: update fits all rows again, so that existing rows move. Rows cannot be removed."""
    x, more = blobs(400)[0], blobs(40, seed=8)[0]
    theirs, ours = UMAP(random_state=1).fit(x), Unfold().fit(x)
    was = theirs.embedding_.copy()
    theirs.update(more)
    assert not hasattr(theirs, "forget")
    moved = np.median(np.linalg.norm(theirs.embedding_[:400] - was, axis=1)) / np.ptp(was, axis=0).max()
    was = ours.embedding_.copy()
    ours.partial_fit(more).forget(range(10))
    stayed = np.median(np.linalg.norm(ours.embedding_[:390] - was[10:], axis=1)) / np.ptp(was, axis=0).max()
    assert stayed < 0.02
    assert stayed < moved


def test_153_525_1080_1108_the_same_map_on_any_number_of_threads() -> None:
    """Issues 153, 525, 1080, 1108: without a seed maps differ. With a seed umap-learn uses one thread."""
    x, _ = blobs(400)
    a, b = (UMAP(n_jobs=2).fit_transform(x) for _ in range(2))
    assert not np.array_equal(a, b)
    with pytest.warns(UserWarning, match="n_jobs value"):
        UMAP(random_state=1, n_jobs=2).fit(x)
    for threads in (1, 2):
        np.testing.assert_array_equal(Unfold(n_jobs=threads).fit_transform(x), Unfold().fit_transform(x))


def test_500_511_125_memory_has_a_bound() -> None:
    """Issues 500, 511, 125: memory has no limit. Here a fit predicts its memory before it begins and respects a limit."""
    x = np.random.default_rng(1).random((20_000, 100), dtype=np.float32)
    assert "memory" not in UMAP().get_params()
    with pytest.raises(RuntimeError, match="give memory="):
        Unfold(memory="20MiB").fit(x)
    assert Unfold(memory="1GiB", settings={"steps": 5}).fit(x).embedding_.shape == (20_000, 2)


def test_423_473_1049_1160_pickles_load_and_are_small(both: tuple[Any, Any, Any]) -> None:
    """Issues 423, 473, 1049, 1160: pickles contain compiled code and indexes. They are large and depend on versions.

    Here they contain the model file, whose format stays readable, and load without a compiler.
    """
    x, theirs, ours = both
    raw = pickle.dumps(ours)
    theirs.transform(x[:3])
    assert len(raw) < len(pickle.dumps(theirs))
    script = (
        "import pickle, sys\nimport numpy as np\nm = pickle.loads(sys.stdin.buffer.read())\n"
        "at = m.transform(np.ones((1, 12)))\n"
        "assert not {'numba', 'pynndescent', 'umap'} & set(sys.modules)\n"
        "sys.stdout.buffer.write(at.tobytes())"
    )
    out = subprocess.run([sys.executable, "-c", script], input=raw, capture_output=True, check=False)
    assert out.returncode == 0, out.stderr
    np.testing.assert_array_equal(np.frombuffer(out.stdout, np.float32)[None], ours.transform(np.ones((1, 12))))


def test_1028_new_rows_of_a_map_with_labels() -> None:
    """Issue 1028: a map that is learnt with labels separates the fitted rows better than new rows.

    There labels pull the classes of the fit apart, but not new rows, whose labels are unknown. Here they do not influence
    the map without ``supervision``, so new rows mix like those of the fit.
    """
    rng = np.random.default_rng(4)
    kind = rng.integers(0, 2, 2000)
    x = (rng.normal(size=(2000, 6)) + 0.7 * kind[:, None]).astype(np.float32)
    seen, new = slice(0, 1000), slice(1000, 2000)

    def gap(fitted: np.ndarray[Any, Any], placed: np.ndarray[Any, Any]) -> float:
        """Return the difference in accuracy of nine nearest neighbours between fitted and new rows."""
        near = KNeighborsClassifier(9).fit(fitted, kind[seen])
        alone = near.kneighbors(return_distance=False)  # without each row itself
        return float(np.mean((kind[seen][alone].mean(1) > 0.5) == kind[seen]) - near.score(placed, kind[new]))

    theirs, ours = UMAP(random_state=1).fit(x[seen], kind[seen]), Unfold().fit(x[seen], kind[seen])
    assert gap(theirs.embedding_, theirs.transform(x[new])) > 0.1
    assert abs(gap(ours.embedding_, ours.transform(x[new]))) < 0.05
    np.testing.assert_array_equal(ours.embedding_, Unfold().fit_transform(x[seen]))


def test_1033_missing_labels() -> None:
    """Issue 1033: some labels are unknown. There NaN is rejected and -1 means unknown. Here None and NaN mean unknown."""
    x, kind = blobs(300)
    known = np.where(np.arange(300) % 3 == 0, kind, np.nan)
    with pytest.raises(ValueError, match="NaN"):
        UMAP().fit(x, known)
    for y in (known, [int(k) if k == k else None for k in known]):
        model = Unfold(supervision=0.5).fit(x, y)
        assert (np.asarray(model.predict(x), dtype=float) == kind).mean() > 0.9


def test_115_missing_values() -> None:
    """Issue 115: rows with missing values. Both reject them, but here they can be filled in."""
    x, _ = blobs(80, 6)
    x[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        UMAP().fit(x)
    with pytest.raises(ValueError, match="NaN"):
        Unfold().fit(x)
    assert np.isfinite(Unfold(kind="gplvm", settings={"steps": 10}).fit(x).embedding_).all()
    filled = Unfold(missing="mean").fit(x)
    assert np.isfinite(filled.embedding_).all()
    assert np.isfinite(filled.transform(x[:5])).all()
