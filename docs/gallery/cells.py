# %% [markdown]
# # Single cells
# An AnnData object in, its map and its neighbour graph out, where scanpy looks for them: `sc.pl.embedding(adata, "X_unfold")` and
# `sc.tl.leiden(adata, neighbors_key="unfold")`. The counts of 600 cells of four types are made up.

# %%
import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from unfold_live import Unfold

random = np.random.default_rng(3)
types = np.array(["B", "T", "NK", "monocyte"])
kind = random.integers(0, 4, 600)
rates = np.exp(random.normal(size=(4, 200)))
depth = random.lognormal(0, 0.3, 600)
adata = anndata.AnnData(
    random.poisson(rates[kind] * depth[:, None]).astype(np.float32),
    obs=pd.DataFrame({"type": types[kind]}, index=[f"cell{k}" for k in range(600)]),
)

# %%
# As usual: the same total for each cell, logarithms, principal components.
x = np.log1p(adata.X / adata.X.sum(axis=1, keepdims=True) * 1e4)
adata.obsm["X_pca"] = PCA(30, random_state=1).fit_transform(x)
model = Unfold(n_neighbors=15).fit(adata, y="type")
assert adata.obsm["X_unfold"].shape == (600, 2)
weights = adata.obsp["unfold_connectivities"]
same = np.equal.outer(kind, kind)
inside = weights.multiply(same).sum() / weights.sum()
print(f"{inside:.1%} of the weight of the neighbour graph is within a type")
assert inside > 0.95

# %%
groups = model.clusters(min_cluster_size=30).labels_
assert adjusted_rand_score(kind, groups) > 0.9
assert list(model.classes_) == sorted(types)

# %%
plt.figure(figsize=(5, 4))
for t in types:
    plt.scatter(*adata.obsm["X_unfold"][adata.obs["type"] == t].T, s=5, label=t)
plt.axis("off")
plt.legend()
