"""From a graph to clusters: Laplacians as operators, their smallest eigenvectors, and rows to clusters."""

from .assign import (
    assign_clusters,
    claim_confidence,
    cluster_centres,
    nearest_centres,
    tie_confidence,
    unit_rows,
    warn_if_fewer,
)
from .bipartite import BipartiteEmbedding, bipartite_embedding
from .complement import Complement, normalised_adjacency
from .counting import ClusterCounts, count_clusters, default_counts, partition_gain
from .eigensolvers import Eigenpairs, smallest_eigenpairs, symmetric_eigh
from .laplacian import Laplacian, isolated_samples

__all__ = [
    "BipartiteEmbedding",
    "ClusterCounts",
    "Complement",
    "Eigenpairs",
    "Laplacian",
    "assign_clusters",
    "bipartite_embedding",
    "claim_confidence",
    "cluster_centres",
    "count_clusters",
    "default_counts",
    "isolated_samples",
    "nearest_centres",
    "normalised_adjacency",
    "partition_gain",
    "smallest_eigenpairs",
    "symmetric_eigh",
    "tie_confidence",
    "unit_rows",
    "warn_if_fewer",
]
