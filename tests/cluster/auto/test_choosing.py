"""Which samples and which ways of clustering a choice is made by."""

import numpy as np
import pytest

from viewfuse import AutoFusion
from viewfuse.cluster import structure
from viewfuse.cluster.auto.candidates import TOGETHER
from viewfuse.datasets import make_views


def overlapping(**options):
    return make_views(n_samples=160, n_clusters=5, noise=6.0, random_state=1, **options)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_way_that_suits_some_samples_clusters_all(monkeypatch, missing):
    monkeypatch.setattr(structure, "_MOST_SAMPLES", 80)
    model = AutoFusion(5, random_state=0).fit(overlapping(missing=missing))
    assert model.labels_.shape == (160,)
    assert set(model.labels_) == set(range(5))
    assert model.affinity_matrix_.shape == (160, 160)
    assert model.embedding_.shape == (160, 5)
    assert len(model.choice_.candidates) == (5 if missing else 4)


def test_with_gaps_all_ways_that_differ_are_used_together():
    model = AutoFusion(5, random_state=0).fit(overlapping(missing=0.3))
    assert model.choice_.chosen == TOGETHER
    assert "missing from views" in str(model.choice_)
    means = model.choice_.mean_agreement()
    assert max(means, key=means.get) == TOGETHER  # it lies between the others


def test_without_time_the_first_candidate_is_taken():
    with pytest.warns(match="max_time"):
        model = AutoFusion(5, random_state=0, max_time=1e-9).fit(overlapping(missing=0.3))
    assert model.choice_.candidates == ("joint neighbours",)
    assert np.isfinite(model.embedding_).all()
