"""Named variables, as MATLAB, HDF5 and NumPy files hold them → Views.

Three questions are answered here and nowhere else: which variables are the views, which hold the labels and the
ids, and whether samples are rows or columns.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from ..exceptions import UnusedVariablesWarning, ViewsFormatError
from ..views import Views
from ..views.conventions import is_id_variable, is_label_name
from ..views.labels import checked_labels, whole_numbers
from ._safety import is_matrix, is_numeric

__all__ = ["Samples", "views_from_variables"]

Samples = Literal["rows", "columns"]

_VIEW_NAMES = ("x", "data", "fea", "feature", "features", "view", "views")  # in order of preference
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
    """Find views, labels and ids among a file's variables, and turn samples into rows.

    Parameters
    ----------
    variables : mapping of name to matrix, text, or list of these (a MATLAB cell)
    path : Path
        The file, for warnings.
    every : bool
        Whether every matrix that shares the samples is a view, as in a NumPy archive. Otherwise, as in a MATLAB
        workspace, the conventional ones are, and a warning names the others.
    views, ids, labels, samples
        As in :func:`viewfuse.load_views`.
    """
    if not variables:
        raise ViewsFormatError("it holds no variables.")
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
    if views is None:
        others = _others(rest, chosen, matrices[0].shape[axis], axis, len(matrices))
        if every:
            added = [name for name, value in others.items() if _lies_along(value, matrices[0].shape[axis], axis)]
            names, matrices = [*names, *added], [*matrices, *(others.pop(name) for name in added)]
        _warn_unused(path, others)
    return Views([matrix.T for matrix in matrices] if axis == 1 else matrices, names=names, ids=id_vector, y=y)


def _chosen(variables: Mapping[str, Any], wanted: str | Literal[False] | None, fits: Any, what: str) -> list[str]:
    if wanted is False:
        return []
    if wanted is None:
        return [name for name in variables if fits(name)]
    if wanted not in variables:
        raise ViewsFormatError(f"{what}={wanted!r} is not in the file; its variables are {_described(variables)}.")
    return [wanted]


def _wanted(variables: Mapping[str, Any], views: str | Sequence[str]) -> list[str]:
    chosen = [views] if isinstance(views, str) else list(views)
    absent = [name for name in chosen if name not in variables]
    if absent:
        raise ViewsFormatError(f"there is no variable {absent[0]!r}; the file has {_described(variables)}.")
    if not chosen:
        raise ViewsFormatError(f"views= names no view; the file has {_described(variables)}.")
    return chosen


def _find_views(variables: Mapping[str, Any], chosen: list[str]) -> tuple[list[str], list[Any]]:
    """Names and matrices of the views: one cell, or several matrices."""
    if len(chosen) == 1 and isinstance(variables[chosen[0]], list):
        cell = variables[chosen[0]]
        if not cell:
            raise ViewsFormatError(f"the cell {chosen[0]!r} is empty.")
        names, matrices = [f"view{v}" for v in range(len(cell))], list(cell)
        called = [f"{chosen[0]}{{{v + 1}}}" for v in range(len(cell))]
    else:
        names = called = chosen
        matrices = [variables[name] for name in chosen]
    for name, matrix in zip(called, matrices, strict=True):
        _check_matrix(name, matrix)
    return names, matrices


def _view_variables(variables: Mapping[str, Any], lengths: Sequence[int], samples: Samples | None, every: bool) -> list[str]:
    """Which variables are the views when nobody says: the one cell, X1, X2, …, or every matrix there is."""
    arrays = [name for name, value in variables.items() if is_matrix(value) and max(value.shape, default=0) > 1]
    cells = [name for name, value in variables.items() if isinstance(value, list)]
    cells = [name for name in cells if any(map(is_matrix, variables[name]))] or ([] if arrays else cells)
    if len(cells) > 1:
        cells = _preferred(cells) or [name for name in cells if all(map(is_numeric, variables[name]))]
    if len(cells) == 1:
        return cells
    if cells:
        raise ViewsFormatError(f"several cells could be the views: {', '.join(cells)}; choose one with views='NAME'.")
    if not arrays:
        raise ViewsFormatError(f"it holds no matrices that could be views; its variables are {_described(variables)}.")
    # A mere vector beside matrices is more likely a parameter than a view.
    broad = [name for name in arrays if variables[name].ndim > 1 and min(variables[name].shape) > 1]
    if every:
        columns = [name for name in arrays if variables[name].ndim > 1 and (name in broad or variables[name].shape[1] == 1)]
        for names in (columns, broad):
            if names and _share_samples([variables[name] for name in names], lengths, samples):
                return names
        arrays = broad or arrays
    return _numbered(arrays) or _preferred(arrays) or broad or arrays


def _lengths(variables: Mapping[str, Any], label_names: list[str], id_names: list[str]) -> list[int]:
    """How many samples plain vectors of labels or ids tell of."""
    values = [variables[name] for name in (*label_names, *id_names)]
    return [max(value.shape) for value in values if isinstance(value, np.ndarray) and _is_vector(value)]


def _share_samples(matrices: Sequence[Any], lengths: Sequence[int], samples: Samples | None) -> bool:
    """Whether all have equally many rows, or columns, and as many as there are labels and ids."""
    if any(matrix.ndim != 2 for matrix in matrices):
        return False
    axes = {"rows": (0,), "columns": (1,)}.get(samples or "", (0, 1))
    return any(len({*lengths, *(matrix.shape[axis] for matrix in matrices)}) == 1 for axis in axes)


def _is_vector(value: Any) -> bool:
    return value.ndim == 1 or (value.ndim == 2 and min(value.shape) == 1)


def _lies_along(value: Any, n_samples: int, axis: int) -> bool:
    return not isinstance(value, list) and value.ndim == 2 and value.shape[axis] == n_samples


def _others(variables: Mapping[str, Any], chosen: list[str], n_samples: int, axis: int, n_views: int) -> dict[str, Any]:
    """The variables not chosen that have one entry per sample, so that they could be views too."""

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


def _warn_unused(path: Path, others: Mapping[str, Any]) -> None:
    if others:
        message = (
            f"{path}: {_described(others)} could be views too, but are not used; choose with views=['NAME', …], "
            "or say labels='NAME' or ids='NAME' where that is what they are."
        )
        warnings.warn(message, UnusedVariablesWarning, stacklevel=5)


def _preferred(names: list[str]) -> list[str]:
    by_rank = {rank: name for name in names for rank in _VIEW_NAMES if name.lower() == rank}
    return next(([by_rank[rank]] for rank in _VIEW_NAMES if rank in by_rank), [])


def _numbered(names: list[str]) -> list[str]:
    """The longest series X1, X2, … in the order of its numbers; [] where there is none."""
    series: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        if match := _NUMBERED.fullmatch(name):
            series.setdefault(match[1].lower(), []).append((int(match[2]), name))
    ranked = sorted(series.items(), key=lambda item: (item[0] not in _VIEW_NAMES, -len(item[1])))
    return [name for _, name in sorted(ranked[0][1])] if ranked and len(ranked[0][1]) > 1 else []


def _check_matrix(name: str, matrix: Any) -> None:
    if isinstance(matrix, (str, list)) or matrix is None:
        found = "text" if isinstance(matrix, str) else "another cell" if isinstance(matrix, list) else "a struct"
        raise ViewsFormatError(f"{name} holds {found}; a view is a numeric matrix (samples × features).")
    if matrix.ndim != 2:
        shape = " × ".join(map(str, matrix.shape))
        raise ViewsFormatError(f"{name} is {matrix.ndim}-D ({shape}); a view is a matrix (samples × features).")
    if not is_numeric(matrix):
        raise ViewsFormatError(
            f"{name} holds {matrix.dtype} values; a view holds real numbers: save its parts, or its modulus and phase, "
            "or choose other variables with views=['NAME', …]."
        )
    if 0 in matrix.shape:
        raise ViewsFormatError(f"{name} is empty ({matrix.shape[0]} × {matrix.shape[1]}).")


def _agreed_vector(variables: Mapping[str, Any], n_views: int, what: str) -> np.ndarray | None:
    """The one vector these variables hold: a file may repeat it per view, or under two names."""
    vectors = {name: _as_vector(name, value, n_views, what) for name, value in variables.items()}
    if not vectors:
        return None
    (first_name, first), *others = vectors.items()
    for name, vector in others:
        if not _equal(first, vector):
            raise ViewsFormatError(
                f"both {first_name!r} and {name!r} could be the {what}, and they differ; {_choose(what)}."
            )
    return first


def _as_vector(name: str, value: Any, n_views: int, what: str) -> np.ndarray:
    if isinstance(value, list):
        if value and all(isinstance(entry, str) for entry in value):
            return np.array(value)
        copies = [_as_vector(f"{name}{{{e + 1}}}", entry, 0, what) for e, entry in enumerate(value)]
        if not copies:
            raise ViewsFormatError(f"{name} is an empty cell, not {what}.")
        return _same(name, copies, what)
    if sp.issparse(value):
        value = value.toarray() if 1 in value.shape else value
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biufUS" or value.ndim > 2:
        raise _not_a_vector(name, value, what)
    if value.ndim == 2 and min(value.shape) > 1:
        if n_views not in value.shape:
            raise _not_a_vector(name, value, what)
        # one column (or row) per view
        return _same(name, list(whole_numbers(value.T if value.shape[1] == n_views else value)), what)
    return whole_numbers(value.ravel())


def _not_a_vector(name: str, value: Any, what: str) -> ViewsFormatError:
    shape = " × ".join(map(str, value.shape)) if hasattr(value, "shape") else type(value).__name__
    return ViewsFormatError(
        f"{name} ({shape}) is called like {what}, but is neither one vector nor one column per view; {_choose(what)}."
    )


def _choose(what: str) -> str:
    return "choose with labels='NAME', or read none with labels=False" if what == "labels" else "choose with ids='NAME'"


def _same(name: str, copies: list[np.ndarray], what: str) -> np.ndarray:
    if any(not _equal(copies[0], copy) for copy in copies[1:]):
        raise ViewsFormatError(f"{name} gives each view {what} of its own, and they differ; {_choose(what)}.")
    return copies[0]


def _equal(first: np.ndarray, other: np.ndarray) -> bool:
    """Whether two vectors hold the same, gaps included."""
    return np.array_equal(first, other, equal_nan=first.dtype.kind == other.dtype.kind == "f")


def _samples_axis(names: Sequence[str], matrices: Sequence[Any], lengths: Mapping[str, int], samples: Samples | None) -> int:
    """0 where samples are rows, 1 where they are columns."""
    axes = {"rows": 0, "columns": 1}
    shapes = [matrix.shape for matrix in matrices]
    listed = ", ".join(f"{name} {shape[0]} × {shape[1]}" for name, shape in zip(names, shapes, strict=True))
    shared = {word: shapes[0][axis] for word, axis in axes.items() if len({shape[axis] for shape in shapes}) == 1}
    shared = {word: length for word, length in shared.items() if samples in (None, word)}
    if not shared:
        wanted = f"the same number of {samples}" if samples else "either the same number of rows or of columns"
        raise ViewsFormatError(f"the views do not share their samples: they need {wanted}, but are {listed}.")
    fitting = [word for word, n in shared.items() if all(length == n for length in lengths.values())]
    if not fitting:
        counts = " and ".join(f"{length} {what}" for what, length in lengths.items())
        raise ViewsFormatError(f"there are {counts}, which does not fit the views' samples: {listed}.")
    if len(fitting) == 2 and not all(_is_symmetric(matrix) for matrix in matrices):
        raise ViewsFormatError(
            f"samples could be the rows or the columns of the views ({listed}); "
            "say which with samples='rows' or samples='columns'."
        )
    return axes[fitting[0]]


def _is_symmetric(matrix: Any) -> bool:
    if matrix.shape[0] != matrix.shape[1]:
        return False
    return (matrix != matrix.T).nnz == 0 if sp.issparse(matrix) else bool(np.array_equal(matrix, matrix.T))


def _described(variables: Mapping[str, Any]) -> str:
    def kind(value: Any) -> str:
        if isinstance(value, list):
            return f"cell of {len(value)}"
        return " × ".join(map(str, value.shape)) if hasattr(value, "shape") else "text"

    return ", ".join(f"{name} ({kind(value)})" for name, value in variables.items()) or "none"
