"""What to do with data about which nothing was said: which method, and how many clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cluster import METHODS, known_methods
from ..exceptions import ParameterError
from ..views import Views
from . import choose_n_clusters

__all__ = ["Choice", "choose", "counted"]

_EXACT_UP_TO = 5_000  # rows: some seconds, and 300 MB
_COUNTED_ON = 1_500  # rows


@dataclass(frozen=True)
class Choice:
    """A method and a number of clusters, and for what was not asked for, why.

    Attributes
    ----------
    method : key of ``METHODS``
    n_clusters : int, or "auto" where the fit is to find out
    reasons : sentences, one for each choice that was made here
    """

    method: str
    n_clusters: Any
    reasons: tuple[str, ...]


def choose(views: Views, method: str | None = None, n_clusters: int | None = None, random_state: Any = 0) -> Choice:
    """Fill in what was not said.

    The method is GFSC, the best at its defaults on real data (docs/label_free.md has the figures), up to 5,000 samples;
    beyond, and where samples lack views and the clusters are to be counted, it is AnchorGFSC, whose cost is linear. The
    fit itself counts the clusters where its method can; for the others they are counted beforehand, in a sample.
    """
    reasons = []
    if method is None:
        method, reason = _method(views, n_clusters)
        reasons.append(f"{method}, {reason}")
    else:
        known_methods([method])
    if n_clusters is not None:
        return Choice(method, n_clusters, tuple(reasons))
    if getattr(METHODS[method], "_counts_clusters", False):
        return Choice(method, "auto", (*reasons, "the number of clusters, by what each saves in describing the fused graph"))
    n_clusters, reason = counted(views, random_state)
    return Choice(method, n_clusters, (*reasons, reason))


def _method(views: Views, n_clusters: int | None) -> tuple[str, str]:
    if len(views) > _EXACT_UP_TO:
        return "anchor-gfsc", f"as there are more than {_EXACT_UP_TO:,} rows: its cost is linear"
    if n_clusters is None and views.present is not None:
        return "anchor-gfsc", "as some rows lack views and clusters are to be counted"
    return "gfsc", "the best at its defaults on the sets it was measured on"


def counted(views: Views, random_state: Any) -> tuple[int, str]:
    """The number of clusters in a sample of the rows that have every view."""
    complete = np.arange(len(views)) if views.present is None else np.flatnonzero(views.present.all(axis=1))
    rows = complete[np.linspace(0, complete.size, min(_COUNTED_ON, complete.size), endpoint=False).astype(int)]
    found = choose_n_clusters(views[rows], random_state=random_state)
    if not found.structured:
        raise ParameterError(
            f"No clusters hold together in a sample of {rows.size:,} rows; if you know how many there are, say so with -k."
        )
    return found.suggested, f"{found.suggested} clusters, counted in a sample of {rows.size:,} rows"
