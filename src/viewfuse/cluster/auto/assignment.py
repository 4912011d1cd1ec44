"""From the samples that were clustered to all samples, and to new ones: labels, memberships, outlier scores, embedding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from ...linalg.threads import for_each, spans
from .labelling import Labelling
from .many import labels_and_memberships, rules_of_many
from .membership import Membership
from .unknown import as_outliers, belonging_equally
from .votes import Votes, VotingSpace

__all__ = ["AssignmentMixin", "Placed"]

# Attributes that are computed on first access if there are many samples, and the methods that compute them for others.
_COMPUTED_LATER = {"outlier_score_": "outlier_score", "embedding_": "transform"}


@dataclass(frozen=True)
class Placed:
    """Labels and memberships of some samples, and a function that finds their neighbours."""

    labels: np.ndarray
    membership: np.ndarray
    votes: Callable[[], Votes]

    def with_unknown(self, unknown: np.ndarray) -> Placed:
        """The same, where nothing is known of some samples."""
        if not unknown.any():
            return self
        membership = belonging_equally(self.membership, self.labels, unknown)
        return Placed(self.labels, membership, lambda: as_outliers(self.votes(), unknown))


class AssignmentMixin:
    """The part of AutoFusion that assigns samples by those that were clustered."""

    _sample_labels: np.ndarray
    _sample_embedding: np.ndarray
    _sample_points: list[np.ndarray]
    _kept: list[int]
    _labelling: Labelling | None
    _learned_later: dict[str, Labelling]
    affinity_matrix_: Any
    _most_voters: ClassVar[int] = 1_500  # clustered samples by whose votes more than 5,000 samples are assigned
    _block_rows: ClassVar[int] = 16_384  # rows that are assigned at a time
    _cached_rows: ClassVar[int] = 4_096  # the same without neighbours, on each thread: their points fit in the cache
    _most_described: ClassVar[int] = 50_000  # samples whose neighbours are looked for although no label needs them

    def __getattr__(self, name: str) -> Any:
        """Attributes of many samples, which are computed when they are asked for."""
        if name not in _COMPUTED_LATER or "labels_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        joint = vars(self).get("_joint_of_rows")
        if joint is None:
            raise AttributeError(f"{name} of so many samples is not saved with a model; use {_COMPUTED_LATER[name]}.")
        self._describe_samples(joint, len(self.labels_))
        return vars(self)[name]

    def _assign_all(
        self,
        clustered: np.ndarray,
        joint: Callable[[Any], np.ndarray],
        n: int,
        rows: np.ndarray,
        products: np.ndarray | None = None,
        more: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> None:
        """``labels_``, ``membership_``, ``outlier_score_`` and ``embedding_`` of all samples, and ``confidence_``.

        Parameters
        ----------
        clustered : (number of rows, p) array, the joint points of the samples that were clustered
        joint : function from a range or positions of samples to their joint points
        n : int, the number of all samples
        rows : array of int, the positions of the samples that were clustered
        products : (number of rows, number of rows) array, the inner products of their joint points, if they are known
        more : tuple, the positions of further samples and their clusters, from which the rules are learned too
        """
        k, known = self.n_clusters_, np.full(n, -1)
        known[rows] = self._sample_labels
        for name in ("_joint_of_rows", *_COMPUTED_LATER):
            self.__dict__.pop(name, None)  # from an earlier fit
        if n > self._most_clustered:
            voters, labels = self._voters(), self._sample_labels
            if more is not None:
                clustered, labels = np.vstack([clustered, joint(more[0])]), np.concatenate([labels, more[1]])
            self._space = VotingSpace.of(clustered, k, voters)
            self._labelling, self._membership = rules_of_many(clustered, self._space, labels, voters, k)
            self._keep_voters(voters)
        else:
            self._space = VotingSpace.of(clustered, k, products=products)
            self._labelling, self._learned_later = None, {}
            self._membership, own = Membership.learn(self._space, self._sample_labels, k)
        if rows.size == n:
            place = np.argsort(rows)
            self.labels_, self.embedding_ = self._sample_labels[place], self._sample_embedding[place]
            self.membership_, self.outlier_score_ = own[place], self._space.votes().outlier_scores[place]
            self.affinity_matrix_ = self.affinity_matrix_[place][:, place]
        elif self._membership.reach is not None:
            self._assign_without_neighbors(joint, n)
        else:
            self._assign_in_blocks(joint, known)
            if n <= self._most_clustered:  # the others are outliers
                self.membership_[rows] = own
                self.affinity_matrix_ = self._graph_of_all(joint, n, rows)
        self.confidence_ = self.verdict_.certainty * _margin(self.membership_)

    def _rule(self) -> Labelling:
        """The rule for the labels of samples that were not clustered. It is learned when the first ones come."""
        if self._labelling is not None:
            return self._labelling
        later = vars(self).setdefault("_learned_later", {})  # predict must not change the attributes
        if "labelling" not in later:
            clustered = np.hstack([self._sample_points[v] for v in self._kept])
            later["labelling"] = Labelling.learn(clustered, self._space, self._sample_labels, self.n_clusters_)
        return later["labelling"]

    def _voters(self) -> np.ndarray:
        """The positions among the clustered samples of those by which others are assigned."""
        count = len(self._sample_labels)
        return np.unique(np.linspace(0, count - 1, min(count, self._most_voters)).astype(int))

    def _keep_voters(self, voters: np.ndarray) -> None:
        self._sample_labels, self._sample_embedding = self._sample_labels[voters], self._sample_embedding[voters]
        self._sample_points = [points[voters] for points in self._sample_points]

    def _assign_without_neighbors(self, joint: Callable[[Any], np.ndarray], n: int) -> None:
        """Assign all samples by the discriminant, those that were clustered too; what needs neighbours may come later."""
        self.labels_, self.membership_ = np.empty(n, dtype=np.intp), np.empty((n, self.n_clusters_))

        def part(rows: slice, _: object) -> tuple[int]:
            found = labels_and_memberships(joint(rows), self._space, self._rule(), self._membership)
            self.labels_[rows], self.membership_[rows] = found
            return (0,)

        for_each(part, spans(n, self._cached_rows))
        if n <= self._most_described:
            self._describe_samples(joint, n)
        else:
            self._joint_of_rows = joint

    def _describe_samples(self, joint: Callable[[Any], np.ndarray], n: int) -> None:
        """``outlier_score_`` and ``embedding_`` of all samples, by their neighbours among the voters."""
        scores, embedding = np.empty(n), np.empty((n, self._sample_embedding.shape[1]))
        for block in spans(n, self._block_rows):
            votes = self._space.votes(self._space.coordinates(joint(block)))
            scores[block], embedding[block] = votes.outlier_scores, votes.mean(self._sample_embedding)
        self.outlier_score_, self.embedding_ = scores, embedding
        self.__dict__.pop("_joint_of_rows", None)  # the data is not kept longer than needed

    def _assign_in_blocks(self, joint: Callable[[Any], np.ndarray], known: np.ndarray) -> None:
        """Assign all samples by those that were clustered, but those whose cluster is ``known`` (−1 if not)."""
        n, k = len(known), self.n_clusters_
        self.labels_, self.membership_ = np.empty(n, dtype=np.intp), np.empty((n, k))
        self.outlier_score_, self.embedding_ = np.empty(n), np.empty((n, self._sample_embedding.shape[1]))
        for block in spans(n, self._block_rows):
            placed = self._placed(joint(block), known[block])
            votes = placed.votes()
            self.labels_[block], self.membership_[block] = placed.labels, placed.membership
            self.outlier_score_[block], self.embedding_[block] = votes.outlier_scores, votes.mean(self._sample_embedding)

    def _graph_of_all(self, joint: Callable[[Any], np.ndarray], n: int, rows: np.ndarray) -> sp.csr_array:
        """The graph of the clustered samples, and edges of the others to their nearest neighbours among these."""
        others = np.setdiff1d(np.arange(n), rows)
        votes = self._placed(joint(others)).votes()
        inner = sp.csr_array(self.affinity_matrix_).tocoo()
        size = float(inner.data.max()) if inner.nnz else 1.0
        ends = rows[votes.index.ravel()], np.repeat(others, votes.index.shape[1])
        data = np.concatenate([inner.data, *2 * [size * votes.weights.ravel()]])
        where = np.concatenate([rows[inner.row], *ends]), np.concatenate([rows[inner.col], *ends[::-1]])
        return sp.csr_array((data, where), shape=(n, n))

    def _placed(self, joint: np.ndarray, known: np.ndarray | None = None) -> Placed:
        """Where samples with these joint points belong; the cluster of some may be known."""
        points = self._space.coordinates(joint)
        if self._membership.reach is not None:
            found = labels_and_memberships(joint, self._space, self._rule(), self._membership, known)
            return Placed(*found, lambda: self._space.votes(points))
        votes = self._space.votes(points)
        shares = votes.shares(self._sample_labels, self.n_clusters_)
        labels = self._rule()(joint, points, shares, votes.same)
        if known is not None:
            labels = np.where(known >= 0, known, labels)
        return Placed(labels, self._membership.of(points, votes, shares, labels), lambda: votes)


def _margin(membership: np.ndarray) -> np.ndarray:
    """The largest membership less the second largest."""
    if membership.shape[1] < 2:
        return np.zeros(len(membership))
    two = np.partition(membership, -2, axis=1)[:, -2:]
    return np.asarray(two[:, 1] - two[:, 0])
