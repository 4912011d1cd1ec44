"""viewfuse: multi-view clustering by graph fusion."""

from . import datasets, exceptions, io, metrics, plotting, report, selection
from .cluster import GF, GFSC, METHODS, AnchorGFSC, load
from .exceptions import ViewsError, ViewsFormatError
from .io import load_views
from .views import Views

__version__ = "0.1.0"
__all__ = [
    "GF",
    "GFSC",
    "METHODS",
    "AnchorGFSC",
    "Views",
    "ViewsError",
    "ViewsFormatError",
    "__version__",
    "datasets",
    "exceptions",
    "io",
    "load",
    "load_views",
    "metrics",
    "plotting",
    "report",
    "selection",
]
