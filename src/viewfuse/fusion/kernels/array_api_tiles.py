"""Complete one tile of a graph after its matrix product, in array-API operations."""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

from .records import ConsensusUpdate

__all__ = ["consensus_tile", "cut_tile", "positive_part", "view_graph_tile"]


def view_graph_tile(product: Any, mirror: Any, ratio: float, consensus: Any, graph: Any, mirrored: Any) -> Any:
    """``graph ← (ratio · consensus + product)₊`` or, given a ``mirror`` product, the mean of both results.

    The transpose is written to ``mirrored`` unless that is None. Returns the sums of ``GraphNorms`` over the tile and its
    mirrored tile as an array.
    """
    xp = array_namespace(product)
    new = positive_part(product + ratio * consensus)
    if mirror is not None:
        new = (new + positive_part(mirror + ratio * consensus)) / 2
    difference = new - consensus
    graph[...] = new
    return _sums([(new, new), (difference, difference)], mirrored, new, xp)


def consensus_tile(
    update: ConsensusUpdate, weighted_sum: Any, consensus: Any, negative_distances: Any, out: Any, mirrored: Any
) -> Any:
    """``out ← weighted_sum / weight_total + penalty · negative_distances``, clipped if symmetric.

    The entries of ``negative_distances`` are ``−‖p_i − p_j‖²``. The transpose is written to ``mirrored`` unless that is
    None. Returns the sums of ``ConsensusChange`` over the tile and its mirrored tile as an array.
    """
    xp = array_namespace(negative_distances)
    mean = weighted_sum / update.weight_total
    new = mean + update.penalty * negative_distances
    change = new - consensus
    if update.symmetric:
        new = xp.clip(new, 0.0, update.upper_bound)
    moved, towards = new - consensus, mean - consensus
    out[...] = new
    if not update.unclipped_change:
        change = moved
    pairs = [(change, change), (moved, moved), (new, new), (moved, towards), (-negative_distances / 2, new)]
    return _sums(pairs, mirrored, new, xp)


def cut_tile(update: ConsensusUpdate, weighted_sum: Any, left: Any, right: Any, out: Any, mirrored: Any) -> None:
    """``out ← weighted_sum / weight_total + left · rightᵀ``, clipped if symmetric: :func:`consensus_tile` without sums.

    The transpose is written to ``mirrored`` unless that is None.
    """
    new = weighted_sum / update.weight_total + left @ right.T
    if update.symmetric:
        new = array_namespace(new).clip(new, 0.0, update.upper_bound)
    out[...] = new
    if mirrored is not None:
        mirrored[...] = new.T


def _sums(pairs: list[tuple[Any, Any]], mirrored: Any, new: Any, xp: Any) -> Any:
    sums = xp.stack([xp.sum(first * second) for first, second in pairs])
    if mirrored is None:
        return sums
    mirrored[...] = new.T
    return 2 * sums


def positive_part(values: Any) -> Any:
    """``max(values, 0)``, entry by entry."""
    return array_namespace(values).clip(values, min=0.0)
