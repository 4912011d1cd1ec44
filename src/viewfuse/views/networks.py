"""networkx graphs as views. networkx is not imported: a graph is recognised only if the user has loaded it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._utils.text import count, listed
from ..exceptions import ViewsError
from .ids import find_ids, id_values
from .matrices import is_dataframe

__all__ = ["holds_networks", "is_network", "networks_as_matrices"]


def is_network(data: Any) -> bool:
    """Return whether this is a networkx graph, directed or not."""
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(data, networkx.Graph)


def holds_networks(data: Any) -> bool:
    """Return whether this is a list or mapping that contains a networkx graph."""
    members = data.values() if isinstance(data, Mapping) else data if isinstance(data, (list, tuple)) else []
    return any(map(is_network, members))


def networks_as_matrices(members: Sequence[Any], names: Sequence[str], ids: Any) -> tuple[list[Any], Any]:
    """Replace networkx graphs by sparse adjacency matrices in the order of the samples, and return the ids too.

    The samples are the ids of the first DataFrame, or ``ids``, or the numbers 0 … n − 1 if another view is a matrix, or
    else the nodes of the first graph. A sample that is no node has no edges.
    """
    frames = {name: member for name, member in zip(names, members, strict=True) if is_dataframe(member)}
    matrix = next((member for member in members if not is_network(member)), None)
    if frames:
        first, source = next(iter(find_ids(frames, ids if isinstance(ids, str) else None).items()))
        samples = list(range(len(frames[first]))) if source is None else id_values(frames[first], source, first).tolist()
    elif ids is not None:
        samples = list(ids)
    elif matrix is not None:
        samples = list(range(len(matrix) if not hasattr(matrix, "shape") else matrix.shape[0]))
    else:
        samples = list(members[0])
        ids = None if samples == list(range(len(samples))) else np.array(samples, dtype=object)
    made = [_adjacency(m, samples, name) if is_network(m) else m for m, name in zip(members, names, strict=True)]
    return made, ids


def _adjacency(network: Any, samples: list[Any], name: str) -> Any:
    known = set(samples)
    unknown = [node for node in network if node not in known]
    if unknown:
        raise ViewsError(
            f"View {name!r} has {count(len(unknown), 'node that is', 'nodes that are')} no sample: {listed(unknown)}.",
            hint="Name the nodes by the ids of the samples: give DataFrames with these ids as index, or ids=.",
            view=name,
            parameter="ids",
        )
    whole = network.copy()
    whole.add_nodes_from(samples)
    return sys.modules["networkx"].to_scipy_sparse_array(whole, nodelist=samples, weight="weight", format="csr", dtype=float)
