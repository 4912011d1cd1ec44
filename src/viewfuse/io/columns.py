"""Groups of one table's columns, as people write them: ``audio:2-21``, ``image:first-last``, ``text_*``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .._utils.text import listed
from ..exceptions import ViewsError

__all__ = ["ColumnGroups", "column_groups", "which_columns"]

ColumnGroups = Mapping[str, Any] | Sequence[str] | str


def column_groups(groups: ColumnGroups, features: Sequence[str], all_columns: Sequence[str]) -> dict[str, Any]:
    """The columns of each view, by name.

    Parameters
    ----------
    groups : str, sequence of str, or mapping
        A text is ``name:first-last``, both ends included, each end a column's name or its number in the file
        counted from 1 (as a spreadsheet or ``cut -f`` counts); or ``prefix*``; or ``name:prefix*``. A mapping gives
        each view's columns as such a rule, or as ``ColumnTransformer`` takes them.
    features : sequence of str
        The columns that may be used.
    all_columns : sequence of str
        The file's columns in order, ids and labels among them.

    Examples
    --------
    >>> column_groups(["sound:2-3", "image_*"], ["a", "b", "image_1"], ["id", "a", "b", "image_1"])
    {'sound': ['a', 'b'], 'image': ['image_1']}
    """
    if not groups:
        raise ViewsError("views= names no view; give at least one group of columns.")
    if isinstance(groups, Mapping):
        return {
            str(view): _columns_of_rule(rule, features, all_columns) if isinstance(rule, str) else rule
            for view, rule in groups.items()
        }
    parsed: dict[str, Any] = {}
    for text in [groups] if isinstance(groups, str) else groups:
        view, colon, rule = text.rpartition(":")
        if not colon and not rule.endswith("*"):
            raise ViewsError(
                f"views: {text!r} is neither NAME:FIRST-LAST, as in 'audio:2-21', nor a prefix, as in 'audio_*'."
            )
        view = view or rule.rstrip("*").rstrip("_-. ") or "all"
        if view in parsed:
            raise ViewsError(f"views: {view!r} is given twice.")
        parsed[view] = _columns_of_rule(rule, features, all_columns)
    return parsed


def which_columns(features: Sequence[str]) -> str:
    """What to answer when nobody said which columns make up a view: a suggestion from their prefixes."""
    prefixes = Counter(match[0] for name in features if (match := re.match(r".+?[_.\-:]", name)))
    likely = {prefix: count for prefix, count in prefixes.items() if count > 1}
    if len(likely) > 1:
        found = ", ".join(f"{prefix}* ({count} columns)" for prefix, count in likely.items())
        advice = f"its columns begin with {found}, so perhaps views={[prefix + '*' for prefix in likely]}"
    else:
        advice = "give views=['audio:2-21', 'image:22-61'], or a prefix each, as in views=['audio_*', 'image_*']"
    return f"in one table it must be said which columns make up each view: {advice}; views='*' takes all as one."


def _columns_of_rule(rule: str, features: Sequence[str], all_columns: Sequence[str]) -> list[str]:
    if rule.endswith("*"):
        chosen = [name for name in features if name.startswith(rule[:-1])]
        if not chosen:
            raise ViewsError(f"views: no column begins with {rule[:-1]!r}; the columns are {listed(features)}.")
        return chosen
    first, last = _ends(rule, all_columns)
    if last < first:
        raise ViewsError(f"views: {rule!r} ends before it begins.")
    chosen = list(all_columns[first : last + 1])
    reserved = [name for name in chosen if name not in features]
    if reserved:
        raise ViewsError(f"views: {rule!r} takes in column {reserved[0]!r}, which holds ids or labels; leave it out.")
    return chosen


def _ends(rule: str, all_columns: Sequence[str]) -> tuple[int, int]:
    """Positions of the first and last column of ``first-last``; one column alone is both."""
    place = {name: position for position, name in enumerate(all_columns)}
    splits = [(rule[: dash.start()], rule[dash.end() :]) for dash in re.finditer("-", rule)]
    for first, last in [(rule, rule), *splits]:
        if first in place and last in place:
            return place[first], place[last]
    if numbers := re.fullmatch(r"(\d+)(?:-(\d+))?", rule):
        first_number, last_number = int(numbers[1]), int(numbers[2] or numbers[1])
        if first_number >= 1 and last_number <= len(all_columns):
            return first_number - 1, last_number - 1
        raise ViewsError(f"views: {rule!r} reaches outside the {len(all_columns)} columns, counted from 1.")
    raise ViewsError(
        f"views: {rule!r} is not FIRST-LAST with two columns' names or numbers; the columns are {listed(all_columns)}."
    )
