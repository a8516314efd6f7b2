# %% [markdown]
# # Days of weather
# Two made-up years: each day has 24 temperatures, some of which are missing, and its mean humidity and pressure. Columns of different units are brought to
# one scale. The map is a ring of seasons, on which unusual days lie apart.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors
from unfold_live import Unfold

random = np.random.default_rng(5)
day = np.arange(730)
season = 2 * np.pi * day / 365.25
hour = 2 * np.pi * np.arange(24) / 24
mean = 11 - 10 * np.cos(season) + random.normal(0, 1.2, 730)
swing = 4 - 2 * np.cos(season)
hours = mean[:, None] - swing[:, None] * np.cos(hour - 0.7) + random.normal(0, 0.5, (730, 24))
hours[random.random(hours.shape) < 0.01] = np.nan
days = pd.DataFrame(hours, columns=[f"t{h:02}" for h in range(24)]).assign(
    humidity=70 + 12 * np.cos(season + 0.6) + random.normal(0, 3, 730), pressure=1013 + 6 * np.sin(season) + random.normal(0, 2, 730)
)
days.loc[400, "t00":"t23"] += 15  # a heat wave in winter

# %%
model = Unfold(standardize=True, missing="mean").fit(days)
near = NearestNeighbors(n_neighbors=10).fit(model.embedding_).kneighbors(return_distance=False)
apart = np.abs((day[near] - day[:, None] + 182) % 365 - 182)
print(f"half of a day's neighbours are within {np.median(apart):.0f} days of the year")
assert np.median(apart) < 30

# %%
# What makes the strange day strange: it is as warm as days of spring, whose air has another humidity and pressure.
why = model.explain(days.iloc[[400]], columns=2)[0]
print([(r["column"], round(r["share"], 2)) for r in why["reasons"]])
assert model.novelty_[400] > 0.98
assert {r["column"] for r in why["reasons"]} == {"humidity", "pressure"}

# %%
plt.figure(figsize=(5, 4))
plt.scatter(*model.embedding_.T, c=day % 365, s=6, cmap="twilight")
plt.annotate("400", model.embedding_[400])
plt.axis("off")
plt.colorbar(label="day of the year")
