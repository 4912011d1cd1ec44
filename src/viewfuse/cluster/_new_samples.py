"""New samples for the exact fusions: where they lie among the samples of the fit, in all views together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from .._utils.device import to_host
from ..views import Views
from .auto.canonical import in_unit, unit
from .auto.labelling import Labelling, labels_with_gaps
from .auto.measure import Measure
from .auto.membership import Membership
from .auto.unknown import as_outliers, belonging_equally, nothing_known
from .auto.votes import Votes, VotingSpace
from .novelty import FEWEST_NEW, Novelty, some_rows, warn_of_unlike_samples

__all__ = ["NewSamples", "NewSamplesMixin", "SamplesOfFit"]

_MOST_PRODUCTS = 2_000  # samples


@dataclass(frozen=True)
class NewSamples:
    """A map from new samples to clusters, learned from the samples of a fit and their clusters.

    Squared distances in a view are multiplied by its weight. Points of samples that are missing from a view are filled from
    similar samples.

    Attributes
    ----------
    used : tuple of int, the positions of the views that are used
    units : tuple of float, what the values of each are divided by so that squares neither overflow nor vanish
    measure : Measure
    reference : tuple of (n, p_v) arrays, the points of the fit
    labels : (n,) array of int
    embedding : (n, r) array
    space : VotingSpace
    membership : Membership
    labelling : Labelling
    """

    used: tuple[int, ...]
    units: tuple[float, ...]
    measure: Measure
    reference: tuple[np.ndarray, ...]
    labels: np.ndarray
    embedding: np.ndarray
    space: VotingSpace
    membership: Membership
    labelling: Labelling

    @classmethod
    def learn(
        cls,
        arrays: Sequence[Any],
        present: np.ndarray | None,
        used: Sequence[int],
        weights: np.ndarray,
        labels: np.ndarray,
        embedding: np.ndarray,
        encoded: Sequence[bool],
    ) -> NewSamples:
        """Learn from the arrays of all views, those that are used with their weights; ``encoded`` marks encoded tables."""
        used = [v for v in used if weights[v] > 0]
        units = tuple(unit(arrays[v]) for v in used)
        chosen, there = _chosen(arrays, present, used, units)
        factors = weights[used] / weights[used].mean()
        measure, reference = Measure.learn(chosen, there, [encoded[v] for v in used], factors)
        joint, k = np.hstack(reference), int(labels.max()) + 1
        # With more columns than samples, all that is learned below needs only the inner products.
        products = joint @ joint.T if joint.shape[1] > len(joint) and len(joint) <= _MOST_PRODUCTS else None
        space = VotingSpace.of(joint, k, products=products)
        membership, _ = Membership.learn(space, labels, k)
        labelling = Labelling.learn(joint, space, labels, k, products)
        return cls(tuple(used), units, measure, tuple(reference), labels, embedding, space, membership, labelling)

    def placed(self, arrays: Sequence[Any], present: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, Votes]:
        """Labels, memberships and neighbours of new samples."""
        chosen, there = _chosen(arrays, present, self.used, self.units)
        parts = self.measure(chosen, there, self.reference)
        joint = np.hstack(parts)
        points = self.space.coordinates(joint)
        votes = self.space.votes(points)
        shares = votes.shares(self.labels, self.membership.n_clusters)
        labels = self.labelling(joint, points, shares, votes.same)
        known = labels_with_gaps(parts, there, self.reference, self.labels, self.membership.n_clusters)
        labels = labels if known is None else np.where(known >= 0, known, labels)
        membership = self.membership.of(points, votes, shares, labels)
        unknown = nothing_known(self.measure.representations, chosen, there)
        return labels, belonging_equally(membership, labels, unknown), as_outliers(votes, unknown)

    def unlike(self, arrays: Sequence[Any], present: np.ndarray | None) -> np.ndarray:
        """Which of some new samples are unlike those of the fit, bool."""
        rows = some_rows(arrays[0].shape[0])
        chosen, there = _chosen(arrays, present, self.used, self.units)
        chosen, there = [view[rows] for view in chosen], None if there is None else there[rows]
        novelty = Novelty.learn(np.hstack(self.reference))
        if novelty is None:
            return np.zeros(len(rows), dtype=bool)
        unknown = nothing_known(self.measure.representations, chosen, there)
        return novelty.unlike(np.hstack(self.measure(chosen, there, self.reference))) | unknown

    def renumbered(self, order: np.ndarray, labels: np.ndarray) -> NewSamples:
        """The same with clusters in another order, and the labels in it."""
        return NewSamples(
            self.used,
            self.units,
            self.measure,
            self.reference,
            labels,
            self.embedding,
            self.space,
            self.membership.renumbered(order),
            self.labelling.renumbered(order),
        )


@dataclass(eq=False)
class SamplesOfFit:
    """What ``NewSamples`` learn from, kept until new samples come: most fits never meet any.

    ``predict`` must not change the attributes of an estimator, so what was learned is kept here.

    Attributes
    ----------
    arrays, present, used, weights, labels, embedding, encoded : the arguments of ``NewSamples.learn``
    known : NewSamples or None, what was learned; the arrays are then let go
    """

    arrays: tuple[Any, ...]
    present: np.ndarray | None
    used: tuple[int, ...]
    weights: np.ndarray
    labels: np.ndarray
    embedding: np.ndarray
    encoded: tuple[bool, ...]
    known: NewSamples | None = None

    @classmethod
    def keep(cls, arrays: Sequence[Any], *others: Any) -> SamplesOfFit:
        """With copies of the arrays, which their owner may change after the fit."""
        copies = tuple(array.copy() if sp.issparse(array) else np.array(to_host(array)) for array in arrays)
        return cls(copies, *others)

    def learned(self) -> NewSamples:
        if self.known is None:
            self.known = NewSamples.learn(
                self.arrays, self.present, self.used, self.weights, self.labels, self.embedding, self.encoded
            )
            self.arrays = ()
        return self.known

    def renumbered(self, order: np.ndarray, labels: np.ndarray) -> SamplesOfFit:
        """The same with clusters in another order, which the labels are in."""
        return replace(self, labels=labels)


class NewSamplesMixin:
    """``predict``, ``predict_proba``, ``transform`` and ``outlier_score`` of an estimator with ``_new_samples``."""

    _new_samples: NewSamples | SamplesOfFit | None

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of each sample, (n_samples,); samples may be missing from views.

        By nearest neighbours, by a discriminant or by a linear rule, whichever finds more labels of samples of the fit that
        are left out. Samples of the fit keep their labels.
        """
        return self._placed_new(X)[0]

    def predict_proba(self, X: Any) -> np.ndarray:
        """How likely each sample belongs to each cluster, (n_samples, n_clusters), rows sum to 1."""
        return self._placed_new(X)[1]

    def transform(self, X: Any) -> np.ndarray:
        """Where samples lie in the embedding: the mean of their nearest neighbours' rows, weighted by similarity."""
        embedding = self._known_samples().embedding
        return self._placed_new(X)[2].mean(embedding).astype(embedding.dtype, copy=False)

    def outlier_score(self, X: Any) -> np.ndarray:
        """How unlike all samples of the fit each sample is: 0 in equally dense surroundings, 1 if half as dense, …"""
        return self._placed_new(X)[2].outlier_scores

    def _known_samples(self) -> NewSamples:
        check_is_fitted(self)
        if self._new_samples is None:
            raise AttributeError(
                f"{type(self).__name__} cannot place new samples among graphs that are given as affinity='precomputed'; "
                "declare the views as graphs instead: Views(..., kinds={'NAME': 'graph'})."
            )
        return self._new_samples.learned() if isinstance(self._new_samples, SamplesOfFit) else self._new_samples

    def _placed_new(self, X: Any) -> tuple[np.ndarray, np.ndarray, Votes]:
        known = self._known_samples()
        arrays, present = self._new_views(X).incomplete_arrays()
        placed = known.placed(arrays, present)
        if len(placed[0]) >= FEWEST_NEW:
            warn_of_unlike_samples(known.unlike(arrays, present))
        return placed

    def _new_views(self, X: Any) -> Views:
        """The feature views of new samples."""
        raise NotImplementedError(f"{type(self).__name__} has no _new_views")


def _chosen(
    arrays: Sequence[Any], present: np.ndarray | None, used: Sequence[int], units: Sequence[float]
) -> tuple[list[Any], np.ndarray | None]:
    held = [arrays[v] if sp.issparse(arrays[v]) else to_host(arrays[v]) for v in used]
    held = [in_unit(array, size) for array, size in zip(held, units, strict=True)]
    there = None if present is None else present[:, list(used)]
    return held, None if there is None or there.all() else there
