"""One self-contained HTML page about a fit: the clusters, the views, the confidence, and how to reproduce the result."""

from ._columns import check_columns
from ._page import check_report_target, write_report

__all__ = ["check_columns", "check_report_target", "write_report"]
