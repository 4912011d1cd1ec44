"""One self-contained HTML page about a fit: what came out, how sure it is, and how to get it again."""

from ._page import check_report_target, write_report

__all__ = ["check_report_target", "write_report"]
