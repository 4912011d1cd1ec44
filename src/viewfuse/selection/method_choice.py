"""Choose the method and the number of clusters where the user named none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cluster import METHODS, known_methods
from ..exceptions import ParameterError
from ..views import Views
from .n_clusters import choose_n_clusters

__all__ = ["MethodChoice", "choose", "count_in_sample"]

_BY_DESCRIPTION = "the number of clusters, by what each number saves in describing the consensus graph"
_REASONS_FOR_COUNT = {
    "auto": "the number of clusters, by the clearest gap in a spectrum or, if none is clear, by what each number saves",
}


@dataclass(frozen=True)
class MethodChoice:
    """A method and a number of clusters, with the reasons.

    Attributes
    ----------
    method : key of ``METHODS``
    n_clusters : int, or "auto" if the fit chooses the number itself
    reasons : one sentence for each choice that the user did not make
    """

    method: str
    n_clusters: Any
    reasons: tuple[str, ...]


def choose(
    views: Views,
    method: str | None = None,
    n_clusters: int | None = None,
    random_state: Any = 0,
    *,
    sample_size: int = 1_500,
) -> MethodChoice:
    """Choose the method and the number of clusters, as far as they are not given.

    The method is AutoFusion, for any number of samples and with samples missing from views. If the method can choose the
    number of clusters, the fit does so. Otherwise the number is chosen before the fit, on a sample of the data.

    Parameters
    ----------
    views : Views
    method : key of ``METHODS``, optional
    n_clusters : int, optional
    random_state : int, RandomState or None
    sample_size : int
        The most samples on which clusters are counted before the fit.

    Returns
    -------
    MethodChoice
    """
    reasons = []
    if method is None:
        method = "auto"
        reasons.append("auto, the default: it chooses graphs that suit the data")
    else:
        known_methods([method])
    if n_clusters is not None:
        return MethodChoice(method, n_clusters, tuple(reasons))
    if getattr(METHODS[method], "_counts_clusters", False):
        return MethodChoice(method, "auto", (*reasons, _REASONS_FOR_COUNT.get(method, _BY_DESCRIPTION)))
    n_clusters, reason = count_in_sample(views, random_state, sample_size=sample_size)
    return MethodChoice(method, n_clusters, (*reasons, reason))


def count_in_sample(views: Views, random_state: Any, *, sample_size: int = 1_500) -> tuple[int, str]:
    """Choose the number of clusters on evenly spaced samples that are present in every view, and say so in a sentence."""
    complete = np.arange(len(views)) if views.present is None else np.flatnonzero(views.present.all(axis=1))
    rows = complete[np.linspace(0, complete.size, min(sample_size, complete.size), endpoint=False).astype(int)]
    found = choose_n_clusters(views[rows], random_state=random_state)
    if not found.structured:
        raise ParameterError(
            f"No stable clusters were found in {rows.size:,} samples, so the number of clusters cannot be chosen.",
            hint="Pass n_clusters if you know it.",
            parameter="n_clusters",
        )
    return found.suggested, f"{found.suggested} clusters, counted on {rows.size:,} samples"
