"""Groups of columns of one table, given as text: ``audio:2-21``, ``image:first-last``, ``text_*``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .._utils.text import listed
from ..exceptions import ViewsError

__all__ = ["ColumnGroups", "column_groups", "is_rules", "likely_prefixes"]

ColumnGroups = Mapping[str, Any] | Sequence[str] | str


def is_rules(groups: Any) -> bool:
    """Return whether groups of columns are given as text, at least in part."""
    if isinstance(groups, Mapping):
        return any(isinstance(rule, str) for rule in groups.values())
    return isinstance(groups, str) or (len(groups) > 0 and all(isinstance(rule, str) for rule in groups))


def column_groups(groups: ColumnGroups, features: Sequence[str], all_columns: Sequence[str]) -> dict[str, Any]:
    """Return the columns of each view, by name of the view.

    Parameters
    ----------
    groups : str, sequence of str, or mapping
        Text is one of ``name:first-last``, ``prefix*`` and ``name:prefix*``. Both ends of a range are included; each is
        the name of a column or its number in the file, counted from 1 (like ``cut -f``). A mapping gives the columns of
        each view as such a rule, or as ``ColumnTransformer`` takes them.
    features : sequence of str
        The columns that views may contain.
    all_columns : sequence of str
        All columns in the order of the file, including ids and labels.

    Examples
    --------
    >>> column_groups(["sound:2-3", "image_*"], ["a", "b", "image_1"], ["id", "a", "b", "image_1"])
    {'sound': ['a', 'b'], 'image': ['image_1']}
    """
    if not groups:
        raise ViewsError("No view is named.", hint="Give at least one group of columns in views=.", parameter="views")
    if isinstance(groups, Mapping):
        return {
            str(view): _columns_of_rule(rule, features, all_columns) if isinstance(rule, str) else rule
            for view, rule in groups.items()
        }
    parsed: dict[str, Any] = {}
    for text in [groups] if isinstance(groups, str) else groups:
        view, colon, rule = text.rpartition(":")
        if not colon and not rule.endswith("*"):
            raise _rule_error(f"{text!r} is neither NAME:FIRST-LAST, such as 'audio:2-21', nor a prefix, such as 'audio_*'.")
        view = view or rule.rstrip("*").rstrip("_-. ") or "all"
        if view in parsed:
            raise _rule_error(f"View {view!r} is given twice.", view=view)
        parsed[view] = _columns_of_rule(rule, features, all_columns)
    return parsed


def likely_prefixes(columns: Sequence[str]) -> dict[str, int]:
    """The prefixes with which several columns begin, and the number of their columns.

    >>> likely_prefixes(["audio_1", "audio_2", "image_1", "image_2", "age"])
    {'audio_': 2, 'image_': 2}
    """
    prefixes = Counter(match[0] for name in columns if (match := re.match(r".+?[_.\-:]", name)))
    return {prefix: n_columns for prefix, n_columns in prefixes.items() if n_columns > 1}


def _columns_of_rule(rule: str, features: Sequence[str], all_columns: Sequence[str]) -> list[str]:
    if rule.endswith("*"):
        chosen = [name for name in features if name.startswith(rule[:-1])]
        if not chosen:
            raise _rule_error(f"No column begins with {rule[:-1]!r}; the columns are {listed(features)}.")
        return chosen
    first, last = _ends(rule, all_columns)
    if last < first:
        raise _rule_error(f"The last column of {rule!r} comes before the first.")
    chosen = list(all_columns[first : last + 1])
    reserved = [name for name in chosen if name not in features]
    if reserved:
        raise _rule_error(f"The range {rule!r} includes column {reserved[0]!r}, which holds ids or labels.")
    return chosen


def _ends(rule: str, all_columns: Sequence[str]) -> tuple[int, int]:
    """Return the positions of the first and the last column of ``first-last`` or of a single column."""
    position_of = {name: position for position, name in enumerate(all_columns)}
    splits = [(rule[: dash.start()], rule[dash.end() :]) for dash in re.finditer("-", rule)]
    for first, last in [(rule, rule), *splits]:
        if first in position_of and last in position_of:
            return position_of[first], position_of[last]
    if numbers := re.fullmatch(r"(\d+)(?:-(\d+))?", rule):
        first_number, last_number = int(numbers[1]), int(numbers[2] or numbers[1])
        if first_number >= 1 and last_number <= len(all_columns):
            return first_number - 1, last_number - 1
        raise _rule_error(f"The range {rule!r} is outside the columns 1 to {len(all_columns)}.")
    raise _rule_error(
        f"{rule!r} is not FIRST-LAST with the names or numbers of two columns; the columns are {listed(all_columns)}."
    )


def _rule_error(problem: str, view: str | None = None) -> ViewsError:
    hint = "Correct the groups of columns in views=, such as views=['audio:2-21', 'image_*']."
    return ViewsError(problem, hint=hint, view=view, parameter="views")
