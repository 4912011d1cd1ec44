"""Values that look damaged, though each of them is a valid number.

Every rule names something that people do to tables and that measurements hardly ever do by themselves:

* **Codes for missing values**, such as −999: the smallest or largest value of a column occurs several times, and is farther
  from all others than these are from each other. If a value is only frequent, although others hardly ever repeat, that is
  noted without a warning; but not if it is a bound that others come close to, as 0 is for amounts and grey values.
* **Mixed units**: the positive numbers of a column form two groups, one of which is a hundred, a thousand, … times the
  other, with the same distribution (Kolmogorov-Smirnov) after division, and nothing between them. No column of other views
  knows the groups: those of clusters are known to others.
* **Mixed signs**: in nearly all columns the same rows have the other sign, and without it they have the same distribution as
  the others. No column of other views knows these rows. Columns around 0 count if the others leave no doubt about the rows.
* **Cells in another column**: from some row of its table on, the values are distributed otherwise than above, and as those
  above of the column to the left, or to the right. No column of other views changes there.
* **Columns that were sorted on their own**: all columns of numbers are sorted, but other views do not change with the rows.
* **Repeated columns**: three or more columns of numbers that are equal in every row.
* **A row of totals or means**: in nearly all columns of numbers one row is the sum, or the mean, of all others.
* **Columns of noise** (noted): ten or more, and half of a view, that are correlated with no other column.
* **Copies of samples** (noted): many with the same values in every view, although values hardly ever repeat otherwise.
* **Views that were given twice**: all their values are the same. Most methods count them twice.
* **Nearly constant views**: one row occurs in nearly all samples, though the few others are all different. Such a view can
  only set these few apart. Zeros beside positive numbers are ordinary: most customers buy nothing.
* **Rows filled down**: one row occurs many times in a view whose other rows are nearly all different, while the same samples
  differ in another view.

Nothing is changed and nothing is left out: a warning says what was seen and where. Of large views some rows and columns are
looked at. Repeated columns and codes of 0 are ordinary in wide views (pixels, words), so they are looked for in others only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy.stats import combine_pvalues, norm

from .._utils.warn import note, warn
from ..exceptions import SuspiciousValuesWarning
from .kinds import RELATIONS
from .numbers import MOST_ROWS, Numbers, is_known_to, is_varied, same_distribution
from .suspicious_order import InOwnOrder, changed, moved, sorted_alone
from .suspicious_rows import copies, filled_down, given_twice, nearly_constant, totals
from .views import Views

__all__ = ["warn_of_suspicious_values"]

_FEWEST_ROWS = 20
_FEWEST_CODES, _SHARE_OF_CODES = 3, 0.01
_FREQUENT = 0.1  # share of the rows
_NEAREST = 0.1  # share of the other values, whose range is compared with the gap before a frequent value
_SHARE_OF_GROUP = 0.05  # of the rows
_WIDE = 30  # largest over smallest value of a column that may be in two units
_NEAR_POWER, _GAP = 0.1, 0.3  # in decimal logarithms
_SAME = 0.01  # p-value above which distributions are taken as the same
_AWAY_FROM_ZERO = 0.2  # mean of a column in standard deviations; centred data has two signs by itself
_ALL_COLUMNS, _FEWEST_SIGNED = 0.8, 3
_FEWEST_OPPOSITE = 10  # rows: the distribution of fewer values tells nothing
_FEWEST_EQUAL = 3  # columns; two are equal in some transforms, such as Fourier's
_FEWEST_UNRELATED, _CORRELATED = 10, 0.01  # columns; p-value, divided by the number of columns compared
_MOSTLY_DIFFERENT = 0.9
_LONG_NUMBERS = 100_000
_ALWAYS_WHOLE = 2**53  # larger floating-point numbers have no fractions

Found = Iterator[tuple[str, str]]  # what was seen, and what to do


def warn_of_suspicious_values(views: Views) -> None:
    """Warn of values of the views, as they were given, that look damaged."""
    members = [None if kind in RELATIONS else m for m, kind in zip(views.raw_members(), views.kinds, strict=True)]
    tables = [Numbers(member) for member in members]
    if len(views) < _FEWEST_ROWS:
        return
    for v, table in enumerate(tables):
        if members[v] is None:
            continue
        others = [column for u, other in enumerate(tables) if u != v for column in other.values.T]
        with np.errstate(all="ignore"):
            seen, noticed = list(_rows(views, v, members, table)), []
            if len(table):
                order = InOwnOrder.of(views, v, tables) if not table.is_wide else None
                seen = [*_suspicious(table, others, order), *nearly_constant(members[v], table), *seen]
                noticed = [*_notable(table, order), *_unrelated(v, tables)]
            for what, hint in seen:
                warn(SuspiciousValuesWarning(f"View {views.names[v]!r}: {what}", hint=hint, view=views.names[v]))
            for what, hint in noticed:
                note(f"View {views.names[v]!r}: {what} {hint}")
    with np.errstate(all="ignore"):
        for what, hint in copies(views, members, tables):
            note(f"{what} {hint}")
        for u, v in given_twice(views):
            problem = f"Views {views.names[u]!r} and {views.names[v]!r} have the same values in every row."
            hint = "Leave one of them out: all methods but AutoFusion count both."
            warn(SuspiciousValuesWarning(problem, hint=hint, view=views.names[v]))


def _suspicious(table: Numbers, others: Sequence[np.ndarray], order: InOwnOrder | None) -> Found:
    yield from _codes(table)
    yield from _units(table, others)
    yield from _signs(table, others)
    if order is not None:
        yield from _repeated_columns(table)
        yield from moved(order)
        yield from sorted_alone(order)


def _rows(views: Views, v: int, members: Sequence[Any], table: Numbers) -> Found:
    """Suspicious rows, which are looked for if all are looked at."""
    if table.is_complete and len(views) <= MOST_ROWS:
        yield from totals(views, table)
        yield from filled_down(views, v, members, table)


def _notable(table: Numbers, order: InOwnOrder | None) -> Found:
    """What is no reason for a warning, because correct data may be like this."""
    if order is not None:
        yield from _frequent(table)
        yield from _numbered(table)
        yield from changed(order)


def _codes(table: Numbers) -> Found:
    least = max(_FEWEST_CODES, _SHARE_OF_CODES * len(table.values))
    found: dict[float, list[int]] = {}
    for extreme in (table.lowest, table.highest):
        n_extreme = (table.values == extreme).sum(axis=0)
        is_frequent = (n_extreme >= least) & (n_extreme < len(table.values) / 2)
        if table.is_wide:
            is_frequent &= extreme != 0
        for column in np.flatnonzero(is_frequent).tolist():
            values, code = table.values[:, column], extreme[column]
            others = values[(values != code) & ~np.isnan(values)]
            width = np.ptp(others) if others.size else 0
            if 0 < width < np.abs(others - code).min() and is_varied(others):
                found.setdefault(float(code), []).append(column)
    for code, where in found.items():
        yield (
            f"{code:g} occurs several times in {table.named(where)} and is far from all other values: it may be a code for "
            "missing values.",
            "Leave these cells empty; they are then filled from similar samples.",
        )


def _frequent(table: Numbers) -> Found:
    found: dict[float, list[int]] = {}
    for column, cells in enumerate(table.values.T):
        values, counts = np.unique(cells[~np.isnan(cells)], return_counts=True)
        often = int(np.argmax(counts)) if counts.size else 0
        rest = counts.sum() - counts.max(initial=0)
        is_measured = rest >= len(cells) / 2 and counts.size - 1 >= _MOSTLY_DIFFERENT * rest
        if is_measured and counts[often] >= _FREQUENT * len(cells) and not _is_bound(values, often):
            found.setdefault(float(values[often]), []).append(column)
    for value, where in found.items():
        what = f"{value:g} is frequent in {table.named(where)}, although other values hardly ever repeat."
        yield what, "If it stands for missing values, leave these cells empty."


def _is_bound(values: np.ndarray, often: int) -> bool:
    """Whether one of the different values, ascending, is the smallest or largest and others come close to it.

    Amounts that are often 0 are otherwise any small number; measurements whose missing values are written as 0 are not.
    Others come close if those nearest to it are farther from each other than from it.
    """
    if 0 < often < len(values) - 1:
        return False
    distances = np.sort(np.abs(values - values[often]))[1:]
    nearest = distances[: int(_NEAREST * len(distances)) + 1]
    return bool(nearest[0] <= nearest[-1] - nearest[0])


def _numbered(table: Numbers) -> Found:
    """Whole numbers that are different in every row and have many digits, such as account numbers."""
    found = [
        column
        for column in np.flatnonzero(table.highest - table.lowest > _LONG_NUMBERS).tolist()
        if _is_different_whole_numbers(table.values[:, column])
    ]
    if found:
        yield (
            f"{table.named(found)} has a different whole number in every row.",
            "If these are ids, leave them out: types={'COLUMN': 'id'}.",
        )


def _is_different_whole_numbers(values: np.ndarray) -> bool:
    is_whole = np.all(values == np.round(values)) and np.abs(values).max() < _ALWAYS_WHOLE
    return bool(is_whole and np.unique(values).size == len(values))


def _unrelated(v: int, tables: Sequence[Numbers]) -> Found:
    """Many columns that are correlated with no other, of this view or another one."""
    table = tables[v]
    if table.is_wide or len(table.names) < _FEWEST_UNRELATED:
        return
    n, p = table.ranks.shape
    largest = np.zeros(p)
    for u, other in enumerate(tables):
        if other.ranks.shape[1]:
            correlation = np.abs(table.ranks.T @ other.ranks)
            largest = np.maximum(largest, (correlation - np.eye(p) if u == v else correlation).max(axis=1))
    compared = sum(other.ranks.shape[1] for other in tables) - 1
    found = np.flatnonzero(largest * np.sqrt(n) < norm.isf(_CORRELATED / (2 * compared)))
    if len(found) >= max(_FEWEST_UNRELATED, p / 2):
        yield (
            f"{table.named(found.tolist())} are correlated with no other column of any view.",
            "If they are noise, leave them out: they hide clusters.",
        )


def _units(table: Numbers, others: Sequence[np.ndarray]) -> Found:
    found: dict[tuple[int, bytes], list[int]] = {}
    for column in np.flatnonzero((table.lowest > 0) & (table.highest > _WIDE * table.lowest)).tolist():
        logs = np.log10(table.values[:, column])
        groups = _groups_by_power(logs)
        if groups is not None:
            found.setdefault((groups[0], (logs > groups[1]).tobytes()), []).append(column)
    for (power, rows), where in found.items():
        if not is_known_to(others or table.except_for(where), np.frombuffer(rows, dtype=bool)):
            yield (
                f"the values of {table.named(where)} are of two kinds, one about {10**power:,} times the other: they may be "
                "in two units.",
                "Write all values of a column in one unit.",
            )


def _groups_by_power(logs: np.ndarray) -> tuple[int, float] | None:
    """The power of ten, at least 2, by which the upper of two groups exceeds the lower, and a value between; or None."""
    ordered = np.sort(logs[~np.isnan(logs)])
    cut = int(np.argmax(np.diff(ordered))) + 1
    low, high = ordered[:cut], ordered[cut:]
    is_gap = high[0] - low[-1] > _GAP and min(len(low), len(high)) >= max(_SHARE_OF_GROUP * len(ordered), 5)
    if not is_gap or not is_varied(ordered):
        return None
    apart = float(high.mean() - low.mean())
    power = round(apart) if np.isfinite(apart) else 0
    if power < 2 or abs(apart - power) > _NEAR_POWER or same_distribution(low + power, high) <= _SAME:
        return None
    return power, float(high[0] + low[-1]) / 2


def _signs(table: Numbers, others: Sequence[np.ndarray]) -> Found:
    columns = _columns_of_two_signs(table)
    least = max(_FEWEST_SIGNED, _ALL_COLUMNS * len(table.names))
    if len(table.names) < least or len(columns) <= len(table.names) / 2:
        return
    rows = _opposite_rows(table.values[:, columns])
    if rows.sum() < _FEWEST_OPPOSITE or not _SHARE_OF_GROUP <= rows.mean() <= 1 - _SHARE_OF_GROUP:
        return
    if _is_sign_of_rows(table.values[:, columns], rows):
        columns = _columns_of_two_signs(table, away_from_zero=0.0)
    alike = {c: same_distribution(-table.values[rows, c], table.values[~rows, c]) for c in columns}
    where = [c for c in columns if alike[c] > _SAME and is_varied(table.values[:, c])]
    if len(where) < least or _by_chance(alike.values()) <= _SAME:
        return
    if not is_known_to(others or table.except_for(where), rows):
        yield (
            f"{int(rows.sum())} rows have the other sign in {table.named(where)}, and but for the sign their values are "
            "distributed as those of the others.",
            "Write all rows with the same sign.",
        )


def _is_sign_of_rows(values: np.ndarray, rows: np.ndarray) -> bool:
    """Whether in half of the columns or more nearly all values have the sign of their row.

    Centred columns fit any rows; they count only where others leave no doubt which rows have the other sign.
    """
    agreement = np.mean((values < 0) == rows[:, None], axis=0)
    return bool(np.median(np.maximum(agreement, 1 - agreement)) >= 1 - _SHARE_OF_GROUP)


def _opposite_rows(values: np.ndarray) -> np.ndarray:
    """The rows on the other side of 0 than most, along the direction in which rows are longest, (n,) bool.

    Columns may have values of both signs by themselves, so no single column tells which rows these are.
    """
    scaled = values / np.abs(values).max(axis=0)  # squares of large values overflow
    scaled /= np.sqrt(np.mean(scaled**2, axis=0))
    _, directions = np.linalg.eigh(scaled.T @ scaled)
    negative = scaled @ directions[:, -1] < 0
    return negative if negative.mean() <= 0.5 else ~negative


def _by_chance(p_values: Iterable[float]) -> float:
    """One p-value of several tests, by Fisher's method: small samples differ significantly in all columns together only."""
    return float(combine_pvalues(np.maximum(list(p_values), np.finfo(float).tiny)).pvalue)


def _columns_of_two_signs(table: Numbers, away_from_zero: float = _AWAY_FROM_ZERO) -> list[int]:
    """Complete columns with values of both signs, whose mean is so many standard deviations away from 0."""
    share = (table.values < 0).mean(axis=0)
    columns = np.flatnonzero((share >= _SHARE_OF_GROUP) & (share <= 1 - _SHARE_OF_GROUP))
    some = table.values[:, columns] / np.maximum(-table.lowest, table.highest)[columns]  # squares of large values overflow
    return columns[np.abs(some.mean(axis=0)) >= away_from_zero * some.std(axis=0)].tolist()  # False for NaN


def _repeated_columns(table: Numbers) -> Found:
    groups: dict[bytes, list[int]] = {}
    for column, values in enumerate(table.values.T):
        groups.setdefault(values.tobytes(), []).append(column)
    for same in groups.values():
        if len(same) >= _FEWEST_EQUAL and is_varied(table.values[:, same[0]]):
            yield f"{table.named(same)} are equal in every row.", "Keep one of them: each counts."
