"""Multi-view data sets: embedded, generated, and a catalogue with verified downloads."""

from .catalogue import Dataset, describe, names
from .customers import make_customers
from .digits import load_digits_views
from .fetching import data_folder, download, fetch
from .synthetic import make_views

__all__ = [
    "Dataset",
    "data_folder",
    "describe",
    "download",
    "fetch",
    "load_digits_views",
    "make_customers",
    "make_views",
    "names",
]
