"""Writes sparse matrices of words into the folder given (tables/ beside this script), as scipy and
numpy write them: pieces of this repository's licence, one a row, of which the terms are the runs of
three characters in its words, weighted by TF-IDF (Salton and Buckley 1988).

    pip install scipy==1.17.1 -r requirements.txt
    python3 sparse.py tables
"""
import os, re, sys
import numpy as np, scipy.io, scipy.sparse

text = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "LICENSE")).read().lower()
os.chdir(sys.argv[1])
words = re.findall("[a-z]+", text)
size = 12
pieces = [words[i:i + size] for i in range(0, len(words) - size, size)]
terms = [[f" {w} "[i:i + 3] for w in piece for i in range(len(w))] for piece in pieces]
known = {t: i for i, t in enumerate(sorted({t for row in terms for t in row}))}
counts = np.zeros((len(pieces), len(known)))
for i, row in enumerate(terms):
    for t in row:
        counts[i, known[t]] += 1
full = (counts * np.log(len(pieces) / (counts > 0).sum(0))).astype("f4")

rows = scipy.sparse.csr_array(full)
scipy.sparse.save_npz("words.npz", rows)
scipy.sparse.save_npz("words-csc.npz", scipy.sparse.csc_matrix(rows))
scipy.sparse.save_npz("words-coo.npz", scipy.sparse.coo_array(rows.astype("f8")))
scipy.io.mmwrite("words.mtx", rows, symmetry="general", precision=9)
os.system("gzip -9nf words.mtx")
scipy.io.mmwrite("terms.mtx", scipy.sparse.coo_array((counts > 0)[:40]), field="pattern", symmetry="general")
np.savez_compressed("words-full.npz", x=full, counts=counts.astype("u1"))
scipy.sparse.save_npz("counts.npz", scipy.sparse.csr_array(counts.astype("i4")))
# Rows whose columns are not in order, with entries twice, some of which add up to 0.
odd = scipy.sparse.csr_matrix((np.array([3., 1, 2, 5, -5, 4]), np.array([2, 0, 2, 1, 1, 3]), np.array([0, 3, 5, 6])), shape=(3, 4))
scipy.sparse.save_npz("odd-rows.npz", odd)
scipy.sparse.save_npz("bands.npz", scipy.sparse.dia_array(np.eye(4)))
