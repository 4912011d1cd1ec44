"""Which of several clusterings is right, without labels: three questions, each answered by a number from 0 to 1.

* What do the others find? What several ways find is in the data, what only one finds is in the way of looking. But ways that
  are blind to the same thing agree as well.
* What comes back if halves of the samples are clustered alone? Clusters that depend on chance do not. But a way of looking
  may be wrong in every half alike.
* What do the views say, each alone? Neighbours in a view are in the same cluster more often than by chance. But views that
  complement each other know little of the clusters alone.

None is sufficient, and each is blind where another is not, so their sum decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...graphs import Samples
from ...linalg import numbered_by_size
from ..verdict import Returned, come_back
from .candidates import Candidate, Task, clustered_again
from .choice import mean_of_others
from .joint import neighbors_inside
from .latent_classes import with_latent_classes

__all__ = ["Merit", "merit_of", "merits_of", "odds", "returned_of"]

_HALVES, _MORE_HALVES = 2, 4  # more of few samples: these differ
_FEW = 500
_LEAST, _MOST = 0.01, 0.99  # of what comes back: an adjusted Rand index may be 1, or below 0


@dataclass(frozen=True)
class Merit:
    """What speaks for a candidate.

    Attributes
    ----------
    agreement : float, the mean adjusted Rand index with the other candidates
    returned : Returned, what halves of the samples give again
    inside : float
        The mean over the views of the share of neighbours in the same cluster, beyond chance.
    """

    agreement: float
    returned: Returned
    inside: float

    @property
    def total(self) -> float:
        return self.agreement + self.back + self.inside

    @property
    def back(self) -> float:
        """What came back, as a number; 0 if there are too few samples for halves."""
        return 0.0 if self.returned.agreement is None else self.returned.agreement

    def beats(self, other: Merit) -> bool:
        """Whether it has more of everything; as much agreement is enough."""
        return self.agreement >= other.agreement and self.back > other.back and self.inside > other.inside


def merit_of(candidate: Candidate, returned: Returned, samples: Samples, agreement: float = 0.0) -> Merit:
    """The merit of one candidate, of which so much came back."""
    inside = [neighbors_inside(samples, v, candidate.labels)[0] for v in range(samples.n_views)]
    return Merit(agreement, returned, float(np.mean(inside)))


def merits_of(
    candidates: Sequence[Candidate], agreement: np.ndarray, returned: Sequence[Returned], samples: Samples
) -> dict[str, Merit]:
    """The merits of clusterings of the same samples, by their names; ``returned`` is what :func:`returned_of` gave."""
    found = zip(candidates, mean_of_others(agreement), returned, strict=True)
    return {each.name: merit_of(each, back, samples, mean) for each, mean, back in found}


def returned_of(candidate: Candidate, samples: Samples, device: str | None, seed: int) -> Returned:
    """What comes back of the candidate's clusters, numbered by size, when halves of the samples are clustered its way.

    The halves depend on the seed only.
    """
    k = int(candidate.labels.max()) + 1

    def by_values(labels: np.ndarray, some: Samples) -> np.ndarray:
        return with_latent_classes(labels, some.values or some.points, k) if samples.mostly_two_valued else labels

    def cluster(rows: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        half = samples.part(rows)
        return by_values(clustered_again(candidate, Task(half, k, int(rng.randint(2**31 - 1)), device), rows), half)

    n_halves = _MORE_HALVES if len(samples) < _FEW else _HALVES
    labels = numbered_by_size(by_values(candidate.labels, samples))
    return come_back(labels, k, cluster, np.random.RandomState(seed), n_halves)


def odds(returned: Returned) -> float:
    """``b/(1 − b)`` with the share b that came back; 1 if there are too few samples for halves."""
    if returned.agreement is None:
        return 1.0
    share = min(max(returned.agreement, _LEAST), _MOST)
    return share / (1 - share)
