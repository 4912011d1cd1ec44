"""Views: named, row-aligned, validated views of the same samples. The only data the core ever sees."""

from .containers import holds_dask, holds_views
from .joining import align_graph_frames
from .matrices import is_dataframe
from .views import Views, split_columns

__all__ = ["Views", "align_graph_frames", "holds_dask", "holds_views", "is_dataframe", "split_columns"]
