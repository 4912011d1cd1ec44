"""One view to a graph of its samples, and how a view is scaled before."""

from .scaling import ScaledView, min_max, unit_samples
from .self_expressive import GramFactor, factorise, self_expressive_graph

__all__ = ["GramFactor", "ScaledView", "factorise", "min_max", "self_expressive_graph", "unit_samples"]
