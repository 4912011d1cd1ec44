"""The n × n passes of a sweep in array-API code, for any library and device: what they compute.

``_tiled`` computes the same on NumPy arrays, on threads. Here too a pass goes tile by tile, so that beside the n × n arrays
it is given it needs only a few tiles; of a symmetric graph it makes the upper tiles and mirrors them. What happens to a tile
after its matrix product is in ``_tile_plain``, and fused into one kernel for CUDA in ``_tile_triton``. Sums stay on the
device until the pass is over.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from ..._utils.device import to_host
from ...linalg.threads import spans
from .sizes import GraphSizes, OwnGraph, UpdateSizes
from .tile_dispatch import tile_kernels_for
from .tile_plain import positive_part

_TILE = 4096

Tile = tuple[slice, slice]


def coefficients(basis: Any, eigenvalues: Any, shift: float, ratio: float, consensus: Any) -> Any:
    """``(Λ + shift)⁻¹ (Uᵀ − ratio · UᵀS)``, (r, n); None for a consensus that is the identity."""
    if consensus is None:
        return (1 - ratio) * basis.T / (eigenvalues + shift)[:, None]
    mixed = basis.T - ratio * (basis.T @ consensus) if ratio else basis.T
    return mixed / (eigenvalues + shift)[:, None]


def write_view_graph(basis: Any, mixture: Any, ratio: float, consensus: Any, graph: Any, *, symmetric: bool) -> GraphSizes:
    """``graph ← (ratio · consensus + basis @ mixture)₊``, symmetrised if asked."""
    kernels, sums = tile_kernels_for(graph), []
    for rows, columns in _tiles(graph, upper=symmetric):
        product = basis[rows, :] @ mixture[:, columns]
        if not symmetric:
            mirror = None
        elif rows == columns:
            mirror = product.T
        else:
            mirror = mixture[:, rows].T @ basis[columns, :].T
        mirrored = graph[columns, rows] if symmetric and rows != columns else None
        sums.append(kernels.combine(product, mirror, ratio, consensus[rows, columns], graph[rows, columns], mirrored))
    return GraphSizes(*_added(sums))


def misfit(basis: Any, graph: Any, *, symmetric: bool) -> float:
    """``‖Uᵀ − UᵀZ‖² = ‖Xᵀ − XᵀZ‖²``."""
    return _square_sum(basis.T - basis.T @ graph)


def measure_graph(graph: Any, consensus: Any) -> GraphSizes:
    """The sizes of a graph that is already there."""
    xp = array_namespace(graph)
    sums = []
    for tile in _tiles(graph):
        part, apart = graph[tile], graph[tile] - consensus[tile]
        sums.append(xp.stack([xp.sum(part * part), xp.sum(apart * apart)]))
    return GraphSizes(*_added(sums))


def add_scaled(total: Any, weight: float, graph: Any, *, start: bool) -> None:
    """``total += weight · graph`` in place; at the start of a sum, ``total ← weight · graph``."""
    for rows in spans(int(graph.shape[0]), max(_TILE**2 // int(graph.shape[0]), 1)):
        if start:
            total[rows, :] = weight * graph[rows, :]
        else:
            total[rows, :] += weight * graph[rows, :]


def update_consensus(
    weighted_sum: Any,
    weight_total: float,
    consensus: Any,
    points: Any,
    penalty: float,
    out: Any,
    *,
    symmetric: bool,
    most: float = math.inf,
    unclipped_change: bool = True,
) -> UpdateSizes:
    """``out ← weighted_sum / weight_total − penalty · P``: the new consensus; ``out`` may be the sum itself.

    ``P_ij = ‖p_i − p_j‖²`` over the rows of ``points``. Symmetric graphs are clipped at 0 and at ``most``; their change is
    taken before, if wanted.
    """
    xp = array_namespace(points)
    kernels, sums = tile_kernels_for(out), []
    # −‖p_i − p_j‖² as one product: (2p_i, −‖p_i‖², −1) · (p_j, 1, ‖p_j‖²).
    squares, ones = xp.sum(points * points, axis=1, keepdims=True), xp.ones_like(points[:, :1])
    left, right = xp.concat([2 * points, -squares, -ones], axis=1), xp.concat([points, ones, squares], axis=1)
    for rows, columns in _tiles(out, upper=symmetric):
        near = left[rows, :] @ right[columns, :].T
        tile, mirrored = (rows, columns), out[columns, rows] if symmetric and rows != columns else None
        arguments = weighted_sum[tile], weight_total, consensus[tile], near, penalty, out[tile], mirrored
        sums.append(kernels.renew(*arguments, clipped=symmetric, most=most, unclipped_change=unclipped_change))
    return UpdateSizes(*_added(sums))


def ties_in_common(graphs: Sequence[OwnGraph]) -> tuple[np.ndarray, np.ndarray]:
    """``‖Z_v‖²`` and ``⟨Z_v, Σ_u Z_u⟩`` of every graph, both over the edges between different samples."""
    xp = array_namespace(graphs[0].basis)
    sums = []
    for rows, columns in _tiles(graphs[0].basis, upper=True):
        blocks = [_own_tile(graph, rows, columns) for graph in graphs]
        if rows == columns:
            others = 1 - xp.eye(blocks[0].shape[0], dtype=blocks[0].dtype, device=blocks[0].device)
            blocks = [block * others for block in blocks]
        total = sum(blocks[1:], start=blocks[0])
        own = [xp.sum(block * block) for block in blocks]
        common = [xp.sum(block * total) for block in blocks]
        sums.append((1 if rows == columns else 2) * xp.stack(own + common))
    added = np.asarray(_added(sums))
    return added[: len(graphs)], added[len(graphs) :]


def add_up(graphs: Sequence[OwnGraph], weights: np.ndarray, total: Any) -> None:
    """``total ← Σ_v w_v Z_v``."""
    for rows, columns in _tiles(total, upper=True):
        added: Any = 0
        for graph, weight in zip(graphs, weights.tolist(), strict=True):
            added = added + weight * _own_tile(graph, rows, columns)
        total[rows, columns] = added
        if rows != columns:
            total[columns, rows] = added.T


def _own_tile(graph: OwnGraph, rows: slice, columns: slice) -> Any:
    if graph.scale is None:
        return graph.basis[rows, columns]
    return positive_part((graph.basis[rows, :] * graph.scale) @ graph.basis[columns, :].T)


def _tiles(graph: Any, *, upper: bool = False) -> Iterator[Tile]:
    edges = spans(int(graph.shape[0]), _TILE)
    for i, rows in enumerate(edges):
        for columns in edges[i:] if upper else edges:
            yield rows, columns


def _added(sums: list[Any]) -> list[float]:
    """Numbers of all tiles added up on the device; only the result comes to the host."""
    xp = array_namespace(sums[0])
    return to_host(xp.sum(xp.stack(sums), axis=0)).tolist()


def _square_sum(values: Any) -> float:
    xp = array_namespace(values)
    return float(xp.sum(values * values))
