"""From the cut of the joint graph to the clusters of a fit: make other candidates where it is not clear, and choose one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..._utils.steps import step
from ..._utils.text import count as counted
from ...graphs import Samples
from ...linalg import occurrences, order_by_size
from ...linalg.threads import together
from ..structure import drawn_rows
from ..verdict import Returned
from .borders import moved_at_borders
from .candidates import (
    JOINT,
    MEANS,
    MIXTURES,
    TOGETHER,
    VIEWS,
    Candidate,
    Task,
    all_together,
    anchors,
    clustered_like,
    fused_graphs,
    gaussian_mixtures,
    k_means,
    means_suit,
    uneven,
    view_neighbors,
)
from .choice import agreement_of, mean_of_others
from .joint import JointCut, is_balanced
from .latent_classes import labels_by_values
from .merit import Merit, merit_of, merits_of, odds, returned_of
from .overlapping import OVERLAPPING, Overlapping

__all__ = ["Chooser", "Chosen"]

_AGREED = 0.9  # least agreement of all candidates so far from which no further one is made


@dataclass(frozen=True)
class Chosen:
    """The candidate that was chosen, the reason, and what it was chosen from.

    Attributes
    ----------
    best : Candidate
    reason : str
    candidates : tuple of Candidate
    agreement : (c, c) array, the adjusted Rand index of each two candidates
    merits : dict from names to Merit, or None if nothing had to be weighed
    stopped : "max_time" if there was no time for more candidates, else None
    """

    best: Candidate
    reason: str
    candidates: tuple[Candidate, ...]
    agreement: np.ndarray
    merits: dict[str, Merit] | None
    stopped: str | None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(candidate.name for candidate in self.candidates)

    def by_values(self, views: Sequence[np.ndarray], k: int) -> Chosen:
        """The same choice with labels that follow from the samples' values in each view before these were spread."""
        labels = labels_by_values(self.best.labels, views, k)
        moved = int(np.sum(labels != self.best.labels))
        reason = f"; {counted(moved, 'sample')} moved to where samples with such values are" if moved else ""
        return replace(self, best=replace(self.best, labels=labels), reason=self.reason + reason)

    @property
    def returned(self) -> Returned | None:
        """What came back of the best candidate in halves of the samples, if these were clustered."""
        return None if self.merits is None else self.merits[self.best.name].returned


@dataclass
class Chooser:
    """Makes candidates and weighs them.

    Attributes
    ----------
    device : str or None
    random_state : RandomState
    begin, max_time : float, float or None
        When the fit began (``time.monotonic``), and after how many seconds no further candidate is made.
    verbose : int
    """

    device: str | None
    random_state: np.random.RandomState
    begin: float
    max_time: float | None
    verbose: int
    stopped: str | None = None

    def choose(self, samples: Samples, cut: JointCut, overlapping: Overlapping | None) -> Chosen:
        """The best clustering of samples whose joint graph was cut; ``overlapping`` clusters are taken if there are any."""
        first = Candidate(JOINT, cut.labels, cut.spectrum.vectors[:, : cut.n_clusters], cut.graph)
        kept = samples.of_views(cut.views)
        if cut.n_clusters < 2 or not cut.is_doubtful:
            return self._decided([first], kept, cut)
        if overlapping is not None:
            return self._decided([first, overlapping.candidate(cut.graph, len(samples))], kept, cut)
        mixture = None if kept.present is not None else self._likeliest_shape(kept, cut)
        if not cut.is_clear:
            return self._among_several(first, mixture, kept, cut)
        # The gap may come from filled cells.
        if mixture is not None and self._comes_back_more(mixture, first, kept):
            return self._decided([first, mixture], kept, cut)
        return self._decided([first], kept, cut)

    def returned_of(self, candidate: Candidate, samples: Samples) -> Returned:
        """What comes back of a candidate when halves of the samples are clustered its way."""
        return returned_of(candidate, samples, self.device, self._seed())

    def _decided(self, candidates: list[Candidate], samples: Samples, cut: JointCut) -> Chosen:
        """The choice where nothing has to be weighed."""
        agreement = _agreement(candidates)
        best, reason = _best(candidates, agreement, None, cut)
        if best.name == JOINT and cut.has_borders:
            best, reason = _with_borders(best, reason, samples, cut)
        return Chosen(best, reason, tuple(candidates), agreement, None, self.stopped)

    def _among_several(self, first: Candidate, mixture: Candidate | None, samples: Samples, cut: JointCut) -> Chosen:
        """Make the other candidates and weigh them; if a mixture is taken anyway, only the quick ones, to compare with it.

        Which way of clustering suits the data shows in some of the samples; the chosen way clusters all.
        """
        rows = drawn_rows(len(samples), self.random_state)
        some = samples if len(rows) == len(samples) else samples.of_rows(rows)
        candidates, merits = [_of_rows(first, rows)], None
        if self._has_time():
            self._append(view_neighbors(self._task(some, cut.n_clusters)), candidates)
        if mixture is not None:
            if not _agree(candidates) and self._has_time():
                self._append(anchors(self._task(some, cut.n_clusters)), candidates)
            candidates.append(_of_rows(mixture, rows))
        elif not _agree(candidates) and self._has_time():
            candidates, merits = self._weighed(candidates, some, cut.n_clusters)
        agreement = _agreement(candidates)
        best, reason = _best(candidates, agreement, merits, cut)
        if some is not samples:
            best = self._of_all(best, first, mixture, samples, cut.n_clusters)
        if best.name not in MIXTURES:
            before = best.labels
            best, reason = _with_borders(best, reason, samples, cut)
            if merits is not None:
                merits[best.name] = _by_new_sizes(merits[best.name], before, best.labels)
        return Chosen(best, reason, tuple(candidates), agreement, merits, self.stopped)

    def _of_all(
        self, best: Candidate, first: Candidate, mixture: Candidate | None, samples: Samples, n_clusters: int
    ) -> Candidate:
        """The same candidate for all samples: one that is given, or made now."""
        task = self._task(samples, n_clusters)
        for candidate in (first, mixture):
            if candidate is not None and candidate.name == best.name:
                return uneven(candidate, task) if best.uneven else candidate
        return k_means(first, task) if best.name == MEANS else clustered_like(best, task)

    def _weighed(
        self, quick: list[Candidate], samples: Samples, n_clusters: int
    ) -> tuple[list[Candidate], dict[str, Merit]]:
        """The quick candidates, the slow ones and, if samples are missing from views, all together; and the merits by names.

        While the slow ones are made, halves are clustered in the ways of the quick ones.
        """
        step("other clusterings: anchors and fused graphs; and halves of the samples, to see what comes back")
        make_anchors = partial(anchors, self._task(samples, n_clusters))
        means = self._means(quick[0], samples, n_clusters)
        seed = self._seed()
        make_fused = partial(fused_graphs, self._task(samples, n_clusters))
        others = self._uneven(quick, samples, n_clusters)

        def back(candidate: Candidate) -> Callable[[], Returned]:
            return partial(returned_of, candidate, samples, self.device, seed)

        fused, anchored, *returned = together([make_fused, make_anchors, *map(back, [*quick, *means, *others.values()])])
        of_fused, of_anchored = together([back(fused), back(anchored)])
        candidates = [*quick, anchored, *means, fused]
        back_of_others = returned[len(quick) + len(means) :]
        returned = [*returned[: len(quick)], of_anchored, *returned[len(quick) : len(quick) + len(means)], of_fused]
        _take_better_cuts(candidates, returned, others, back_of_others, samples)
        if samples.present is not None:
            weights = [odds(each) for each in returned]
            candidates.append(all_together(candidates, weights, self._task(samples, n_clusters)))
            returned.append(returned_of(candidates[-1], samples, self.device, seed))
        for slow in candidates[len(quick) :]:
            self._tell(slow)
        return candidates, merits_of(candidates, _agreement(candidates), returned, samples)

    def _uneven(self, candidates: Sequence[Candidate], samples: Samples, n_clusters: int) -> dict[int, Candidate]:
        """Uneven cuts of the neighbour graphs, by the positions of these among the candidates.

        Not if they are nearly the same clusters, or if one of them is a few outliers.
        """
        task = self._task(samples, n_clusters)
        found = {i: uneven(each, task) for i, each in enumerate(candidates) if each.name in (JOINT, VIEWS)}
        return {
            i: other
            for i, other in found.items()
            if is_balanced(other.labels, n_clusters) and not _agree([candidates[i], other])
        }

    def _has_time(self) -> bool:
        if self.max_time is not None and time.monotonic() - self.begin >= self.max_time:
            self.stopped = "max_time"
        return self.stopped is None

    def _append(self, candidate: Candidate, candidates: list[Candidate]) -> None:
        candidates.append(candidate)
        self._tell(candidate)

    def _tell(self, candidate: Candidate) -> None:
        if self.verbose:
            print(f"AutoFusion: {candidate.name}, {time.monotonic() - self.begin:.1f} s")

    def _likeliest_shape(self, samples: Samples, cut: JointCut) -> Candidate | None:
        """The mixture that comes back most in halves and has most neighbours inside; None if there are too many columns.

        Agreement with the graphs does not count: these do not know shapes.
        """
        mixtures = gaussian_mixtures(samples, cut, self.random_state)
        if len(mixtures) < 2:
            return mixtures[0] if mixtures else None
        seed = self._seed()
        back = [returned_of(mixture, samples, self.device, seed) for mixture in mixtures]
        merits = merits_of(mixtures, np.eye(len(mixtures)), back, samples)
        return max(mixtures, key=lambda mixture: merits[mixture.name].total)

    def _comes_back_more(self, one: Candidate, other: Candidate, samples: Samples) -> bool:
        """Whether halves of the samples usually give the clusters of the first candidate more than those of the second."""
        seed = self._seed()
        first, second = (returned_of(candidate, samples, self.device, seed).usual for candidate in (one, other))
        return first is None or second is None or first > second

    def _means(self, first: Candidate, samples: Samples, n_clusters: int) -> list[Candidate]:
        """k-means, unless there are too many columns or it spends a cluster on outliers."""
        if not means_suit(samples):
            return []
        found = k_means(first, self._task(samples, n_clusters))
        return [found] if is_balanced(found.labels, n_clusters) else []

    def _task(self, samples: Samples, n_clusters: int) -> Task:
        return Task(samples, n_clusters, self._seed(), self.device)

    def _seed(self) -> int:
        return int(self.random_state.randint(2**31 - 1))


def _agreement(candidates: Sequence[Candidate]) -> np.ndarray:
    return agreement_of([candidate.labels for candidate in candidates])


def _of_rows(candidate: Candidate, rows: np.ndarray) -> Candidate:
    """The same clusters of some of the samples."""
    if len(rows) == len(candidate.labels):
        return candidate
    graph = candidate.graph[rows][:, rows]
    return replace(candidate, labels=candidate.labels[rows], embedding=candidate.embedding[rows], given_graph=graph)


def _take_better_cuts(
    candidates: list[Candidate],
    returned: list[Returned],
    others: dict[int, Candidate],
    back_of_others: Sequence[Returned],
    samples: Samples,
) -> None:
    """Replace candidates, and what comes back of them, by other cuts of the same graphs that are better in every merit.

    ``others`` are by the positions of the candidates. Clusters that are less equal come back more and have more neighbours
    inside if they are a few samples that lie apart, so the candidates of other graphs must agree with them as much, too.
    """
    usual = list(candidates)
    for (i, other), back in zip(others.items(), back_of_others, strict=True):
        rest = [each for j, each in enumerate(usual) if j != i]
        one, two = (
            merit_of(*found, samples, _agreement_with(found[0], rest)) for found in ((usual[i], returned[i]), (other, back))
        )
        if two.beats(one):
            candidates[i], returned[i] = other, back


def _agreement_with(candidate: Candidate, rest: Sequence[Candidate]) -> float:
    return mean_of_others(_agreement([candidate, *rest]))[0]


def _best(
    candidates: list[Candidate], agreement: np.ndarray, merits: dict[str, Merit] | None, cut: JointCut
) -> tuple[Candidate, str]:
    if candidates[-1].name in MIXTURES:
        return candidates[-1], "few columns, so the shapes of clusters that touch can be estimated; this one comes back most"
    if cut.is_clear:
        return candidates[0], f"the graph falls apart into {cut.n_clusters} clusters (relative eigengap {cut.gap:.2f})"
    if len(candidates) == 1:
        return candidates[0], "the only candidate"
    if candidates[-1].name == OVERLAPPING:
        return candidates[-1], "neighbours see no clusters, but the means of many samples do, in every half of them"
    if candidates[-1].name == TOGETHER:
        return candidates[-1], "samples are missing from views, and each of the others fills these gaps in its own way"
    if merits is None:
        means = mean_of_others(agreement)
        best = int(np.argmax(means))
        return candidates[best], f"agrees best with the others (mean adjusted Rand index {means[best]:.2f})"
    weighed = max(candidates, key=lambda candidate: merits[candidate.name].total)
    sizes = ", cut into clusters of unequal sizes" if weighed.uneven else ""
    return weighed, f"of what others find, what comes back in halves and what each view supports, it has most{sizes}"


def _with_borders(best: Candidate, reason: str, samples: Samples, cut: JointCut) -> tuple[Candidate, str]:
    """The candidate with samples at borders moved, and the reason with their number."""
    labels = moved_at_borders(samples.joint(), cut.graph, best.labels, cut.n_clusters, samples.joint_products)
    if moved := int(np.sum(labels != best.labels)):
        reason += f"; {counted(moved, 'sample')} at borders moved by the means of the clusters"
    return replace(best, labels=labels), reason


def _by_new_sizes(merit: Merit, before: np.ndarray, after: np.ndarray) -> Merit:
    """The merit of clusters that are numbered by size, after some samples were moved between them."""
    k = int(before.max()) + 1
    old, new = (order_by_size(*occurrences(labels, k)) for labels in (before, after))
    return replace(merit, returned=merit.returned.renumbered(np.argsort(old)[new]))


def _agree(candidates: Sequence[Candidate]) -> bool:
    """Whether two or more clusterings are nearly the same, so that another one would decide nothing."""
    return len(candidates) > 1 and float(_agreement(candidates).min()) >= _AGREED
