"""Algorithm 1 as printed, without its cut."""

import numpy as np

from reference import assert_same_subspace, blobs
from viewfuse.fusion import gf
from viewfuse.linalg import Laplacian

VIEWS, _ = blobs(n=36, features=(4, 50, 6), spread=1.5)


def test_without_a_cut_the_consensus_gets_a_degree_normalized_embedding():
    result = gf(VIEWS, 3, variant="paper", alpha=2.0, beta=1.5, max_iter=3, tol=0, random_state=0)
    rng = np.random.RandomState(0)
    consensus, weights = rng.random_sample((36, 36)), np.full(3, 1 / 3)
    scaled = [2 * (view - view.min()) / (view.max() - view.min()) - 1 for view in VIEWS]
    for _ in range(3):
        graphs = [
            np.maximum(np.linalg.solve(x @ x.T + (2 + 1.5 * w) * np.eye(36), 1.5 * w * consensus + x @ x.T), 0)
            for x, w in zip(scaled, weights, strict=True)
        ]
        consensus = sum(w * g for w, g in zip(weights, graphs, strict=True)) / weights.sum()
        weights = np.array([1 / (2 * np.linalg.norm(g - consensus)) for g in graphs])
    np.testing.assert_allclose(result.consensus, (consensus + consensus.T) / 2, atol=1e-9)
    laplacian = Laplacian.of(consensus, normalized=True, symmetric=False).dense()
    assert_same_subspace(result.embedding, np.linalg.eigh(laplacian)[1][:, :3], atol=1e-8)
