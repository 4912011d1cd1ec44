"""From the cut of the joint graph to the clusters of a fit: make other candidates where it is not clear, and choose one."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from ..._utils.steps import step
from ..._utils.text import count as counted
from ...graphs import Samples
from ..verdict import Returned
from .borders import moved_at_borders
from .candidates import JOINT, MIXTURES, Candidate, Task, candidates_for, fused_graphs, gaussian_mixture
from .choice import agreement_of, mean_of_others
from .joint import JointCut
from .merit import Merit, merits_of, returned_of
from .overlapping import OVERLAPPING, Overlapping

__all__ = ["Chooser", "Chosen"]

_AGREED = 0.85  # least agreement of all candidates so far from which no further one is made


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
        candidates = self._candidates(samples, cut, overlapping)
        agreement = agreement_of([candidate.labels for candidate in candidates])
        merits = self._merits(candidates, agreement, samples, cut)
        best, reason = _best(candidates, agreement, merits, cut)
        if best.name == JOINT and cut.has_borders:
            best, reason = _with_borders(best, reason, samples.of_views(cut.views), cut)
        return Chosen(best, reason, tuple(candidates), agreement, merits, self.stopped)

    def returned_of(self, candidate: Candidate, samples: Samples) -> Returned:
        """What comes back of a candidate when halves of the samples are clustered its way."""
        return returned_of(candidate, samples, self.device, self._seed())

    def _candidates(self, samples: Samples, cut: JointCut, overlapping: Overlapping | None) -> list[Candidate]:
        """The joint neighbours and, unless their gap is clear, the others as far as there is time.

        If a clear gap may come from filled cells, a mixture is taken whose clusters come back more often, if there is one.
        """
        candidates = [Candidate(JOINT, cut.labels, cut.spectrum.vectors[:, : cut.n_clusters], cut.graph)]
        if cut.n_clusters < 2 or not cut.is_doubtful:
            return candidates
        if overlapping is not None:
            return [*candidates, overlapping.candidate(cut.graph, len(samples))]
        kept = samples.of_views(cut.views)
        if not cut.is_clear:
            self._make_others(candidates, kept, cut.n_clusters)
        if kept.present is not None or self.stopped is not None:
            return candidates
        mixture = gaussian_mixture(kept.joint(), cut, self.random_state)
        if mixture is None or (cut.is_clear and not self._comes_back_more(mixture, candidates[0], kept)):
            return candidates
        return [*candidates, mixture]

    def _make_others(self, candidates: list[Candidate], samples: Samples, n_clusters: int) -> None:
        """Append what is made beside the joint neighbours; not the slowest, if all before it agree."""
        for make in candidates_for(samples):
            if make is fused_graphs and _agree(agreement_of([candidate.labels for candidate in candidates])):
                return
            if self.max_time is not None and time.monotonic() - self.begin >= self.max_time:
                self.stopped = "max_time"
                return
            step(f"another clustering: {make.__name__.replace('_', ' ')}")
            candidates.append(make(Task(samples, n_clusters, self._seed(), self.device)))
            if self.verbose:
                print(f"AutoFusion: {candidates[-1].name}, {time.monotonic() - self.begin:.1f} s")

    def _comes_back_more(self, one: Candidate, other: Candidate, samples: Samples) -> bool:
        """Whether halves of the samples give the clusters of the first candidate more than those of the second."""
        seed = self._seed()
        first, second = (returned_of(candidate, samples, self.device, seed).agreement for candidate in (one, other))
        return first is None or second is None or first > second

    def _merits(
        self, candidates: list[Candidate], agreement: np.ndarray, samples: Samples, cut: JointCut
    ) -> dict[str, Merit] | None:
        """What speaks for each candidate, by its name.

        None if another rule decides, if the candidates are nearly the same, or if there is no time to cluster halves.
        """
        decided = len(candidates) < 2 or cut.is_clear or candidates[-1].name in (*MIXTURES, OVERLAPPING)
        if decided or _agree(agreement) or self.stopped is not None:
            return None
        step("clustering halves of the samples, to see what comes back")
        found = merits_of(candidates, agreement, samples.of_views(cut.views), self.device, self._seed())
        return {candidate.name: merit for candidate, merit in zip(candidates, found, strict=True)}

    def _seed(self) -> int:
        return int(self.random_state.randint(2**31 - 1))


def _best(
    candidates: list[Candidate], agreement: np.ndarray, merits: dict[str, Merit] | None, cut: JointCut
) -> tuple[Candidate, str]:
    if candidates[-1].name in MIXTURES:
        return candidates[-1], "few columns and enough samples to estimate the shapes of clusters that touch"
    if cut.is_clear:
        return candidates[0], f"the graph falls apart into {cut.n_clusters} clusters (relative eigengap {cut.gap:.2f})"
    if len(candidates) == 1:
        return candidates[0], "the only candidate"
    if candidates[-1].name == OVERLAPPING:
        return candidates[-1], "neighbours see no clusters, but the means of many samples do, in every half of them"
    if merits is None:
        means = mean_of_others(agreement)
        best = int(np.argmax(means))
        return candidates[best], f"agrees best with the others (mean adjusted Rand index {means[best]:.2f})"
    weighed = max(candidates, key=lambda candidate: merits[candidate.name].total)
    return weighed, "of what others find, what comes back in halves and what each view supports, it has most"


def _with_borders(best: Candidate, reason: str, samples: Samples, cut: JointCut) -> tuple[Candidate, str]:
    """The joint neighbours with samples at borders moved, and the reason with their number."""
    labels = moved_at_borders(samples.joint(), cut.graph, best.labels, cut.n_clusters, samples.joint_products())
    if moved := int(np.sum(labels != best.labels)):
        reason += f"; {counted(moved, 'sample')} at borders moved by the means of the clusters"
    return replace(best, labels=labels), reason


def _agree(agreement: np.ndarray) -> bool:
    """Whether at least three clusterings are nearly the same, so that another one would decide nothing."""
    return len(agreement) > 2 and float(agreement.min()) >= _AGREED
