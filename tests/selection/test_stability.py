"""Stability of a clustering on subsets of the samples."""

import numpy as np
import pytest

from viewfuse import GFSC, selection
from viewfuse.datasets import make_views


def test_stability_is_high_with_clusters_and_low_without():
    clear = make_views(n_samples=90, n_features=(6, 9), random_state=0)
    no_clusters = make_views(n_samples=90, n_features=(6, 9), n_clusters=1, random_state=0)
    options = {"n_resamples": 3, "random_state": 0}
    found = selection.stability(GFSC(3, random_state=0).fit(clear), clear, **options)
    assert found.score == pytest.approx(found.each.mean())
    assert found.score > 0.95
    assert selection.stability(GFSC(3, random_state=0), no_clusters, **options).score < 0.8


def test_one_array_with_column_groups_is_as_stable_as_its_views():
    views = make_views(n_samples=90, n_features=(6, 9), random_state=0)
    column_groups = GFSC(3, views=[slice(0, 6), slice(6, 15)], random_state=0)
    options = {"n_resamples": 2, "random_state": 0}
    expected = selection.stability(GFSC(3, random_state=0), views, **options)
    np.testing.assert_allclose(selection.stability(column_groups, np.hstack(views.arrays), **options).each, expected.each)
