"""viewfuse: multi-view clustering by graph fusion.

The names below are imported when they are first used: ``import viewfuse`` costs almost nothing, and neither does
``viewfuse --help``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._utils import hooks
from ._utils.version import __version__

if TYPE_CHECKING:
    from . import datasets, exceptions, inspection, io, metrics, plotting, report, selection
    from .cluster import GF, GFSC, METHODS, AnchorGFSC, AutoFusion, MultiViewClusterer, load
    from .exceptions import ViewsError, ViewsFormatError
    from .inspection import summarise
    from .io import annotate, load_views
    from .report import explore
    from .views import Views

_ROOMS = (
    *("cluster", "datasets", "exceptions", "fusion", "graphs", "inspection", "io", "linalg", "metrics", "plotting"),
    *("report", "selection", "views"),
)
_ROOM_OF = {
    **dict.fromkeys(("GF", "GFSC", "METHODS", "AnchorGFSC", "AutoFusion", "MultiViewClusterer", "load"), "cluster"),
    **dict.fromkeys(("ViewsError", "ViewsFormatError"), "exceptions"),
    "Views": "views",
    **dict.fromkeys(("annotate", "load_views"), "io"),
    "explore": "report",
    "summarise": "inspection",
}

__all__ = [
    "GF",
    "GFSC",
    "METHODS",
    "AnchorGFSC",
    "AutoFusion",
    "MultiViewClusterer",
    "Views",
    "ViewsError",
    "ViewsFormatError",
    "__version__",
    "annotate",
    "datasets",
    "exceptions",
    "explore",
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


def __getattr__(name: str) -> Any:
    if name in _ROOM_OF:
        value = getattr(import_module(f".{_ROOM_OF[name]}", __name__), name)
    elif name in _ROOMS:
        value = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _summary_html(model: Any) -> str:
    from .inspection.notebook import summary_html

    return summary_html(model)


hooks.notebook_summary = _summary_html
