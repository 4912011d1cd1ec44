"""Each step of a map against a direct computation."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse.graphs.nearest import neighbor_graph
from viewfuse.inspection import neighbor_map as module
from viewfuse.inspection.neighbor_map import neighbor_map, neighborhood_preservation, spectral_layout
from viewfuse.linalg.sparse_cut import spectrum

RNG = np.random.default_rng(0)
GRAPH = neighbor_graph(RNG.normal(size=(40, 3)), 6)


def probabilities(graph):
    """``p`` as the module describes it, without self-loops."""
    a = graph.toarray() * (1 - np.eye(graph.shape[0]))
    rows = a / np.where(a.sum(axis=1) > 0, a.sum(axis=1), 1)[:, None]
    return (rows + rows.T) / (2 * rows.sum())


def gradient(p, y, exaggeration):
    apart = y[:, None] - y[None]
    w = 1 / (1 + (apart**2).sum(axis=2))
    total = w.sum() - len(y)
    return ((exaggeration * p * w - w**2 / total)[:, :, None] * apart).sum(axis=1)


def described_map(graph, n_iter, start):
    """Gradient descent with momentum and gains, as van der Maaten and Hinton describe it."""
    p, y = probabilities(graph), 0.01 * start / start.std()
    velocity, gains = np.zeros_like(y), np.ones_like(y)
    for iteration in range(n_iter):
        early = iteration < 0.3 * n_iter
        slope = gradient(p, y, 12 if early else 1)
        for i in np.ndindex(y.shape):
            gains[i] = max(0.8 * gains[i] if np.sign(slope[i]) == np.sign(velocity[i]) else gains[i] + 0.2, 0.01)
        velocity = (0.5 if early else 0.8) * velocity - 4 * max(len(y) / 12, 50) * gains * slope
        velocity *= min(1, 5 / np.abs(velocity).max())
        y = y + velocity
        y = y - y.mean(axis=0)
    return y / np.sqrt((y**2).mean())


@pytest.mark.parametrize("n_iter", [1, 2, 4, 10, 30])
def test_positions_after_some_iterations(n_iter):
    start = RNG.normal(size=(40, 2))
    np.testing.assert_allclose(
        neighbor_map(GRAPH, n_iter=n_iter, start=start), described_map(GRAPH, n_iter, start), atol=1e-5
    )


def test_positions_of_more_than_six_hundred_samples_move_by_steps_that_grow_with_them(monkeypatch):
    graph = neighbor_graph(np.random.default_rng(1).normal(size=(660, 2)), 5)
    start = np.random.default_rng(2).normal(size=(660, 2))
    monkeypatch.setattr(module, "_DIRECT_UP_TO", 660)
    np.testing.assert_allclose(neighbor_map(graph, n_iter=3, start=start), described_map(graph, 3, start), atol=1e-5)


@pytest.mark.parametrize(("n", "expected"), [(4, 240), (500, 240), (501, 420)])
def test_the_number_of_iterations(n, expected, monkeypatch):
    seen = []
    monkeypatch.setattr(module, "repulsion", lambda points: (seen.append(1), (np.zeros_like(points), 1.0))[1])
    path = sp.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1]).tocsr()
    neighbor_map(path, start=np.random.default_rng(0).normal(size=(n, 2)))
    assert len(seen) == expected


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_samples_without_a_map_lie_on_a_circle(n):
    graph = sp.csr_array((n, n)) if n == 5 else sp.csr_array(np.ones((n, n)) - np.eye(n))
    angles = [2 * np.pi * i / n for i in range(n)]
    np.testing.assert_allclose(neighbor_map(graph), [[np.cos(a), np.sin(a)] for a in angles], atol=1e-12)
    assert neighbor_map(sp.csr_array((0, 0))).shape == (0, 2)


def test_four_samples_with_edges_have_a_map():
    path = sp.csr_array(np.eye(4, k=1) + np.eye(4, k=-1))
    start = np.array([[0.0, 0.1], [1.0, 0.0], [2.0, -0.1], [3.0, 0.2]])
    found = neighbor_map(path, n_iter=5, start=start)
    np.testing.assert_allclose(found, described_map(path, 5, start), atol=1e-9)


def test_probabilities_have_no_self_loops_and_allow_samples_without_edges():
    graph = np.triu(RNG.random((12, 12)) * (RNG.random((12, 12)) < 0.4), 1)
    graph = graph + graph.T + np.diag(RNG.random(12))
    graph[3, :3] = graph[3, 4:] = graph[:3, 3] = graph[4:, 3] = 0
    found = module._probabilities(sp.csr_array(graph))
    np.testing.assert_allclose(found.toarray(), probabilities(sp.csr_array(graph)))
    assert found.sum() == pytest.approx(1)


def test_every_edge_is_listed_once():
    edges = module.Edges.of(sp.csr_array([[5.0, 0.1, 0.0], [0.1, 5.0, 0.3], [0.0, 0.3, 5.0]]))
    assert sorted(zip(edges.first.tolist(), edges.second.tolist(), edges.weight.tolist(), strict=True)) == [
        (0, 1, 0.1),
        (1, 2, 0.3),
    ]


def test_the_spectral_layout_is_the_main_plane_of_ten_eigenvectors():
    a = GRAPH.toarray()
    root = 1 / np.sqrt(a.sum(axis=1))
    values, vectors = np.linalg.eigh(np.eye(40) - root[:, None] * a * root)
    weighted = vectors[:, 1:11] * (1 - np.clip(values[1:11], 0, 1))
    weighted = weighted - weighted.mean(axis=0)
    left, sizes, _ = np.linalg.svd(weighted, full_matrices=False)
    plane = left[:, :2] * sizes[:2]
    plane *= np.sign(plane[np.abs(plane).argmax(axis=0), [0, 1]])
    jitter = 1e-3 * plane.std() * np.random.RandomState(0).standard_normal(plane.shape)
    np.testing.assert_allclose(spectral_layout(GRAPH), plane + jitter, atol=1e-5)


def test_ten_eigenvectors_are_used(monkeypatch):
    asked = []
    monkeypatch.setattr(
        module, "spectrum", lambda graph, count, **options: asked.append(count) or spectrum(graph, count, **options)
    )
    spectral_layout(GRAPH)
    spectral_layout(GRAPH[:7][:, :7] + sp.eye_array(7))
    assert asked == [11, 7]  # the first is constant


def test_samples_that_are_equal_in_the_graph_do_not_coincide():
    two = np.zeros((8, 8))
    two[:4, :4] = two[4:, 4:] = 1
    points = spectral_layout(sp.csr_array(two - np.eye(8)))
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)[~np.eye(8, dtype=bool)]
    assert apart.min() > 0
    assert apart.min() < 0.05 * points.std()


def preserved(graph, points, count):
    """For each sample the share of its strongest edges whose ends are among the nearest on the map, on average."""
    count = min(count, len(points) - 1)
    shares = []
    for i in range(len(points)):
        distance = np.linalg.norm(points - points[i], axis=1)
        nearest = [j for j in np.argsort(distance) if j != i][:count]
        weights = graph.toarray()[i]
        strongest = [j for j in np.argsort(-weights, kind="stable") if weights[j] > 0][:count]
        shares.append(len(set(nearest) & set(strongest)) / max(len(strongest), 1))
    return np.mean(shares)


@pytest.mark.parametrize("count", [1, 3, 15, 60])
def test_neighborhood_preservation_is_a_share_of_the_strongest_edges(count):
    points = RNG.normal(size=(40, 2))
    weights = np.triu(RNG.random((40, 40)) * (RNG.random((40, 40)) < 0.2), 1)
    graph = sp.csr_array(weights + weights.T)
    assert neighborhood_preservation(graph, points, count) == pytest.approx(preserved(graph, points, count))
    if count == 15:
        assert neighborhood_preservation(graph, points) == pytest.approx(preserved(graph, points, 15))


def test_interpolation_reproduces_cubic_polynomials():
    points = RNG.uniform([-3, 5], [4, 8], size=(50, 2))
    grid = module._Grid.around(points)
    x, y = (grid.low[axis] + grid.spacing * np.arange(grid.side) for axis in (0, 1))
    weights = grid.interpolation(points)
    assert weights.shape == (50, grid.side**2)
    for i in range(4):
        for j in range(4):
            on_grid = (x[:, None] / 3) ** i * (y[None, :] / 6) ** j
            np.testing.assert_allclose(
                weights @ on_grid.ravel(), (points[:, 0] / 3) ** i * (points[:, 1] / 6) ** j, rtol=1e-9
            )


@pytest.mark.parametrize(("extent", "side"), [(1.0, 32), (19.2, 32), (30.0, 50), (30.1, 51), (153.0, 255), (900.0, 256)])
def test_the_grid_is_fine_enough_and_not_too_large(extent, side):
    points = np.array([[2.0, -1.0], [2.0 + extent / 2, -1.0 + extent]])
    grid = module._Grid.around(points)
    assert grid.side == side + 5
    assert grid.spacing == pytest.approx(extent / side)
    np.testing.assert_allclose(grid.low, points[0] - 1.5 * grid.spacing)
    place = (points - grid.low) / grid.spacing
    assert place.min() >= 1
    assert place.max() < grid.side - 2  # two more points on each side


def test_the_convolution_is_a_sum_over_all_grid_points():
    grid = module._Grid(np.zeros(2), 0.7, 9)
    charges = RNG.normal(size=(3, 9, 9))
    places = 0.7 * np.stack(np.meshgrid(np.arange(9), np.arange(9), indexing="ij"), axis=2).reshape(-1, 2)
    w = 1 / (1 + ((places[:, None] - places[None]) ** 2).sum(axis=2))
    expected = [w**2 @ charges[c].ravel() for c in range(3)] + [w @ charges[0].ravel()]
    np.testing.assert_allclose(grid.convolved(charges).reshape(4, -1), expected, atol=1e-5)


@pytest.mark.parametrize("scale", [0.2, 1.0])
def test_on_a_fine_grid_the_repulsion_is_exact_to_a_thousandth(scale):
    points = scale * RNG.normal(size=(400, 2)).clip(-2.5, 2.5)
    direct, total = module._direct_repulsion(points)
    push, about = module.repulsion(points)
    assert not np.array_equal(push, direct)  # it is interpolated
    np.testing.assert_allclose(push, direct, atol=2e-3 * np.abs(direct).max())
    assert about == pytest.approx(total, rel=1e-3)


def test_up_to_three_hundred_samples_the_repulsion_is_direct():
    points = RNG.normal(size=(300, 2))
    np.testing.assert_array_equal(module.repulsion(points)[0], module._direct_repulsion(points)[0])
