# %% [markdown]
# # A stream
# Events come by the hour, and the map is of the last four hours. Those that stay hardly move. A group that has not been there before is novel when it comes, and
# no longer when the map has it. `unfold_live.stream` does the same for topics of Kafka.

# %%
import matplotlib.pyplot as plt
import numpy as np
from unfold_live import Unfold

random = np.random.default_rng(6)
centres = random.normal(size=(5, 16)) * 4


def hour(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return 150 events; from the eighth hour on some are of a new group."""
    kind = random.integers(0, 5 if k >= 8 else 4, 150)
    return (centres[kind] + random.normal(size=(150, 16))).astype(np.float32), kind


hours = [hour(k) for k in range(12)]
model = Unfold().fit(np.vstack([x for x, _ in hours[:4]]), ids=range(600))

# %%
novel, moved = [], []
for k in range(4, 12):
    x, kind = hours[k]
    strange = model.place(x).novelty_global > 0.99
    novel.append(strange[kind == 4].mean() if k >= 8 else strange.mean())
    before = dict(zip(model.ids_.tolist(), model.embedding_, strict=True))
    model.partial_fit(x, ids=range(150 * k, 150 * k + 150)).forget(range(150 * (k - 4), 150 * (k - 3)))
    stay = [np.linalg.norm(at - before[i]) for i, at in zip(model.ids_.tolist(), model.embedding_, strict=True) if i in before]
    moved.append(np.median(stay) / np.sqrt(model.embedding_.var(axis=0).sum()))
print("share of novel events, of the new group from the fifth on:", np.round(novel, 2))
print("median move of events that stay, in radii of the map:", np.round(moved, 3))
assert max(novel[:4]) < 0.1
assert novel[4] > 0.9
assert novel[-1] < 0.3
assert max(moved) < 0.2

# %%
plt.figure(figsize=(5, 4))
plt.scatter(*model.embedding_.T, c=np.concatenate([kind for _, kind in hours[8:]]), s=5, cmap="tab10")
plt.axis("off")
plt.title("the last four hours")
