"""Projections onto the simplex and quadratic programs over it."""

import numpy as np
import pytest

import peers
from viewfuse.linalg import project_rows, simplex_programs


def test_projection_equals_one_row_at_a_time():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 7)) * 10.0 ** rng.integers(-3, 4, size=(50, 1))
    taken = rng.random((50, 7)) < 0.7
    taken[0] = False
    found = project_rows(rows, taken)
    assert not found[0].any()
    for row, mask, point in zip(rows[1:], taken[1:], found[1:], strict=True):
        np.testing.assert_allclose(point[mask], peers.projected(row[mask]), atol=1e-9)
        assert not point[~mask].any()


def test_projection_of_huge_numbers_keeps_their_differences():
    np.testing.assert_allclose(project_rows(np.array([[-1e15, -1e15 - 0.5, -1e30]])), [[0.75, 0.25, 0]])


@pytest.mark.parametrize(("m", "alpha"), [(2, 1.0), (8, 1e-3), (30, 1e-6)])
def test_programs_meet_the_optimality_conditions(m, alpha):
    rng = np.random.default_rng(m)
    anchors = rng.normal(size=(m, 12))
    hessian = anchors @ anchors.T + alpha * np.eye(m)
    linear = rng.normal(size=(200, 12)) @ anchors.T
    found = simplex_programs(hessian, linear)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert found.min() >= 0
    slope = found @ hessian - linear
    multiplier = (slope * found).sum(axis=1, keepdims=True)  # the slope of every positive entry
    assert (slope - multiplier).min() > -1e-8
    assert np.abs((slope - multiplier) * found).max() < 1e-8


def test_programs_in_parts_equal_those_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    hessian, linear = np.eye(4) + 0.5, rng.normal(size=(30, 4))
    at_once = simplex_programs(hessian, linear)
    monkeypatch.setattr("viewfuse.linalg.simplex._AT_ONCE", 50)
    np.testing.assert_allclose(simplex_programs(hessian, linear), at_once)
