"""Variables to colour the samples by: confidence, known label, weights of views, and columns from the user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..exceptions import ViewsError
from ..inspection.agreement import natural_order
from ..inspection.palette import colour_of
from ..views import is_dataframe

__all__ = ["Column", "by_category", "by_number", "column", "given_columns"]

_MOST_LEVELS = 200
_CATEGORIES_UP_TO = 12  # integers with at most so many distinct values are categories
_NONE = "#8a8f98"


@dataclass(frozen=True, eq=False)
class Column:
    """One value per drawn sample: a number, or the place of a category in ``levels``, which have the colours ``palette``."""

    name: str
    values: np.ndarray
    levels: list[str] | None = None
    palette: list[str] | None = None

    def payload(self) -> dict[str, Any]:
        """What the script of the page needs besides the values."""
        return {"name": self.name, "levels": self.levels, "palette": self.palette}

    def data(self) -> np.ndarray:
        """The values as the script of the page reads them."""
        return self.values.astype(np.float32 if self.levels is None else np.uint8)


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
    """The user's columns in the order of the samples. A DataFrame is matched by the ids of the samples, if there are any."""
    if columns is None:
        return {}
    if is_dataframe(columns):
        if ids is not None:
            rows = columns.index.map(str).get_indexer([str(i) for i in ids])
            if (rows < 0).any():
                raise ViewsError(
                    f"columns has no row for sample {str(ids[rows.argmin()])!r}.",
                    hint="The index of columns= must hold the ids of all samples.",
                    parameter="columns",
                )
            columns = columns.iloc[rows]
        columns = {name: columns[name].to_numpy() for name in columns.columns}
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
