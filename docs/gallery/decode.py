# %% [markdown]
# # What would be here?
# A place of the map becomes a row again: digits at places on a grid, each with its predicted error, which is large where the map is empty.

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from unfold_live import Unfold

x, digit = load_digits(return_X_y=True)
model = Unfold(random_state=1).fit(x)
back, error = model.inverse_transform(model.embedding_, return_error=True)
missed = np.sqrt(((back - x) ** 2).mean(axis=1))
print(f"a decoded digit misses by {missed.mean():.2f} of 16 grey values, and was predicted to by {error.mean():.2f}")
assert missed.mean() < x.std()

# %%
low, high = model.embedding_.min(axis=0), model.embedding_.max(axis=0)
across, up = np.meshgrid(np.linspace(low[0], high[0], 14), np.linspace(high[1], low[1], 14))
grid = np.column_stack([across.ravel(), up.ravel()])
pictures, errors = model.inverse_transform(grid, return_error=True)
empty = np.array([np.linalg.norm(model.embedding_ - at, axis=1).min() for at in grid])
assert errors[empty > np.quantile(empty, 0.8)].mean() > errors[empty < np.quantile(empty, 0.2)].mean()

# %%
plt.figure(figsize=(5, 5))
sure = 1 - np.clip((errors - errors.min()) / np.ptp(errors), 0, 1)
tiles = (pictures * sure[:, None]).reshape(14, 14, 8, 8).transpose(0, 2, 1, 3).reshape(112, 112)
plt.imshow(tiles, cmap="gray_r")
plt.axis("off")
