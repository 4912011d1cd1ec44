"""The smallest eigenpairs of sparse Laplacians."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse.linalg import smallest_laplacian_eigenpairs


def graph(n, parts, seed=0, density=0.1):
    rng = np.random.default_rng(seed)
    blocks = [sp.random_array((n // parts, n // parts), density=density, random_state=rng) for _ in range(parts)]
    blocks = [block + sp.diags_array(np.full(n // parts - 1, 0.5), offsets=1) for block in blocks]
    whole = sp.block_diag(blocks)
    return sp.csr_array(whole + whole.T)


@pytest.mark.parametrize("parts", [1, 2, 3, 5])
@pytest.mark.parametrize("dense_up_to", [0, 1000])  # by Lanczos' method, and by LAPACK
def test_it_equals_a_full_decomposition(parts, dense_up_to):
    made = graph(240, parts)
    values, vectors = smallest_laplacian_eigenpairs(made, 5, random_state=np.random.RandomState(0), dense_up_to=dense_up_to)
    dense = made.toarray()
    laplacian = np.diag(dense.sum(axis=1)) - dense
    np.testing.assert_allclose(values, np.linalg.eigvalsh(laplacian)[:5], atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-9)
    np.testing.assert_allclose(laplacian @ vectors, vectors * values, atol=1e-8)


def test_more_components_than_vectors():
    values, vectors = smallest_laplacian_eigenpairs(graph(240, 5), 3, random_state=np.random.RandomState(0))
    assert not values.any()
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-12)


def test_loops_do_not_count():
    made = graph(240, 1)
    loops = made + sp.diags_array(np.arange(240.0))
    for dense_up_to in (0, 1000):
        options = {"random_state": np.random.RandomState(0), "dense_up_to": dense_up_to}
        np.testing.assert_allclose(
            smallest_laplacian_eigenpairs(sp.csr_array(loops), 4, **options)[0],
            smallest_laplacian_eigenpairs(made, 4, **options)[0],
            atol=1e-9,
        )
