"""The paper's experiments: grids and printed results as data, a resumable run, tables, figures and a page."""

from .grids import ROWS, Row
from .paper import PAPER_DATASETS, printed_table
from .reproduce import reproduce

__all__ = ["PAPER_DATASETS", "ROWS", "Row", "printed_table", "reproduce"]
