"""What a view holds: features of the samples, or a relation between each two samples.

Kinds with one row per sample and any columns: ``features``, ``counts`` and ``categories``. Relations, with one row and one
column per sample: ``graph`` (edge weights, 0 for no edge), ``kernel`` (inner products) and ``distance``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import is_numpy_array

from .._utils.text import count, listed
from ..exceptions import ViewsError

__all__ = ["KINDS", "RELATIONS", "Kinds", "asked_kinds", "checked_kinds", "guess_kind", "indicators", "is_symmetric"]

KINDS = ("features", "counts", "categories", "graph", "kernel", "distance")
RELATIONS = ("graph", "kernel", "distance")
Kinds = Mapping[str, str] | Sequence[str] | str | None

_MOSTLY_ZERO = 0.5  # share of zeros from which an n × n matrix is a graph rather than a kernel
_TRIANGLES = 2_000
_CHECKED = 500  # samples whose block of a kernel is checked
_ROUNDING = 1e-6


def asked_kinds(kinds: Kinds, names: Sequence[str]) -> tuple[str, ...]:
    """The kind that was asked for each view: "features" by default, "auto" to guess.

    Parameters
    ----------
    kinds : None, "auto", a sequence, or a mapping of some names
    names : of the views
    """
    if isinstance(kinds, str):
        named = dict.fromkeys(names, kinds)
    elif isinstance(kinds, Mapping):
        named = {str(name): str(kind) for name, kind in kinds.items()}
    elif kinds is not None and len(kinds) != len(names):
        raise ViewsError(f"There are {count(len(kinds), 'kind')} for {count(len(names), 'view')}.", parameter="kinds")
    else:
        named = dict(zip(names, kinds or [], strict=kinds is not None))
    unknown = [name for name in named if name not in names]
    if unknown:
        raise ViewsError(
            f"kinds names the view {unknown[0]!r}, but the views are {listed(names)}.", view=unknown[0], parameter="kinds"
        )
    return tuple(named.get(name, "features") for name in names)


def checked_kinds(kinds: Sequence[str], names: Sequence[str], arrays: Sequence[Any]) -> tuple[str, ...]:
    """The kind of each view; "auto" is guessed from the values."""
    return tuple(_checked_kind(kind, name, array) for kind, name, array in zip(kinds, names, arrays, strict=True))


def _checked_kind(kind: str, name: str, array: Any) -> str:
    if kind == "auto":
        return guess_kind(array)
    if kind not in KINDS:
        raise ViewsError(
            f"View {name!r} cannot be of the kind {kind!r}.",
            hint=f"The kinds are {', '.join(KINDS)}; 'auto' guesses.",
            view=name,
            parameter="kinds",
            value=KINDS,
        )
    if kind in RELATIONS and array.shape[0] != array.shape[1]:
        raise ViewsError(
            f"View {name!r} is {array.shape[0]} × {array.shape[1]}, but a {kind} has one row and one column per sample.",
            hint="Give a square matrix or an edge list, or declare the view as features.",
            view=name,
            parameter="kinds",
            value=("features",),
        )
    if kind == "counts":
        _check_counts(name, array)
    return kind


def _check_counts(name: str, array: Any) -> None:
    values = array.data if sp.issparse(array) else array[:]
    if not is_numpy_array(values):
        return
    known = values[np.isfinite(values)]
    wrong = known[(known < 0) | (known != np.round(known))]
    if wrong.size:
        raise ViewsError(
            f"View {name!r} is declared as counts, but holds {float(wrong[0]):.4g}; counts are whole numbers of at least 0.",
            hint="Declare the view as features.",
            view=name,
            parameter="kinds",
            value=("features",),
        )


def indicators(array: Any, columns: Sequence[str] | np.ndarray | None) -> tuple[sp.csr_array, np.ndarray]:
    """The categories of each column as columns of 0 and 1, and their names, such as ``colour=2``.

    >>> import numpy as np
    >>> matrix, names = indicators(np.array([[1, 0], [2, 0], [1, 5]]), ["colour", "size"])
    >>> names.tolist(), matrix.toarray().astype(int).tolist()
    (['colour=1', 'colour=2', 'size=0', 'size=5'], [[1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]])
    """
    dense = np.asarray(array.toarray() if sp.issparse(array) else array[:], dtype=float)
    blocks, names = [], []
    for c in range(dense.shape[1]):
        known = np.isfinite(dense[:, c])
        levels, place = np.unique(dense[known, c], return_inverse=True)
        rows = np.flatnonzero(known)
        blocks.append(sp.csr_array((np.ones(rows.size), (rows, place)), shape=(len(dense), len(levels))))
        named = str(c) if columns is None else str(columns[c])
        names += [f"{named}={level:g}" for level in levels]
    return sp.csr_array(sp.hstack(blocks)), np.asarray(names, dtype=object)


def guess_kind(array: Any) -> str:
    """Guess the kind of a view from its shape and values.

    Only a square matrix is taken for a relation. It is

    * a graph, if it is mostly zero and non-negative, and either symmetric or with a diagonal of one value (directed edges);
    * a graph, if it is symmetric and holds only 0 and one positive value;
    * a distance, if it is symmetric and non-negative with a zero diagonal, and satisfies the triangle inequality;
    * a kernel, if it is symmetric and positive semidefinite, with a positive diagonal;
    * a graph, if it is symmetric and non-negative otherwise.

    >>> import numpy as np
    >>> path = np.eye(4, k=1) + np.eye(4, k=-1)
    >>> guess_kind(path), guess_kind(np.abs(np.subtract.outer(np.arange(4), np.arange(4)))), guess_kind(np.eye(4)[:, :3])
    ('graph', 'distance', 'features')
    """
    if array.shape[0] != array.shape[1] or array.shape[0] < 3 or not (sp.issparse(array) or is_numpy_array(array)):
        return "features"
    array = array.astype(np.int8) if array.dtype.kind == "b" else array  # truth values cannot be subtracted
    values = array.data if sp.issparse(array) else array
    if values.size and not np.isfinite(values).all():
        return "features"
    negative = bool(values.size and values.min() < 0)
    diagonal = np.asarray(array.diagonal())
    if not negative and _share_of_zeros(array) > _MOSTLY_ZERO:
        return "graph" if is_symmetric(array) or np.ptp(diagonal) == 0 else "features"
    if not is_symmetric(array):
        return "features"
    dense = array.toarray() if sp.issparse(array) else array
    if not negative and _has_one_weight(dense):
        return "graph"
    if not negative and not diagonal.any() and _satisfies_triangles(dense):
        return "distance"
    if (diagonal > 0).all() and _is_semidefinite(dense):
        return "kernel"
    return "features" if negative else "graph"


def is_symmetric(array: Any) -> bool:
    """Whether a matrix equals its transpose, up to rounding."""
    if array.shape[0] != array.shape[1]:
        return False
    if sp.issparse(array):
        difference = abs(array - array.T)
        return difference.nnz == 0 or bool(difference.max() <= _ROUNDING * abs(array).max())
    return bool(np.allclose(array, array.T, rtol=_ROUNDING, atol=_ROUNDING * float(np.abs(array).max())))


def _has_one_weight(matrix: np.ndarray) -> bool:
    """Whether all entries that are not 0 are equal: edges without weights."""
    return bool(((matrix == 0) | (matrix == matrix.max())).all())


def _share_of_zeros(array: Any) -> float:
    filled = array.count_nonzero() if sp.issparse(array) else np.count_nonzero(array)
    return float(1 - filled / np.prod(array.shape))


def _satisfies_triangles(distances: np.ndarray) -> bool:
    """Whether ``d_ij ≤ d_ik + d_kj`` in 99 of 100 triples. Measured distances may break it now and then."""
    i, j, k = np.random.RandomState(0).randint(len(distances), size=(3, _TRIANGLES))
    excess = distances[i, j] - distances[i, k] - distances[k, j]
    return bool(np.mean(excess <= _ROUNDING * distances.max()) >= 0.99)


def _is_semidefinite(matrix: np.ndarray) -> bool:
    some = np.unique(np.linspace(0, len(matrix) - 1, min(_CHECKED, len(matrix))).astype(int))
    values = np.linalg.eigvalsh(np.asarray(matrix[np.ix_(some, some)], dtype=np.float64))
    return bool(values[0] >= -1e-4 * values[-1])
