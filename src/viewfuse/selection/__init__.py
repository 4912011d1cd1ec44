"""Choices without labels: the number of clusters, the parameters, the method; and how stable a clustering is."""

from .choices import GRIDS, ClusterCounts, Stability, Tuning, choose_n_clusters, stability, tune

__all__ = ["GRIDS", "ClusterCounts", "Stability", "Tuning", "choose_n_clusters", "stability", "tune"]
