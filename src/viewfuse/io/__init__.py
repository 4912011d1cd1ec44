"""Read files into Views, and write results to files."""

from .load import load_views
from .parquet_rows import ParquetRows
from .saved import load_results
from .writers import add_results, save_labels, save_results

__all__ = ["ParquetRows", "add_results", "load_results", "load_views", "save_labels", "save_results"]
