# %% [markdown]
# # Handwritten digits
# A map of 1,500 digits of 8 x 8 grey values, learnt without their labels. New digits are placed on it, and the labels of the map's digits predict theirs.

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from unfold_live import Unfold

x, digit = load_digits(return_X_y=True)
model = Unfold().fit(x[:1500], digit[:1500])
right = model.score(x[1500:], digit[1500:])
print(f"{right:.1%} of new digits are predicted right")
assert right > 0.9

# %%
# A place depends on the row alone, to the last bit.
new = model.transform(x[1500:])
assert (model.transform(x[1500:1510]) == new[:10]).all()

# %%
plt.figure(figsize=(5, 4))
plt.scatter(*model.embedding_.T, c=digit[:1500], s=3, cmap="tab10")
plt.scatter(*new.T, c=digit[1500:], s=12, cmap="tab10", edgecolors="black", linewidths=0.4)
plt.axis("equal")
plt.axis("off")
plt.colorbar(label="digit; new ones have an edge")
