"""What a fusion returns: one frozen record, whatever happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["FusionResult", "Sweep"]


@dataclass(frozen=True)
class Sweep:
    """One pass over all views.

    Attributes
    ----------
    objective : value of the objective after the sweep, at its weights, to six digits; as those change and ``Z_v`` is
        clipped, it settles rather than falls
    change : ‖S_new − S_old‖ / ‖S_old‖
    weights : (n_views,) weights after the sweep, summing to 1
    """

    objective: float
    change: float
    weights: Any


@dataclass(frozen=True)
class FusionResult:
    """A consensus graph and how it came about.

    Attributes
    ----------
    consensus : (n, n) array, symmetric and non-negative: ``S``
    fused : (n, n) array, the weighted sum of the view graphs before the cut, up to its scale; where there is no such, ``S``
    embedding : (n, k) array, orthonormal columns: ``F``
    eigenvalues : (k,) array, of the Laplacian the embedding belongs to
    weights : (n_views,) array, summing to 1
    sweeps : tuple of Sweep
    converged : bool, whether the change fell below the tolerance
    """

    consensus: Any
    fused: Any
    embedding: Any
    eigenvalues: Any
    weights: Any
    sweeps: tuple[Sweep, ...]
    converged: bool
