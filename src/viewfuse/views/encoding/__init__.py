"""From tables with columns of any type to matrices: types of columns, their encoding, and what was done to each."""

from .column_types import TYPES, Types
from .columns import ColumnEncoding
from .encoding import Encoding
from .table import TableEncoding, encode_table, learn_encodings, readable_matrix

__all__ = [
    "TYPES",
    "ColumnEncoding",
    "Encoding",
    "TableEncoding",
    "Types",
    "encode_table",
    "learn_encodings",
    "readable_matrix",
]
