"""Values that look damaged, though each of them is a valid number.

Every rule names something that people do to tables and that measurements hardly ever do by themselves:

* **Codes for missing values**, such as −999: the smallest or largest value of a column occurs several times, and is farther
  from all others than these are from each other. If a value is only more frequent than all others together suggest, that is
  noted without a warning, because many amounts are often 0.
* **Mixed units**: the positive numbers of a column form two groups, one of which is a hundred, a thousand, … times the
  other, with the same distribution (Kolmogorov-Smirnov) after division, and nothing between them. No column of other views
  knows the groups: those of clusters are known to others.
* **Mixed signs**: in nearly all columns, the same rows are negative, and without their signs they have the same distribution
  as the others. No column of other views knows these rows.
* **Repeated columns**: three or more columns of numbers that are equal in every row.
* **A row of totals or means**: in nearly all columns of numbers one row is the sum, or the mean, of all others.
* **Rows filled down**: one row occurs many times in a view whose other rows are nearly all different, while the same samples
  differ in another view.

Nothing is changed and nothing is left out: a warning says what was seen and where. Of large views some rows and columns are
looked at. Repeated columns and codes of 0 are ordinary in wide views (pixels, words), so they are looked for in others only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.stats import ks_2samp

from .._utils.extras import require
from .._utils.text import count
from .._utils.warn import note, warn
from ..exceptions import SuspiciousValuesWarning
from .kinds import RELATIONS
from .matrices import is_dataframe
from .views import Views

__all__ = ["warn_of_suspicious_values"]

_FEWEST_ROWS = 20
_MOST_ROWS, _MOST_COLUMNS = 5_000, 200  # of a larger view, rows and columns at equal distances are looked at
_WIDE_VIEW = 50  # columns
_FEW_VALUES = 10
_FEWEST_CODES, _SHARE_OF_CODES = 3, 0.01
_FREQUENT = 0.1  # share of the rows
_SHARE_OF_GROUP = 0.05  # of the rows
_WIDE = 30  # largest over smallest value of a column that may be in two units
_NEAR_POWER, _GAP = 0.1, 0.3  # in decimal logarithms
_SAME, _KNOWN = 0.01, 0.001  # p-values: above the first, distributions are taken as the same; below the other, not
_AWAY_FROM_ZERO = 0.2  # mean of a column in standard deviations; centred data has two signs by itself
_ALL_COLUMNS, _FEWEST_SIGNED = 0.8, 3
_EXACTLY = 1e-6
_FEWEST_EQUAL = 3  # columns; two are equal in some transforms, such as Fourier's
_FEWEST_FILLED, _SHARE_OF_FILLED = 10, 0.02
_MOSTLY_DIFFERENT = 0.9
_LONG_NUMBERS = 100_000
_CHANGED = 1e-4  # p-value
_SHOWN = 4  # columns that a warning names

Found = Iterator[tuple[str, str]]  # what was seen, and what to do


def warn_of_suspicious_values(views: Views) -> None:
    """Warn of values of the views, as they were given, that look damaged."""
    members = [None if kind in RELATIONS else m for m, kind in zip(views.raw_members(), views.kinds, strict=True)]
    for v, member in enumerate(members):
        columns, numbers = _numbers(member)
        if len(numbers) < _FEWEST_ROWS:
            continue
        with np.errstate(all="ignore"):
            for what, hint in _suspicious(views, v, members, columns, numbers):
                warn(SuspiciousValuesWarning(f"View {views.names[v]!r}: {what}", hint=hint, view=views.names[v]))
            for what, hint in _notable(v, members, columns, numbers):
                note(f"View {views.names[v]!r}: {what} {hint}")


def _suspicious(views: Views, v: int, members: Sequence[Any], columns: list[str], numbers: np.ndarray) -> Found:
    names, some = _some(columns, numbers)
    is_wide = len(columns) > _WIDE_VIEW
    yield from _codes(names, some, is_wide)
    others = _columns_of_others(v, members)
    yield from _units(names, some, others)
    yield from _signs(names, some, others)
    if not is_wide:
        yield from _repeated_columns(names, some)
    if some.shape == numbers.shape:
        yield from _totals(views, numbers)
        yield from _filled_down(views, v, members)


def _notable(v: int, members: Sequence[Any], columns: list[str], numbers: np.ndarray) -> Found:
    """What is no reason for a warning, because correct data may be like this."""
    names, some = _some(columns, numbers)
    if len(columns) > _WIDE_VIEW:
        return
    yield from _frequent(names, some)
    yield from _numbered(names, some)
    yield from _changed(some, _columns_of_others(v, members))


def _columns_of_others(v: int, members: Sequence[Any]) -> list[np.ndarray]:
    return [x for u, member in enumerate(members) if u != v for x in _some(*_numbers(member))[1].T]


def _numbers(member: Any) -> tuple[list[str], np.ndarray]:
    """The names of the columns of numbers, and their values; NaN where a cell is empty."""
    if is_dataframe(member):
        names = [name for name in member.columns if member[name].dtype.kind in "iuf"]
        if names:
            return [repr(str(name)) for name in names], member[names].to_numpy(dtype=float, na_value=np.nan)
    elif _is_in_memory(member):
        return [str(column) for column in range(member.shape[1])], member
    return [], np.empty((0, 0))


def _is_in_memory(member: Any) -> bool:
    return isinstance(member, np.ndarray) and not isinstance(member, np.memmap) and member.dtype.kind in "iuf"


def _some(columns: Sequence[str], numbers: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Some rows and columns, at equal distances, as floating-point numbers."""
    rows, chosen = (
        np.unique(np.linspace(0, length - 1, min(length, most)).astype(int))
        for length, most in zip(numbers.shape, (_MOST_ROWS, _MOST_COLUMNS), strict=True)
    )
    some = numbers if (len(rows), len(chosen)) == numbers.shape else numbers[np.ix_(rows, chosen)]
    return [columns[column] for column in chosen], some.astype(float, copy=False)


def _extremes(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value of each column, without empty cells."""
    empty = np.isnan(numbers)
    return np.where(empty, np.inf, numbers).min(axis=0), np.where(empty, -np.inf, numbers).max(axis=0)


def _codes(columns: Sequence[str], numbers: np.ndarray, is_wide: bool) -> Found:
    least = max(_FEWEST_CODES, _SHARE_OF_CODES * len(numbers))
    found: dict[float, list[str]] = {}
    for sign in (1, -1):
        values = sign * numbers
        lowest, highest = _extremes(values)
        others = np.where(np.isnan(values) | (values == lowest), np.inf, values)
        gap, width = others.min(axis=0) - lowest, highest - others.min(axis=0)
        n_lowest = (values == lowest).sum(axis=0)
        is_code = (n_lowest >= least) & (n_lowest < len(values) / 2) & (width > 0) & (gap > width)
        if is_wide:
            is_code &= lowest != 0
        for column in np.flatnonzero(is_code).tolist():
            if np.unique(others[:, column]).size > _FEW_VALUES:
                found.setdefault(float(sign * lowest[column]), []).append(columns[column])
    for code, where in found.items():
        yield (
            f"{code:g} occurs several times in {_named(where)} and is far from all other values: it may be a code for "
            "missing values.",
            "Leave these cells empty; they are then filled from similar samples.",
        )


def _frequent(columns: Sequence[str], numbers: np.ndarray) -> Found:
    """A value that is frequent in columns whose other values hardly ever repeat."""
    found: dict[float, list[str]] = {}
    for name, column in zip(columns, numbers.T, strict=True):
        values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
        often = int(np.argmax(counts)) if counts.size else 0
        rest = counts.sum() - counts.max(initial=0)
        is_measured = rest >= len(column) / 2 and counts.size - 1 >= _MOSTLY_DIFFERENT * rest
        if is_measured and counts[often] >= _FREQUENT * len(column):
            found.setdefault(float(values[often]), []).append(name)
    for value, where in found.items():
        what = f"{value:g} is frequent in {_named(where)}, although other values hardly ever repeat."
        yield what, "If it stands for missing values, leave these cells empty."


def _numbered(columns: Sequence[str], numbers: np.ndarray) -> Found:
    """Whole numbers that are different in every row and have many digits, such as account numbers."""
    lowest, highest = _extremes(numbers)
    found = [
        name
        for name, values, width in zip(columns, numbers.T, highest - lowest, strict=True)
        if width > _LONG_NUMBERS and np.all(values == np.round(values)) and np.unique(values).size == len(values)
    ]
    if found:
        yield (
            f"{_named(found)} has a different whole number in every row.",
            "If these are ids, leave them out: types={'COLUMN': 'id'}.",
        )


def _changed(numbers: np.ndarray, others: Sequence[np.ndarray]) -> Found:
    """Rows from which on nearly all columns are distributed otherwise, but those of other views are not."""
    n = len(numbers)
    if numbers.shape[1] < 2:
        return
    for start in (n // 2, n // 3, 2 * n // 3):
        if _nearly_all_change(numbers, start) and _is_unknown_to(np.arange(n) >= start, others):
            yield (
                f"nearly all columns have other values from about the {start / n:.0%} of the rows on, while the other views "
                "have not.",
                "Check whether two exports were joined that have other units, or another order of columns.",
            )
            return


def _nearly_all_change(numbers: np.ndarray, start: int) -> bool:
    """Whether nearly all columns are distributed otherwise from this row on. Ends as soon as too many are not."""
    same, most = 0, (1 - _ALL_COLUMNS) * numbers.shape[1]
    for column in numbers.T:
        above, below = (part[~np.isnan(part)] for part in (column[:start], column[start:]))
        same += not (above.size and below.size and ks_2samp(above, below, method="asymp").pvalue < _CHANGED)
        if same > most:
            return False
    return True


def _units(columns: Sequence[str], numbers: np.ndarray, others: Sequence[np.ndarray]) -> Found:
    found: dict[tuple[int, bytes], list[int]] = {}
    lowest, highest = _extremes(numbers)
    for column in np.flatnonzero((lowest > 0) & (highest > _WIDE * lowest)).tolist():
        logs = np.log10(numbers[:, column])
        groups = _groups_by_power(logs)
        if groups is not None:
            found.setdefault((groups[0], (logs > groups[1]).tobytes()), []).append(column)
    for (power, rows), where in found.items():
        rest = [numbers[:, c] for c in range(len(columns)) if c not in where]
        if _is_unknown_to(np.frombuffer(rows, dtype=bool), others or rest):
            yield (
                f"the values of {_named([columns[c] for c in where])} are of two kinds, one about {10**power:,} times the "
                "other: they may be in two units.",
                "Write all values of a column in one unit.",
            )


def _groups_by_power(logs: np.ndarray) -> tuple[int, float] | None:
    """The power of ten, at least 2, by which the upper of two groups exceeds the lower, and a value between; or None."""
    ordered = np.sort(logs[~np.isnan(logs)])
    cut = int(np.argmax(np.diff(ordered))) + 1
    low, high = ordered[:cut], ordered[cut:]
    is_gap = high[0] - low[-1] > _GAP and min(len(low), len(high)) >= max(_SHARE_OF_GROUP * len(ordered), 5)
    if not is_gap or np.unique(ordered).size <= _FEW_VALUES:
        return None
    apart = float(high.mean() - low.mean())
    power = round(apart) if np.isfinite(apart) else 0
    if power < 2 or abs(apart - power) > _NEAR_POWER or ks_2samp(low + power, high, method="asymp").pvalue <= _SAME:
        return None
    return power, float(high[0] + low[-1]) / 2


def _is_unknown_to(rows: np.ndarray, columns: Sequence[np.ndarray]) -> bool:
    """Whether the values of these rows are distributed as those of the others, in all columns; False without columns."""
    compared = [(x[rows & ~np.isnan(x)], x[~rows & ~np.isnan(x)]) for x in columns]
    compared = [(one, other) for one, other in compared if one.size and other.size]
    least = _KNOWN / max(len(compared), 1)
    return bool(compared) and all(ks_2samp(one, other, method="asymp").pvalue > least for one, other in compared)


def _signs(columns: Sequence[str], numbers: np.ndarray, others: Sequence[np.ndarray]) -> Found:
    groups: dict[bytes, list[int]] = {}
    for column, values in enumerate(numbers.T):
        negative = values < 0
        if not _SHARE_OF_GROUP <= negative.mean() <= 1 - _SHARE_OF_GROUP or np.isnan(values).any():
            continue
        away = abs(values.mean()) > _AWAY_FROM_ZERO * values.std()
        if (
            away
            and np.unique(values).size > _FEW_VALUES
            and ks_2samp(-values[negative], values[~negative], method="asymp").pvalue > _SAME
        ):
            groups.setdefault(negative.tobytes(), []).append(column)
    for key, where in groups.items():
        rows = np.frombuffer(key, dtype=bool)
        rest = [numbers[:, c] for c in range(len(columns)) if c not in where]
        if len(where) >= max(_FEWEST_SIGNED, _ALL_COLUMNS * len(columns)) and _is_unknown_to(rows, others or rest):
            yield (
                f"the same {int(rows.sum())} rows are negative in {_named([columns[c] for c in where])}, and but for the "
                "sign their values are distributed as those of the others.",
                "Write all rows with the same sign.",
            )


def _repeated_columns(columns: Sequence[str], numbers: np.ndarray) -> Found:
    groups: dict[bytes, list[str]] = {}
    for name, values in zip(columns, numbers.T, strict=True):
        if np.unique(values).size > _FEW_VALUES:
            groups.setdefault(values.tobytes(), []).append(name)
    for same in groups.values():
        if len(same) >= _FEWEST_EQUAL:
            yield f"{_named(same)} are equal in every row.", "Keep one of them: each counts."


def _totals(views: Views, numbers: np.ndarray) -> Found:
    lowest, highest = _extremes(numbers)
    varies = highest > lowest
    if varies.sum() < 2:
        return
    present = ~np.isnan(numbers)
    values = np.where(present, numbers, 0.0)
    others = values.sum(axis=0) - values
    for what, expected in (("the sum", others), ("the mean", others / np.maximum(present.sum(axis=0) - present, 1))):
        close = present & (np.abs(values - expected) <= _EXACTLY * np.abs(expected)) & varies & (values != 0)
        for row in np.flatnonzero(close.sum(axis=1) >= max(2, _ALL_COLUMNS * varies.sum())):
            where = f"{int(close[row].sum())} of {int(varies.sum())} columns"
            yield f"{views.sample_name(int(row))} is {what} of all other rows in {where}.", "Remove this row."


def _filled_down(views: Views, v: int, members: Sequence[Any]) -> Found:
    keys = _row_keys(members[v])
    if keys is None:
        return
    there = np.ones(len(keys), dtype=bool) if views.present is None else views.present[:, v]
    values, counts = np.unique(keys[there], return_counts=True)
    often = counts >= max(_FEWEST_FILLED, _SHARE_OF_FILLED * len(keys))
    rest = int(counts[~often].sum())
    if not often.any() or (~often).sum() < _MOSTLY_DIFFERENT * rest or rest < len(keys) / 2:
        return
    others = [other for u, member in enumerate(members) if u != v and (other := _row_keys(member)) is not None]
    for value in values[often]:
        rows = np.flatnonzero(there & (keys == value))
        if any(np.unique(other[rows]).size > len(rows) / 2 for other in others) and not _is_zero(members[v], int(rows[0])):
            yield (
                f"{count(len(rows), 'sample')} have exactly the same values, the first in "
                f"{views.sample_name(int(rows[0]))}, although nearly all others differ, and these differ in other views.",
                "Check whether one row was copied over others.",
            )


def _row_keys(member: Any) -> np.ndarray | None:
    """A number for each row, equal for equal rows; None for views that are not in the processor's memory."""
    if is_dataframe(member):
        return np.asarray(require("pandas").util.hash_pandas_object(member.astype(str), index=False))
    if not _is_in_memory(member):
        return None
    return np.asarray(np.nan_to_num(member) @ np.random.RandomState(0).standard_normal(member.shape[1]))


def _is_zero(member: Any, row: int) -> bool:
    _, numbers = _numbers(member)
    return not np.nan_to_num(numbers[row]).any()


def _named(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - _SHOWN} more" if len(columns) > _SHOWN else ""
    return f"column{'' if len(columns) == 1 else 's'} {', '.join(columns[:_SHOWN])}{more}"
