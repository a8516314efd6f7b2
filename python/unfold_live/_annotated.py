"""Reading rows from AnnData, the annotated matrices of scanpy, and storing results in it, without importing anndata."""

from __future__ import annotations

from typing import Any

import numpy as np

#: The keys of positions and neighbours, named like those of scanpy ("X_umap", neighbors_key).
EMBEDDING, KEY = "X_unfold", "unfold"


def is_annotated(x: Any) -> bool:
    """Report whether rows are given as an AnnData object."""
    return all(hasattr(x, name) for name in ("obs", "obsm", "obsp", "var", "uns"))


def rows(adata: Any, use_rep: str | None, known: bool) -> Any:
    """Return the rows of an AnnData object to map.

    Parameters
    ----------
    adata : AnnData
        The observations. Open files (``backed``) are read.
    use_rep : str or None
        The name of a representation in ``obsm`` or of a layer, or "X" for ``adata.X``. None means "X_pca" if it exists,
        otherwise "X". For distances it is a name in ``obsp``, and None means "distances".
    known : bool
        Whether the map is learnt from distances.

    Raises
    ------
    ValueError
        There is no such representation.
    """
    if known:
        use_rep = use_rep or "distances"
        places: list[Any] = [adata.obsp]
    else:
        use_rep = use_rep or ("X_pca" if "X_pca" in adata.obsm else "X")
        if use_rep == "X":
            return _in_memory(adata.X)
        places = [adata.obsm, adata.layers]
    for held in places:
        if use_rep in held:
            return _in_memory(held[use_rep])
    names = ", ".join(repr(k) for held in places for k in held) or "nothing"
    raise ValueError(f"adata has no use_rep={use_rep!r} in {'obsp' if known else 'obsm and layers'}; it has {names}")


def _in_memory(x: Any) -> Any:
    """Load an array from an open file into memory. Other arrays are returned unchanged."""
    if x is None:
        raise ValueError("adata.X is None: give use_rep, a name in adata.obsm")
    if hasattr(x, "to_memory"):
        return x.to_memory()
    return x[:] if type(x).__module__.startswith("h5py") else x


def labels(adata: Any, y: Any) -> Any:
    """Return labels, or the column of ``obs`` if y is its name."""
    if not isinstance(y, str):
        return y
    if y not in adata.obs:
        raise ValueError(f"adata.obs has no column {y!r}; it has {', '.join(map(repr, adata.obs.columns))}")
    return adata.obs[y]


def names(adata: Any) -> np.ndarray[Any, Any]:
    """Return the names of the observations."""
    return np.asarray(adata.obs_names, dtype=object)


def store(adata: Any, model: Any, distances: Any, weights: Any, params: dict[str, Any]) -> None:
    """Store the positions of a fitted model in ``obsm``, and its neighbour graph for scanpy's ``neighbors_key``."""
    adata.obsm[EMBEDDING] = model.embedding_
    adata.obsp[f"{KEY}_distances"] = distances
    adata.obsp[f"{KEY}_connectivities"] = weights
    adata.uns[KEY] = {"distances_key": f"{KEY}_distances", "connectivities_key": f"{KEY}_connectivities", "params": params}
