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
from .counting import ClusterCounts, count_clusters, default_counts, partition_gain
from .eigensolvers import Eigenpairs, smallest_eigenpairs, symmetric_eigh
from .laplacian import Laplacian, isolated_samples, row_sums

__all__ = [
    "BipartiteEmbedding",
    "ClusterCounts",
    "Complement",
    "Eigenpairs",
    "Laplacian",
    "all_clusters_taken",
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
    "place_confidence",
    "refilled",
    "row_sums",
    "smallest_eigenpairs",
    "symmetric_eigh",
    "tie_confidence",
    "unit_rows",
]
