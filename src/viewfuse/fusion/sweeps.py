"""The alternation: view graphs, weights, consensus and embedding, each given the others. One class per variant.

Three n × n arrays are held, whatever the number of views: the consensus ``S``, one view's ``Z_v`` and ``M = Σ_v w_v Z_v``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from array_api_compat import array_namespace

from ..exceptions import DivergenceError
from ..linalg import Laplacian, row_sums, smallest_eigenpairs, unit_rows
from ..linalg.threads import spans, worker_threads
from .kernels.dispatch import kernels_for
from .kernels.sizes import GraphSizes, OwnGraph, UpdateSizes
from .result import FusionResult, Sweep

__all__ = ["SWEEPS", "Problem", "ViewGraph", "run_sweeps"]

# A view's graph, scaled to length 1, counts as at least this far from the consensus: it bounds the ratio of two weights.
_LEAST_DISTANCE = 0.01
# Residuals of the eigenvectors, relative to the median degree: for what is handed on, and where little depends on it.
_EXACT, _ROUGH = 1e-5, 1e-2
# The robust variant settles S and F together in at most so many rounds, or until F has no more than this left to turn (the
# sine of a mean angle): at the start, when the views' graphs have yet to follow the cut, and in a sweep.
_ROUNDS = 6
_REST_AT_START, _REST = 5e-3, 2e-3
# S may have so many times tol left to go where sweeps settle at once, and less where they are slow (``_Robust.settled``).
_LEFT = 5
# Samples by which the graphs learned by the views on their own are weighed: a million ties tell as much as all do.
_WEIGHED = 1000
# Weights, of mean 1, that moved less in a sweep are steady.
_STEADY = 0.05


class ViewGraph(Protocol):
    """What the sweeps need of a view."""

    def own(self, alpha: float) -> OwnGraph:
        """Its graph as it is without a consensus."""
        ...

    def write(self, graph: Any, consensus: Any, alpha: float, pull: float, *, symmetric: bool, identity: bool) -> GraphSizes:
        """Set ``graph`` to the view's ``Z``, given the consensus, whether it is the identity, and how strongly it pulls."""
        ...

    def misfit(self, graph: Any, *, symmetric: bool) -> float:
        """``‖Xᵀ − XᵀZ‖²``."""
        ...


@dataclass(frozen=True)
class Problem:
    """What is to be solved: the views and the parameters."""

    graphs: Sequence[ViewGraph]
    n_clusters: int
    alpha: float
    beta: float
    gamma: float
    strongest: float = math.inf  # in the robust variant no tie of the consensus counts more than so many average ones
    joint: bool = True  # False: no cut while fusing; the consensus is embedded, degree-normalised, when it is done


def run_sweeps(
    problem: Problem,
    variant: str,
    like: Any,
    *,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
    on_sweep: Callable[[int, Sweep], bool] | None = None,
) -> FusionResult:
    """Sweep until the consensus changes by less than ``tol``; arrays are made like ``like``, an (n, ·) array.

    Where ``on_sweep`` returns True the sweeps end, settled or not.
    """
    with worker_threads():
        return _run_sweeps(SWEEPS[variant](problem, like, random_state), max_iter, tol, on_sweep)


def _run_sweeps(state: _Published, max_iter: int, tol: float, on_sweep: Callable[[int, Sweep], bool] | None) -> FusionResult:
    state.start()
    sweeps: list[Sweep] = []
    converged = stopped = False
    while not converged and not stopped and len(sweeps) < max_iter:
        sweeps.append(state.sweep())
        _check_finite(sweeps, state.remedy)
        stopped = on_sweep is not None and on_sweep(len(sweeps), sweeps[-1])
        converged = state.settled([sweep.change for sweep in sweeps], tol)
    state.finish()
    return FusionResult(
        consensus=state.consensus,
        fused=state.fused(),
        embedding=state.embedding,
        eigenvalues=state.eigenvalues,
        weights=sweeps[-1].weights,
        sweeps=tuple(sweeps),
        converged=converged,
    )


def _check_finite(sweeps: Sequence[Sweep], remedy: str) -> None:
    last = sweeps[-1]
    if not (math.isfinite(last.change) and math.isfinite(last.objective) and np.isfinite(last.weights).all()):
        raise DivergenceError(
            f"The sweeps diverged: after {len(sweeps)} of them the consensus is no longer finite. {remedy}."
        )


class _Published:
    """The authors' program: ``F`` from ``S``; every ``Z_v`` and at once its weight; then ``S`` from both.

    ``S`` starts as the identity. The last embedding is that of the last sweep's beginning, one ``S`` behind.
    """

    symmetric = True  # each Z_v is symmetrised and S clipped at 0
    compares_unclipped = True  # the new S is compared with the old before it is clipped
    normalized = False  # the Laplacian
    remedy = "Lower gamma, raise beta, or use variant='robust'"  # against divergence

    def __init__(self, problem: Problem, like: Any, random_state: np.random.RandomState) -> None:
        self.problem = problem
        self.random_state = random_state
        self.xp, self.kernels = array_namespace(like), kernels_for(like)
        n, n_views = int(like.shape[0]), len(problem.graphs)
        self.consensus, self.graph, self.weighted_sum = (
            self.xp.zeros((n, n), dtype=like.dtype, device=like.device) for _ in range(3)
        )
        self.weights = np.full(n_views, 1 / n_views)
        self.normalized = self.normalized or not problem.joint
        self.embedding: Any = None
        self.eigenvalues: Any = None
        self.nearby: Any = None  # where the eigensolver starts
        self.embedding_is_rough = False
        self.norm2 = 0.0  # of S
        self.embedding_is_current = False
        self.consensus_is_identity = False

    def start(self) -> None:
        n, k = self.consensus.shape[0], self.problem.n_clusters
        for part in spans(n, 1024):
            self.consensus[part, part] = self.xp.eye(
                part.stop - part.start, dtype=self.consensus.dtype, device=self.consensus.device
            )
        self.norm2 = float(n)
        self.consensus_is_identity = True
        # The Laplacian of the identity is zero, of which LAPACK, and so the program, gives the first unit vectors.
        self.embedding = self.xp.eye(n, k, dtype=self.consensus.dtype, device=self.consensus.device)
        self.eigenvalues = self.embedding[0, :] * 0
        self.embedding_is_current = True

    def sweep(self) -> Sweep:
        if self.problem.joint and not self.embedding_is_current:
            self.embed(self.tolerance())
        sizes, misfit, raw_weights = self.add_up_views()
        self.weights = self.normalised(np.asarray(raw_weights))
        old_norm2 = self.norm2
        update = self.replace_consensus(sum(raw_weights))
        self.norm2 = update.norm2
        scatter = self.scatter_after(sizes, update)
        change = _relative(update.change2, old_norm2)
        return self.summary(misfit, sizes, scatter=scatter, cut=update.cut, change=change)

    def add_up_views(self) -> tuple[list[GraphSizes], float, list[float]]:
        """Every ``Z_v`` and its weight, and ``M``; returns the sizes, the misfit and the weights."""
        sizes, misfit, raw_weights = [], 0.0, []
        for v, view in enumerate(self.problem.graphs):
            sizes.append(self.write(view, self.weights[v]))
            raw_weights.append(self.weight(sizes[-1]))
            self.kernels.add_scaled(self.weighted_sum, raw_weights[-1], self.graph, start=v == 0)
            misfit += view.misfit(self.graph, symmetric=self.symmetric)
        return sizes, misfit, raw_weights

    def finish(self) -> None:
        """The program hands on the embedding of the last sweep's beginning, whose ``S`` is still in ``weighted_sum``."""
        if not self.problem.joint:
            self.embed()
        elif self.embedding_is_rough:
            self.embed(graph=self.weighted_sum)

    def settled(self, changes: Sequence[float], tol: float) -> bool:
        """The program tests from its sixth sweep on."""
        return len(changes) >= 6 and changes[-1] < tol

    def fused(self) -> Any:
        return self.consensus

    def write(self, view: ViewGraph, weight: float) -> GraphSizes:
        pull = self.problem.beta * float(weight)
        alpha, identity = self.problem.alpha, self.consensus_is_identity
        return view.write(self.graph, self.consensus, alpha, pull, symmetric=self.symmetric, identity=identity)

    def weight(self, sizes: GraphSizes) -> float:
        """``1 / (2‖Z_v − S‖)``; two graphs count as no closer than the last digits of their entries tell."""
        rounding2 = (0.01 * self.xp.finfo(self.graph.dtype).eps) ** 2 * sizes.norm2
        distance2 = max(sizes.distance2, float(rounding2))
        return 0.5 / math.sqrt(distance2) if distance2 > 0 else 1.0

    def normalised(self, raw_weights: np.ndarray) -> np.ndarray:
        return raw_weights

    def embed(self, tol: float = _EXACT, graph: Any = None) -> None:
        """``F`` of the consensus, or of another graph."""
        graph = self.consensus if graph is None else graph
        laplacian = Laplacian.of(graph, normalized=self.normalized, symmetric=self.symmetric)
        k = self.problem.n_clusters
        found = smallest_eigenpairs(laplacian, k, start=self.nearby, tol=tol, random_state=self.random_state)
        self.nearby, self.embedding_is_rough = found.block, tol > _EXACT
        self.embedding, self.eigenvalues, self.embedding_is_current = found.vectors, found.values, True

    def tolerance(self) -> float:
        """As exact as ``S`` can tell: an embedding off by everything moves it by penalty · ‖P‖, and ‖P‖ is about 4√(kn)."""
        n, k = self.consensus.shape[0], self.problem.n_clusters
        reach = self.penalty(float(self.weights.sum())) * 4 * math.sqrt(k * n)
        return _EXACT if reach > 1e-6 * math.sqrt(self.norm2) else _ROUGH

    def points(self) -> Any:
        """The points whose squared distances are ``P``."""
        return self.embedding

    def penalty(self, weight_total: float) -> float:
        """What multiplies ``P`` in the update of ``S``: γ / (4β Σ_v w_v)."""
        return self.problem.gamma / (4 * self.problem.beta * weight_total)

    def replace_consensus(self, weight_total: float) -> UpdateSizes:
        """``S ← M / Σ_v w_v − penalty · P``; the old one stays in ``weighted_sum`` until the next sweep."""
        update = self.new_consensus(weight_total, out=self.weighted_sum)
        self.consensus, self.weighted_sum = self.weighted_sum, self.consensus
        self.embedding_is_current = self.consensus_is_identity = False
        return update

    def new_consensus(self, weight_total: float, out: Any) -> UpdateSizes:
        joint = self.problem.joint
        points = self.points() if joint else self.consensus[:, :1] * 0
        penalty = self.penalty(weight_total) if joint else 0.0
        self.cut_price = 4 * self.problem.beta * float(self.weights.sum()) * penalty
        options: dict[str, Any] = {
            "symmetric": self.symmetric,
            "most": self.strongest_tie(),
            "unclipped_change": self.compares_unclipped,
        }
        return self.kernels.update_consensus(
            self.weighted_sum, weight_total, self.consensus, points, penalty, out, **options
        )

    def strongest_tie(self) -> float:
        """The bound on the entries of ``S``."""
        return math.inf

    def scatter(self, sizes: Sequence[GraphSizes]) -> float:
        """``Σ_v w_v ‖Z_v − S‖²``."""
        return sum(float(w) * size.distance2 for w, size in zip(self.weights, sizes, strict=True))

    def scatter_after(self, sizes: Sequence[GraphSizes], update: UpdateSizes) -> float:
        """The same with the new ``S``."""
        return self.scatter(sizes) + float(self.weights.sum()) * (update.moved2 - 2 * update.towards)

    def summary(self, misfit: float, sizes: Sequence[GraphSizes], *, scatter: float, cut: float, change: float) -> Sweep:
        """The objective, with the γ that makes ``penalty`` its minimiser, and the change of ``S``."""
        size = sum(size.norm2 for size in sizes)
        objective = misfit + self.problem.alpha * size + self.problem.beta * scatter + self.cut_price * cut
        with np.errstate(invalid="ignore"):  # all weights 0: the caller sees that the sweeps diverged
            return Sweep(float(objective), change, self.weights / self.weights.sum())


class _Robust(_Published):
    """The program's order, made scale-free.

    * ``S`` starts from the graphs each view learns on its own, weighed, fused and cut, not as the identity.
    * A view's distance is that of two directions, ``‖Z_v/‖Z_v‖ − S/‖S‖‖`` over the ties between different samples: no view
      gains trust because its graph is small, or because it ties every sample to itself. Weights have mean 1, so β means
      the same for two views and for ten.
    * The embedding is degree-normalised, its rows of unit length: ``P_ij = 2 − 2 cos(F_i, F_j)``, so a weakly tied sample
      pulls no harder than another. γ is in units of the mean edge before the cut over the mean ``P``.
    * No tie of ``S`` counts more than six average ones where graphs are learned: near duplicates express each other so
      well that they would make clusters of their own. The update is still the minimiser, now within bounds.
    * ``S`` and ``F`` are settled together within a sweep: of all blocks these two hold each other up longest, and a round of
      them is far cheaper than a sweep. The last embedding is that of the last ``S``.
    """

    normalized = True
    compares_unclipped = False
    _started = False
    _turn = 1.0  # of F in the last round
    _turning_less = math.inf  # from round to round
    _at_rest = False  # whether F came to rest in the last sweep
    _trust_moved = math.inf  # by how much a weight moved in the last sweep, at most
    remedy = "Take alpha, beta and gamma nearer to their defaults"

    def start(self) -> None:
        """The graphs each view learns on its own, weighed, fused and cut."""
        own = [view.own(self.problem.alpha) for view in self.problem.graphs]
        self.weights = self._weigh(own)
        self.kernels.add_up(own, self.weights, self.weighted_sum)
        if self.problem.joint:
            self.embed(_ROUGH, graph=self.weighted_sum)
        self.norm2 = self.replace_consensus(float(self.weights.sum())).norm2
        self._started = True

    def _weigh(self, own: Sequence[OwnGraph]) -> np.ndarray:
        """Weights by the distance of each graph to the mean of all; where graphs are large and learned, on some samples."""
        n = self.weighted_sum.shape[0]
        if n > 2 * _WEIGHED and all(graph.scale is not None for graph in own):
            rows = np.sort(self.random_state.choice(n, _WEIGHED, replace=False))
            own = [graph.among(rows) for graph in own]
        norms2, with_sum = self.kernels.ties_in_common(own)
        sum2 = with_sum.sum()
        return self.normalised(np.array([_trust(*sizes, sum2) for sizes in zip(with_sum, norms2, strict=True)]))

    def sweep(self) -> Sweep:
        before = self.weights
        swept = super().sweep()
        self._trust_moved = float(np.max(np.abs(self.weights - before)))
        return swept

    def settled(self, changes: Sequence[float], tol: float) -> bool:
        """Whether ``S`` hardly changes or, by the rate at which its changes shrink, has little left to go.

        Changes c that shrink by q leave c·q/(1 − q); and where errors shrink by q, those of all sweeps add up to 1/(1 − q)
        times one. So slow sweeps are to settle more exactly.
        """
        shrinking = self._rate(changes)
        return changes[-1] < tol or _left_to_go(changes[-1], shrinking) < _LEFT * (1 - shrinking) * tol

    def _rate(self, changes: Sequence[float]) -> float:
        """By what changes shrink. Without a cut to hold them weights may take long to part, so it takes three to tell."""
        if len(changes) > 1:
            return _shrinking(changes) if self.problem.joint or len(changes) > 2 else math.inf
        return self._following() if self._at_rest and self._trust_moved < _STEADY else math.inf

    def _following(self) -> float:
        """ρ = βw/(α + βw): by what changes shrink while neither ``F`` nor the weights move, as graphs follow ``S``."""
        pulls = self.problem.beta * self.weights
        with np.errstate(invalid="ignore"):
            return float(np.max(pulls / (self.problem.alpha + pulls)))

    def finish(self) -> None:
        self.embed(_EXACT)

    def fused(self) -> Any:
        return self.weighted_sum if self.problem.joint else self.consensus

    def tolerance(self) -> float:
        """Between sweeps a rougher one does: S moves further than that."""
        return 1e-4

    def weight(self, sizes: GraphSizes) -> float:
        """``1 / ‖Z_v/‖Z_v‖ − S/‖S‖‖`` over the ties, the edges between different samples."""
        own_loops, loops = (self.xp.linalg.diagonal(graph) for graph in (self.graph, self.consensus))
        ties2 = sizes.norm2 - float(self.xp.sum(own_loops**2))
        consensus_ties2 = self.norm2 - float(self.xp.sum(loops**2))
        distance2 = sizes.distance2 - float(self.xp.sum((own_loops - loops) ** 2))
        return _trust((ties2 + consensus_ties2 - distance2) / 2, ties2, consensus_ties2)

    def replace_consensus(self, weight_total: float) -> UpdateSizes:
        """``S`` from ``F`` and ``F`` from ``S``, until ``F`` stays or after a few rounds."""
        self._mean_edge = float(self.xp.mean(row_sums(self.weighted_sum))) / self.weighted_sum.shape[0] / weight_total
        if not self.problem.joint:
            return super().replace_consensus(weight_total)
        old, new = self.consensus, self.graph  # the view's graph is no longer needed
        turns: list[float] = []
        rest = _REST if self._started else _REST_AT_START
        self._at_rest = False
        while len(turns) < _ROUNDS and not self._at_rest:
            update = self.new_consensus(weight_total, out=new)
            before = self.embedding
            self.embed(max(self.tolerance(), 4 * rest * self._turn), graph=new)  # while it turns a rough one does
            self._turn = self._turned(before)
            turns.append(self._turn)
            self._at_rest = self._comes_to_rest(turns, rest)
        self.consensus, self.graph = new, old
        return update

    def _turned(self, before: Any) -> float:
        """Root mean squared sine of the angles between the embedding and an earlier one."""
        beside = self.embedding - before @ (before.T @ self.embedding)
        return float(self.xp.linalg.vector_norm(beside)) / math.sqrt(self.problem.n_clusters)

    def _comes_to_rest(self, turns: Sequence[float], rest: float) -> bool:
        """Whether it has little left to turn, by the rate at which it turns less in this sweep, or did in the last."""
        if len(turns) > 1:
            self._turning_less = _shrinking(turns)
        return turns[-1] == 0 or _left_to_go(turns[-1], self._turning_less) < rest

    def normalised(self, raw_weights: np.ndarray) -> np.ndarray:
        return raw_weights * (len(raw_weights) / raw_weights.sum())

    def embed(self, tol: float = _EXACT, graph: Any = None) -> None:
        super().embed(tol, graph)
        self._points = unit_rows(self.embedding)
        centre = self.xp.mean(self._points, axis=0)
        spread = self.xp.mean(self.xp.sum(self._points * self._points, axis=1))
        self._mean_apart = 2 * float(spread - self.xp.sum(centre * centre))

    def points(self) -> Any:
        return self._points

    def strongest_tie(self) -> float:
        return self.problem.strongest * self._mean_edge

    def penalty(self, weight_total: float) -> float:
        return self.problem.gamma * self._mean_edge / self._mean_apart if self._mean_apart > 0 else 0.0


class _Paper(_Published):
    """Algorithm 1 as printed: random ``S`` and ``F``; every ``Z_v``; ``S``; ``F``; then every weight.

    The weights need each ``Z_v`` beside the new ``S``: they are computed again rather than all kept.
    """

    symmetric = False

    def start(self) -> None:
        n, k = self.consensus.shape[0], self.problem.n_clusters
        like = {"dtype": self.consensus.dtype, "device": self.consensus.device}
        self.consensus[...] = self.xp.asarray(self.random_state.random_sample((n, n)), **like)
        self.norm2 = self.kernels.measure_graph(self.consensus, self.consensus).norm2
        random = self.random_state.standard_normal((n, k))
        self.embedding = self.xp.asarray(np.linalg.qr(random)[0], **like)

    def sweep(self) -> Sweep:
        for v, view in enumerate(self.problem.graphs):
            self.write(view, self.weights[v])
            self.kernels.add_scaled(self.weighted_sum, float(self.weights[v]), self.graph, start=v == 0)
        old_weights, old, old_norm2 = self.weights, self.consensus, self.norm2
        update = self.replace_consensus(float(self.weights.sum()))
        self.norm2 = update.norm2
        new = self.consensus
        if self.problem.joint:
            self.embed()
        sizes, misfit = [], 0.0
        for view, weight in zip(self.problem.graphs, old_weights, strict=True):
            self.consensus = old
            self.write(view, weight)
            sizes.append(self.kernels.measure_graph(self.graph, new))
            misfit += view.misfit(self.graph, symmetric=self.symmetric)
        self.consensus = new
        self.weights = np.asarray([self.weight(size) for size in sizes])
        cut = float(self.xp.sum(self.eigenvalues)) if self.problem.joint else 0.0
        change = _relative(update.change2, old_norm2)
        return self.summary(misfit, sizes, scatter=self.scatter(sizes), cut=cut, change=change)

    def settled(self, changes: Sequence[float], tol: float) -> bool:
        return changes[-1] < tol

    def finish(self) -> None:
        """Hand on a graph that others can use: ``sym(S)`` without its negative entries."""
        if not self.problem.joint:
            self.embed()
        symmetric = (self.consensus + self.consensus.T) / 2
        self.consensus = self.xp.where(symmetric > 0, symmetric, self.xp.zeros_like(symmetric))


SWEEPS: dict[str, type[_Published]] = {"robust": _Robust, "published": _Published, "paper": _Paper}


def _shrinking(changes: Sequence[float]) -> float:
    """By what changes shrink: the larger of the last two ratios, as far as there are two."""
    return max((new / old if old > 0 else math.inf for old, new in pairwise(changes[-3:])), default=math.inf)


def _left_to_go(change: float, shrinking: float) -> float:
    """Changes that start from here and shrink like that add up to this."""
    return change * shrinking / (1 - shrinking) if shrinking < 1 else math.inf


def _trust(product: float, one2: float, other2: float) -> float:
    """The reciprocal distance of two graphs of length 1, given ⟨Z, S⟩, ‖Z‖² and ‖S‖² as they are."""
    lengths = math.sqrt(max(one2 * other2, 0.0))
    cosine = product / lengths if lengths > 0 else 0.0
    return 1 / max(math.sqrt(max(2 - 2 * cosine, 0.0)), _LEAST_DISTANCE)


def _relative(part2: float, whole2: float) -> float:
    return math.sqrt(part2 / whole2) if whole2 > 0 else math.inf
