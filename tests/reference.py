"""Direct, slow versions of what the library computes, for tests to compare with."""

from __future__ import annotations

import numpy as np
import scipy.linalg

# A name that would run as a script if a page inserted it as HTML.
HOSTILE = "<script>document.title='broken'</script>"


def whole_view_to_unit_interval(view):
    low, high = view.min(), view.max()
    return 2 * (view - low) / (high - low) - 1


def published_gfsc(views, k, alpha, beta, gamma, *, max_iter=200, tol=1e-3, trace=True):
    """The authors' iteration: a dense solve per view and a full eigendecomposition each time."""
    views = [whole_view_to_unit_interval(view) for view in views]
    n, t = len(views[0]), len(views)
    identity = np.eye(n)
    grams = [view @ view.T for view in views]
    consensus, weights = np.eye(n), np.full(t, 1 / t)
    objectives = []
    for iteration in range(1, max_iter + 1):
        consensus = np.maximum(consensus, 0)
        consensus = (consensus + consensus.T) / 2
        laplacian = np.diag(consensus.sum(axis=0)) - consensus
        embedding = scipy.linalg.eigh(laplacian)[1][:, :k]
        graphs = []
        for v in range(t):
            pull = beta * weights[v]
            graph = np.linalg.solve(grams[v] + (alpha + pull) * identity, pull * consensus + grams[v])
            graph = np.maximum(graph, 0)
            graphs.append((graph + graph.T) / 2)
            weights[v] = 1 / (2 * np.linalg.norm(graphs[v] - consensus))
        squares = (embedding**2).sum(axis=1)
        distances = squares[:, None] + squares[None, :] - 2 * embedding @ embedding.T
        new = (sum(w * g for w, g in zip(weights, graphs, strict=True)) - gamma / (4 * beta) * distances) / weights.sum()
        if trace:
            clipped = np.maximum(new, 0)
            objectives.append(objective(views, graphs, clipped, weights, embedding, alpha, beta, gamma))
        change = np.linalg.norm(new - consensus) / np.linalg.norm(consensus)
        consensus = new
        if iteration > 5 and change < tol:
            break
    return np.maximum(consensus, 0), embedding, weights / weights.sum(), np.array(objectives)


def printed_gfsc(views, k, alpha, beta, gamma, start, embedding, n_iterations):
    """Algorithm 1 as printed, from a given S and F, for a fixed number of iterations."""
    views = [whole_view_to_unit_interval(view) for view in views]
    n, t = len(views[0]), len(views)
    grams = [view @ view.T for view in views]
    consensus, weights = start, np.full(t, 1 / t)
    for _ in range(n_iterations):
        graphs = [
            np.maximum(np.linalg.solve(g + (alpha + beta * w) * np.eye(n), beta * w * consensus + g), 0)
            for g, w in zip(grams, weights, strict=True)
        ]
        distances = ((embedding[:, None, :] - embedding[None, :, :]) ** 2).sum(axis=2)
        consensus = sum(w * g for w, g in zip(weights, graphs, strict=True)) - gamma / (4 * beta) * distances
        consensus = consensus / weights.sum()
        symmetric = (consensus + consensus.T) / 2
        embedding = scipy.linalg.eigh(np.diag(symmetric.sum(axis=1)) - symmetric)[1][:, :k]
        weights = np.array([1 / (2 * np.linalg.norm(g - consensus)) for g in graphs])
    value = objective(views, graphs, consensus, weights, embedding, alpha, beta, gamma)
    return np.maximum(symmetric, 0), embedding, weights / weights.sum(), value


def deviations(view):
    """Samples scaled to unit length, centred, scaled to unit length again, with a Gram matrix of trace 100."""
    unit = view / np.linalg.norm(view, axis=1, keepdims=True)
    centred = unit - unit.mean(axis=0)
    return centred / np.linalg.norm(centred, axis=1, keepdims=True) * np.sqrt(100 / len(view))


def robust_gfsc(views, k, alpha, beta, gamma, *, n_iterations, rounds=3, joint=True, plain_rounds=2):
    """The robust variant: a dense solve per view, with all distances between graphs and between samples written out.

    Within an iteration ``S`` and ``F`` are updated ``rounds`` times or until ``F`` has converged, after ``plain_rounds``
    with momentum.
    """
    n, t = len(views[0]), len(views)
    views = [deviations(view) for view in views]

    def view_graph(v, consensus, pull):
        gram = views[v] @ views[v].T
        graph = np.maximum(np.linalg.solve(gram + (alpha + pull) * np.eye(n), pull * consensus + gram), 0)
        return (graph + graph.T) / 2

    def normalized_edges(graph):
        graph = graph - np.diag(np.diag(graph))
        return graph / np.linalg.norm(graph)

    def weights_of(graphs, consensus):
        target = normalized_edges(consensus)
        weights = 1 / np.maximum([np.linalg.norm(normalized_edges(graph) - target) for graph in graphs], 0.01)
        return weights / weights.mean()

    def fuse(graphs, weights, embedding, max_rotation, rounds, before=()):
        """S and F updated in turn; also the graph before the cut, the cut term of the objective and the rotations of F."""
        mean, cut, rotations = sum(w * g for w, g in zip(weights, graphs, strict=True)) / t, 0.0, list(before)
        upper_bound = 6 * mean.mean()
        consensus = np.minimum(mean, upper_bound)
        if joint and embedding is None:
            embedding = _normalized_embedding(mean, k)
        ahead, turn = embedding, None
        while joint and len(rotations) < rounds + len(before):
            points = ahead / np.linalg.norm(ahead, axis=1, keepdims=True)
            distances = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
            penalty = gamma * mean.mean() / distances.mean()
            consensus, old_embedding = np.clip(mean - penalty * distances, 0, upper_bound), embedding
            embedding = _normalized_embedding(consensus, k)
            rotations.append(np.sqrt(max(1 - ((old_embedding.T @ embedding) ** 2).sum() / k, 0)))
            ahead, last_turn, basis = embedding, turn, old_embedding.T @ embedding
            turn = embedding - old_embedding @ basis
            if len(rotations) > plain_rounds and last_turn is not None and (turn * (last_turn @ basis)).sum() > 0:
                ahead = embedding + 0.7 * turn
            cut = 4 * beta * t * penalty * (distances * consensus).sum() / 2
            if has_converged(rotations, max_rotation):
                break
        return consensus, embedding, mean, cut, rotations

    rates = [np.inf]  # at which rotations of F shrink; the last one is kept from iteration to iteration

    def has_converged(rotations, max_rotation):
        if len(rotations) > 1:
            rates.append(max(new / old for old, new in zip(rotations[-3:], rotations[-3:][1:], strict=False)))
        q = rates[-1]
        return rotations[-1] == 0 or (q < 1 and rotations[-1] * q / (1 - q) < max_rotation)

    changes, objectives = [], []
    graphs = [view_graph(v, np.zeros((n, n)), 0.0) for v in range(t)]
    weights = weights_of(graphs, sum(graphs))
    consensus, embedding, *_, rotations = fuse(graphs, weights, None, 5e-3, max(rounds, 2))
    for _ in range(n_iterations):
        old = consensus
        graphs = [view_graph(v, old, beta * weights[v]) for v in range(t)]
        weights = weights_of(graphs, old)
        last = rotations[-1:] if rounds == 1 else []  # with one round, the rate comes from two iterations
        consensus, embedding, mean, cut, rotations = fuse(graphs, weights, embedding, 2e-3, rounds, last)
        changes.append(np.linalg.norm(consensus - old) / np.linalg.norm(old))
        errors = [np.linalg.norm(x.T - x.T @ g) ** 2 for x, g in zip(views, graphs, strict=True)]
        scatter = sum(w * np.linalg.norm(g - consensus) ** 2 for w, g in zip(weights, graphs, strict=True))
        objectives.append(sum(errors) + alpha * sum((g**2).sum() for g in graphs) + beta * scatter + cut)
    fused = mean if joint else consensus
    return consensus, fused, _normalized_embedding(consensus, k), weights / t, np.array(changes), np.array(objectives)


def _normalized_embedding(graph, k):
    degree = graph.sum(axis=1)
    return scipy.linalg.eigh(np.eye(len(graph)) - graph / np.sqrt(np.outer(degree, degree)))[1][:, :k]


def objective(views, graphs, consensus, weights, embedding, alpha, beta, gamma):
    symmetric = (consensus + consensus.T) / 2
    laplacian = np.diag(symmetric.sum(axis=1)) - symmetric
    total = gamma * np.trace(embedding.T @ laplacian @ embedding)
    for view, graph, weight in zip(views, graphs, weights, strict=True):
        total += np.linalg.norm(view.T - view.T @ graph) ** 2 + alpha * np.linalg.norm(graph) ** 2
        total += beta * weight * np.linalg.norm(graph - consensus) ** 2
    return total


def blobs(n=120, k=3, features=(5, 8), spread=0.6, seed=0):
    """Well separated clusters in several views: (views, labels)."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % k
    views = []
    for d in features:
        centres = rng.normal(size=(k, d)) * 2
        views.append(centres[labels] + spread * rng.normal(size=(n, d)))
    return views, labels


def assert_same_subspace(one, other, atol=1e-4):
    """Two orthonormal bases span the same subspace."""
    np.testing.assert_allclose(np.linalg.svd(np.asarray(one).T @ other)[1], 1, atol=atol)
