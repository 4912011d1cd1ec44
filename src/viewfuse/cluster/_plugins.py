"""Methods of other packages: entry points of the group ``viewfuse.methods``, and classes named as ``module:Class``."""

from __future__ import annotations

import sys
from collections.abc import MutableMapping
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from .._utils.warn import warn
from ..exceptions import ParameterError, PluginWarning
from ._base import MultiViewClusterer

__all__ = ["GROUP", "add_registered", "class_at"]

GROUP = "viewfuse.methods"


def add_registered(methods: MutableMapping[str, type[MultiViewClusterer]]) -> None:
    """Add the methods that installed packages register, under the names of their entry points.

    A name that is taken, or an entry that cannot be loaded or is not a :class:`MultiViewClusterer`, is left out with a
    warning: someone else's package must not prevent viewfuse from working.
    """
    for entry in entry_points(group=GROUP):
        known = methods.get(entry.name)
        if known is not None and f"{known.__module__}:{known.__qualname__}" == entry.value:
            continue
        try:
            found = entry.load()
        except Exception as error:  # of a package that we do not know
            _warn(entry, f"cannot be loaded ({type(error).__name__}: {error})")
            continue
        if not _is_method(found):
            _warn(entry, "is not a subclass of viewfuse.MultiViewClusterer")
        elif known is not None:
            _warn(entry, f"has the name of {known.__name__}, which is kept")
        else:
            methods[entry.name] = found


def class_at(place: str) -> type[MultiViewClusterer]:
    """The class ``my_module:MyClass``; the module may also lie in the current folder."""
    module, _, name = place.partition(":")
    folder = str(Path.cwd())
    try:
        sys.path.insert(0, folder)
        try:
            found = getattr(import_module(module), name)
        finally:
            sys.path.remove(folder)
    except (ImportError, AttributeError) as error:
        raise ParameterError(
            f"{place} cannot be loaded ({type(error).__name__}: {error}).",
            hint="Write it as module:Class, of an installed module or one in the current folder.",
            parameter="method",
            value=place,
        ) from error
    if not _is_method(found):
        raise ParameterError(
            f"{place} is not a subclass of viewfuse.MultiViewClusterer.",
            hint="See docs/add-a-method.md.",
            parameter="method",
            value=place,
        )
    return found


def _is_method(found: Any) -> bool:
    return isinstance(found, type) and issubclass(found, MultiViewClusterer)


def _warn(entry: Any, problem: str) -> None:
    package = entry.dist.name if entry.dist is not None else "a package"
    warn(PluginWarning(f"The method {entry.name!r} of {package} ({entry.value}) {problem}. It is left out."))
