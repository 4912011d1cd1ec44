"""Keep the numbers of clusters from one clustering to the next."""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import is_array_api_obj
from scipy.optimize import linear_sum_assignment

from .._utils.device import to_host
from ..exceptions import ParameterError
from ..linalg import numbered_by_size

__all__ = ["match"]


def match(labels: Any, reference: Any) -> np.ndarray:
    """Renumber the clusters of ``labels`` so that they agree with an earlier clustering of the same samples.

    ``max_π Σ_j N(j, π(j))`` over one-to-one assignments π, where ``N(j, r)`` is the number of samples that cluster j has in
    common with cluster r of the reference (the Hungarian algorithm). A cluster without a partner, or without a sample in
    common with it, gets a new number: the numbers after the largest of the reference, larger clusters first. The clusters
    themselves do not change.

    Parameters
    ----------
    labels : (n_samples,) array of int
    reference : (n_samples,) array of int
        The earlier labels of the same samples in the same order. Two pandas Series are matched by their index instead.
        Samples that are in ``labels`` only do not count.

    Returns
    -------
    (n_samples,) array of int

    Examples
    --------
    >>> from viewfuse.selection import match
    >>> match([0, 0, 0, 1, 1, 2], [4, 4, 4, 2, 2, 2])
    array([4, 4, 4, 2, 2, 5])
    """
    found, earlier = _whole_numbers(labels, "labels"), _whole_numbers(reference, "reference")
    clusters = numbered_by_size(found)
    rows, partners = _same_samples(labels, reference, len(found), len(earlier))
    values, columns = np.unique(earlier[partners], return_inverse=True)
    shared = np.zeros((int(clusters.max()) + 1, len(values)), dtype=np.intp)
    np.add.at(shared, (clusters[rows], columns), 1)
    ours, theirs = linear_sum_assignment(shared, maximize=True)
    agree = shared[ours, theirs] > 0
    numbers, is_new = np.empty(len(shared), dtype=np.intp), np.ones(len(shared), dtype=bool)
    numbers[ours[agree]], is_new[ours[agree]] = values[theirs[agree]], False
    numbers[is_new] = earlier.max() + 1 + np.arange(np.count_nonzero(is_new))
    return numbers[clusters]


def _whole_numbers(labels: Any, name: str) -> np.ndarray:
    values = to_host(labels) if is_array_api_obj(labels) else np.asarray(labels)
    if values.ndim != 1 or values.size == 0 or values.dtype.kind not in "iu":
        raise ParameterError(
            f"{name} must be a vector of whole numbers, one for each sample; got an array of shape {values.shape} and type "
            f"{values.dtype}.",
            parameter=name,
        )
    return values


def _same_samples(labels: Any, reference: Any, n_labels: int, n_reference: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the same samples in both: by the index of two Series, otherwise by position."""
    if hasattr(labels, "reindex") and hasattr(reference, "reindex"):  # pandas, which is not imported for this
        for name, series in (("labels", labels), ("reference", reference)):
            if not series.index.is_unique:
                raise ParameterError(f"The index of {name} has ids that occur more than once.", parameter=name)
        partners = reference.index.get_indexer(labels.index)
        if (partners < 0).all():
            raise ParameterError("labels and reference have no sample in common.", parameter="reference")
        return np.flatnonzero(partners >= 0), partners[partners >= 0]
    if n_labels != n_reference:
        raise ParameterError(
            f"labels has {n_labels} samples, but reference has {n_reference}.",
            hint="Pass the earlier labels of the same samples in the same order, or two pandas Series with ids as index.",
            parameter="reference",
        )
    everything = np.arange(n_labels)
    return everything, everything
