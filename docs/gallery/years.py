# %% [markdown]
# # Aligned years
# Four years of made-up surveys. Three quarters of the people of a year take part in the next one, and one group of them splits in time. Aligned maps keep
# people who stay near their places; maps learnt apart do not.

# %%
import matplotlib.pyplot as plt
import numpy as np
from unfold_live import UnfoldAligned

random = np.random.default_rng(4)
centres = random.normal(size=(4, 12)) * 5
drift = random.normal(size=12)
person = [np.arange(100 * k, 100 * k + 400) for k in range(4)]
group = random.integers(0, 4, 700)
side = random.choice([-1, 1], 700)
own = centres[group] + random.normal(size=(700, 12))
years = [own[p] + np.where(group[p] == 0, side[p], 0)[:, None] * drift * 1.2 * k for k, p in enumerate(person)]
relations = [{i + 100: i for i in range(300)} for _ in range(3)]  # the row of the same person in the next year

# %%
maps = UnfoldAligned().fit(years, relations=relations)
print("drift of people from year to year:", maps.drift_.round(3))
assert (maps.drift_ < 0.25).all()


def halves(k: int) -> float:
    """Return how far apart both halves of the first group are on the map of a year, in their widths."""
    at, p = maps.embeddings_[k], person[k]
    a, b = (at[(group[p] == 0) & (side[p] == s)] for s in (-1, 1))
    return float(np.linalg.norm(a.mean(axis=0) - b.mean(axis=0)) / np.sqrt((a.var(axis=0).sum() + b.var(axis=0).sum()) / 2))


print("the first group's halves are apart, by the year:", [round(halves(k), 2) for k in range(4)])
assert halves(3) > 2 * halves(0)

# %%
_, axes = plt.subplots(1, 4, figsize=(10, 2.8), sharex=True, sharey=True)
for k, ax in enumerate(axes):
    ax.scatter(*maps.embeddings_[k].T, c=group[person[k]], s=4, cmap="tab10")
    ax.set(title=f"year {k + 1}", xticks=[], yticks=[])
