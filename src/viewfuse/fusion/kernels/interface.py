"""The passes over n × n graphs that fusion needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from .records import ConsensusChange, ConsensusUpdate, GraphNorms, SingleViewGraph

__all__ = ["Kernels"]


class Kernels(Protocol):
    """One implementation of every pass. Graphs are (n, n) arrays of one library, dtype and device.

    Results do not depend on the tile size beyond rounding, and not at all on the number of threads.
    """

    def coefficients(
        self, basis: Any, eigenvalues: Any, shift: float, ratio: float, consensus: Any, *, symmetric: bool
    ) -> Any:
        """``(Λ + shift)⁻¹ (Uᵀ − ratio · UᵀS)``, (r, n); ``consensus=None`` stands for the identity.

        ``symmetric`` says that the consensus equals its transpose.
        """
        ...

    def write_view_graph(
        self, basis: Any, mixture: Any, ratio: float, consensus: Any, graph: Any, *, symmetric: bool
    ) -> GraphNorms:
        """``graph ← (ratio · consensus + basis @ mixture)₊``, symmetrized if ``symmetric``."""
        ...

    def reconstruction_error(self, basis: Any, graph: Any, *, symmetric: bool) -> float:
        """``‖Uᵀ − UᵀZ‖² = ‖Xᵀ − XᵀZ‖²``; ``symmetric`` says that the graph equals its transpose."""
        ...

    def graph_norms(self, graph: Any, consensus: Any) -> GraphNorms:
        """The norms of a graph that is given."""
        ...

    def add_scaled(self, total: Any, weight: float, graph: Any, *, start: bool) -> None:
        """``total += weight · graph`` in place or, at the start of a sum, ``total ← weight · graph``."""
        ...

    def update_consensus(
        self, update: ConsensusUpdate, weighted_sum: Any, consensus: Any, points: Any, out: Any
    ) -> ConsensusChange:
        """``out ← weighted_sum / weight_total − penalty · P``; ``out`` may be ``weighted_sum`` itself.

        ``P_ij = ‖p_i − p_j‖²`` over the rows of ``points``. Symmetric graphs are clipped to [0, upper_bound]. If the update
        is not measured, the returned norms may be NaN.
        """
        ...

    def edge_inner_products(self, graphs: Sequence[SingleViewGraph]) -> tuple[np.ndarray, np.ndarray]:
        """``‖Z_v‖²`` and ``⟨Z_v, Σ_u Z_u⟩`` of every graph, both over edges between different samples (no self-loops)."""
        ...

    def add_weighted(self, graphs: Sequence[SingleViewGraph], weights: np.ndarray, total: Any) -> None:
        """``total ← Σ_v w_v Z_v``."""
        ...
