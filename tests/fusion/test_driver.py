"""The loop: how iterations end, what is reported, and the record that is returned."""

from dataclasses import replace

import numpy as np
import pytest

from reference import blobs
from viewfuse.exceptions import DivergenceError
from viewfuse.fusion import driver, gf, gfsc
from viewfuse.fusion.result import Sweep
from viewfuse.fusion.variants import VARIANTS

VIEWS, _ = blobs(n=36, features=(4, 50, 6), spread=1.5)


def test_every_iteration_is_reported():
    seen = []
    result = gfsc(VIEWS, 3, tol=1e-9, random_state=0, on_sweep=lambda number, sweep: seen.append((number, sweep.change)))
    assert [number for number, _ in seen] == list(range(1, len(result.sweeps) + 1))
    assert seen[-1][1] == result.sweeps[-1].change < seen[0][1]


def test_nothing_but_the_objective_depends_on_whether_it_is_computed():
    with_it, without = (gfsc(VIEWS, 3, random_state=0, with_objective=asked) for asked in (True, False))
    assert np.isnan([sweep.objective for sweep in without.sweeps]).all()
    np.testing.assert_array_equal(without.consensus, with_it.consensus)


def test_iterations_end_when_the_callback_returns_true():
    result = gfsc(VIEWS, 3, tol=0, random_state=0, on_sweep=lambda number, _: number == 2)
    assert len(result.sweeps) == 2
    assert not result.converged


def test_iterations_end_at_max_iter():
    result = gfsc(VIEWS, 3, tol=0, max_iter=3, random_state=0)
    assert len(result.sweeps) == 3
    assert not result.converged


@pytest.mark.parametrize(("variant", "least"), [("published", 6), ("robust", 1), ("paper", 1)])
def test_the_first_iteration_that_may_be_the_last(variant, least):
    result = gfsc(VIEWS, 3, variant=variant, tol=1e6, random_state=0)
    assert len(result.sweeps) == least
    assert result.converged


@pytest.mark.parametrize("beta", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("solve", [gfsc, gf])
def test_a_converged_result_is_close_to_that_of_a_long_run(solve, beta):
    views, _ = blobs(n=90, features=(4, 12, 6), spread=1.0)
    short, long = (solve(views, 3, beta=beta, tol=tol, random_state=0) for tol in (1e-3, 1e-7))
    assert short.converged
    assert len(short.sweeps) < len(long.sweeps)
    assert np.linalg.norm(short.consensus - long.consensus) / np.linalg.norm(long.consensus) < 0.02
    np.testing.assert_allclose(short.weights, long.weights, atol=0.02)


@pytest.mark.parametrize("sweep", [Sweep(np.nan, 0.1, np.ones(2)), Sweep(1, np.inf, np.ones(2)), Sweep(1, 0.1, [np.nan, 1])])
def test_values_that_are_not_finite_raise(sweep):
    with pytest.raises(DivergenceError, match="not finite after iteration 1") as caught:
        driver._check_finite([sweep], "Do that.")
    assert caught.value.hint == "Do that."
    driver._check_finite([Sweep(1.0, 0.1, np.ones(2))], "Do that.")


@pytest.mark.parametrize("variant", ["robust", "published", "paper"])
@pytest.mark.parametrize("joint", [True, False])
def test_each_variant_works_in_three_arrays(variant, joint, monkeypatch):
    """The state names what each of the three n × n arrays holds, and no iteration allocates a fourth."""
    seen, original = [], VARIANTS[variant]

    def iterate(problem, state):
        state, sweep = original.iterate(problem, state)
        seen.append({id(array) for array in (state.consensus, *state.scratch())})
        return state, sweep

    monkeypatch.setitem(VARIANTS, variant, replace(original, iterate=iterate))
    (gfsc if joint else gf)(VIEWS, 3, variant=variant, tol=0, max_iter=4, random_state=0)
    assert len(seen) == 4
    assert all(len(arrays) == 3 and arrays == seen[0] for arrays in seen)
