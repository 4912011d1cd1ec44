"""The estimators, one file per method, and ``METHODS``, their registry."""

from ._base import MultiViewClusterer
from .gf import GF
from .gfsc import GFSC

METHODS: dict[str, type[MultiViewClusterer]] = {"gfsc": GFSC, "gf": GF}

__all__ = ["GF", "GFSC", "METHODS", "MultiViewClusterer"]
