"""The parts of a record that need the data, as arrays and JSON for a file of results, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from .agreement import Agreement
from .features import Cluster, Feature
from .neighborhoods import Neighborhoods
from .values import DrawnFeatures

if TYPE_CHECKING:
    from .summary import FitSummary

__all__ = ["parts_from_arrays", "parts_to_arrays"]

_GRAPH = ("data", "indices", "indptr")
_VALUES = ("view", "names", "kinds", "values")


def parts_to_arrays(fit: FitSummary) -> dict[str, Any]:
    """Arrays and texts by name; empty without the data, and for a record that was read from a file of an older version."""
    near = fit.neighborhoods
    if near is None or not near.before_cut or fit.n_features is None:
        return {}
    found: dict[str, Any] = {}
    for number, graph in enumerate([near.fused, *near.views.values()]):
        found |= {f"graph{number}_{part}": getattr(graph, part) for part in _GRAPH}
    if near.plane is not None:
        found["principal_plane"] = near.plane
    if fit.drawn_features is not None:
        found |= {f"drawn_{part}": getattr(fit.drawn_features, part) for part in _VALUES}
    facts = {
        "graphs": list(near.views),
        "n_features": fit.n_features,
        "n_dropped": fit.n_dropped,
        "n_missing": fit.n_missing,
        "checksums": fit.checksums,
        "table_columns": fit.table_columns,
        "clusters": [asdict(cluster) for cluster in fit.clusters],
        "left_out": None if fit.drawn_features is None else fit.drawn_features.left_out,
        "agreement": None if fit.agreement is None else {**asdict(fit.agreement), "values": fit.agreement.values.tolist()},
    }
    return found | {"facts": json.dumps(facts)}


def parts_from_arrays(found: Mapping[str, Any]) -> dict[str, Any]:
    """The parts, by the names of the record's attributes."""
    if "facts" not in found:
        return {}
    facts = json.loads(str(found["facts"]))
    graphs = [_graph(found, number) for number in range(1 + len(facts["graphs"]))]
    parts = {
        "neighborhoods": Neighborhoods(
            graphs[0], dict(zip(facts["graphs"], graphs[1:], strict=True)), found.get("principal_plane")
        ),
        "n_features": tuple(facts["n_features"]),
        "n_dropped": facts["n_dropped"],
        "n_missing": facts["n_missing"],
        "checksums": facts["checksums"],
        "table_columns": facts["table_columns"],
        "clusters": tuple(_cluster(one) for one in facts["clusters"]),
        "agreement": None if facts["agreement"] is None else _agreement(facts["agreement"]),
    }
    if facts["left_out"] is not None:
        values = {part: found[f"drawn_{part}"] for part in _VALUES}
        parts["drawn_features"] = DrawnFeatures(**values, left_out=facts["left_out"])
    return parts


def _graph(found: Mapping[str, Any], number: int) -> sp.csr_array:
    parts = tuple(found[f"graph{number}_{part}"] for part in _GRAPH)
    n = len(parts[-1]) - 1
    graph = sp.csr_array(parts, shape=(n, n))
    graph.check_format(full_check=True)  # a damaged file must not crash what reads the graph
    return graph


def _cluster(fields: dict[str, Any]) -> Cluster:
    features = {view: tuple(Feature(**one) for one in some) for view, some in fields["features"].items()}
    return Cluster(**{**fields, "typical": tuple(fields["typical"]), "features": features})


def _agreement(fields: dict[str, Any]) -> Agreement:
    return Agreement(tuple(fields["names"]), np.asarray(fields["values"], dtype=float), fields["without"])
