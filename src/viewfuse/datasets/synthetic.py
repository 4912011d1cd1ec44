"""Generated views with known clusters, noise views, conflicting views and missing samples."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Literal

import numpy as np
from sklearn.utils import check_random_state

from ..exceptions import ParameterError
from ..views import Views

__all__ = ["make_views"]

Kind = Literal["blobs", "moons", "rings"]


def make_views(
    kind: Kind = "blobs",
    *,
    n_samples: int = 300,
    n_clusters: int | None = None,
    n_features: Sequence[int] = (10, 20, 30),
    noise: float | None = None,
    noise_views: int = 0,
    conflicting_views: int = 0,
    missing: float = 0.0,
    proportions: Sequence[float] | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Views:
    """Generate views of samples in known clusters.

    All regular views show the same clusters, each in a feature space of its own. The points of ``"moons"`` and ``"rings"``
    lie on curves in a plane, which is rotated at random into ``n_features`` dimensions.

    Parameters
    ----------
    kind : {"blobs", "moons", "rings"}
        Round clusters; two interleaved half circles; concentric circles.
    n_samples : int
    n_clusters : int, optional
        The default is 3; for ``"moons"`` it is always 2.
    n_features : sequence of int
        Number of features of each regular view; at least 2 for moons and rings.
    noise : float, optional
        Standard deviation around the centre of a blob (default 1; centres are about 4 apart per feature) or around a curve
        (default 0.05; rings are 1 apart).
    noise_views : int
        Number of additional views named ``noise0``, …, which contain only Gaussian noise.
    conflicting_views : int
        Number of additional views named ``conflict0``, …, which show equally clear clusters that contain other samples.
    missing : float
        Share of entries (a sample in a view) that are missing: NaN, with ``views.present`` False. Every sample stays in at
        least one view.
    proportions : sequence of float, optional
        Relative sizes of the clusters. The default is equal sizes.
    random_state : int, RandomState or None

    Returns
    -------
    Views
        With ``y``; regular views are named ``view0``, ….

    Examples
    --------
    >>> from viewfuse.datasets import make_views
    >>> make_views(n_samples=100, n_features=(4, 6), noise_views=1, random_state=0)
    Views(100 samples; view0: 4 features, view1: 6 features, noise0: 5 features)
    """
    n_clusters = (2 if kind == "moons" else 3) if n_clusters is None else n_clusters
    _check_numbers(n_samples=n_samples, n_clusters=n_clusters, noise_views=noise_views, conflicting_views=conflicting_views)
    _check(kind, n_samples, n_clusters, n_features, noise, missing)
    rng = check_random_state(random_state)
    sizes = _cluster_sizes(n_samples, n_clusters, proportions)
    y = rng.permutation(np.repeat(np.arange(n_clusters), sizes))
    other_features = round(float(np.mean(n_features)))
    draw = {"blobs": _blobs, "moons": _moons, "rings": _rings}[kind]
    spread = (1.0 if kind == "blobs" else 0.05) if noise is None else noise
    views = {f"view{v}": draw(y, width, spread, rng) for v, width in enumerate(n_features)}
    for v in range(noise_views):
        views[f"noise{v}"] = rng.normal(size=(n_samples, other_features))
    for v in range(conflicting_views):
        views[f"conflict{v}"] = draw(rng.permutation(y), other_features, spread, rng)
    present = _present(n_samples, len(views), missing, rng)
    for v, array in enumerate(views.values()):
        array[~present[:, v]] = np.nan
    return Views(views, y=y, present=present)


def _check_numbers(**counts: object) -> None:
    for name, value in counts.items():
        least = 0 if name.endswith("_views") else 1
        if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
            raise ParameterError(
                f"{name} must be an integer of at least {least}; got {value!r}.", parameter=name, value=value
            )


def _check(
    kind: str, n_samples: int, n_clusters: int, n_features: Sequence[int], noise: float | None, missing: float
) -> None:
    if kind not in ("blobs", "moons", "rings"):
        raise ParameterError(f"kind must be 'blobs', 'moons' or 'rings', not {kind!r}.", parameter="kind", value=kind)
    if kind == "moons" and n_clusters != 2:
        raise ParameterError(
            f"There are always 2 moons, not {n_clusters}.",
            hint="Use kind='rings' or kind='blobs' for other numbers of clusters.",
            parameter="kind",
            value=("rings", "blobs"),
        )
    if n_clusters > n_samples:
        raise ParameterError(
            f"n_clusters must be between 1 and the number of samples ({n_samples}); got {n_clusters}.",
            parameter="n_clusters",
            value=n_clusters,
        )
    least = 1 if kind == "blobs" else 2
    if not n_features or min(n_features) < least:
        raise ParameterError(
            f"n_features must have an entry of at least {least} for each view; got {tuple(n_features)}.",
            parameter="n_features",
            value=tuple(n_features),
        )
    if noise is not None and not (isinstance(noise, Real) and 0 <= noise < np.inf):
        raise ParameterError(
            f"noise must be a standard deviation, at least 0 and finite; got {noise!r}.", parameter="noise", value=noise
        )
    if not 0 <= missing < 1:
        raise ParameterError(
            f"missing must be a share, at least 0 and below 1; got {missing}.", parameter="missing", value=missing
        )


def _cluster_sizes(n_samples: int, n_clusters: int, proportions: Sequence[float] | None) -> np.ndarray:
    """Return cluster sizes of at least 1 that sum to ``n_samples`` and follow the proportions."""
    shares = np.ones(n_clusters) if proportions is None else np.asarray(proportions, dtype=float)
    if shares.shape != (n_clusters,) or not (shares > 0).all():
        raise ParameterError(
            f"proportions must be {n_clusters} positive numbers, one for each cluster; got {proportions}.",
            parameter="proportions",
            value=proportions,
        )
    exact = 1 + (n_samples - n_clusters) * shares / shares.sum()
    sizes = np.floor(exact).astype(int)
    largest_remainders = np.argsort(sizes - exact, kind="stable")[: n_samples - sizes.sum()]
    sizes[largest_remainders] += 1
    return sizes


def _blobs(y: np.ndarray, width: int, noise: float, rng: np.random.RandomState) -> np.ndarray:
    centres = rng.normal(
        scale=4 / np.sqrt(2), size=(y.max() + 1, width)
    )  # two centres differ by 4 (root mean square) per feature
    return centres[y] + noise * rng.normal(size=(len(y), width))


def _moons(y: np.ndarray, width: int, noise: float, rng: np.random.RandomState) -> np.ndarray:
    angle = rng.uniform(0, np.pi, size=len(y))
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    plane = np.where(y[:, None] == 0, upper, np.array([1.0, 0.5]) - upper)
    return _rotated(plane, width, noise, rng)


def _rings(y: np.ndarray, width: int, noise: float, rng: np.random.RandomState) -> np.ndarray:
    angle = rng.uniform(0, 2 * np.pi, size=len(y))
    plane = (1 + y)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return _rotated(plane, width, noise, rng)


def _rotated(plane: np.ndarray, width: int, noise: float, rng: np.random.RandomState) -> np.ndarray:
    """Embed the plane isometrically in ``width`` dimensions, and add noise in all of them."""
    axes, _ = np.linalg.qr(rng.normal(size=(width, 2)))
    return plane @ axes.T + noise * rng.normal(size=(len(plane), width))


def _present(n_samples: int, n_views: int, missing: float, rng: np.random.RandomState) -> np.ndarray:
    """Choose missing entries at random, exactly the given share; every sample keeps at least one view."""
    present = np.ones((n_samples, n_views), dtype=bool)
    n_missing = round(missing * present.size)
    if n_missing > n_samples * (n_views - 1):
        raise ParameterError(
            f"A share of {missing} missing entries in {n_views} views would leave samples missing from every view.",
            hint=f"Use a share of at most {n_views - 1}/{n_views}.",
            parameter="missing",
            value=missing,
        )
    kept = rng.randint(n_views, size=n_samples)
    removable = np.ones_like(present)
    removable[np.arange(n_samples), kept] = False
    places = np.flatnonzero(removable)
    present.ravel()[rng.choice(places, size=n_missing, replace=False)] = False
    return present
