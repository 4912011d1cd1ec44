"""The catalogue of public multi-view data sets: their contents, addresses and checksums."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from ..exceptions import ViewsError

__all__ = ["Dataset", "describe", "names"]


@dataclass(frozen=True)
class Dataset:
    """One entry of the catalogue."""

    name: str
    file: str
    url: str
    sha256: str
    n_bytes: int
    n_samples: int
    n_clusters: int
    view_names: tuple[str, ...]
    view_features: tuple[int, ...]

    @property
    def n_views(self) -> int:
        """Number of views."""
        return len(self.view_names)

    def names_by_features(self, n_features: Sequence[int]) -> list[str]:
        """Return the names of the views of a file, matched by their numbers of features.

        The catalogue does not always list views in the order of the file. If two views have the same number of features,
        their names cannot be matched, and they are called ``view0``, ``view1``, … by position.
        """
        catalogued, found = Counter(self.view_features), Counter(n_features)
        name_of = dict(zip(self.view_features, self.view_names, strict=True))
        return [name_of[n] if catalogued[n] == found[n] == 1 else f"view{v}" for v, n in enumerate(n_features)]


def names() -> list[str]:
    """Return the names of the data sets that :func:`fetch` can download.

    Examples
    --------
    >>> from viewfuse import datasets
    >>> "Caltech101-20" in datasets.names()
    True
    """
    return list(_catalogue())


def describe(name: str) -> Dataset:
    """Return the catalogue's entry for one data set; the name is matched in any case.

    Examples
    --------
    >>> from viewfuse import datasets
    >>> datasets.describe("MSRC-v5").n_samples
    210
    """
    by_lower_case = {known.lower(): known for known in _catalogue()}
    known = by_lower_case.get(name.lower())
    if known is None:
        close = get_close_matches(name.lower(), by_lower_case, n=3)
        similar = tuple(by_lower_case[c] for c in close)
        raise ViewsError(
            f"There is no data set {name!r} in the catalogue"
            + (f"; similar names: {', '.join(similar)}." if similar else "."),
            hint="See datasets.names().",
            parameter="name",
            value=similar or name,
        )
    return _catalogue()[known]


@cache
def _catalogue() -> dict[str, Dataset]:
    entries = json.loads(files(__package__).joinpath("catalogue.json").read_text(encoding="utf-8"))
    return {
        entry["name"]: Dataset(
            name=entry["name"],
            file=entry["file"],
            url=entry["url"],
            sha256=entry["sha256"],
            n_bytes=entry["bytes"],
            n_samples=entry["n_samples"],
            n_clusters=entry["n_clusters"],
            view_names=tuple(view["name"] for view in entry["views"]),
            view_features=tuple(view["n_features"] for view in entry["views"]),
        )
        for entry in entries
    }
