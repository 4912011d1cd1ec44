"""From finished cells to rows of tables, ranks and a test of their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from ..._utils.store import Store
from ..tables import mean_std
from .cells import BenchmarkCell

__all__ = ["MethodResult", "Ranking", "ranking", "results"]

_SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class MethodResult:
    """A method on a data set: all seeds of one setting.

    Attributes
    ----------
    dataset, method, order : as in the cells
    chosen_by : "defaults", or "labels" for the best point of a grid
    parameters : besides the number of clusters and the seed
    seeds : of the finished cells
    scores : metric → one value per seed, in percent; empty if every seed failed
    seconds : of the processor, which other work on the machine hardly changes; one value per seed that did not fail
    peak : largest memory of a seed in bytes, or None
    failures : messages of the seeds that failed
    missing : number of seeds that are not computed
    session : facts about the run that the cells come from
    """

    dataset: str
    method: str
    order: str
    chosen_by: str
    parameters: Mapping[str, Any]
    seeds: tuple[int, ...]
    scores: Mapping[str, Sequence[float]]
    seconds: Sequence[float]
    peak: int | None
    failures: tuple[str, ...]
    missing: int
    session: Mapping[str, Any]

    def mean(self, metric: str) -> float | None:
        return mean_std(self.scores[metric])[0] if self.scores else None

    def deviation(self, metric: str) -> float:
        return mean_std(self.scores[metric])[1] if self.scores else 0.0


def results(cells: Sequence[BenchmarkCell], store: Store) -> list[MethodResult]:
    """The defaults of every method and data set, and the best points of the grids, in the order of the cells."""
    groups: dict[tuple[str, str, str, str], list[BenchmarkCell]] = {}
    for cell in cells:
        groups.setdefault((cell.dataset, cell.method, cell.order, repr(sorted(cell.parameters.items()))), []).append(cell)
    single = [_result(group, store) for group in groups.values()]
    found = [result for result in single if not result.parameters]
    for result in [r for r in found if r.order == "shuffled"]:
        points = [r for r in single if (r.dataset, r.method) == (result.dataset, result.method) and r.order == "shuffled"]
        scored = [point for point in points if point.scores]
        if len(points) > 1 and scored:
            best = max(scored, key=lambda point: point.mean("acc") or 0.0)
            found.append(MethodResult(**{**vars(best), "chosen_by": "labels"}))
    return found


def _result(cells: Sequence[BenchmarkCell], store: Store) -> MethodResult:
    first = cells[0]
    done = [store.results[cell.key] for cell in cells if cell.key in store.results]
    scored = [result for result in done if result["scores"] is not None]
    names = scored[0]["scores"] if scored else ()
    peaks = [result["peak"] for result in done if result.get("peak") is not None]
    return MethodResult(
        dataset=first.dataset,
        method=first.method,
        order=first.order,
        chosen_by="defaults",
        parameters=first.parameters,
        seeds=tuple(cell.seed for cell in cells if cell.key in store.results),
        scores={name: [result["scores"][name] for result in scored] for name in names},
        seconds=[result["core_seconds"] for result in scored],
        peak=max(peaks, default=None),
        failures=tuple(sorted({result["failed"] for result in done if result["failed"]})),
        missing=len(cells) - len(done),
        session=store.sessions[done[0]["session"]] if done else {},
    )


@dataclass(frozen=True)
class Ranking:
    """Mean ranks of the methods over the data sets, 1 the best, and whether they differ.

    Attributes
    ----------
    methods : best first
    ranks : mean rank of each
    n_datasets : int
    p_value : of the Friedman test that all methods are equally good; None with fewer than three methods or two data sets,
        or if all scores are equal
    critical_difference : mean ranks that are closer do not differ (Nemenyi test at 5 %), or None
    """

    methods: tuple[str, ...]
    ranks: tuple[float, ...]
    n_datasets: int
    p_value: float | None
    critical_difference: float | None


def ranking(found: Sequence[MethodResult], metric: str = "acc", *, chosen_by: str = "defaults") -> Ranking:
    """Rank the methods by their mean score on each data set. A method that failed has the last rank, shared by all that did.

    Only data sets on which every method has been run count.
    """
    used = [r for r in found if r.order == "shuffled" and r.chosen_by == chosen_by]
    methods = list(dict.fromkeys(result.method for result in used))
    by_place = {(r.dataset, r.method): r for r in used if not r.missing}
    datasets = [d for d in dict.fromkeys(r.dataset for r in used) if all((d, m) in by_place for m in methods)]
    scores = np.array([[_score(by_place[d, m], metric) for m in methods] for d in datasets]).reshape(-1, len(methods))
    if not len(scores):
        return Ranking(tuple(methods), (float("nan"),) * len(methods), 0, None, None)
    ranks = np.mean([rankdata(-row) for row in scores], axis=0)
    order = np.argsort(ranks, kind="stable")
    n, k = scores.shape
    tested = n >= 2 and k >= 3 and bool((scores != scores[:, :1]).any())
    return Ranking(
        tuple(methods[i] for i in order),
        tuple(float(ranks[i]) for i in order),
        n,
        float(friedmanchisquare(*scores.T).pvalue) if tested else None,
        float(studentized_range.ppf(1 - _SIGNIFICANCE, k, np.inf) / 2**0.5 * (k * (k + 1) / (6 * n)) ** 0.5)
        if tested
        else None,
    )


def _score(result: MethodResult, metric: str) -> float:
    """The mean score; below every score if a seed failed, as a failure is not a result."""
    mean = result.mean(metric)
    return -1.0 if mean is None or result.failures else mean
