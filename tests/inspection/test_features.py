"""The features that set clusters apart."""

import numpy as np
import scipy.sparse as sp

from viewfuse import Views
from viewfuse.inspection.features import _effects, describe_clusters


def test_effects_against_a_direct_computation():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 20)
    values = rng.normal(size=(60, 5))
    values[labels == 1, 3] += 4
    for view in (values, sp.csr_array(values)):
        effects = _effects(view, labels, np.arange(3))
        for k in range(3):
            inside, outside = values[labels == k], values[labels != k]
            direct = (inside.mean(axis=0) - outside.mean(axis=0)) / values.std(axis=0)
            np.testing.assert_allclose(effects[k], direct)
    top = describe_clusters(labels, None, Views({"a": values}))[1].top_features(1)[0]
    assert (top.view, top.name, top.effect > 1) == ("a", "column 3", True)


def test_a_constant_feature_has_no_effect_and_missing_samples_are_left_out():
    values = np.column_stack([np.full(6, 3.0), [0, 0, 0, 1, 1, np.nan]])
    effects = _effects(values, np.array([0, 0, 0, 1, 1, 1]), np.arange(2))
    assert effects[:, 0].tolist() == [0, 0]
    assert effects[1, 1] > 1


def test_clusters_without_data_have_sizes_and_confidence_but_no_features():
    first, second = describe_clusters(np.array([0, 0, 0, 2]), np.array([0.1, 0.5, 0.9, 0.3]), None)
    assert (first.label, first.size, first.share, first.confidence) == (0, 3, 0.75, 0.5)
    assert (second.label, second.features, second.top_features(3)) == (2, {}, [])
