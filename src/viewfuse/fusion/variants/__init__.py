"""The variants of the algorithm, by name."""

from ..driver import Variant
from .paper import PAPER
from .published import PUBLISHED
from .robust import ROBUST

__all__ = ["VARIANTS"]

VARIANTS: dict[str, Variant] = {"robust": ROBUST, "published": PUBLISHED, "paper": PAPER}
