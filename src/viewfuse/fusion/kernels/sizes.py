"""What goes into the passes over n × n graphs beside the graphs, and the few numbers that come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace

__all__ = ["GraphSizes", "OwnGraph", "UpdateSizes"]


@dataclass(frozen=True)
class OwnGraph:
    """The graph of a view on its own, symmetric: ``(basis · diag(scale) · basisᵀ)₊`` or, without a scale, ``basis``."""

    basis: Any
    scale: Any = None

    def among(self, rows: np.ndarray) -> OwnGraph:
        """The graph between some of the samples."""
        xp = array_namespace(self.basis)
        chosen = xp.asarray(rows, device=self.basis.device)
        basis = xp.take(self.basis, chosen, axis=0)
        return OwnGraph(xp.take(basis, chosen, axis=1)) if self.scale is None else OwnGraph(basis, self.scale)


@dataclass(frozen=True)
class GraphSizes:
    """``‖Z‖²`` and ``‖Z − S‖²`` of a view's graph."""

    norm2: float
    distance2: float


@dataclass(frozen=True)
class UpdateSizes:
    """What a new consensus ``S′`` changed.

    Attributes
    ----------
    change2 : ‖S′ − S‖² before clipping or, if that is not wanted, after it
    moved2 : ‖S′ − S‖² after clipping
    norm2 : ‖S′‖²
    towards : ⟨S′ − S, M/W − S⟩, with which Σ_v w_v‖Z_v − S′‖² follows from Σ_v w_v‖Z_v − S‖²
    cut : ½ Σ_ij P_ij S′_ij = Tr(FᵀLF)
    """

    change2: float
    moved2: float
    norm2: float
    towards: float
    cut: float
