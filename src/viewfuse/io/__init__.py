"""Every file people have → Views; Views and results → files."""

from .load import load_views

__all__ = ["load_views"]
