"""What a notebook shows of a fitted estimator: the verdict, clusters, a small map and the weight of each view."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any

import numpy as np

from .._utils.text import count
from .collecting import as_summary
from .layouts import drawn_samples
from .palette import colour_of
from .summary import FitSummary

__all__ = ["summary_html"]

_MAX_VIEWS = 12
_MAP_SAMPLES = 400


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
        '<div style="font:14px/1.45 system-ui,sans-serif;margin:.4em 0;max-width:44em;display:flex;flex-wrap:wrap;gap:1em">'
        f'<div style="flex:1 1 22em"><b>{escape(fit.method)}</b>: {"; ".join(facts)}.{_verdict(fit)}{_weights(fit)}</div>'
        f"{_small_map(fit)}</div>"
    )


def _verdict(fit: FitSummary) -> str:
    if fit.verdict is None:
        return ""
    colour = "#009E73" if fit.verdict["supported"] else "#D55E00"
    return f'<p style="border-left:4px solid {colour};padding-left:.6em;margin:.4em 0">{escape(fit.verdict["sentence"])}</p>'


def _small_map(fit: FitSummary) -> str:
    """At most 400 samples on the map; without the data it is made from the embedding, and says so."""
    small = fit if fit.saved else replace(fit, max_drawn=_MAP_SAMPLES)
    if not small.layouts:
        return ""
    rows = drawn_samples(small.labels[small.layout_rows], _MAP_SAMPLES)
    points = next(iter(small.layouts.values()))[rows]
    low, side = points.min(axis=0), float(np.ptp(points, axis=0).max()) or 1.0
    places = 4 + 152 * (points - low) / side
    codes = np.searchsorted(list(small.sizes), small.labels[small.layout_rows][rows])
    dots = "".join(
        f'<circle cx="{x:.0f}" cy="{160 - y:.0f}" r="2.2" fill="{colour_of(int(code))}"/>'
        for (x, y), code in zip(places, codes, strict=True)
    )
    about = "before the cut" if small.spectrum_is_before_cut else "of the embedding, shaped by the cut"
    return (
        f'<figure style="margin:0"><svg width="160" height="160" role="img" aria-label="Map of the samples, {about}">{dots}'
        f'</svg><figcaption style="font-size:11px;opacity:.75">map {about}</figcaption></figure>'
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
