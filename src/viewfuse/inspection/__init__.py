"""Everything known about a fit, in one record: the report, the plots, the files and the notebook are made from it."""

from . import notebook  # noqa: F401 (gives the estimators their HTML summary)
from .summary import FitSummary, as_summary, summarise

__all__ = ["FitSummary", "as_summary", "summarise"]
