"""Extreme data: fit many small, difficult data sets with every method and print which guarantees hold.

    python benchmarks/hostile.py --cases 20000 --seed 0

Prints the smallest case of each kind of failure, and exits with status 1 if there was one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings

from hostile import Case, broken_promises, cases
from viewfuse.cluster import METHODS


def run(method: str, count: int, start: int) -> tuple[Counter, dict[str, Case]]:
    """Run ``count`` cases of one method. Returns the outcomes and one case of each failure."""
    outcomes: Counter = Counter()
    failures: dict[str, list[Case]] = defaultdict(list)

    @seed(start)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    @given(cases((method,)))
    def try_case(case: Case) -> None:
        broken, outcome = broken_promises(case)
        outcomes["broken" if broken else outcome] += 1
        for reason in broken:
            failures[reason[:90]].append(case)

    try_case()
    return outcomes, {reason: min(found, key=lambda case: (len(case.views), case.n)) for reason, found in failures.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    options = parser.parse_args()
    total: Counter = Counter()
    for method in options.methods:
        begin = time.perf_counter()
        outcomes, failures = run(method, -(-options.cases // len(options.methods)), options.seed)
        total += outcomes
        described = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
        print(f"{method:12} {outcomes.total():6} cases: {described}  ({time.perf_counter() - begin:.0f} s)", flush=True)
        for reason, case in failures.items():
            print(f"    {reason}\n        {case!r}", flush=True)
    print(
        f"{'all':12} {total.total():6} cases: " + ", ".join(f"{count} {outcome}" for outcome, count in total.most_common())
    )
    return 1 if total["broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
