"""Multi-view data sets."""

from .digits import load_digits_views

__all__ = ["load_digits_views"]
