"""The type of a column, from its dtype and its values."""

from __future__ import annotations

import datetime
import decimal
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ..._utils.text import count, listed
from ...exceptions import ViewsError
from ..conventions import is_id_column
from .distinct import Distinct
from .scales import known_order
from .written import (
    DATE_FORMATS,
    TIMES,
    are_times,
    date_format,
    in_unit,
    is_accounting,
    is_blank,
    is_in_parentheses,
    may_have_thousands_points,
    number_and_unit,
    number_style,
)

__all__ = [
    "MOST_EMPTY",
    "OTHER",
    "TYPES",
    "ColumnType",
    "Types",
    "asked_type",
    "check_types",
    "column_type",
    "is_row_numbers",
]

TYPES = ("number", "boolean", "category", "ordered", "date", "text", "id", "ignore")
Types = Mapping[str, Any]

OTHER = "(other)"  # the level of rare categories
MOST_LEVELS = 50  # of a category that are told apart
MOST_EMPTY = 0.6
_ALMOST_DISTINCT = 0.9  # share of different values from which text is names, ids or prose
_POOLED = 0.8  # share of rows in rare levels from which a category says nothing
_WORDS = 5  # mean number of words from which text is prose
_NUMBERS_AND_TEXT = (str, bytes, int, float, np.number, np.bool_, decimal.Decimal, datetime.time)
_MOST_UNITS = 5  # more are endings of codes, such as 12a
_FEWEST_NUMBERED = 50  # rows; fewer measurements may be consecutive by chance
_NEARLY = 1.2
_FIRST_DATE, _LAST_DATE = 19000101, 21001231  # written as whole numbers
_YES_NO = ({"yes", "no"}, {"y", "n"}, {"true", "false"}, {"t", "f"}, {"on", "off"})
_NAMES_OF_ROW_NUMBERS = re.compile(
    r"Unnamed: \d+|index|level_\d+|row|rownum|rownumber|row_number|row number|nr|no\.?|#|", re.I
)


@dataclass(frozen=True)
class ColumnType:
    """What a column holds.

    Attributes
    ----------
    type : one of ``TYPES``, "row numbers", "constant" or "empty"
    note : str or None, what a reader should know about how it was read
    left_out : str or None, the reason if the column is not used
    levels : tuple of str or None, the categories; from the lowest to the highest if they are ordered
    style : str or None, how numbers or dates are written as text
    """

    type: str
    note: str | None = None
    left_out: str | None = None
    levels: tuple[str, ...] | None = None
    style: str | None = None


def check_types(types: Types | None, columns: Sequence[str]) -> None:
    """Check that every rule in ``types`` is about a column and names a type."""
    for rule, wanted in (types or {}).items():
        if not any(fnmatchcase(name, str(rule)) for name in columns):
            raise ViewsError(
                f"There is no column {str(rule)!r} to give a type; the columns are {listed(columns)}.",
                hint="Correct the name in types={'COLUMN': 'TYPE'}.",
                parameter="types",
                value=rule,
            )
        if not (isinstance(wanted, (list, tuple)) and len(wanted) > 1) and wanted not in TYPES:
            raise ViewsError(
                f"Column {str(rule)!r} cannot have the type {wanted!r}; the types are {', '.join(TYPES)}.",
                hint="Use one of them, or a list of the values from the lowest to the highest.",
                parameter="types",
                value=rule,
            )


def asked_type(types: Types | None, column: str) -> Any:
    """Return the type that the user gives a column: by its name, or by a pattern such as ``q*``; else None."""
    if not types:
        return None
    return types.get(column) or next((wanted for rule, wanted in types.items() if fnmatchcase(column, str(rule))), None)


def column_type(values: Any, name: str, *, view: str, asked: Any = None) -> ColumnType:
    """Decide the type of a column, a pandas Series, from its dtype and its values; ``asked`` overrules."""
    if asked is not None:
        return _asked(values, name, asked, view)
    n, n_empty = len(values), int(values.isna().sum())
    if n_empty == n:
        return ColumnType("empty", left_out="every cell is empty")
    if n_empty > MOST_EMPTY * n:
        return ColumnType("empty", left_out=f"{n_empty / n:.0%} of its cells are empty")
    kind = values.dtype.kind
    if kind == "b" or str(values.dtype) == "boolean":
        return _unless_constant(values, ColumnType("boolean", levels=("False", "True")))
    if kind in "iuf":
        return _type_of_numbers(values, name)
    if kind in "Mm" or str(values.dtype).startswith("period"):
        return _unless_constant(values, ColumnType("number" if kind == "m" else "date", note="days"))
    if kind == "c":
        raise _unusable(view, name, "complex numbers", "Give the real and the imaginary part as two columns.")
    if hasattr(values.dtype, "categories"):
        return _type_of_categories(values)
    return _type_of_objects(values, name, view)


def is_row_numbers(values: Any, name: str) -> bool:
    """Return whether a column counts the rows, from 0 or 1: what pandas writes for an index without a name."""
    if values.dtype.kind not in "iu" or not _NAMES_OF_ROW_NUMBERS.fullmatch(name.strip()):
        return False
    numbers = values.to_numpy()
    return len(numbers) > 1 and any(np.array_equal(numbers, np.arange(first, first + len(numbers))) for first in (0, 1))


def _is_consecutive(values: Any) -> bool:
    """Whether whole numbers go up or down from row to row by one, now and then by more: numbers of customers or of rows."""
    if values.dtype.kind not in "iu" or len(values) < _FEWEST_NUMBERED or values.isna().any():
        return False
    numbers = values.to_numpy(dtype=float)
    steps = np.diff(numbers)
    return bool((np.all(steps > 0) or np.all(steps < 0)) and np.ptp(numbers) < _NEARLY * len(numbers))


def _type_of_numbers(values: Any, name: str) -> ColumnType:
    if is_row_numbers(values, name) or _is_consecutive(values):
        return ColumnType("row numbers", left_out="it only counts the rows")
    present = values.dropna().to_numpy(dtype=float)
    if (present == present[0]).all():
        return ColumnType("constant", left_out="all its values are the same")
    if is_id_column(name) and np.all(present == np.round(present)):
        n_distinct = np.unique(present).size
        if n_distinct > _ALMOST_DISTINCT * present.size:
            return ColumnType("id", left_out="it has the name of ids and a different value in nearly every row")
        return _category(Distinct.of(values), "numbers with the name of ids: codes")
    if present.min() >= _FIRST_DATE and present.max() <= _LAST_DATE:
        return _type_of_dates(Distinct.of(values)) or ColumnType("number")
    return ColumnType("number")


def _type_of_categories(values: Any) -> ColumnType:
    distinct = Distinct.of(values)
    if len(distinct.texts) < 2:
        return ColumnType("constant", left_out="all its values are the same")
    if values.dtype.ordered:
        used = set(distinct.texts)
        order = tuple(text for text in map(Distinct.text_of, values.dtype.categories) if text in used)
        return ColumnType("ordered", levels=order)
    return _category(distinct)


def _type_of_objects(values: Any, name: str, view: str) -> ColumnType:
    present = values.dropna()
    types = set(map(type, present))
    if types <= {bool, np.bool_}:
        return _unless_constant(values, ColumnType("boolean", levels=("False", "True")))
    if all(issubclass(t, (int, float, np.number, decimal.Decimal)) and t is not complex for t in types):
        return _type_of_numbers(values.astype(float), name)
    if all(issubclass(t, (datetime.date, np.datetime64)) for t in types):
        return _unless_constant(values, ColumnType("date", note="days"))
    odd = [value for value in present if not isinstance(value, _NUMBERS_AND_TEXT)]
    if odd:
        found = f"{type(odd[0]).__name__} values such as {str(odd[0])[:40]!r}"
        raise _unusable(view, name, found, "Turn them into numbers or text, or leave the column out.")
    distinct = Distinct.of(values)
    if not distinct.words_for_empty:
        return _type_of_text(distinct, name, view)
    if distinct.n_present < (1 - MOST_EMPTY) * len(values):
        return ColumnType("empty", left_out=f"{1 - distinct.n_present / len(values):.0%} of its cells are empty")
    typed = _type_of_text(distinct, name, view)
    notes = [typed.note, f"{listed(distinct.words_for_empty)}: empty cells"]
    return replace(typed, note="; ".join(filter(None, notes)))


def _type_of_text(distinct: Distinct, name: str, view: str) -> ColumnType:
    texts = distinct.texts
    if len(texts) == 1:
        return ColumnType("constant", left_out="all its values are the same")
    if are_times(texts):
        return ColumnType("number", note="times, in hours", style=TIMES)
    if (measured := _type_with_units(distinct, name, view)) is not None:
        return measured
    if (dates := _type_of_dates(distinct)) is not None:
        return dates
    numbers = [text for text in texts if number_style([text]) is not None]
    if not all(map(is_in_parentheses, numbers)):
        return _type_with_numbers(distinct, numbers, name, view)
    if {text.lower() for text in texts} in _YES_NO:
        return ColumnType("boolean", levels=distinct.sorted_texts())
    if (order := known_order(texts)) is not None:
        return ColumnType("ordered", levels=order)
    return _category(distinct)


def _type_of_dates(distinct: Distinct) -> ColumnType | None:
    blank = [text for text in distinct.texts if is_blank(text)]
    form = date_format([text for text in distinct.texts if text not in blank])
    if form is None:
        return None
    notes = [f"read as {DATE_FORMATS[form.split(' %H')[0]]}; days"] + [f"{listed(blank)} read as empty"] * bool(blank)
    return ColumnType("date", note="; ".join(notes), style=form)


def _type_with_units(distinct: Distinct, name: str, view: str) -> ColumnType | None:
    """The type of a column of numbers with units; None if there are no units, or if some text is not a number."""
    words = [text for text in distinct.texts if not is_blank(text)]
    divided = [number_and_unit(text) for text in words]
    found = [one for one in divided if one is not None]
    units = sorted({unit for _, unit in found if unit})
    style = number_style([number for number, _ in found])
    may_be_ids = is_id_column(name) and len(words) > _ALMOST_DISTINCT * distinct.n_present
    if len(found) < len(words) or not 0 < len(units) <= _MOST_UNITS or style is None or may_be_ids:
        return None
    first = {unit: words[next(i for i, one in enumerate(found) if one[1] == unit)] for unit in units}
    if len(units) == 1:
        written = [] if style == "plain" else [f"written with {style}"]
        bare = [text for text, (_, unit) in zip(words, found, strict=True) if not unit]
        without = [f"{listed(bare)} without a unit"] if bare else []
        return ColumnType("number", note="; ".join([*written, f"in {units[0]}", *without]), style=in_unit(style, units[0]))
    if len(distinct.texts) <= min(MOST_LEVELS, distinct.n_present / 5):
        return _category(distinct, "numbers in several units, taken as categories")
    named = ", ".join(f"{text!r} in row {distinct.first_row(text)}" for text in first.values())
    raise ViewsError(
        f"View {view!r}, column {name!r} has numbers in several units: {named}. All of them must be in one unit.",
        hint=f"Convert them, or leave the column out with types={{{name!r}: 'ignore'}}.",
        view=view,
        parameter="types",
        value=(f"{name}=ignore",),
    )


def _type_with_numbers(distinct: Distinct, numbers: list[str], name: str, view: str) -> ColumnType:
    """The type of a column of text in which some values are numbers."""
    others = [text for text in distinct.texts if text not in set(numbers)]
    words = [text for text in others if not is_blank(text)]
    if not words and (style := number_style(numbers)) is not None:
        if is_id_column(name) and len(numbers) > _ALMOST_DISTINCT * distinct.n_present:
            return ColumnType("id", left_out="it has the name of ids and a different value in nearly every row")
        notes = [] if style == "plain" else [f"written with {style}"]
        notes += ["points read as decimal points"] if style == "plain" and may_have_thousands_points(numbers) else []
        notes += [f"{negative!r} read as negative"] if (negative := next(filter(is_accounting, numbers), None)) else []
        notes += [f"{listed(others)} read as empty"] if others else []
        return ColumnType("number", note="; ".join(notes) or None, style=style)
    if (order := known_order(distinct.texts)) is not None:
        return ColumnType("ordered", levels=order)
    few = len(distinct.texts) <= min(MOST_LEVELS, distinct.n_present / 5)
    if few or len(numbers) < len(distinct.texts) / 2:
        return _category(distinct, "numbers and text, taken as categories")
    row = distinct.first_row(words[0] if words else others[0])
    raise ViewsError(
        f"View {view!r}, column {name!r} has {count(len(numbers), 'different number')}, but in row {row} "
        f"{(words or others)[0]!r}: it is neither a column of numbers nor of categories.",
        hint=f"Correct the value, or use types={{{name!r}: 'number'}} to take what is no number as an empty cell.",
        view=view,
        parameter="types",
        value=(f"{name}=number", f"{name}=ignore"),
    )


def _category(distinct: Distinct, note: str | None = None) -> ColumnType:
    n, n_distinct = distinct.n_present, len(distinct.texts)
    if n_distinct < 2:
        return ColumnType("constant", left_out="all its values are the same")
    if distinct.mean_words() >= _WORDS and n_distinct > n / 2:
        return ColumnType("text", left_out=f"free text: {n_distinct:,} different texts in {n:,} rows")
    if n_distinct > max(_ALMOST_DISTINCT * n, 2):
        return ColumnType("id", left_out=f"{n_distinct:,} different values in {n:,} rows: names, ids or free text")
    if n_distinct <= MOST_LEVELS:
        return ColumnType("category", note, levels=distinct.by_frequency())
    kept = distinct.by_frequency(least=max(2, 0.01 * n))[: MOST_LEVELS - 1]
    pooled = 1 - distinct.share_of(kept)
    if pooled > _POOLED:
        return ColumnType("text", left_out=f"{n_distinct:,} different values, none of them frequent")
    rare = f"{n_distinct - len(kept):,} rare values ({pooled:.0%} of the rows) taken as one"
    return ColumnType("category", f"{note}; {rare}" if note else rare, levels=(*kept, OTHER))


def _unless_constant(values: Any, found: ColumnType) -> ColumnType:
    constant = values.dropna().nunique() < 2
    return ColumnType("constant", left_out="all its values are the same") if constant else found


def _asked(values: Any, name: str, asked: Any, view: str) -> ColumnType:
    """The type that the user chose, with the levels and the style that it needs."""
    if asked in ("text", "id", "ignore"):
        return ColumnType(asked, left_out=f"its type was set to {asked}")
    distinct = Distinct.of(values)
    if len(distinct.texts) < 2:
        return ColumnType("constant", left_out="all its values are the same")
    if isinstance(asked, (list, tuple)):
        order = tuple(Distinct.text_of(level) for level in asked)
        unknown = [text for text in distinct.texts if text not in order]
        if unknown:
            raise ViewsError(
                f"View {view!r}, column {name!r} holds {listed(unknown)}, which the given order does not contain.",
                hint=f"Add it to types={{{name!r}: […]}}.",
                view=view,
                parameter="types",
                value=name,
            )
        return ColumnType("ordered", "order given", levels=order)
    if asked == "number":
        return _asked_number(values, name, distinct, view)
    if asked == "date":
        return _asked_date(values, name, distinct, view)
    if asked == "ordered":
        return ColumnType("ordered", levels=_order_of(values, distinct, name, view))
    if asked == "boolean" and len(distinct.texts) > 2:
        raise _unusable(view, name, f"{len(distinct.texts)} different values", "A boolean has two; use 'category'.")
    kept = distinct.by_frequency()
    if len(kept) > MOST_LEVELS:
        kept = (*kept[: MOST_LEVELS - 1], OTHER)
    return ColumnType(asked, levels=kept)


def _asked_number(values: Any, name: str, distinct: Distinct, view: str) -> ColumnType:
    if values.dtype.kind in "biuf":
        return ColumnType("number")
    numbers = [text for text in distinct.texts if number_style([text]) is not None or _is_code(text)]
    styles = number_style([text.lstrip("0") or "0" for text in numbers])
    if not numbers or styles is None:
        raise _unusable(view, name, f"{listed(distinct.texts)}", "These are not numbers; use 'category'.")
    others = [text for text in distinct.texts if text not in set(numbers)]
    return ColumnType("number", f"{listed(others)} read as empty" if others else None, style=styles)


def _is_code(text: str) -> bool:
    return text.isdigit()


def _asked_date(values: Any, name: str, distinct: Distinct, view: str) -> ColumnType:
    if values.dtype.kind == "M":
        return ColumnType("date", note="days")
    found = _type_of_dates(distinct)
    if found is None:
        raise _unusable(view, name, f"{listed(distinct.texts)}", "These are not dates of one of the usual formats.")
    return found


def _order_of(values: Any, distinct: Distinct, name: str, view: str) -> tuple[str, ...]:
    if getattr(values.dtype, "ordered", False):
        return tuple(map(Distinct.text_of, values.dtype.categories))
    if (order := known_order(distinct.texts)) is not None:
        return order
    if number_style(distinct.texts) is not None:
        return tuple(sorted(distinct.texts, key=float))
    raise ViewsError(
        f"View {view!r}, column {name!r} holds {listed(distinct.texts)}, whose order is not known.",
        hint=f"Give it: types={{{name!r}: ['lowest', …, 'highest']}}.",
        view=view,
        parameter="types",
        value=name,
    )


def _unusable(view: str, name: str, found: str, remedy: str) -> ViewsError:
    return ViewsError(
        f"View {view!r}, column {name!r} holds {found}.", hint=remedy, view=view, parameter="types", value=name
    )
