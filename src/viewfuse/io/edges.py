"""Edge lists: tables whose first two columns name the samples at the ends of each edge, and whose third is its weight."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._utils.extras import require
from .._utils.text import count, listed
from .._utils.warn import warn
from ..exceptions import UninformativeViewWarning, ViewsError
from ..views import Views
from ..views.encoding.written import number_style
from ._safety import reading
from .delimited import read_delimited
from .sniff import sniff
from .table_files import is_text_table

__all__ = ["EdgeList", "possible_edge_lists", "with_edge_lists", "with_edges_to_fit"]

_ENDS = (
    ("source", "target"), ("from", "to"), ("src", "dst"), ("node1", "node2"), ("id1", "id2"), ("sample1", "sample2"),
    ("citing", "cited"), ("sourceid", "targetid"), ("fromid", "toid"),
)  # fmt: skip
_NUMBERED = ["1", "2", "3"]  # the names of columns without a header


@dataclass(frozen=True)
class EdgeList:
    """The edges of a graph: ids as text, and weights.

    ``is_certain`` says whether the names of the columns, or the user, say that this is an edge list.
    """

    name: str
    path: Path
    sources: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    is_certain: bool

    def is_among(self, ids: set[str]) -> bool:
        """Whether all ends of edges are samples."""
        return ids.issuperset(self.sources.tolist()) and ids.issuperset(self.targets.tolist())


def possible_edge_lists(paths: Mapping[str, Path], kinds: Mapping[str, str]) -> list[EdgeList]:
    """The text tables that could be edge lists: two or three columns, the first with repeated values, the third numbers.

    Numbers in the second column may be ids or counts. They are ends of edges only if the names of the columns say so, if the
    columns have no names, or if ``kinds`` says that the table is a graph.
    """
    found = []
    for name, path in paths.items():
        if kinds.get(name, "graph") != "graph" or sniff(path) != "table" or not is_text_table(path):
            continue
        edges = _read(name, path, asked=name in kinds)
        if edges is not None:
            found.append(edges)
    return found


def _read(name: str, path: Path, *, asked: bool) -> EdgeList | None:
    try:
        with reading(path, "an edge list"):
            n_columns = read_delimited(path, dtype=str, keep_default_na=False, nrows=2).shape[1]
            frame = read_delimited(path, dtype=str, keep_default_na=False) if n_columns in (2, 3) else None
    except ViewsError:
        if asked:
            raise
        return None  # what is wrong is said when it is read as a table
    if frame is None:
        return None
    with reading(path, "an edge list"):
        return _edges(name, path, frame, asked=asked)


def _edges(name: str, path: Path, frame: Any, *, asked: bool) -> EdgeList | None:
    columns = [frame.iloc[:, c].str.strip().to_numpy(dtype=object) for c in range(frame.shape[1])]
    names = [re.sub(r"[_\-. ]", "", str(column)).lower() for column in frame.columns]
    certain = asked or tuple(names[:2]) in _ENDS
    if not certain and len(set(columns[0])) == len(columns[0]):
        return None  # ids of samples, each with one row
    if not certain and names != _NUMBERED[: len(names)] and number_style(sorted(set(columns[1]))) is not None:
        return None  # counts may be ids of other samples by chance
    weights = np.ones(len(frame))
    if len(columns) == 3:
        numbers = require("pandas").to_numeric(frame.iloc[:, 2], errors="coerce").to_numpy(dtype=float)
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if wrong.size and certain:
            raise ViewsError(
                f"the weight of an edge is {columns[2][wrong[0]]!r} in row {wrong[0]}; weights must be finite numbers.",
                hint="The columns of an edge list are source, target and weight.",
                view=name,
            )
        if wrong.size:
            return None
        weights = numbers
    return EdgeList(name, path, columns[0], columns[1], weights, certain)


def with_edges_to_fit(views: Views | None, edges: list[EdgeList], fit_ids: Sequence[str], *, drop: bool) -> Views:
    """Add matrices with the edges between new samples (rows) and those of a fit (columns).

    Parameters
    ----------
    views : Views or None
        The other views of the new samples, which must have ids. None if there are only edge lists: then the new samples are
        the nodes that were not in the fit or, if all were, all nodes.
    fit_ids : the ids of the samples of the fit
    drop : bool
        Whether to leave out edges with an end that is no sample; otherwise these are an error.
    """
    ids = None if views is None else views.ids
    if views is not None and ids is None:
        raise ViewsError(
            f"{edges[0].path}: the new samples have no ids, so it is not known which edges are theirs.",
            hint="Add an id column to the other tables.",
            view=edges[0].name,
            parameter="ids",
        )
    if ids is not None:
        samples = [str(i) for i in ids.tolist()]
    else:
        nodes = list(dict.fromkeys(node for one in edges for node in (*one.sources.tolist(), *one.targets.tolist())))
        known = set(fit_ids)
        samples = [node for node in nodes if node not in known] or nodes
    matrices = {one.name: _edges_to_fit(one, samples, fit_ids, drop=drop) for one in edges}
    if views is None:
        return Views(matrices, ids=np.array(samples, dtype=object))
    return views.with_matrices(matrices, "features")


def _edges_to_fit(edges: EdgeList, samples: Sequence[str], fit_ids: Sequence[str], *, drop: bool) -> sp.csr_array:
    rows, columns = ({name: place for place, name in enumerate(names)} for names in (samples, fit_ids))
    unknown = {*edges.sources.tolist(), *edges.targets.tolist()} - rows.keys() - columns.keys()
    if unknown and not drop:
        raise _outside(edges, dict.fromkeys(sorted(unknown)), "neither new samples nor samples of the fit")
    both_ways = [
        _matrix(sources, targets, edges.weights, rows, columns)
        for sources, targets in ((edges.sources, edges.targets), (edges.targets, edges.sources))
    ]
    between_new = sum(
        source in rows and target in rows and source not in columns and target not in columns
        for source, target in zip(edges.sources.tolist(), edges.targets.tolist(), strict=True)
    )
    if between_new:
        warn(
            UninformativeViewWarning(
                f"{edges.path}: {count(between_new, 'edge')} between two new samples cannot be used; only edges to samples "
                "of the fit can.",
                view=edges.name,
            )
        )
    return sp.csr_array(both_ways[0].maximum(both_ways[1]))


def with_edge_lists(views: Views | None, edges: list[EdgeList], *, drop: bool) -> Views:
    """Add the graphs of edge lists to the views.

    Parameters
    ----------
    views : Views or None
        The other views, whose ids the edges name. Without ids the samples are numbered from 0 or from 1. None if there are
        only edge lists: then the samples are their nodes.
    drop : bool
        Whether to leave out edges whose ends are no samples; otherwise these are an error.
    """
    if views is None:
        nodes = list(dict.fromkeys(node for one in edges for node in (*one.sources.tolist(), *one.targets.tolist())))
        graphs = {one.name: _adjacency(one, nodes, drop=drop) for one in edges}
        return Views(graphs, ids=np.array(nodes, dtype=object), kinds="graph")
    graphs = {}
    for one in edges:
        samples = [str(i) for i in views.ids.tolist()] if views.ids is not None else _numbers(one, len(views))
        graphs[one.name] = _adjacency(one, samples, drop=drop)
    return views.with_matrices(graphs, "graph")


def _numbers(edges: EdgeList, n: int) -> list[str]:
    """The numbers of the samples in an edge list: 0 … n − 1 or 1 … n, if only one of them is possible."""
    ends = {*edges.sources.tolist(), *edges.targets.tolist()}
    if "0" in ends or str(n) not in ends:
        if "0" not in ends:
            raise ViewsError(
                f"{edges.path}: the samples have no ids, and the edges name neither sample 0 nor {n}, so they may be "
                "numbered from 0 or from 1.",
                hint="Add an id column to the other tables.",
                view=edges.name,
                parameter="ids",
            )
        return [str(i) for i in range(n)]
    return [str(i) for i in range(1, n + 1)]


def _adjacency(edges: EdgeList, samples: list[Any], *, drop: bool) -> sp.csr_array:
    position = {str(sample): place for place, sample in enumerate(samples)}
    ends = [end for pair in zip(edges.sources.tolist(), edges.targets.tolist(), strict=True) for end in pair]
    unknown = dict.fromkeys(end for end in ends if end not in position)
    if unknown and not drop:
        raise _outside(edges, unknown, "no samples of the other views")
    return _matrix(edges.sources, edges.targets, edges.weights, position, position)


def _matrix(
    sources: np.ndarray, targets: np.ndarray, weights: np.ndarray, rows: Mapping[str, int], columns: Mapping[str, int]
) -> sp.csr_array:
    """The weights of the edges from samples in rows to samples in columns; other edges are left out."""
    i = np.array([rows.get(end, -1) for end in sources.tolist()], dtype=int)
    j = np.array([columns.get(end, -1) for end in targets.tolist()], dtype=int)
    kept = (i >= 0) & (j >= 0)
    return sp.csr_array((weights[kept], (i[kept], j[kept])), shape=(len(rows), len(columns)))


def _outside(edges: EdgeList, unknown: Mapping[str, Any], what: str) -> ViewsError:
    return ViewsError(
        f"{edges.path}: {count(len(unknown), 'end', 'ends')} of edges are {what}: {listed(unknown)}.",
        hint="Use missing='drop' to leave these edges out.",
        view=edges.name,
        parameter="missing",
        value=("drop",),
    )
