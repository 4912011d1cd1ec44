"""What can be a label: one rule for every reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from ..exceptions import ViewsError

__all__ = ["Labels", "check_kind", "checked_labels", "is_missing", "plain_values", "whole_numbers"]

Labels = str | Literal[False] | None


def checked_labels(values: Any, name: str, sample_name: Callable[[int], str], *, asked: bool) -> np.ndarray:
    """The labels of all samples, none of them missing.

    Whole numbers and texts are labels. Other numbers, such as a coordinate that is called ``y``, are labels only
    where the caller ``asked`` for them by name.

    Parameters
    ----------
    values : array, Series or sequence
        One value per sample.
    name : str
        What messages call them.
    sample_name : function
        What messages call a sample, from its row.
    asked : bool
    """
    plain = plain_values(values)
    missing = [row for row, value in enumerate(plain) if is_missing(value)]
    if missing:
        raise ViewsError(
            f"{len(missing)} of {len(plain)} samples have no label in {name!r}, the first {sample_name(missing[0])}; "
            "add them, or read no labels with labels=False."
        )
    labels = whole_numbers(np.array(plain))
    if not asked:
        check_kind(plain, name)
    return labels


def check_kind(values: Sequence[Any], name: str) -> None:
    """Refuse numbers that are not whole: what is merely called like labels may be a measurement."""
    broken = next((value for value in values if isinstance(value, float) and value == value and value % 1 != 0), None)
    if broken is not None:
        raise ViewsError(
            f"{name!r} is called like labels, but holds {broken!r}: labels are whole numbers or text. Say labels={name!r} "
            "if these are the labels after all, labels=False if they are not."
        )


def plain_values(values: Any) -> list[Any]:
    """Python's own values, None where pandas knows of none."""
    if hasattr(values, "notna"):
        values = values.astype(object).where(values.notna(), None)
    return values.tolist() if hasattr(values, "tolist") else list(values)


def is_missing(value: Any) -> bool:
    """None, NaN or a blank text."""
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def whole_numbers(values: np.ndarray) -> np.ndarray:
    """Whole numbers as integers: MATLAB keeps even labels as doubles, pandas those beside a gap."""
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values == np.round(values)).all():
        return values.astype(np.int64) if np.abs(values).max(initial=0) < 2**53 else values
    return values
