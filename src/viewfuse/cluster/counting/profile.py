"""The number of clusters, from the graphs that the fit uses: a profile over all numbers.

For samples in several views there are two sparse graphs: the neighbour graph of all views side by side, and the mean of the
views' own (:class:`viewfuse.graphs.Samples`). Both are cut into k clusters for every k, without random starts.

If the clusters lie apart, the joint graph almost falls apart, and the relative eigengap ``1 − λ_k/λ_{k+1}`` is above 0.8. No
line, ring or cloud has such a gap (a line has ``λ_2/λ_3 = 1/4``). Clusters of clusters have several such gaps; the best has
the largest **jump**: with ``λ⁰_j`` the eigenvalues of a normally distributed cloud with the same covariances,
``λ_{k+1}/λ⁰_{k+1} − λ_k/λ⁰_k``. Up to the true number the ratios are small, beyond it those of a cloud. A jump of more than
one half, from those of clusters most of the way to those of a cloud, is as good as such a gap.

A gap is relative: if one cluster of many falls off the graph, ``λ_2 = 0`` and the gap is 1, however small ``λ_3`` is. So if
``λ_{k+1}/λ⁰_{k+1}`` is below one half, a piece is divided as easily as clusters are, and either has clusters or is long: a
curve. The piece that the next eigenvector divides is taken for data of its own. If there is evidence for clusters in it,
there are more than k clusters, and only larger numbers are compared.

If the clusters touch, two things are added for every k, each about 0 without clusters and about 1 if they lie apart:

* **gain**: the modularity of the cut less that of the cut of the cloud;
* **agreement**: the adjusted Rand index of the cuts of the two graphs. What both find is in the data.

The smallest number with 97 % of the best sum is suggested: more clusters must add more than the rest. A number whose cut
leaves clusters of less than a twentieth of the mean size is not, for these are outliers; nor, if there are others, one
without gain: both graphs may agree on a few odd samples.

A number is suggested only if there is evidence for its clusters (:mod:`viewfuse.cluster.structure`). The number with the
best sum may divide clusters that are there into parts that are not; then the next best is asked, down to 80 % of the best
sum. Numbers with a smaller sum are not asked: of many numbers, one has evidence by chance. Only the number whose eigenvalues
are the smallest beside those of the cloud is, if they are less than half of these: modularity is small for clusters of
unequal sizes, and agreement if the views see different ones. Its clusters must come back in halves of the samples, more than
parts of clouds do (:mod:`viewfuse.cluster.verdict`). At last the three best numbers are judged as a fit with that number is,
by what comes back in halves: in many columns a graph alone says little of clusters. Else there are no clusters.

Time is that of the eigenvectors of four graphs and ``n k²`` for each k; of more than 2,000 samples, 2,000 are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..._utils.agreement import adjusted_rand
from ..._utils.extras import require
from ...graphs import Samples
from ...linalg.sparse_cut import Spectrum, normalized_graph, quick_cut, spectrum
from ..structure import (
    CERTAIN_GAP,
    LEAST_DIVIDED,
    LITTLE_STRUCTURE,
    Evidence,
    drawn_rows,
    have_their_neighbors,
    modularity,
    null_spectra,
    ratio_to_null,
    typical_rows,
)
from ..verdict import joint_cuts_come_back, parts_of_clouds, with_halves

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["ClusterCounts", "count_clusters", "count_clusters_of_graphs", "default_counts"]

_MOST_CLUSTERS = 160
_EVERY_NUMBER_UP_TO = 20
_STEP = 1.12  # beyond that: the next number to try
_LEAST_JUMP = 0.01  # else the pieces fall apart further: the next eigenvalue is near 0 too
_CERTAIN_JUMP = 0.5
_SMALLEST_CLUSTER, _FEWEST = 0.05, 3  # of the mean size; samples
_NEARLY_BEST, _ALSO_HOLDS = 0.97, 0.8  # of the best score
_MOST_ASKED = 3  # numbers, by halves
_SMALLEST = 1e-6
_COLUMNS = ("score", "gain", "agreement", "gap", "jump")


def default_counts(n_samples: int) -> list[int]:
    """The numbers of clusters that are tried: from 2 to a fifth of the samples, at most 160, ever more sparsely."""
    most = max(2, min(n_samples // 5, _MOST_CLUSTERS))
    counts = list(range(2, min(_EVERY_NUMBER_UP_TO, most) + 1))
    while counts[-1] < most:
        counts.append(min(most, int(np.ceil(_STEP * counts[-1]))))
    return counts


@dataclass(frozen=True)
class ClusterCounts:
    """How well each number of clusters fits. Printed, it is a table with the best first.

    Attributes
    ----------
    counts : (c,) array of int, the numbers tried, ascending
    score : (c,) array, the sum of the next two
    gain : (c,) array, modularity beyond that of a cloud without clusters
    agreement : (c,) array, adjusted Rand index of the clusters by the joint graph and by the mean of the views' graphs
    gap : (c,) array, the relative eigengap, from 0 to 1
    jump : (c,) array, by how much the next eigenvalue is nearer to that of a cloud without clusters
    suggested : int
        Of the numbers with evidence for their clusters, the one with the largest jump among those with a gap above 0.8 or a
        jump above 0.5; if there is none, the smallest number with a gain and 97 % of the best score; 1 if no number has such
        evidence. If one of the
        clusters that lie apart has clusters of its own, only larger numbers are compared.
    also : tuple of int, other numbers that hold nearly as well
    evidence : Evidence, whether there are clusters
    """

    counts: np.ndarray
    score: np.ndarray
    gain: np.ndarray
    agreement: np.ndarray
    gap: np.ndarray
    jump: np.ndarray
    suggested: int
    also: tuple[int, ...]
    evidence: Evidence

    @property
    def structured(self) -> bool:
        """Whether there are clusters at all."""
        return self.evidence.supported

    @property
    def ranked(self) -> np.ndarray:
        """The numbers of clusters from best to worst: the suggested one, those that also hold, then by score."""
        return self.counts[self._order()]

    def to_frame(self) -> DataFrame:
        """The table as a pandas DataFrame, the best number of clusters first."""
        order = self._order()
        columns = {name: getattr(self, name)[order] for name in _COLUMNS}
        return require("pandas").DataFrame(columns, index=require("pandas").Index(self.counts[order], name="n_clusters"))

    def sentence(self) -> str:
        """The number in words: "7; 3 also holds"."""
        if not self.structured:
            return "no clusters"
        verb = "also holds" if len(self.also) == 1 else "also hold"
        return f"{self.suggested}; {' and '.join(map(str, self.also))} {verb}" if self.also else str(self.suggested)

    def __str__(self) -> str:
        lines = ["clusters   score    gain  agreement  eigengap    jump"]
        for i in self._order():
            mark = "  ← suggested" if self.counts[i] == self.suggested else ""
            mark = "  also holds" if self.counts[i] in self.also else mark
            parts = f"{self.gain[i]:7.2f} {self.agreement[i]:10.2f} {self.gap[i]:9.2f} {self.jump[i]:7.2f}"
            lines.append(f"{self.counts[i]:8d} {self.score[i]:7.2f} {parts}{mark}")
        if not self.structured:
            lines.append("There are no clusters: no number of clusters fits better than in data without clusters.")
        return "\n".join(lines)

    __repr__ = __str__

    def _order(self) -> np.ndarray:
        first = {self.suggested: 0, **dict.fromkeys(self.also, 1)}
        place = [first.get(int(k), 2) for k in self.counts]
        return np.lexsort((-self.score, np.array(place)))


def count_clusters(samples: Samples, counts: Iterable[int] | None = None) -> ClusterCounts:
    """Score each number of clusters. Clouds and starts are drawn by a fixed seed: the number does not depend on chance.

    Parameters
    ----------
    samples : Samples
    counts : ascending numbers between 2 and n − 1
        By default :func:`default_counts`, those with a gap above 0.8, and every number around the best of these.
    """
    found = _Profile.of(samples, counts)
    rows = found.rows
    left = _without_coarse(rows, found.evidence_of, found.divides_further)
    best = _best_supported(left, found.evidence_of) or found.that_comes_back() or found.supported_by_halves(left)
    # If the number that fits best has no evidence, the others are too alike for an exact one: rounding would choose it.
    if best is not None and best == _best(left) and counts is None:
        skipped = {k: found.row(k) for k in _between(sorted(rows), best)}
        rows = {**rows, **skipped}
        ranked = sorted([best, *skipped], key=lambda k: -rows[k].score - rows[k].jump)
        best = next(k for k in ranked if found.evidence_of(k).supported)
    return _counts_of(rows, best, found.evidence_of)


def count_clusters_of_graphs(graphs: Sequence[Any], counts: Iterable[int] | None = None) -> ClusterCounts:
    """The same for given (n, n) graphs, which have no cloud to compare with: by eigengap and modularity of their mean."""
    random_state = np.random.RandomState(0)
    sparse = [normalized_graph(sp.csr_array(graph)) for graph in graphs]
    mean = sp.csr_array(sum(sparse[1:], sparse[0]) / len(sparse))
    tried = [k for k in (counts if counts is not None else default_counts(mean.shape[0])) if k < mean.shape[0]]
    divided = _Divided.of(mean, max(tried, default=2) + 1, random_state)
    alone = [_Divided.of(graph, max(tried, default=2) + 1, random_state) for graph in sparse] if len(sparse) > 1 else []
    rows = {k: _row_of_graph(k, divided, alone) for k in tried}

    def evidence_of(k: int) -> Evidence:
        return Evidence(1 - divided.modularity(k), False, 0.0)

    return _counts_of(rows, _best_supported(rows, evidence_of), evidence_of)


@dataclass(frozen=True)
class _Row:
    """What speaks for one number of clusters, and whether its clusters are more than outliers."""

    jump: float
    gain: float
    agreement: float
    gap: float
    balanced: bool
    beyond: float = 1.0  # the next eigenvalue over that of a cloud

    @property
    def score(self) -> float:
        return self.gain + self.agreement

    @property
    def certain(self) -> bool:
        return self.lies_apart or (self.balanced and self.jump >= _CERTAIN_JUMP)

    @property
    def lies_apart(self) -> bool:
        return self.balanced and self.gap >= CERTAIN_GAP and self.jump >= _LEAST_JUMP

    @property
    def may_divide(self) -> bool:
        """Whether the clusters lie apart, and one of them is divided more easily than a cloud."""
        return self.certain and self.beyond <= LITTLE_STRUCTURE


@dataclass(frozen=True)
class _Divided:
    """A graph with its spectrum, and its cuts."""

    graph: sp.csr_array
    found: Spectrum

    @classmethod
    def of(
        cls, graph: sp.csr_array, most: int, random_state: np.random.RandomState, points: Sequence[np.ndarray] = ()
    ) -> _Divided:
        return cls(graph, spectrum(graph, most, random_state=random_state, points=points))

    def labels(self, k: int) -> np.ndarray:
        return np.unique(quick_cut(self.found.vectors[:, :k]), return_inverse=True)[1]

    def with_certain_gap(self) -> list[int]:
        """The numbers of clusters after which the eigenvalues rise so much that the clusters lie apart."""
        return [k for k in range(2, len(self.found.values)) if self.found.relative_gap(k) >= CERTAIN_GAP]

    def modularity(self, k: int) -> float:
        return modularity(self.graph, self.labels(k))


class _Profile:
    """The graphs of samples and of clouds, and what speaks for each number of clusters."""

    def __init__(self, samples: Samples, joint: _Divided, mean: _Divided, nulls: Sequence[_Divided], counts: Iterable[int]):
        self._samples, self._joint, self._mean, self._nulls = samples, joint, mean, nulls
        self._null_values = np.mean([null.found.values for null in nulls], axis=0)
        self._evidence: dict[int, Evidence] = {}
        self.rows = {k: self.row(k) for k in counts}

    @classmethod
    def of(cls, samples: Samples, counts: Iterable[int] | None = None, most: int = _MOST_CLUSTERS) -> _Profile:
        """The profile over these numbers or, by default, over those of :func:`default_counts` that are at most ``most``."""
        random_state = np.random.RandomState(0)
        drawn = samples.of_rows(drawn_rows(len(samples), random_state))
        typical = typical_rows(drawn, 3)
        inside = drawn if len(typical) == len(drawn) else drawn.of_rows(typical)
        some = counts if counts is not None else [k for k in default_counts(len(inside)) if k <= most]
        tried = [k for k in some if k < len(inside)]
        largest = max(tried, default=2) + 1
        joint = _Divided.of(inside.joint_graph(), largest, random_state, inside.points)
        mean = _Divided.of(inside.mean_graph(), largest, random_state, inside.points)
        nulls = [_Divided(graph, found) for graph, found in null_spectra(inside, largest, random_state)]
        if counts is None:
            tried = sorted({*tried, *joint.with_certain_gap()})
        return cls(inside, joint, mean, nulls, tried)

    def row(self, k: int) -> _Row:
        return _row(k, self._joint, self._mean, self._nulls)

    def evidence_of(self, k: int) -> Evidence:
        if k not in self._evidence:
            labels = self._joint.labels(k)
            self._evidence[k] = Evidence.of(self._joint.graph, self._joint.found, self._null_values, labels)
        return self._evidence[k]

    def that_comes_back(self) -> int | None:
        """The number with the least null ratio, if its clusters come back in halves of the samples; else None."""
        ratios = {k: self._null_ratio(k) for k, row in self.rows.items() if row.balanced}
        best = min(ratios, key=lambda k: ratios[k], default=None)
        if best is None or ratios[best] > LITTLE_STRUCTURE or not self.evidence_of(best).supported:
            return None
        alone = self.evidence_of(best)
        evidence = with_halves(alone, self._samples, self._joint.labels(best), best, np.random.RandomState(0))
        self._evidence[best] = evidence
        return best if evidence.comes_back else None

    def supported_by_halves(self, rows: dict[int, _Row]) -> int | None:
        """The best number with evidence for its clusters if what comes back in halves counts; a few are asked."""
        for k in islice(_from_best(rows), _MOST_ASKED):
            evidence = self._evidence_by_halves(k)
            if evidence.supported:
                self._evidence[k] = evidence
                return k
        return None

    def _evidence_by_halves(self, k: int) -> Evidence:
        labels, rng = self._joint.labels(k), np.random.RandomState(0)
        back = joint_cuts_come_back(self._samples, labels, k, rng).agreement
        clouds = partial(parts_of_clouds, self._samples, k, rng)
        return Evidence.of(self._joint.graph, self._joint.found, self._null_values, labels, back, clouds)

    def _null_ratio(self, k: int) -> float:
        return ratio_to_null(self._joint.found.values, self._null_values, k)

    def divides_further(self, k: int) -> bool:
        """Whether, of k clusters, the one that the next eigenvector divides has clusters of its own."""
        labels = self._joint.labels(k)
        share = np.bincount(labels, self._joint.found.vectors[:, k] ** 2)
        piece = np.flatnonzero(labels == np.argmax(share))
        if len(piece) < LEAST_DIVIDED:
            return False
        inside = _Profile.of(self._samples.of_rows(piece), most=_EVERY_NUMBER_UP_TO)
        return _best_supported(inside.rows, inside.evidence_of) is not None


def _row(k: int, joint: _Divided, mean: _Divided, nulls: Sequence[_Divided]) -> _Row:
    null = np.maximum(np.mean([other.found.values for other in nulls], axis=0), _SMALLEST)
    ratio = np.maximum(joint.found.values, _SMALLEST) / null
    labels, gap = joint.labels(k), joint.found.relative_gap(k)
    return _Row(
        jump=float(ratio[k] - ratio[k - 1]),
        gain=joint.modularity(k) - float(np.mean([other.modularity(k) for other in nulls])),
        agreement=adjusted_rand(labels, mean.labels(k)),
        gap=gap,
        balanced=_balanced(labels, k) or (gap >= CERTAIN_GAP and have_their_neighbors(labels, k)),
        beyond=float(ratio[k]),
    )


def _row_of_graph(k: int, mean: _Divided, alone: Sequence[_Divided]) -> _Row:
    labels = mean.labels(k)
    agreement = float(np.mean([adjusted_rand(labels, other.labels(k)) for other in alone])) if alone else 0.0
    jump = float(mean.found.values[k] - mean.found.values[k - 1])  # without any structure the eigenvalues are near 1
    return _Row(jump, mean.modularity(k), agreement, mean.found.relative_gap(k), _balanced(labels, k))


def _balanced(labels: np.ndarray, k: int) -> bool:
    """Whether no cluster is a few outliers; with many clusters a small one says nothing of the others."""
    sizes = np.bincount(labels, minlength=k)
    return k > _EVERY_NUMBER_UP_TO or bool(sizes.min() >= max(_FEWEST, _SMALLEST_CLUSTER * len(labels) / k))


def _counts_of(rows: dict[int, _Row], best: int | None, evidence_of: Callable[[int], Evidence]) -> ClusterCounts:
    """The table, with the best number of clusters; None if no number has evidence for it."""
    counts = np.array(sorted(rows), dtype=int)
    table = [rows[int(k)] for k in counts]
    columns = {
        name: np.array([getattr(row, name) for row in table]) for name in ("score", "jump", "gain", "agreement", "gap")
    }
    if best is None:
        evidence = evidence_of(_best(rows)) if rows else Evidence(1.0, False, 0.0)
        return ClusterCounts(counts, **columns, suggested=1, also=(), evidence=evidence)
    also = _also(rows, best, evidence_of)
    return ClusterCounts(counts, **columns, suggested=best, also=also, evidence=evidence_of(best))


def _best_supported(rows: dict[int, _Row], evidence_of: Callable[[int], Evidence]) -> int | None:
    """The best number with evidence for its clusters. It is sought from the best on, as evidence takes time."""
    return next((k for k in _from_best(rows) if evidence_of(k).supported), None)


def _from_best(rows: dict[int, _Row]) -> Iterator[int]:
    """The numbers that are nearly as good as the best, from this on."""
    left = _nearly_as_good(rows)
    while left:
        yield (best := _best(left))
        del left[best]


def _without_coarse(
    rows: dict[int, _Row], evidence_of: Callable[[int], Evidence], divides_further: Callable[[int], bool]
) -> dict[int, _Row]:
    """The rows beyond the numbers whose clusters lie apart and have clusters of their own; all if none of them holds."""
    left = rows
    while (best := _best_supported(left, evidence_of)) is not None:
        if not (rows[best].may_divide and divides_further(best)):
            return left
        left = {k: row for k, row in left.items() if k > best}
    return rows


def _nearly_as_good(rows: dict[int, _Row]) -> dict[int, _Row]:
    """The numbers of balanced clusters with a certain gap, or with 80 % of the best score."""
    some = {k: row for k, row in rows.items() if row.balanced} or rows
    top = max((row.score for row in some.values()), default=0.0)
    return {k: row for k, row in some.items() if row.certain or row.score >= top - (1 - _ALSO_HOLDS) * abs(top)}


def _best(rows: dict[int, _Row]) -> int:
    """The largest jump among certain numbers; else the smallest with nearly the best score of balanced ones with a gain."""
    certain = [k for k in rows if rows[k].lies_apart] or [k for k in rows if rows[k].certain]
    if certain:
        return max(certain, key=lambda k: rows[k].jump)
    balanced = [k for k in rows if rows[k].balanced] or list(rows)
    some = [k for k in balanced if rows[k].gain > 0] or balanced
    best = max(rows[k].score for k in some)
    return min(k for k in some if rows[k].score >= best - (1 - _NEARLY_BEST) * abs(best))


def _also(rows: dict[int, _Row], best: int, evidence_of: Callable[[int], Evidence]) -> tuple[int, ...]:
    """Other numbers that hold: with a certain gap too, or peaks of nearly the best score; at most two."""
    counts = sorted(rows)
    top = max(rows[k].score for k in counts)
    holds = [
        k
        for i, k in enumerate(counts)
        if k != best
        and rows[k].balanced
        and (
            rows[k].certain or (rows[k].score >= _ALSO_HOLDS * top and _is_peak([rows[other].score for other in counts], i))
        )
    ]
    supported = (k for k in sorted(holds, key=lambda k: -rows[k].score) if evidence_of(k).supported)
    return tuple(sorted(islice(supported, 2)))


def _is_peak(scores: Sequence[float], i: int) -> bool:
    return all(scores[i] >= other for other in scores[max(i - 1, 0) : i + 2])


def _between(counts: Sequence[int], best: int) -> list[int]:
    """The numbers next to the best one that were skipped."""
    place = list(counts).index(best)
    low, high = counts[max(place - 1, 0)], counts[min(place + 1, len(counts) - 1)]
    return [k for k in range(low, high + 1) if k not in counts]
