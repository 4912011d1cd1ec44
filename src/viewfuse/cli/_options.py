"""Options that several commands share, and the reading of the input file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..cluster import METHODS
from ..exceptions import ParameterError
from ..io import load_views
from ..views import KINDS, Views
from ._progress import spinner

__all__ = [
    "AsJson",
    "Columns",
    "Device",
    "File",
    "Ids",
    "KindRules",
    "Labels",
    "MaxDrawn",
    "Method",
    "MissingSamples",
    "NoLabels",
    "SamplesAre",
    "Seed",
    "ViewRules",
    "WeightRules",
    "by_name",
    "comma_separated",
    "load",
    "load_options",
]

File = Annotated[
    Path,
    typer.Argument(
        help="Input: a MATLAB, NumPy (.npz), AnnData (.h5ad) or MuData (.h5mu) file; a CSV, TSV or Parquet table (then use "
        "--views); or a folder with one table per view."
    ),
]
ViewRules = Annotated[
    list[str] | None,
    typer.Option(
        "--views",
        metavar="RULE",
        help="One view; repeat the option for each view. For a table: the columns, as NAME:FIRST-LAST (column names, or "
        "numbers from 1) or as a prefix such as 'audio_*'. For other files: the name of a variable, layer, obsm entry or "
        "modality.",
    ),
]
Ids = Annotated[str | None, typer.Option("--ids", metavar="NAME", help="Column or variable with the ids of the samples.")]
Labels = Annotated[
    str | None,
    typer.Option("--labels", metavar="NAME", help="Column or variable with the true labels. They are used for scores only."),
]
NoLabels = Annotated[bool, typer.Option("--no-labels", help="Do not read true labels.")]
SamplesAre = Annotated[
    str | None,
    typer.Option("--samples", metavar="rows|columns", help="Where the samples are, if the file can be read both ways."),
]
MissingSamples = Annotated[
    str,
    typer.Option(
        "--missing",
        metavar="error|keep|drop",
        help="Samples that are missing from some views (matched by id): refuse the file (error), keep them (keep) or leave "
        "them out (drop).",
    ),
]

WeightRules = Annotated[
    list[str] | None,
    typer.Option(
        "--weight",
        metavar="NAME=FACTOR",
        help="Factor on the learned weight of a view; 0 leaves it out of the clusters. Repeat the option for each view.",
    ),
]
KindRules = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="NAME=KIND",
        help=f"What a view holds: {', '.join(KINDS)}. Repeat the option for each view. If not given, it is guessed; "
        "viewfuse info shows the guess.",
    ),
]

Method = Annotated[
    str | None,
    typer.Option(
        "-m",
        "--method",
        metavar="KEY",
        help="Key of the method (see viewfuse methods). If not given, it is auto.",
        autocompletion=lambda: list(METHODS),
    ),
]
Seed = Annotated[int, typer.Option(help="Random seed. The same seed gives the same clusters.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]
Device = Annotated[
    str | None,
    typer.Option(
        "--device", metavar="DEVICE", help="Where to compute: cuda, cuda:1, … If not given, the processor is used."
    ),
]
Columns = Annotated[
    Path | None,
    typer.Option(
        "--columns",
        metavar="TABLE",
        help="CSV, TSV or Parquet table with further columns for colouring the samples in the report, matched by id.",
    ),
]

MaxDrawn = Annotated[
    int | None,
    typer.Option("--points", min=10, metavar="N", help="Draw at most so many samples on the map of the report (5,000)."),
]


def comma_separated(text: str) -> list[str]:
    """
    >>> comma_separated("gfsc, km,")
    ['gfsc', 'km']
    """
    return [item.strip() for item in text.split(",") if item.strip()]


def load_options(
    views: list[str] | None,
    ids: str | None,
    labels: str | None,
    no_labels: bool,
    samples: str | None,
    missing: str,
    kinds: list[str] | None = None,
) -> dict[str, Any]:
    """The options of ``load_views`` that differ from its defaults."""
    given = {
        "views": views or None,
        "ids": ids,
        "labels": False if no_labels else labels,
        "samples": samples,
        "missing": None if missing == "error" else missing,
        "kinds": by_name(kinds, "kinds") or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def load(
    file: Path | list[Path],
    views: list[str] | None,
    ids: str | None,
    labels: str | None,
    no_labels: bool,
    samples: str | None,
    missing: str,
    kinds: list[str] | None = None,
) -> Views:
    """Read the file with these options; ``load_views`` checks their values."""
    with spinner(f"Reading {', '.join(one.name for one in (file if isinstance(file, list) else [file]))}"):
        return load_views(file, **{"kinds": "auto", **load_options(views, ids, labels, no_labels, samples, missing, kinds)})


def by_name(rules: list[str] | None, parameter: str) -> dict[str, str]:
    """
    >>> by_name(["cites=graph", "words=counts"], "kinds")
    {'cites': 'graph', 'words': 'counts'}
    """
    wrong = [rule for rule in rules or [] if not all(rule.rpartition("=")[::2])]
    if wrong:
        raise ParameterError(f"{wrong[0]!r} is not of the form NAME=VALUE.", parameter=parameter, value=wrong[0])
    return {name: value for name, _, value in (rule.rpartition("=") for rule in rules or [])}
