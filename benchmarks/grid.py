"""Cost of a grid whose points share the factors of the views: ``python benchmarks/grid.py [Digits [PER_AXIS]]``.

GFSC, published variant, at some points around the paper's best one, with ten repetitions each. Shared computation is
compared with one fit for every point (k-means is repeated on its embedding), and with one fit for every point and
repetition, as the paper's "we repeat each algorithm ten times" says. Times are processor times, which other work on the
machine does not change. The data is read from ../shared/datasets, or from the folder in VIEWFUSE_DATA.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

os.environ.setdefault("VIEWFUSE_DATA", str(Path(__file__).resolve().parents[2] / "shared" / "datasets"))

from viewfuse import GFSC
from viewfuse.experiments.grids import FUSION_GRIDS
from viewfuse.experiments.paper import PAPER_DATASETS
from viewfuse.experiments.protocol import SEEDS, Bench, Cell

DEFAULT_POINTS_PER_AXIS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", default="Digits", choices=list(PAPER_DATASETS))
    parser.add_argument("per_axis", nargs="?", type=int, default=DEFAULT_POINTS_PER_AXIS, help="points per axis")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    name, source = options.name, PAPER_DATASETS[options.name]
    points = _points(name, options.per_axis)
    views = source.load()
    n_clusters = len(np.unique(views.y))

    def fit(point: dict[str, float], seed: int) -> GFSC:
        return GFSC(n_clusters, variant="published", n_init=1, random_state=seed, **point).fit(views)

    def shared() -> list[list[np.ndarray]]:
        bench = Bench(source)
        cells = [Cell(name, "", "GFSC", "gfsc", {**point, "variant": "published"}) for point in points]
        return [[repeat(seed) for seed in SEEDS] for repeat, _ in map(bench.repeatable, cells)]

    def once_per_point() -> list[list[np.ndarray]]:
        models = (fit(point, SEEDS[0]) for point in points)
        return [[model.relabel(random_state=seed) for seed in SEEDS] for model in models]

    def once_per_repetition() -> list[list[np.ndarray]]:
        return [[fit(point, seed).labels_ for seed in SEEDS] for point in points]

    print(f"{name}: {len(points)} points of (α, β, γ), {len(SEEDS)} repetitions each")
    expected, basis = _timed("sharing views, factors and fits", shared, None)
    found, _ = _timed("one fit for every point", once_per_point, basis)
    same = all((a == b).all() for xs, ys in zip(expected, found, strict=True) for a, b in zip(xs, ys, strict=True))
    print(f"  the labels of all repetitions are {'the same' if same else 'DIFFERENT'}")
    _timed("one fit for every point and repetition", once_per_repetition, basis)


def _points(name: str, per_axis: int) -> list[dict[str, float]]:
    """The paper's best point and its neighbours in α and β, with the same γ."""
    optimum = dict(zip(("alpha", "beta", "gamma"), PAPER_DATASETS[name].optimum or (), strict=True))
    axes = {}
    for parameter in ("alpha", "beta"):
        values = FUSION_GRIDS[name][parameter]
        first = min(values.index(optimum[parameter]), len(values) - per_axis)
        axes[parameter] = values[first : first + per_axis]
    return [{"alpha": a, "beta": b, "gamma": optimum["gamma"]} for a in axes["alpha"] for b in axes["beta"]]


def _timed(what: str, run: Callable[[], list], basis: float | None) -> tuple[list, float]:
    started = time.process_time()
    found = run()
    seconds = time.process_time() - started
    ratio = "" if basis is None else f", {seconds / basis:.1f} times as long"
    print(f"  {what}: {seconds:.1f} s{ratio}", flush=True)
    return found, seconds


if __name__ == "__main__":
    main()
