"""What a fusion returns: one frozen record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["FusionResult", "Sweep"]


@dataclass(frozen=True)
class Sweep:
    """One iteration: a pass over all views and the consensus.

    Attributes
    ----------
    objective : value of the objective after the iteration, for its weights, to six digits; it need not decrease, because the
        weights change and ``Z_v`` is clipped; NaN if it was not asked for
    change : ‖S_new − S_old‖ / ‖S_old‖
    weights : (n_views,) weights after the iteration, summing to 1
    """

    objective: float
    change: float
    weights: Any


@dataclass(frozen=True)
class FusionResult:
    """A consensus graph and the iterations that led to it.

    Attributes
    ----------
    consensus : (n, n) array, symmetric and non-negative: ``S``
    fused : (n, n) array, the weighted sum of the view graphs before the cut, up to a factor; ``S`` itself if there is no cut
        or the variant does not keep the sum
    embedding : (n, k) array, orthonormal columns: ``F``
    eigenvalues : (k,) array, of the Laplacian that the embedding belongs to
    weights : (n_views,) array, summing to 1
    sweeps : tuple of Sweep
    converged : bool, whether the stopping rule held
    """

    consensus: Any
    fused: Any
    embedding: Any
    eigenvalues: Any
    weights: Any
    sweeps: tuple[Sweep, ...]
    converged: bool
