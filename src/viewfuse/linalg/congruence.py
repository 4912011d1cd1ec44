"""``S M Sᵀ`` of a sparse S and a dense symmetric M, in panels of columns: only one triangle is computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from .threads import for_each, spans

__all__ = ["Congruence"]

_PANEL = 128


class Congruence:
    """``Σ_v w_v S_v M S_vᵀ`` for fixed sparse ``S_v``, (n, n) each, and symmetric ``M``.

    The panel of columns J is ``S (S_J M)ᵀ`` from its first row on: with s entries in a row of S, 1.5·s·n² products per view
    instead of the 2n³ of two dense products. A panel fits into the cache of a core. Panels run in parallel threads.
    """

    def __init__(self, matrices: Sequence[sp.csr_array], dtype: type = np.float64) -> None:
        self._n = int(matrices[0].shape[0])
        self._dtype = dtype
        self._panels = spans(self._n, _PANEL)
        held = [sp.csr_array(matrix, dtype=dtype) for matrix in matrices]
        # Rows of a panel, and all rows from the panel on.
        self._parts = [[(_rows(m, p.start, p.stop), _rows(m, p.start, self._n)) for p in self._panels] for m in held]

    def __call__(self, which: int, matrix: np.ndarray) -> np.ndarray:
        """``S M Sᵀ`` of one of the matrices."""
        return self._sum([(which, 1.0)], matrix)

    def weighted(self, weights: Sequence[float] | np.ndarray, matrix: np.ndarray) -> np.ndarray:
        """``Σ_v w_v S_v M S_vᵀ``."""
        return self._sum([(v, float(w)) for v, w in enumerate(weights) if w != 0], matrix)

    def inner(self, which: int, matrix: np.ndarray) -> float:
        """``⟨M, S M Sᵀ⟩``."""

        def part(number: int, _: object) -> tuple[float, ...]:
            panel = self._panels[number]
            block = self._block([(which, 1.0)], matrix, number)
            products = np.einsum("ij,ij->i", block, matrix[panel.start :, panel], dtype=np.float64)
            width = panel.stop - panel.start
            return (float(products[:width].sum() + 2 * products[width:].sum()),)

        return float(for_each(part, range(len(self._panels)))[0])

    def _sum(self, terms: Sequence[tuple[int, float]], matrix: np.ndarray) -> np.ndarray:
        result: np.ndarray = np.empty((self._n, self._n), dtype=self._dtype)

        def part(number: int, _: object) -> tuple[float, ...]:
            panel = self._panels[number]
            block = self._block(terms, matrix, number)
            result[panel.start :, panel] = block
            result[panel, panel.stop :] = block[panel.stop - panel.start :].T
            return ()

        for_each(part, range(len(self._panels)))
        return result

    def _block(self, terms: Sequence[tuple[int, float]], matrix: np.ndarray, number: int) -> np.ndarray:
        """The columns of a panel, from its first row on."""
        total = None
        for v, weight in terms:
            own, following = self._parts[v][number]
            product = following @ np.ascontiguousarray((own @ matrix).T)
            if weight != 1:
                product *= self._dtype(weight)
            total = product if total is None else np.add(total, product, out=total)
        if total is None:
            panel = self._panels[number]
            total = np.zeros((self._n - panel.start, panel.stop - panel.start), dtype=self._dtype)
        return total


def _rows(matrix: sp.csr_array, start: int, stop: int) -> sp.csr_array:
    """Some rows, as views of the arrays of the matrix."""
    bounds = matrix.indptr[start : stop + 1]
    entries = slice(bounds[0], bounds[-1])
    parts = (matrix.data[entries], matrix.indices[entries], bounds - bounds[0])
    return sp.csr_array(parts, shape=(stop - start, matrix.shape[1]), copy=False)
