"""Features smoothed over graphs, and how much to smooth over which graphs, chosen without labels.

A plan is a set of graphs and a number of steps ``t``: the points are ``Gᵗ X`` with ``G`` the mean of the low-pass filters of
the graphs. ``t = 0`` uses features alone, ``t = None`` the spectrum of the graphs alone. In a dense graph a sample has
hundreds of neighbours, among which its own features vanish; so a plan may keep the features ``X`` beside ``Gᵗ X``. Each plan
is tried on views of which a part is held out (:mod:`viewfuse.cluster.relations.held_out`). Those whose clusters predict that
part best are taken, side by side: which of several good amounts of smoothing is the best cannot be known, and together they
are more stable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from ...graphs.relations import low_pass, mean_degrees, mean_graph, spectral_points
from .blocks import Blocks
from .grouping import cluster_points
from .held_out import SAYS_SOMETHING, HeldOut, total_score

__all__ = ["Finish", "Plan", "Spectrum", "Tried", "best_plan", "count_clusters", "smooth"]

_STEPS = (1, 2, 4, 8, 16)
_WORSE = 2  # in a row: more steps are not tried
_BESIDE = 2  # of the best numbers of steps are tried with the features beside
_MOST_SPLIT_TWICE = 5_000
_FEW_COLUMNS, _TIMES_WITH_FEW_COLUMNS = 50, 3
_NEARLY_BEST = 0.93  # of the best score
_MOST_PLANS = 8
_PROVISIONAL = 8  # clusters, while their number is not known
_COST_OF_CLUSTERS = 0.5
_NOT_WORTH = 4  # in a row: larger numbers are not tried


@dataclass(frozen=True)
class Plan:
    """Graphs, by position, and steps of smoothing; None for the spectrum of the graphs, without features."""

    graphs: tuple[int, ...]
    steps: int | None
    beside: bool = False  # whether the features are kept beside the smoothed ones

    def __str__(self) -> str:
        if not self.graphs:
            return "features alone"
        if self.steps is None:
            return "graphs alone"
        return f"features as they are and smoothed {self.steps}×" if self.beside else f"features smoothed {self.steps}×"


@dataclass(frozen=True)
class Tried:
    """What was tried: the plans, their scores, best first, and the mutual information of the best one by view.

    ``noise`` is what the latter does not exceed by chance, by view too. ``whole_samples`` is as in
    :meth:`~viewfuse.cluster.relations.held_out.HeldOut.split`.
    """

    plans: tuple[Plan, ...]
    scores: np.ndarray
    parts: np.ndarray
    noise: np.ndarray
    whole_samples: bool

    @property
    def best(self) -> Plan:
        return self.plans[0]

    def good(self) -> tuple[Plan, ...]:
        """The best plan and those whose scores are nearly as good, at most eight."""
        return tuple(p for p, s in zip(self.plans, self.scores, strict=True) if s >= _NEARLY_BEST * self.scores[0])[
            :_MOST_PLANS
        ]

    def takes_graphs_alone(self) -> bool:
        """Whether features have no part in the good plans."""
        return all(plan.steps is None for plan in self.good())

    def says_something(self) -> bool:
        return bool((self.parts > self.noise).any())


def smooth(raw: np.ndarray, filters: Sequence[Any], weights: Sequence[float], steps: int) -> list[np.ndarray]:
    """``X, GX, …, GᵗX`` with ``G`` the weighted mean of the filters."""
    states = [raw]
    for _ in range(steps):
        moved = [weight * (one @ states[-1]) for one, weight in zip(filters, weights, strict=True)]
        states.append(np.asarray(sum(moved) / sum(weights), dtype=np.float32))
    return states


@dataclass(frozen=True)
class Finish:
    """What is done after smoothing: centring; then views of directions are scaled, together, to unit rows, others as such.

    Attributes
    ----------
    mean : (r,) array
    widths : tuple of int, the numbers of columns of the views
    directions : tuple of bool, whether only the direction of a sample counts in a view
    sizes : tuple of float, the spread of each view
    factors : tuple of float, by which the views are multiplied
    """

    mean: np.ndarray
    widths: tuple[int, ...]
    directions: tuple[bool, ...]
    sizes: tuple[float, ...]
    factors: tuple[float, ...]

    @classmethod
    def learn(
        cls, smoothed: np.ndarray, widths: tuple[int, ...], directions: tuple[bool, ...], factors: tuple[float, ...]
    ) -> Finish:
        mean = smoothed.mean(axis=0)
        parts = np.split(smoothed - mean, np.cumsum(widths)[:-1], axis=1)
        sizes = tuple(float(np.sqrt((part**2).sum(axis=1).mean())) or 1.0 for part in parts)
        return cls(mean, widths, directions, sizes, factors)

    def __call__(self, smoothed: np.ndarray) -> np.ndarray:
        parts = np.split(smoothed - self.mean, np.cumsum(self.widths)[:-1], axis=1)
        views = list(zip(parts, self.factors, self.sizes, self.directions, strict=True))
        pointing = [factor * part for part, factor, _, points in views if points]
        total = np.sqrt(sum(factor**2 for _, factor, _, points in views if points))
        joint = [total * normalize(np.hstack(pointing))] if pointing else []
        others = [factor / size * part for part, factor, size, points in views if not points]
        return np.asarray(np.hstack([*joint, *others]), dtype=np.float64)


@dataclass(frozen=True)
class Spectrum:
    """Rows of unit length of the leading eigenvectors of the mean of graphs, each with a mean degree of 1.

    New samples are mapped by Nyström's formula ``Σ_j (a_j + τ/n) axes_j``, with ``τ = 1`` the mean degree.

    Attributes
    ----------
    units : tuple of float, by which the edges of each graph are divided
    axes : (n, k) array, ``(d_j + τ)^-½ u_j / λ``
    points : (n, k) array; empty after :meth:`without_points`
    """

    units: tuple[float, ...]
    axes: np.ndarray
    points: np.ndarray

    @classmethod
    def learn(cls, graphs: Sequence[sp.csr_array], n_clusters: int, random_state: np.random.RandomState) -> Spectrum:
        mean = mean_graph(graphs)
        values, vectors = spectral_points(mean, n_clusters, random_state)
        root = 1 / np.sqrt(np.asarray(mean.sum(axis=1)).ravel() + float(mean.sum()) / mean.shape[0])
        axes = root[:, None] * vectors / np.where(np.abs(values) > 1e-9, values, 1.0)
        return cls(mean_degrees(graphs), axes, np.asarray(normalize(vectors)))

    def without_points(self) -> Spectrum:
        return replace(self, points=self.points[:0])

    def __call__(self, edges: Sequence[sp.csr_array]) -> np.ndarray:
        mean = sp.csr_array(sum(one / unit for one, unit in zip(edges, self.units, strict=True)) / len(edges))
        return np.asarray(normalize(mean @ self.axes + self.axes.mean(axis=0)))


def best_plan(
    features: Sequence[Any],
    graphs: Sequence[sp.csr_array],
    n_clusters: int,
    random_state: np.random.RandomState,
    weights: Sequence[float] | None = None,
    encoded: Sequence[bool] | None = None,
) -> Tried:
    """Try the plans on several splits, on more if there are few samples or columns.

    A plan is only taken if each of its graphs says something of its clusters: smoothed over a graph of noise, features may
    score a little higher by chance.

    Parameters
    ----------
    features : sequence of (n, d_v) arrays or sparse matrices
    graphs : sequence of (n, n) sparse arrays, undirected
    weights : of the graphs in a mean; 1 by default
    encoded : whether each feature view is an encoded table; none is by default
    """
    whole_samples = len(features) + len(graphs) > 1
    found = _best_plan(features, graphs, n_clusters, random_state, weights, encoded, whole_samples)
    if whole_samples and not found.says_something():
        return _best_plan(features, graphs, n_clusters, random_state, weights, encoded, False)
    return found


def _best_plan(
    features: Sequence[Any],
    graphs: Sequence[sp.csr_array],
    n_clusters: int,
    random_state: np.random.RandomState,
    weights: Sequence[float] | None,
    encoded: Sequence[bool] | None,
    whole_samples: bool,
) -> Tried:
    trials = _trials(features, graphs, random_state, weights, encoded, whole_samples)
    tried: dict[Plan, np.ndarray] = {}

    def parts(plan: Plan) -> np.ndarray:
        if plan not in tried:
            tried[plan] = np.mean([trial.parts(plan, n_clusters) for trial in trials], axis=0)
        return tried[plan]

    def score(plan: Plan) -> float:
        return total_score(parts(plan))

    def explore(chosen: tuple[int, ...]) -> None:
        best, worse = -np.inf, 0
        smoothed = []
        for steps in _STEPS if features else ():
            smoothed.append(Plan(chosen, steps))
            found = score(smoothed[-1])
            worse = worse + 1 if found < best else 0
            best = max(best, found)
            if worse == _WORSE:
                break
        for plan in sorted(smoothed, key=score, reverse=True)[:_BESIDE]:
            score(replace(plan, beside=True))
        score(Plan(chosen, None))

    if features:
        score(Plan((), 0))
    everything = tuple(range(len(graphs)))
    for g in everything:
        explore((g,))
    if len(graphs) > 1:
        explore(everything)
        by_graph = parts(max(tried, key=score))[len(features) :]
        saying = tuple(g for g in everything if by_graph[g] > SAYS_SOMETHING)
        if 1 < len(saying) < len(everything):
            explore(saying)
    noise = trials[0].held_out.noise(n_clusters)
    noise_of_mean = noise / np.sqrt(len(trials))

    def is_confirmed(plan: Plan) -> bool:
        """Whether each of its graphs says something of its clusters, beyond chance."""
        positions = [len(features) + g for g in plan.graphs]
        return bool((parts(plan)[positions] > noise_of_mean[positions]).all())

    ranked = sorted((plan for plan in tried if not features or is_confirmed(plan)), key=score, reverse=True)
    return Tried(tuple(ranked), np.array([score(plan) for plan in ranked]), parts(ranked[0]), noise, whole_samples)


def count_clusters(
    features: Sequence[Any],
    graphs: Sequence[sp.csr_array],
    most: int,
    random_state: np.random.RandomState,
    encoded: Sequence[bool] | None = None,
) -> int:
    """The number of clusters with the largest ``Σ_v max(log(1 + I_v/0.02) − ½ log k, 0)``; 1 if nothing can be predicted.

    ``I_v`` is what clusters predict of the held-out part of view v. More clusters hold more information, so ``I_v`` grows
    with k; it must grow as fast as ``√k`` for a cluster to be worth it. No larger numbers are tried after four in a row
    that are not.
    """
    tried = best_plan(features, graphs, min(_PROVISIONAL, most), random_state, encoded=encoded)
    trials = _trials(features, graphs, random_state, None, encoded, tried.whole_samples)
    best, highest = 1, 0.0
    for k in range(2, most + 1):
        parts = np.mean([trial.parts(tried.best, k) for trial in trials], axis=0)
        worth = np.maximum(np.log1p(parts / SAYS_SOMETHING) - _COST_OF_CLUSTERS * np.log(k), 0).sum()
        if worth > highest and (parts > trials[0].held_out.noise(k)).any():
            best, highest = k, float(worth)
        elif k >= max(best, 2) + _NOT_WORTH:
            break
    return best


def _trials(
    features: Sequence[Any],
    graphs: Sequence[sp.csr_array],
    random_state: np.random.RandomState,
    weights: Any,
    encoded: Sequence[bool] | None,
    whole_samples: bool,
) -> list[_Trial]:
    splits = 2 if graphs[0].shape[0] <= _MOST_SPLIT_TWICE else 1
    if any(view.shape[1] < _FEW_COLUMNS for view in features):  # which of them are held out makes a difference
        splits *= _TIMES_WITH_FEW_COLUMNS

    def trial() -> _Trial:
        held_out = HeldOut.split(features, graphs, random_state, encoded, whole_samples=whole_samples)
        return _Trial(held_out, random_state, weights)

    return [trial() for _ in range(splits)]


class _Trial:
    """Clusterings of plans from views of which a part is held out."""

    def __init__(self, held_out: HeldOut, random_state: np.random.RandomState, weights: Sequence[float] | None) -> None:
        self.held_out, self.random_state = held_out, random_state
        self.filters = [low_pass(graph) for graph in held_out.graphs]
        self.weights = [1.0] * len(self.filters) if weights is None else list(weights)
        self.states: dict[tuple[int, ...], tuple[int, np.ndarray]] = {}  # the last number of steps and its result

    def parts(self, plan: Plan, n_clusters: int) -> np.ndarray:
        return self.held_out.parts(self._labels(plan, n_clusters), n_clusters)

    def _labels(self, plan: Plan, n_clusters: int) -> np.ndarray:
        if plan.steps is None:
            graphs, weights = [self.held_out.graphs[g] for g in plan.graphs], [self.weights[g] for g in plan.graphs]
            if (blocks := Blocks.learn(graphs, n_clusters, self.random_state, weights=weights)) is not None:
                return blocks.labels
            points = Spectrum.learn(graphs, n_clusters, self.random_state).points
            return cluster_points(points, n_clusters, self.random_state)[0]
        return cluster_points(self._points(plan, plan.steps), n_clusters, self.random_state)[0]

    def _points(self, plan: Plan, steps: int) -> np.ndarray:
        raw = np.hstack(self.held_out.features)
        done, state = self.states.get(plan.graphs, (0, raw))
        if done > steps:
            done, state = 0, raw
        filters, weights = [self.filters[g] for g in plan.graphs], [self.weights[g] for g in plan.graphs]
        state = smooth(state, filters, weights, steps - done)[-1]
        self.states[plan.graphs] = steps, state
        smoothed = self._finished(state)
        return np.hstack([self._finished(raw), smoothed]) if plan.beside else smoothed

    def _finished(self, state: np.ndarray) -> np.ndarray:
        widths = tuple(part.shape[1] for part in self.held_out.features)
        return Finish.learn(state, widths, self.held_out.directions, (1.0,) * len(widths))(state)
