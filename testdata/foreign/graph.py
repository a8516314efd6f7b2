"""Writes into the folder given (tables/ beside this script) graphs as other programs write them:

links.csv            the edges of a graph of four groups, with names for nodes, by networkx and pandas
new-links.csv        edges of new nodes to those
flows.parquet        its edges by pandas: numbers for nodes, weights, some pairs more than once
net.npz, net.mtx     the same graph as a symmetric matrix, by scipy
new-net.npz          a row for each of some new nodes, and a column for each node
roads.jsonl          a grid whose edges have distances, by pandas
near-graph.npz       the 15 nearest of digits' rows with their distances, by scikit-learn

    pip install networkx==3.6.1 scipy==1.17.1 scikit-learn==1.9.1 -r requirements.txt
    python3 graph.py tables
"""
import os, sys
import networkx as nx
import numpy as np
import pandas as pd
import scipy.io, scipy.sparse
from sklearn.datasets import load_digits
from sklearn.neighbors import kneighbors_graph

os.chdir(sys.argv[1])
rng = np.random.default_rng(24)
g = nx.stochastic_block_model([40] * 4, np.where(np.eye(4, dtype=bool), 0.3, 0.01), seed=24)
names = {i: f"{'abcd'[i // 40]}{i % 40:02d}" for i in g}
nx.to_pandas_edgelist(nx.relabel_nodes(g, names)).to_csv("links.csv", index=False)
new = [(f"new-{c}{i}", f"{c}{j:02d}") for c in "abcd" for i in range(2) for j in rng.choice(40, 6, replace=False)]
pd.DataFrame(new, columns=["source", "target"]).to_csv("new-links.csv", index=False)

edges = pd.DataFrame(list(g.edges), columns=["source", "target"])
edges = pd.concat([edges, edges.sample(200, random_state=1)])
edges["weight"] = rng.integers(1, 4, len(edges)).astype("f4")
edges.to_parquet("flows.parquet", index=False)
a = scipy.sparse.coo_array((edges.weight, (edges.source, edges.target)), shape=(160, 160)).tocsr()
a = a + a.T
scipy.sparse.save_npz("net.npz", a)
scipy.io.mmwrite("net.mtx", a, symmetry="general")
rows = scipy.sparse.lil_array((8, 160), dtype="f4")
for r in range(8):
    rows[r, 40 * (r // 2) + rng.choice(40, 6, replace=False)] = 2
scipy.sparse.save_npz("new-net.npz", rows.tocsr())

roads = nx.grid_2d_graph(12, 10)
pd.DataFrame([{"from": f"{i}/{j}", "to": f"{k}/{l}", "distance": round(float(rng.uniform(0.9, 1.1)), 2)} for (i, j), (k, l) in roads.edges]).to_json(
    "roads.jsonl", orient="records", lines=True)

x = load_digits().data[:600]
scipy.sparse.save_npz("near-graph.npz", kneighbors_graph(x, 15, mode="distance").astype("f4"))
