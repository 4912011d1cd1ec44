"""A vector of labels without the name of labels: found by its length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["labels_by_length"]

_FEWEST_PER_CLASS = 2  # on average


def labels_by_length(variables: Mapping[str, Any], n_samples: int) -> str | None:
    """Return the only variable that has one class per sample, whatever its name; None if none or several fit.

    Classes are whole numbers or text, at least two of them, with two samples or more on average.

    >>> labels_by_length({"kind": np.array([1, 1, 2, 2]), "size": np.array([0.1, 0.2, 0.3, 0.4])}, 4)
    'kind'
    """
    fitting = [name for name, value in variables.items() if _is_classes(value, n_samples)]
    return fitting[0] if len(fitting) == 1 else None


def _is_classes(value: Any, n_samples: int) -> bool:
    if isinstance(value, list):
        is_text = all(isinstance(entry, str) for entry in value)
        return is_text and len(value) == n_samples and 2 <= len(set(value)) <= n_samples / _FEWEST_PER_CLASS
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "iufUSb" or value.size != n_samples:
        return False
    if value.ndim > 2 or max(value.shape, default=0) != n_samples:
        return False
    if value.dtype.kind == "f" and not (np.isfinite(value).all() and np.all(value == np.round(value))):
        return False
    return 2 <= np.unique(value).size <= n_samples / _FEWEST_PER_CLASS
