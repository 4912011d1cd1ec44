"""What a notebook shows of a fitted estimator: clusters, how sure, and which views mattered."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from .._utils.text import count

__all__ = ["summary_html"]

_SHOWN_VIEWS = 12


def summary_html(model: Any) -> str:
    """A few lines of HTML, readable on light and dark pages; every name is escaped."""
    sizes = np.sort(np.unique(model.labels_, return_counts=True)[1])[::-1]
    extent = f"from {sizes[-1]:,} to {sizes[0]:,}"
    facts = [f"<b>{sizes.size} clusters</b> of {len(model.labels_):,} samples, {extent} in each"]
    confidence = getattr(model, "confidence_", None)
    if confidence is not None:
        facts.append(f"median confidence {np.median(confidence):.2f}")
    if hasattr(model, "n_iter_"):
        settled = "settled" if model.converged_ else "<b>not settled</b>"
        facts.append(f"{count(model.n_iter_, 'sweep')}, {settled}")
    blind = getattr(model, "noise_views_", ())
    if blind:
        facts.append(f"<b>{escape(', '.join(blind))}</b> {'does' if len(blind) == 1 else 'do'} not see these clusters")
    return (
        '<div style="font:14px/1.45 system-ui,sans-serif;margin:.4em 0;max-width:34em">'
        f"<b>{escape(type(model).__name__)}</b>: {'; '.join(facts)}.{_weights(model)}</div>"
    )


def _weights(model: Any) -> str:
    weights = getattr(model, "view_weights_", None)
    if weights is None:
        return ""
    weights = np.asarray(weights, dtype=float)
    order = np.argsort(-weights, kind="stable")
    rows = "".join(_bar(str(model.view_names_[v]), weights[v], weights.max()) for v in order[:_SHOWN_VIEWS])
    more = f"<tr><td colspan=3>and {order.size - _SHOWN_VIEWS} more</td></tr>" if order.size > _SHOWN_VIEWS else ""
    return f'<table style="margin:.3em 0;border-collapse:collapse"><caption>Trust in each view</caption>{rows}{more}</table>'


def _bar(name: str, weight: float, largest: float) -> str:
    width = 10 * weight / largest if largest > 0 else 0.0
    return (
        f'<tr><td style="text-align:left">{escape(name)}</td><td style="text-align:right">{weight:.2f}</td><td>'
        f'<div style="background:#56B4E9;height:.7em;width:{width:.2f}em"></div></td></tr>'
    )
