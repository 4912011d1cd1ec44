"""The embedding of a graph between samples and anchors, through a matrix of the size of the anchors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .assign import unit_rows
from .eigensolvers import symmetric_eigh

__all__ = ["BipartiteEmbedding", "bipartite_embedding"]


@dataclass(frozen=True)
class BipartiteEmbedding:
    """Where anchors lie, and what takes a sample's ties to where it lies.

    Attributes
    ----------
    transform : (m, p) array of float32, ``T``: a sample with ties ``s_i`` lies at ``s_i T``
    anchors : (m, p) array of float32, rows of unit length (or 0): the anchors' directions in the same space
    values : (p,) array, descending: the squared singular values of ``S D^-½``, the first one 1
    """

    transform: np.ndarray
    anchors: np.ndarray
    values: np.ndarray


def bipartite_embedding(gram: np.ndarray, degree: np.ndarray, n_components: int) -> BipartiteEmbedding:
    """``max Tr(UᵀBH)``, ``B = S D^-½``, over (n, p) ``U`` and (m, p) ``H`` with ``UᵀU = HᵀH = I``: the normalised cut.

    ``S`` (n × m) has rows that sum to 1 and column sums ``D``. ``H`` holds the largest eigenvectors of ``BᵀB`` (m × m) and
    ``U = B H Σ^-1``. Samples lie at ``F = U Σ² = B H Σ``: distances between them are those of the walk from sample to anchor
    to sample (a diffusion map), in which directions count by how well they survive it. So a few more than one per cluster do
    no harm, and no cluster is lost whose direction comes second to a split of another. Only ``gram = SᵀS`` and the column
    sums are needed, both sums over samples. An anchor that nobody is tied to is at the origin.
    """
    tied = degree > 1e-9 * degree.max(initial=0.0)
    root = np.where(tied, 1 / np.sqrt(np.where(tied, degree, 1)), 0)
    values, vectors = symmetric_eigh(-(root[:, None] * gram * root[None, :]), smallest=min(n_components, len(gram)))
    values = np.maximum(-values, 0)
    transform = root[:, None] * vectors * np.sqrt(values)
    anchors = unit_rows(np.where(tied[:, None], vectors * values, 0))  # of one without ties rounding would make a direction
    return BipartiteEmbedding(transform.astype(np.float32), anchors.astype(np.float32), values)
