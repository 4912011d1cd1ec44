"""Warnings that point to the line of the user's program, however deep in the package they are given."""

from __future__ import annotations

import sys
import warnings

from ..exceptions import ViewfuseWarning

__all__ = ["warn"]

_NOT_THE_USER = ("viewfuse", "sklearn", "joblib")  # fit_predict, pipelines and searches call our methods for the user


def warn(warning: ViewfuseWarning) -> None:
    """Give a warning at the first line outside this package and outside the libraries that call it for the user."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _NOT_THE_USER:
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)
