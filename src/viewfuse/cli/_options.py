"""Options that several commands share: how a file is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..cluster import METHODS
from ..io import load_views
from ..views import Views
from ._watching import watched_reading

__all__ = [
    "AsJson",
    "Columns",
    "Device",
    "File",
    "Ids",
    "Labels",
    "Method",
    "MissingSamples",
    "NoLabels",
    "SamplesAre",
    "Seed",
    "ViewRules",
    "comma_separated",
    "load",
]

File = Annotated[
    Path,
    typer.Argument(
        help="A MATLAB, NumPy (.npz), AnnData (.h5ad) or MuData (.h5mu) file, one CSV, TSV or Parquet table (with "
        "--views), or a folder with one table per view."
    ),
]
ViewRules = Annotated[
    list[str] | None,
    typer.Option(
        "--views",
        metavar="RULE",
        help="One table: a view's columns as NAME:FIRST-LAST (names, or numbers from 1) or a prefix such as 'audio_*'. "
        "Other files: the name of a variable, layer, obsm entry or modality. Repeat it for each view.",
    ),
]
Ids = Annotated[str | None, typer.Option("--ids", metavar="NAME", help="Column or variable with the samples' ids.")]
Labels = Annotated[
    str | None, typer.Option("--labels", metavar="NAME", help="Column or variable with true labels; for scores only.")
]
NoLabels = Annotated[bool, typer.Option("--no-labels", help="Read no true labels.")]
SamplesAre = Annotated[
    str | None,
    typer.Option("--samples", metavar="rows|columns", help="Where samples are, if the file can be read either way."),
]
MissingSamples = Annotated[
    str,
    typer.Option(
        "--missing", metavar="error|keep|drop", help="What to do with samples that some view lacks, matched by id."
    ),
]

Method = Annotated[
    str | None,
    typer.Option(
        "-m",
        "--method",
        metavar="KEY",
        help="One of viewfuse methods; chosen by the size of the data if not given.",
        autocompletion=lambda: list(METHODS),
    ),
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same clusters.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]
Device = Annotated[
    str | None,
    typer.Option("--device", metavar="DEVICE", help="Where to compute: cuda, cuda:1, …; the processor if not given."),
]
Columns = Annotated[
    Path | None,
    typer.Option(
        "--columns",
        metavar="TABLE",
        help="A CSV, TSV or Parquet table with more columns to colour the report's samples by, matched by id.",
    ),
]


def comma_separated(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def load(
    file: Path,
    views: list[str] | None,
    ids: str | None,
    labels: str | None,
    no_labels: bool,
    samples: str | None,
    missing: str,
) -> Views:
    """Read the file as the options say; ``load_views`` itself refuses values it does not know."""
    with watched_reading(file):
        return load_views(
            file,
            views=views or None,
            ids=ids,
            labels=False if no_labels else labels,
            samples=samples,  # type: ignore[arg-type]
            missing=missing,  # type: ignore[arg-type]
        )
