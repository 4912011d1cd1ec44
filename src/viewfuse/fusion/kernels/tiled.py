"""The n × n passes of a sweep on NumPy arrays, one tile at a time: the same results as ``_plain``, faster.

A whole-array operation reads and writes memory once per operation. Here a tile is made by a small matrix product, clipped,
symmetrised, measured and stored while it is in the cache, on all threads (``_parallel``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ...linalg.threads import for_each, spans
from .sizes import GraphSizes, OwnGraph, UpdateSizes

_TILE = 384

Tile = tuple[slice, slice]


def coefficients(
    basis: np.ndarray, eigenvalues: np.ndarray, shift: float, ratio: float, consensus: np.ndarray | None
) -> np.ndarray:
    transposed, scale = basis.T, (eigenvalues + shift)[:, None]
    if not ratio or consensus is None:
        return (1 - ratio) * transposed / scale
    mixture = np.empty(transposed.shape, dtype=basis.dtype)

    def panel(columns: slice, _: object) -> tuple[float, ...]:
        part = mixture[:, columns]
        np.matmul(transposed, consensus[:, columns], out=part)
        part *= -ratio
        part += transposed[:, columns]
        part /= scale
        return ()

    for_each(panel, _edges(len(consensus)))
    return mixture


def write_view_graph(
    basis: np.ndarray, mixture: np.ndarray, ratio: float, consensus: np.ndarray, graph: np.ndarray, *, symmetric: bool
) -> GraphSizes:
    def store(tile: Tile, scratch: _Scratch) -> tuple[float, float]:
        rows, columns = tile
        off_diagonal = rows != columns
        block, other, pull = scratch.blocks(3, rows, columns)
        # (a + p)₊ = max(a, −p) + p: the pull p is added once to both halves.
        push = np.multiply(consensus[tile], -ratio, out=pull) if ratio else 0
        np.matmul(basis[rows], mixture[:, columns], out=block)
        np.maximum(block, push, out=block)
        if symmetric:
            if off_diagonal:
                # The mirror tile, transposed by the product itself; S is symmetric, so it gets the same pull.
                np.matmul(mixture[:, rows].T, basis[columns].T, out=other)
                np.maximum(other, push, out=other)
            else:
                other[...] = block.T
            block += other
            block *= 0.5
        block -= push
        graph[tile] = block
        if symmetric and off_diagonal:
            graph[columns, rows] = block.T
        times = 2 if symmetric and off_diagonal else 1
        norm2 = _square_sum(block)
        block -= consensus[tile]
        return times * norm2, times * _square_sum(block)

    return GraphSizes(*for_each(store, _tiles(len(graph), upper=symmetric), per_thread=_scratch(graph.dtype)))


def misfit(basis: np.ndarray, graph: np.ndarray, *, symmetric: bool) -> float:
    # The objective is watched, not used: single precision gives it six digits at half the cost. In double precision Z may
    # be close to the identity, so the difference from it is taken before it is rounded.
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

    parts = _edges(len(graph))
    if graph.dtype == np.float32:
        return for_each(single_panel, parts)[0]
    return for_each(panel, parts, per_thread=lambda: np.empty((_TILE, len(graph)), np.float32))[0]


def measure_graph(graph: np.ndarray, consensus: np.ndarray) -> GraphSizes:
    def measure(tile: Tile, scratch: _Scratch) -> tuple[float, float]:
        (block,) = scratch.blocks(1, *tile)
        block[...] = graph[tile]
        norm2 = _square_sum(block)
        block -= consensus[tile]
        return norm2, _square_sum(block)

    return GraphSizes(*for_each(measure, _tiles(len(graph)), per_thread=_scratch(graph.dtype)))


def add_scaled(total: np.ndarray, weight: float, graph: np.ndarray, *, start: bool) -> None:
    n = len(graph)
    height = max(_TILE * _TILE // n, 1)

    def add(rows: slice, scratch: _Scratch) -> tuple[float, ...]:
        if start:
            np.multiply(graph[rows], weight, out=total[rows])
        else:
            (block,) = scratch.blocks(1, rows, slice(0, n))
            np.multiply(graph[rows], weight, out=block)
            total[rows] += block
        return ()

    for_each(add, spans(n, height), per_thread=_scratch(graph.dtype))


def update_consensus(
    weighted_sum: np.ndarray,
    weight_total: float,
    consensus: np.ndarray,
    points: np.ndarray,
    penalty: float,
    out: np.ndarray,
    *,
    symmetric: bool,
    most: float = np.inf,
    unclipped_change: bool = True,
) -> UpdateSizes:
    # −‖p_i − p_j‖² as one product: (2p_i, −‖p_i‖², −1) · (p_j, 1, ‖p_j‖²).
    squares, ones = np.einsum("ij,ij->i", points, points)[:, None], np.ones_like(points[:, :1])
    left, right = np.hstack([2 * points, -squares, -ones]), np.hstack([points, ones, squares])

    def replace(tile: Tile, scratch: _Scratch) -> tuple[float, ...]:
        rows, columns = tile
        near, mean, new, moved = scratch.blocks(4, rows, columns)
        np.matmul(left[rows], right[columns].T, out=near)
        np.divide(weighted_sum[tile], weight_total, out=mean)
        np.multiply(near, penalty, out=new)
        new += mean
        if unclipped_change:
            change2 = _square_sum(np.subtract(new, consensus[tile], out=moved))
        if symmetric:
            np.maximum(new, 0, out=new)
            np.minimum(new, most, out=new)
        moved2 = _square_sum(np.subtract(new, consensus[tile], out=moved))
        mean -= consensus[tile]
        out[tile] = new
        mirrored = symmetric and rows != columns
        if mirrored:
            out[columns, rows] = new.T
        times = 2.0 if mirrored else 1.0
        return (
            times * (change2 if unclipped_change else moved2),
            times * moved2,
            times * _square_sum(new),
            times * float(np.vdot(moved, mean)),
            times * -0.5 * float(np.vdot(near, new)),
        )

    return UpdateSizes(*for_each(replace, _tiles(len(consensus), upper=symmetric), per_thread=_scratch(consensus.dtype)))


def ties_in_common(graphs: Sequence[OwnGraph]) -> tuple[np.ndarray, np.ndarray]:
    def measure(tile: Tile, scratch: _Scratch) -> tuple[float, ...]:
        rows, columns = tile
        *blocks, total = scratch.blocks(len(graphs) + 1, rows, columns)
        for graph, block in zip(graphs, blocks, strict=True):
            _own_tile(graph, tile, block)
            if rows == columns:
                np.fill_diagonal(block, 0)
        np.copyto(total, blocks[0])
        for block in blocks[1:]:
            total += block
        times = 1 if rows == columns else 2
        return (
            *(times * _square_sum(block) for block in blocks),
            *(times * float(np.vdot(block, total)) for block in blocks),
        )

    basis = graphs[0].basis
    sums = for_each(measure, _tiles(len(basis), upper=True), per_thread=_scratch(basis.dtype))
    return np.asarray(sums[: len(graphs)]), np.asarray(sums[len(graphs) :])


def add_up(graphs: Sequence[OwnGraph], weights: np.ndarray, total: np.ndarray) -> None:
    first, *others = weights.tolist()

    def store(tile: Tile, scratch: _Scratch) -> tuple[float, ...]:
        rows, columns = tile
        block, added = scratch.blocks(2, rows, columns)
        _own_tile(graphs[0], tile, added)
        added *= first
        for graph, weight in zip(graphs[1:], others, strict=True):
            _own_tile(graph, tile, block)
            block *= weight
            added += block
        total[tile] = added
        if rows != columns:
            total[columns, rows] = added.T
        return ()

    for_each(store, _tiles(len(total), upper=True), per_thread=_scratch(total.dtype))


def _own_tile(graph: OwnGraph, tile: Tile, out: np.ndarray) -> None:
    rows, columns = tile
    if graph.scale is None:
        np.copyto(out, graph.basis[tile])
    else:
        np.matmul(graph.basis[rows] * graph.scale, graph.basis[columns].T, out=out)
        np.maximum(out, 0, out=out)


class _Scratch:
    """One thread's tiles to work in, made once a pass: fresh memory would cost more than the arithmetic."""

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype
        self.buffers: list[np.ndarray] = []

    def blocks(self, count: int, rows: slice, columns: slice) -> list[np.ndarray]:
        """``count`` contiguous arrays of the tile's shape."""
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        while len(self.buffers) < count:
            self.buffers.append(np.empty(_TILE * _TILE, dtype=self.dtype))
        return [buffer[: shape[0] * shape[1]].reshape(shape) for buffer in self.buffers[:count]]


def _scratch(dtype: np.dtype) -> Callable[[], _Scratch]:
    return lambda: _Scratch(dtype)


def _square_sum(block: np.ndarray) -> float:
    return float(np.vdot(block, block))


def _tiles(n: int, *, upper: bool = False) -> list[Tile]:
    edges = _edges(n)
    return [(rows, columns) for i, rows in enumerate(edges) for columns in (edges[i:] if upper else edges)]


def _edges(n: int) -> list[slice]:
    """0 … n in slices of about the same length: a narrow last one would keep a thread longer than its share."""
    return spans(n, math.ceil(n / math.ceil(n / _TILE)))
