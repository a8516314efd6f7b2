# %% [markdown]
# # Reasons
# Why is a row novel? 178 wines have 13 measured columns. A wine with one wrong value is novel, and the reasons name the column and what would have been
# expected.

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from unfold_live import Unfold

wines = load_wine(as_frame=True)
usual = wines.data
model = Unfold(standardize=True).fit(usual, wines.target)
assert model.score(usual, wines.target) > 0.9

# %%
wrong = {"alcohol": 19.0, "malic_acid": 14.0, "ash": 5.5, "hue": 3.5, "proline": 4000.0}
rows = usual.iloc[:5].copy()
for row, (column, value) in enumerate(wrong.items()):
    rows.iloc[row, rows.columns.get_loc(column)] = value
why = model.explain(rows, columns=2)
for column, w in zip(wrong, why, strict=True):
    first = w["reasons"][0]
    print(f"{column}: {w['novelty_global']:.0%} novel, by {first['column']} with a share of {first['share']:.0%}")
    assert first["column"] == column
    assert w["novelty_global"] > 0.95

# %%
plt.figure(figsize=(5, 4))
plt.scatter(*model.embedding_.T, c=wines.target, s=10, cmap="tab10")
for column, at in zip(wrong, model.transform(rows), strict=True):
    plt.annotate(column, at, fontsize=8)
    plt.scatter(*at, marker="x", color="black")
plt.axis("off")
