"""scikit-learn's contract."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from unfold_live import Unfold, UnfoldClusters

from .conftest import blobs


@parametrize_with_checks([Unfold(), UnfoldClusters()])
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("metric", ["cosine", "correlation", "hellinger"])
def test_a_column_has_no_direction(metric: str) -> None:
    for estimator in (Unfold(metric=metric), UnfoldClusters(metric=metric)):
        with pytest.raises(ValueError, match=r"1 feature\(s\), and metric='" + metric):
            estimator.fit(np.arange(1.0, 11)[:, None])


def test_tags_follow_the_metric() -> None:
    """scikit-learn's checks take rows that a metric can have."""
    from sklearn.utils import get_tags

    for kind in (Unfold, UnfoldClusters):
        rows = {m: get_tags(kind(metric=m)).input_tags for m in ("euclidean", "hellinger", "haversine", "precomputed")}
        assert [m for m, t in rows.items() if t.positive_only] == ["hellinger", "precomputed"]
        assert [m for m, t in rows.items() if not t.sparse] == ["haversine"]
        assert [m for m, t in rows.items() if t.pairwise] == ["precomputed"]


def test_kinds_without_a_likelihood() -> None:
    assert [k for k in ("lvm", "gplvm", "pca", "isomap", "lllvm") if hasattr(Unfold(kind=k), "score_samples")] == ["lvm", "gplvm"]


def script(text: str) -> str:
    """Run a script in a new process and return its output."""
    done = subprocess.run([sys.executable, "-c", EARLY + text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


EARLY = """
import sys
import numpy as np
from unfold_live import Unfold, UnfoldClusters
x = np.random.default_rng(1).normal(size=(200, 6)) + 9 * np.arange(200)[:, None] // 100
early, blank, clusters = Unfold(n_neighbors=12).fit(x, ids=range(5, 205)), Unfold(), UnfoldClusters()
early.transform(x), early.predict if hasattr(early, "predict") else None, early.get_params(), repr(early)
assert "sklearn" not in sys.modules and "scipy" not in sys.modules
"""


#: Scripts from standard input, each in a fork of one process with the estimators of ``EARLY``. What scikit-learn imports, which
#: takes most of the time, is imported before the forks, and scikit-learn itself by the scripts.
FORKS = (
    EARLY
    + """
import importlib, json, os, traceback
for name in ("scipy.stats", "scipy.optimize", "joblib", "pandas"):
    importlib.import_module(name)
assert "sklearn" not in sys.modules
for line in sys.stdin:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(write, 1), os.dup2(write, 2), os.close(write)
        try:
            exec(json.loads(line))
        except BaseException:
            traceback.print_exc()
            sys.exit(1)
        sys.exit(0)
    os.close(write)
    with open(read) as said:
        text = said.read()
    print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text]), flush=True)
"""
)


@pytest.fixture(scope="module")
def early() -> Iterator[Callable[[str], None]]:
    """Return a function that runs a script in a process with estimators that were created before scikit-learn is imported."""
    with subprocess.Popen([sys.executable, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:

        def run(text: str) -> None:
            assert child.stdin is not None and child.stdout is not None
            child.stdin.write(json.dumps(text) + "\n")
            child.stdin.flush()
            code, said = json.loads(child.stdout.readline())
            assert code == 0, said

        yield run


def test_contract_of_estimators_that_were_there_before() -> None:
    """Estimators created before the import of scikit-learn satisfy its contract, too."""
    script("from sklearn.utils.estimator_checks import check_estimator\nfor e in (blank, clusters): check_estimator(e)")


@pytest.mark.xdist_group("early")
@pytest.mark.parametrize(
    "use",
    {
        "made afterwards": "e = Unfold()",
        "a subclass": "e = type('Mine', (Unfold,), {})()",
        "cloned": "e = clone(early)\nassert e.n_neighbors == 12",
        "tags": "from sklearn.utils import get_tags\nassert get_tags(early).input_tags.sparse\ne = early",
        "used": "early.transform(x)\ne = early",
        "frames": "assert list(early.set_output(transform='pandas').transform(x).columns) == ['unfold0', 'unfold1']\ne = early",
        "an error": "from sklearn.exceptions import NotFittedError\ntry: blank.transform(x)\nexcept NotFittedError: e = blank",
        "in a pipeline": "from sklearn.pipeline import make_pipeline\ne = make_pipeline(blank, clusters).fit(x)[0]",
        "pickled": "import pickle\ne = pickle.loads(pickle.dumps(early))\nassert (e.transform(x) == early.embedding_).all()",
        "routed": "import sklearn\nsklearn.set_config(enable_metadata_routing=True)\ne = early.set_fit_request(ids=True)",
        "clusters": "e = UnfoldClusters()",
    }.items(),
    ids=lambda use: use[0],
)
def test_estimators_become_scikit_learns_when_it_is_imported(use: tuple[str, str], early: Callable[[str], None]) -> None:
    early(f"from sklearn.base import BaseEstimator, clone\n{use[1]}\nassert isinstance(e, BaseEstimator)")


def test_scikit_learns_methods_import_it() -> None:
    """Methods of its base classes exist without a previous import."""
    said = script("print(early.set_output(transform='polars').transform(x).columns)")
    assert said.strip() == "['unfold0', 'unfold1']"
    said = script("print([hasattr(early, n) for n in ('predict', 'classes_', 'set_shape')], 'sklearn' in sys.modules)")
    assert said.strip() == "[False, False, False] False"


def test_columns_have_names_without_scikit_learn() -> None:
    said = script(
        "import pandas as pd\n"
        "frame = pd.DataFrame(x, columns=list('abcdef'))\n"
        "m = Unfold().fit(frame)\n"
        "print(list(m.feature_names_in_), hasattr(m.fit(x), 'feature_names_in_'))\n"
        "m.fit(frame).transform(x)\n"
        "assert 'sklearn' not in sys.modules\n"
        "try: m.transform(frame[list('fedcba')])\n"
        "except ValueError as e: print(e)"
    )
    names, error = said.splitlines()
    assert names == "['a', 'b', 'c', 'd', 'e', 'f'] False"
    assert error == "the columns of X are f, e, d, c, b, a; the map was fitted to a, b, c, d, e, f, in that order"


@pytest.mark.parametrize("by", ["pickle", "joblib", "cloudpickle", "copy"])
def test_pickles_hold_the_models_bytes(data: Any, by: str, tmp_path: Path) -> None:
    x, kind = data
    model = Unfold().fit(x, kind)
    if by == "pickle":
        raw = pickle.dumps(model)
        assert model._model.model() in raw
        assert len(raw) < len(model._model.model()) + 64 * len(x) + 10_000
        again = pickle.loads(raw)
    elif by == "joblib":
        joblib.dump(model, tmp_path / "m.joblib")
        again = joblib.load(tmp_path / "m.joblib")
    elif by == "cloudpickle":
        again = cloudpickle.loads(cloudpickle.dumps(model))
    else:
        again = copy.deepcopy(model)
    assert again._model.model() == model._model.model()
    new = blobs(20, seed=3)[0]
    np.testing.assert_array_equal(again.transform(new), model.transform(new))
    np.testing.assert_array_equal(again.partial_fit(new).embedding_, model.partial_fit(new).embedding_)
    np.testing.assert_array_equal(again.predict(new), model.predict(new))


def test_copies_are_apart(data: Any) -> None:
    """Rows added to a copy are not on the original map. Copies of unfitted estimators have no model."""
    x, _ = data
    model = Unfold().fit(x)
    before = model._model.model()
    copy.deepcopy(model).partial_fit(x[:5] + 1)
    pickle.loads(pickle.dumps(model)).forget([0])
    assert model._model.model() == before
    clusters = UnfoldClusters().fit(x)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(clusters)).predict(x[:9]), clusters.labels_[:9])
    assert not hasattr(copy.deepcopy(Unfold(3)), "embedding_")


def test_unpickled_copies_share_a_program(data: Any) -> None:
    """Copies of a model that are unpickled in turn, as joblib's workers do for each call, use one program, until one changes."""
    x, _ = data
    raw = pickle.dumps(Unfold().fit(x))
    new = blobs(20, seed=3)[0]
    first = pickle.loads(raw)
    want = first.transform(new)
    program = first._model.session.pid
    del first
    second, third = pickle.loads(raw), pickle.loads(raw)
    np.testing.assert_array_equal(second.transform(new), want)
    assert second._model.session.pid == program
    second.partial_fit(new)
    assert second._model.session.pid != program
    np.testing.assert_array_equal(third.transform(new), want)
    assert third._model.session.pid == program
    clusters = pickle.dumps(UnfoldClusters().fit(x))
    found = [pickle.loads(clusters) for _ in range(2)]
    np.testing.assert_array_equal(found[0].predict(new), found[1].predict(new))
    assert found[0]._model.session.pid == found[1]._model.session.pid


def test_parts_of_a_frame(data: Any) -> None:
    """A map of some columns can be combined with transformed other columns, with distinct names."""
    import pandas as pd

    x, kind = data
    frame = pd.DataFrame(x, columns=[f"c{k}" for k in range(x.shape[1])]).assign(tree=np.array(["ash", "elm"])[kind % 2])
    parts = ColumnTransformer([("map", Unfold(), [f"c{k}" for k in range(12)]), ("tree", OneHotEncoder(), ["tree"])])
    out = parts.fit_transform(frame)
    assert list(parts.get_feature_names_out()) == ["map__unfold0", "map__unfold1", "tree__tree_ash", "tree__tree_elm"]
    np.testing.assert_allclose(out[:, :2], Unfold().fit_transform(x))
    np.testing.assert_array_equal(parts.transform(frame[:7]), out[:7])


def test_cross_validation(data: Any) -> None:
    x, kind = data
    assert cross_val_score(Unfold(), x, kind, cv=2).min() > 0.9
    assert cross_val_score(make_pipeline(Unfold(), KNeighborsClassifier(5)), x, kind, cv=2, n_jobs=2).min() > 0.9


def test_pipeline_and_search(data: Any) -> None:
    x, kind = data
    search = GridSearchCV(
        make_pipeline(StandardScaler(), Unfold(), KNeighborsClassifier(5)),
        {"unfold__n_components": [2, 3], "unfold__n_neighbors": [6, 10]},
        cv=2,
    )
    search.fit(x, kind)
    assert search.best_score_ > 0.9
    alone = GridSearchCV(Unfold(), {"n_neighbors": [6, 10]}, cv=2).fit(x, kind)
    assert alone.best_score_ > 0.9
    assert 0.5 < GridSearchCV(Unfold(), {"n_neighbors": [6]}, cv=2).fit(x).best_score_ <= 1
    labels = make_pipeline(Unfold(), KMeans(4, n_init=1, random_state=1)).fit_predict(x)
    assert len(set(labels)) == 4


def test_supervision() -> None:
    """Labels influence learning with ``supervision``. The positions of new rows do not depend on labels."""
    rng = np.random.default_rng(2)
    kind = rng.integers(0, 2, 400)
    x = (rng.normal(size=(400, 6)) + 0.9 * kind[:, None]).astype(np.float32)
    plain, by = Unfold().fit(x, kind), Unfold(supervision=1).fit(x, kind)
    np.testing.assert_array_equal(plain.embedding_, Unfold().fit(x).embedding_)

    def near(model: Unfold) -> float:
        return KNeighborsClassifier(9).fit(model.embedding_, kind).score(model.embedding_, kind)

    assert near(by) > near(plain) + 0.03
    new = rng.normal(size=(30, 6)).astype(np.float32)
    places = by.place(new)
    assert set(places.label) <= {0, 1}
    half = np.where(rng.random(400) < 0.5, kind, np.nan)
    alone = Unfold(supervision=1, classify=False).fit(x, half)
    assert not hasattr(alone, "classes_") and np.isfinite(alone.embedding_).all()
    with pytest.raises(ValueError, match="needs y"):
        Unfold(supervision=0.5).fit(x)


def test_output_as_frames(data: Any) -> None:
    import pandas as pd

    x, _ = data
    frame = pd.DataFrame(x, columns=[f"c{k}" for k in range(x.shape[1])], index=np.arange(len(x)) + 5)
    out = Unfold().set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == ["unfold0", "unfold1"] == list(Unfold().fit(x).get_feature_names_out())
    assert out.index.equals(frame.index)
    assert list(Unfold().fit(frame).feature_names_in_) == list(frame.columns)


def test_clone_and_parameters() -> None:
    model = Unfold(3, n_neighbors=7, settings={"weight": 0.1}, random_state=4)
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert "n_components=3" in repr(model)


def test_seeds(data: Any) -> None:
    """A seed is passed to the program. A generator draws one."""
    x, _ = data
    seeds = [np.random.RandomState(3), np.random.RandomState(3), np.random.default_rng(4), 4]
    models = [Unfold(random_state=s).fit(x)._model.model() for s in seeds]
    assert models[0] == models[1]
    assert len(set(models)) == 3
    with pytest.raises(ValueError, match="random_state"):
        Unfold(random_state="dice").fit(x)


def test_report(data: Any) -> None:
    x, kind = data
    model = Unfold(report=True).fit(x, kind)
    assert 0.8 < model.score_["trustworthiness"] <= 1 and model.score_["loo1"] > 0.9
    assert model.report_["n"] == len(x)
    assert model.score(x, kind) > 0.9
    plain = Unfold().fit(x)
    assert 0.8 < plain.score(x) <= 1
    assert plain.score(x, kind) > 0.9
    for other in (model.set_params(report=False).fit(x), Unfold()):
        with pytest.raises(AttributeError, match="report=True"):
            _ = other.score_


def test_clusters_of_the_map(data: Any) -> None:
    """Clusters are computed once per map, and again after it has changed."""
    x, _ = data
    model = Unfold().fit(x)
    first = model.clusters_
    assert model.clusters_ is first and first.shape == (600,)
    np.testing.assert_array_equal(first, UnfoldClusters().fit_predict(model.embedding_))
    np.testing.assert_array_equal(model.novelty_, np.maximum(model.novelty_local_, model.novelty_global_))
    assert model.forget([0]).clusters_.shape == (599,)
