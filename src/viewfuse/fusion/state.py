"""The variables of a fusion between two iterations, as one frozen record."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace

__all__ = ["Embedding", "State", "new_graphs"]


@dataclass(frozen=True)
class Embedding:
    """The embedding ``F`` of a graph.

    Attributes
    ----------
    vectors : (n, k) array, ``F``, orthonormal columns
    eigenvalues : (k,) array
    points : (n, k) array, whose squared distances are ``P``: the rows of ``F``, of unit length in the robust variant
    block : (n, b) array, where the eigensolver starts for a similar graph; None if unknown
    is_rough : whether the residual is larger than that of a result
    mean_distance : mean entry of ``P``; used by the robust variant only
    """

    vectors: Any
    eigenvalues: Any
    points: Any
    block: Any = None
    is_rough: bool = False
    mean_distance: float = 0.0


@dataclass(frozen=True)
class State:
    """The variables between two iterations.

    A fusion holds three (n, n) arrays, whatever the number of views. One is ``consensus``. The other two are either a
    graph that is still needed (``weighted_sum`` or ``previous``) or ``spare``. An iteration may overwrite both
    (:meth:`scratch`) and says in its new state what each array holds then.

    Attributes
    ----------
    consensus : (n, n) array, ``S``
    weights : (n_views,) array, ``w``
    norm2 : ``‖S‖²``
    spare : (n, n) arrays whose contents are not needed
    weighted_sum : (n, n) array, ``M = Σ_v w_v Z_v`` of the last iteration, if it is part of the result
    previous : (n, n) array, ``S`` before the last iteration, if its embedding is part of the result
    moved : ``‖S − previous‖``, in the published variant
    products : (n, Σ r_v) array, ``previous`` times the bases of all views side by side, if these are known; overwritten
    embedding : Embedding or None before the first
    consensus_is_identity : whether ``S`` is the identity, as at the start of the published variant
    rotation : by how much ``F`` turned in the last round, as the sine of a mean angle
    rotation_rate : rate at which rotations shrink from round to round
    embedding_converged : whether ``F`` converged within the last iteration
    weight_change : largest change of a weight in the last iteration
    """

    consensus: Any
    weights: np.ndarray
    norm2: float
    spare: tuple[Any, ...]
    weighted_sum: Any = None
    previous: Any = None
    moved: float = math.inf
    products: Any = None
    embedding: Embedding | None = None
    consensus_is_identity: bool = False
    rotation: float = 1.0
    rotation_rate: float = math.inf
    embedding_converged: bool = False
    weight_change: float = math.inf

    def scratch(self) -> tuple[Any, Any]:
        """The two (n, n) arrays beside the consensus, to be overwritten."""
        first, second = (array for array in (*self.spare, self.weighted_sum, self.previous) if array is not None)
        return first, second


def new_graphs(like: Any) -> tuple[Any, Any, Any]:
    """Three (n, n) arrays of zeros with the library, dtype and device of ``like``, an (n, ·) array."""
    xp, n = array_namespace(like), int(like.shape[0])
    first, second, third = (xp.zeros((n, n), dtype=like.dtype, device=like.device) for _ in range(3))
    return first, second, third
