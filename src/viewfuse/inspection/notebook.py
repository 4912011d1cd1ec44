"""What a notebook shows of a fitted estimator: clusters, confidence and the weight of each view."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from .._utils.text import count
from .summary import FitSummary, as_summary

__all__ = ["summary_html"]

_MAX_VIEWS = 12


def summary_html(model: Any) -> str:
    """A few lines of HTML for light and dark pages; every name is escaped."""
    fit = as_summary(model)
    sizes = sorted(fit.sizes.values())
    facts = [
        f"<b>{count(len(sizes), 'cluster')}</b> of {fit.n_samples:,} samples, from {sizes[0]:,} to {sizes[-1]:,} in each"
    ]
    if fit.confidence is not None:
        facts.append(f"median confidence {np.median(fit.confidence):.2f}")
    if fit.n_iter is not None:
        converged = "<b>not converged</b>" if fit.converged is False else "converged"
        facts.append(f"{count(fit.n_iter, 'iteration')}, {converged}")
    if fit.noise_views:
        names, plural = escape(", ".join(fit.noise_views)), len(fit.noise_views) > 1
        facts.append(f"the clusters are not visible in <b>{names}</b>: {'noise views' if plural else 'a noise view'}")
    return (
        '<div style="font:14px/1.45 system-ui,sans-serif;margin:.4em 0;max-width:34em">'
        f"<b>{escape(fit.method)}</b>: {'; '.join(facts)}.{_weights(fit)}</div>"
    )


def _weights(fit: FitSummary) -> str:
    if fit.view_weights is None:
        return ""
    weights = np.asarray(fit.view_weights, dtype=float)
    order = np.argsort(-weights, kind="stable")
    rows = "".join(_bar(fit.view_names[v], weights[v], weights.max()) for v in order[:_MAX_VIEWS])
    more = f"<tr><td colspan=3>and {order.size - _MAX_VIEWS} more</td></tr>" if order.size > _MAX_VIEWS else ""
    return (
        f'<table style="margin:.3em 0;border-collapse:collapse"><caption>Weight of each view</caption>{rows}{more}</table>'
    )


def _bar(name: str, weight: float, largest: float) -> str:
    width = 10 * weight / largest if largest > 0 else 0.0
    return (
        f'<tr><td style="text-align:left">{escape(name)}</td><td style="text-align:right">{weight:.2f}</td><td>'
        f'<div style="background:#56B4E9;height:.7em;width:{width:.2f}em"></div></td></tr>'
    )
