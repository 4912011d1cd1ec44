"""Selection without labels: the number of clusters, the parameters, the method, and the stability of a clustering."""

from .matching import match
from .n_clusters import ClusterCounts, choose_n_clusters
from .stability import Stability, stability
from .tuning import GRIDS, Tuning, tune

__all__ = ["GRIDS", "ClusterCounts", "Stability", "Tuning", "choose_n_clusters", "match", "stability", "tune"]
