"""Every file people have → Views; Views and results → files."""

from .load import load_views
from .writers import add_results, save_labels, save_results

__all__ = ["add_results", "load_views", "save_labels", "save_results"]
