"""Named, row-aligned and validated views of the same samples: the only data that the core uses."""

from .containers import holds_dask, holds_views
from .encoding import Encoding
from .frames import as_frame, is_table
from .matrices import is_dataframe
from .members import align_graph_frames
from .views import Views, split_columns

__all__ = [
    "Encoding",
    "Views",
    "align_graph_frames",
    "as_frame",
    "holds_dask",
    "holds_views",
    "is_dataframe",
    "is_table",
    "split_columns",
]
