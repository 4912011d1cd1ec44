"""What is done to one tile after its matrix product, in array-API operations."""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

__all__ = ["combine", "positive_part", "renew"]


def combine(product: Any, mirror: Any, ratio: float, consensus: Any, graph: Any, mirrored: Any) -> Any:
    """``graph ← (ratio · consensus + product)₊``, or its mean with the same of ``mirror``; transposed to ``mirrored`` too.

    Returns ``‖Z‖²`` and ``‖Z − S‖²`` over the tile, and over its mirror image where there is one, as an array.
    """
    xp = array_namespace(product)
    new = positive_part(product + ratio * consensus)
    if mirror is not None:
        new = (new + positive_part(mirror + ratio * consensus)) / 2
    apart = new - consensus
    graph[...] = new
    return _sums([(new, new), (apart, apart)], mirrored, new, xp)


def renew(
    weighted_sum: Any,
    weight_total: float,
    consensus: Any,
    near: Any,
    penalty: float,
    out: Any,
    mirrored: Any,
    *,
    clipped: bool,
    most: float,
    unclipped_change: bool,
) -> Any:
    """``out ← weighted_sum / weight_total + penalty · near``, with ``near = −‖p_i − p_j‖²``; within 0 … ``most`` if asked.

    Returns the sums of ``UpdateSizes`` over the tile, and over its mirror image where there is one, as an array.
    """
    xp = array_namespace(near)
    mean = weighted_sum / weight_total
    new = mean + penalty * near
    change = new - consensus
    if clipped:
        new = xp.clip(new, 0.0, most)
    moved, towards = new - consensus, mean - consensus
    out[...] = new
    if not unclipped_change:
        change = moved
    pairs = [(change, change), (moved, moved), (new, new), (moved, towards), (-near / 2, new)]
    return _sums(pairs, mirrored, new, xp)


def _sums(pairs: list[tuple[Any, Any]], mirrored: Any, new: Any, xp: Any) -> Any:
    sums = xp.stack([xp.sum(first * second) for first, second in pairs])
    if mirrored is None:
        return sums
    mirrored[...] = new.T
    return 2 * sums


def positive_part(values: Any) -> Any:
    """``values`` with 0 in place of what is negative."""
    xp = array_namespace(values)
    return xp.where(values > 0, values, xp.zeros_like(values))
