"""viewfuse: multi-view clustering by graph fusion."""

from . import exceptions, metrics
from .exceptions import ViewsError, ViewsFormatError
from .views import Views

__version__ = "0.1.0"
__all__ = ["Views", "ViewsError", "ViewsFormatError", "__version__", "exceptions", "metrics"]
