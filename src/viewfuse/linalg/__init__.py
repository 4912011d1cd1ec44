"""Numerical tools: Laplacians as operators, eigensolvers, k-means and threads. They know nothing of views."""

from .assign import (
    all_clusters_taken,
    assign_clusters,
    cluster_centres,
    distance_confidence,
    edge_confidence,
    margin_confidence,
    nearest_centres,
    random_kmeans,
    refilled,
    unit_rows,
)
from .bipartite import BipartiteEmbedding, bipartite_embedding
from .complement import Complement, normalized_adjacency
from .congruence import Congruence
from .covariance import shrunk_covariance
from .device_search import nearest_rows
from .eigensolvers import Eigenpairs, largest_eigenpairs, smallest_eigenpairs, symmetric_eigh
from .gram import gram_factor
from .grouped_search import GroupedSearch
from .inverse import shifted_inverse
from .laplacian import Laplacian, isolated_samples, row_sums
from .numbering import numbered_by_size, occurrences, order_by_size, renumbered
from .polar import polar_factor
from .recurrence import Recurrence, halves, placed, recurrence
from .simplex import project_rows, simplex_programs
from .smallest import smallest_of_rows
from .sparse_laplacian import smallest_laplacian_eigenpairs
from .sums import products_in_order, squares_in_order, sums_in_order

__all__ = [
    "BipartiteEmbedding",
    "Complement",
    "Congruence",
    "Eigenpairs",
    "GroupedSearch",
    "Laplacian",
    "Recurrence",
    "all_clusters_taken",
    "assign_clusters",
    "bipartite_embedding",
    "cluster_centres",
    "distance_confidence",
    "edge_confidence",
    "gram_factor",
    "halves",
    "isolated_samples",
    "largest_eigenpairs",
    "margin_confidence",
    "nearest_centres",
    "nearest_rows",
    "normalized_adjacency",
    "numbered_by_size",
    "occurrences",
    "order_by_size",
    "placed",
    "polar_factor",
    "products_in_order",
    "project_rows",
    "random_kmeans",
    "recurrence",
    "refilled",
    "renumbered",
    "row_sums",
    "shifted_inverse",
    "shrunk_covariance",
    "simplex_programs",
    "smallest_eigenpairs",
    "smallest_laplacian_eigenpairs",
    "smallest_of_rows",
    "squares_in_order",
    "sums_in_order",
    "symmetric_eigh",
    "unit_rows",
]
