"""Views with clear clusters."""

import numpy as np

N = 150


def blobs(k, d, y, rng):
    while True:
        centres = 8 * rng.normal(size=(k, d))
        if (np.linalg.norm(centres[:, None] - centres[None], axis=2) + 99 * np.eye(k)).min() > 6:
            return centres[y] + rng.normal(size=(len(y), d))


def three_views(seed=0, k=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, N)
    return {name: blobs(k, 4, y, rng) for name in "abc"}, rng
