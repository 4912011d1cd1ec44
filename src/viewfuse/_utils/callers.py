"""Who called: the frames between a function of this package and the user's program."""

from __future__ import annotations

import sys
from types import FrameType

__all__ = ["calling_frames", "module_of"]

_LIBRARIES = ("viewfuse", "sklearn", "joblib")  # fit_predict, pipelines and searches call our methods for the user


def calling_frames() -> list[FrameType]:
    """The frames from the caller's own outwards. The last is the first one outside the libraries: the user's line."""
    frame = sys._getframe(1)
    frames = [frame]
    while frame.f_back is not None and module_of(frame).partition(".")[0] in _LIBRARIES:
        frame = frame.f_back
        frames.append(frame)
    return frames


def module_of(frame: FrameType) -> str:
    """Full name of the module whose code runs in this frame."""
    return str(frame.f_globals.get("__name__"))
