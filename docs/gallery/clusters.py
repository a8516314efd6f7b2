# %% [markdown]
# # Clusters compared with hdbscan
# The same clusters as hdbscan's, without its choices: exact, whatever the order of the rows, and with predictions for new rows.

# %%
import hdbscan
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from unfold_live import UnfoldClusters

moons, _ = make_moons(300, noise=0.06, random_state=1)
blobs, _ = make_blobs(200, centers=[(-1.5, 2.2), (2.0, 2.0)], cluster_std=0.25, random_state=1)
noise = np.random.default_rng(1).uniform(-2.5, 3.5, (60, 2))
x = np.vstack([moons, blobs, noise])

# %%
theirs = hdbscan.HDBSCAN(min_cluster_size=15, approx_min_span_tree=False).fit(x)
ours = UnfoldClusters(15, ties="hdbscan").fit(x)
print(f"{ours.labels_.max() + 1} clusters; agreement with hdbscan {adjusted_rand_score(theirs.labels_, ours.labels_):.3f}")
assert adjusted_rand_score(theirs.labels_, ours.labels_) > 0.98
assert len(ours.cluster_persistence_) == 4

# %%
# The order of the rows plays no part.
order = np.random.default_rng(2).permutation(len(x))
assert adjusted_rand_score(UnfoldClusters(15).fit_predict(x[order]), UnfoldClusters(15).fit_predict(x)[order]) == 1

# %%
# Rows that come later join clusters, and those far from all are noise.
inside = [[-1.5, 2.2], [2.0, 2.0]]
nearest = [np.linalg.norm(x - c, axis=1).argmin() for c in inside]
assert (ours.predict(inside) == ours.labels_[nearest]).all()
assert ours.predict([[9.0, 9.0]])[0] == -1

# %%
_, axes = plt.subplots(1, 2, figsize=(9, 3.5))
axes[0].scatter(*x.T, c=np.where(ours.labels_ < 0, np.nan, ours.labels_), s=6, cmap="tab10", plotnonfinite=False)
axes[0].scatter(*x[ours.labels_ < 0].T, color="lightgrey", s=4)
axes[0].set(xticks=[], yticks=[])
ours.condensed_tree_.plot(axes[1], label_clusters=True)
