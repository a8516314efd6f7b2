# %% [markdown]
# # Topics of sentences
# Sentences become vectors, a map brings them to five dimensions, and clusters of the map are topics: the way of BERTopic, which takes `Unfold` and
# `UnfoldClusters` as its `umap_model` and `hdbscan_model`. Here the vectors are latent semantic ones, which need no model of language.

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from unfold_live import Unfold, UnfoldClusters

words = {
    "sea": "harbour anchor sail captain deck keel mast tide hull rope".split(),
    "bread": "flour yeast oven dough crust knead bake loaf salt grain".split(),
    "sky": "galaxy orbit comet telescope nebula planet eclipse moon light dust".split(),
    "garden": "seed soil root bloom hedge prune compost bulb mulch trellis".split(),
}
random = np.random.default_rng(1)
subject = random.choice(list(words), 400)
sentences = [" ".join(["the", *random.choice(words[s], 7), "and"]) for s in subject]

# %%
counts = TfidfVectorizer(stop_words="english")
tfidf = counts.fit_transform(sentences)
vectors = TruncatedSVD(30, random_state=1).fit_transform(tfidf)
five = Unfold(5, metric="cosine", random_state=1).fit_transform(vectors)
topics = UnfoldClusters(25).fit(five)
names = counts.get_feature_names_out()

# %%
found = {}
for topic in range(topics.labels_.max() + 1):
    weight = np.asarray(tfidf[topics.labels_ == topic].mean(axis=0)).ravel()
    best = [names[k] for k in weight.argsort()[::-1][:4]]
    found[topic] = next(s for s in words if best[0] in words[s])
    print(topic, (topics.labels_ == topic).sum(), "sentences:", ", ".join(best))
    assert set(best) <= set(words[found[topic]])
assert set(found.values()) == set(words)

# %%
# How strongly each sentence belongs to each topic, as BERTopic's calculate_probabilities has it.
share = topics.all_points_membership_vectors()
right = np.mean([found[k] == s for k, s in zip(share.argmax(axis=1), subject, strict=True)])
assert right > 0.95

# %%
at = Unfold(metric="cosine", random_state=1).fit_transform(vectors)
plt.figure(figsize=(5, 4))
for topic, name in found.items():
    plt.scatter(*at[topics.labels_ == topic].T, s=5, label=name)
plt.axis("off")
plt.legend()
