"""One cell of the benchmark: a method with given parameters and one seed on one data set, fitted and scored."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ... import metrics
from ...cluster import METHODS, known_methods
from ...datasets import data_folder, describe, load_digits_views, names
from ...views import Views
from ..engine import measured
from ..paper import DataSource, data_source

__all__ = ["METRICS", "ORACLE_GRIDS", "ORDERS", "ROW_ORDER", "BenchmarkCell", "planned", "run_cell", "sources_for"]

METRICS = ("acc", "nmi", "ari", "f_score")
ORDERS = ("shuffled", "shipped")
# Methods whose labels depend on the order of the samples, other than by the last digits.
ROW_ORDER = ("fpmvs", "snf")
_SHUFFLE_SEED = 0

_GRAPHS = [{"affinity": name} for name in ("gaussian", "adaptive-neighbors", "self-expressive")]
_LAMBDAS = (0.001, 0.01, 0.1, 1.0)
# The points that --oracle tries beside the defaults; the best is chosen with labels and marked as such.
ORACLE_GRIDS: dict[str, list[dict[str, Any]]] = {
    "gfsc": [{"alpha": a, "beta": b} for a in (0.1, 1.0, 10.0) for b in (0.01, 0.1, 1.0)],
    "gf": [{"alpha": a, "beta": b} for a in (0.1, 1.0, 10.0) for b in (0.01, 0.1, 1.0)],
    "anchor-gfsc": [{"alpha": a, "beta": b} for a in (0.1, 1.0, 10.0) for b in (0.01, 0.1, 1.0)],
    "sc": _GRAPHS,
    "sc-ave": _GRAPHS,
    "km": [{"scaling": name} for name in ("unit-samples", "min-max", "unit-spread")],
    "co-train": _GRAPHS,
    "co-reg": [{"lam": value, "mode": mode} for value in _LAMBDAS for mode in ("centroid", "pairwise")],
    "mvkkm": [{"p": p, "affinity": name} for p in (1.5, 3.0, 10.0) for name in ("cosine", "gaussian")],
    "rmkmc": [{"gamma": value} for value in (2.0, 3.0, 5.0, 10.0, 30.0, 100.0)],
    "mspl": [{"sharpness": value} for value in (2.0, 5.0, 10.0, 20.0, 50.0)],
    "amgl": _GRAPHS,
    "mvsc": [{"lam1": a, "lam2": b} for a in (0.001, 0.01, 0.1) for b in (0.1, 1.0)],
    "dimsc": [{"lam_s": a, "lam_v": b} for a in (0.01, 0.1) for b in (0.01, 0.1, 1.0)],
    "imvsc": [{"lam1": a, "lam3": b} for a in (0.3, 1.0) for b in (0.01, 0.1, 1.0)],
    "gmc": [{"n_neighbors": k, "variant": v} for k in (10, 15, 20) for v in ("program", "paper")],
    "snf": [{"mu": mu, "scaling": name} for mu in (0.3, 0.5, 0.8) for name in ("standard-features", "none")],
    "lmvsc": [{"n_anchors": m, "alpha": a} for m in (None, 50, 100) for a in (0.01, 1.0, 100.0)],
    "fpmvs": [{"variant": "paper"}],
    "mlan": [{"n_neighbors": k, "variant": v} for k in (5, 9, 15) for v in ("program", "paper")],
    "swmc": [{"n_neighbors": k, "variant": v} for k in (10, 15, 20) for v in ("program", "paper")],
    "cgd": [{"n_neighbors": k} for k in (8, 12, 16, 24, 32)],
}


@dataclass(frozen=True)
class EmbeddedDigits(DataSource):
    """The digits that are part of scikit-learn, as views."""

    @property
    def is_available(self) -> bool:
        return True

    def checksum(self) -> str:
        digest = hashlib.sha256()
        for array in self.load().arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def load(self) -> Views:
        return load_digits_views()


def sources_for(wanted: list[str] | None) -> list[DataSource]:
    """The named data sets or files; None: those of the catalogue that are in the data folder, and the embedded digits."""
    if wanted is None:
        on_disk = [name for name in names() if (data_folder() / describe(name).file).exists()]
        return [EmbeddedDigits("digits"), *(DataSource(name, name) for name in on_disk)]
    return [_source(name) for name in wanted]


def _source(name: str) -> DataSource:
    if name == "digits":
        return EmbeddedDigits("digits")
    by_lower_case = {known.lower(): known for known in names()}
    if name.lower() in by_lower_case and not Path(name).exists():
        return DataSource(by_lower_case[name.lower()], by_lower_case[name.lower()])
    return data_source(name)


@dataclass(frozen=True)
class BenchmarkCell:
    """One fit.

    Attributes
    ----------
    dataset, checksum : name of the data set, and SHA-256 of its file
    method : key in ``METHODS``, or ``module:Class``
    seed : int
    order : "shuffled", rows in a fixed random order, or "shipped", as in the file
    parameters : besides n_clusters and random_state; empty for the defaults
    """

    dataset: str
    checksum: str
    method: str
    seed: int
    order: str = "shuffled"
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        identity = [self.dataset, self.checksum, self.method, self.seed, self.order, self.parameters]
        return json.dumps(identity, sort_keys=True)

    @property
    def setting(self) -> str:
        return json.dumps([self.dataset, self.method, self.order, self.parameters], sort_keys=True)


def planned(
    sources: list[DataSource], methods: list[str], n_seeds: int, *, oracle: bool, shipped: bool
) -> list[BenchmarkCell]:
    """All cells: data sets × methods × seeds at the defaults, in shipped order too where that matters, and the grids.

    All of one seed come before the next: a stopped run has something of everything, and what is over its limit with the
    first seed is known before the others.
    """
    cells = []
    checksums = {source.name: source.checksum() for source in sources}
    for seed in range(n_seeds):
        for source in sources:
            for method in methods:
                settings = [("shuffled", point) for point in _points(method, oracle=oracle)]
                if shipped and method in ROW_ORDER:
                    settings.append(("shipped", {}))
                cells += [BenchmarkCell(source.name, checksums[source.name], method, seed, *one) for one in settings]
    return cells


def _points(method: str, *, oracle: bool) -> list[dict[str, Any]]:
    """The defaults and, for the oracle, the other points of the grid."""
    if not oracle:
        return [{}]
    defaults = METHODS[method]().get_params(deep=False)
    grid = ORACLE_GRIDS.get(method, [])
    return [{}, *(point for point in grid if any(defaults[name] != value for name, value in point.items()))]


def run_cell(cell: BenchmarkCell, source: DataSource) -> dict[str, Any]:
    """Fit and score. The labels of the data give the number of clusters and the scores, nothing else."""
    known_methods([cell.method])
    views, k = _views(source, cell.order)

    def work() -> dict[str, Any]:
        model = METHODS[cell.method](n_clusters=k, random_state=cell.seed, **cell.parameters).fit(views)
        found = metrics.evaluate(views.y, model.labels_)
        return {"scores": {name: round(100 * found[name], 6) for name in METRICS}}

    return measured(cell.key, work)


@lru_cache(maxsize=1)
def _views(source: DataSource, order: str) -> tuple[Views, int]:
    views = source.load()
    k = int(np.unique(np.asarray(views.y)).size)
    return (views if order == "shipped" else views[np.random.default_rng(_SHUFFLE_SEED).permutation(len(views))]), k
