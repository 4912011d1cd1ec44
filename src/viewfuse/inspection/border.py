"""Border samples: the samples with the lowest confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .layouts import nearest_other_cluster

__all__ = ["BorderSample", "border_samples"]


@dataclass(frozen=True)
class BorderSample:
    """A sample between two clusters. ``other`` is the nearest cluster besides its own, None if there is no embedding."""

    row: int
    name: str
    cluster: int
    other: int | None
    confidence: float


def border_samples(
    labels: np.ndarray, confidence: np.ndarray, embedding: np.ndarray | None, names: Sequence[str], *, count: int = 15
) -> tuple[BorderSample, ...]:
    """The ``count`` samples with the lowest confidence, lowest first."""
    rows = np.argsort(confidence, kind="stable")[:count]
    others = None if embedding is None else nearest_other_cluster(embedding, labels)
    return tuple(
        BorderSample(
            row=int(row),
            name=names[row],
            cluster=int(labels[row]),
            other=None if others is None or others[row] == labels[row] else int(others[row]),
            confidence=float(confidence[row]),
        )
        for row in rows
    )
