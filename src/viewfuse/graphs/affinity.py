"""Names of the ways to compute a view's graph, the same for every graph-based method."""

from __future__ import annotations

from typing import Any

import numpy as np

from .gaussian import cosine_similarity, gaussian_graph, strongest_edges
from .neighbors import adaptive_neighbors_graph
from .scaling import SCALINGS
from .self_expressive import self_expressive_graph

__all__ = ["AFFINITIES", "view_graph"]

AFFINITIES = ("gaussian", "adaptive-neighbors", "self-expressive", "cosine")
_ADAPTIVE_NEIGHBORS = 10


def view_graph(view: Any, affinity: str, *, scaling: str, n_neighbors: int | None = None, alpha: float = 10.0) -> np.ndarray:
    """The symmetric non-negative graph of one view, (n, n).

    Parameters
    ----------
    view : (n, d) array or sparse matrix
    affinity : one of ``AFFINITIES``
        "gaussian": ``exp(−d²/2σ²)`` with σ the median distance; "adaptive-neighbors"; "self-expressive":
        ``(G + αI)⁻¹G`` clipped and symmetrized; "cosine" with negative entries set to 0.
    scaling : one of ``SCALINGS``
        How the view is scaled first.
    n_neighbors : int or None
        Keep only each sample's strongest edges; None keeps all (adaptive neighbours: 10).
    alpha : float
        Regularization of the self-expressive graph.
    """
    scaled = SCALINGS[scaling](view)
    if affinity == "adaptive-neighbors":
        return adaptive_neighbors_graph(scaled, n_neighbors or _ADAPTIVE_NEIGHBORS)
    if affinity == "gaussian":
        graph = gaussian_graph(scaled)
    elif affinity == "self-expressive":
        graph = self_expressive_graph(scaled, alpha)
    else:
        graph = np.maximum(cosine_similarity(scaled), 0)
    return graph if n_neighbors is None else strongest_edges(graph, n_neighbors)
