"""The paper's experiments and the field's benchmark: grids as data, resumable runs, tables, figures and pages."""

from .benchmark import benchmark
from .grids import ROWS, Row
from .paper import PAPER_DATASETS, printed_table
from .reproduce import reproduce

__all__ = ["PAPER_DATASETS", "ROWS", "Row", "benchmark", "printed_table", "reproduce"]
