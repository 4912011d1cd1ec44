"""The rows of the tables, and the parameters that are tried for each row.

The paper gives its grids only for GFSC, and of those only γ and the best point (the axes of its figures are not in its
text). The other grids are our choice, around the values that the methods' own papers recommend. ``setting`` is how the paper
runs a method: each view is scaled as a whole to [−1, 1], and the method follows its equations where a default of the library
differs from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from .paper import PAPER_DATASETS

__all__ = ["FUSION_GRIDS", "OWN_GRAPH", "ROWS", "Row", "fusion_grid", "grid_points", "rows_for"]

Grid = Mapping[str, tuple[Any, ...]]
_MIN_MAX = {"scaling": "min-max"}
_PUBLISHED = {"variant": "published"}


@dataclass(frozen=True)
class Row:
    """A row of the tables.

    Attributes
    ----------
    label : name of the row as printed
    method : key in ``METHODS``
    setting : parameters that are the same at every point of the grid
    grid, quick : parameter → values; ``quick`` is the coarse grid. GFSC and GF use ``FUSION_GRIDS`` instead
    in_paper : False for rows that only we have; they are run at their defaults only
    """

    label: str
    method: str
    setting: Mapping[str, Any] = field(default_factory=dict)
    grid: Grid = field(default_factory=dict)
    quick: Grid = field(default_factory=dict)
    in_paper: bool = True


_ALPHAS = (1e-3, 1e-1, 1.0, 10.0, 100.0, 1e3)
# Ng, Jordan & Weiss on the graph of Eq. (1) with all its edges.
OWN_GRAPH = {"affinity": "self-expressive", "n_neighbors": None, **_MIN_MAX}
_FULL_GAUSSIAN = {"affinity": "gaussian", "n_neighbors": None, **_MIN_MAX}

ROWS: tuple[Row, ...] = (
    Row("SC(v)", "sc", OWN_GRAPH, {"alpha": _ALPHAS}, {"alpha": (0.1, 10.0)}),
    Row("SC(Ave)", "sc-ave", OWN_GRAPH, {"alpha": _ALPHAS}, {"alpha": (0.1, 10.0)}),
    Row("KM", "km", _MIN_MAX),
    Row("Co-train", "co-train", _FULL_GAUSSIAN, {"max_iter": (1, 2, 3, 5, 10, 20)}, {"max_iter": (5,)}),
    Row(
        "Co-reg", "co-reg", _FULL_GAUSSIAN,
        {"mode": ("pairwise", "centroid"), "lam": (0.01, 0.05, 0.1)}, {"mode": ("centroid",), "lam": (0.05,)},
    ),
    Row(
        "MVKKM", "mvkkm", _MIN_MAX,
        {"affinity": ("gaussian", "cosine"), "p": (1.0, 1.5, 3.0)}, {"affinity": ("gaussian",), "p": (1.5,)},
    ),
    Row("RMKMC", "rmkmc", _MIN_MAX, {"gamma": (1.5, 2.0, 3.0, 5.0, 10.0, 30.0)}, {"gamma": (2.0, 5.0)}),
    Row("MSPL", "mspl", _MIN_MAX, {"sharpness": (1.0, 2.0, 3.0, 5.0, 10.0, 30.0)}, {"sharpness": (3.0,)}),
    Row("AMGL", "amgl", _MIN_MAX, {"n_neighbors": (5, 8, 10, 12, 15, 20)}, {"n_neighbors": (10,)}),
    Row(
        "DiMSC", "dimsc", _MIN_MAX,
        {"lam_s": (0.1, 1.0, 10.0), "lam_v": (0.1, 1.0)}, {"lam_s": (1.0,), "lam_v": (0.1,)},
    ),
    Row(
        "MVSC", "mvsc", _MIN_MAX,
        {"lam1": (0.01, 0.1, 1.0), "lam2": (0.1, 1.0)}, {"lam1": (0.1,), "lam2": (1.0,)},
    ),
    Row(
        "IMVSC", "imvsc", {**_MIN_MAX, "max_iter": 50},
        {"lam1": (0.3, 1.0, 3.0), "beta": (0.1, 1.0)}, {"lam1": (1.0,), "beta": (0.1,)},
    ),
    Row("GF", "gf", _PUBLISHED),
    Row("GFSC", "gfsc", _PUBLISHED),
    Row("SC (its view chosen without labels)", "sc", in_paper=False),
    Row("Anchor GFSC", "anchor-gfsc", in_paper=False),
)  # fmt: skip

# γ as in the paper's figures, α and β around the best point it names. The last entry is for data sets not in the paper.
FUSION_GRIDS: dict[str, Grid] = {
    "BBC": {"alpha": (1e-7, 1e-5, 1e-3, 0.1, 10.0), "beta": (0.1, 10.0, 1e3, 1e5, 1e7), "gamma": (1e-7, 1e-5)},
    "Reuters": {"alpha": (0.1, 1.0, 10.0), "beta": (100.0, 1e3, 1e4), "gamma": (0.01, 0.1)},
    "Digits": {"alpha": (1e-6, 1e-5, 1e-4), "beta": (0.1, 1.0, 10.0, 100.0), "gamma": (1e-4, 1e-3)},
    "Caltech20": {"alpha": (1e-7, 1e-5, 1e-3), "beta": (0.01, 0.1, 1.0, 10.0), "gamma": (1e-7, 1e-5)},
    "": {"alpha": (1e-4, 1e-2, 1.0, 10.0, 100.0), "beta": (0.01, 0.1, 1.0, 10.0, 100.0), "gamma": (1e-4, 0.01)},
}


def rows_for(n_views: int) -> Iterator[tuple[Row, str, dict[str, Any]]]:
    """Yield every row with its label and its ``view`` parameter. SC(v) is one row for each of the ``n_views`` views."""
    for row in ROWS:
        if row.label != "SC(v)":
            yield row, row.label, {}
            continue
        for v in range(n_views):
            yield row, f"SC({v + 1})", {"view": v}


def fusion_grid(dataset: str, method: str, *, quick: bool) -> Grid:
    """The grid of GFSC (α, β, γ) or GF (α, β). ``quick`` keeps every other α and β, including the paper's best point."""
    grid = dict(FUSION_GRIDS.get(dataset, FUSION_GRIDS[""]))
    if method == "gf":
        del grid["gamma"]
    if quick:
        optimum = PAPER_DATASETS[dataset].optimum if dataset in PAPER_DATASETS else None
        for name, best in zip(("alpha", "beta"), optimum or (grid["alpha"][0], grid["beta"][0]), strict=False):
            grid[name] = grid[name][grid[name].index(best) % 2 :: 2]
    return grid


def grid_points(row: Row, dataset: str, *, quick: bool) -> list[dict[str, Any]]:
    """The parameters to try for a row: its setting with every combination of its grid."""
    if row.method in ("gfsc", "gf"):
        grid = fusion_grid(dataset, row.method, quick=quick)
    else:
        grid = row.quick if quick else row.grid
    return [{**row.setting, **dict(zip(grid, values, strict=True))} for values in product(*grid.values())]
