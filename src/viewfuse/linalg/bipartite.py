"""The embedding of a graph between samples and anchors, through a matrix of the size of the anchors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .assign import unit_rows
from .eigensolvers import symmetric_eigh

__all__ = ["BipartiteEmbedding", "bipartite_embedding"]


@dataclass(frozen=True)
class BipartiteEmbedding:
    """The embedding of the anchors, and the linear map that embeds a sample.

    Attributes
    ----------
    transform : (m, p) array of float32, ``T``: a sample with edge weights ``s_i`` to the anchors is embedded at ``s_i T``
    anchors : (m, p) array of float32, rows of unit length or 0: the directions of the anchors in the same space
    values : (p,) array, descending: the squared singular values of ``S D^-½``, the first one 1
    """

    transform: np.ndarray
    anchors: np.ndarray
    values: np.ndarray


def bipartite_embedding(gram: np.ndarray, degree: np.ndarray, n_components: int) -> BipartiteEmbedding:
    """``max Tr(UᵀBH)``, ``B = S D^-½``, over (n, p) ``U`` and (m, p) ``H`` with ``UᵀU = HᵀH = I``: the normalized cut.

    ``S`` (n × m) has rows that sum to 1 and column sums ``D``. ``H`` holds the largest eigenvectors of ``BᵀB`` (m × m) and
    ``U = B H Σ^-1``. Samples are embedded at ``F = U Σ² = B H Σ``: a diffusion map of the random walk from sample to anchor
    to sample, which scales each direction by its eigenvalue. So a few directions more than clusters do no harm, and a
    cluster is kept even if its direction comes after one that splits another cluster. Only ``gram = SᵀS`` and the column
    sums are needed, both sums over samples. An anchor without edges is at the origin.
    """
    connected = degree > 1e-9 * degree.max(initial=0.0)
    root = np.where(connected, 1 / np.sqrt(np.where(connected, degree, 1)), 0)
    values, vectors = symmetric_eigh(-(root[:, None] * gram * root[None, :]), smallest=min(n_components, len(gram)))
    values = np.maximum(-values, 0)
    transform = root[:, None] * vectors * np.sqrt(values)
    anchors = unit_rows(np.where(connected[:, None], vectors * values, 0))  # 0, not the direction of rounding errors
    return BipartiteEmbedding(transform.astype(np.float32), anchors.astype(np.float32), values)
