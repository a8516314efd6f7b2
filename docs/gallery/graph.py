# %% [markdown]
# # A graph
# 300 people in five groups, who know mostly people of their group. Known distances are a sparse matrix; nothing else is known. New people have distances
# from some of those on the map.

# %%
import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_matrix, triu
from sklearn.metrics import adjusted_rand_score
from unfold_live import Unfold

random = np.random.default_rng(2)
group = np.repeat(np.arange(5), 60)
chance = np.where(np.equal.outer(group, group), 0.25, 0.004)
knows = triu(csr_matrix(random.random((300, 300)) < chance), 1).astype(float)
distances = (knows + knows.T).tocsr()

# %%
model = Unfold(metric="precomputed").fit(distances)
found = model.clusters(min_cluster_size=20).labels_
print(f"agreement of clusters with groups: {adjusted_rand_score(group, found):.3f}")
assert adjusted_rand_score(group, found) > 0.9

# %%
# Somebody who knows ten people of the third group is placed among them.
friends = np.flatnonzero(group == 2)[:10]
row = csr_matrix((np.ones(10), (np.zeros(10, int), friends)), shape=(1, 300))
place = model.transform(row)[0]
centres = np.array([model.embedding_[group == g].mean(axis=0) for g in range(5)])
assert np.linalg.norm(centres - place, axis=1).argmin() == 2

# %%
plt.figure(figsize=(5, 4))
for i, j in zip(*knows.nonzero(), strict=True):
    plt.plot(*model.embedding_[[i, j]].T, color="lightgrey", linewidth=0.2, zorder=0)
plt.scatter(*model.embedding_.T, c=group, s=8, cmap="tab10")
plt.scatter(*place, marker="*", color="black")
plt.axis("off")
