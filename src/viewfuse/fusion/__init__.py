"""Graphs to one consensus graph: the GFSC and GF sweeps on n × n graphs."""

from .counting import count_clusters_of_graphs, count_clusters_of_views
from .exact import fuse_graphs, gf, gfsc, learned_factors
from .result import FusionResult, Sweep

__all__ = [
    "FusionResult",
    "Sweep",
    "count_clusters_of_graphs",
    "count_clusters_of_views",
    "fuse_graphs",
    "gf",
    "gfsc",
    "learned_factors",
]
