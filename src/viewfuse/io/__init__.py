"""Read files into Views, and write results to files."""

from .annotations import annotate
from .load import load_views
from .parquet_rows import ParquetRows
from .saved import load_results
from .writers import save_labels, save_results

__all__ = ["ParquetRows", "annotate", "load_results", "load_views", "save_labels", "save_results"]
