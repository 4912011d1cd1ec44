"""Whether relations hold what they are declared to hold, and whether they say anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._utils.warn import warn
from ...exceptions import NoStructureWarning, UninformativeViewWarning, ViewsError
from ...graphs.relations import undirected
from ...views import RELATIONS, Views

__all__ = [
    "check_relations",
    "check_semidefinite",
    "graphs_of",
    "has_relations",
    "silent_graphs",
    "warn_of_noise",
    "warn_of_silent_graphs",
]

_ASYMMETRY = 1e-6  # relative to the largest value
_NOT_SEMIDEFINITE = 0.01  # of the largest eigenvalue; smaller negative ones are rounding
_COMPLETE = 0.99  # share of the possible edges


def has_relations(views: Any) -> bool:
    """Whether some of the data are Views with a graph, kernel or distance."""
    return isinstance(views, Views) and any(kind in RELATIONS for kind in views.kinds)


def check_relations(views: Views, arrays: Sequence[Any]) -> None:
    """Raise ViewsError for negative edges and distances, and for distances and kernels that are not symmetric."""
    for v, kind in enumerate(views.kinds):
        if kind in ("graph", "distance"):
            _check_not_negative(views, v, arrays[v])
        if kind in ("kernel", "distance"):
            _check_symmetric(views, v, arrays[v])
        if kind == "distance":
            _check_distances(views, v, arrays[v])


def check_semidefinite(views: Views, v: int, least: float) -> None:
    """Raise ViewsError if the smallest eigenvalue of a centred kernel, relative to the largest, is well below 0."""
    if views.kinds[v] == "kernel" and least < -_NOT_SEMIDEFINITE:
        raise ViewsError(
            f"View {views.names[v]!r} is not a kernel: it is not positive semidefinite (its smallest eigenvalue is "
            f"{least:.3g} times the largest).",
            hint="Declare non-negative similarities as a graph, and dissimilarities as a distance.",
            view=views.names[v],
            parameter="kinds",
            value=("graph", "distance"),
        )


def silent_graphs(views: Views, graphs: dict[int, sp.csr_array]) -> dict[int, str]:
    """Graphs that say nothing, by position, and why: no edges, all possible edges alike, or the edges of another graph."""
    silent: dict[int, str] = {}
    for v, graph in graphs.items():
        n = graph.shape[0]
        same = [u for u in graphs if u < v and u not in silent and _are_equal(graphs[u], graph)]
        if not graph.nnz:
            silent[v] = "has no edges"
        elif graph.nnz >= _COMPLETE * n * (n - 1) and np.ptp(graph.data) <= _ASYMMETRY * graph.data.max():
            silent[v] = "connects all samples alike"
        elif same:
            silent[v] = f"has the same edges as {views.names[same[0]]!r}"
    return silent


def warn_of_silent_graphs(views: Views, silent: dict[int, str]) -> None:
    for v, reason in silent.items():
        warn(
            UninformativeViewWarning(
                f"View {views.names[v]!r} {reason}. It gets weight 0.", hint="Leave this view out.", view=views.names[v]
            )
        )


def warn_of_noise(n_clusters: int) -> None:
    warn(
        NoStructureWarning(
            f"These {n_clusters} clusters predict nothing of the columns and edges that were held out.",
            hint="Do not rely on them.",
            parameter="n_clusters",
            value=n_clusters,
        )
    )


def graphs_of(views: Views, arrays: Sequence[Any]) -> dict[int, sp.csr_array]:
    """The graphs among the views, by position, undirected and without self-loops."""
    return {v: undirected(arrays[v]) for v, kind in enumerate(views.kinds) if kind == "graph"}


def _check_not_negative(views: Views, v: int, array: Any) -> None:
    if array.min() >= 0:
        return
    place = array.tocoo().argmin() if sp.issparse(array) else array.argmin()
    row, column = divmod(int(place), array.shape[1])
    what = "edge weight" if views.kinds[v] == "graph" else "distance"
    raise ViewsError(
        f"View {views.names[v]!r} has the negative {what} {float(array.min()):.3g} between {views.sample_name(row)} and "
        f"{views.sample_name(column)}; {what}s must be at least 0.",
        hint="Set negative edges to 0, or give them as another graph."
        if what == "edge weight"
        else "Correct the distances.",
        view=views.names[v],
        parameter="kinds",
        value=("features",),
    )


def _check_symmetric(views: Views, v: int, array: Any) -> None:
    dense = array.toarray() if sp.issparse(array) else array
    difference = np.abs(dense - dense.T)
    place = int(difference.argmax())
    if difference.flat[place] <= _ASYMMETRY * np.abs(dense).max():
        return
    row, column = divmod(place, dense.shape[1])
    raise ViewsError(
        f"View {views.names[v]!r} is declared a {views.kinds[v]}, but is not symmetric: it is "
        f"{float(dense[row, column]):.4g} from {views.sample_name(row)} to {views.sample_name(column)} and "
        f"{float(dense[column, row]):.4g} back.",
        hint="Give (M + M.T) / 2 if the difference has no meaning, or declare directed similarities as a graph.",
        view=views.names[v],
        parameter="kinds",
        value=("graph",),
    )


def _check_distances(views: Views, v: int, array: Any) -> None:
    if sp.issparse(array) and array.count_nonzero() < 0.5 * np.prod(array.shape):
        raise ViewsError(
            f"View {views.names[v]!r} is declared a distance, but most of its entries are not stored, which would mean a "
            "distance of 0.",
            hint="Give all distances, or similarities of neighbours as a graph.",
            view=views.names[v],
            parameter="kinds",
            value=("graph",),
        )
    diagonal = np.asarray(array.diagonal())
    if diagonal.any():
        row = int(np.flatnonzero(diagonal)[0])
        raise ViewsError(
            f"View {views.names[v]!r} is declared a distance, but {views.sample_name(row)} is at a distance of "
            f"{float(diagonal[row]):.4g} from itself.",
            hint="Declare similarities as a graph or a kernel.",
            view=views.names[v],
            parameter="kinds",
            value=("graph", "kernel"),
        )


def _are_equal(one: sp.csr_array, other: sp.csr_array) -> bool:
    """Whether two graphs have the same edges, in any unit of the weights."""
    if (
        one.nnz != other.nnz
        or not np.array_equal(one.indptr, other.indptr)
        or not np.array_equal(one.indices, other.indices)
    ):
        return False
    return bool(np.allclose(one.data / one.data.mean(), other.data / other.data.mean()))
