import numpy as np
import pytest
import scipy.sparse as sp

from reference import deviations
from viewfuse.graphs import GramMatrix, factorise, factorise_deviations, min_max, self_expressive_graph, unit_samples
from viewfuse.graphs.deviations import deviations_of_products

RNG = np.random.default_rng(0)
THIN, WIDE = RNG.normal(size=(30, 7)), RNG.normal(size=(12, 40))


@pytest.mark.parametrize("view", [THIN, WIDE, np.outer(np.arange(1.0, 9), np.ones(3))])
@pytest.mark.parametrize("scale", [min_max, unit_samples])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_the_factor_reproduces_the_gram_matrix(view, scale, as_sparse):
    dense = scale(view)
    gram = dense.values @ dense.values.T
    factor = factorise(scale(sp.csr_array(view) if as_sparse else view))
    np.testing.assert_allclose(factor.basis @ factor.basis.T, gram, atol=1e-9)
    np.testing.assert_allclose(factor.basis.T @ factor.basis, np.diag(factor.eigenvalues), atol=1e-8)
    assert factor.basis.shape[1] == np.linalg.matrix_rank(gram)


def test_one_sample_more_than_the_rank_by_hand():
    # x = (1, 1, −1)ᵀ: G = xxᵀ, Z = (G + αI)⁻¹G = xxᵀ/(3 + α); negative entries are clipped.
    graph = self_expressive_graph(unit_samples(np.array([[1.0], [1.0], [-1.0]])), alpha=1.0)
    np.testing.assert_allclose(graph, [[0.25, 0.25, 0], [0.25, 0.25, 0], [0, 0, 0.25]])


def test_min_max_scales_the_view_as_a_whole():
    scaled = min_max(np.array([[0.0, 5.0], [10.0, 2.0]]))
    np.testing.assert_allclose(scaled.values, [[-1, 0], [1, -0.6]])


@pytest.mark.parametrize("factor", [1e-300, 1e-3, 1e300])
def test_unit_samples_with_extreme_units(factor):
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


def gram_of_deviations(view):
    found = factorise_deviations(view)
    assert isinstance(found, GramMatrix) == (view.shape[1] >= view.shape[0])
    return found.gram if isinstance(found, GramMatrix) else found.basis @ found.basis.T


@pytest.mark.parametrize("view", [THIN, WIDE, np.abs(WIDE)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_deviations_from_the_mean_of_unit_samples(view, dtype, as_sparse):
    given = view.astype(dtype)
    expected = deviations(view) @ deviations(view).T
    assert np.trace(expected) == pytest.approx(100)
    np.testing.assert_allclose(gram_of_deviations(sp.csr_array(given) if as_sparse else given), expected, atol=2e-4)


def test_deviations_from_inner_products():
    view = WIDE.copy()
    view[3] = 0
    found = deviations_of_products(view @ view.T)
    np.testing.assert_allclose(found.gram, gram_of_deviations(view), atol=1e-5)
    close = 1 + 1e-6 * WIDE
    assert deviations_of_products(close @ close.T) is None


@pytest.mark.parametrize("distance", [1e-3, 1e-6])
def test_deviations_of_samples_close_to_their_mean(distance):
    view = 1 + distance * WIDE
    np.testing.assert_allclose(gram_of_deviations(view), deviations(view) @ deviations(view).T, atol=1e-4)


def test_deviations_by_hand():
    # Unit vectors along (1, 0), (1, 0), (0, 1): their mean is (2, 1)/3, and their deviations are along ±(1, −1).
    gram = gram_of_deviations(np.array([[3.0, 0], [5, 0], [0, 2]]))
    np.testing.assert_allclose(gram, 100 / 3 * np.outer([1, 1, -1], [1, 1, -1]), rtol=1e-5)


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("features", [2, 9])
def test_zero_samples_have_no_deviation_and_do_not_move_the_mean(features, as_sparse):
    view = np.zeros((5, features))
    view[:4, :2] = [[1, 0], [1, 0], [0, 1], [0, 1]]
    gram = gram_of_deviations(sp.csr_array(view) if as_sparse else view)
    np.testing.assert_allclose(gram[:4, :4], 25 * np.outer([1, 1, -1, -1], [1, 1, -1, -1]), rtol=1e-5)
    assert not gram[4:].any()


@pytest.mark.parametrize("as_sparse", [False, True])
def test_samples_with_the_same_direction_are_not_centred(as_sparse):
    view = np.outer([1.0, 2, 3, 4], [0.3, 0.1, 0, 0, 0.7])
    gram = gram_of_deviations(sp.csr_array(view) if as_sparse else view)
    np.testing.assert_allclose(gram, np.full((4, 4), 25.0), rtol=1e-5)


def test_points_and_factor_of_a_gram_matrix_have_its_inner_products():
    found = factorise_deviations(WIDE)
    np.testing.assert_allclose(found.basis @ found.basis.T, found.gram, atol=2e-4)
    factor = found.factor()
    np.testing.assert_allclose(factor.basis @ factor.basis.T, found.gram, atol=1e-4)
    np.testing.assert_allclose(factor.basis.T @ factor.basis, np.diag(factor.eigenvalues), atol=1e-4)
