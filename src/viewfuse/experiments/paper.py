"""The paper's tables, the parameters it names as best, and its data sets."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from ..datasets import data_folder, describe, fetch
from ..exceptions import ParameterError, ViewsError
from ..io import load_views
from ..views import Views
from .tables import MeanStd

__all__ = ["CITATION", "PAPER_DATASETS", "DataSource", "data_source", "printed_table"]

# The metric that each printed column really contains. ``findings`` explains why it is not the one that is named.
PRINTED_METRICS = {"Acc": "acc", "Purity": "inverse_purity", "NMI": "nmi_max"}


@dataclass(frozen=True)
class DataSource:
    """A data set of the paper, a replacement for one, or a file of the user.

    Attributes
    ----------
    name : as in the paper's tables
    catalogue : name in the catalogue of data sets, or None for a file
    file : path of the file, or None for a data set of the catalogue, which is in the data folder
    optimum : the (α, β, γ) that the paper names as best for GFSC
    instead_of : the data set of the paper that this one replaces
    """

    name: str
    catalogue: str | None = None
    file: Path | None = None
    optimum: tuple[float, float, float] | None = None
    instead_of: str | None = None

    @property
    def path(self) -> Path:
        return self.file if self.catalogue is None else data_folder() / describe(self.catalogue).file  # type: ignore[return-value]

    @property
    def is_available(self) -> bool:
        return self.path.exists()

    def checksum(self) -> str:
        with self.path.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()

    def load(self) -> Views:
        """Load the views and their labels. The labels are used only in the scores and in the oracle's choice."""
        views = load_views(self.path) if self.catalogue is None else fetch(self.catalogue)
        if views.y is None:
            raise ViewsError(
                f"{self.path} contains no labels, but labels are needed to score the methods.",
                hint="Add a variable with the true labels to the file.",
                parameter="datasets",
                value=str(self.path),
            )
        return views


PAPER_DATASETS: dict[str, DataSource] = {
    source.name: source
    for source in (
        DataSource("BBC", "GFSC-BBC", optimum=(1e-7, 1e7, 1e-5)),
        DataSource("Reuters", "GFSC-Reuters", optimum=(10, 1e3, 0.01)),
        DataSource("Digits", "GFSC-Digits", optimum=(1e-4, 1, 1e-4)),
        DataSource("Caltech20", "Caltech101-20", optimum=(1e-7, 0.1, 1e-7)),
        DataSource("MSRC-v5", "MSRC-v5", instead_of="Caltech20"),
    )
}


def data_source(name: str) -> DataSource:
    """Find a data set by its name in the paper, or a file with views and labels."""
    by_lower_case = {known.lower(): source for known, source in PAPER_DATASETS.items()}
    if name.lower() in by_lower_case:
        return by_lower_case[name.lower()]
    if Path(name).exists():
        return DataSource(Path(name).stem, file=Path(name))
    raise ParameterError(
        f"There is no data set or file named {name!r}.",
        hint=f"Choose from {', '.join(PAPER_DATASETS)}, or name a file with views and labels.",
        parameter="datasets",
        value=name,
    )


def printed_table(dataset: str) -> Mapping[str, Mapping[str, MeanStd]]:
    """Map rows and columns ("Acc", "Purity", "NMI") to the printed mean and standard deviation in percent.

    Empty if the data set is not in the paper.
    """
    document = _printed()
    rows = document["tables"].get(dataset, {"rows": {}})["rows"]
    return {
        row: {column: (mean, std) for column, (mean, std) in zip(document["columns"], values, strict=True)}
        for row, values in rows.items()
    }


@cache
def _printed() -> dict:
    return json.loads(files(__package__).joinpath("printed.json").read_text(encoding="utf-8"))


CITATION = (
    "Z. Kang, G. Shi, S. Huang, W. Chen, X. Pu, J. T. Zhou and Z. Xu. Multi-graph fusion for multi-view spectral "
    "clustering. Knowledge-Based Systems 189 (2020)."
)
