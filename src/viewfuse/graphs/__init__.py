"""From one view to a graph of its samples, and how the view is scaled before that."""

from .affinity import AFFINITIES, view_graph
from .completion import completed_factors
from .deviations import factorise_deviations
from .distances import squared_distances
from .gaussian import cosine_similarity, gaussian_graph, strongest_edges
from .nearest import Neighbors, neighbor_graph, whitened_points
from .neighbors import adaptive_neighbors, adaptive_neighbors_graph
from .ranked import adaptive_weights, distances_at, largest_distance, nearest_samples
from .representation import Representation, represent
from .samples import Samples
from .scaling import SCALINGS, ScaledView, as_dense, min_max, unit_samples, unit_spread
from .self_expressive import GramFactor, GramMatrix, factorise, self_expressive_graph

__all__ = [
    "AFFINITIES",
    "SCALINGS",
    "GramFactor",
    "GramMatrix",
    "Neighbors",
    "Representation",
    "Samples",
    "ScaledView",
    "adaptive_neighbors",
    "adaptive_neighbors_graph",
    "adaptive_weights",
    "as_dense",
    "completed_factors",
    "cosine_similarity",
    "distances_at",
    "factorise",
    "factorise_deviations",
    "gaussian_graph",
    "largest_distance",
    "min_max",
    "nearest_samples",
    "neighbor_graph",
    "represent",
    "self_expressive_graph",
    "squared_distances",
    "strongest_edges",
    "unit_samples",
    "unit_spread",
    "view_graph",
    "whitened_points",
]
