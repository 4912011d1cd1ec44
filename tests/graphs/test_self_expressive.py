import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse.graphs import factorise, min_max, self_expressive_graph, unit_samples

RNG = np.random.default_rng(0)
THIN, WIDE = RNG.normal(size=(30, 7)), RNG.normal(size=(12, 40))


@pytest.mark.parametrize("view", [THIN, WIDE, np.outer(np.arange(1.0, 9), np.ones(3))])
@pytest.mark.parametrize("scale", [min_max, unit_samples])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_the_factor_is_the_gram_matrix(view, scale, as_sparse):
    dense = scale(view)
    gram = dense.values @ dense.values.T
    factor = factorise(scale(sp.csr_array(view) if as_sparse else view))
    np.testing.assert_allclose(factor.basis @ factor.basis.T, gram, atol=1e-9)
    np.testing.assert_allclose(factor.basis.T @ factor.basis, np.diag(factor.eigenvalues), atol=1e-8)
    assert factor.basis.shape[1] == np.linalg.matrix_rank(gram)


def test_one_sample_more_than_the_rank_by_hand():
    # x = (1, 1, −1)ᵀ: G = xxᵀ, Z = (G + αI)⁻¹G = xxᵀ/(3 + α); the negative ties are cut.
    graph = self_expressive_graph(unit_samples(np.array([[1.0], [1.0], [-1.0]])), alpha=1.0)
    np.testing.assert_allclose(graph, [[0.25, 0.25, 0], [0.25, 0.25, 0], [0, 0, 0.25]])


def test_min_max_takes_the_view_as_a_whole():
    scaled = min_max(np.array([[0.0, 5.0], [10.0, 2.0]]))
    np.testing.assert_allclose(scaled.values, [[-1, 0], [1, -0.6]])


@pytest.mark.parametrize("factor", [1e-300, 1e-3, 1e300])
def test_unit_samples_survives_extreme_units(factor):
    scaled = unit_samples(THIN * factor).values
    np.testing.assert_allclose(np.linalg.norm(scaled, axis=1), 1)
    np.testing.assert_allclose(scaled, unit_samples(THIN).values)


def test_zero_samples_stay_zero_and_the_trace_is_kept():
    view = THIN.copy()
    view[[3, 8]] = 0
    for given in (view, sp.csr_array(view)):
        scaled = unit_samples(given).values
        scaled = scaled.toarray() if sp.issparse(scaled) else scaled
        assert (scaled[[3, 8]] == 0).all()
        assert (scaled**2).sum() == pytest.approx(30)
