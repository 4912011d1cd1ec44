"""The number of clusters of a graph, or of the consensus graph of several views."""

from .graph import ClusterCounts, count_clusters, default_counts, partition_gain
from .views import count_clusters_of_graphs, count_clusters_of_views

__all__ = [
    "ClusterCounts",
    "count_clusters",
    "count_clusters_of_graphs",
    "count_clusters_of_views",
    "default_counts",
    "partition_gain",
]
