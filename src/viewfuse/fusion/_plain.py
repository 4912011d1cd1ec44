"""The n × n passes of a sweep in plain array-API code: what they compute. ``_tiled`` computes the same on NumPy, faster."""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

from ._sizes import GraphSizes, UpdateSizes


def coefficients(basis: Any, eigenvalues: Any, shift: float, ratio: float, consensus: Any) -> Any:
    """``(Λ + shift)⁻¹ (Uᵀ − ratio · UᵀS)``, (r, n); None for a consensus that is the identity."""
    if consensus is None:
        return (1 - ratio) * basis.T / (eigenvalues + shift)[:, None]
    mixed = basis.T - ratio * (basis.T @ consensus) if ratio else basis.T
    return mixed / (eigenvalues + shift)[:, None]


def write_view_graph(basis: Any, mixture: Any, ratio: float, consensus: Any, graph: Any, *, symmetric: bool) -> GraphSizes:
    """``graph ← (ratio · consensus + basis @ mixture)₊``, symmetrised if asked."""
    new = _positive_part(basis @ mixture + ratio * consensus)
    graph[...] = (new + new.T) / 2 if symmetric else new
    return measure_graph(graph, consensus)


def misfit(basis: Any, graph: Any, *, symmetric: bool) -> float:
    """``‖Uᵀ − UᵀZ‖² = ‖Xᵀ − XᵀZ‖²``."""
    return _square_sum(basis.T - basis.T @ graph)


def measure_graph(graph: Any, consensus: Any) -> GraphSizes:
    """The sizes of a graph that is already there."""
    return GraphSizes(_square_sum(graph), _square_sum(graph - consensus))


def add_scaled(total: Any, weight: float, graph: Any, *, start: bool) -> None:
    """``total += weight · graph`` in place; at the start of a sum, ``total ← weight · graph``."""
    total[...] = weight * graph if start else total + weight * graph


def update_consensus(
    weighted_sum: Any, weight_total: float, consensus: Any, points: Any, penalty: float, out: Any, *, symmetric: bool
) -> UpdateSizes:
    """``out ← weighted_sum / weight_total − penalty · P``: the new consensus; ``out`` may be the sum itself.

    ``P_ij = ‖p_i − p_j‖²`` over the rows of ``points``. Symmetric graphs are clipped at 0.
    """
    xp = array_namespace(points)
    squares = xp.sum(points * points, axis=1)
    apart = _positive_part(squares[:, None] + squares[None, :] - 2 * (points @ points.T))
    mean = weighted_sum / weight_total
    new = mean - penalty * apart
    change2 = _square_sum(new - consensus)
    if symmetric:
        new = _positive_part(new)
    moved = new - consensus
    out[...] = new
    return UpdateSizes(
        change2=change2,
        moved2=_square_sum(moved),
        norm2=_square_sum(new),
        towards=float(xp.sum(moved * (mean - consensus))),
        cut=0.5 * float(xp.sum(apart * new)),
    )


def _positive_part(graph: Any) -> Any:
    xp = array_namespace(graph)
    return xp.where(graph > 0, graph, xp.zeros_like(graph))


def _square_sum(values: Any) -> float:
    xp = array_namespace(values)
    return float(xp.sum(values * values))
