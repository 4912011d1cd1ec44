"""The passes over n × n graphs in array-API code, for any library and device.

A pass goes tile by tile, so that it needs only a few tiles of memory beside the n × n arrays it is given. For a symmetric
graph it computes the upper tiles and mirrors them. Sums stay on the device until the pass is over.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_torch_array

from ..._utils.device import to_host
from ...linalg.threads import spans
from . import array_api_tiles
from .array_api_tiles import positive_part
from .records import ConsensusChange, ConsensusUpdate, GraphNorms, SingleViewGraph

__all__ = ["ArrayApiKernels"]

Tile = tuple[slice, slice]


@dataclass(frozen=True)
class ArrayApiKernels:
    """:class:`Kernels` on arrays of any library.

    Attributes
    ----------
    tile : length of a tile's side
    tiles : module that completes a tile after its matrix product
    """

    tile: int = 4096
    tiles: ModuleType = array_api_tiles

    def coefficients(
        self, basis: Any, eigenvalues: Any, shift: float, ratio: float, consensus: Any, *, symmetric: bool
    ) -> Any:
        if consensus is None:
            return (1 - ratio) * basis.T / (eigenvalues + shift)[:, None]
        mixed = basis.T - ratio * (basis.T @ consensus) if ratio else basis.T
        return mixed / (eigenvalues + shift)[:, None]

    def write_view_graph(
        self, basis: Any, mixture: Any, ratio: float, consensus: Any, graph: Any, *, symmetric: bool
    ) -> GraphNorms:
        sums = []
        for rows, columns in self._tiles(graph, upper=symmetric):
            product = basis[rows, :] @ mixture[:, columns]
            if not symmetric:
                mirror = None
            elif rows == columns:
                mirror = product.T
            else:
                mirror = mixture[:, rows].T @ basis[columns, :].T
            mirrored = _mirrored(graph, rows, columns) if symmetric else None
            here = rows, columns
            sums.append(self.tiles.view_graph_tile(product, mirror, ratio, consensus[here], graph[here], mirrored))
        return GraphNorms(*_added(sums))

    def reconstruction_error(self, basis: Any, graph: Any, *, symmetric: bool) -> float:
        return _square_sum(basis.T - basis.T @ graph)

    def graph_norms(self, graph: Any, consensus: Any) -> GraphNorms:
        xp = array_namespace(graph)
        sums = []
        for tile in self._tiles(graph):
            part, difference = graph[tile], graph[tile] - consensus[tile]
            sums.append(xp.stack([xp.sum(part * part), xp.sum(difference * difference)]))
        return GraphNorms(*_added(sums))

    def add_scaled(self, total: Any, weight: float, graph: Any, *, start: bool) -> None:
        if is_torch_array(total):  # one pass, where two operations need three
            if start:
                total.copy_(graph).mul_(weight)
            else:
                total.add_(graph, alpha=weight)
            return
        for rows in spans(int(graph.shape[0]), max(self.tile**2 // int(graph.shape[0]), 1)):
            if start:
                total[rows, :] = weight * graph[rows, :]
            else:
                total[rows, :] += weight * graph[rows, :]

    def update_consensus(
        self, update: ConsensusUpdate, weighted_sum: Any, consensus: Any, points: Any, out: Any
    ) -> ConsensusChange:
        xp = array_namespace(points)
        # −‖p_i − p_j‖² as one product: (2p_i, −‖p_i‖², −1) · (p_j, 1, ‖p_j‖²). A term of all samples is contiguous in
        # memory, because the kernels of CUDA read a term of neighbouring samples at once.
        terms = points.T
        squares, ones = xp.sum(terms * terms, axis=0, keepdims=True), xp.ones_like(terms[:1, :])
        left, right = xp.concat([2 * terms, -squares, -ones], axis=0).T, xp.concat([terms, ones, squares], axis=0).T
        if not update.measured:
            self._cut(update, update.penalty * left, right, weighted_sum, out)
            return ConsensusChange(*[math.nan] * 5)
        sums = []
        for rows, columns in self._tiles(out, upper=update.symmetric):
            negative_distances = left[rows, :] @ right[columns, :].T
            mirrored = _mirrored(out, rows, columns) if update.symmetric else None
            here = rows, columns
            sums.append(
                self.tiles.consensus_tile(
                    update, weighted_sum[here], consensus[here], negative_distances, out[here], mirrored
                )
            )
        return ConsensusChange(*_added(sums))

    def _cut(self, update: ConsensusUpdate, left: Any, right: Any, weighted_sum: Any, out: Any) -> None:
        """``out ← weighted_sum / weight_total + left · rightᵀ``, clipped if symmetric."""
        for rows, columns in self._tiles(out, upper=update.symmetric):
            mirrored = _mirrored(out, rows, columns) if update.symmetric else None
            here = rows, columns
            self.tiles.cut_tile(update, weighted_sum[here], left[rows, :], right[columns, :], out[here], mirrored)

    def edge_inner_products(self, graphs: Sequence[SingleViewGraph]) -> tuple[np.ndarray, np.ndarray]:
        xp = array_namespace(graphs[0].basis)
        sums = []
        for rows, columns in self._tiles(graphs[0].basis, upper=True):
            blocks = [_graph_tile(graph, rows, columns) for graph in graphs]
            if rows == columns:
                others = 1 - xp.eye(blocks[0].shape[0], dtype=blocks[0].dtype, device=blocks[0].device)
                blocks = [block * others for block in blocks]
            total = sum(blocks[1:], start=blocks[0])
            norms2 = [xp.sum(block * block) for block in blocks]
            with_sum = [xp.sum(block * total) for block in blocks]
            sums.append((1 if rows == columns else 2) * xp.stack(norms2 + with_sum))
        added = np.asarray(_added(sums))
        return added[: len(graphs)], added[len(graphs) :]

    def add_weighted(self, graphs: Sequence[SingleViewGraph], weights: np.ndarray, total: Any) -> None:
        for rows, columns in self._tiles(total, upper=True):
            first, *others = (
                _graph_tile(graph, rows, columns, weight) for graph, weight in zip(graphs, weights.tolist(), strict=True)
            )
            added = sum(others, start=first)
            total[rows, columns] = added
            if rows != columns:
                total[columns, rows] = added.T

    def _tiles(self, graph: Any, *, upper: bool = False) -> Iterator[Tile]:
        parts = spans(int(graph.shape[0]), self.tile)
        for i, rows in enumerate(parts):
            for columns in parts[i:] if upper else parts:
                yield rows, columns


def _mirrored(graph: Any, rows: slice, columns: slice) -> Any:
    """The tile on the other side of the diagonal; None for a tile on the diagonal."""
    return None if rows == columns else graph[columns, rows]


def _graph_tile(graph: SingleViewGraph, rows: slice, columns: slice, weight: float = 1.0) -> Any:
    """A tile of ``weight`` ≥ 0 times the graph."""
    if graph.scale is None:
        return weight * graph.basis[rows, columns]
    return positive_part((graph.basis[rows, :] * (weight * graph.scale)) @ graph.basis[columns, :].T)


def _added(sums: list[Any]) -> list[float]:
    """The sums of all tiles, added up on the device; only the totals are transferred to the host."""
    xp = array_namespace(sums[0])
    return to_host(xp.sum(xp.stack(sums), axis=0)).tolist()


def _square_sum(values: Any) -> float:
    xp = array_namespace(values)
    return float(xp.sum(values * values))
