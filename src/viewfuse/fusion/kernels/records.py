"""Arguments and results of the passes over n × n graphs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace

__all__ = ["ConsensusChange", "ConsensusUpdate", "GraphNorms", "SingleViewGraph"]


@dataclass(frozen=True)
class SingleViewGraph:
    """The symmetric graph of one view without a consensus.

    It is ``(basis · diag(scale) · basisᵀ)₊`` or, if ``scale`` is None, ``basis`` itself.
    """

    basis: Any
    scale: Any = None

    def subgraph(self, rows: np.ndarray) -> SingleViewGraph:
        """The graph between some of the samples."""
        xp = array_namespace(self.basis)
        chosen = xp.asarray(rows, device=self.basis.device)
        basis = xp.take(self.basis, chosen, axis=0)
        return SingleViewGraph(xp.take(basis, chosen, axis=1)) if self.scale is None else SingleViewGraph(basis, self.scale)


@dataclass(frozen=True)
class GraphNorms:
    """``‖Z‖²`` and ``‖Z − S‖²`` of a view's graph."""

    norm2: float
    distance2: float


@dataclass(frozen=True)
class ConsensusUpdate:
    """How a new consensus ``S′ = M / weight_total − penalty · P`` is computed from the weighted sum ``M``.

    Attributes
    ----------
    weight_total : sum of the weights in ``M``
    penalty : factor of the squared distances ``P``
    symmetric : whether the graphs are symmetric; if so, ``S′`` is clipped to [0, upper_bound]
    upper_bound : largest entry of a symmetric ``S′``
    unclipped_change : whether the change is measured before clipping
    measured : whether the norms of ``ConsensusChange`` are needed; if not, they may be NaN
    """

    weight_total: float
    penalty: float
    symmetric: bool
    upper_bound: float = math.inf
    unclipped_change: bool = True
    measured: bool = True


@dataclass(frozen=True)
class ConsensusChange:
    """Norms of a new consensus ``S′`` and of its difference from ``S``.

    Attributes
    ----------
    change2 : ‖S′ − S‖², before clipping if ``unclipped_change``
    moved2 : ‖S′ − S‖² after clipping
    norm2 : ‖S′‖²
    towards : ⟨S′ − S, M/W − S⟩, which gives Σ_v w_v‖Z_v − S′‖² from Σ_v w_v‖Z_v − S‖²
    cut : ½ Σ_ij P_ij S′_ij = Tr(FᵀLF)
    """

    change2: float
    moved2: float
    norm2: float
    towards: float
    cut: float
