"""AnnData, the annotated matrices of scanpy, without its import: rows from it, and what was found into it."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Where places and neighbours go, as scanpy names its own ("X_umap", neighbors_key).
EMBEDDING, KEY = "X_unfold", "unfold"


def is_annotated(x: Any) -> bool:
    """Report whether rows are the observations of an AnnData object."""
    return all(hasattr(x, name) for name in ("obs", "obsm", "obsp", "var", "uns"))


def rows(adata: Any, use_rep: str | None, known: bool) -> Any:
    """Return what a map is made of.

    Parameters
    ----------
    adata : AnnData
        The observations; files that are open (``backed``) are read.
    use_rep : str or None
        The name of a representation in ``obsm`` or of a layer, "X" for ``adata.X``; None is "X_pca", if that is there, else "X".
        Of distances it is a name in ``obsp``, and None is "distances".
    known : bool
        Whether the map is one of distances.

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
    """Return an array of a file as one of memory; others are left as they are."""
    if x is None:
        raise ValueError("adata.X is None: give use_rep, a name in adata.obsm")
    if hasattr(x, "to_memory"):
        return x.to_memory()
    return x[:] if type(x).__module__.startswith("h5py") else x


def labels(adata: Any, y: Any) -> Any:
    """Return labels that may be named as a column of ``obs``."""
    if not isinstance(y, str):
        return y
    if y not in adata.obs:
        raise ValueError(f"adata.obs has no column {y!r}; it has {', '.join(map(repr, adata.obs.columns))}")
    return adata.obs[y]


def names(adata: Any) -> np.ndarray[Any, Any]:
    """Return the names of the observations."""
    return np.asarray(adata.obs_names, dtype=object)


def store(adata: Any, model: Any, distances: Any, weights: Any, params: dict[str, Any]) -> None:
    """Write the places of a fitted model into ``obsm``, and its neighbours where scanpy's ``neighbors_key`` finds them."""
    adata.obsm[EMBEDDING] = model.embedding_
    adata.obsp[f"{KEY}_distances"] = distances
    adata.obsp[f"{KEY}_connectivities"] = weights
    adata.uns[KEY] = {"distances_key": f"{KEY}_distances", "connectivities_key": f"{KEY}_connectivities", "params": params}
