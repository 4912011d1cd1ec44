"""How the programs of the later methods scale a view before anything else."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._utils.warn import warn
from ...exceptions import UninformativeViewWarning
from ...linalg import squares_in_order, sums_in_order
from ...views import Views

__all__ = ["PROGRAM_SCALINGS", "scaled_views", "standard_features", "standard_samples", "unit_samples"]

_FEW_FEATURES = 2  # a standardised sample of one feature is 0, one of two features is a sign
_LARGEST = 1e100
_CONSTANT = 1e-13  # standard deviation, relative to the largest entry, of values that differ by rounding only


def standard_samples(view: Any) -> np.ndarray:
    """Every sample with mean 0 and standard deviation 1 over its features; samples of equal values become 0."""
    return _standardised(_dense(view), axis=1)


def standard_features(view: Any) -> np.ndarray:
    """Every feature with mean 0 and standard deviation 1 over the samples; constant features become 0."""
    return _standardised(_dense(view), axis=0)


def scaled_views(views: Views, arrays: Sequence[Any], used: Sequence[int], scaling: str) -> list[np.ndarray]:
    """The used views, dense and scaled. Samples of one or two features cannot be standardised: their features are."""
    scaled = []
    for array, v in zip(arrays, used, strict=True):
        chosen = scaling
        if scaling == "standard-samples" and array.shape[1] <= _FEW_FEATURES:
            chosen = "standard-features"
            _warn_of_few_features(views.names[v], array.shape[1])
        scaled.append(PROGRAM_SCALINGS[chosen](array))
        if chosen == "standard-samples":
            _warn_of_constant_samples(views, views.names[v], scaled[-1])
    return scaled


def _warn_of_few_features(name: str, n_features: int) -> None:
    found = "one feature" if n_features == 1 else "two features"
    warn(
        UninformativeViewWarning(
            f"View {name!r} has only {found}. Standardising each sample over its features, as the program does, would leave "
            "no more than a sign; each feature is standardised instead.",
            hint="Set scaling='standard-features' to do so for all views.",
            view=name,
            parameter="scaling",
            value="standard-samples",
        ),
    )


def _warn_of_constant_samples(views: Views, name: str, scaled: np.ndarray) -> None:
    rows = np.flatnonzero(~scaled.any(axis=1))
    if rows.size:
        found = "1 row has" if rows.size == 1 else f"{rows.size} rows have"
        warn(
            UninformativeViewWarning(
                f"View {name!r}: {found} the same value in all features, the first is {views.sample_name(rows[0])}. "
                "Standardised, such a sample is all zeros.",
                hint="Remove these samples, or set scaling='standard-features'.",
                view=name,
            ),
        )


def _dense(view: Any) -> np.ndarray:
    return np.asarray(view.toarray() if sp.issparse(view) else view, dtype=np.float64)


def unit_samples(view: Any) -> np.ndarray:
    """Every sample with length 1, except those that are all zeros."""
    values, _ = _in_range(_dense(view), axis=1)
    # The power of the C library, as in the programs: NumPy's is rounded in different ways on different processors.
    factors = [math.pow(square, -0.5) if square > 0 else 1.0 for square in squares_in_order(values)]
    return values * np.asarray(factors)[:, None]


def _standardised(values: np.ndarray, axis: int) -> np.ndarray:
    """Numbers of mean 0 and standard deviation 1 along an axis, rounded as in the programs; equal ones become 0."""
    count = values.shape[axis]
    if count == 1:
        return np.zeros_like(values)
    values, peak = _in_range(values, axis)
    scaled = values - (sums_in_order(values)[:, None] / count if axis else values.mean(axis=0))
    squares = squares_in_order(scaled)[:, None] if axis else np.einsum("ij,ij->j", scaled, scaled)[None]
    deviation = np.sqrt(squares / (count - 1))
    scaled /= np.where(deviation > _CONSTANT * peak, deviation, np.inf)
    return scaled


def _in_range(values: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """The values, divided by the largest along the axis where squares would overflow or underflow; and the largest ones."""
    peak = np.maximum(values.max(axis=axis, keepdims=True), -values.min(axis=axis, keepdims=True))
    outside = (peak > _LARGEST) | ((peak > 0) & (peak < 1 / _LARGEST))
    return (values / np.where(outside, peak, 1), np.where(outside, 1, peak)) if outside.any() else (values, peak)


PROGRAM_SCALINGS: dict[str, Callable[[Any], np.ndarray]] = {
    "standard-samples": standard_samples,
    "standard-features": standard_features,
    "unit-samples": unit_samples,
    "none": _dense,
}
