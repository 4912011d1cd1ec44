"""How the samples of a view are measured, decided from its values."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse.graphs import factorise_deviations, represent, representation
from viewfuse.graphs.representation import sparse_if_mostly_zero


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def counts(rng, n=80, d=40):
    return rng.poisson(2.0, (n, d)).astype(float)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda rng: counts(rng), "directions"),
        (lambda rng: (rng.random((80, 40)) < 0.1).astype(float), "directions"),
        (lambda rng: rng.random((80, 40)) * (rng.random((80, 40)) < 0.2), "directions"),
        (lambda rng: rng.poisson(2.0, (80, 3)).astype(float), "standardised"),  # too few columns for directions
        (lambda rng: np.exp(1.5 * rng.normal(size=(80, 6))), "logarithms"),
        (lambda rng: rng.dirichlet(np.full(6, 3.0), size=80), "square roots"),
        (lambda rng: 100 * rng.dirichlet(np.full(6, 3.0), size=80).round(4), "square roots"),
        (lambda rng: rng.dirichlet(np.full(6, 3.0), size=80) - 0.3, "standardised"),  # not all at least 0
        (lambda rng: rng.normal(size=(80, 6)), "standardised"),
        (lambda rng: rng.random((80, 6)), "standardised"),
        (lambda rng: np.exp(1.5 * rng.normal(size=(80, 6))) - 1, "standardised"),  # logarithms need positive values
    ],
)
def test_kind_follows_from_the_values(rng, make, kind):
    assert represent(make(rng)).kind == kind


def test_sparse_and_dense_views_give_the_same_points(rng):
    view = counts(rng)
    sparse = sp.csr_array(view)
    assert np.allclose(represent(sparse)(sparse), represent(view)(view))


def test_shares_are_measured_by_standardised_square_roots(rng):
    view = rng.dirichlet(np.full(5, 2.0), size=100)
    roots = np.sqrt(view)
    expected = (roots - roots.mean(axis=0)) / roots.std(axis=0)
    np.testing.assert_allclose(represent(view)(view), np.clip(expected, -4, 4))
    np.testing.assert_allclose(represent(50 * view)(50 * view), np.clip(expected, -4, 4))


def test_units_and_origins_of_standardised_columns_change_nothing(rng):
    view = rng.normal(size=(60, 5))
    other = view * [1e-3, 1, 50, 1e4, 2] + [5, -100, 0, 3, 1e3]
    assert np.allclose(represent(view)(view), represent(other)(other))


def test_standardised_points_are_clipped_at_four_deviations(rng):
    view = rng.normal(size=(200, 2))
    view[0, 0] = 1e6
    assert np.abs(represent(view)(view)).max() <= 4


def test_logarithms_do_not_depend_on_the_unit(rng):
    view = np.exp(1.5 * rng.normal(size=(80, 4)))
    assert np.allclose(represent(view)(view), represent(1e3 * view)(1e3 * view))


def test_many_logarithms_have_one_scale_and_few_have_one_each(rng):
    spread = np.linspace(0.5, 3, 12)
    logarithms = rng.normal(size=(200, 12)) * spread
    for d, ratio in ((12, 6.0), (4, 1.0)):
        view = np.exp(logarithms[:, np.linspace(0, 11, d).astype(int)])
        lengths = represent(view)(view).std(axis=0)
        assert lengths.max() / lengths.min() == pytest.approx(ratio, rel=0.2)


def test_new_rows_are_measured_with_the_numbers_of_the_fit(rng):
    for view in (counts(rng), np.exp(2 * rng.normal(size=(80, 6))), rng.normal(size=(80, 6))):
        measure = represent(view)
        assert np.allclose(measure(view[:5]), measure(view)[:5])


def test_constant_columns_are_left_out(rng):
    view = np.column_stack([rng.normal(size=50), np.full(50, 7.0)])
    assert represent(view).columns.tolist() == [0]


def test_mostly_zero_views_become_sparse_if_that_is_faster(rng):
    view = rng.random((200, 1000)) * (rng.random((200, 1000)) < 0.05)
    found = sparse_if_mostly_zero(view)
    assert sp.issparse(found)
    np.testing.assert_array_equal(found.toarray(), view)
    assert sparse_if_mostly_zero(found) is found
    for other in (view[:, :400], rng.random((200, 1000))):  # few entries, or mostly not zero
        assert sparse_if_mostly_zero(other) is other


def test_deviations_of_mostly_zero_views_do_not_depend_on_how_they_are_stored(rng, monkeypatch):
    view = rng.random((200, 1000)) * (rng.random((200, 1000)) < 0.05)
    found = factorise_deviations(view).gram
    monkeypatch.setattr(representation, "_LARGE", np.inf)
    np.testing.assert_allclose(found, factorise_deviations(view).gram, atol=1e-6)


@pytest.mark.parametrize("scale", [1, 0.5])  # counts, and other values
def test_products_of_sparse_directions_are_those_of_the_points(scale):
    view = scale * sp.random_array(
        (40, 60), density=0.1, random_state=np.random.default_rng(0), data_sampler=_counts, format="csr"
    )
    measure = represent(view)
    points = measure(view)
    np.testing.assert_allclose(measure.products(view), points @ points.T, atol=1e-12)
    assert measure.products(view.toarray()) is None


def _counts(size):
    return np.random.default_rng(1).integers(1, 9, size).astype(float)


def test_products_of_rows_that_are_not_mostly_zero_are_left_to_dense_arrays():
    view = sp.random_array((60, 40), density=0.4, random_state=np.random.default_rng(0), format="csr")
    assert represent(view).kind == "directions"
    assert represent(view).products(view) is None
