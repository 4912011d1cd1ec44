"""How the programs of the later methods scale a view before anything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._utils.warn import warn
from ...exceptions import UninformativeViewWarning
from ...graphs import as_dense, unit_samples
from ...views import Views

__all__ = ["PROGRAM_SCALINGS", "scaled_views", "standard_features", "standard_samples"]

_FEW_FEATURES = 2  # a standardised sample of one feature is 0, one of two features is a sign
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


def _standardised(values: np.ndarray, axis: int) -> np.ndarray:
    if values.shape[axis] == 1:
        return np.zeros_like(values)
    peak = np.maximum(values.max(axis=axis, keepdims=True), -values.min(axis=axis, keepdims=True))
    scaled = values / np.where(peak > 0, peak, 1)  # so that squares neither overflow nor underflow
    scaled -= scaled.mean(axis=axis, keepdims=True)
    squares = np.expand_dims(np.einsum("ij,ij->i" if axis else "ij,ij->j", scaled, scaled), axis)
    deviation = np.sqrt(squares / (values.shape[axis] - 1))
    scaled *= np.where(deviation > _CONSTANT, 1 / np.where(deviation > _CONSTANT, deviation, 1), 0)
    return scaled


PROGRAM_SCALINGS: dict[str, Callable[[Any], np.ndarray]] = {
    "standard-samples": standard_samples,
    "standard-features": standard_features,
    "unit-samples": lambda view: as_dense(unit_samples(_dense(view))),
    "none": _dense,
}
