"""The package works with NumPy alone."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
from importlib.abc import MetaPathFinder
import importlib.util
gone = ("sklearn", "scipy", "pyarrow", "pandas", "polars", "tqdm", "duckdb", "joblib")
class Gone(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in gone:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Gone())
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name.split(".")[0] in gone else find(name, package)

import pickle
import numpy as np
from unfold_live import Unfold, UnfoldClusters
r = np.random.default_rng(1)
x = r.normal(size=(300, 6)) + 9 * r.integers(0, 3, (300, 1))
y = np.array(["a", "b", "c"])[np.searchsorted([5, 14], x.mean(1))]
m = Unfold(n_neighbors=7, verbose=True).fit(x, y)
assert m.embedding_.shape == (300, 2) and m.embedding_.dtype == np.float32
assert (m.predict(x) == y).mean() > 0.95
assert (m.transform(x[:4]) == m.embedding_[:4]).all()
assert list(m.get_feature_names_out()) == ["unfold0", "unfold1"]
assert repr(m) == "Unfold(n_neighbors=7, verbose=True)", repr(m)
assert Unfold(**m.get_params()).get_params() == m.get_params()
assert (pickle.loads(pickle.dumps(m)).transform(x) == m.transform(x)).all()
assert len(m.partial_fit(x[:5] + 0.1).forget([3]).embedding_) == 304
assert set(UnfoldClusters().fit_predict(x)) >= {0, 1, 2}
for bad, says in [(x[:2], "sample"), (x[0], "dimensions"), (x * np.nan, "NaN"), (np.array([["u"]]), "numbers")]:
    try:
        Unfold().fit(bad)
    except ValueError as e:
        assert says in str(e), e
    else:
        raise AssertionError(says)
for call in (lambda: Unfold().transform(x), lambda: m.transform(x[:, :3]), lambda: m.set_params(thickness=3)):
    try:
        call()
    except ValueError:
        pass
    else:
        raise AssertionError("no error")
assert not {n for n in sys.modules if n.split(".")[0] in gone}
print("done")
"""


def test_without_anything_else() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "done", done.stderr
