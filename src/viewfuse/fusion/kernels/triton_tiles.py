"""Complete one tile of a graph after its matrix product, as one CUDA kernel each: every array is read and written once.

The functions are those of ``array_api_tiles``, for PyTorch tensors in single precision on a CUDA device. Sums are taken in
double precision, block by block in a fixed order.
"""

# mypy: ignore-errors
from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from .records import ConsensusUpdate

__all__ = ["consensus_tile", "cut_tile", "view_graph_tile"]

_BLOCK = 64
_TERMS = 32  # of a sum of products, at a time


def view_graph_tile(product: Any, mirror: Any, ratio: float, consensus: Any, graph: Any, mirrored: Any) -> Any:
    sums, grid = _workspace(graph, 2)
    other = product if mirror is None else mirror
    image = graph if mirrored is None else mirrored
    _view_graph_tile[grid](
        product, *product.stride(), other, *other.stride(), consensus, *consensus.stride(), graph, *graph.stride(),
        image, *image.stride(), sums, graph.shape[0], graph.shape[1], ratio,
        SYMMETRIC=mirror is not None, MIRRORED=mirrored is not None, BLOCK=_BLOCK,
    )  # fmt: skip
    return _summed(sums, mirrored)


def consensus_tile(
    update: ConsensusUpdate, weighted_sum: Any, consensus: Any, negative_distances: Any, out: Any, mirrored: Any
) -> Any:
    sums, grid = _workspace(out, 5)
    image = out if mirrored is None else mirrored
    _consensus_tile[grid](
        weighted_sum, *weighted_sum.stride(), consensus, *consensus.stride(),
        negative_distances, *negative_distances.stride(), out, *out.stride(),
        image, *image.stride(), sums, out.shape[0], out.shape[1], update.weight_total, update.penalty, update.upper_bound,
        CLIPPED=update.symmetric, UNCLIPPED=update.unclipped_change, MIRRORED=mirrored is not None, BLOCK=_BLOCK,
    )  # fmt: skip
    return _summed(sums, mirrored)


def cut_tile(update: ConsensusUpdate, weighted_sum: Any, left: Any, right: Any, out: Any, mirrored: Any) -> None:
    image = out if mirrored is None else mirrored
    _cut_tile[_grid(out)](
        weighted_sum, *weighted_sum.stride(), left, *left.stride(), right, *right.stride(), out, *out.stride(),
        image, *image.stride(), out.shape[0], out.shape[1], left.shape[1], update.weight_total, update.upper_bound,
        CLIPPED=update.symmetric, MIRRORED=mirrored is not None, BLOCK=_BLOCK, TERMS=_TERMS,
    )  # fmt: skip


def _workspace(tile: Any, n_sums: int) -> tuple[Any, tuple[int, int]]:
    grid = _grid(tile)
    return torch.empty((grid[0] * grid[1], n_sums), dtype=torch.float64, device=tile.device), grid


def _grid(tile: Any) -> tuple[int, int]:
    return triton.cdiv(tile.shape[0], _BLOCK), triton.cdiv(tile.shape[1], _BLOCK)


def _summed(sums: Any, mirrored: Any) -> Any:
    total = sums.sum(dim=0)
    return total if mirrored is None else 2 * total


@triton.jit
def _offsets(row, column, row_stride, column_stride):
    return row.to(tl.int64)[:, None] * row_stride + column.to(tl.int64)[None, :] * column_stride


@triton.jit
def _view_graph_tile(
    product, product_r, product_c, other, other_r, other_c, consensus, consensus_r, consensus_c, graph, graph_r, graph_c,
    image, image_r, image_c, sums, n_rows, n_columns, ratio,
    SYMMETRIC: tl.constexpr, MIRRORED: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (row < n_rows)[:, None] & (column < n_columns)[None, :]
    fused = tl.load(consensus + _offsets(row, column, consensus_r, consensus_c), mask=inside, other=0.0)
    new = tl.maximum(
        tl.load(product + _offsets(row, column, product_r, product_c), mask=inside, other=0.0) + ratio * fused, 0.0
    )
    if SYMMETRIC:
        second = tl.load(other + _offsets(row, column, other_r, other_c), mask=inside, other=0.0)
        new = (new + tl.maximum(second + ratio * fused, 0.0)) * 0.5
    tl.store(graph + _offsets(row, column, graph_r, graph_c), new, mask=inside)
    if MIRRORED:
        tl.store(image + _offsets(column, row, image_r, image_c), tl.trans(new), mask=tl.trans(inside))
    difference = new - fused
    place = sums + (tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)) * 2
    tl.store(place, tl.sum((new * new).to(tl.float64)))
    tl.store(place + 1, tl.sum((difference * difference).to(tl.float64)))


@triton.jit
def _consensus_tile(
    total, total_r, total_c, consensus, consensus_r, consensus_c, negative, negative_r, negative_c, out, out_r, out_c,
    image, image_r, image_c, sums, n_rows, n_columns, weight_total, penalty, upper_bound,
    CLIPPED: tl.constexpr, UNCLIPPED: tl.constexpr, MIRRORED: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (row < n_rows)[:, None] & (column < n_columns)[None, :]
    old = tl.load(consensus + _offsets(row, column, consensus_r, consensus_c), mask=inside, other=0.0)
    mean = tl.load(total + _offsets(row, column, total_r, total_c), mask=inside, other=0.0) / weight_total
    negative_distance = tl.load(negative + _offsets(row, column, negative_r, negative_c), mask=inside, other=0.0)
    new = mean + penalty * negative_distance
    change = new - old
    if CLIPPED:
        new = tl.minimum(tl.maximum(new, 0.0), upper_bound)
    moved = new - old
    if not UNCLIPPED:
        change = moved
    tl.store(out + _offsets(row, column, out_r, out_c), new, mask=inside)
    if MIRRORED:
        tl.store(image + _offsets(column, row, image_r, image_c), tl.trans(new), mask=tl.trans(inside))
    place = sums + (tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)) * 5
    tl.store(place, tl.sum((change * change).to(tl.float64)))
    tl.store(place + 1, tl.sum((moved * moved).to(tl.float64)))
    tl.store(place + 2, tl.sum((new * new).to(tl.float64)))
    tl.store(place + 3, tl.sum((moved * (mean - old)).to(tl.float64)))
    tl.store(place + 4, tl.sum((-0.5 * negative_distance * new).to(tl.float64)))


@triton.jit
def _cut_tile(
    total, total_r, total_c, left, left_r, left_c, right, right_r, right_c, out, out_r, out_c, image, image_r, image_c,
    n_rows, n_columns, n_terms, weight_total, upper_bound,
    CLIPPED: tl.constexpr, MIRRORED: tl.constexpr, BLOCK: tl.constexpr, TERMS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (row < n_rows)[:, None] & (column < n_columns)[None, :]
    # Before the product, so that it is computed while this is read.
    mean = tl.load(total + _offsets(row, column, total_r, total_c), mask=inside, other=0.0) / weight_total
    product = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for first in range(0, n_terms, TERMS):
        term = first + tl.arange(0, TERMS)
        own = tl.load(
            left + _offsets(row, term, left_r, left_c), mask=(row < n_rows)[:, None] & (term < n_terms)[None, :], other=0.0
        )
        theirs = tl.load(
            right + _offsets(term, column, right_c, right_r),
            mask=(term < n_terms)[:, None] & (column < n_columns)[None, :], other=0.0,
        )  # fmt: skip
        product += tl.dot(own, theirs, input_precision="ieee")  # not TF32
    new = mean + product
    if CLIPPED:
        new = tl.minimum(tl.maximum(new, 0.0), upper_bound)
    tl.store(out + _offsets(row, column, out_r, out_c), new, mask=inside)
    if MIRRORED:
        tl.store(image + _offsets(column, row, image_r, image_c), tl.trans(new), mask=tl.trans(inside))
