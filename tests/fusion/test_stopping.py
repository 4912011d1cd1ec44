"""The stopping rule by hand."""

import math
from dataclasses import replace

import pytest

from viewfuse.fusion.stopping import StoppingRule, observed_rate, remaining_change
from viewfuse.fusion.variants import VARIANTS

ROBUST = VARIANTS["robust"].stopping


def converged(changes, tol=1e-3, rule=ROBUST):
    return replace(rule, tol=tol).has_converged(changes, observed_rate(changes))


def test_stops_when_the_change_is_below_tol():
    assert converged([0.0009])
    assert not converged([0.001])  # the rate is not known


def test_stops_when_the_extrapolated_remaining_change_is_small():
    assert converged([0.5, 0.02])  # q = 0.04: 0.02 · 0.04/0.96² = 0.0009, below 5 tol
    assert converged([0.5, 0.049]) is False  # q = 0.098: 0.0059
    assert converged([0.5, 0.05, 0.0075])  # q = 0.15: 0.0016
    assert not converged([0.5, 0.02, 0.01])  # q = 0.5: 0.01 · 0.5/0.25


def test_growing_changes_do_not_stop():
    assert not converged([0.5, 0.001, 0.002])
    assert not converged([0.002, 0.5, 0.01])  # grew in the iteration before
    assert not converged([0.1, 0.0, 0.1])


def test_only_the_last_three_changes_count():
    assert converged([0.002, 0.5, 0.02, 0.002])
    assert not converged([0.5, 0.03, 0.02, 0.003])


def test_regression_no_change_at_tol_0():
    assert not converged([0.0, 0.0, 0.0], tol=0.0)


@pytest.mark.parametrize("variant", ["published", "paper"])
def test_other_variants_do_not_extrapolate(variant):
    rule = VARIANTS[variant].stopping
    assert not converged([0.5] * 5 + [0.002], rule=rule)
    assert converged([0.5] * 5 + [0.0009], rule=rule)


def test_the_published_variant_stops_after_six_iterations_at_the_earliest():
    rule = VARIANTS["published"].stopping
    assert converged([1e-4] * 6, rule=rule)
    assert not converged([1e-4] * 5, rule=rule)


def test_rounds_end_when_the_embedding_has_little_left_to_turn():
    rule = StoppingRule(max_rotation=1e-3, max_rotation_at_start=1e-2)
    assert rule.embedding_has_converged(0.0, math.inf)
    assert not rule.embedding_has_converged(1e-6, math.inf)  # small, but the rate is not known
    assert rule.embedding_has_converged(0.0023, 0.3)  # 0.00099 remain
    assert not rule.embedding_has_converged(0.0024, 0.3)
    assert rule.embedding_has_converged(0.0024, 0.3, at_start=True)
    assert not rule.embedding_has_converged(0.0002, 2.0)  # turning more and more


def test_rate_and_remaining_change_by_hand():
    assert observed_rate([0.1]) == math.inf
    assert observed_rate([0.1, 0.03]) == pytest.approx(0.3)
    assert observed_rate([0.1, 0.03, 0.002]) == pytest.approx(0.3)
    assert observed_rate([1.0, 0.1, 0.03, 0.002]) == pytest.approx(0.3)
    assert observed_rate([0.0, 0.1]) == math.inf
    assert remaining_change(0.1, 0.5) == pytest.approx(0.1)
    assert remaining_change(0.1, 1.0) == math.inf
