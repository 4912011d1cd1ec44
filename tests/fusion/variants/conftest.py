"""A small problem and its states, for tests of single steps."""

from dataclasses import replace

import numpy as np
import pytest

from viewfuse.fusion.problem import Problem
from viewfuse.fusion.state import Embedding, State
from viewfuse.fusion.variants import VARIANTS


@pytest.fixture
def problem():
    """Two views, k = 2, α = 1, β = 2, γ = 3, with the stopping rule of a variant."""

    def made(variant, *, tol=1e-3, **changes):
        stopping = replace(VARIANTS[variant].stopping, tol=tol)
        options = {"random_state": np.random.RandomState(0), "stopping": stopping, **changes}
        return Problem([None, None], 2, 1.0, 2.0, 3.0, **options)

    return made


@pytest.fixture
def state():
    """A state of five samples with equal weights."""

    def made(**changes):
        graphs = np.zeros((3, 5, 5))
        return State(
            **{"consensus": graphs[0], "weights": np.full(2, 0.5), "norm2": 0.0, "spare": tuple(graphs[1:]), **changes}
        )

    return made


@pytest.fixture
def embedding():
    def made(mean_distance):
        return Embedding(None, None, None, mean_distance=mean_distance)

    return made
