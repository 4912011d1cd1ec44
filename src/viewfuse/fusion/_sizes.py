"""The few numbers a pass over n × n graphs leaves behind."""

from __future__ import annotations

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
    change2 : ‖S′ − S‖² before clipping
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
