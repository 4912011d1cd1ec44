"""Random data as people have it, in families, for the benchmarks of the default; none of it comes from a file.

``draw(name, rng, hardness)`` gives views and labels. ``hardness`` 1 gives plain clusters; with more of it they overlap:
noise is wider, counts are fewer, bits are flipped. Labels are for scores only.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn import datasets

__all__ = ["FAMILIES", "STRUCTURELESS", "Draw", "clear_blobs", "draw"]

Draw = tuple[list[np.ndarray], np.ndarray]


def _labels(rng: np.random.Generator, n: int, k: int, concentration: float) -> np.ndarray:
    shares = np.maximum(rng.dirichlet(np.full(k, concentration)), 0.05)
    labels = rng.choice(k, n, p=shares / shares.sum())
    labels[:k] = np.arange(k)
    return labels


def _apart(rng: np.random.Generator, k: int, d: int, least: float) -> np.ndarray:
    """k centres, no two nearer than ``least``."""
    while True:
        centres = rng.normal(size=(k, d)) * least * max(1.0, k ** (1 / d) / 1.5)
        distance = np.linalg.norm(centres[:, None] - centres[None], axis=2)
        if distance[~np.eye(k, dtype=bool)].min() >= least:
            return centres


def clouds(rng: np.random.Generator, hardness: float) -> Draw:
    k = int(rng.integers(2, 7))
    y = _labels(rng, 400, k, 3)
    return [_apart(rng, k, d, 5.5)[y] + hardness * rng.normal(size=(400, d)) for d in (3, 4)], y


def along_a_ray(rng: np.random.Generator, hardness: float) -> Draw:
    k = int(rng.integers(2, 6))
    y = _labels(rng, 400, k, 20)
    return [6.0 * y[:, None] * rng.uniform(0.5, 1, d) + hardness * rng.normal(size=(400, d)) + 50 for d in (2, 4)], y


def single_columns(rng: np.random.Generator, hardness: float) -> Draw:
    k = int(rng.integers(2, 5))
    y = _labels(rng, 400, k, 20)
    return [rng.permutation(k)[y][:, None] * 7.0 + hardness * rng.normal(size=(400, 1)) for _ in range(3)], y


def other_units(rng: np.random.Generator, hardness: float) -> Draw:
    views, y = clouds(rng, hardness)
    return [
        np.hstack([view, rng.normal(size=(len(y), 2))]) * np.exp(rng.uniform(-3, 5, view.shape[1] + 2)) for view in views
    ], y


def curves(rng: np.random.Generator, hardness: float) -> Draw:
    seed = int(rng.integers(1 << 30))
    made = [datasets.make_moons(500, noise=0.07 * hardness, shuffle=False, random_state=seed + i) for i in range(2)]
    return [points for points, _ in made], made[0][1]


def word_counts(rng: np.random.Generator, hardness: float) -> Draw:
    k = int(rng.integers(3, 7))
    y = _labels(rng, 400, k, 20)
    depth = rng.gamma(3, 1, (400, 1)) / hardness**1.5
    return [
        rng.poisson(depth * (rng.gamma(0.3, 1, (k, d)) + 0.2)[y]).astype(float) + (np.arange(d) == 0) for d in (70, 130)
    ], y


def expression(rng: np.random.Generator, hardness: float) -> Draw:
    k = int(rng.integers(2, 5))
    y = _labels(rng, 240, k, 6)
    views = []
    for d in (250, 90):
        means = np.zeros((k, d))
        means[:, : d // 8] = 1.3 * rng.normal(size=(k, d // 8))
        views.append(np.exp(means[y] + 0.8 * hardness * rng.normal(size=(240, d)) + rng.normal(size=d)))
    return views, y


def answers(rng: np.random.Generator, hardness: float) -> Draw:
    k = int(rng.integers(2, 6))
    y = _labels(rng, 500, k, 20)
    flipped = min(0.48, 0.04 * hardness**1.3)
    bits = [rng.random((500, d)) < rng.beta(0.7, 0.7, (k, d))[y] for d in (15, 30)]
    return [(view ^ (rng.random(view.shape) < flipped)).astype(float) for view in bits], y


def complementary(rng: np.random.Generator, hardness: float) -> Draw:
    y = _labels(rng, 480, 4, 20)
    d = int(rng.integers(2, 15))
    return [
        (9 * rng.normal(size=(2, d)) / np.sqrt(d))[part] + hardness * rng.normal(size=(480, d)) for part in (y // 2, y % 2)
    ], y


def three_factors(rng: np.random.Generator, hardness: float) -> Draw:
    """Eight clusters, of which each of three views sees two."""
    factors = rng.integers(0, 2, (3, 540))
    y = np.array([4, 2, 1]) @ factors
    return [3 * rng.normal(size=(2, 5))[factor] + hardness * rng.normal(size=(540, 5)) for factor in factors], y


def beside_noise(rng: np.random.Generator, hardness: float) -> Draw:
    views, y = clouds(rng, hardness)
    return [*views, rng.normal(size=(len(y), int(rng.integers(5, 100))))], y


def with_outliers(rng: np.random.Generator, hardness: float) -> Draw:
    views, y = clouds(rng, hardness)
    bad = rng.random(len(y)) < 0.02
    return [np.where(bad[:, None], view * rng.uniform(5, 15), view) for view in views], y


FAMILIES: dict[str, Callable[[np.random.Generator, float], Draw]] = {
    made.__name__: made
    for made in (
        clouds, along_a_ray, single_columns, other_units, curves, word_counts, expression, answers, complementary,
        three_factors, beside_noise, with_outliers,
    )
}  # fmt: skip


def draw(name: str, rng: np.random.Generator, hardness: float = 1.0) -> Draw:
    views, y = FAMILIES[name](rng, hardness)
    return views, np.unique(y, return_inverse=True)[1]


def clear_blobs(rng: np.random.Generator, k: int) -> Draw:
    """Clusters that lie apart, of sizes up to 1 : 20, the smallest of 15 samples."""
    sizes = (15 * np.exp(np.linspace(0, rng.uniform(0, np.log(20)), k))).astype(int)
    y = np.repeat(np.arange(k), sizes)
    return [_apart(rng, k, d, 7.0)[y] + rng.normal(size=(len(y), d)) for d in (3, 5)], y


def _circle(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    angle = rng.uniform(0, 2 * np.pi, n)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    return [points + 0.1 * rng.normal(size=(n, 2)), points @ rng.normal(size=(2, 5)) + 0.2 * rng.normal(size=(n, 5))]


def _gradient(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    place = rng.random(n)
    return [5 * np.outer(place, rng.normal(size=d)) + 0.3 * rng.normal(size=(n, d)) for d in (4, 8)]


def _one_cloud(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    hidden = rng.normal(size=(n, 5))
    return [hidden @ rng.normal(size=(5, d)) + 0.5 * rng.normal(size=(n, d)) for d in (8, 20)]


STRUCTURELESS: dict[str, Callable[[np.random.Generator, int], list[np.ndarray]]] = {
    "noise": lambda rng, n: [rng.normal(size=(n, d)) for d in (10, 30)],
    "noise in two dimensions": lambda rng, n: [rng.normal(size=(n, 2)) for _ in range(2)],
    "uniform noise": lambda rng, n: [rng.random((n, d)) for d in (2, 3)],
    "one cloud in several views": _one_cloud,
    "a gradient": _gradient,
    "a ring": _circle,
}
