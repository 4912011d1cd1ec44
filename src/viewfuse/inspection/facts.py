"""What a fit itself says: its labels, weights, parameters and notes, and simple facts that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from .._utils.device import to_host
from .._utils.text import count
from ..exceptions import ViewsError
from ..views import Views
from .graphs import FusedGraph, SavedGraph
from .missing import absent_samples

__all__ = ["FitFacts"]

_MAX_DRAWN = 5000


@dataclass(frozen=True, eq=False)
class FitFacts:
    """The fields of :class:`FitSummary`, and what follows from them without computation."""

    method: str
    params: dict[str, Any]
    versions: dict[str, str]
    view_names: tuple[str, ...]
    results: dict[str, Any] = field(repr=False)  # labels, confidence, embedding: on any device, perhaps not computed yet
    graph: FusedGraph | SavedGraph | None = field(default=None, repr=False)
    sample_ids: np.ndarray | None = field(default=None, repr=False)
    id_name: str | None = None
    known_labels: np.ndarray | None = field(default=None, repr=False)
    view_weights: np.ndarray | None = None
    noise_views: tuple[str, ...] = ()
    n_iter: int | None = None
    converged: bool | None = None
    stopped: str | None = None
    notes: tuple[str, ...] = ()
    history: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    own_verdict: dict[str, Any] | None = field(default=None, repr=False)
    counts: dict[str, Any] | None = field(default=None, repr=False)
    choice: dict[str, Any] | None = field(default=None, repr=False)
    max_drawn: int = _MAX_DRAWN
    saved: dict[str, Any] = field(default_factory=dict, repr=False)
    views: Views | None = field(default=None, repr=False)

    def with_views(self, views: Any) -> Self:
        """The same record with the data: its ids, its known labels and its names of the views."""
        views = views if isinstance(views, Views) else Views(views)
        for name, values in self.results.items():
            if values is not None:
                _check_length(f"{name}_", values, len(views))
        if self.view_names and len(self.view_names) != views.n_views:
            raise ViewsError(
                f"The model was fitted on {count(len(self.view_names), 'view')}, but there are {views.n_views} here.",
                hint="Pass the views that the model was fitted on.",
                parameter="views",
            )
        renamed = dict(zip(self.view_names, views.names, strict=False))
        return replace(
            self,
            saved={},
            views=views,
            view_names=views.names,
            noise_views=tuple(renamed.get(name, name) for name in self.noise_views),
            choice=_with_renamed_views(self.choice, renamed),
            notes=tuple(dict.fromkeys([*views.notes, *self.notes])),
            sample_ids=None if views.ids is None else _plain_ids(views.ids),
            id_name=views.id_name,
            known_labels=None if views.y is None else np.asarray([str(label) for label in views.y]),
        )

    @cached_property
    def labels(self) -> np.ndarray:
        """(n_samples,) cluster of each sample."""
        return to_host(self.results["labels"])

    @cached_property
    def confidence(self) -> np.ndarray | None:
        """(n_samples,) confidence of each assignment, from 0 to 1; None if the method has none."""
        return self._host("confidence")

    @cached_property
    def embedding(self) -> np.ndarray | None:
        """(n_samples, n_components) embedding; None if the method has none."""
        return self._host("embedding")

    @cached_property
    def outlier_score(self) -> np.ndarray | None:
        """(n_samples,) how unlike all clusters each sample is; None if the method has none."""
        return self._host("outlier_score")

    def _host(self, name: str) -> np.ndarray | None:
        values = self.results.get(name)
        return None if values is None else to_host(values)

    @property
    def n_samples(self) -> int:
        return len(self.labels)

    @cached_property
    def sizes(self) -> dict[int, int]:
        """Number of samples in each cluster, by label."""
        clusters, sizes = np.unique(self.labels, return_counts=True)
        return {int(cluster): int(size) for cluster, size in zip(clusters, sizes, strict=True)}

    @property
    def n_clusters(self) -> int:
        """Number of clusters that have samples."""
        return len(self.sizes)

    @cached_property
    def sample_names(self) -> list[str]:
        """The ids as text; without ids, ``"row 0"``, ``"row 1"``, …"""
        if self.sample_ids is None:
            return [f"row {row}" for row in range(self.n_samples)]
        return [str(i) for i in self.sample_ids]

    @property
    def n_features(self) -> tuple[int, ...] | None:
        """Number of features of each view; None without the data."""
        if self.views is None:
            return self.saved.get("n_features")
        return tuple(int(array.shape[1]) for array in self.views.arrays)

    @property
    def n_dropped(self) -> int:
        """Number of samples that were left out when the data was read, because some view does not have them."""
        return int(self.saved.get("n_dropped", 0) if self.views is None else self.views.n_dropped)

    @cached_property
    def n_missing(self) -> dict[str, int]:
        """For each view, the number of samples that it does not have; empty without the data."""
        if self.views is None:
            return dict(self.saved.get("n_missing", {}))
        return {name: absent_samples(self.views, v) for v, name in enumerate(self.views.names)}

    @property
    def own_weights(self) -> tuple[float, ...] | None:
        """The factor or the weight that the user gave to each view; None if there were none."""
        given = self.params.get("fixed_view_weights") or self.params.get("view_weights")
        if given is None:
            return None
        if isinstance(given, Mapping):
            return tuple(float(given.get(name, 1.0)) for name in self.view_names)
        return tuple(map(float, given))

    @property
    def tol(self) -> float:
        """The tolerance of the stopping rule; 0 if the method has none."""
        return float(self.params.get("tol") or 0)

    @cached_property
    def relative_changes(self) -> np.ndarray | None:
        """Relative change in each iteration: of the consensus graph or, if only this is recorded, of the objective."""
        if "change" in self.history:
            return np.asarray(self.history["change"], dtype=float)
        objective = np.asarray(self.history.get("objective", ()), dtype=float)
        if len(objective) < 2:
            return None
        return np.abs(np.diff(objective)) / np.maximum(np.abs(objective[:-1]), np.finfo(float).tiny)


def _with_renamed_views(choice: dict[str, Any] | None, renamed: dict[str, str]) -> dict[str, Any] | None:
    if choice is None:
        return None
    return {**choice, "views": [{**view, "name": renamed.get(view["name"], view["name"])} for view in choice["views"]]}


def _plain_ids(ids: np.ndarray) -> np.ndarray:
    """Ids that a file can hold without pickling: objects become text."""
    return np.array([str(i) for i in ids]) if ids.dtype.kind == "O" else ids


def _check_length(name: str, values: Any, n_samples: int) -> None:
    shape = tuple(values.shape) if hasattr(values, "shape") else np.shape(values)
    expected = (n_samples, *shape[1:]) if name == "embedding_" else (n_samples,)
    if shape != expected:
        raise ViewsError(
            f"{name} has shape {shape}, but there are {n_samples} samples in the views.",
            hint="Pass the views that the model was fitted on.",
            parameter="views",
        )
