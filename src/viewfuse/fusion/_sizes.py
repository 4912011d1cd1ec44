"""The few numbers a pass over n × n graphs leaves behind."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["GraphSizes", "UpdateSizes"]


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
    change2, old_norm2 : ‖S′ − S‖², before clipping, and ‖S‖²
    moved2 : ‖S′ − S‖² after clipping
    towards : ⟨S′ − S, M/W − S⟩, with which Σ_v w_v‖Z_v − S′‖² follows from Σ_v w_v‖Z_v − S‖²
    cut : ½ Σ_ij P_ij S′_ij = Tr(FᵀLF)
    """

    change2: float
    old_norm2: float
    moved2: float
    towards: float
    cut: float

    @property
    def relative_change(self) -> float:
        return _ratio(self.change2, self.old_norm2)

    @property
    def relative_move(self) -> float:
        return _ratio(self.moved2, self.old_norm2)


def _ratio(part2: float, whole2: float) -> float:
    return math.sqrt(part2 / whole2) if whole2 > 0 else math.inf
