"""What a reader is told of each cluster: its size, its features in words, how separate it is, typical samples."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .._utils.text import number
from ..views import Views
from .markers import Contrast, adjusted, contrasts_of_views, feature_name
from .neighborhoods import Neighborhoods

__all__ = ["Cluster", "Feature", "describe_clusters", "in_words", "split_unit"]

_MIN_EFFECT = 0.5  # standard deviations; a feature with a smaller effect does not set a cluster apart
_FEATURES_PER_VIEW = 4
_FEATURES_IN_WORDS = 3
_TYPICAL = 3
_TIMES = 1.5  # from which a ratio of means is worth saying
_UNIT = re.compile(r"(?P<name>.*\S)\s*(\[(?P<square>[^\[\]]{1,12})\]|\((?P<round>[^()]{1,12})\))")


@dataclass(frozen=True)
class Feature:
    """A feature with a high or low mean in a cluster.

    ``effect`` is ``(inside − outside) / standard deviation``, ``auc`` the probability that a sample inside has a larger
    value than one outside. ``inside`` and ``outside`` are means, or shares of a category; of dates, days since 1970.
    """

    view: str
    name: str
    kind: str
    effect: float
    inside: float
    outside: float
    auc: float
    p_adjusted: float

    @property
    def words(self) -> str:
        """
        >>> Feature("profile", "age", "number", 1.4, 62.7, 44.1, 0.85, 0.0).words
        'higher age (62.7 against 44.1)'
        >>> Feature("profile", "weight [kg]", "number", 1.4, 82.7, 64.1, 0.85, 0.0).words
        'higher weight (82.7 kg against 64.1 kg)'
        >>> Feature("profile", "joined", "date", -1.4, 18262, 19024, 0.15, 0.0).words
        'earlier joined (2020-01-01 against 2022-02-01)'
        >>> Feature("profile", "region=west", "category", 1.2, 0.81, 0.2, 0.8, 0.0).words
        'mostly region=west (81 % against 20 %)'
        >>> Feature("usage", "calls", "count", 1.2, 12.4, 5.9, 0.8, 0.0).words
        '2.1 times the calls (12.4 against 5.9)'
        """
        name, _ = split_unit(self.name)
        compared = f"({self.shown(self.inside)} against {self.shown(self.outside)})"
        if self.kind == "category":
            return f"{self._often()} {self.name} {compared}"
        if self.kind == "date":
            return f"{'later' if self.effect > 0 else 'earlier'} {name} {compared}"
        if self.kind == "count" and self.outside > 0 and self.inside >= _TIMES * self.outside:
            return f"{self.inside / self.outside:.1f} times the {name} {compared}"
        return f"{'higher' if self.effect > 0 else 'lower'} {name} {compared}"

    def shown(self, mean: float) -> str:
        """A mean as people write it: a share in percent, a date, or a number with the unit that the feature's name gives."""
        if self.kind == "category":
            return f"{100 * mean:.0f} %"
        if self.kind == "date":
            return str(np.datetime64("1970-01-01") + np.timedelta64(round(mean), "D"))
        _, unit = split_unit(self.name)
        return f"{number(mean)} {unit}" if unit else number(mean)

    def _often(self) -> str:
        if self.effect > 0:
            return "mostly" if self.inside >= 0.5 else "more often"
        return "hardly ever" if self.inside < 0.1 else "less often"


@dataclass(frozen=True)
class Cluster:
    """One cluster.

    Attributes
    ----------
    label, size : int
    share : float, of all samples
    confidence : float or None, the median
    returned : float or None
        How much of the cluster came back when halves of the samples were clustered alone (mean Jaccard index).
    silhouette : float or None, mean silhouette of its samples in the data before the cut, from −1 to 1
    inside : float or None
        Share of the neighbours of its samples, in the graph before the cut, that are in the same cluster.
    view_weights : dict of float
        Share of each view in what the views' neighbours know of this cluster; empty without the data.
    typical : tuple of str, samples in the middle of the cluster
    features : dict of tuples of Feature, by view, the largest effect first
    """

    label: int
    size: int
    share: float
    confidence: float | None
    returned: float | None
    silhouette: float | None
    inside: float | None
    view_weights: dict[str, float]
    typical: tuple[str, ...]
    features: dict[str, tuple[Feature, ...]]

    def top_features(self, count: int) -> list[Feature]:
        """The features with the largest effects in any view; of the levels of a category, the one that says most."""
        every = [feature for features in self.features.values() for feature in features]
        by_effect = sorted(every, key=lambda feature: -abs(feature.effect))
        first = {(feature.view, column_of(feature.name)): feature for feature in reversed(by_effect)}
        return [feature for feature in by_effect if first[feature.view, column_of(feature.name)] is feature][:count]

    @property
    def words(self) -> str:
        """What sets the cluster apart, in one line; empty without the data."""
        return in_words(self.top_features(_FEATURES_IN_WORDS)) if self.features else ""


def split_unit(name: str) -> tuple[str, str]:
    """A feature's name and its unit: what stands in brackets at the end of the name; empty without.

    >>> split_unit("weight [kg]"), split_unit("income (EUR)"), split_unit("age")
    (('weight', 'kg'), ('income', 'EUR'), ('age', ''))
    """
    found = _UNIT.fullmatch(name)
    return (found["name"], found["square"] or found["round"]) if found else (name, "")


def column_of(name: str) -> str:
    """The column that a feature comes from.

    >>> column_of("region=west"), column_of("age")
    ('region', 'age')
    """
    return name.partition("=")[0]


def in_words(features: Sequence[Feature]) -> str:
    """The features in one line."""
    return ", ".join(feature.words for feature in features) if features else "no single feature sets it apart"


def describe_clusters(
    labels: np.ndarray,
    views: Views | None,
    *,
    confidence: np.ndarray | None = None,
    returned: np.ndarray | None = None,
    neighborhoods: Neighborhoods | None = None,
    rows: np.ndarray | None = None,
    names: Sequence[str] = (),
) -> tuple[Cluster, ...]:
    """The clusters in the order of their labels.

    Parameters
    ----------
    labels : (n,) array of int
    views : Views or None: without it there are no features
    confidence : (n,) array or None
    returned : (n_clusters,) array or None
    neighborhoods : the graphs of the samples ``rows``, or None
    names : the names of all samples
    """
    found, sizes = np.unique(labels, return_counts=True)
    by_view = {} if views is None else _distinguishing(contrasts_of_views(labels, views), views, len(found))
    near = _Near.of(neighborhoods, labels[rows]) if neighborhoods is not None and rows is not None else None
    return tuple(
        Cluster(
            label=int(label),
            size=int(size),
            share=float(size / len(labels)),
            confidence=None if confidence is None else float(np.median(confidence[labels == label])),
            returned=_known(returned, place),
            silhouette=None if near is None else near.silhouette.get(int(label)),
            inside=None if near is None else near.inside[int(label)],
            view_weights={} if near is None else near.view_weights[int(label)],
            typical=() if near is None or rows is None else tuple(names[rows[row]] for row in near.typical[int(label)]),
            features={view: features[place] for view, features in by_view.items()},
        )
        for place, (label, size) in enumerate(zip(found, sizes, strict=True))
    )


def _known(shares: np.ndarray | None, place: int) -> float | None:
    return None if shares is None or place >= len(shares) or np.isnan(shares[place]) else float(shares[place])


def _distinguishing(
    contrasts: Mapping[str, Contrast], views: Views, n_clusters: int
) -> dict[str, list[tuple[Feature, ...]]]:
    """For each view and each cluster, the features with the largest effects."""
    p_values = adjusted(np.concatenate([one.p_value.ravel() for one in contrasts.values()] or [np.empty(0)]))
    by_view: dict[str, list[tuple[Feature, ...]]] = {}
    start = 0
    for name, found in contrasts.items():
        names = views.feature_names[views.names.index(name)]
        p_adjusted = p_values[start : start + found.p_value.size].reshape(found.p_value.shape)
        start += found.p_value.size
        by_view[name] = [_largest(found, p_adjusted, place, name, names) for place in range(n_clusters)]
    return by_view


def _largest(
    found: Contrast, p_adjusted: np.ndarray, place: int, view: str, names: np.ndarray | None
) -> tuple[Feature, ...]:
    effects = found.effect[place]
    return tuple(
        Feature(
            view=view,
            name=feature_name(names, f),
            kind=str(found.kind[f]),
            effect=float(effects[f]),
            inside=float(found.inside[place, f]),
            outside=float(found.outside[place, f]),
            auc=float(found.auc[place, f]),
            p_adjusted=float(p_adjusted[place, f]),
        )
        for f in np.argsort(-np.abs(effects), kind="stable")[:_FEATURES_PER_VIEW].tolist()
        if abs(effects[f]) >= _MIN_EFFECT
    )


@dataclass(frozen=True)
class _Near:
    """What the neighbour graphs say of each cluster."""

    silhouette: dict[int, float]
    inside: dict[int, float]
    view_weights: dict[int, dict[str, float]]
    typical: dict[int, list[int]]

    @classmethod
    def of(cls, neighborhoods: Neighborhoods, labels: np.ndarray) -> _Near:
        clusters = np.unique(labels)
        inside = neighborhoods.share_inside(neighborhoods.fused, labels)
        by_view = {
            name: _beyond_chance(neighborhoods.share_inside(graph, labels), labels, clusters)
            for name, graph in neighborhoods.views.items()
        }
        silhouettes = neighborhoods.silhouettes(labels)
        typical, central = {}, neighborhoods.centrality(labels)
        for cluster in clusters:
            members = np.flatnonzero(labels == cluster)
            typical[int(cluster)] = members[np.argsort(-central[members], kind="stable")[:_TYPICAL]].tolist()
        return cls(
            silhouette=silhouettes,
            inside={int(cluster): float(inside[labels == cluster].mean()) for cluster in clusters},
            view_weights={
                int(cluster): _normalised({name: shares[place] for name, shares in by_view.items()})
                for place, cluster in enumerate(clusters)
            },
            typical=typical,
        )


def _beyond_chance(inside: np.ndarray, labels: np.ndarray, clusters: np.ndarray) -> list[float]:
    """For each cluster, the share of neighbours inside it beyond what chance would give, from 0 to 1."""
    found = []
    for cluster in clusters:
        members = labels == cluster
        chance = float(members.mean())
        found.append(max(float(inside[members].mean()) - chance, 0.0) / (1 - chance) if chance < 1 else 0.0)
    return found


def _normalised(shares: dict[str, float]) -> dict[str, float]:
    total = sum(shares.values())
    return {name: share / total if total > 0 else 1 / len(shares) for name, share in shares.items()}
