"""One self-contained HTML page about a fit: the clusters, the views, the confidence, and how to reproduce the result."""

from ._columns import check_columns
from ._page import Explorer, check_report_target, explore, write_report

__all__ = ["Explorer", "check_columns", "check_report_target", "explore", "write_report"]
