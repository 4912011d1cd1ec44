import numpy as np
import pytest

from viewfuse.exceptions import DivergenceError, ViewfuseError
from viewfuse.linalg import Laplacian, eigensolvers, isolated_samples, lapack, smallest_eigenpairs, symmetric_eigh

RNG = np.random.RandomState(0)


def random_graph(n=300, k=4, seed=0):
    """k loose clusters with uneven degrees."""
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % k
    graph = rng.random((n, n)) * np.where(groups[:, None] == groups, 1.0, 0.1)
    strength = rng.uniform(0.2, 3, n)
    return (graph + graph.T) * strength[:, None] * strength


def projector(vectors):
    return vectors @ vectors.T


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("symmetric", [False, True])
def test_the_operator_equals_its_dense_matrix(normalized, symmetric):
    graph = random_graph(40)
    if not symmetric:
        graph = np.triu(graph)
    laplacian = Laplacian.of(graph, normalized=normalized, symmetric=symmetric)
    block = np.random.default_rng(0).normal(size=(40, 3))
    average = (graph + graph.T) / 2
    degree = average.sum(axis=1)
    expected = np.diag(degree) - average
    if normalized:
        expected = np.eye(40) - average / np.sqrt(np.outer(degree, degree))
    np.testing.assert_allclose(laplacian.dense(), expected, atol=1e-12)
    np.testing.assert_allclose(laplacian @ block, expected @ block, atol=1e-10)
    np.testing.assert_allclose(laplacian.diagonal(), np.diag(expected), atol=1e-12)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("warm", [False, True])
def test_the_iterative_solver_agrees_with_lapack(normalized, warm):
    laplacian = Laplacian.of(random_graph(), normalized=normalized)
    values, vectors = symmetric_eigh(laplacian.dense(), smallest=4)
    start = vectors + 0.01 * np.random.default_rng(1).normal(size=vectors.shape) if warm else None
    found = smallest_eigenpairs(laplacian, 4, start=start, tol=1e-8, random_state=np.random.RandomState(0))
    assert found.iterations > 0
    np.testing.assert_allclose(found.values, values, atol=1e-8)
    np.testing.assert_allclose(projector(found.vectors), projector(vectors), atol=1e-4)


@pytest.mark.parametrize("kind", ["hub", "heavy tail"])
def test_uneven_degrees_do_not_loosen_the_tolerance(kind):
    rng = np.random.default_rng(0)
    graph = random_graph(400, k=5)
    strength = np.where(np.arange(400) == 0, 1e3, 1.0) if kind == "hub" else 10 ** rng.normal(scale=1.0, size=400)
    laplacian = Laplacian.of(graph * strength[:, None] * strength, normalized=False)
    values, vectors = symmetric_eigh(laplacian.dense(), smallest=5)
    found = smallest_eigenpairs(laplacian, 5, random_state=np.random.RandomState(0))
    np.testing.assert_allclose(found.values, values, atol=1e-3 * values[-1])
    np.testing.assert_allclose(projector(found.vectors), projector(vectors), atol=0.02)


def test_a_warm_start_saves_iterations():
    laplacian = Laplacian.of(random_graph(), normalized=True)
    cold = smallest_eigenpairs(laplacian, 4, random_state=np.random.RandomState(0))
    warm = smallest_eigenpairs(laplacian, 4, start=cold.vectors, random_state=np.random.RandomState(0))
    assert warm.iterations < cold.iterations


def test_many_equal_eigenvalues():
    # 60 separate cliques: 60 eigenvalues 0, and all others equal. Some LAPACK drivers fail on such graphs.
    graph = np.kron(np.eye(60), np.ones((6, 6)))
    laplacian = Laplacian.of(graph, normalized=True)
    found = smallest_eigenpairs(laplacian, 60, random_state=np.random.RandomState(0))
    np.testing.assert_allclose(found.values, 0, atol=1e-8)
    np.testing.assert_allclose(projector(found.vectors), graph / 6, atol=1e-4)


def test_the_next_driver_is_tried_when_one_fails(monkeypatch):
    def fails(*args, **kwargs):
        raise np.linalg.LinAlgError("did not converge")

    monkeypatch.setattr(np.linalg, "eigh", fails)
    matrix = random_graph(20)
    values, vectors = symmetric_eigh(matrix)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-8)
    monkeypatch.setattr(eigensolvers.scipy.linalg, "eigh", fails)
    with pytest.raises(ViewfuseError, match="No LAPACK driver"):
        symmetric_eigh(matrix)


def test_lapack_is_used_if_the_iterations_do_not_converge():
    laplacian = Laplacian.of(random_graph(), normalized=False)
    found = smallest_eigenpairs(laplacian, 4, random_state=np.random.RandomState(0), max_iterations=1)
    assert found.iterations == 0
    np.testing.assert_allclose(found.values, symmetric_eigh(laplacian.dense(), smallest=4)[0], atol=1e-9)


def test_isolated_samples_are_zero_in_the_smallest_eigenvectors():
    graph = random_graph(60, k=2)
    graph[7, :] = graph[:, 7] = 0
    graph[9, :] = graph[:, 9] = 0
    graph[9, 9] = 5.0  # only a self-loop
    assert np.flatnonzero(isolated_samples(graph)).tolist() == [7, 9]
    found = smallest_eigenpairs(Laplacian.of(graph, normalized=True), 2, random_state=np.random.RandomState(0))
    np.testing.assert_allclose(found.vectors[[7, 9]], 0, atol=1e-8)


def test_in_a_graph_of_zeros_every_sample_is_isolated():
    assert isolated_samples(np.zeros((3, 3))).all()


def test_every_array_library(xp):
    graph = random_graph(300)
    laplacian = Laplacian.of(xp.asarray(graph), normalized=True)
    found = smallest_eigenpairs(laplacian, 3, random_state=np.random.RandomState(0))
    expected = symmetric_eigh(Laplacian.of(graph, normalized=True).dense(), smallest=3)[0]
    np.testing.assert_allclose(np.asarray(found.values), expected, atol=1e-6)


def test_samples_with_negligible_edges_are_isolated():
    graph = np.zeros((6, 6))
    graph[0, 1] = graph[1, 0] = 1.0
    graph[2, 3] = graph[3, 2] = 1e-7  # weak, but the only edge of 2 and 3
    graph[4, 4], graph[4, 0] = 1.0, 1e-9  # negligible compared with its self-loop
    graph[5, 0] = 1e-17  # negligible compared with the largest degree
    assert isolated_samples(graph).tolist() == [False, False, False, False, True, True]
    root = Laplacian.of(graph, normalized=True).inverse_root
    np.testing.assert_allclose(root, [1, 1, 1e-7**-0.5, 1e-7**-0.5, 0, 0])


def test_more_edges_are_negligible_in_single_precision():
    graph = np.array([[1.0, 1e-5], [1e-5, 0.5]])
    assert not isolated_samples(graph).any()
    assert isolated_samples(graph.astype(np.float32)).all()


def test_lapack_solves_small_problems_only():
    few, many = (
        smallest_eigenpairs(Laplacian.of(random_graph(n), normalized=True), 3, random_state=np.random.RandomState(0))
        for n in (256, 257)
    )
    assert few.iterations == 0 < many.iterations
    assert few.vectors.shape == few.block.shape == (256, 3)
    assert many.block.shape[1] == 3 + 4  # the guard vectors
    assert many.values.shape == (3,)


def test_lapack_is_used_if_the_basis_would_not_fit():
    laplacian = Laplacian.of(random_graph(300), normalized=True)
    assert smallest_eigenpairs(laplacian, 33, random_state=np.random.RandomState(0)).iterations == 0  # 7 · 44 > 300
    assert smallest_eigenpairs(laplacian, 24, random_state=np.random.RandomState(0)).iterations > 0  # 7 · 32 < 300


def test_a_start_of_any_width_is_used():
    laplacian = Laplacian.of(random_graph(), normalized=True)
    exact = symmetric_eigh(laplacian.dense(), smallest=20)[1]
    for width in (2, 8, 20):
        block = eigensolvers._start_block(laplacian, 8, exact[:, :width], np.random.RandomState(0))
        assert block.shape == (300, 8)
        np.testing.assert_array_equal(block[:, : min(width, 8)], exact[:, : min(width, 8)])
    cold = eigensolvers._start_block(laplacian, 8, None, np.random.RandomState(0))
    np.testing.assert_array_equal(cold, np.random.RandomState(0).random_sample((300, 8)) - 0.5)


@pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-7])
def test_residuals_are_below_the_tolerance_but_not_far_below(tol):
    laplacian = Laplacian.of(random_graph(), normalized=True)
    found = smallest_eigenpairs(laplacian, 4, tol=tol, random_state=np.random.RandomState(0))
    residuals = np.linalg.norm(laplacian @ found.vectors - found.vectors * found.values, axis=0)
    scale = np.median(laplacian.diagonal())
    assert tol / 1e3 * scale < residuals.max() <= 1.01 * tol * scale
    np.testing.assert_allclose(found.block.T @ found.block, np.eye(8), atol=1e-10)


def test_few_products_are_needed():
    laplacian = Laplacian.of(random_graph(), normalized=True)
    products = []

    class Counted(Laplacian):
        def __matmul__(self, block):
            products.append(block.shape[1])
            return super().__matmul__(block)

    counted = Counted(laplacian.graph, laplacian.degree, laplacian.inverse_root, True)
    found = smallest_eigenpairs(counted, 4, random_state=np.random.RandomState(0))
    assert len(products) == found.iterations <= 12
    assert max(products) <= 8
    products.clear()
    path = Laplacian.of(
        random_graph(300, k=2), normalized=True
    )  # two clear clusters: their vectors converge before the guard vectors
    counted = Counted(path.graph, path.degree, path.inverse_root, True)
    eigensolvers._block_davidson(counted, 7, symmetric_eigh(path.dense(), smallest=8)[1], 1e-9)
    assert products == [8]


def test_a_full_basis_is_restarted(monkeypatch):
    widths = []
    orthonormal_to = eigensolvers._orthonormal_to

    def seen(block, basis, xp):
        widths.append(basis.shape[1])
        return orthonormal_to(block, basis, xp)

    monkeypatch.setattr(eigensolvers, "_orthonormal_to", seen)
    # A path has eigenvalues close together and needs many iterations.
    graph = np.eye(400, k=1) + np.eye(400, k=-1)
    laplacian = Laplacian.of(graph, normalized=True)
    found = eigensolvers._block_davidson(laplacian, 3, np.random.RandomState(0).standard_normal((400, 7)), 1e-3)
    assert found is None or found.iterations > 5
    assert max(widths) <= eigensolvers._MAX_BASIS_BLOCKS * 7
    assert min(widths[1:]) >= 2 * 7


def test_lapack_is_used_for_a_zero_diagonal():
    graph = np.zeros((300, 300))
    found = smallest_eigenpairs(Laplacian.of(graph, normalized=False), 2, random_state=np.random.RandomState(0))
    assert found.iterations == 0
    np.testing.assert_array_equal(found.values, 0)


def test_the_preconditioner_divides_by_the_shifted_diagonal_bounded_away_from_zero():
    residuals, diagonal, values = np.ones((3, 2)), np.array([3.0, 1.0, 1.005]), np.array([1.0, 4.0])
    found = eigensolvers._preconditioned(residuals, diagonal, values, 1.0, np)
    np.testing.assert_allclose(found, [[0.5, -1], [100, -1 / 3], [100, -1 / 2.995]])


def test_a_block_is_made_orthonormal_to_the_basis():
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.normal(size=(50, 5)))[0]
    block = basis[:, :3] + 1e-9 * rng.normal(size=(50, 3))  # nearly in its span: one orthogonalization is not enough
    found = eigensolvers._orthonormal_to(block, basis, np)
    np.testing.assert_allclose(found.T @ found, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(basis.T @ found, 0, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_directions_that_are_only_rounding_errors_are_dropped(dtype):
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(60, 4)).astype(dtype)
    block = np.hstack([wide * [1, 1e-12, 1e9, 1], wide[:, :2] @ [[1], [2]], np.zeros((60, 1))]).astype(dtype)
    found = eigensolvers._orthonormal(block, np)
    assert found.shape == (60, 4)
    np.testing.assert_allclose(found.T @ found, np.eye(4), atol=100 * np.finfo(dtype).eps)
    np.testing.assert_allclose(found @ (found.T @ wide), wide, atol=1e4 * np.finfo(dtype).eps)


def test_lapack_is_used_if_the_basis_cannot_grow(monkeypatch):
    monkeypatch.setattr(eigensolvers, "_orthonormal_to", lambda block, basis, xp: block[:, :0])
    rng = np.random.default_rng(0)
    graph = rng.random((300, 300))
    found = smallest_eigenpairs(Laplacian.of(graph + graph.T, normalized=True), 3, random_state=np.random.RandomState(0))
    assert found.iterations == 0


def test_lapack_is_used_if_the_start_has_too_low_rank():
    laplacian = Laplacian.of(random_graph(), normalized=True)
    start = np.ones((300, 7))
    found = smallest_eigenpairs(laplacian, 3, start=start, tol=10.0, random_state=np.random.RandomState(0))
    assert found.vectors.shape == (300, 3)


def test_an_entry_that_is_not_finite_raises():
    graph = random_graph()
    graph[3, 4] = graph[4, 3] = np.nan
    with pytest.raises(DivergenceError, match="not finite"):
        smallest_eigenpairs(Laplacian.of(graph, normalized=False), 3, random_state=np.random.RandomState(0))


def test_the_partial_driver_is_used_for_a_few_eigenvectors(monkeypatch):
    wanted = []

    def seen(matrix, first, last):
        wanted.append((first, last))
        return lapack.some_eigenpairs(matrix, first, last)

    monkeypatch.setattr(eigensolvers, "some_eigenpairs", seen)
    matrix = random_graph(100)
    expected = np.linalg.eigh(matrix)[0]
    for count, partial in ((9, [(0, 8)]), (10, [])):
        values, vectors = symmetric_eigh(matrix, smallest=count)
        np.testing.assert_allclose(values, expected[:count], atol=1e-9)
        np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-8)
        assert wanted == partial
        wanted.clear()


def test_the_last_driver_is_the_qr_iteration(monkeypatch):
    def fails(*args, **kwargs):
        raise np.linalg.LinAlgError("did not converge")

    tried, eigh = [], eigensolvers.scipy.linalg.eigh

    def only_the_last(matrix, **options):
        tried.append(options["driver"])
        return eigh(matrix, **options) if options["driver"] == "ev" else fails()

    monkeypatch.setattr(np.linalg, "eigh", fails)
    monkeypatch.setattr(eigensolvers.scipy.linalg, "eigh", only_the_last)
    matrix = random_graph(20)
    values, _ = symmetric_eigh(matrix)
    assert tried == ["evr", "ev"]
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix), atol=1e-9)


@pytest.mark.parametrize("smallest", [1, None])
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_matrix_that_is_not_finite_raises(wrong, smallest, xp):
    # LAPACK's evr returns zeros for NaN, which look like eigenvalues.
    matrix = np.eye(30)
    matrix[3, 4] = matrix[4, 3] = wrong
    with pytest.raises(DivergenceError, match="30 × 30 matrix is not finite"):
        symmetric_eigh(xp.asarray(matrix), smallest=smallest)


@pytest.mark.parametrize("broken", ["values", "vectors"])
def test_a_driver_that_returns_nan_is_skipped(monkeypatch, broken):
    eigh = np.linalg.eigh

    def makes_nan(matrix):
        values, vectors = eigh(matrix)
        return (values * np.nan, vectors) if broken == "values" else (values, vectors * np.nan)

    monkeypatch.setattr(np.linalg, "eigh", makes_nan)
    matrix = random_graph(20)
    values, vectors = symmetric_eigh(matrix)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-8)


# --- many eigenvectors, from a start


@pytest.fixture(scope="module")
def many():
    """A graph of 40 clusters, its eigenvectors, and the block of a similar graph."""
    graph = random_graph(700, k=40)
    similar = random_graph(700, k=40, seed=1)
    laplacian = Laplacian.of(graph, normalized=True)
    values, vectors = symmetric_eigh(laplacian.dense(), smallest=40)
    return laplacian, values, vectors, symmetric_eigh(Laplacian.of(similar, normalized=True).dense(), smallest=53)[1]


@pytest.mark.parametrize("tol", [1e-3, 1e-7])
def test_many_eigenvectors_from_a_start_agree_with_lapack(many, tol, monkeypatch):
    laplacian, values, vectors, start = many
    monkeypatch.setattr(eigensolvers, "_FILTERS", 30)
    monkeypatch.setattr(eigensolvers, "_block_davidson", None)  # not called
    found = smallest_eigenpairs(laplacian, 40, start=start, tol=tol, random_state=np.random.RandomState(0))
    assert found.block.shape == (700, 53)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(40), atol=1e-10)
    residuals = np.linalg.norm(laplacian @ found.vectors - found.vectors * found.values, axis=0)
    assert residuals.max() <= tol
    np.testing.assert_allclose(found.values, values, atol=tol)
    if tol < 1e-5:
        np.testing.assert_allclose(projector(found.vectors), projector(vectors), atol=1e-4)


def test_davidson_takes_over_where_the_filter_does_not_converge(many, monkeypatch):
    laplacian, values, *_, start = many
    monkeypatch.setattr(eigensolvers, "_FILTERS", 1)
    found = smallest_eigenpairs(laplacian, 40, start=start, tol=1e-7, random_state=np.random.RandomState(0))
    assert found.iterations > 0
    np.testing.assert_allclose(found.values, values, atol=1e-7)


@pytest.mark.parametrize("start", ["low rank", "not finite"])
def test_a_bad_start_of_many_eigenvectors(many, start):
    laplacian, values, *_ = many
    given = np.ones((700, 53)) if start == "low rank" else np.full((700, 53), np.nan)
    found = smallest_eigenpairs(laplacian, 40, start=given, random_state=np.random.RandomState(0))
    np.testing.assert_allclose(found.values, values, atol=1e-5)


@pytest.mark.parametrize("degree", [2, 4, 7])
def test_the_filter_is_a_chebyshev_polynomial(many, degree):
    laplacian, *_, start = many
    interval = eigensolvers._Interval(0.7, 1.2)
    filtered = eigensolvers._chebyshev_filtered(laplacian, start, laplacian @ start, 0.1, interval, degree)
    eigenvalues, eigenvectors = np.linalg.eigh(laplacian.dense())
    polynomial = np.polynomial.Chebyshev.basis(degree)
    gains = polynomial((eigenvalues - 0.95) / 0.25) / polynomial((0.1 - 0.95) / 0.25)
    np.testing.assert_allclose(filtered, (eigenvectors * gains) @ (eigenvectors.T @ start), atol=1e-12)


@pytest.mark.parametrize("factor", [1.5, 10.0, 60.0])
def test_the_degree_of_the_filter_is_the_least_that_is_enough(factor):
    interval = eigensolvers._Interval(0.7, 1.2)
    degree = interval.degree_for(0.55, factor)
    gains = [np.polynomial.Chebyshev.basis(m)((0.95 - 0.55) / 0.25) for m in range(10)]
    assert gains[degree] >= factor
    assert degree == 2 or gains[degree - 1] < factor
    assert interval.degree_for(0.7, factor) == 5  # at the edge nothing grows


@pytest.mark.parametrize("normalized", [False, True])
def test_the_bound_is_above_the_largest_eigenvalue_and_near_it(normalized, xp):
    graph = random_graph(200, k=3)
    largest = np.linalg.eigvalsh(Laplacian.of(graph, normalized=normalized).dense())[-1]
    bound = eigensolvers._largest_eigenvalue_bound(Laplacian.of(xp.asarray(graph), normalized=normalized), xp)
    assert largest <= bound < 1.5 * largest
    nothing = Laplacian.of(xp.asarray(np.zeros((200, 200))), normalized=True)  # L = I: one step is enough
    assert eigensolvers._largest_eigenvalue_bound(nothing, xp) == pytest.approx(1)


def test_many_eigenvectors_with_every_array_library(many, xp):
    laplacian, values, *_, start = many
    given = Laplacian.of(xp.asarray(laplacian.graph), normalized=True)
    found = smallest_eigenpairs(given, 40, start=xp.asarray(start), tol=1e-6, random_state=np.random.RandomState(0))
    np.testing.assert_allclose(np.asarray(found.values), values, atol=1e-6)
