"""The paper's protocol: grids and printed figures as data, a resumable run, and tables, figures and a page from it."""

from .grids import ROWS, Row
from .paper import PAPER_DATASETS, printed_table
from .reproduce import reproduce

__all__ = ["PAPER_DATASETS", "ROWS", "Row", "printed_table", "reproduce"]
