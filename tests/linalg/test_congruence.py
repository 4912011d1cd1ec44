"""Products ``S M Sᵀ`` of sparse and symmetric matrices."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse.linalg import Congruence


@pytest.mark.parametrize("n", [5, 128, 300])
def test_it_equals_dense_products(n):
    rng = np.random.default_rng(n)
    matrices = [sp.random_array((n, n), density=0.1, format="csr", random_state=rng) for _ in range(3)]
    symmetric = rng.normal(size=(n, n))
    symmetric = symmetric + symmetric.T
    congruence = Congruence(matrices)
    dense = [s.toarray() @ symmetric @ s.toarray().T for s in matrices]
    for v in range(3):
        np.testing.assert_allclose(congruence(v, symmetric), dense[v], atol=1e-12)
        assert np.isclose(congruence.inner(v, symmetric), (dense[v] * symmetric).sum())
    np.testing.assert_allclose(congruence.weighted([0.5, 0, 2], symmetric), 0.5 * dense[0] + 2 * dense[2], atol=1e-12)
    assert not congruence.weighted([0, 0, 0], symmetric).any()


def test_single_precision():
    single = Congruence([sp.eye_array(4, format="csr")], np.float32)
    assert single(0, np.eye(4, dtype=np.float32)).dtype == np.float32
