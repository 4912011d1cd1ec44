"""How many clusters there are, and whether there are any."""

from .directions import count_clusters_of_views, direction_samples
from .profile import ClusterCounts, count_clusters, count_clusters_of_graphs, default_counts

__all__ = [
    "ClusterCounts",
    "count_clusters",
    "count_clusters_of_graphs",
    "count_clusters_of_views",
    "default_counts",
    "direction_samples",
]
