"""Everything known about a fit, in one record: the report, the plots, the files and the notebook are made from it."""

from .collecting import as_summary, summarise
from .markers import markers
from .summary import FitSummary

__all__ = ["FitSummary", "as_summary", "markers", "summarise"]
