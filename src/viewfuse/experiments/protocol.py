"""One cell of the experiment: a method with given parameters on a data set, repeated and scored.

A repetition is one k-means run with one start on the method's embedding, as in the authors' program. Methods without an
embedding are fitted again. At the library's defaults a repetition uses the method's own number of starts. For methods
without an embedding it is then the best of ten fits, so there are only three repetitions. Labels are used only in the
scores.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from .. import metrics
from .._utils.warn import quietly
from ..cluster import METHODS
from ..cluster._base import EmbeddingMixin, RelabelMixin
from ..cluster._checks import nonconstant_views
from ..cluster.baselines.sc import spectral_embedding
from ..fusion import FusionResult, gf, gfsc, learned_factors
from ..graphs import GramFactor, self_expressive_graph
from ..linalg import assign_clusters, isolated_samples, unit_rows
from .engine import measured
from .grids import OWN_GRAPH, grid_points, rows_for
from .paper import DataSource

__all__ = ["METRICS", "SEEDS", "Bench", "Cell", "planned_cells", "run_cell", "run_on"]

SEEDS = tuple(range(10))
METRICS = ("acc", "purity", "inverse_purity", "nmi_max", "nmi_geometric")

Repeat = Callable[[int], np.ndarray]  # seed → labels


@dataclass(frozen=True)
class Cell:
    """One result to compute.

    Attributes
    ----------
    dataset, checksum : name of the data set, and SHA-256 of its file
    row : label of the row
    method : key in ``METHODS``
    parameters : parameters of the estimator besides the number of clusters
    default : True for the library's defaults, False for a point of a grid
    """

    dataset: str
    checksum: str
    row: str
    method: str
    parameters: dict[str, Any] = field(default_factory=dict)
    default: bool = False

    @property
    def key(self) -> str:
        """Identify the cell: two cells with the same key have the same result."""
        identity = [self.dataset, self.checksum, self.row, self.method, self.parameters, self.default, list(self.seeds)]
        return json.dumps(identity, sort_keys=True)

    @property
    def setting(self) -> str:
        return self.key

    @property
    def seeds(self) -> tuple[int, ...]:
        best_of_ten = self.default and not issubclass(METHODS[self.method], EmbeddingMixin)
        return SEEDS[:3] if best_of_ten else SEEDS


def planned_cells(source: DataSource, methods: Sequence[str], *, quick: bool) -> list[Cell]:
    """All cells of a data set: the grid and the defaults of each row."""
    checksum = source.checksum()
    cells = []
    for row, label, view in rows_for(source.load().n_views):
        if row.method not in methods or row.method not in METHODS:
            continue
        if row.in_paper:
            for point in grid_points(row, source.name, quick=quick):
                cells.append(Cell(source.name, checksum, label, row.method, {**view, **point}))
        cells.append(Cell(source.name, checksum, label, row.method, view, default=True))
    return cells


class Bench:
    """A data set that is read once, and whose views are scaled and factored once for all points of the grids."""

    def __init__(self, source: DataSource) -> None:
        self.views = source.load()
        assert self.views.y is not None
        self.n_clusters = int(np.unique(self.views.y).size)

    @cached_property
    def has_no_constant_view(self) -> bool:
        """Whether no view is constant. Estimators ignore constant views; the shared factors do not."""
        with quietly():
            return len(nonconstant_views(self.views, self.views.float_arrays())) == self.views.n_views

    @cached_property
    def factors(self) -> list[GramFactor]:
        """The factors of the views. α, β and γ change only diagonals, so all points of a grid share them."""
        return learned_factors(self.views.float_arrays(), "published")

    def repeatable(self, cell: Cell) -> tuple[Repeat, dict[str, Any]]:
        """The labels of a cell as a function of the seed, and facts about the fit."""
        shared = _SHARED.get(cell.method)
        if shared is None or cell.default or not self.has_no_constant_view:
            return self._fitted(cell)
        return shared(self, **cell.parameters)

    def _fitted(self, cell: Cell) -> tuple[Repeat, dict[str, Any]]:
        starts = {} if cell.default else {"n_init": 1}

        def fit(seed: int) -> Any:
            estimator = METHODS[cell.method](n_clusters=self.n_clusters, random_state=seed, **cell.parameters, **starts)
            return estimator.fit(self.views)

        first = fit(SEEDS[0])
        facts = {name: _plain(getattr(first, f"{name}_", None)) for name in ("n_iter", "converged", "view_weights")}
        if isinstance(first, RelabelMixin):
            return lambda seed: first.relabel(n_init=first.n_init, random_state=seed), facts
        return lambda seed: first.labels_ if seed == SEEDS[0] else fit(seed).labels_, facts

    def _once(self, points: np.ndarray) -> Repeat:
        """One k-means run with one start, as in the authors' program."""
        return lambda seed: assign_clusters(points, self.n_clusters, n_init=1, random_state=np.random.RandomState(seed))


def _shared_gfsc(bench: Bench, *, alpha: float, beta: float, gamma: float, variant: str) -> tuple[Repeat, dict[str, Any]]:
    found = gfsc(
        bench.factors, bench.n_clusters, alpha=alpha, beta=beta, gamma=gamma, variant=variant, random_state=SEEDS[0]
    )
    return bench._once(np.asarray(found.embedding)), _facts(found)


def _shared_gf(bench: Bench, *, alpha: float, beta: float, variant: str) -> tuple[Repeat, dict[str, Any]]:
    found = gf(bench.factors, bench.n_clusters, alpha=alpha, beta=beta, variant=variant, random_state=SEEDS[0])
    return bench._once(unit_rows(np.asarray(found.embedding))), _facts(found)


def _shared_sc(bench: Bench, *, view: int, alpha: float, **graph: Any) -> tuple[Repeat, dict[str, Any]]:
    assert graph == OWN_GRAPH, graph
    return _cut(bench, self_expressive_graph(bench.factors[view], alpha))


def _shared_sc_ave(bench: Bench, *, alpha: float, **graph: Any) -> tuple[Repeat, dict[str, Any]]:
    assert graph == OWN_GRAPH, graph
    mean = sum(self_expressive_graph(factor, alpha) for factor in bench.factors) / len(bench.factors)
    return _cut(bench, mean)


def _cut(bench: Bench, graph: np.ndarray) -> tuple[Repeat, dict[str, Any]]:
    solution, _ = spectral_embedding(graph, bench.n_clusters, np.random.RandomState(SEEDS[0]))
    assert solution.points is not None
    return bench._once(solution.points), {"isolated": float(np.mean(isolated_samples(graph)))}


_SHARED: dict[str, Callable[..., tuple[Repeat, dict[str, Any]]]] = {
    "gfsc": _shared_gfsc,
    "gf": _shared_gf,
    "sc": _shared_sc,
    "sc-ave": _shared_sc_ave,
}


def run_on(cell: Cell, source: DataSource) -> dict[str, Any]:
    """Compute a cell; the process keeps the data set for its next cell."""
    return run_cell(cell, _bench(source))


@lru_cache(maxsize=1)
def _bench(source: DataSource) -> Bench:
    return Bench(source)


def run_cell(cell: Cell, bench: Bench) -> dict[str, Any]:
    """Compute the scores of all repetitions, in percent."""

    def work() -> dict[str, Any]:
        repeat, facts = bench.repeatable(cell)
        repetitions = [repeat(seed) for seed in cell.seeds]
        facts["largest_cluster"] = _largest_cluster(repetitions)
        return {"scores": _scores(bench.views.y, repetitions), "facts": facts}

    return measured(cell.key, work)


def _scores(labels_true: Any, repetitions: Sequence[np.ndarray]) -> dict[str, list[float]]:
    found = [metrics.evaluate(labels_true, labels) for labels in repetitions]
    return {metric: [round(100 * scores[metric], 10) for scores in found] for metric in METRICS}


def _largest_cluster(repetitions: Sequence[np.ndarray]) -> float:
    """Share of the samples in the largest cluster, averaged over the repetitions."""
    return float(np.mean([np.unique(labels, return_counts=True)[1].max() / labels.size for labels in repetitions]))


def _facts(result: FusionResult) -> dict[str, Any]:
    consensus = np.asarray(result.consensus)
    total = float(consensus.sum())
    between_samples = total - float(np.trace(consensus))
    return {
        "n_iter": len(result.sweeps),
        "converged": bool(result.converged),
        "view_weights": _plain(result.weights),
        "isolated": float(np.mean(np.asarray(isolated_samples(result.consensus)))),
        # The share of the weight off the diagonal. The name is that of the stored cells, which must stay readable.
        "ties": between_samples / total if total > 0 else 0.0,
    }


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
