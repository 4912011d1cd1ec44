"""A map of a graph: 2-D positions in which the neighbours of the graph lie close together (t-SNE of a given graph).

With ``p_ij = (a_ij / Σ_j a_ij + a_ji / Σ_i a_ji) / 2n`` of a graph with edge weights ``a``, and
``w_ij = 1 / (1 + ‖y_i − y_j‖²)``,

    min_y Σ_ij p_ij log(p_ij / q_ij),   q_ij = w_ij / Σ_kl w_kl,

from a spectral layout, by gradient descent with momentum (van der Maaten & Hinton, JMLR 2008). The gradient has a force
along each edge and a repulsion ``Σ_j w_ij² (y_i − y_j) / Σ_kl w_kl`` between all samples. The repulsion is a convolution: it
is interpolated on a grid and computed by FFT in O(n + m log m) with m grid points (Linderman et al., Nature Methods 2019).

The map is made from the graph alone. It knows neither labels nor a cut, so it shows clusters only if the graph has them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.fft
import scipy.sparse as sp

from ..linalg.sparse_cut import spectrum

__all__ = ["neighbor_map", "neighborhood_preservation", "spectral_layout"]

_ITERATIONS, _ITERATIONS_OF_FEW, _FEW = 420, 240, 500
_EXAGGERATED = 0.3  # share of the iterations in which edges pull twelve times as much, so that clusters find their places
_EXAGGERATION = 12.0
_SPACING = 0.6  # of grid points, where w is 1/(1 + d²); larger if the grid would have more than _MOST_POINTS per side
_FEWEST_POINTS, _MOST_POINTS = 32, 256
_DIRECT_UP_TO = 300
_SPECTRAL_VECTORS = 10
_NEIGHBORS = 15


def neighbor_map(graph: sp.sparray, *, n_iter: int | None = None, start: np.ndarray | None = None) -> np.ndarray:
    """Positions of the samples of a symmetric graph, (n, 2), centred, with a root mean square of 1.

    The same graph gives the same map. By default there are 420 iterations, 240 for at most 500 samples. ``start`` are
    positions to begin with; the default is :func:`spectral_layout`.
    """
    n = graph.shape[0]
    if n < 4 or graph.nnz == 0:
        return _circle(n)
    n_iter = (_ITERATIONS if n > _FEW else _ITERATIONS_OF_FEW) if n_iter is None else n_iter
    edges = Edges.of(_probabilities(graph))
    points = spectral_layout(graph) if start is None else np.asarray(start, dtype=float)
    points = 1e-2 * points / max(float(points.std()), 1e-300)
    rate = max(n / _EXAGGERATION, 50.0)
    velocity, gains = np.zeros_like(points), np.ones_like(points)
    for iteration in range(n_iter):
        early = iteration < _EXAGGERATED * n_iter
        push, total = repulsion(points)
        gradient = (_EXAGGERATION if early else 1.0) * pull(edges, points) - push / total
        same = np.sign(gradient) == np.sign(velocity)
        gains = np.maximum(np.where(same, 0.8 * gains, gains + 0.2), 0.01)
        velocity = (0.5 if early else 0.8) * velocity - 4 * rate * gains * gradient
        longest = np.abs(velocity).max()
        if longest > 5:
            velocity *= 5 / longest
        points = points + velocity
        points -= points.mean(axis=0)
    return points / max(float(np.sqrt(np.mean(points**2))), 1e-300)


def spectral_layout(graph: sp.sparray) -> np.ndarray:
    """The two main directions of the smoothest eigenvectors of a graph, (n, 2).

    Ten eigenvectors are used and not two: a graph in several pieces has one eigenvector for each piece, and in two of them
    all the other pieces would coincide.
    """
    n = graph.shape[0]
    found = spectrum(graph, min(_SPECTRAL_VECTORS + 1, n), random_state=np.random.RandomState(0))
    vectors = np.asarray(found.vectors, dtype=float)[:, 1:] * (1 - np.clip(found.values[1:], 0, 1))
    vectors = vectors - vectors.mean(axis=0)
    left, sizes, _ = np.linalg.svd(vectors, full_matrices=False)
    plane = left[:, :2] * sizes[:2]
    plane *= np.where(plane[np.abs(plane).argmax(axis=0), [0, 1]] < 0, -1, 1)
    return plane + 1e-3 * plane.std() * np.random.RandomState(0).standard_normal(plane.shape)  # samples must not coincide


def neighborhood_preservation(graph: sp.sparray, points: np.ndarray, count: int = _NEIGHBORS) -> float:
    """Share of the ``count`` nearest samples on a map that are among the ``count`` strongest edges of the graph, 0 to 1."""
    from sklearn.neighbors import NearestNeighbors

    count = min(count, len(points) - 1)
    near = NearestNeighbors(n_neighbors=count).fit(points).kneighbors(return_distance=False)
    graph = sp.csr_array(graph)
    kept = []
    for row, found in enumerate(near):
        span = slice(graph.indptr[row], graph.indptr[row + 1])
        strongest = graph.indices[span][np.argsort(-graph.data[span], kind="stable")[:count]]
        kept.append(np.isin(strongest, found).sum() / max(min(count, strongest.size), 1))
    return float(np.mean(kept))


def _probabilities(graph: sp.sparray) -> sp.csr_array:
    """``p``, summing to 1, without self-loops."""
    weights = sp.csr_array(graph, dtype=float, copy=True)
    weights.setdiag(0)
    weights.eliminate_zeros()
    degree = weights.sum(axis=1)
    rows = sp.csr_array(weights.multiply(1 / np.where(degree > 0, degree, 1)[:, None]))
    return sp.csr_array((rows + rows.T) / max(float(2 * rows.sum()), 1e-300))


class Edges(NamedTuple):
    """The edges of a symmetric graph, each once: the samples at its ends, and ``p_ij``."""

    first: np.ndarray
    second: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, probabilities: sp.csr_array) -> Edges:
        upper = sp.triu(probabilities, k=1).tocoo()
        return cls(upper.row.astype(np.intp), upper.col.astype(np.intp), upper.data)


def pull(edges: Edges, points: np.ndarray) -> np.ndarray:
    """``Σ_j p_ij w_ij (y_i − y_j)``, (n, 2)."""
    apart = [column[edges.first] - column[edges.second] for column in np.ascontiguousarray(points.T)]
    force = edges.weight / (1 + apart[0] ** 2 + apart[1] ** 2)
    n = len(points)
    sums = [np.bincount(edges.first, force * x, n) - np.bincount(edges.second, force * x, n) for x in apart]
    return np.column_stack(sums)


def repulsion(points: np.ndarray) -> tuple[np.ndarray, float]:
    """``Σ_j w_ij² (y_i − y_j)``, (n, 2), and ``Σ_{i≠j} w_ij``; of more than 300 samples, both interpolated on a grid."""
    return _direct_repulsion(points) if len(points) <= _DIRECT_UP_TO else _interpolated_repulsion(points)


def _direct_repulsion(points: np.ndarray) -> tuple[np.ndarray, float]:
    x, y = (column[:, None] - column[None, :] for column in points.T)
    w = 1 / (1 + x * x + y * y)
    squares = w * w
    return np.column_stack([(squares * x).sum(axis=1), (squares * y).sum(axis=1)]), float(w.sum()) - len(points)


def _interpolated_repulsion(points: np.ndarray) -> tuple[np.ndarray, float]:
    grid = _Grid.around(points)
    weights = grid.interpolation(points)
    charges = (weights.T @ np.column_stack([np.ones(len(points)), points])).T.reshape(3, grid.side, grid.side)
    sums = grid.convolved(charges)
    near, near_x, near_y, all_w = (weights @ sums.reshape(4, -1).T).T
    push = points * near[:, None] - np.column_stack([near_x, near_y])
    return push, max(float(all_w.sum()) - len(points), 1e-12)


class _Grid(NamedTuple):
    """A square grid of ``side × side`` points from ``low``, ``spacing`` apart."""

    low: np.ndarray
    spacing: float
    side: int

    @classmethod
    def around(cls, points: np.ndarray) -> _Grid:
        low, high = points.min(axis=0), points.max(axis=0)
        extent = max(float((high - low).max()), 1e-12)
        side = int(np.clip(np.ceil(extent / _SPACING), _FEWEST_POINTS, _MOST_POINTS))
        spacing = extent / side
        return cls(low - 1.5 * spacing, spacing, side + 5)  # cubic interpolation needs two more points on each side

    def interpolation(self, points: np.ndarray) -> sp.csr_array:
        """(n, side²): cubic Lagrange weights of the 16 grid points around each sample."""
        place = (points - self.low) / self.spacing
        first = np.floor(place).astype(np.int32) - 1
        t = place - first  # in [1, 2)
        along = np.stack(
            [
                -(t - 1) * (t - 2) * (t - 3) / 6,
                t * (t - 2) * (t - 3) / 2,
                -t * (t - 1) * (t - 3) / 2,
                t * (t - 1) * (t - 2) / 6,
            ],
            axis=2,
        )
        steps = np.arange(4, dtype=np.int32)
        index = (first[:, 0, None, None] + steps[:, None]) * self.side + first[:, 1, None, None] + steps[None, :]
        data = along[:, 0, :, None] * along[:, 1, None, :]
        n = len(points)
        return sp.csr_array((data.ravel(), index.ravel(), np.arange(0, 16 * n + 1, 16)), shape=(n, self.side**2))

    def convolved(self, charges: np.ndarray) -> np.ndarray:
        """(4, side, side): ``w² ∗`` each of the three charges, and ``w ∗`` the first."""
        size = scipy.fft.next_fast_len(2 * self.side, real=True)
        steps = np.arange(size)
        steps = self.spacing * np.minimum(steps, size - steps)
        w = (1 / (1 + steps[:, None] ** 2 + steps[None, :] ** 2)).astype(np.float32)
        kernels = scipy.fft.rfft2(np.stack([w * w, w]))
        spectra = scipy.fft.rfft2(charges.astype(np.float32), s=(size, size))
        products = np.concatenate([kernels[0] * spectra, kernels[1:] * spectra[:1]])
        return np.asarray(scipy.fft.irfft2(products, s=(size, size))[:, : self.side, : self.side])


def _circle(n: int) -> np.ndarray:
    """Evenly spaced points on a circle, for too few samples for a map."""
    angles = 2 * np.pi * np.arange(n) / max(n, 1)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)
