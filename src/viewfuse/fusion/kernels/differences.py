"""View graphs near the consensus, as differences from it in single precision, on NumPy arrays.

If a view's graph differs from the consensus ``S`` by a thousandth of it or less, ``Z = S + Δ`` has ten correct digits if
``Δ`` has seven. ``S`` and its products with the views are kept in double precision; everything else takes half of the time
in single precision. With the factors ``U``, ``Λ`` of a view, ``b`` the pull of the consensus, ``c = α + b`` and ``ρ = b/c``,

    Δ = max(UY, −ρS) − (1 − ρ)S,  symmetrized,     Y = (Λ + cI)⁻¹(Uᵀ − ρUᵀS),     Uᵀ − UᵀZ = (Uᵀ − UᵀS) − UᵀΔ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from array_api_compat import is_numpy_array

from ...graphs import GramFactor
from ...linalg.threads import for_each
from .numpy_tiled import Scratch, equal_spans, negative_distance_factors, square_sum
from .records import ConsensusChange, ConsensusUpdate, GraphNorms

__all__ = ["Differences", "add_step"]

_TILE = 340  # length of a tile's side
_SETS = 3  # of tiles: the consensus, a difference and the sum of all

Position = tuple[int, int]
Tiles = dict[Position, np.ndarray]


@dataclass(frozen=True)
class Differences:
    """The difference of one graph after the other from a symmetric consensus, and their weighted sum.

    They are kept in multiples of ``unit``, so that their squares do not underflow, and as tiles on and above the diagonal,
    each in one piece: half of the memory to pass through.

    Attributes
    ----------
    consensus : (n, n) array of float64, ``S``
    norm2 : ``‖S‖²``
    unit : about the distance of a graph from the consensus
    is_identity : whether ``S`` is the identity
    parts : the rows of a row of tiles
    rounded, difference, total : tiles of ``S``, ``Δ`` and ``Σ_v w_v Δ_v``
    """

    consensus: np.ndarray
    norm2: float
    unit: float
    is_identity: bool
    parts: list[slice]
    rounded: Tiles
    difference: Tiles
    total: Tiles

    @classmethod
    def of(
        cls, consensus: np.ndarray, norm2: float, unit: float, memory: np.ndarray, *, is_identity: bool = False
    ) -> Differences:
        """With tiles in ``memory``, an (n, n) array of float64 that is overwritten."""
        parts = equal_spans(len(consensus), _TILE)
        rounded, difference, total = _carved(memory, parts)

        def store(position: Position, _: object) -> tuple[float, ...]:
            rows, columns = (parts[i] for i in position)
            rounded[position][...] = consensus[rows, columns]
            return ()

        for_each(store, list(rounded))
        return cls(consensus, norm2, unit, is_identity, parts, rounded, difference, total)

    @staticmethod
    def suit(consensus: Any, n_columns: int) -> bool:
        """Whether the consensus is a NumPy array in double precision, and large enough.

        With fewer samples the tiles do not fit into an (n, n) array, and with more columns of all views together their
        products with the consensus would need more than half of its memory.
        """
        if not is_numpy_array(consensus) or consensus.dtype != np.float64:
            return False
        return len(consensus) >= max(_SETS * _TILE, 2 * n_columns)

    def write(self, factor: GramFactor, products: np.ndarray, alpha: float, pull: float) -> GraphNorms:
        """Set the difference to that of a view, given ``SU``, (n, r)."""
        ratio, rest = pull / (alpha + pull), alpha / (alpha + pull)
        # Half of Yᵀ in multiples of the unit: the two halves of a symmetrized graph are added up.
        mixture = (factor.basis - ratio * products) / (2 * self.unit * (factor.eigenvalues + alpha + pull))
        mixture, basis = mixture.astype(np.float32), factor.basis.astype(np.float32)
        mixture_rows, basis_rows = (
            mixture.T.copy(),
            basis.T.copy(),
        )  # a BLAS multiplies faster by a matrix whose rows are whole

        def store(position: Position, scratch: Scratch) -> tuple[float, float]:
            (i, j), block, consensus = position, self.difference[position], self.rounded[position]
            rows, columns = self.parts[i], self.parts[j]
            other, bound = scratch.blocks(2, rows, columns)
            np.multiply(consensus, np.float32(-ratio / (2 * self.unit)), out=bound)
            np.matmul(basis[rows], mixture_rows[:, columns], out=block)
            np.maximum(block, bound, out=block)
            if i == j:
                other[...] = block.T
            elif self.is_identity:  # then UY is symmetric
                other[...] = block
            else:  # the product gives the mirrored tile already transposed
                np.matmul(mixture[rows], basis_rows[:, columns], out=other)
                np.maximum(other, bound, out=other)
            block += other
            np.multiply(consensus, np.float32(rest / self.unit), out=other)
            block -= other
            times = 1 if i == j else 2
            return times * _inner_product(block, block), times * _inner_product(block, consensus)

        square, product = for_each(store, list(self.difference), per_thread=_scratch)
        distance2 = self.unit**2 * square
        return GraphNorms(self.norm2 + 2 * self.unit * product + distance2, distance2)

    def add(self, weight: float, factor: GramFactor, products: np.ndarray, *, start: bool) -> float:
        """Add the weighted difference to the sum or, at the start, set the sum to it; returns ``‖Uᵀ − UᵀZ‖²``."""
        residual = (factor.basis - products).astype(np.float32)
        basis = (-self.unit * factor.basis).astype(np.float32)

        def panel(i: int, scratch: Scratch) -> tuple[float]:
            left = residual[self.parts[i]]
            product = np.empty_like(left)
            for j, columns in enumerate(self.parts):
                tile = self.difference[i, j] if i <= j else self.difference[j, i].T
                left += np.matmul(tile, basis[columns], out=product)
                if i <= j:
                    self._accumulate((i, j), weight, scratch, start)
            return (_inner_product(left, left),)

        return float(for_each(panel, range(len(self.parts)), per_thread=_scratch)[0])

    def _accumulate(self, position: Position, weight: float, scratch: Scratch, start: bool) -> None:
        total, difference = self.total[position], self.difference[position]
        if start:
            np.multiply(difference, np.float32(weight), out=total)
            return
        (scaled,) = scratch.blocks(1, *(self.parts[i] for i in position))
        np.multiply(difference, np.float32(weight), out=scaled)
        total += scaled

    def update_consensus(self, update: ConsensusUpdate, points: np.ndarray, out: np.ndarray) -> ConsensusChange:
        """``out ← (S + Σ_v w_v Δ_v / weight_total − penalty · P)₊``, in double precision."""
        left, right = negative_distance_factors(points)

        def replace(position: Position, scratch: Scratch) -> tuple[float, ...]:
            rows, columns = tile = self.parts[position[0]], self.parts[position[1]]
            negative_distances, step, moved, new = scratch.blocks(4, rows, columns)
            np.matmul(left[rows], right[columns].T, out=negative_distances)
            np.multiply(self.total[position], self.unit / update.weight_total, out=step)
            np.multiply(negative_distances, update.penalty, out=moved)
            moved += step
            change2 = square_sum(moved)
            np.add(self.consensus[tile], moved, out=new)
            np.maximum(new, 0, out=new)
            np.subtract(new, self.consensus[tile], out=moved)
            out[tile] = new
            if rows != columns:
                out[columns, rows] = new.T
            times = 1.0 if rows == columns else 2.0
            return (
                times * change2,
                times * square_sum(moved),
                times * square_sum(new),
                times * float(np.vdot(moved, step)),
                times * -0.5 * float(np.vdot(negative_distances, new)),
            )

        in_double = partial(Scratch, _TILE**2, np.dtype(np.float64))
        return ConsensusChange(*for_each(replace, list(self.total), per_thread=in_double))


def add_step(
    products: np.ndarray, old: np.ndarray, new: np.ndarray, bases: Sequence[np.ndarray], memory: np.ndarray
) -> None:
    """``products += (S_new − S_old) U`` with the bases ``U`` of all views side by side; the step in single precision.

    ``memory`` is an (n, n) array of float64 that is overwritten.
    """
    joined = memory.reshape(-1).view(np.float32)[: products.size].reshape(products.shape)
    np.concatenate(bases, axis=1, out=joined, casting="same_kind")

    def panel(rows: slice, step: np.ndarray) -> tuple[float, ...]:
        step = step[: rows.stop - rows.start]
        np.subtract(new[rows], old[rows], out=step, casting="same_kind")
        products[rows] += step @ joined
        return ()

    for_each(panel, equal_spans(len(new), _TILE), per_thread=lambda: np.empty((_TILE, len(new)), np.float32))


def _scratch() -> Scratch:
    return Scratch(_TILE**2, np.dtype(np.float32))


def _carved(memory: np.ndarray, parts: list[slice]) -> list[Tiles]:
    """Sets of tiles in single precision in the memory of an (n, n) array of float64."""
    free, begin, sets = memory.reshape(-1).view(np.float32), 0, []
    for _ in range(_SETS):
        tiles: Tiles = {}
        for i, rows in enumerate(parts):
            for j, columns in enumerate(parts[i:], start=i):
                shape = rows.stop - rows.start, columns.stop - columns.start
                tiles[i, j] = free[begin : begin + shape[0] * shape[1]].reshape(shape)
                begin += shape[0] * shape[1]
        sets.append(tiles)
    return sets


def _inner_product(one: np.ndarray, other: np.ndarray) -> float:
    """Row by row: sums of a hundred thousand numbers in single precision would be less exact."""
    return float(np.vecdot(one, other).sum(dtype=np.float64))
