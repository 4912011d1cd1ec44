"""What to do with data about which nothing was said: which method, and how many clusters."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from .cluster import METHODS
from .exceptions import ParameterError
from .views import Views

__all__ = ["Choice", "choose"]

# Beyond this many samples three n × n arrays and their sweeps cost more than a user who asked for nothing expects.
_EXACT_UP_TO = 5_000


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


def choose(views: Views, method: str | None = None, n_clusters: int | None = None) -> Choice:
    """Fill in what was not said.

    Up to 5,000 samples with every view: GFSC, exact. Beyond, or where samples lack views: AnchorGFSC, whose cost is linear.
    """
    reasons = []
    if method is None:
        method, reason = _method_for(views)
        reasons.append(reason)
    elif method not in METHODS:
        raise ParameterError(f"No such method: {method}. There are: {', '.join(METHODS)}.")
    if n_clusters is None:
        if find_spec("viewfuse.selection") is None:
            raise ParameterError("How many clusters there are cannot be found from the data yet; say it with -k.")
        reasons.append("the number of clusters from the spectrum of the fused graph and its stability")
    return Choice(method, "auto" if n_clusters is None else n_clusters, tuple(reasons))


def _method_for(views: Views) -> tuple[str, str]:
    complete = views.present is None or bool(views.present.all())
    if "anchor-gfsc" in METHODS and (len(views) > _EXACT_UP_TO or not complete):
        why = f"{len(views):,} samples" if complete else "samples that lack views"
        return "anchor-gfsc", f"anchor-gfsc, because of {why}"
    return "gfsc", f"gfsc, exact, as there are only {len(views):,} samples"
