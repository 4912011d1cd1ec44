"""The passes over n × n graphs on NumPy arrays: the results of ``array_api``, faster.

A whole-array operation reads and writes memory once per operation. Here a tile is computed by a small matrix product, then
clipped, symmetrized, measured and stored while it is in the cache, on all threads (:mod:`viewfuse.linalg.threads`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...linalg.threads import for_each, multiply, spans
from .records import ConsensusChange, ConsensusUpdate, GraphNorms, SingleViewGraph

__all__ = ["NumpyKernels", "Scratch", "equal_spans", "negative_distance_factors", "square_sum"]

Tile = tuple[slice, slice]


@dataclass(frozen=True)
class NumpyKernels:
    """:class:`Kernels` on NumPy arrays; ``tile`` is the length of a tile's side."""

    tile: int = 384

    def coefficients(
        self,
        basis: np.ndarray,
        eigenvalues: np.ndarray,
        shift: float,
        ratio: float,
        consensus: np.ndarray | None,
        *,
        symmetric: bool,
    ) -> np.ndarray:
        scale = eigenvalues + shift
        if not ratio or consensus is None:
            return ((1 - ratio) * basis / scale).T
        # As an (n, r) array, so that all passes go along rows.
        mixture, transposed = np.empty(basis.shape, dtype=basis.dtype), consensus if symmetric else consensus.T

        def panel(rows: slice, _: object) -> tuple[float, ...]:
            part = mixture[rows]
            multiply(transposed[rows], basis, part)
            part *= -ratio
            part += basis[rows]
            part /= scale
            return ()

        for_each(panel, self._parts(len(consensus)))
        return mixture.T

    def write_view_graph(
        self,
        basis: np.ndarray,
        mixture: np.ndarray,
        ratio: float,
        consensus: np.ndarray,
        graph: np.ndarray,
        *,
        symmetric: bool,
    ) -> GraphNorms:
        def store(tile: Tile, scratch: Scratch) -> tuple[float, float]:
            rows, columns = tile
            block, other, scaled = scratch.blocks(3, rows, columns)
            minus_p = np.multiply(consensus[tile], -ratio, out=scaled) if ratio else None
            np.matmul(basis[rows], mixture[:, columns], out=block)
            if symmetric and rows != columns:
                # The product gives the mirrored tile already transposed. S is symmetric, so p is the same.
                np.matmul(mixture[:, rows].T, basis[columns].T, out=other)
            return _store_positive(tile, block, other, minus_p, consensus, graph, symmetric=symmetric)

        return GraphNorms(*self._for_each_tile(store, graph, upper=symmetric))

    def write_wide_graph(
        self, inverse: np.ndarray, shift: float, pull: float, consensus: np.ndarray, graph: np.ndarray
    ) -> GraphNorms:
        """``graph ← sym((I − W(cI − bS))₊)`` with ``W = inverse``, ``c = shift`` and ``b = pull``."""

        def store(tile: Tile, scratch: Scratch) -> tuple[float, float]:
            rows, columns = tile
            block, other, scaled = scratch.blocks(3, rows, columns)
            minus_p = np.multiply(inverse[tile], shift, out=scaled)  # cW − I
            if rows == columns:
                minus_p[np.diag_indices(len(minus_p))] -= 1
            np.matmul(inverse[rows], consensus[:, columns], out=block)
            block *= pull
            if rows != columns:
                np.matmul(consensus[rows], inverse[:, columns], out=other)
                other *= pull
            return _store_positive(tile, block, other, minus_p, consensus, graph, symmetric=True)

        return GraphNorms(*self._for_each_tile(store, graph, upper=True))

    def wide_reconstruction_error(self, gram: np.ndarray, graph: np.ndarray) -> float:
        """``‖Xᵀ − XᵀZ‖² = tr((I − Z) G (I − Z))`` of a symmetric graph."""

        def panel(rows: slice, difference: np.ndarray) -> tuple[float]:
            difference = difference[: rows.stop - rows.start]
            np.negative(graph[rows], out=difference)
            difference[:, rows][np.diag_indices(len(difference))] += 1
            return (float(np.vdot(difference @ gram, difference)),)

        return for_each(panel, self._parts(len(graph)), per_thread=lambda: np.empty((self.tile, len(graph)), graph.dtype))[0]

    def reconstruction_error(self, basis: np.ndarray, graph: np.ndarray, *, symmetric: bool) -> float:
        # The objective is only reported: single precision gives it six digits at half the cost. In double precision Z may
        # be close to the identity, so the difference from the identity is taken before rounding.
        single = basis.astype(np.float32, copy=False)
        transposed = graph if symmetric else graph.T
        from_identity = np.diagonal(graph) - 1

        def panel(rows: slice, difference: np.ndarray) -> tuple[float]:
            difference = difference[: rows.stop - rows.start]
            np.copyto(difference, transposed[rows], casting="same_kind")
            np.fill_diagonal(difference[:, rows], from_identity[rows])
            residual = difference @ single
            return (float(np.vdot(residual, residual)),)

        def single_panel(rows: slice, _: object) -> tuple[float]:
            residual = transposed[rows] @ single
            residual -= single[rows]
            return (float(np.vdot(residual, residual)),)

        parts = self._parts(len(graph))
        if graph.dtype == np.float32:
            return for_each(single_panel, parts)[0]
        return for_each(panel, parts, per_thread=lambda: np.empty((self.tile, len(graph)), np.float32))[0]

    def graph_norms(self, graph: np.ndarray, consensus: np.ndarray) -> GraphNorms:
        def measure(tile: Tile, scratch: Scratch) -> tuple[float, float]:
            (block,) = scratch.blocks(1, *tile)
            block[...] = graph[tile]
            norm2 = square_sum(block)
            block -= consensus[tile]
            return norm2, square_sum(block)

        return GraphNorms(*self._for_each_tile(measure, graph))

    def add_scaled(self, total: np.ndarray, weight: float, graph: np.ndarray, *, start: bool) -> None:
        n = len(graph)
        height = max(self.tile**2 // n, 1)

        def add(rows: slice, scratch: Scratch) -> tuple[float, ...]:
            if start:
                np.multiply(graph[rows], weight, out=total[rows])
            else:
                (block,) = scratch.blocks(1, rows, slice(0, n))
                np.multiply(graph[rows], weight, out=block)
                total[rows] += block
            return ()

        for_each(add, spans(n, height), per_thread=partial(Scratch, self.tile**2, graph.dtype))

    def update_consensus(
        self,
        update: ConsensusUpdate,
        weighted_sum: np.ndarray,
        consensus: np.ndarray,
        points: np.ndarray,
        out: np.ndarray,
    ) -> ConsensusChange:
        left, right = negative_distance_factors(points)
        if not update.measured:
            self._cut(update, update.penalty * left, right, weighted_sum, out)
            return ConsensusChange(*[math.nan] * 5)

        def replace(tile: Tile, scratch: Scratch) -> tuple[float, ...]:
            rows, columns = tile
            negative_distances, mean, new, moved = scratch.blocks(4, rows, columns)
            np.matmul(left[rows], right[columns].T, out=negative_distances)
            np.divide(weighted_sum[tile], update.weight_total, out=mean)
            np.multiply(negative_distances, update.penalty, out=new)
            new += mean
            if update.unclipped_change:
                change2 = square_sum(np.subtract(new, consensus[tile], out=moved))
            if update.symmetric:
                np.maximum(new, 0, out=new)
                np.minimum(new, update.upper_bound, out=new)
            moved2 = square_sum(np.subtract(new, consensus[tile], out=moved))
            mean -= consensus[tile]
            out[tile] = new
            mirrored = update.symmetric and rows != columns
            if mirrored:
                out[columns, rows] = new.T
            times = 2.0 if mirrored else 1.0
            return (
                times * (change2 if update.unclipped_change else moved2),
                times * moved2,
                times * square_sum(new),
                times * float(np.vdot(moved, mean)),
                times * -0.5 * float(np.vdot(negative_distances, new)),
            )

        return ConsensusChange(*self._for_each_tile(replace, consensus, upper=update.symmetric))

    def _cut(
        self, update: ConsensusUpdate, left: np.ndarray, right: np.ndarray, weighted_sum: np.ndarray, out: np.ndarray
    ) -> None:
        """``out ← weighted_sum / weight_total + left · rightᵀ``, clipped if symmetric: less than half of the passes."""

        def replace(tile: Tile, scratch: Scratch) -> tuple[float, ...]:
            rows, columns = tile
            new, mean = scratch.blocks(2, rows, columns)
            np.matmul(left[rows], right[columns].T, out=new)
            np.multiply(weighted_sum[tile], out.dtype.type(1 / update.weight_total), out=mean)
            new += mean
            if update.symmetric:
                np.clip(new, 0, update.upper_bound, out=new)
            out[tile] = new
            if update.symmetric and rows != columns:
                out[columns, rows] = new.T
            return ()

        self._for_each_tile(replace, out, upper=update.symmetric)

    def edge_inner_products(self, graphs: Sequence[SingleViewGraph]) -> tuple[np.ndarray, np.ndarray]:
        def measure(tile: Tile, scratch: Scratch) -> tuple[float, ...]:
            rows, columns = tile
            *blocks, total = scratch.blocks(len(graphs) + 1, rows, columns)
            for graph, block in zip(graphs, blocks, strict=True):
                _graph_tile(graph, tile, block)
                if rows == columns:
                    np.fill_diagonal(block, 0)
            np.copyto(total, blocks[0])
            for block in blocks[1:]:
                total += block
            times = 1 if rows == columns else 2
            return (
                *(times * square_sum(block) for block in blocks),
                *(times * float(np.vdot(block, total)) for block in blocks),
            )

        sums = self._for_each_tile(measure, graphs[0].basis, upper=True)
        return np.asarray(sums[: len(graphs)]), np.asarray(sums[len(graphs) :])

    def add_weighted(self, graphs: Sequence[SingleViewGraph], weights: np.ndarray, total: np.ndarray) -> None:
        first, *others = weights.tolist()

        def store(tile: Tile, scratch: Scratch) -> tuple[float, ...]:
            rows, columns = tile
            block, added = scratch.blocks(2, rows, columns)
            _graph_tile(graphs[0], tile, added)
            added *= first
            for graph, weight in zip(graphs[1:], others, strict=True):
                _graph_tile(graph, tile, block)
                block *= weight
                added += block
            total[tile] = added
            if rows != columns:
                total[columns, rows] = added.T
            return ()

        self._for_each_tile(store, total, upper=True)

    def _for_each_tile(self, task: Any, like: np.ndarray, *, upper: bool = False) -> tuple[Any, ...]:
        """Run ``task(tile, scratch)`` for the tiles of an (n, n) graph and add up the results.

        ``like`` has n rows and the graph's dtype. ``upper`` leaves out the tiles below the diagonal.
        """
        parts = self._parts(len(like))
        tiles = [(rows, columns) for i, rows in enumerate(parts) for columns in (parts[i:] if upper else parts)]
        return for_each(task, tiles, per_thread=partial(Scratch, self.tile**2, like.dtype))

    def _parts(self, n: int) -> list[slice]:
        return equal_spans(n, self.tile)


class Scratch:
    """One thread's working tiles, allocated once per pass: fresh memory would cost more than the arithmetic."""

    def __init__(self, size: int, dtype: np.dtype) -> None:
        self.size = size
        self.dtype = dtype
        self.buffers: list[np.ndarray] = []

    def blocks(self, count: int, rows: slice, columns: slice) -> list[np.ndarray]:
        """``count`` contiguous arrays of the tile's shape."""
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        while len(self.buffers) < count:
            self.buffers.append(np.empty(self.size, dtype=self.dtype))
        return [buffer[: shape[0] * shape[1]].reshape(shape) for buffer in self.buffers[:count]]


def equal_spans(n: int, most: int) -> list[slice]:
    """0 … n in slices of about the same length: with a narrow last slice, threads would get uneven shares."""
    return spans(n, math.ceil(n / math.ceil(n / most)))


def negative_distance_factors(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """−‖p_i − p_j‖² as one product: (2p_i, −‖p_i‖², −1) · (p_j, 1, ‖p_j‖²)."""
    squares, ones = np.einsum("ij,ij->i", points, points)[:, None], np.ones_like(points[:, :1])
    return np.hstack([2 * points, -squares, -ones]), np.hstack([points, ones, squares])


def _graph_tile(graph: SingleViewGraph, tile: Tile, out: np.ndarray) -> None:
    rows, columns = tile
    if graph.scale is None:
        np.copyto(out, graph.basis[tile])
    else:
        np.matmul(graph.basis[rows] * graph.scale, graph.basis[columns].T, out=out)
        np.maximum(out, 0, out=out)


def _store_positive(
    tile: Tile,
    block: np.ndarray,
    other: np.ndarray,
    minus_p: np.ndarray | None,
    consensus: np.ndarray,
    graph: np.ndarray,
    *,
    symmetric: bool,
) -> tuple[float, float]:
    """``graph[tile] ← (block + p)₊`` or, if symmetric, its mean with ``(other + p)₊``; the sums of ``GraphNorms``.

    ``other`` is the transpose of the mirrored tile's block, and is computed here on the diagonal. ``minus_p=None`` stands
    for zeros. ``block`` is overwritten.
    """
    rows, columns = tile
    off_diagonal = rows != columns
    # (a + p)₊ = max(a, −p) + p: so p is added only once to the sum of both halves.
    np.maximum(block, 0 if minus_p is None else minus_p, out=block)
    if symmetric:
        if off_diagonal:
            np.maximum(other, 0 if minus_p is None else minus_p, out=other)
        else:
            other[...] = block.T
        block += other
        block *= 0.5
    if minus_p is not None:
        block -= minus_p
    graph[tile] = block
    if symmetric and off_diagonal:
        graph[columns, rows] = block.T
    times = 2 if symmetric and off_diagonal else 1
    norm2 = square_sum(block)
    block -= consensus[tile]
    return times * norm2, times * square_sum(block)


def square_sum(block: np.ndarray) -> float:
    return float(np.vdot(block, block))
