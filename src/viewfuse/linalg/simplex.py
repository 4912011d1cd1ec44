"""Projections onto the simplex {x ≥ 0, Σx = 1}, and quadratic programs over it, for many rows at once."""

from __future__ import annotations

import numpy as np

from .threads import spans

__all__ = ["project_rows", "simplex_programs"]

_FULL_EXCHANGES = 3  # of Kim and Park's rule: rounds without progress before only one variable changes at a time
_INFEASIBLE = 1e-12
_AT_ONCE = 2**22  # entries of the matrices of the rows that are solved together


def project_rows(rows: np.ndarray, taken: np.ndarray | None = None) -> np.ndarray:
    """The point of the simplex that is nearest to each row, (n, m); entries that are not ``taken`` are 0.

    The largest entry is subtracted first, so that entries of any size keep their differences. A row without taken entries
    is all zeros.
    """
    if taken is None:
        taken = np.ones(rows.shape, dtype=bool)
    shifted = np.where(taken, rows, -np.inf)
    top = shifted.max(axis=1, keepdims=True, initial=-np.inf)
    shifted = shifted - np.where(np.isfinite(top), top, 0)
    bound = np.full((len(rows), 1), -1.0)  # if no other entry comes within 1 of the largest, that one takes all
    shared = (shifted > -1).sum(axis=1) != 1
    ordered = -np.sort(-shifted[shared], axis=1)
    excess = (np.cumsum(ordered, axis=1) - 1) / np.arange(1, rows.shape[1] + 1)
    count = np.maximum((ordered > excess).sum(axis=1), 1)
    found = np.take_along_axis(excess, count[:, None] - 1, axis=1)
    bound[shared] = np.where(np.isfinite(found), found, 0)
    return np.maximum(np.where(taken, shifted, bound) - bound, 0)


def simplex_programs(hessian: np.ndarray, linear: np.ndarray, max_rounds: int = 500) -> np.ndarray:
    """``argmin ½zᵀHz − bᵀz`` over the simplex for each row b of ``linear`` (n, m), with one positive definite ``H`` (m, m).

    The primal-dual active set method: solve for the support of a row, then exchange the variables that violate a sign
    condition. All rows are solved together. If a row has made no progress for three rounds, only its last such variable is
    exchanged, with which the method ends after finitely many rounds (Kim and Park, SIAM J. Sci. Comput. 33, 2011). The
    solution is exact up to rounding.
    """
    n, m = linear.shape
    scale = float(np.abs(hessian).max()) or 1.0
    result = np.empty((n, m))
    for rows in spans(n, max(1, _AT_ONCE // m**2)):
        result[rows] = _active_sets(hessian / scale, linear[rows] / scale, max_rounds)
    return result


def _active_sets(hessian: np.ndarray, linear: np.ndarray, max_rounds: int) -> np.ndarray:
    n, m = linear.shape
    # The mean of the diagonal alone gives a separable program, whose solution is a good first support.
    support = project_rows(linear / np.diagonal(hessian).mean()) > 0
    result = np.zeros((n, m))
    active = np.arange(n)
    fewest, patience = np.full(n, m + 1), np.full(n, _FULL_EXCHANGES)
    for _ in range(max_rounds):
        solution, slope = _on_support(hessian, linear[active], support[active])
        wrong = np.where(support[active], solution < -_INFEASIBLE, slope < -_INFEASIBLE)
        result[active] = np.maximum(solution, 0)
        count = wrong.sum(axis=1)
        unfinished = count > 0
        if not unfinished.any():
            break
        active, wrong, count = active[unfinished], wrong[unfinished], count[unfinished]
        better = count < fewest[active]
        fewest[active] = np.where(better, count, fewest[active])
        patience[active] = np.where(better, _FULL_EXCHANGES, patience[active] - 1)
        single = patience[active] < 0
        last = m - 1 - np.argmax(wrong[:, ::-1], axis=1)
        wrong[single] = np.arange(m) == last[single, None]
        support[active] ^= wrong
        empty = active[~support[active].any(axis=1)]
        support[empty, linear[empty].argmax(axis=1)] = True
    return result / result.sum(axis=1, keepdims=True)


def _on_support(hessian: np.ndarray, linear: np.ndarray, support: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The minimiser with sum 1 among vectors that are 0 outside the support, and the reduced gradient, (n, m) each."""
    inside = support.astype(float)
    matrices = hessian[None] * inside[:, :, None] * inside[:, None, :]
    diagonal = np.arange(hessian.shape[0])
    matrices[:, diagonal, diagonal] += 1 - inside
    sides = np.stack([linear * inside, inside], axis=2)
    solved = np.linalg.solve(matrices, sides)
    free, ones = solved[:, :, 0], solved[:, :, 1]
    multiplier = (1 - free.sum(axis=1)) / ones.sum(axis=1)
    solution = (free + multiplier[:, None] * ones) * inside
    return solution, solution @ hessian - linear - multiplier[:, None]
