"""Options that several commands share, and the reading of the input file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ..cluster import METHODS
from ..exceptions import ParameterError, ViewsError
from ..io import load_views
from ..io.tables import TableOptions
from ..views import KINDS, Views
from ..views.encoding import TYPES
from ._progress import spinner

__all__ = [
    "AsJson",
    "ColumnTypes",
    "Columns",
    "Device",
    "Files",
    "Ids",
    "KindRules",
    "Labels",
    "LooseIds",
    "MaxDrawn",
    "Method",
    "MissingSamples",
    "NoLabels",
    "Reading",
    "SamplesAre",
    "Seed",
    "ViewRules",
    "WeightRules",
    "by_name",
    "comma_separated",
    "load",
    "title_of",
]

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Input: several tables (CSV, Parquet, Arrow, Excel, OpenDocument), one per view, joined by their id column, or "
        "a folder of them; one table (see --views); or a MATLAB, NumPy (.npz), AnnData (.h5ad) or MuData (.h5mu) file.",
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
ColumnTypes = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="COLUMN=TYPE",
        help=f"What a column of a table is, if it was not found out: {', '.join(TYPES)}; or its values from the lowest to "
        "the highest, as in --type 'size=S<M<L'. Repeat the option for further columns; 'q*' is all that begin with q.",
    ),
]
LooseIds = Annotated[
    bool, typer.Option("--loose-ids", help="Compare the ids of tables without case, blanks and leading zeros.")
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


@dataclass(frozen=True)
class Reading:
    """The options that say how the input is read."""

    views: list[str] | None = None
    ids: str | None = None
    labels: str | None = None
    no_labels: bool = False
    samples: str | None = None
    missing: str = "error"
    types: list[str] | None = None
    loose_ids: bool = False
    kinds: list[str] | None = None

    def arguments(self) -> dict[str, Any]:
        """The arguments of ``load_views``, which checks their values."""
        return {
            "views": self.views or None,
            "ids": self.ids,
            "labels": False if self.no_labels else self.labels,
            "samples": self.samples,
            "missing": self.missing,
            "types": _types(self.types),
            "loose_ids": self.loose_ids,
            "kinds": by_name(self.kinds, "kinds") or "auto",
        }

    def given(self) -> dict[str, Any]:
        """The arguments that differ from the defaults of ``load_views``, for the code on a report."""
        defaults = Reading().arguments()
        return {name: value for name, value in self.arguments().items() if value != defaults[name]}

    def table_options(self) -> TableOptions:
        """The options for tables."""
        found = self.arguments()
        found.pop("views")
        return TableOptions(**found)


def title_of(files: list[Path]) -> str:
    """The input, for messages."""
    return ", ".join(map(str, files))


_OF_FIT = {"encoding": "encoding_", "fit_ids": "relation_ids_"}  # arguments of load_views for new samples


def load(files: list[Path], reading: Reading, fitted: Any = None) -> Views:
    """Read one file or folder, or several tables; ``fitted`` is the model of which these are new samples."""
    known: dict[str, Any] = {
        "encoding": getattr(fitted, "encoding_", None),
        "fit_ids": getattr(fitted, "relation_ids_", None),
    }
    with spinner(f"Reading {', '.join(file.name for file in files)}"):
        return load_views(files[0] if len(files) == 1 else files, **reading.arguments(), **known)


def by_name(rules: list[str] | None, parameter: str) -> dict[str, str]:
    """
    >>> by_name(["cites=graph", "words=counts"], "kinds")
    {'cites': 'graph', 'words': 'counts'}
    """
    wrong = [rule for rule in rules or [] if not all(rule.rpartition("=")[::2])]
    if wrong:
        raise ParameterError(f"{wrong[0]!r} is not of the form NAME=VALUE.", parameter=parameter, value=wrong[0])
    return {name: value for name, _, value in (rule.rpartition("=") for rule in rules or [])}


def _types(rules: list[str] | None) -> dict[str, Any] | None:
    """
    >>> _types(["zip=category", "size=S<M<L"])
    {'zip': 'category', 'size': ['S', 'M', 'L']}
    """
    if not rules:
        return None
    types: dict[str, Any] = {}
    for rule in rules:
        column, equals, wanted = rule.rpartition("=") if "<" not in rule else rule.partition("=")
        if not equals or not column:
            raise ViewsError(
                f"{rule!r} does not say what a column is.", hint="Use, for example, zip=category.", parameter="types"
            )
        types[column] = [level.strip() for level in wanted.split("<")] if "<" in wanted else wanted
    return types
