"""Stands in for sentence-transformers: the embeddings which that model has made of the larger data set "glosses"."""

import gzip
import os

import numpy as np


class SentenceTransformer:
    def __init__(self, name):
        assert name == "all-MiniLM-L6-v2", name
        folder = os.path.join(os.environ["UNFOLD_DATA"], "glosses")
        self.vectors = np.load(os.path.join(folder, "glosses_10000x384_f16.npy")).astype("float32")
        with gzip.open(os.path.join(folder, "glosses.tsv.gz"), "rt") as lines:
            next(lines)
            self.row = {line.rstrip("\n").split("\t", 1)[1]: k for k, line in enumerate(lines)}

    def encode(self, sentences):
        return self.vectors[[self.row[s] for s in sentences]]
