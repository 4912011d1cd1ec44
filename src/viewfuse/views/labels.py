"""What counts as a label: the same rule for every reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from .._utils.text import listed
from .._utils.warn import warn
from ..exceptions import LabelsWarning, ViewsError
from .conventions import is_label_name

__all__ = [
    "Labels",
    "check_kind",
    "checked_labels",
    "is_missing",
    "label_columns",
    "plain_values",
    "several_labels",
    "warn_of_labels",
    "whole_numbers",
]

_MOST_CLASSES = 20  # more are suspicious if they have fewer than four samples each

Labels = str | Literal[False] | None


def checked_labels(values: Any, name: str, sample_name: Callable[[int], str], *, asked: bool) -> np.ndarray:
    """Return the labels of all samples as an array; a missing label is an error.

    Integers and text are labels. Other numbers, such as a coordinate named ``y``, are labels only if the user ``asked``
    for them by name.

    Parameters
    ----------
    values : array, Series or sequence
        One value per sample.
    name : str
        Name of the column or variable, for messages.
    sample_name : function
        Returns the name of a sample for messages, from its row.
    asked : bool
        Whether the user named this column or variable.
    """
    plain = plain_values(values)
    missing = [row for row, value in enumerate(plain) if is_missing(value)]
    if missing:
        raise ViewsError(
            f"{len(missing)} of {len(plain)} samples have no label in {name!r}; the first is {sample_name(missing[0])}.",
            hint="Add the missing labels, or read no labels with labels=False.",
            parameter="labels",
            value=(False,),
        )
    labels = whole_numbers(np.array(plain))
    if not asked:
        check_kind(plain, name)
    return labels


def check_kind(values: Sequence[Any], name: str, view: str | None = None) -> None:
    """Refuse numbers that are not integers, and warn of many different ones: labels by name may be a measurement."""
    if (fraction := _fraction(values)) is not None:
        raise ViewsError(
            f"{name!r} has the name of labels, but contains {fraction!r}; labels are integers or text.",
            hint=f"Use labels={name!r} if these are the labels, or labels=False if they are not.",
            view=view,
            parameter="labels",
            value=(name, False),
        )
    n_different = len(set(values))
    if n_different > max(_MOST_CLASSES, len(values) / 4):
        warn(
            LabelsWarning(
                f"{name!r} has the name of labels, but {n_different} different values in {len(values)} samples, like a "
                "measurement or ids. It is taken as the labels.",
                hint="Use labels=False to read no labels.",
                view=view,
                parameter="labels",
                value=(False,),
            )
        )


def label_columns(table: Any, view: str) -> list[str]:
    """The columns of a table, a DataFrame, with the name of labels. Numbers called y beside a column x are coordinates."""
    named = [name for name in table.columns if is_label_name(name)]
    lower = {str(name).strip().lower() for name in table.columns}
    coordinates = [n for n in named if n.strip().lower() == "y" and "x" in lower and table[n].dtype.kind in "iuf"]
    if named == coordinates:
        for name in coordinates:
            _warn_of_coordinate(table[name], name, view)
    return [name for name in named if name not in coordinates]


def _warn_of_coordinate(values: Any, name: str, view: str) -> None:
    """Warn if a coordinate has few different whole numbers, as labels have."""
    plain = plain_values(values)
    if _fraction(plain) is not None or len(set(plain)) > min(_MOST_CLASSES, len(plain) / 2):
        return
    warn(
        LabelsWarning(
            f"View {view!r}: {name!r} has the name of labels and {len(set(plain))} different values, but stands beside 'x'. "
            "It is taken as a coordinate, a feature.",
            hint=f"If it holds the labels, read the table with load_views(…, labels={name!r}).",
            view=view,
            parameter="labels",
            value=(name,),
        )
    )


def warn_of_labels(table: Any, view: str, is_feature: Callable[[str], bool]) -> list[str]:
    """The columns of a table in memory that a file would have as labels, which are no features; a warning names them.

    ``is_feature`` says of a column that the user wants it as a feature.
    """
    named = [name for name in label_columns(table, view) if not is_feature(name)]
    named = [name for name in named if _fraction(plain_values(table[name])) is None]
    if not named or len(named) == table.shape[1]:
        return []
    warn(
        LabelsWarning(
            f"View {view!r}: {listed(named)} has the name of labels and is not used as a feature.",
            hint=f"load_views reads it as the labels; Views(…, types={{{named[0]!r}: 'category'}}) takes it as a feature.",
            view=view,
            parameter="labels",
            value=tuple(named),
        )
    )
    return named


def _fraction(values: Sequence[Any]) -> float | None:
    """The first number that is not whole."""
    return next((value for value in values if isinstance(value, float) and value == value and value % 1 != 0), None)


def several_labels(names: Sequence[str], view: str | None = None) -> ViewsError:
    """Return the error for several columns that could be the labels."""
    return ViewsError(
        f"Several columns could be the labels: {listed(names)}.",
        hint="Choose one with labels='NAME', or read no labels with labels=False.",
        view=view,
        parameter="labels",
        value=(*names, False),
    )


def plain_values(values: Any) -> list[Any]:
    """Return a list of plain Python values; None for values that pandas marks as missing."""
    if hasattr(values, "notna"):
        values = values.astype(object).where(values.notna(), None)
    return values.tolist() if hasattr(values, "tolist") else list(values)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN or blank text."""
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def whole_numbers(values: np.ndarray) -> np.ndarray:
    """Convert floats to integers if all are whole: MATLAB and pandas (if values are missing) store labels as floats."""
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values == np.round(values)).all():
        return values.astype(np.int64) if np.abs(values).max(initial=0) < 2**53 else values
    return values
