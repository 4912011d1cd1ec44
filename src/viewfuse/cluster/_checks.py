"""Checks that every estimator makes, with messages that say what was found and what to do."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace

from .._utils.device import true_positions
from ..exceptions import (
    ConvergenceWarning,
    DivergenceError,
    NoStructureWarning,
    NotEnoughMemoryError,
    ParameterError,
    UninformativeViewWarning,
    ViewsError,
)
from ..fusion import Sweep
from ..views import Views
from .counting import ClusterCounts

__all__ = [
    "check_choice",
    "check_count",
    "check_enough_samples",
    "check_finite_results",
    "check_graphs",
    "check_max_time",
    "check_n_clusters",
    "check_number",
    "check_zero_samples",
    "informative_views",
    "lopsided",
    "solving",
    "warn_of_no_structure",
    "warn_of_zero_samples",
    "warn_unsettled",
]


def check_count(name: str, value: Any, *, least: int) -> None:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}; got {value!r}.")


def check_n_clusters(value: Any, *, may_be_auto: bool) -> None:
    if not (may_be_auto and isinstance(value, str)):
        check_count("n_clusters", value, least=2)
    elif value != "auto":
        raise ParameterError(f"n_clusters must be a whole number of at least 2, or 'auto'; got {value!r}.")


def check_number(name: str, value: Any, *, positive: bool) -> None:
    ok = isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) and math.isfinite(value)
    if not ok or value < 0 or (positive and value == 0):
        raise ParameterError(f"{name} must be a {'positive' if positive else 'non-negative'} number; got {value!r}.")


def check_max_time(value: Any) -> None:
    if value is not None:
        check_number("max_time", value, positive=True)


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}.")


def check_enough_samples(views: Views, n_clusters: int, n_samples: int | None = None) -> None:
    n = len(views) if n_samples is None else n_samples
    if n < n_clusters:
        samples = "1 sample" if n == 1 else f"{n} samples"
        raise ViewsError(
            f"{samples} (view {views.names[0]!r}, n_samples={n}) cannot make {n_clusters} clusters; "
            "ask for fewer clusters or give more samples."
        )


def informative_views(views: Views, arrays: Sequence[Any], present: np.ndarray | None = None) -> list[int]:
    """Positions of the views in which at least two samples that have them differ; the others are named in a warning.

    In the order of the views' names: sums over views are then the same, to the last digit, in whatever order they came.
    """
    if present is not None:
        arrays = [_rows_at(array, np.flatnonzero(present[:, v])) for v, array in enumerate(arrays)]
    constant = [v for v, array in enumerate(arrays) if _samples_are_equal(array)]
    by_name = sorted(range(len(arrays)), key=lambda v: (len(views.names[v]), views.names[v]))
    if not constant:
        return by_name
    names = ", ".join(repr(views.names[v]) for v in constant)
    if len(constant) == len(arrays):
        raise ViewsError(f"Every view is constant ({names}): all samples are the same, so there is nothing to cluster.")
    warnings.warn(
        f"View {names} is constant: every sample has the same values there. It gets weight 0; leave it out or mend it."
        if len(constant) == 1
        else f"Views {names} are constant: every sample has the same values there. They get weight 0; leave them out.",
        UninformativeViewWarning,
        stacklevel=4,
    )
    return [v for v in by_name if v not in constant]


def check_zero_samples(views: Views, arrays: Sequence[Any], used: Sequence[int], present: np.ndarray | None = None) -> None:
    """All-zero rows have no direction: warn, by view, whom the other views must place, or that no view can."""
    zero = np.stack([_zero_rows(arrays[v]) for v in used], axis=1)
    warn_of_zero_samples(views, zero if present is None else zero & present[:, list(used)], used)


def warn_of_zero_samples(views: Views, zero: np.ndarray, used: Sequence[int]) -> None:
    """The same from an (n, number of used views) mask of the rows that are all zeros."""
    silent = np.flatnonzero(zero.all(axis=1))
    if silent.size:
        names = ", ".join(repr(views.names[v]) for v in used)
        warnings.warn(
            f"{_rows(silent)} all zeros in every view ({names}), the first {views.sample_name(silent[0])}: nothing says "
            "where such a sample belongs, so its cluster is arbitrary. Remove it first.",
            UninformativeViewWarning,
            stacklevel=5,
        )
    zero[silent] = False
    for position in np.flatnonzero(zero.any(axis=0)).tolist():
        rows = np.flatnonzero(zero[:, position])
        warnings.warn(
            f"View {views.names[used[position]]!r}: {_rows(rows)} all zeros, the first {views.sample_name(rows[0])}. "
            "Such samples are placed by the other views.",
            UninformativeViewWarning,
            stacklevel=5,
        )


def warn_of_no_structure(found: ClusterCounts) -> None:
    if not found.structured:
        warnings.warn(
            f"There are no clusters here: none of the numbers tried, {found.counts[0]} to {found.counts[-1]}, holds "
            "together better than samples drawn from one cloud would. All samples are put in one cluster; give n_clusters "
            "a number to divide them all the same.",
            NoStructureWarning,
            stacklevel=6,
        )


def lopsided(labels: np.ndarray, n_clusters: int, views: Views) -> str | None:
    """What is wrong with the sizes of these clusters, if anything: nearly all samples in one, or many of one sample.

    Few samples may well be alone; so this looks at ten or more for each cluster.
    """
    numbers, sizes = np.unique(labels, return_counts=True)
    n = len(labels)
    if n_clusters < 2 or n < 10 * n_clusters:
        return None
    small = numbers[np.argsort(sizes, kind="stable")][:3]
    rows = ", ".join(views.sample_name(int(np.flatnonzero(labels == number)[0])) for number in small[: n_clusters - 1])
    if n - sizes.max() <= 2 * (n_clusters - 1):
        return f"Nearly all samples, {sizes.max()} of {n}, fell into one cluster, and few into the others (as {rows})."
    alone = int((sizes == 1).sum())
    if alone >= max(2, n_clusters / 2):
        return f"{alone} of {n_clusters} clusters hold a single sample each (as {rows})."
    return None


def check_graphs(views: Views, arrays: Sequence[Any]) -> None:
    """Graphs must be square and have no negative entry."""
    n = len(views)
    for name, array in zip(views.names, arrays, strict=True):
        if array.shape[1] != n:
            raise ViewsError(
                f"View {name!r} is {array.shape[0]} × {array.shape[1]}: with affinity='precomputed' every view must be a "
                "square graph, samples × samples."
            )
        least = float(array.min() if sp.issparse(array) else array_namespace(array).min(array))
        if least < 0:
            place = array.tocoo().argmin() if sp.issparse(array) else array_namespace(array).argmin(array)
            row, column = divmod(int(place), n)
            worst = f"{least:.3g}"
            raise ViewsError(
                f"View {name!r} has the negative edge {worst} in {views.sample_name(row)}, column {column}. "
                "Edges are similarities, 0 or more."
            )


def warn_unsettled(model: Any, sweeps: Sequence[Sweep], stopped: str | None) -> None:
    """Say that the sweeps ended before the consensus settled: at ``max_iter``, or stopped for a reason."""
    ended = f"was stopped {stopped}" if stopped else "has not settled"
    remedy = "This is the result so far." if stopped else "Raise max_iter or tol."
    warnings.warn(
        f"{type(model).__name__} {ended} after {len(sweeps)} sweep{'s' if len(sweeps) > 1 else ''}: the consensus still "
        f"changes by {sweeps[-1].change:.1e} a sweep (tol={model.tol:g}). {remedy}",
        ConvergenceWarning,
        stacklevel=5,
    )


@contextmanager
def solving(model: Any) -> Iterator[None]:
    """Within this block overflow is no warning, as results are checked; what cannot be solved or held is said in words."""
    with np.errstate(all="ignore"):
        try:
            yield
        except np.linalg.LinAlgError as error:
            raise _divergence(model) from error
        except MemoryError as error:
            raise NotEnoughMemoryError(
                f"{type(model).__name__} ran out of memory ({error}). Use AnchorGFSC, whose memory grows with the samples "
                "and not with their square, or fewer samples."
            ) from error


def check_finite_results(model: Any, *results: Any) -> None:
    """Raise DivergenceError if a solver left the range of numbers."""
    for result in results:
        if result is not None:
            xp = array_namespace(result)
            if not bool(xp.all(xp.isfinite(result))):
                raise _divergence(model)


def _divergence(model: Any) -> DivergenceError:
    return DivergenceError(
        f"{type(model).__name__} left the range of numbers: its parameters are too extreme for these views. "
        "Take parameters nearer to the defaults, or look for extreme values in the views."
    )


def _rows(rows: np.ndarray) -> str:
    return "1 row is" if rows.size == 1 else f"{rows.size} rows are"


def _rows_at(array: Any, rows: np.ndarray) -> Any:
    if sp.issparse(array):
        return array[rows]
    xp = array_namespace(array)
    return xp.take(array, xp.asarray(rows, device=array.device), axis=0)


def _samples_are_equal(array: Any) -> bool:
    if sp.issparse(array):
        # Columns differ somewhere exactly when their extremes do; sparse min and max count the zeros.
        return bool((array.max(axis=0) != array.min(axis=0)).nnz == 0)
    xp = array_namespace(array)
    return bool(xp.all(array == array[:1, :]))


def _zero_rows(array: Any) -> np.ndarray:
    if sp.issparse(array):
        return np.asarray(abs(array).max(axis=1).toarray()).ravel() == 0
    xp = array_namespace(array)
    zero = np.zeros(array.shape[0], dtype=bool)
    zero[true_positions(~xp.any(array != 0, axis=1))] = True
    return zero
