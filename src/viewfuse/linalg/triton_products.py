"""A large matrix times a narrow block as one CUDA kernel, for PyTorch tensors in single precision.

Reading the matrix is the least that such a product costs. cuBLAS computes with 64 columns, however few there are, which
takes longer. Here every number is split into two of the precision of the tensor cores (TF32), and three of their four
products are added: as exact as single precision.
"""

# mypy: ignore-errors
from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

__all__ = ["MOST_COLUMNS", "narrow_product"]

MOST_COLUMNS = 32  # of the block; from there on cuBLAS is as fast
_LEAST_COLUMNS = 16  # of a product on tensor cores
_ROWS, _TERMS = 64, 64  # of the matrix, at a time


def narrow_product(matrix: Any, block: Any) -> Any:
    """``matrix @ block`` for rows that are contiguous in memory; 2n²b operations on an (n, n) matrix and an (n, b) block."""
    (n_rows, n_terms), width = matrix.shape, block.shape[1]
    padded = max(_LEAST_COLUMNS, triton.next_power_of_2(width))
    wide = torch.zeros((n_terms, padded), dtype=block.dtype, device=block.device)
    wide[:, :width] = block
    product = torch.empty((n_rows, padded), dtype=block.dtype, device=block.device)
    _narrow_product[(triton.cdiv(n_rows, _ROWS),)](
        matrix, matrix.stride(0), wide, product, n_rows, n_terms,
        ROWS=_ROWS, TERMS=_TERMS, WIDTH=padded, num_warps=4, num_stages=3,
    )  # fmt: skip
    return product[:, :width]


@triton.jit
def _narrow_product(
    matrix, matrix_r, block, product, n_rows, n_terms, ROWS: tl.constexpr, TERMS: tl.constexpr, WIDTH: tl.constexpr
):  # fmt: skip
    row, column, term = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, WIDTH), tl.arange(0, TERMS)
    start = matrix + row.to(tl.int64)[:, None] * matrix_r
    added = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
    for first in range(0, n_terms, TERMS):
        inside = first + term < n_terms
        part = tl.load(start + (first + term)[None, :], mask=(row < n_rows)[:, None] & inside[None, :], other=0.0)
        theirs = tl.load(block + (first + term)[:, None] * WIDTH + column[None, :], mask=inside[:, None], other=0.0)
        added += tl.dot(part, theirs, input_precision="tf32x3")
    tl.store(product + row[:, None] * WIDTH + column[None, :], added, mask=(row < n_rows)[:, None])
