"""Variables to colour the samples by: cluster, confidence, known label, and columns from the user."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._utils.text import count
from .._utils.warn import quietly, warn
from ..exceptions import UnmatchedSamplesWarning, ViewsError
from ..inspection.agreement import natural_order
from ..inspection.palette import PALETTE
from ..views import Views, is_dataframe

__all__ = ["Colouring", "by_category", "by_number", "check_columns", "colouring", "given_columns"]

_MOST_LEVELS = 200
_CATEGORIES_UP_TO = 12  # integers with at most so many distinct values are categories
_STEPS = 64
_NONE = "#8a8f98"


@dataclass(frozen=True)
class Colouring:
    """One colour per drawn sample, as a position in a palette, and the values for the legend."""

    name: str
    palette: list[str]
    codes: np.ndarray
    levels: list[str] | None = None
    values: np.ndarray | None = None

    def payload(self) -> dict[str, Any]:
        """The data for the script of the page."""
        return {
            "name": self.name,
            "palette": self.palette,
            "codes": base64.b64encode(self.codes.astype(np.uint8).tobytes()).decode(),
            "levels": self.levels,
            "values": None if self.values is None else [_rounded(value) for value in self.values],
        }


def by_category(name: str, values: Any) -> Colouring:
    """One colour per distinct value; if there are more than 200, the rarest values share one."""
    texts = np.array([str(value) for value in values], dtype=object)
    levels, codes, sizes = np.unique(texts.astype(str), return_inverse=True, return_counts=True)
    order = natural_order(levels) if len(levels) <= _MOST_LEVELS else np.argsort(-sizes, kind="stable")[:_MOST_LEVELS]
    position = np.full(len(levels), len(order))
    position[order] = np.arange(len(order))
    shown = [str(level) for level in levels[order]]
    palette = [PALETTE[i % len(PALETTE)] for i in range(len(shown))]
    if len(order) < len(levels):
        shown, palette = [*shown, f"{len(levels) - len(order)} others"], [*palette, _NONE]
    return Colouring(name, palette, position[codes], levels=shown)


def by_number(name: str, values: Any) -> Colouring:
    """A colour scale from the smallest to the largest value; grey for missing values."""
    from bokeh.palettes import Cividis256

    numbers = np.asarray(values, dtype=float)
    known = np.isfinite(numbers)
    low, high = (numbers[known].min(), numbers[known].max()) if known.any() else (0.0, 0.0)
    share = np.where(known, numbers - low, 0) / (high - low if high > low else 1)
    codes = np.where(known, np.round(share * (_STEPS - 1)), _STEPS).astype(int)
    scale = [str(Cividis256[round(step * 255 / (_STEPS - 1))]) for step in range(_STEPS)]
    return Colouring(name, [*scale, _NONE], codes, values=np.where(known, numbers, np.nan))


def colouring(name: str, values: Any) -> Colouring:
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
    is_number = values.dtype.kind in "iuf" and colouring("", values).levels is None
    found = values[rows].astype(float if is_number else object)
    found[rows < 0] = np.nan if is_number else "no value"
    return found


def _rounded(value: float) -> float | None:
    return float(f"{value:.4g}") if np.isfinite(value) else None
