"""The adjusted Rand index without the overhead of scikit-learn's."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from viewfuse._utils.agreement import adjusted_rand


@pytest.mark.parametrize("seed", range(20))
def test_as_scikit_learn(seed):
    rng = np.random.RandomState(seed)
    one = rng.randint(1 + seed % 7, size=50)
    other = np.where(rng.random_sample(50) < seed / 20, one, rng.randint(1 + seed % 5, size=50))
    assert adjusted_rand(one, other) == pytest.approx(adjusted_rand_score(one, other), abs=1e-12)


@pytest.mark.parametrize(("one", "other"), [([0, 1, 2], [2, 0, 1]), ([0, 0, 0], [0, 0, 0]), ([0], [0]), ([0, 0], [0, 1])])
def test_extreme_clusterings(one, other):
    assert adjusted_rand(np.array(one), np.array(other)) == pytest.approx(adjusted_rand_score(one, other))
