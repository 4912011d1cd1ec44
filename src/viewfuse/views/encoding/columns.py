"""How one column becomes numbers.

Every column is mapped to columns whose variances sum to 1, so that in a squared distance one column counts about as much as
another:

* a number is standardised, after a logarithm if its tail is heavy; values beyond the outer fences (three interquartile
  ranges from the quartiles) do not count in the mean and the standard deviation, and all are clipped at ±4;
* a category with shares ``p_1 … p_m`` becomes indicators divided by ``√(1 − Σ p²)``, since the variances of the indicators
  sum to ``1 − Σ p²``;
* an ordered category counts half as its position, half as a category: answers next to each other are nearer than others,
  but two groups that avoid the same answer are not halfway between;
* a date is the number of days since 1970, a number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._utils.text import listed
from ...exceptions import ViewsError
from .column_types import OTHER, ColumnType
from .distinct import Distinct
from .written import as_date, as_number, is_blank, unit_of

__all__ = ["ColumnEncoding", "has_heavy_tail", "learn_column", "mean_and_spread", "numbers_of"]

_CLIP = 4.0  # standard deviations
_FENCE = 3.0  # interquartile ranges
_SKEWED = 1.5
_HEAVY = 10.0  # kurtosis of a column with both signs
_UNITS_PER_DAY = {"s": 86_400.0, "ms": 86_400e3, "us": 86_400e6, "ns": 86_400e9}
_HALF = float(np.sqrt(0.5))


@dataclass(frozen=True)
class ColumnEncoding:
    """What was done to one column of a table.

    Attributes
    ----------
    name : str
    type : str
        "number", "boolean", "category", "ordered", "date"; or, of a column that is not used, "text", "id", "row numbers",
        "constant", "empty" or "ignore".
    encoding : str
        In words: "standardised", "logarithm, standardised", "3 indicators", …; "" if the column is not used.
    n_empty : int
        Empty cells in the training data.
    left_out : str or None
        Why the column is not used.
    note : str or None
    levels : tuple of str or None
        The categories; from the lowest to the highest if they are ordered.
    style : str or None
        How numbers or dates are written as text.
    transform : {"none", "logarithm", "signed logarithm"}
    floor : float
        The smallest value that a logarithm is taken of, or the unit of a signed logarithm.
    centre, scale : float
        Of the transformed numbers, or of the positions of ordered categories.
    shares : tuple of float or None
        How frequent each level is.
    weight : float
        What the encoded values are multiplied by: less than 1 for a category that has nothing to do with other columns
        (:mod:`viewfuse.views.encoding.relevance`).
    """

    name: str
    type: str
    encoding: str
    n_empty: int
    left_out: str | None = None
    note: str | None = None
    levels: tuple[str, ...] | None = None
    style: str | None = None
    transform: str = "none"
    floor: float = 0.0
    centre: float = 0.0
    scale: float = 1.0
    shares: tuple[float, ...] | None = None
    weight: float = 1.0

    @property
    def feature_names(self) -> list[str]:
        """The names of the columns that this one becomes."""
        if self.left_out is not None:
            return []
        if self.levels is None:
            unit = unit_of(self.style)
            said = unit is None or self.name.endswith((f"[{unit}]", f"({unit})"))
            return [self.name if said else f"{self.name} [{unit}]"]
        if self.type != "ordered" and len(self.levels) == 2:
            return [f"{self.name}={self.levels[1]}"]
        indicators = [f"{self.name}={level}" for level in self.levels]
        return [self.name, *indicators] if self.type == "ordered" else indicators

    def encode(self, values: Any, view: str) -> tuple[np.ndarray, list[str]]:
        """Encode the cells of a column, a pandas Series.

        Returns an (n, m) array, NaN where a cell is empty, and the categories that the training data does not have: their
        indicators are all 0.
        """
        coded, unknown = self._coded(values, view)
        return (coded if self.weight == 1 else self.weight * coded), unknown

    def weighted(self, weight: float) -> ColumnEncoding:
        """The same column, with values multiplied by this."""
        if weight == 1:
            return self
        notes = [self.note, "has little to do with other columns"]
        words = f"{self.encoding}, times {weight:.2f}"
        return replace(self, weight=weight, encoding=words, note="; ".join(filter(None, notes)))

    def _coded(self, values: Any, view: str) -> tuple[np.ndarray, list[str]]:
        if self.levels is None:
            return self._standardised(numbers_of(values, self, view))[:, None], []
        distinct = Distinct.of(values)
        place = {level: i for i, level in enumerate(self.levels)}
        pooled = place.get(OTHER, len(self.levels))
        codes = np.array([place.get(text, pooled) for text in distinct.texts] + [-1], dtype=int)[distinct.codes]
        unknown = [text for text in distinct.texts if text not in place] if OTHER not in place else []
        return self._of_levels(codes), unknown

    def readable(self, values: Any, view: str) -> np.ndarray:
        """The cells in their own units: numbers as they are, and indicators of 0 and 1; NaN where a cell is empty.

        The columns are those of ``encode``, with the same names.
        """
        if self.levels is None:
            return numbers_of(values, self, view)[:, None]
        coded, _ = self._coded(values, view)
        shares = np.asarray(self.shares)
        indicators = coded[:, 1:] / _HALF if self.type == "ordered" else coded
        if self.type != "ordered" and len(shares) == 2:
            return np.round(indicators * np.sqrt(0.5) * np.sqrt(1 - np.sum(shares**2)) + shares[1])
        indicators = np.round(indicators * np.sqrt(1 - np.sum(shares**2)) + shares)
        if self.type != "ordered":
            return indicators
        return np.column_stack([np.round(coded[:, 0] / _HALF * self.scale + self.centre), indicators])

    def _standardised(self, numbers: np.ndarray) -> np.ndarray:
        moved = transformed(numbers, self.transform, self.floor)
        with np.errstate(over="ignore"):  # what overflows is clipped
            return np.asarray(np.clip((moved - self.centre) / self.scale, -_CLIP, _CLIP))

    def _of_levels(self, codes: np.ndarray) -> np.ndarray:
        shares = np.asarray(self.shares)
        n_levels = len(shares)
        # The last two rows are for unknown levels, which are like none of the others, and for empty cells.
        indicators = np.vstack([np.eye(n_levels), np.zeros(n_levels), np.full(n_levels, np.nan)]) - shares
        indicators /= np.sqrt(1 - np.sum(shares**2))
        codes = np.where(codes < 0, n_levels + 1, codes)
        if self.type != "ordered":
            # Of two levels one indicator says it all; both together have twice its variance.
            found = indicators[codes]
            return found[:, 1:] * np.sqrt(2) if n_levels == 2 else found
        positions = np.append((np.arange(n_levels) - self.centre) / self.scale, [0.0, np.nan])
        return _HALF * np.column_stack([positions[codes], indicators[codes]])


def learn_column(values: Any, name: str, found: ColumnType, view: str) -> ColumnEncoding:
    """Learn how a column of this type is encoded."""
    n_empty = int(values.isna().sum())
    about: dict[str, Any] = {"name": name, "type": found.type, "note": found.note, "style": found.style}
    if found.left_out is not None:
        return ColumnEncoding(**about, encoding="", n_empty=n_empty, left_out=found.left_out)
    if found.levels is not None:
        return _learn_levels(values, about, found.levels)
    blank = ColumnEncoding(**about, encoding="", n_empty=0)
    return _learn_numbers(numbers_of(values, blank, view), about)


def numbers_of(values: Any, column: ColumnEncoding, view: str) -> np.ndarray:
    """The numbers of a column of numbers or dates; NaN where a cell is empty."""
    kind = values.dtype.kind
    if kind in "mM":
        units = values.dt.tz_convert("UTC") if getattr(values.dtype, "tz", None) is not None else values
        days = units.astype("int64").to_numpy(dtype=float) / _UNITS_PER_DAY[values.dt.unit]
        return np.where(values.isna(), np.nan, days)
    if str(values.dtype).startswith("period"):
        return numbers_of(values.dt.to_timestamp(), column, view)
    if kind == "O" and set(map(type, values.dropna())) <= {bool, np.bool_}:
        values, kind = values.astype("boolean"), "b"  # True and False with empty cells
    if kind in "biuf" and not (column.type == "date" and column.style):
        numbers = values.to_numpy(dtype=float, na_value=np.nan)
    elif column.type == "date" and column.style is None:
        return numbers_of(_as_dates(values, column, view), column, view)
    else:
        numbers = _numbers_of_text(values, column, view)
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        raise ViewsError(
            f"View {view!r}, column {column.name!r} is infinite in row {infinite[0]}.",
            hint="Remove or replace such values.",
            view=view,
        )
    return numbers


def _as_dates(values: Any, column: ColumnEncoding, view: str) -> Any:
    try:
        return values.astype("datetime64[ns]")
    except (ValueError, TypeError) as error:
        raise ViewsError(
            f"View {view!r}, column {column.name!r} holds values that are no dates ({error}).",
            hint="Correct these values, or leave their cells empty.",
            view=view,
        ) from error


def _numbers_of_text(values: Any, column: ColumnEncoding, view: str) -> np.ndarray:
    distinct = Distinct.of(values)
    if column.type == "date":
        numbers = as_date(distinct.texts, column.style or "ISO8601")
    else:
        numbers = np.array([_number(text, column.style) for text in distinct.texts])
    wrong = [t for t, number in zip(distinct.texts, numbers, strict=True) if np.isnan(number) and not is_blank(t)]
    if wrong and "read as empty" not in (column.note or ""):
        raise ViewsError(
            f"View {view!r}, column {column.name!r} holds {listed(wrong)}, first in row {distinct.first_row(wrong[0])}, "
            f"but it is a column of {column.type}s{'' if (unit := unit_of(column.style)) is None else f' in {unit}'}.",
            hint="Correct these values, or leave their cells empty.",
            view=view,
        )
    return np.append(numbers, np.nan)[distinct.codes]


def _number(text: str, style: str | None) -> float:
    number = as_number(text, style or "plain")
    return as_number(text.lstrip("0") or "0", style or "plain") if np.isnan(number) else number


def _learn_levels(values: Any, about: dict[str, Any], levels: tuple[str, ...]) -> ColumnEncoding:
    distinct = Distinct.of(values)
    place = {level: i for i, level in enumerate(levels)}
    counts = np.zeros(len(levels))
    for text, n in zip(distinct.texts, distinct.counts(), strict=True):
        counts[place.get(text, place.get(OTHER, -1))] += n
    shares = counts / counts.sum()
    positions = np.arange(len(levels))
    centre = float(shares @ positions)
    scale = float(np.sqrt(shares @ (positions - centre) ** 2))
    if about["type"] == "ordered":
        encoding = f"position among {len(levels)} levels, and as a category"
    else:
        encoding = "1 indicator" if len(levels) == 2 else f"{len(levels)} indicators"
    n_empty = int(np.count_nonzero(distinct.codes < 0))
    return ColumnEncoding(
        **about,
        encoding=encoding,
        n_empty=n_empty,
        levels=levels,
        centre=centre,
        scale=scale or 1.0,
        shares=tuple(shares.tolist()),
    )


def _learn_numbers(numbers: np.ndarray, about: dict[str, Any]) -> ColumnEncoding:
    present = numbers[~np.isnan(numbers)]
    transform, floor = _transform_for(present)
    moved = transformed(present, transform, floor)
    inner = moved[_within_fences(moved)]
    centre, scale = mean_and_spread(inner)
    words = "standardised" if transform == "none" else f"{transform}, standardised"
    return ColumnEncoding(
        **about,
        encoding=words,
        n_empty=int(np.count_nonzero(np.isnan(numbers))),
        transform=transform,
        floor=floor,
        centre=centre,
        scale=scale if scale > 0 else mean_and_spread(moved)[1] or 1.0,
    )


def mean_and_spread(numbers: np.ndarray) -> tuple[float, float]:
    """The mean and the standard deviation, in units in which squares neither overflow nor vanish."""
    scaled, unit = _in_unit(numbers)
    return float(scaled.mean() * unit), float(scaled.std() * unit)


def _in_unit(numbers: np.ndarray) -> tuple[np.ndarray, float]:
    """The numbers divided by the largest of them, and that: sums and squares neither overflow nor vanish."""
    largest = float(np.abs(numbers).max(initial=0)) or 1.0
    return numbers / largest, largest


def has_heavy_tail(present: np.ndarray) -> bool:
    """Whether a logarithm suits these numbers."""
    return _transform_for(present)[0] != "none"


def _transform_for(present: np.ndarray) -> tuple[str, float]:
    """The transform that suits the tail of these numbers, and its floor or unit."""
    skewness = _moment(present, 3)
    scaled, largest = _in_unit(present)
    if present.min() >= 0:
        middle = float(np.median(scaled)) * largest
        if middle > 0 and skewness > _SKEWED:
            floor = 1e-3 * middle
            if abs(_moment(np.log(np.maximum(present, floor)), 3)) < skewness / 2:
                return "logarithm", floor
    elif _moment(present, 4) > _HEAVY:
        unit = float(np.subtract(*np.percentile(scaled, [75, 25]))) / 2 * largest
        if unit > 0:
            return "signed logarithm", unit
    return "none", 0.0


def transformed(numbers: np.ndarray, transform: str, floor: float) -> np.ndarray:
    if transform == "logarithm":
        return np.asarray(np.log(np.maximum(numbers, floor)))
    return np.asarray(np.arcsinh(numbers / floor)) if transform == "signed logarithm" else numbers


def _moment(numbers: np.ndarray, power: int) -> float:
    """The standardised central moment: 3 for the skewness, 4 for the kurtosis."""
    scaled, _ = _in_unit(numbers)
    spread = scaled.std()
    return float((((scaled - scaled.mean()) / spread) ** power).mean()) if spread > 0 else 0.0


def _within_fences(numbers: np.ndarray) -> np.ndarray:
    scaled, _ = _in_unit(numbers)
    low, high = np.percentile(scaled, [25, 75])
    width = _FENCE * (high - low)
    inside = (scaled >= low - width) & (scaled <= high + width)
    # Where a quarter of the values and more are far away, they are no outliers.
    return inside if inside.mean() > 0.9 and np.ptp(scaled[inside]) > 0 else np.ones(len(numbers), dtype=bool)
