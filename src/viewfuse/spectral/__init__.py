"""From a graph to clusters: Laplacians as operators, their smallest eigenvectors, and rows to clusters."""

from .assign import assign_clusters, tie_confidence, unit_rows, warn_if_fewer
from .complement import Complement, normalised_adjacency
from .eigensolvers import Eigenpairs, smallest_eigenpairs, symmetric_eigh
from .laplacian import Laplacian, isolated_samples

__all__ = [
    "Complement",
    "Eigenpairs",
    "Laplacian",
    "assign_clusters",
    "isolated_samples",
    "normalised_adjacency",
    "smallest_eigenpairs",
    "symmetric_eigh",
    "tie_confidence",
    "unit_rows",
    "warn_if_fewer",
]
