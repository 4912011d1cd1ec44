"""viewfuse: multi-view clustering by graph fusion."""

from . import datasets, exceptions, inspection, io, metrics, plotting, report, selection
from ._utils.version import __version__
from .cluster import GF, GFSC, METHODS, AnchorGFSC, load
from .exceptions import ViewsError, ViewsFormatError
from .inspection import summarise
from .io import load_views
from .views import Views

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
    "inspection",
    "io",
    "load",
    "load_views",
    "metrics",
    "plotting",
    "report",
    "selection",
    "summarise",
]
