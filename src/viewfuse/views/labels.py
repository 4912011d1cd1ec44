"""What counts as a label: the same rule for every reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from .._utils.text import listed
from .._utils.warn import warn
from ..exceptions import LabelsWarning, ViewsError

__all__ = ["Labels", "check_kind", "checked_labels", "is_missing", "plain_values", "several_labels", "whole_numbers"]

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
    fraction = next((value for value in values if isinstance(value, float) and value == value and value % 1 != 0), None)
    if fraction is not None:
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
