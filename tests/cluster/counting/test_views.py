"""The number of clusters of several views: the consensus graph and the reference graphs."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse.cluster.counting import count_clusters_of_graphs, count_clusters_of_views
from viewfuse.cluster.counting import views as counting
from viewfuse.fusion import learned_factors
from viewfuse.fusion.exact import unbounded_consensus


def views_with(k, n=90, seed=0):
    rng = np.random.default_rng(seed)
    centres = [4 * np.eye(k, d) for d in (6, 8)]
    return [c[np.arange(n) % k] + 0.7 * rng.normal(size=(n, c.shape[1])) for c in centres]


def counted(data, count=count_clusters_of_views, **options):
    return count(data, range(2, 7), n_resamples=2, random_state=np.random.RandomState(0), **options)


@pytest.mark.parametrize("k", [3, 5])
def test_the_number_of_clusters_of_views_is_found(k):
    found = counted(views_with(k))
    assert found.suggested == k
    assert 0 < found.reference_gain < found.gain.max() / 1.2


def test_noise_has_no_clusters():
    rng = np.random.default_rng(1)
    found = counted([rng.normal(size=(90, 6)), rng.normal(size=(90, 8))])
    assert found.suggested == 1
    assert found.reference_gain > found.gain.max() / 1.2


def test_factors_give_the_same_result_as_views():
    views = views_with(3)
    one, other = counted(views), counted(learned_factors(views))
    np.testing.assert_array_equal(one.gain, other.gain)
    assert one.reference_gain == other.reference_gain


def test_the_number_of_clusters_of_given_graphs_dense_or_sparse():
    rng = np.random.default_rng(0)
    graphs = []
    for _ in range(2):
        noise = rng.random((60, 60)) * 0.3
        graphs.append(np.kron(np.eye(4), np.ones((15, 15))) * rng.random((60, 60)) + noise)
    dense, sparse = counted(graphs, count_clusters_of_graphs), counted(map(sp.csr_array, graphs), count_clusters_of_graphs)
    assert dense.suggested == sparse.suggested == 4
    assert np.isnan(dense.reference_gain)
    np.testing.assert_array_equal(dense.gain, sparse.gain)


def test_the_references_have_the_means_and_covariances_of_the_views(monkeypatch):
    drawn = []

    def kept(views, **options):
        drawn.append(views)
        return unbounded_consensus(views, **options)

    monkeypatch.setattr(counting, "unbounded_consensus", kept)
    rng = np.random.default_rng(0)
    common = rng.normal(size=(1500, 2))
    views = [common @ rng.normal(size=(2, d)) + 0.3 * rng.normal(size=(1500, d)) + 1 for d in (3, 4)]
    factors = learned_factors([view.astype(np.float32) for view in views])
    graphs = list(counting._graphs_without_clusters(factors, np.random.RandomState(0), max_iter=1, tol=1.0))
    assert len(graphs) == len(drawn) == 3
    assert not np.allclose(drawn[0][0], drawn[1][0])
    real, like = (np.sqrt(15) * np.hstack(views) for views in ([factor.basis for factor in factors], drawn[0]))
    np.testing.assert_allclose(like.mean(axis=0), real.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(np.cov(like.T), np.cov(real.T), atol=0.05)
    assert np.abs(like - real).max() > 0.5
