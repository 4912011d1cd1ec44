"""Which samples and which ways of clustering a choice is made by."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse import AutoFusion
from viewfuse._utils.agreement import adjusted_rand
from viewfuse.cluster import structure
from viewfuse.cluster.auto import candidates
from viewfuse.cluster.auto.candidates import JOINT, TOGETHER, Candidate, Task, all_together
from viewfuse.cluster.auto.merit import odds
from viewfuse.cluster.verdict import Returned
from viewfuse.datasets import make_views
from viewfuse.graphs import Samples


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
    assert len(model.choice_.returned) == len(model.choice_.candidates) == 5


def candidate_of(name, labels):
    return Candidate(
        name, labels, np.eye(labels.max() + 1)[labels], sp.csr_array(np.equal.outer(labels, labels).astype(float))
    )


@pytest.mark.parametrize("preferred", [0, 1])
def test_all_together_follows_the_ways_that_come_back(preferred, monkeypatch):
    """Two ways that contradict each other, and a second draw of the anchors."""
    one, other = np.repeat([0, 1], 20), np.tile([0, 1], 20)
    ways = [candidate_of(JOINT, one), candidate_of("anchors", other)]
    monkeypatch.setattr(candidates, "anchors", lambda task, effort: ways[1])
    weights = [odds(Returned((back,), np.ones(2))) for back in np.roll([0.9, 0.3], preferred)]
    task = Task(Samples((np.zeros((40, 1)),)), 2, 0, None)
    found = all_together(ways, weights, task)
    assert adjusted_rand(found.labels, [one, other][preferred]) == 1
    assert found.weights == tuple(weights)
    np.testing.assert_allclose(found.graph.sum(axis=1), 1)  # the weights of the normalized graphs sum to 1


@pytest.mark.parametrize(
    ("back", "expected"), [((0.5, 0.5), 1.0), ((0.75,), 3.0), ((-0.2,), 0.01 / 0.99), ((1.0,), 99.0), ((), 1.0)]
)
def test_odds(back, expected):
    assert odds(Returned(back, np.ones(2))) == pytest.approx(expected)


def test_without_time_the_first_candidate_is_taken():
    with pytest.warns(match="max_time"):
        model = AutoFusion(5, random_state=0, max_time=1e-9).fit(overlapping(missing=0.3))
    assert model.choice_.candidates == ("joint neighbours",)
    assert np.isfinite(model.embedding_).all()
