"""The comparison methods: forms of data, difficult data, monotone objectives, special cases, closed forms."""

import doctest
import inspect
import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from viewfuse.cluster import METHODS
from viewfuse.cluster.baselines import amgl, co_reg, imvsc, mspl, mvkkm
from viewfuse.cluster.baselines.dimsc import solve_rows
from viewfuse.cluster.baselines.imvsc import shrunk_singular_values
from viewfuse.cluster.baselines.lloyd import distances_to, view_weights, weighted_means
from viewfuse.cluster.baselines.mvsc import GraphProgram, soft
from viewfuse.cluster.baselines.sc import spectral_embedding
from viewfuse.exceptions import ParameterError, UninformativeViewWarning, ViewfuseWarning, ViewsError
from viewfuse.graphs import adaptive_neighbors, squared_distances
from viewfuse.graphs.scaling import ScaledView
from viewfuse.linalg import Laplacian, normalized_adjacency

KEYS = [key for key in METHODS if key not in ("gfsc", "gf", "anchor-gfsc")]
WEIGHTED = ["gfsc", "gf", "sc", "mvkkm", "rmkmc", "amgl", "anchor-gfsc"]  # methods that must have view_weights_
DECREASING = ["mvkkm", "rmkmc", "amgl", "dimsc", "mvsc"]


def blobs(n=45, k=3, seed=0, noise=0.3, dims=(4, 6)):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return [3 * rng.normal(size=(k, d))[y] + noise * rng.normal(size=(n, d)) for d in dims], y


@pytest.mark.parametrize("key", KEYS)
def test_separated_clusters_are_found_and_common_attributes_are_set(key):
    views, y = blobs()
    model = METHODS[key](n_clusters=3, random_state=0).fit(views)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert model.n_iter_ >= 1
    assert isinstance(model.converged_, bool)
    if hasattr(model, "view_weights_"):
        assert model.view_weights_.shape == (2,)
        assert np.isclose(model.view_weights_.sum(), 1)
    if key not in ("co-train", "auto", "snf"):  # they optimise no single function
        assert np.isfinite(model.objective_).all()


@pytest.mark.parametrize("key", KEYS)
def test_every_form_of_the_data_gives_the_same_clustering(key):
    views, _ = blobs()
    fits = [
        METHODS[key](n_clusters=3, random_state=0).fit(views),
        METHODS[key](n_clusters=3, random_state=0).fit({"a": views[0], "b": views[1]}),
        METHODS[key](n_clusters=3, random_state=0).fit(vf.Views(views)),
        METHODS[key](n_clusters=3, random_state=0, views={"a": slice(0, 4), "b": slice(4, 10)}).fit(np.hstack(views)),
    ]
    for fit in fits[1:]:
        assert adjusted_rand_score(fits[0].labels_, fit.labels_) == 1


def difficult():
    rng = np.random.default_rng(1)
    views, y = blobs(n=24)
    far = [np.vstack([x[:12], x[12:] + 1e3]) for x in views]
    tiny = [np.vstack([x[y == 0][:8], x[y == 1][:8], x[y == 2][:1]]) for x in views]
    return {
        "duplicates": [np.repeat(x[:6], 4, axis=0) for x in views],
        "disconnected": far,
        "tiny cluster": tiny,
        "noise view": [*views, rng.normal(size=(24, 5))],
        "constant view": [*views, np.ones((24, 2))],
        "three more than clusters": [x[:6] for x in views],
    }


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
@pytest.mark.parametrize("case", list(difficult()))
@pytest.mark.parametrize("key", list(METHODS))
def test_difficult_data(key, case):
    views = difficult()[case]
    model = METHODS[key](n_clusters=3, random_state=0).fit(views)
    assert model.labels_.shape == (len(views[0]),)
    assert np.unique(model.labels_).size == 3
    if case == "constant view" and hasattr(model, "view_weights_"):
        assert model.view_weights_[2] == 0


# GMC does not separate a single view's graph: U is that graph, and its weight infinite.
@pytest.mark.filterwarnings("ignore:The graph of GMC has 1 connected component")
@pytest.mark.parametrize("key", KEYS)
def test_invalid_input_gets_the_common_messages(key):
    views, _ = blobs()
    broken = views[1].copy()
    broken[3, 2] = np.inf
    with pytest.raises(ViewsError, match=r"inf in row 3, column 2"):
        METHODS[key](n_clusters=3).fit([views[0], broken])
    with pytest.raises(ParameterError, match="n_clusters"):
        METHODS[key](n_clusters=1).fit(views)
    with pytest.warns(UninformativeViewWarning, match="constant"):
        METHODS[key](n_clusters=3, random_state=0).fit([views[0], np.ones((45, 2))])


@pytest.mark.parametrize("key", DECREASING)
def test_objective_decreases(key):
    views, _ = blobs(noise=2.0, n=60)
    options = {"tol": 0.0, "max_iter": 15}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        trace = METHODS[key](n_clusters=3, random_state=0, **options).fit(views).objective_
    tolerance = 2e-3 if key == "mvsc" else 1e-7  # MVSC's inner programs are solved to 1e-3
    assert (np.diff(trace) <= tolerance * np.abs(trace[:-1])).all()
    assert trace[-1] <= trace[0]


@pytest.mark.parametrize("mode", ["pairwise", "centroid"])
def test_objective_of_co_reg_increases(mode):
    views, _ = blobs(noise=2.0, n=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        trace = METHODS["co-reg"](3, mode=mode, lam=0.5, tol=0.0, max_iter=15, random_state=0).fit(views).objective_
    assert (np.diff(trace) >= -1e-9).all()


def test_objective_of_mspl_decreases_at_each_age():
    views, _ = blobs(noise=2.0)
    model = METHODS["mspl"](3, random_state=0).fit(views)
    same_age = np.diff(model.history_["age"]) == 0
    drops = np.diff(model.objective_)[same_age]
    assert same_age.any()
    assert (drops <= 1e-9 * np.abs(model.objective_).max()).all()


def test_imvsc_residuals_fall_below_the_tolerance():
    views, _ = blobs(noise=1.0)
    model = METHODS["imvsc"](3, random_state=0, tol=1e-3, max_iter=1000).fit(views)
    assert model.converged_
    assert model.history_["primal"][-1] <= 1e-3
    assert model.history_["dual"][-1] <= 1e-3


def imvsc_state(x, laplacian):
    return imvsc._View(x, laplacian, (1.0, 0.01, 0.1), np.random.RandomState(0))


def imvsc_penalties(state):
    """Penalties of the constraints on the errors, on J and on W."""
    return state.kappa * state.mu, state.mu, imvsc._KAPPA_OF_W * state.mu


def test_imvsc_dual_residual_is_the_gradient_of_the_lagrangian():
    # The gradient of the Lagrangian in Z from its definition: of the agreement term and of the terms with multipliers.
    rng = np.random.default_rng(0)
    views, beta = [rng.normal(size=(12, d)) for d in (4, 15)], 0.3
    laplacians = [Laplacian.of(vf.graphs.view_graph(x, "gaussian", scaling="unit-spread"), normalized=True) for x in views]
    states = [imvsc_state(x, L.dense()) for x, L in zip(views, laplacians, strict=True)]
    total = states[0].Z + states[1].Z
    for _ in range(3):
        old = [state.W.copy() for state in states]
        total, _ = imvsc._iterate(states, total, beta)
    for state, other, x, laplacian, before in zip(states, states[::-1], views, laplacians, old, strict=True):
        of_x, of_j, of_w = imvsc_penalties(state)
        in_z = beta * (state.Z - other.Z) + of_j * state.to_j + of_w * state.to_w - of_x * state.to_x @ x.T
        in_w = 2 * 0.1 * (laplacian.dense() - 2 * np.eye(12)) @ (state.W - before)
        scale = np.hypot(of_j * np.linalg.norm(state.to_j), of_w * np.linalg.norm(state.to_w))
        assert np.isclose(state.dual * scale, np.hypot(np.linalg.norm(in_z), np.linalg.norm(in_w)), rtol=1e-3)
        size = np.linalg.norm(state.Z)
        gaps = np.linalg.norm(state.Z - state.J) / size, np.linalg.norm(state.Z - state.W) / size
        assert np.allclose(state.gaps, (np.linalg.norm(x - state.Z @ x - state.E) / np.linalg.norm(x), *gaps), rtol=1e-3)


def test_imvsc_converges_to_a_point_that_meets_the_optimality_conditions():
    # The problem is convex: equal variables and multipliers that are subgradients of every term prove optimality.
    views, beta, lam2, lam3 = blobs(n=12, noise=1.5)[0], 0.1, 0.01, 0.1
    laplacians = [Laplacian.of(graph, normalized=True).dense() for graph in twelve_samples()]
    states = [imvsc_state(x, laplacian) for x, laplacian in zip(views, laplacians, strict=True)]
    total = states[0].Z + states[1].Z
    for i in range(600):
        total, _ = imvsc._iterate(states, total, beta)
        for state in states:
            state.balance(1 + 0.25 / (1 + i / 20))
    for state, other, x, laplacian in zip(states, states[::-1], views, laplacians, strict=True):
        of_x, of_j, of_w = imvsc_penalties(state)
        assert np.allclose(state.Z, state.J, atol=1e-3)
        assert np.allclose(state.Z, state.W, atol=1e-3)
        assert np.allclose(state.Z @ x + state.E, x, atol=1e-2)
        low_rank, errors, smooth = of_j * state.to_j, of_x * state.to_x, of_w * state.to_w
        assert np.allclose(beta * (state.Z - other.Z) + low_rank + smooth, errors @ x.T, atol=1e-2)
        assert np.linalg.norm(low_rank, 2) <= 1 + 1e-4
        assert np.isclose(np.vdot(low_rank, state.J), np.linalg.norm(state.J, "nuc"), rtol=1e-3)
        assert np.abs(errors).max() <= state.lam1 * (1 + 1e-4)
        assert np.isclose(np.vdot(errors, state.E), state.lam1 * np.abs(state.E).sum(), rtol=1e-3)
        slope = lam2 + 2 * lam3 * laplacian @ state.W - smooth  # gradient in W: 0 where W is positive, else non-negative
        assert slope.min() >= -1e-3
        assert np.abs(slope[state.W > 0]).max() <= 1e-3
        assert 0 < np.count_nonzero(state.W) < state.W.size


def test_mvsc_residuals_fall_below_the_tolerance():
    views, _ = blobs(noise=1.0)
    model = METHODS["mvsc"](3, random_state=0).fit(views)
    assert model.converged_
    assert max(model.history_["primal"][-1], model.history_["dual"][-1]) <= 2e-3
    assert np.allclose(np.diagonal(model.affinity_matrix_), 0)


@pytest.mark.parametrize("key", ["co-reg", "amgl", "co-train"])
def test_one_view_is_spectral_clustering(key):
    views, _ = blobs(noise=1.5)
    options = {"affinity": "gaussian", "n_neighbors": 10, "random_state": 0}
    one = METHODS[key](3, **options).fit(views[:1])
    plain = METHODS["sc"](3, **options).fit(views[:1])
    assert np.allclose(one.embedding_ @ one.embedding_.T, plain.embedding_ @ plain.embedding_.T, atol=1e-6)


@pytest.mark.filterwarnings("ignore:The graph of GMC has 1 connected component")
@pytest.mark.filterwarnings("ignore:Views .* have the same values in every row")
@pytest.mark.parametrize("key", [key for key in METHODS if key != "sc"])  # sc chooses one view
def test_identical_views_have_equal_weights(key):
    views, _ = blobs(noise=1.0)
    model = METHODS[key](3, random_state=0).fit([views[0]] * 3)
    if hasattr(model, "view_weights_"):
        assert np.allclose(model.view_weights_, 1 / 3, atol=1e-6)
    else:
        assert key not in WEIGHTED


def test_rmkmc_of_one_view_is_robust_kmeans():
    views, _ = blobs(noise=1.0)
    model = METHODS["rmkmc"](3, scaling="unit-spread", random_state=0).fit(views[:1])
    x = vf.graphs.unit_spread(views[0]).values
    total = 0.0
    for j in range(3):  # geometric medians by a general optimiser
        members = x[model.labels_ == j]
        best = scipy.optimize.minimize(lambda c, m=members: np.linalg.norm(m - c, axis=1).sum(), members.mean(axis=0))
        total += best.fun
    assert np.isclose(model.objective_[-1], total, rtol=1e-4)


@pytest.mark.parametrize("exponent", [1.5, 2.5, 3.0])  # p of MVKKM, γ of RMKMC
def test_closed_form_weights_equal_a_numerical_optimiser(exponent):
    scatters = np.array([1.0, 2.0, 5.0])
    simplex = {"type": "eq", "fun": lambda w: w.sum() - 1}
    found = scipy.optimize.minimize(
        lambda w: (w**exponent * scatters).sum(), np.full(3, 1 / 3), bounds=[(0, 1)] * 3, constraints=simplex, tol=1e-12
    )
    assert np.allclose(view_weights(scatters, exponent), found.x, atol=1e-4)


def best_embedding(value, n, k, start=None):
    """The least ``value(F)`` over (n, k) F with orthonormal columns that a general optimiser finds."""

    def orthonormal(flat):
        return np.linalg.qr(flat.reshape(n, k))[0]

    starts = [start.ravel()] if start is not None else np.random.default_rng(0).normal(size=(4, n * k))
    return min(scipy.optimize.minimize(lambda a: value(orthonormal(a)), flat, tol=1e-9).fun for flat in starts)


def twelve_samples():
    views, _ = blobs(n=12, noise=1.5)
    return [vf.graphs.view_graph(x, "gaussian", scaling="unit-spread") for x in views]


def test_eigen_step_of_co_reg_equals_a_numerical_optimiser():
    matrix = normalized_adjacency(twelve_samples()[0])
    common = np.linalg.qr(np.random.default_rng(1).normal(size=(12, 3)))[0]
    found = co_reg._largest(matrix, 0.5**0.5 * common, 3, None, np.random.RandomState(0))

    def cost(u):
        return -np.trace(u.T @ matrix @ u) - 0.5 * ((common.T @ u) ** 2).sum()

    assert np.isclose(cost(found), best_embedding(cost, 12, 3), rtol=1e-5)


def test_common_embedding_of_co_reg_equals_a_numerical_optimiser():
    rng = np.random.default_rng(2)
    embeddings = [np.linalg.qr(rng.normal(size=(12, 3)))[0] for _ in range(3)]

    def cost(u):
        return -sum(((e.T @ u) ** 2).sum() for e in embeddings)

    assert np.isclose(cost(co_reg._common(embeddings, 3)), best_embedding(cost, 12, 3), rtol=1e-5)


def test_amgl_converges_to_a_minimum_of_a_numerical_optimiser():
    graphs = twelve_samples()
    laplacians = [Laplacian.of(graph, normalized=True).dense() for graph in graphs]
    found = amgl.auto_weighted(graphs, 3, max_iter=200, tol=1e-12, random_state=np.random.RandomState(0))

    def cost(f):
        return sum(np.sqrt(np.trace(f.T @ laplacian @ f) + 1e-6) for laplacian in laplacians)

    assert np.isclose(cost(found.embedding), found.objective[-1])
    assert found.objective[-1] <= best_embedding(cost, 12, 3, start=found.embedding) + 1e-6
    cuts = np.asarray([np.trace(found.embedding.T @ laplacian @ found.embedding) for laplacian in laplacians])
    expected = 1 / (2 * np.sqrt(cuts + 1e-6))  # the derivative of √
    assert np.allclose(found.weights, expected / expected.sum())


def test_embedding_of_one_graph_equals_a_numerical_optimiser():
    graph = twelve_samples()[0]
    laplacian = Laplacian.of(graph, normalized=True).dense()
    found = spectral_embedding(graph, 3, np.random.RandomState(0))[0]
    assert np.isclose(found.objective[0], best_embedding(lambda f: np.trace(f.T @ laplacian @ f), 12, 3), rtol=1e-5)


def test_weighted_means_minimise_their_cost_and_distances_are_squared():
    # The steps that RMKMC and MSPL share: weighted means, and distances to them.
    rng = np.random.default_rng(0)
    x, weights, labels = rng.normal(size=(12, 2)), rng.uniform(0.1, 1, size=12), np.arange(12) % 3

    def cost(flat):
        return (weights * ((x - flat.reshape(3, 2)[labels]) ** 2).sum(axis=1)).sum()

    centres = weighted_means(x, labels, weights, 3)
    assert np.allclose(centres.ravel(), scipy.optimize.minimize(cost, np.zeros(6)).x, atol=1e-4)
    assert np.allclose(distances_to(x, centres), [[((row - c) ** 2).sum() for c in centres] for row in x])


def test_mvkkm_assigns_samples_to_the_nearest_centre_in_feature_space():
    rng = np.random.default_rng(0)
    x, labels = rng.normal(size=(12, 3)), np.arange(12) % 3
    kernel = x @ x.T
    sums = kernel @ np.eye(3)[labels]
    centres = np.stack([x[labels == j].mean(axis=0) for j in range(3)])
    distances = ((x[:, None, :] - centres[None]) ** 2).sum(axis=2)
    moved = mvkkm._moved(kernel.diagonal(), sums, labels, 3)
    assert (moved == distances.argmin(axis=1)).all()
    scatter = distances[np.arange(12), labels].sum()
    assert np.isclose(kernel.trace() - mvkkm._explained(sums, labels).sum(), scatter)
    assert np.allclose(mvkkm._updated(sums, kernel, labels, moved), kernel @ np.eye(3)[moved])


def test_mvkkm_makes_a_graph_positive_semi_definite_by_a_shift_of_its_diagonal():
    graph = vf.graphs.view_graph(blobs(n=12)[0][0], "adaptive-neighbors", scaling="unit-spread", n_neighbors=3)
    kernel = mvkkm._positive(graph, np.random.RandomState(0))
    assert np.linalg.eigvalsh(graph)[0] < -0.01
    assert np.linalg.eigvalsh(kernel)[0] > -1e-8
    shift = kernel - graph
    assert np.allclose(shift, shift[0, 0] * np.eye(12))


def test_imvsc_graph_step_solves_its_linear_system():
    rng = np.random.default_rng(0)
    x, beta = rng.normal(size=(12, 5)), 0.2
    state = imvsc_state(x, np.eye(12))
    for name in ("J", "W", "to_j", "to_w"):
        setattr(state, name, rng.normal(size=(12, 12)).astype(np.float32))
    state.E, state.to_x = (rng.normal(size=(12, 5)).astype(np.float32) for _ in range(2))
    total = rng.normal(size=(12, 12)).astype(np.float32)
    state.solve(total, beta, 3)
    of_x, of_j, of_w = imvsc_penalties(state)
    data = of_x * (x - state.E + state.to_x) @ x.T
    right = data + of_j * (state.J - state.to_j) + of_w * (state.W - state.to_w) + beta * total
    direct = np.linalg.solve(of_x * x @ x.T + (of_j + of_w + 3 * beta) * np.eye(12), right.T).T  # a row is a column of Z
    assert np.allclose(state.Z, direct, atol=1e-4)


def test_imvsc_penalty_changes_keep_the_unscaled_multipliers():
    state = imvsc_state(np.random.default_rng(0).normal(size=(12, 5)), np.eye(12))
    state.solve(state.Z, 0.1, 1)
    state.step(state.Z, 0.1, 1)

    def multipliers():
        names = ("to_x", "to_j", "to_w")
        return [penalty * getattr(state, name) for penalty, name in zip(imvsc_penalties(state), names, strict=True)]

    for gaps, dual in (((0.5, 0.1, 0.1), 0.1), ((0.01, 0.1, 0.1), 0.9), ((0.01, 0.1, 0.1), 0.15)):
        before, mu, kappa = multipliers(), state.mu, state.kappa
        state.gaps, state.dual = gaps, dual
        state.balance(1.25)
        for old, new in zip(before, multipliers(), strict=True):
            assert np.allclose(old, new, rtol=1e-5)
        assert (state.kappa > kappa) == (gaps[0] > 0.1)
        assert np.sign(state.mu - mu) == (1 if max(gaps) > dual else -1 if dual > 0.2 else 0)


def test_imvsc_smooth_steps_reach_a_numerical_optimiser():
    rng = np.random.default_rng(0)
    laplacian = Laplacian.of(twelve_samples()[0], normalized=True).dense()
    target, mu, lam2, lam3 = rng.normal(size=(12, 12)), 1.5, 0.2, 0.4
    graph = np.zeros((12, 12))
    for _ in range(300):
        graph = imvsc.smooth_step(graph, laplacian @ graph, target, mu, lam2, lam3)

    def value(flat):
        w = flat.reshape(12, 12)  # Wᵀ
        slope = lam2 + 2 * lam3 * laplacian @ w + mu * (w - target)
        return lam2 * w.sum() + lam3 * (w * (laplacian @ w)).sum() + mu / 2 * ((w - target) ** 2).sum(), slope.ravel()

    best = scipy.optimize.minimize(value, np.ones(144), jac=True, bounds=[(0, None)] * 144, tol=1e-14)
    assert np.allclose(graph.ravel(), best.x, atol=1e-4)


def test_soft_threshold_equals_a_numerical_optimiser():
    for value in (-2.0, -0.3, 0.2, 1.4):  # the errors of MVSC and IMVSC
        best = scipy.optimize.minimize_scalar(
            lambda e, v=value: (v - e) ** 2 / 2 + 0.5 * abs(e), bounds=(-3, 3), method="bounded"
        )
        assert np.isclose(soft(np.array([value]), 0.5)[0], best.x, atol=1e-4)


def test_self_paced_weights_minimise_and_do_not_overflow():
    for loss, age in [(0.5, 1.0), (3.0, 1.0), (1.0, 4.0)]:
        top = 1 + np.exp(-age)
        best = scipy.optimize.minimize_scalar(
            lambda q, loss=loss, age=age: mspl._objective(np.array([loss]), np.array([q]), age),
            bounds=(1e-9, top - 1e-9),
            method="bounded",
            options={"xatol": 1e-10},
        )
        assert np.isclose(mspl.self_paced_weights(np.array([loss]), age)[0], best.x, atol=1e-6)
    assert np.isfinite(mspl.self_paced_weights(np.array([1e6]), 1.0)).all()


def test_adaptive_neighbours_solve_their_quadratic_program():
    x = np.random.default_rng(0).normal(size=(12, 3))
    distances = squared_distances(ScaledView(x))
    graph = adaptive_neighbors(distances, 4)
    for i in range(12):
        others = np.delete(distances[i], i)
        ordered = np.sort(others)
        strength = (4 * ordered[4] - ordered[:4].sum()) / 2  # the regularisation with 4 neighbours
        best = scipy.optimize.minimize(
            lambda s, o=others, r=strength: o @ s + r * s @ s,
            np.full(11, 1 / 11),
            jac=lambda s, o=others, r=strength: o + 2 * r * s,
            bounds=[(0, 1)] * 11,
            constraints={"type": "eq", "fun": lambda s: s.sum() - 1, "jac": lambda s: np.ones_like(s)},
            tol=1e-12,
        )
        assert np.allclose(np.delete(graph[i], i), best.x, atol=1e-4)
    assert np.allclose(graph.sum(axis=1), 1)


def test_dimsc_rows_solve_the_sylvester_equation():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(12, 12))
    gram, b = x @ x.T, (lambda r: r @ r.T)(rng.normal(size=(12, 5)))
    values, vectors = np.linalg.eigh(gram)
    rows = solve_rows(values, b, values[:, None] * vectors.T, np.zeros((12, 12)))
    assert np.allclose(vectors @ rows, scipy.linalg.solve_sylvester(gram, b, gram), atol=1e-5)


def test_mvsc_program_equals_a_numerical_optimiser():
    rng = np.random.default_rng(0)
    x, costs = rng.normal(size=(12, 4)), rng.uniform(0.1, 1, size=(12, 12))
    program = GraphProgram(x, 0.5)
    for _ in range(100):
        primal, dual, total = program.step(program.x, lambda columns: costs.T[columns])
    assert max(primal, dual) <= 1e-3
    graph = program.split.T
    assert np.allclose(graph.sum(axis=0), 1, atol=1e-2)
    assert np.allclose(np.diagonal(graph), 0)

    def value(parts):  # z = p − q, both ≥ 0, makes the ℓ1 term smooth
        z = parts[:12] - parts[12:]
        return ((x[0] - x.T @ z) ** 2).sum() + 0.5 * z @ z + costs[:, 0] @ (parts[:12] + parts[12:])

    bounds = [(0, 0) if i % 12 == 0 else (0, None) for i in range(24)]
    best = scipy.optimize.minimize(
        value, np.full(24, 0.1), bounds=bounds, constraints={"type": "eq", "fun": lambda p: p[:12].sum() - p[12:].sum() - 1}
    )
    assert np.allclose(graph[:, 0], best.x[:12] - best.x[12:], atol=5e-3)
    misfit = ((x - graph.T @ x) ** 2).sum()
    assert np.isclose(total, misfit + 0.5 * (graph**2).sum() + (costs * np.abs(graph)).sum(), rtol=1e-2)


@pytest.mark.parametrize("n", [70, 200])  # by all eigenvectors, and by subspace iteration
@pytest.mark.parametrize("rank", [5, 60])
def test_partial_singular_values_equal_the_full_ones(n, rank):
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, n)) + 0.01 * rng.normal(size=(n, n))
    shrunk, start, nuclear = shrunk_singular_values(matrix, 1.0, None, np.random.RandomState(0))
    assert np.allclose(shrunk, shrunk_by_svd(matrix), atol=1e-6)
    assert np.isclose(nuclear, np.linalg.norm(shrunk, "nuc"))
    near = matrix + 0.01 * rng.normal(size=(n, n))
    assert np.allclose(shrunk_singular_values(near, 1.0, start, np.random.RandomState(0))[0], shrunk_by_svd(near), atol=1e-4)


def shrunk_by_svd(matrix):
    left, values, right = np.linalg.svd(matrix)
    return (left * np.maximum(values - 1, 0)) @ right


@pytest.mark.parametrize("affinity", ["gaussian", "adaptive-neighbors", "self-expressive", "cosine", "precomputed"])
@pytest.mark.parametrize("key", ["sc", "sc-ave", "co-train", "co-reg", "amgl", "mvkkm"])
def test_affinities(key, affinity):
    views, y = blobs()
    if affinity == "precomputed":
        views = [vf.graphs.view_graph(x, "gaussian", scaling="unit-spread") for x in views]
    labels = METHODS[key](3, affinity=affinity, random_state=0).fit(views).labels_
    assert adjusted_rand_score(y, labels) > 0.8


@pytest.mark.parametrize("key", KEYS)
def test_examples_in_the_docstrings_run(key):
    finder = doctest.DocTestFinder(recurse=False)
    tests = [
        t for t in finder.find(METHODS[key], METHODS[key].__name__, module=inspect.getmodule(METHODS[key])) if t.examples
    ]
    assert tests
    for test in tests:
        assert doctest.DocTestRunner().run(test).failed == 0
