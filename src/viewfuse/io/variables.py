"""Turn the named variables of a MATLAB, HDF5 or NumPy file into Views.

This module decides which variables are the views, which are the labels and the ids, and whether samples are rows or
columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from .._utils.text import listed
from .._utils.warn import warn
from ..exceptions import LabelsWarning, UnusedVariablesWarning, ViewsFormatError
from ..views import RELATIONS, Views, guess_kind
from ..views.conventions import is_id_variable, is_label_name
from ..views.kinds import is_symmetric
from ..views.labels import checked_labels, whole_numbers
from ._safety import Unread, is_matrix, is_numeric
from .found_labels import labels_by_length

__all__ = ["Samples", "views_from_variables"]

Samples = Literal["rows", "columns"]

_VIEW_NAMES = ("x", "data", "fea", "feature", "features", "view", "views")  # in order of preference
_CHOOSE_VIEWS = "Choose views with views=['NAME', …]."
_CHOOSE_OTHER_VIEWS = "Choose other variables with views=['NAME', …]."
_NUMBERED = re.compile(r"(.*?)_?(\d+)")


def views_from_variables(
    variables: Mapping[str, Any],
    *,
    path: Path,
    every: bool = False,
    views: str | Sequence[str] | None = None,
    ids: str | None = None,
    labels: str | Literal[False] | None = None,
    samples: Samples | None = None,
) -> Views:
    """Find views, labels and ids among the variables of a file, and transpose views whose samples are columns.

    Parameters
    ----------
    variables : mapping of name to matrix, text, or list of these (a MATLAB cell)
    path : Path
        The file, for warnings.
    every : bool
        True for a NumPy archive: every matrix with the samples as rows (or columns) is a view. False for a MATLAB
        workspace: only variables with conventional names are views, and a warning names the others.
    views, ids, labels, samples
        As in :func:`viewfuse.load_views`.
    """
    passed_over = [name for name, value in variables.items() if isinstance(value, Unread)]
    variables = {name: value for name, value in variables.items() if name not in passed_over}
    if not variables:
        structs = f": {listed(passed_over)} is a struct or object. Save its fields as variables" if passed_over else ""
        raise ViewsFormatError(f"the file has no variables that can hold views{structs}.")
    if passed_over:
        warn(_passed_over(path, passed_over))
    label_names = _chosen(variables, labels, is_label_name, "labels")
    id_names = [name for name in _chosen(variables, ids, is_id_variable, "ids") if name not in label_names]
    rest = {name: value for name, value in variables.items() if name not in (*label_names, *id_names)}
    known = _lengths(variables, label_names, id_names)
    chosen = _view_variables(rest, known, samples, every) if views is None else _wanted(variables, views)
    names, matrices = _find_views(variables, chosen)
    y = _agreed_vector({name: variables[name] for name in label_names}, len(matrices), "labels")
    if y is not None:
        y = checked_labels(y, label_names[0], "row {}".format, asked=isinstance(labels, str))
    id_vector = _agreed_vector({name: variables[name] for name in id_names}, len(matrices), "ids")
    lengths = {what: len(vector) for what, vector in (("labels", y), ("ids", id_vector)) if vector is not None}
    axis = _samples_axis(names, matrices, lengths, samples)
    if y is None and labels is None:
        unchosen = {name: value for name, value in rest.items() if name not in chosen}
        found = labels_by_length(unchosen, matrices[0].shape[axis])
        if found is not None:
            rest.pop(found)
            y = checked_labels(_as_vector(found, variables[found], 0, "labels"), found, "row {}".format, asked=True)
            warn(_found_labels(path, found))
    if views is None:
        n_samples = matrices[0].shape[axis]
        others = _others(rest, chosen, n_samples, axis, len(matrices))
        fits = _lies_along if every else _is_relation_of
        added = [name for name, value in others.items() if fits(value, n_samples, axis)]
        names, matrices = [*names, *added], [*matrices, *(others.pop(name) for name in added)]
        if others:
            warn(_unused_variables(path, others))
    return Views([matrix.T for matrix in matrices] if axis == 1 else matrices, names=names, ids=id_vector, y=y)


def _chosen(variables: Mapping[str, Any], wanted: str | Literal[False] | None, fits: Any, what: str) -> list[str]:
    if wanted is False:
        return []
    if wanted is None:
        return [name for name in variables if fits(name)]
    if wanted not in variables:
        raise ViewsFormatError(
            f"there is no variable {wanted!r} for the {what}; the variables are {_described(variables)}.",
            hint=_choose(what),
            parameter=what,
            value=tuple(variables),
        )
    return [wanted]


def _wanted(variables: Mapping[str, Any], views: str | Sequence[str]) -> list[str]:
    chosen = [views] if isinstance(views, str) else list(views)
    absent = [name for name in chosen if name not in variables]
    if absent:
        raise ViewsFormatError(
            f"there is no variable {absent[0]!r}; the variables are {_described(variables)}.",
            hint=_CHOOSE_VIEWS,
            view=absent[0],
            parameter="views",
            value=tuple(variables),
        )
    if not chosen:
        raise ViewsFormatError(
            f"no view is named; the variables are {_described(variables)}.",
            hint=_CHOOSE_VIEWS,
            parameter="views",
            value=tuple(variables),
        )
    return chosen


def _find_views(variables: Mapping[str, Any], chosen: list[str]) -> tuple[list[str], list[Any]]:
    """Return the names and the matrices of the views: the entries of one cell, or several matrices."""
    if len(chosen) == 1 and isinstance(variables[chosen[0]], list):
        cell = variables[chosen[0]]
        if not cell:
            raise ViewsFormatError(f"the cell {chosen[0]!r} is empty.")
        names, matrices = [f"view{v}" for v in range(len(cell))], list(cell)
        names_in_file = [f"{chosen[0]}{{{v + 1}}}" for v in range(len(cell))]
    else:
        names = names_in_file = chosen
        matrices = [variables[name] for name in chosen]
    for name, matrix in zip(names_in_file, matrices, strict=True):
        _check_matrix(name, matrix)
    return names, matrices


def _view_variables(variables: Mapping[str, Any], lengths: Sequence[int], samples: Samples | None, every: bool) -> list[str]:
    """Return the variables that are views by default: the only cell, X1, X2, …, or all matrices."""
    arrays = [name for name, value in variables.items() if is_matrix(value) and max(value.shape, default=0) > 1]
    cells = [name for name, value in variables.items() if isinstance(value, list)]
    cells = [name for name in cells if any(map(is_matrix, variables[name]))] or ([] if arrays else cells)
    if len(cells) > 1:
        cells = _preferred(cells) or [name for name in cells if all(map(is_numeric, variables[name]))]
    if len(cells) == 1:
        return cells
    if cells:
        raise ViewsFormatError(
            f"several cells could be the views: {', '.join(cells)}.",
            hint="Choose one with views='NAME'.",
            parameter="views",
            value=tuple(cells),
        )
    if not arrays:
        raise ViewsFormatError(f"no variable is a matrix that could be a view; the variables are {_described(variables)}.")
    # If there are matrices, a vector is more likely a parameter than a view.
    broad = [name for name in arrays if variables[name].ndim > 1 and min(variables[name].shape) > 1]
    if every:
        columns = [name for name in arrays if variables[name].ndim > 1 and (name in broad or variables[name].shape[1] == 1)]
        for names in (columns, broad):
            if names and _share_samples([variables[name] for name in names], lengths, samples):
                return names
        arrays = broad or arrays
    return _numbered(arrays) or _preferred(arrays) or broad or arrays


def _lengths(variables: Mapping[str, Any], label_names: list[str], id_names: list[str]) -> list[int]:
    """Return the numbers of samples according to the labels and the ids, if they are plain vectors."""
    values = [variables[name] for name in (*label_names, *id_names)]
    return [max(value.shape) for value in values if isinstance(value, np.ndarray) and _is_vector(value)]


def _share_samples(matrices: Sequence[Any], lengths: Sequence[int], samples: Samples | None) -> bool:
    """Return whether all matrices have the same number of rows, or of columns, equal to the number of labels and ids."""
    if any(matrix.ndim != 2 for matrix in matrices):
        return False
    axes = {"rows": (0,), "columns": (1,)}.get(samples or "", (0, 1))
    return any(len({*lengths, *(matrix.shape[axis] for matrix in matrices)}) == 1 for axis in axes)


def _is_vector(value: Any) -> bool:
    return value.ndim == 1 or (value.ndim == 2 and min(value.shape) == 1)


def _lies_along(value: Any, n_samples: int, axis: int) -> bool:
    return not isinstance(value, list) and value.ndim == 2 and value.shape[axis] == n_samples


def _is_relation_of(value: Any, n_samples: int, axis: int) -> bool:
    """Whether this is a graph, kernel or distance matrix of the samples, which a file may hold beside their features."""
    return _lies_along(value, n_samples, axis) and value.shape == (n_samples, n_samples) and guess_kind(value) in RELATIONS


def _others(variables: Mapping[str, Any], chosen: list[str], n_samples: int, axis: int, n_views: int) -> dict[str, Any]:
    """Return the variables that were not chosen but have one entry per sample, so that they could be views too."""

    def shares(value: Any) -> bool:
        if isinstance(value, list):
            return any(map(shares, value))
        if not is_matrix(value) or value.ndim == 0:
            return False
        if _is_vector(value):
            return max(value.shape) == n_samples > 1
        return value.shape[axis] == n_samples

    def is_label_or_id(name: str, value: Any) -> bool:
        is_copied = isinstance(value, list) or _is_vector(value) or n_views in value.shape
        return (is_label_name(name) or is_id_variable(name)) and is_copied

    others = {name: value for name, value in variables.items() if name not in chosen and shares(value)}
    others = {name: value for name, value in others.items() if not is_label_or_id(name, value)}
    for name, value in others.items():
        if not isinstance(value, list) and value.dtype.kind == "c":
            _check_matrix(name, value)
    return others


def _passed_over(path: Path, names: Sequence[str]) -> UnusedVariablesWarning:
    return UnusedVariablesWarning(
        f"{path}: {listed(names)} {'is a struct or object' if len(names) == 1 else 'are structs or objects'}, and not read.",
        hint="Save their fields as variables of their own if they hold views.",
        value=tuple(names),
    )


def _found_labels(path: Path, name: str) -> LabelsWarning:
    return LabelsWarning(
        f"{path}: {name!r} is taken as the labels, as it is the only variable with one class per sample.",
        hint="Use labels=False to read no labels, or labels='NAME' to choose others.",
        parameter="labels",
        value=(name, False),
    )


def _unused_variables(path: Path, others: Mapping[str, Any]) -> UnusedVariablesWarning:
    return UnusedVariablesWarning(
        f"{path}: {_described(others)} could be views too, but are not used.",
        hint=f"{_CHOOSE_VIEWS[:-1]}, or name the labels or ids among them with labels='NAME' or ids='NAME'.",
        parameter="views",
        value=tuple(others),
    )


def _preferred(names: list[str]) -> list[str]:
    by_rank = {rank: name for name in names for rank in _VIEW_NAMES if name.lower() == rank}
    return next(([by_rank[rank]] for rank in _VIEW_NAMES if rank in by_rank), [])


def _numbered(names: list[str]) -> list[str]:
    """Return the longest series X1, X2, … in numerical order, or [] if there is none."""
    series: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        if match := _NUMBERED.fullmatch(name):
            series.setdefault(match[1].lower(), []).append((int(match[2]), name))
    ranked = sorted(series.items(), key=lambda item: (item[0] not in _VIEW_NAMES, -len(item[1])))
    return [name for _, name in sorted(ranked[0][1])] if ranked and len(ranked[0][1]) > 1 else []


def _check_matrix(name: str, matrix: Any) -> None:
    if isinstance(matrix, (str, list)) or matrix is None:
        found = "text" if isinstance(matrix, str) else "another cell" if isinstance(matrix, list) else "a struct"
        problem = f"{name} holds {found}; a view is a numeric matrix (samples × features)."
    elif matrix.ndim != 2:
        shape = " × ".join(map(str, matrix.shape))
        problem = f"{name} is {matrix.ndim}-D ({shape}); a view is a matrix (samples × features)."
    elif not is_numeric(matrix):
        problem = f"{name} holds {matrix.dtype} values; a view holds real numbers, such as the modulus and the phase."
    elif 0 in matrix.shape:
        problem = f"{name} is empty ({matrix.shape[0]} × {matrix.shape[1]})."
    else:
        return
    raise ViewsFormatError(problem, hint=_CHOOSE_OTHER_VIEWS, view=name, parameter="views")


def _agreed_vector(variables: Mapping[str, Any], n_views: int, what: str) -> np.ndarray | None:
    """Return the vector that these variables agree on: a file may repeat it for each view, or under two names."""
    vectors = {name: _as_vector(name, value, n_views, what) for name, value in variables.items()}
    if not vectors:
        return None
    (first_name, first), *others = vectors.items()
    for name, vector in others:
        if not _equal(first, vector):
            raise ViewsFormatError(
                f"both {first_name!r} and {name!r} could be the {what}, and they differ.",
                hint=_choose(what),
                parameter=what,
                value=_offered(what, first_name, name),
            )
    return first


def _as_vector(name: str, value: Any, n_views: int, what: str) -> np.ndarray:
    if isinstance(value, list):
        if value and all(isinstance(entry, str) for entry in value):
            return np.array(value)
        copies = [_as_vector(f"{name}{{{e + 1}}}", entry, 0, what) for e, entry in enumerate(value)]
        if not copies:
            raise ViewsFormatError(
                f"{name} has the name of {what}, but is an empty cell.",
                hint=_choose(what),
                parameter=what,
                value=_offered(what),
            )
        return _same(name, copies, what)
    if sp.issparse(value):
        value = value.toarray() if 1 in value.shape else value
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biufUS" or value.ndim > 2:
        raise _not_a_vector(name, value, what)
    if value.ndim == 2 and min(value.shape) > 1:
        if n_views not in value.shape or _is_one_hot(value):
            if what == "labels" and _is_one_hot(value):
                return np.argmax(value, axis=1)
            raise _not_a_vector(name, value, what)
        # One column (or row) per view.
        return _same(name, list(whole_numbers(value.T if value.shape[1] == n_views else value)), what)
    return whole_numbers(value.ravel())


def _is_one_hot(value: np.ndarray) -> bool:
    """Whether each row has a single 1, in the column of its class."""
    return bool(np.isin(value, (0, 1)).all() and (value.sum(axis=1) == 1).all() and value.shape[0] > value.shape[1])


def _not_a_vector(name: str, value: Any, what: str) -> ViewsFormatError:
    shape = " × ".join(map(str, value.shape)) if hasattr(value, "shape") else type(value).__name__
    return ViewsFormatError(
        f"{name} ({shape}) has the name of {what}, but is neither a vector nor a matrix with one column per view.",
        hint=_choose(what),
        parameter=what,
        value=_offered(what),
    )


def _choose(what: str) -> str:
    if what == "labels":
        return "Choose a variable with labels='NAME', or read no labels with labels=False."
    return "Choose a variable with ids='NAME'."


def _offered(what: str, *names: str) -> tuple[str | Literal[False], ...] | None:
    """Return the values that the hint of ``_choose`` offers; only labels can be left out."""
    return ((*names, False) if what == "labels" else names) or None


def _same(name: str, copies: list[np.ndarray], what: str) -> np.ndarray:
    if any(not _equal(copies[0], copy) for copy in copies[1:]):
        raise ViewsFormatError(
            f"{name} has different {what} for different views; they must be the same.",
            hint=_choose(what),
            parameter=what,
            value=_offered(what),
        )
    return copies[0]


def _equal(first: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two vectors are equal; NaN equals NaN."""
    return np.array_equal(first, other, equal_nan=first.dtype.kind == other.dtype.kind == "f")


def _samples_axis(names: Sequence[str], matrices: Sequence[Any], lengths: Mapping[str, int], samples: Samples | None) -> int:
    """Return 0 if samples are rows, 1 if they are columns."""
    axes = {"rows": 0, "columns": 1}
    shapes = [matrix.shape for matrix in matrices]
    found = ", ".join(f"{name} {shape[0]} × {shape[1]}" for name, shape in zip(names, shapes, strict=True))
    shared = {word: shapes[0][axis] for word, axis in axes.items() if len({shape[axis] for shape in shapes}) == 1}
    shared = {word: length for word, length in shared.items() if samples in (None, word)}
    if not shared:
        wanted = f"the same number of {samples}" if samples else "the same number of rows or the same number of columns"
        raise ViewsFormatError(
            f"the views do not have the same samples: they need {wanted}, but are {found}.",
            hint="Choose the variables with views=['NAME', …]" + (", or leave samples= out." if samples else "."),
            parameter="samples" if samples else "views",
        )
    fitting = [word for word, n in shared.items() if all(length == n for length in lengths.values())]
    if not fitting:
        counts = " and ".join(f"{length} {what}" for what, length in lengths.items())
        what = next(iter(lengths))
        raise ViewsFormatError(
            f"there are {counts}, which does not match the number of samples in the views: {found}.",
            hint=_choose(what),
            parameter=what,
            value=_offered(what),
        )
    # The rows and the columns of a directed graph are the same samples.
    if len(fitting) == 2 and not all(is_symmetric(matrix) or guess_kind(matrix) == "graph" for matrix in matrices):
        raise ViewsFormatError(
            f"samples could be the rows or the columns of the views ({found}).",
            hint="Choose with samples='rows' or samples='columns'.",
            parameter="samples",
            value=("rows", "columns"),
        )
    return axes[fitting[0]]


def _described(variables: Mapping[str, Any]) -> str:
    def kind(value: Any) -> str:
        if isinstance(value, list):
            return f"cell of {len(value)}"
        return " × ".join(map(str, value.shape)) if hasattr(value, "shape") else "text"

    return ", ".join(f"{name} ({kind(value)})" for name, value in variables.items()) or "none"
