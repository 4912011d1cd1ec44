"""Extreme data: fit many small, difficult data sets with every method and print which guarantees hold.

    python benchmarks/hostile.py --cases 30000 --seed 0 --processes 16 [--methods auto gfsc] [--ways tables predict]

Half of the cases are arrays, for every method in turn (``tests/hostile.py``). The others go through every way in and out
(``tests/hostile_ways.py``): graphs, kernels and distances, mixed tables, edge lists, new samples with missing views and
unknown categories, the page of the report, annotated data, and methods of other packages. Prints the smallest case of each
kind of failure, and exits with status 1 if there was one.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings

import hostile
import hostile_ways
from viewfuse.cluster import METHODS

Outcome = tuple[str, Counter, dict[str, Any], float]
_PORTION = 100  # cases of one task


def of_method(method: str, count: int, start: int) -> Outcome:
    """Run ``count`` cases of arrays for one method. Returns the outcomes and one case of each failure."""
    begin = time.perf_counter()
    outcomes: Counter = Counter()
    failures: dict[str, list[hostile.Case]] = defaultdict(list)

    @seed(start)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    @given(hostile.cases((method,)))
    def try_case(case: hostile.Case) -> None:
        broken, outcome = hostile.broken_promises(case)
        outcomes["broken" if broken else outcome] += 1
        for reason in broken:
            failures[reason[:90]].append(case)

    try_case()
    smallest = {reason: min(found, key=lambda case: (len(case.views), case.n)) for reason, found in failures.items()}
    return method, outcomes, smallest, time.perf_counter() - begin


def of_way(way: str, methods: list[str], count: int, start: int) -> Outcome:
    """Run ``count`` cases of one way, every second with AutoFusion and the others with all methods in turn."""
    begin = time.perf_counter()
    outcomes: Counter = Counter()
    failures: dict[str, Any] = {}
    for number in range(start, start + count):
        method = "auto" if number % 2 == 0 and "auto" in methods else methods[number // 2 % len(methods)]
        case = hostile_ways.WayCase(way, method, number)
        broken, outcome = hostile_ways.broken_promises(case)
        outcomes["broken" if broken else outcome] += 1
        for reason in broken:
            failures.setdefault(reason[:90], case)
    return way, outcomes, failures, time.perf_counter() - begin


def tasks(cases: int, start: int, methods: list[str], ways: list[str]) -> Iterator[tuple[Any, ...]]:
    """The work in portions; each has seeds of its own."""
    n_methods, n_ways = (cases // 2 if methods and ways else cases,) * 2
    for portion in range(-(-n_methods // (_PORTION * max(len(methods), 1)))):
        for method in methods:
            yield of_method, method, min(_PORTION, -(-n_methods // len(methods))), 1_000 * start + portion
    for portion in range(-(-n_ways // (_PORTION * max(len(ways), 1)))):
        for way in ways:
            count = min(_PORTION, -(-n_ways // len(ways)))
            yield of_way, way, methods or list(METHODS), count, 10_000_000 * start + portion * _PORTION


def outcomes_of(work: list[tuple[Any, ...]], processes: int) -> Iterator[Outcome]:
    if processes == 1:
        yield from (run(*arguments) for run, *arguments in work)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from (done.result() for done in as_completed([pool.submit(*one) for one in work]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS), help="none: ways only")
    parser.add_argument("--ways", nargs="*", default=list(hostile_ways.WAYS), choices=list(hostile_ways.WAYS))
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    if "annotate" in options.ways and importlib.util.find_spec("anndata") is None:
        print("annotate is left out: anndata is not installed")
        options.ways.remove("annotate")
    counts: dict[str, Counter] = defaultdict(Counter)
    seconds: Counter = Counter()
    shown: set[tuple[str, str]] = set()
    work = list(tasks(options.cases, options.seed, options.methods, options.ways))
    for name, outcomes, failures, spent in outcomes_of(work, options.processes):
        counts[name] += outcomes
        seconds[name] += spent
        for reason, case in failures.items():
            if (name, reason) not in shown:
                shown.add((name, reason))
                print(f"    {reason}\n        {case!r}", flush=True)
    for name, each in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        described = ", ".join(f"{count} {outcome}" for outcome, count in each.most_common())
        print(f"{name:12} {each.total():6} cases: {described}  ({seconds[name] or seconds.total():.0f} s)", flush=True)
    return 1 if any(each["broken"] for each in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
