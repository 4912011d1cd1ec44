"""Checks of the data and of the results that the estimators share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace

from .._utils.callers import calling_frames, module_of
from .._utils.device import to_host, true_positions
from .._utils.warn import filters_kept, warn
from ..exceptions import (
    DegenerateGraphWarning,
    DivergenceError,
    NoStructureWarning,
    NotEnoughMemoryError,
    UninformativeViewWarning,
    UnstableClustersWarning,
    ViewsError,
    ViewsTypeError,
)
from ..linalg.threads import thread_limits_kept
from ..views import Views, guess_kind
from ._constraints import Count, check_value
from .verdict import Verdict

__all__ = [
    "check_count",
    "check_different_samples",
    "check_directions",
    "check_enough_samples",
    "check_finite_results",
    "check_graphs",
    "check_not_split_by_view",
    "check_zero_samples",
    "nonconstant_views",
    "restored_on_failure",
    "solving",
    "unbalanced_sizes",
    "warn_of_verdict",
    "warn_of_zero_samples",
]

_FEW_FEATURES = 2
_MOST_MEASURED = 200  # samples
_MOST_COMPARED = 1_000_000  # numbers at once
# Three to five clusters at steps of 5 on a line, with noise 1 in three features: at most 1.28 dimensions in 300 draws, all
# found. Noise of 1.5, or 1 in five features, hides the line of three clusters (1.6), and there is no warning. Of 1,200
# draws of make_views with at least three features, two fall below 1.3, both with three clusters in three features: there
# the centres lie almost on a line. Counts of samples of very different totals are near a line too, but their directions
# have many dimensions.
_LINE, _FEW_DIRECTIONS = 1.3, 3.0


def check_count(name: str, value: Any, *, least: int) -> None:
    """Raise ParameterError unless the value is a whole number of at least ``least``."""
    check_value(name, value, [Count(least)])


def check_enough_samples(views: Views, n_clusters: int, n_samples: int | None = None) -> None:
    n = len(views) if n_samples is None else n_samples
    if n < 2:
        raise ViewsError(
            f"There is 1 sample (view {views.names[0]!r}, n_samples=1), but clusters need at least 2, and better many more.",
            hint="Provide more samples.",
            view=views.names[0],
        )
    if n < n_clusters:
        raise ViewsError(
            f"{n} samples (view {views.names[0]!r}, n_samples={n}) cannot form {n_clusters} clusters.",
            hint="Reduce n_clusters or provide more samples.",
            view=views.names[0],
            parameter="n_clusters",
            value=n_clusters,
        )


def check_different_samples(arrays: Sequence[Any], n_clusters: int) -> bool:
    """Whether at least ``n_clusters`` samples are different; warn if not."""
    n, most_rows = arrays[0].shape[0], _MOST_COMPARED // sum(array.shape[1] for array in arrays) + 1
    seen: set[bytes] = set()
    end = 0
    while len(seen) < n_clusters and end < n:  # the first rows nearly always suffice
        rows = np.arange(end, min(end + min(max(end, 4 * n_clusters), most_rows), n))
        some = [_rows_at(array, rows) for array in arrays]
        dense = np.hstack([part.toarray() if sp.issparse(part) else to_host(part) for part in some])
        seen.update(row.tobytes() for row in np.unique(dense + 0.0, axis=0))  # -0.0 + 0.0 is 0.0
        end += len(rows)
    if len(seen) >= n_clusters:
        return True
    warn(
        DegenerateGraphWarning(
            f"Only {len(seen)} samples of {n} are different, fewer than the {n_clusters} clusters, so equal samples are in "
            "different clusters.",
            hint=f"Set n_clusters to at most {len(seen)}.",
            parameter="n_clusters",
            value=n_clusters,
        )
    )
    return False


def nonconstant_views(views: Views, arrays: Sequence[Any], present: np.ndarray | None = None) -> list[int]:
    """Positions of the views that are not constant; a warning names the constant ones.

    Samples that are missing from a view do not count. The positions are in the order of the views' names, so that sums over
    views do not depend on the order of the data, not even in the last digit.
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
    if len(constant) == 1:
        found = UninformativeViewWarning(
            f"View {names} is constant: all samples have the same values. It gets weight 0.",
            hint="Fix the view or leave it out.",
            view=views.names[constant[0]],
        )
    else:
        found = UninformativeViewWarning(
            f"Views {names} are constant: all samples have the same values. They get weight 0.",
            hint="Fix these views or leave them out.",
        )
    warn(found)
    return [v for v in by_name if v not in constant]


def check_zero_samples(views: Views, arrays: Sequence[Any], used: Sequence[int], present: np.ndarray | None = None) -> None:
    """Warn of rows that are all zeros, which have no direction, in one view or in all of them."""
    zero = np.stack([_zero_rows(arrays[v]) for v in used], axis=1)
    warn_of_zero_samples(views, zero if present is None else zero & present[:, list(used)], used)


def warn_of_zero_samples(views: Views, zero: np.ndarray, used: Sequence[int]) -> None:
    """The same, given an (n, number of used views) mask of the rows that are all zeros."""
    everywhere = np.flatnonzero(zero.all(axis=1))
    if everywhere.size:
        names = ", ".join(repr(views.names[v]) for v in used)
        warn(
            UninformativeViewWarning(
                f"{_rows(everywhere)} all zeros in every view ({names}), the first is "
                f"{views.sample_name(everywhere[0])}. The cluster of such a sample is arbitrary.",
                hint="Remove these samples.",
            )
        )
    zero[everywhere] = False
    for position in np.flatnonzero(zero.any(axis=0)).tolist():
        rows, name = np.flatnonzero(zero[:, position]), views.names[used[position]]
        warn(
            UninformativeViewWarning(
                f"View {name!r}: {_rows(rows)} all zeros, the first is {views.sample_name(rows[0])}. "
                "The other views decide the clusters of these samples.",
                view=name,
            )
        )


def check_directions(views: Views, arrays: Sequence[Any], used: Sequence[int], n_clusters: int, method: str) -> None:
    """Warn if the directions of the samples from their mean cannot tell clusters apart.

    With one feature there are two directions, with two they are angles only. If the samples of every view lie near one
    line, there are again two, which is too few for more than two clusters.
    """
    few = [views.names[v] for v in used if arrays[v].shape[1] <= _FEW_FEATURES]
    if few:
        named = f"View {few[0]!r} has" if len(few) == 1 else f"Views {', '.join(map(repr, few))} have"
        found = f"{named} only one or two features."
    elif n_clusters > 2 and all(_is_near_a_line(arrays[v]) for v in used):
        found = "In every view the samples lie near one line, so they have two directions from their mean."
    else:
        return
    warn(
        UninformativeViewWarning(
            f"{found} {method} compares only the directions of samples from their mean, so it may not tell clusters apart.",
            hint="Use AutoFusion, which compares distances.",
            view=few[0] if len(few) == 1 else None,
        )
    )


def _is_near_a_line(array: Any) -> bool:
    rows = np.unique(np.linspace(0, array.shape[0] - 1, min(_MOST_MEASURED, array.shape[0])).astype(int))
    some = _rows_at(array, rows)
    points = np.asarray(some.toarray() if sp.issparse(some) else to_host(some), dtype=np.float64)
    points = points[points.any(axis=1)]  # rows of zeros have no direction; samples missing from this view are such rows
    if len(points) < 2:
        return False
    points = points / (np.abs(points).max() or 1.0)  # squares of large values overflow
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return _dimensions(points) < _LINE and _dimensions(points / np.where(lengths > 0, lengths, 1)) < _FEW_DIRECTIONS


def _dimensions(points: np.ndarray) -> float:
    """``(Σλ)²/Σλ²`` of the eigenvalues of the covariance: how many directions the points spread in."""
    centred = points - points.mean(axis=0)
    gram = centred.T @ centred if centred.shape[1] < centred.shape[0] else centred @ centred.T
    total = float(np.sum(gram**2))
    return float(np.trace(gram)) ** 2 / total if total > 0 else 0.0


def warn_of_verdict(verdict: Verdict, n_clusters: int | str) -> None:
    """Warn if the clusters are not supported, or if they did not come back."""
    about: dict[str, Any] = {"parameter": "n_clusters", "value": n_clusters}
    if verdict.n_clusters < 2:
        hint = "Set n_clusters to a number to divide them anyway."
        warn(NoStructureWarning(f"{verdict} All samples are put in one cluster.", hint=hint, **about))
    elif not verdict.supported:
        warn(NoStructureWarning(str(verdict), hint="Do not rely on these clusters.", **about))
    elif not verdict.stable:
        warn(UnstableClustersWarning(str(verdict), hint="Do not rely on these clusters; try another number.", **about))
    elif verdict.dissolved:
        hint = "Do not rely on the borders of these; a smaller number of clusters may hold."
        warn(UnstableClustersWarning(str(verdict), hint=hint, **about))


def unbalanced_sizes(labels: np.ndarray, n_clusters: int, views: Views) -> str | None:
    """A message if nearly all samples are in one cluster, or if many clusters hold one sample; else None.

    With few samples a cluster of one sample is nothing unusual, so at least ten samples per cluster are required.
    """
    numbers, sizes = np.unique(labels, return_counts=True)
    n = len(labels)
    if n_clusters < 2 or n < 10 * n_clusters:
        return None
    small = numbers[np.argsort(sizes, kind="stable")][:3]
    rows = ", ".join(views.sample_name(int(np.flatnonzero(labels == number)[0])) for number in small[: n_clusters - 1])
    if n - sizes.max() <= 2 * (n_clusters - 1):
        return f"Nearly all samples, {sizes.max()} of {n}, are in one cluster; the others hold very few (e.g. {rows})."
    single = int((sizes == 1).sum())
    if single >= max(2, n_clusters / 2):
        return f"{single} of {n_clusters} clusters hold a single sample each (e.g. {rows})."
    return None


def check_graphs(views: Views, arrays: Sequence[Any]) -> None:
    """Graphs must be square and have no negative entry. Distances are refused; what may be something else is warned of."""
    n = len(views)
    for name, array, kind in zip(views.names, arrays, views.kinds, strict=True):
        guessed = guess_kind(array) if kind == "features" else kind
        if guessed == "distance" and (kind == "distance" or _varies_widely(array)):
            raise ViewsError(
                f"View {name!r} {'holds' if kind == 'features' else 'is declared to hold'} distances, but with "
                "affinity='precomputed' every view is a graph, in which more means nearer.",
                hint=f"Leave affinity out and give Views(..., kinds={{{name!r}: 'distance'}}). If it holds similarities, "
                f"give kinds={{{name!r}: 'graph'}}.",
                view=name,
                parameter="affinity",
                value="precomputed",
            )
        if guessed == "distance" or kind == "kernel":
            what = "looks like distances" if kind == "features" else f"is declared a {kind}"
            warn(
                UninformativeViewWarning(
                    f"View {name!r} {what}, but affinity='precomputed' takes it as a graph, in which more means nearer.",
                    hint="Declare it in Views(..., kinds=) and leave affinity='precomputed' out, or give similarities.",
                    view=name,
                    parameter="affinity",
                    value="precomputed",
                )
            )
        if array.shape[1] != n:
            raise ViewsError(
                f"View {name!r} is {array.shape[0]} × {array.shape[1]}; with affinity='precomputed' every view must be a "
                "square graph (samples × samples).",
                view=name,
                parameter="affinity",
                value="precomputed",
            )
        least = float(array.min() if sp.issparse(array) else array_namespace(array).min(array))
        if least < 0:
            place = array.tocoo().argmin() if sp.issparse(array) else array_namespace(array).argmin(array)
            row, column = divmod(int(place), n)
            raise ViewsError(
                f"View {name!r} has the negative edge weight {least:.3g} in {views.sample_name(row)}, column {column}. "
                "Edge weights are similarities and must be at least 0.",
                view=name,
                value=least,
            )


def _varies_widely(relation: Any) -> bool:
    """Whether some pairs have less than half of the largest value.

    Only then the triangle inequality says something: values that are all alike satisfy it, whatever they mean.
    """
    dense = relation.toarray() if sp.issparse(relation) else relation
    between = dense[~np.eye(len(dense), dtype=bool)]
    return bool(np.quantile(between, 0.01) < 0.5 * between.max())


def check_not_split_by_view(X: Any) -> None:
    """Raise ViewsTypeError if scikit-learn's cross-validation fits a plain list of views.

    It indexes a list by its elements, so it has split the views, and not the samples, into folds. Neither the data nor the
    indices show this in ``fit``, because some views of a list are a list of views. The caller does.
    """
    if not isinstance(X, (list, tuple)) or not all(hasattr(view, "shape") for view in X):
        return
    if "sklearn.model_selection._validation" in map(module_of, calling_frames()):
        raise ViewsTypeError(
            f"Cross-validation split a list of views into folds of whole views: {len(X)} of them are in this fold. It must "
            "split the samples.",
            hint="Wrap them in Views, as in search.fit(Views(views)), or pass one table and views=.",
            parameter="X",
        )


@contextmanager
def restored_on_failure(model: Any) -> Iterator[None]:
    """Leave the estimator as it was if a fit fails, so that attributes of two fits are never mixed."""
    before = dict(vars(model))
    try:
        with filters_kept(), thread_limits_kept():
            yield
    except BaseException:
        vars(model).clear()
        vars(model).update(before)
        raise


@contextmanager
def solving(model: Any) -> Iterator[None]:
    """Turn failures of a solver into exceptions of ours. Overflow gives no warning here, because results are checked."""
    with np.errstate(all="ignore"):
        try:
            yield
        except np.linalg.LinAlgError as error:
            raise _divergence(model) from error
        except NotEnoughMemoryError:
            raise
        except MemoryError as error:
            raise NotEnoughMemoryError(
                f"{type(model).__name__} ran out of memory ({error}).",
                hint="Use AnchorGFSC, whose memory grows linearly with the number of samples, or fewer samples.",
            ) from error


def check_finite_results(model: Any, *results: Any) -> None:
    """Raise DivergenceError if a result of a solver is not finite."""
    for result in results:
        if result is not None:
            xp = array_namespace(result)
            if not bool(xp.all(xp.isfinite(result))):
                raise _divergence(model)


def _divergence(model: Any) -> DivergenceError:
    return DivergenceError(
        f"{type(model).__name__} produced numbers that are not finite: its parameters are too extreme for these views.",
        hint="Use parameters closer to the defaults, or look for extreme values in the views.",
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
        # A column is constant if its extremes are equal. The min and max of sparse arrays include the zeros.
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
