"""Variables to colour the samples by: confidence, known label, weights of views, and columns from the user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._utils.text import count
from .._utils.warn import quietly, warn
from ..exceptions import UnmatchedSamplesWarning, ViewsError
from ..inspection.agreement import natural_order
from ..inspection.palette import colour_of
from ..views import Views, is_dataframe

__all__ = ["Column", "by_category", "by_number", "check_columns", "column", "given_columns"]

_MOST_LEVELS = 200
_CATEGORIES_UP_TO = 12  # integers with at most so many distinct values are categories
_NONE = "#8a8f98"
_WHOLE_IN_SINGLE = 2**24


@dataclass(frozen=True, eq=False)
class Column:
    """One value per drawn sample: a number, or the place of a category in ``levels``, which have the colours ``palette``."""

    name: str
    values: np.ndarray
    levels: list[str] | None = None
    palette: list[str] | None = None

    def payload(self) -> dict[str, Any]:
        """What the script of the page needs besides the values."""
        return {"name": self.name, "levels": self.levels, "palette": self.palette, "double": self._is_double}

    def data(self) -> np.ndarray:
        """The values as the script of the page reads them."""
        if self.levels is not None:
            return self.values.astype(np.uint8)
        return self.values.astype(np.float64 if self._is_double else np.float32)

    @property
    def _is_double(self) -> bool:
        """Whether there are numbers of which single precision would change the whole part."""
        return self.levels is None and bool((np.abs(self.values) > _WHOLE_IN_SINGLE).any())


def by_category(name: str, values: Any) -> Column:
    """One colour per distinct value; if there are more than 200, the rarest values share one."""
    texts = np.array([str(value) for value in values], dtype=object)
    levels, codes, sizes = np.unique(texts.astype(str), return_inverse=True, return_counts=True)
    order = natural_order(levels) if len(levels) <= _MOST_LEVELS else np.argsort(-sizes, kind="stable")[:_MOST_LEVELS]
    position = np.full(len(levels), len(order))
    position[order] = np.arange(len(order))
    shown = [str(level) for level in levels[order]]
    palette = [colour_of(place) for place in range(len(shown))]
    if len(order) < len(levels):
        shown, palette = [*shown, f"{len(levels) - len(order)} others"], [*palette, _NONE]
    return Column(name, position[codes], shown, palette)


def by_number(name: str, values: Any) -> Column:
    """A colour scale from the smallest to the largest value; grey for missing values."""
    numbers = np.asarray(values, dtype=float)
    return Column(name, np.where(np.isfinite(numbers), numbers, np.nan))


def column(name: str, values: Any) -> Column:
    """A colour scale for numbers; one colour per value for text, booleans and integers with few distinct values."""
    values = np.asarray(values)
    if values.dtype.kind in "iu":
        return (by_category if np.unique(values).size <= _CATEGORIES_UP_TO else by_number)(name, values)
    return (by_number if values.dtype.kind == "f" else by_category)(name, values)


def given_columns(columns: Any, ids: np.ndarray | None, n_samples: int) -> dict[str, np.ndarray]:
    """The user's columns in the order of the samples. A DataFrame is matched by the ids of the samples, if there are any.

    A sample without a row has no value, and a warning names the first such sample. The page is worth more than this value.
    """
    if columns is None:
        return {}
    if is_dataframe(columns):
        if ids is None:
            columns = {name: columns[name].to_numpy() for name in columns.columns}
        else:
            rows = _rows_by_id(columns, ids)
            columns = {name: _values_at(columns[name].to_numpy(), rows) for name in columns.columns}
    if not isinstance(columns, Mapping):
        raise ViewsError(
            f"columns must be a DataFrame or a mapping of names to one value per sample; got {type(columns).__name__}.",
            parameter="columns",
            value=columns,
        )
    found = {str(name): np.asarray(values) for name, values in columns.items()}
    for name, values in found.items():
        if values.shape != (n_samples,):
            raise ViewsError(
                f"Column {name!r} of columns has shape {values.shape}, but there are {n_samples} samples.",
                parameter="columns",
            )
    return found


def check_columns(columns: Any, views: Views) -> None:
    """Check before a long fit that these columns can be shown for its samples. Samples without a row are no error."""
    with quietly():
        given_columns(columns, views.ids, len(views))


def _rows_by_id(columns: Any, ids: np.ndarray) -> np.ndarray:
    """The row of each sample; −1 if it has none."""
    known, wanted = columns.index.map(str), [str(i) for i in ids]
    if not known.is_unique:
        raise ViewsError(
            f"columns has more than one row for {known[known.duplicated()][0]!r}.",
            hint="The index of columns= must hold each id once.",
            parameter="columns",
        )
    rows = known.get_indexer(wanted)
    unmatched = np.flatnonzero(rows < 0)
    if unmatched.size == len(wanted):
        raise ViewsError(
            f"columns has no row for any sample: its first row is {known[0]!r}, the first sample {wanted[0]!r}."
            if len(known)
            else "columns has no rows.",
            hint="The index of columns= must hold the ids of the samples.",
            parameter="columns",
        )
    if unmatched.size:
        warn(
            UnmatchedSamplesWarning(
                f"columns has no row for {count(unmatched.size, 'sample')} of {len(wanted)}, the first is "
                f"{wanted[unmatched[0]]!r}. They are shown without a value.",
                hint="Add the ids of all samples to the index of columns=.",
                parameter="columns",
            )
        )
    return np.asarray(rows)


def _values_at(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The values of the samples; NaN on a colour scale and "no value" among categories for samples without a row."""
    if (rows >= 0).all():
        return values[rows]
    is_number = values.dtype.kind in "iuf" and column("", values).levels is None
    found = values[rows].astype(float if is_number else object)
    found[rows < 0] = np.nan if is_number else "no value"
    return found
