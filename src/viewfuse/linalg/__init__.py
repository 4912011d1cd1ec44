"""Numerical tools: Laplacians as operators, eigensolvers, k-means and threads. They know nothing of views."""

from .assign import (
    all_clusters_taken,
    assign_clusters,
    cluster_centres,
    distance_confidence,
    edge_confidence,
    margin_confidence,
    nearest_centres,
    refilled,
    unit_rows,
)
from .bipartite import BipartiteEmbedding, bipartite_embedding
from .complement import Complement, normalized_adjacency
from .eigensolvers import Eigenpairs, smallest_eigenpairs, symmetric_eigh
from .laplacian import Laplacian, isolated_samples, row_sums
from .numbering import numbered_by_size, occurrences, order_by_size, renumbered
from .recurrence import Recurrence, halves, recurrence

__all__ = [
    "BipartiteEmbedding",
    "Complement",
    "Eigenpairs",
    "Laplacian",
    "Recurrence",
    "all_clusters_taken",
    "assign_clusters",
    "bipartite_embedding",
    "cluster_centres",
    "distance_confidence",
    "edge_confidence",
    "halves",
    "isolated_samples",
    "margin_confidence",
    "nearest_centres",
    "normalized_adjacency",
    "numbered_by_size",
    "occurrences",
    "order_by_size",
    "recurrence",
    "refilled",
    "renumbered",
    "row_sums",
    "smallest_eigenpairs",
    "symmetric_eigh",
    "unit_rows",
]
