"""Anchors: a few groups of samples that represent all, the same in every view, and each sample's edges to them.

A view's graph is then n × m instead of n × n. Anchor j is the same group in every view, so the graphs of several views can
be fused entry by entry. Let ``x_i`` be a sample of unit length, ``μ`` the mean of all ``x_i`` and ``A`` (m × d) the
positions of the anchors. In histograms or intensities the part that all samples share hides the differences. Samples and
anchors are therefore centred: ``x̃_i = (x_i − μ, h)`` and ``Ã_j = (A_j − μ, h)``. The added coordinate ``h``, half the root
mean square of ``‖x_i − μ‖``, gives samples near the mean a direction too. Then

    c_i = argmin_c ‖x̃_i − cÃ‖² + α a²‖c‖²  =  x̃_i Ãᵀ (Ã Ãᵀ + α a² I)⁻¹,    a² the mean of ‖Ã_j‖²,

says how the anchors express the sample (an affine map of ``x_i``, so nothing sparse is made dense). The sample gets edges to
the ``q`` anchors that express it best, with the regularization ``r_i`` that gives exactly ``q``:

    z_i = argmin_z −⟨c_i, z⟩ + ½ r_i‖z‖²,  z ≥ 0, Σ_j z_ij = 1    ⇒    z_ij = (c_ij − c_i(q+1))₊ / r_i,

with ``c_i(q+1)`` the (q + 1)-th largest entry. Both steps treat each row independently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace, is_numpy_array, is_torch_array
from sklearn.cluster import KMeans
from sklearn.utils.extmath import randomized_svd

from .._utils.device import beside, is_tensor, to_host
from .._utils.warn import ignoring
from ..linalg.assign import nearest_centres
from ..linalg.kmeans import kmeans

__all__ = [
    "CodedRows",
    "UnitRows",
    "anchor_positions",
    "clipped",
    "code_map",
    "group_samples",
    "grouped",
    "grouping_points",
    "inner",
    "largest",
    "squared_lengths",
    "strongest_anchors",
]

_MAX_DIMENSIONS = 100  # of a view when samples are grouped: further directions are noise for k-means
_COMPLETION_ROUNDS = 10
_GROUPS_PER_DIRECTION = 5  # sets the rank of the completion of missing samples
_ITERATIONS = 20  # of k-means: anchors need to cover the samples, not to be optimal
_FEW, _MANY = 50, 100  # samples per group that find its mean; the former if there are more than the latter
_HEIGHT = 0.5  # the coordinate h, in root mean square distances from the mean
_SAFE = (1e-30, 1e30)  # squared lengths that single precision can hold


@dataclass(frozen=True)
class UnitRows:
    """Samples of one view scaled to unit length: ``diag(scale) @ values``, never multiplied out.

    Attributes
    ----------
    values : (b, d) array or sparse matrix of float32, finite
    scale : (b,) array of float32
        One over the length; 0 for an empty sample, which is missing from the view or all zeros in it.
    absent : (b,) array of bool
        Which samples are missing from the view.
    """

    values: Any
    scale: Any
    absent: Any

    @classmethod
    def of(cls, block: Any, absent: np.ndarray | None = None, squares: np.ndarray | None = None) -> UnitRows:
        """From a (b, d) block of real numbers whose rows are finite except for absent samples.

        ``squares`` are the squared lengths of the rows, if they are known and no sample is absent.
        """
        if not (sp.issparse(block) or is_numpy_array(block)):
            return cls._of_tensor(block, absent)
        absent = np.zeros(block.shape[0], dtype=bool) if absent is None else absent
        if absent.any():
            block = sp.diags_array((~absent).astype(block.dtype)) @ block if sp.issparse(block) else _zeroed(block, absent)
        squares = squared_lengths(block) if squares is None else squares
        unsafe = (squares != 0) & ((squares < _SAFE[0]) | ~(squares < _SAFE[1]))
        if unsafe.any() or (squares == 0).any():  # a square may have underflowed
            block = _divided_by_peaks(block)
            squares = squared_lengths(block)
        occupied = squares > 0
        scale = np.where(occupied, 1 / np.sqrt(np.where(occupied, squares, 1)), 0)
        return cls(block.astype(np.float32, copy=False), scale.astype(np.float32), absent)

    @classmethod
    def _of_tensor(cls, block: Any, absent: Any) -> UnitRows:
        """The same for arrays of other libraries, on their device."""
        xp = array_namespace(block)
        block = xp.astype(block, xp.float32, copy=False)
        if absent is not None:
            block = xp.where(absent[:, None], xp.zeros_like(block), block)
        peaks = xp.max(xp.abs(block), axis=1)  # divided by it first, so that squares neither overflow nor underflow
        peaks = xp.where(peaks > 0, peaks, xp.ones_like(peaks))
        lengths = xp.linalg.vector_norm(block / peaks[:, None], axis=1)
        scale = xp.where(lengths > 0, 1 / xp.where(lengths > 0, lengths, xp.ones_like(lengths)) / peaks, lengths)
        return cls(block, scale, xp.zeros_like(scale, dtype=xp.bool) if absent is None else absent)

    def __len__(self) -> int:
        return int(self.scale.shape[0])

    def __getitem__(self, rows: Any) -> UnitRows:
        return UnitRows(self.values[rows], self.scale[rows], self.absent[rows])

    def __matmul__(self, matrix: Any) -> Any:
        product = self.values @ matrix
        product *= self.scale[:, None]
        return product

    def codes(self, mapping: Any) -> Any:
        """``(x_i, 1)`` times a (d + 1, m) map; 0 for empty samples."""
        product = self @ mapping[:-1, :]
        if is_numpy_array(self.scale) and self.scale.all():
            product += mapping[-1, :]
            return product
        product += array_namespace(product).astype(self.scale > 0, product.dtype)[:, None] * mapping[-1, :]
        return product

    def like(self, array: Any) -> UnitRows:
        """The same samples in the library and on the device of the array; sparse values become dense."""
        values = self.values.toarray() if sp.issparse(self.values) else self.values
        return UnitRows(beside(array, values), beside(array, self.scale), beside(array, self.absent))

    def on_host(self) -> UnitRows:
        """The same samples as NumPy arrays; sparse values stay sparse."""
        values = self.values if sp.issparse(self.values) else to_host(self.values)
        return UnitRows(values, to_host(self.scale), to_host(self.absent))

    def mean(self) -> np.ndarray:
        """Mean of the samples that are not empty, (d,)."""
        scale = to_host(self.scale)
        return to_host(self.scale @ self.values).astype(float) / max(np.count_nonzero(scale), 1)

    def scaled(self) -> Any:
        """The product multiplied out."""
        if sp.issparse(self.values):
            return sp.csr_array(sp.diags_array(self.scale) @ self.values)
        return self.values * self.scale[:, None]


@dataclass(frozen=True)
class CodedRows:
    """Samples of which only the codes are kept, to use them in many iterations; otherwise as :class:`UnitRows`."""

    kept: Any
    scale: Any

    @classmethod
    def of(cls, view: UnitRows, mapping: Any) -> CodedRows:
        return cls(view.codes(mapping), view.scale)

    def __len__(self) -> int:
        return int(self.scale.shape[0])

    def __getitem__(self, rows: Any) -> CodedRows:
        return CodedRows(self.kept[rows], self.scale[rows])

    def codes(self, mapping: Any) -> Any:
        """The codes by the map of :meth:`of`."""
        return self.kept


def inner(first: Any, second: Any) -> float:
    """``⟨first, second⟩`` of two arrays of one shape."""
    return float(np.vdot(first, second) if is_numpy_array(first) else array_namespace(first).sum(first * second))


def clipped(values: Any) -> Any:
    """``(values)₊``, in place if possible."""
    return np.maximum(values, 0, out=values) if is_numpy_array(values) else array_namespace(values).clip(values, 0.0)


def largest(values: Any, count: int) -> Any:
    """The largest entries of each row, the least of them first; the others in any order."""
    if is_torch_array(values):
        return array_namespace(values).flip(values.topk(count, dim=1).values, axis=1)  # far faster than sorting
    rank = values.shape[1] - count
    ordered = np.partition(values, rank, axis=1) if is_numpy_array(values) else array_namespace(values).sort(values, axis=1)
    return ordered[:, rank:]


def squared_lengths(block: Any) -> Any:
    """``‖x_i‖²`` of every row, (b,); not finite if an entry is not or the sum overflows."""
    if not (sp.issparse(block) or is_numpy_array(block)):
        return array_namespace(block).sum(block * block, axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        if sp.issparse(block):
            return np.asarray(block.multiply(block).sum(axis=1), dtype=float).ravel()
        floats = block if block.dtype.kind == "f" else block.astype(np.float64)
        return np.einsum("ij,ij->i", floats, floats)


def group_samples(views: Sequence[UnitRows], n_groups: int, random_state: np.random.RandomState) -> np.ndarray:
    """``min Σ_i ‖x_i − a_{g_i}‖²`` over groups ``g`` and their means: k-means on the scaled views side by side.

    Views of many features are reduced to their leading directions first, and missing samples are completed from their other
    views (:func:`_completed`). Returns (n,) labels 0 … m − 1; with no more samples than groups, each is its own group.
    """
    if n_groups >= len(views[0]):
        return np.arange(len(views[0]))
    return grouped(grouping_points(views, n_groups, random_state), n_groups, random_state)


def grouping_points(views: Sequence[UnitRows], n_groups: int, random_state: np.random.RandomState) -> Any:
    """The points that :func:`grouped` groups: leading directions of the views side by side, on their device."""
    empty = [to_host(view.scale) == 0 for view in views]
    if any(rows.any() for rows in empty):
        views = [view.on_host() for view in views]
    points = [_leading_directions(view, random_state) for view in views]
    side_by_side = array_namespace(*points).concat(points, axis=1)
    if any(rows.any() for rows in empty):
        missing = np.hstack([np.broadcast_to(rows[:, None], p.shape) for rows, p in zip(empty, points, strict=True)])
        rank = min(max(n_groups // _GROUPS_PER_DIRECTION, 1), *side_by_side.shape)
        side_by_side = _completed(side_by_side, missing, rank, random_state)
    return side_by_side


def grouped(points: Any, n_groups: int, random_state: np.random.RandomState) -> np.ndarray:
    """Labels 0 … m − 1 of (n, p) points by k-means; with no more samples than groups, each is its own group."""
    if n_groups >= points.shape[0]:
        return np.arange(points.shape[0])
    return np.unique(_nearest_means(points, n_groups, random_state), return_inverse=True)[1]


def _nearest_means(points: Any, n_groups: int, random_state: np.random.RandomState) -> np.ndarray:
    """The group of each point by k-means, on the device of the points.

    Of many points, some find the means, and all are assigned to them.
    """
    n, some = points.shape[0], points
    if n > _MANY * n_groups:
        rows = np.sort(random_state.choice(n, _FEW * n_groups, replace=False))
        some = array_namespace(points).take(points, beside(points, rows), axis=0)
    if is_tensor(points):
        centres = kmeans(some, n_groups, n_init=1, random_state=random_state, max_iterations=_ITERATIONS).centres
    else:
        seeds = some[_spread_rows(some, n_groups, random_state)]
        with ignoring("Number of distinct clusters"):
            found = KMeans(n_groups, init=seeds, n_init=1, max_iter=_ITERATIONS).fit(some)
        if some is points:
            return np.asarray(found.labels_)
        centres = found.cluster_centers_
    return to_host(nearest_centres(points, centres))


def _spread_rows(points: np.ndarray, count: int, random_state: np.random.RandomState) -> np.ndarray:
    """Rows drawn one after the other, each in proportion to the squared distance from those before it (k-means++).

    Of a few draws the best is taken, as in scikit-learn, which for so many rows takes twice as long.
    """
    points = points.astype(np.float32, copy=False)
    transposed = np.ascontiguousarray(points.T)  # copied once, where every product would copy it again
    squares = np.einsum("ij,ij->i", points, points)
    best = random_state.randint(len(points))
    chosen, nearest = [best], _squared_distances(transposed, squares, np.array([best]))[0]
    for draws in random_state.random_sample((count - 1, 2 + int(np.log(count)))):
        reached = np.cumsum(nearest, dtype=np.float64)
        drawn = np.minimum(np.searchsorted(reached, draws * reached[-1], side="right"), len(points) - 1)
        closer = np.minimum(nearest, _squared_distances(transposed, squares, drawn))
        best = int(closer.sum(axis=1).argmin())
        chosen.append(int(drawn[best]))
        nearest = closer[best]
    return np.array(chosen)


def _squared_distances(transposed: np.ndarray, squares: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """From some of the points to all, (number of rows, n), given the (p, n) matrix of the points."""
    distances = transposed[:, rows].T @ transposed
    distances *= -2
    distances += squares
    distances += squares[rows][:, None]
    distances[np.arange(len(rows)), rows] = 0
    return np.maximum(distances, 0, out=distances)


def _completed(points: np.ndarray, missing: np.ndarray, rank: int, random_state: np.random.RandomState) -> np.ndarray:
    """``min ‖X − L‖²`` over ``L`` of this rank and the missing entries of ``X``, in turn.

    It starts from the means. These alone would place all samples without a view near one point.
    """
    points = points.astype(np.float64)
    present = np.maximum((~missing).sum(axis=0), 1)
    points = np.where(missing, np.where(missing, 0, points).sum(axis=0) / present, points)
    for _ in range(_COMPLETION_ROUNDS):
        mean = points.mean(axis=0)
        left, lengths, right = randomized_svd(points - mean, rank, n_iter=2, random_state=random_state)
        points = np.where(missing, (left * lengths) @ right + mean, points)
    return points


def anchor_positions(view: UnitRows, groups: np.ndarray) -> np.ndarray:
    """Mean of each group's samples in this view, (m, d); a group without samples is at the origin and gets no edges."""
    m, n = int(groups.max()) + 1, len(groups)
    if is_tensor(view.values):
        return _tensor_positions(view, groups, m)
    members = sp.csr_array(((view.scale > 0).astype(np.float64), (groups, np.arange(n))), shape=(m, n))
    sums = members @ view.scaled()
    sums = sums.toarray() if sp.issparse(sums) else np.asarray(sums)
    return sums / np.maximum(members.sum(axis=1), 1)[:, None]


def _tensor_positions(view: UnitRows, groups: np.ndarray, m: int) -> np.ndarray:
    """The same on the device of the view."""
    xp = array_namespace(view.values)
    own = beside(view.values, groups)[:, None] == xp.arange(m, device=view.values.device)[None, :]
    members = xp.astype(own & (view.scale > 0)[:, None], xp.float32)
    sums, sizes = to_host(members.T @ view.scaled()), to_host(xp.sum(members, axis=0))
    return np.asarray(sums.astype(float) / np.maximum(sizes, 1)[:, None])


def code_map(anchors: np.ndarray, mean: np.ndarray, alpha: float) -> np.ndarray:
    """The map from ``(x_i, 1)`` to the code ``c_i = x̃_i Ãᵀ (Ã Ãᵀ + α a² I)⁻¹``, (d + 1, m); ``mean`` is μ."""
    m = len(anchors)
    height = _HEIGHT * np.sqrt(max(1 - float(mean @ mean), 0.0))  # as ‖x_i‖ = 1, the mean of ‖x_i − mean‖² is 1 − ‖mean‖²
    lifted = np.hstack([anchors - mean, np.full((m, 1), height)])
    gram = lifted @ lifted.T
    strength = alpha * max(float(np.trace(gram)) / m, float(np.finfo(np.float32).tiny))
    mapping = np.linalg.solve(gram + strength * np.eye(m), lifted).T
    return np.vstack([mapping[:-1], height * mapping[-1] - mean @ mapping[:-1]])


def strongest_anchors(codes: Any, n_neighbors: int) -> tuple[Any, Any]:
    """``z_ij = (c_ij − c_i(q+1))₊ / r_i`` in place of the codes, and ``r_i``; rows sum to 1, or are 0 if all codes are
    equal."""
    xp = array_namespace(codes)
    codes -= largest(codes, min(n_neighbors, codes.shape[1] - 1) + 1)[:, :1]
    codes = clipped(codes)
    totals = xp.sum(codes, axis=1)
    codes /= xp.where(totals > 0, totals, xp.ones_like(totals))[:, None]
    return codes, totals


def _leading_directions(view: UnitRows, random_state: np.random.RandomState) -> Any:
    values = view.scaled()
    n, d = values.shape
    if d > _MAX_DIMENSIONS and is_tensor(values):
        _, vectors = np.linalg.eigh(to_host(values.T @ values).astype(float))
        return values @ beside(values, vectors[:, -_MAX_DIMENSIONS:].astype(np.float32))
    if d > _MAX_DIMENSIONS:
        size = min(_MAX_DIMENSIONS, n)
        left, lengths, _ = randomized_svd(values, size, n_oversamples=20, n_iter=2, random_state=random_state)
        return left * lengths
    return values.toarray() if sp.issparse(values) else values


def _zeroed(block: np.ndarray, rows: np.ndarray) -> np.ndarray:
    copy = np.array(block)
    copy[rows] = 0
    return copy


def _divided_by_peaks(block: Any) -> Any:
    """Every row divided by its largest entry, so that squares neither overflow nor underflow."""
    peaks = abs(block).max(axis=1)
    peaks = peaks.toarray().ravel() if sp.issparse(block) else np.asarray(peaks, dtype=float)
    inverse = 1 / np.where(peaks > 0, peaks, 1)
    return sp.diags_array(inverse) @ block if sp.issparse(block) else block * inverse[:, None]
