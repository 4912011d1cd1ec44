"""Named, row-aligned and validated views of the same samples: the only data that the core uses."""

from .containers import holds_dask, holds_views
from .encoding import Encoding
from .frames import as_frame, is_table
from .kinds import KINDS, RELATIONS, guess_kind
from .matrices import is_dataframe
from .members import align_graph_frames
from .networks import holds_networks
from .suspicions import warn_of_suspicious_values
from .views import Views, split_columns

__all__ = [
    "KINDS",
    "RELATIONS",
    "Encoding",
    "Views",
    "align_graph_frames",
    "as_frame",
    "guess_kind",
    "holds_dask",
    "holds_networks",
    "holds_views",
    "is_dataframe",
    "is_table",
    "split_columns",
    "warn_of_suspicious_values",
]
