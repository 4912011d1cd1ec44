"""Read a fitted model, once, and collect everything known about its fit."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from .._utils.device import to_host
from .._utils.version import versions
from .graphs import FusedGraph
from .parameters import recorded
from .summary import FitSummary

__all__ = ["as_summary", "summarise"]


def summarise(model: Any, views: Any = None) -> FitSummary:
    """Collect everything known about a fit in one record.

    Parameters
    ----------
    model : fitted estimator
        Only ``labels_`` is required.
    views : Views, or anything that ``Views`` accepts, optional
        The data that the model was fitted on. Without it the record has no ids, no known labels, no distinguishing
        features, no single-view graphs and no checksums.

    Returns
    -------
    FitSummary

    Examples
    --------
    >>> import viewfuse as vf
    >>> views = vf.datasets.make_views(n_samples=60, random_state=0)
    >>> fit = vf.summarise(vf.GFSC(n_clusters=3, random_state=0).fit(views), views)
    >>> fit.method, fit.n_clusters, sum(fit.sizes.values()), fit.converged
    ('GFSC', 3, 60, True)
    """
    if not hasattr(model, "labels_"):
        raise NotFittedError(f"This {type(model).__name__} is not fitted: it has no labels_. Call fit first.")
    weights = getattr(model, "view_weights_", None)
    n_iter = getattr(model, "n_iter_", None)
    converged = getattr(model, "converged_", None)
    history = getattr(model, "history_", None)
    traces = {name: np.asarray(trace) for name, trace in history.items()} if isinstance(history, dict) else {}
    summary = FitSummary(
        method=type(model).__name__,
        params=recorded(model.get_params() if hasattr(model, "get_params") else {}),
        versions=versions(),
        view_names=tuple(str(name) for name in getattr(model, "view_names_", ())),
        results={name: getattr(model, f"{name}_", None) for name in ("labels", "confidence", "embedding", "outlier_score")},
        graph=_fused_graph(model),
        view_weights=None if weights is None else to_host(weights),
        noise_views=tuple(str(name) for name in getattr(model, "noise_views_", ())),
        n_iter=None if n_iter is None else int(n_iter),
        converged=None if converged is None else bool(converged),
        stopped=getattr(model, "stopped_", None),
        notes=tuple(str(one) for one in getattr(model, "notes_", ())),
        history={name: trace for name, trace in traces.items() if trace.dtype != object},
        own_verdict=model.verdict_.as_dict() if hasattr(model, "verdict_") else None,
        counts=_counts(model),
        choice=model.choice_.as_dict() if hasattr(model, "choice_") else None,
    )
    return summary if views is None else summary.with_views(views)


def as_summary(fit: Any, views: Any = None) -> FitSummary:
    """The record itself, or that of a fitted estimator; with the data if ``views`` are given."""
    if not isinstance(fit, FitSummary):
        return summarise(fit, views)
    return fit if views is None or views is fit.views else fit.with_views(views)


def _fused_graph(model: Any) -> FusedGraph | None:
    # The anchor graph comes first: an anchor method computes affinity_matrix_, n × n, on access.
    weights = getattr(model, "anchor_graph_", None)
    if weights is not None:
        return FusedGraph(weights, to_anchors=True)
    weights = getattr(model, "affinity_matrix_", None)
    if weights is None or weights.shape[0] != len(model.labels_):  # AutoFusion's graph is of 5,000 samples at most
        return None
    return FusedGraph(weights, to_anchors=False)


def _counts(model: Any) -> dict[str, Any] | None:
    """The numbers of clusters that were considered and their scores, in plain values."""
    found = getattr(model, "cluster_counts_", None)
    if not is_dataclass(found):
        return None
    plain = (np.ndarray, np.generic, tuple, float, int, bool)
    return {name: _plain(value) for name, value in vars(found).items() if isinstance(value, plain)}


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return [int(one) for one in value] if isinstance(value, tuple) else value
