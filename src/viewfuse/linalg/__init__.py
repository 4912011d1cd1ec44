"""From a graph to clusters: Laplacians as operators, their smallest eigenvectors, and rows to clusters."""

from .assign import (
    all_clusters_taken,
    assign_clusters,
    claim_confidence,
    cluster_centres,
    nearest_centres,
    place_confidence,
    refilled,
    tie_confidence,
    unit_rows,
)
from .bipartite import BipartiteEmbedding, bipartite_embedding
from .complement import Complement, normalised_adjacency
from .eigensolvers import Eigenpairs, smallest_eigenpairs, symmetric_eigh
from .laplacian import Laplacian, isolated_samples, row_sums

__all__ = [
    "BipartiteEmbedding",
    "Complement",
    "Eigenpairs",
    "Laplacian",
    "all_clusters_taken",
    "assign_clusters",
    "bipartite_embedding",
    "claim_confidence",
    "cluster_centres",
    "isolated_samples",
    "nearest_centres",
    "normalised_adjacency",
    "place_confidence",
    "refilled",
    "row_sums",
    "smallest_eigenpairs",
    "symmetric_eigh",
    "tie_confidence",
    "unit_rows",
]
