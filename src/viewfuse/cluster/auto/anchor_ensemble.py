"""Anchor graphs of several placements of the anchors side by side, cut together.

Where anchors are placed is a matter of chance, and on small data one placement in three may be unlucky. With the anchor
graphs ``S_1 … S_P`` (n × m each) of P placements, ``S = (S_1, …, S_P)/P`` is the graph of n samples and all ``Pm`` anchors:
its cut is that of the mean of ``S_p D_p⁻¹ S_pᵀ``, so placements that agree outvote the others. It costs P times the
iterations of one placement, with ``n m`` numbers for each, and the eigenvectors of a ``Pm × Pm`` matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp

from ...fusion.anchor import AnchorFusion, learn_anchors, place
from ...graphs import Samples
from ...graphs.anchors import UnitRows, grouped, grouping_points
from ...linalg import assign_clusters, bipartite_embedding, unit_rows
from ...linalg.threads import together
from ..anchor_gfsc import AnchorGFSC

__all__ = ["AnchorEnsemble"]

_COMPONENTS_PER_CLUSTER = 1.2  # as in one placement, but rounded: a third component for two clusters may divide one
_TOL = 0.05  # of a placement: what its graph would still change is averaged away
_STARTS = 2**31 - 1


@dataclass(frozen=True)
class AnchorEnsemble:
    """The clusters of the joined graph.

    Attributes
    ----------
    labels : (n,) array of int
    embedding : (n, k) array
    edges : (n, P m) sparse array, the joined anchor graph ``S``
    leading : (n, p) array, the leading directions of the views, in which anchors were placed
    n_iter : int, of the placement that took longest
    converged : bool, whether all did
    """

    labels: np.ndarray
    embedding: np.ndarray
    edges: sp.csr_array
    leading: np.ndarray
    n_iter: int
    converged: bool

    @classmethod
    def of(
        cls,
        samples: Samples,
        k: int,
        placements: int,
        random_state: np.random.RandomState,
        *,
        n_init: int = 10,
        leading: np.ndarray | None = None,
    ) -> AnchorEnsemble:
        """Place anchors so often, and cut the joined graph by k-means with so many starts; ``leading`` if it is known."""
        views = [UnitRows.of(view, absent) for view, absent in zip(_single(samples), _absent(samples), strict=True)]
        n_anchors = min(80 + 2 * k, len(samples))
        points = grouping_points(views, n_anchors, random_state) if leading is None else leading

        def placed(rng: np.random.RandomState) -> tuple[AnchorFusion, np.ndarray]:
            fusion = _learned(views, k, samples.weights, grouped(points, n_anchors, rng), rng)
            return fusion, place(fusion.model, views).consensus

        own = [np.random.RandomState(random_state.randint(_STARTS)) for _ in range(placements)]
        fusions, graphs = zip(*together([partial(placed, rng) for rng in own]), strict=True)
        joined = np.hstack(graphs) / placements
        labels, embedding = _cut(joined, k, n_init, random_state)
        return cls(
            labels,
            embedding[:, :k],
            sp.csr_array(joined),
            points,
            max(len(fusion.sweeps) for fusion in fusions),
            all(fusion.converged for fusion in fusions),
        )

    def graph(self) -> sp.csr_array:
        """``S D⁻¹ Sᵀ``, (n, n)."""
        degree = np.asarray(self.edges.sum(axis=0)).ravel()
        scaled = sp.csr_array(self.edges.multiply(1 / np.where(degree > 0, degree, 1)[None, :]))
        return sp.csr_array(scaled @ self.edges.T)


def _single(samples: Samples) -> list[np.ndarray]:
    return [view.astype(np.float32) for view in samples.points]


def _absent(samples: Samples) -> list[np.ndarray | None]:
    return [None] * samples.n_views if samples.present is None else [~there for there in samples.present.T]


def _learned(
    views: list[UnitRows],
    k: int,
    factors: tuple[float, ...] | None,
    groups: np.ndarray,
    random_state: np.random.RandomState,
) -> AnchorFusion:
    """One placement, with the parameters of AnchorGFSC but for ``tol``; learned weights are multiplied by ``factors``."""
    given = AnchorGFSC(k).get_params()
    names = ("n_neighbors", "alpha", "beta", "gamma", "max_iter")
    options = {name: given[name] for name in names} | {
        "tol": _TOL,
        "n_anchors": int(groups.max()) + 1,
        "random_state": random_state,
    }
    fusion = learn_anchors(views, k, groups=groups, **options)
    if factors is None:
        return fusion
    return learn_anchors(views, k, groups=groups, fixed_weights=fusion.model.weights * np.asarray(factors), **options)


def _cut(edges: np.ndarray, k: int, n_init: int, random_state: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    components = min(round(_COMPONENTS_PER_CLUSTER * k), edges.shape[1])
    found = bipartite_embedding(edges.T @ edges, edges.sum(axis=0), components)
    embedding = np.asarray(edges @ found.transform, dtype=np.float64)
    return np.asarray(assign_clusters(unit_rows(embedding), k, n_init=n_init, random_state=random_state)), embedding
