"""Direct, slow versions of eight later methods, row by row as their programs work, for tests to compare with.

Each takes dense views (n × d) that are not scaled yet, and returns what the program ends with. Sums are added up one by one,
as in Octave: where distances are equal but for rounding, the nearest samples depend on it.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg
import scipy.optimize
from scipy.sparse.csgraph import connected_components

from viewfuse.linalg import polar_factor

ZERO = 1e-10


def in_order(rows):
    """The sum of each row, (n, 1)."""
    return np.cumsum(rows, axis=1)[:, -1:]


def standard_samples(view):
    """Every sample with mean 0 and standard deviation 1 over its features."""
    view = np.asarray(view, dtype=float)
    centred = view - in_order(view) / view.shape[1]
    deviation = np.sqrt(in_order(centred**2) / (view.shape[1] - 1))
    deviation[deviation < 1e-12 * np.abs(view).max()] = np.inf
    return centred / deviation


def standard_features(view):
    """Every feature with mean 0 and standard deviation 1; constant features become 0."""
    return standard_samples(np.asarray(view, dtype=float).T).T


def square_distances(view):
    squares = in_order(view**2).ravel()
    distances = np.maximum(squares[:, None] + squares[None, :] - 2 * view @ view.T, 0)
    # What is only rounding error is 0: equal samples are then ranked by their position.
    distances[distances < 7e-15 * (squares[:, None] + squares[None, :])] = 0
    return distances


def projected(q):
    """The point of the simplex that is nearest to q."""
    ordered = np.sort(q)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, len(q) + 1)
    return np.maximum(q - excess[np.flatnonzero(ordered > excess)[-1]], 0)


def adaptive(distances, k, order=None):
    """The graph of adaptive neighbours; the first of each row's ranking is taken for the sample itself and dropped."""
    order = np.argsort(distances, axis=1, kind="stable") if order is None else order
    graph = np.zeros_like(distances)
    for i in range(len(distances)):
        near = order[i, 1 : k + 2]
        e = distances[i, near]
        graph[i, near] = (e[k] - e) / (k * e[k] - e[:k].sum() + np.finfo(float).eps)
    return graph


def lowest(graph, c):
    """All eigenvectors of the Laplacian: the first c, and the sums of the c and c + 1 smallest eigenvalues."""
    symmetric = (graph + graph.T) / 2
    values, vectors = scipy.linalg.eigh(np.diag(symmetric.sum(axis=0)) - symmetric)
    return vectors[:, :c], values[:c].sum(), values[: c + 1].sum()


def between_rows(embedding):
    return ((embedding[:, None, :] - embedding[None, :, :]) ** 2).sum(axis=2)


def components(graph):
    return connected_components(graph + graph.T, directed=False)[1]


def gmc(views, c, k=15, sweeps=20):
    views = [standard_samples(view) for view in views]
    n, t = len(views[0]), len(views)
    distances = [square_distances(view) for view in views]
    orders = [np.argsort(d, axis=1, kind="stable") for d in distances]
    graphs = [adaptive(d, k, order) for d, order in zip(distances, orders, strict=True)]
    fused = sum(graphs) / t
    fused /= fused.sum(axis=1, keepdims=True)
    embedding = lowest(fused, c)[0]
    weights, lam = np.full(t, 1 / t), 1.0
    for sweep in range(1, sweeps + 1):  # noqa: B007
        for v in range(t):
            graphs[v] = np.zeros((n, n))
            for i in range(n):
                near = orders[v][i, 1 : k + 2]
                e, u = distances[v][i, near], fused[i, near]
                above = e[k] - e + 2 * weights[v] * (u - u[k])
                below = k * e[k] - e[:k].sum() + 2 * weights[v] * (u[:k].sum() - k * u[k])
                graphs[v][i, near] = np.maximum(above / (below + np.finfo(float).eps), 0)
        weights = np.array([1 / (2 * np.linalg.norm(fused - graph)) for graph in graphs])
        d = between_rows(embedding)
        fused = np.zeros((n, n))
        for i in range(n):
            near = np.flatnonzero(sum(graph[i] for graph in graphs) > 0)
            mean = sum(graph[i, near] for graph in graphs) / t
            fused[i, near] = projected(mean - d[i, near] * lam / (2 * t**2) * (1 / weights).sum())
        before = embedding
        embedding, first, more = lowest(fused, c)
        if first > ZERO:
            lam *= 2
        elif more < ZERO:
            lam /= 2
            embedding = before
        else:
            break
    misfit = sum(np.linalg.norm(fused - graph) for graph in graphs)
    return {"labels": components(fused), "sweeps": sweep, "lam": lam, "misfit": misfit, "weights": weights}


def swmc(views, c, start, k=15, outer=50, inner=50):
    """``start`` (V,) are the first weights of the views."""
    graphs = []
    for view in views:
        graph = adaptive(square_distances(standard_samples(view)), k)
        graphs.append((graph + graph.T) / 2)
    n = len(graphs[0])
    weights, fused, values = np.asarray(start), None, []
    while len(values) < outer:
        total = sum(w * graph for w, graph in zip(weights, graphs, strict=True))
        first_guess = (total if fused is None else fused).copy()
        np.fill_diagonal(first_guess, 0)
        embedding, lam = lowest(first_guess, c)[0], 1.0
        for _ in range(inner):
            d = between_rows(embedding)
            fused = np.zeros((n, n))
            for i in range(n):
                near = np.flatnonzero(total[i] > 0)
                fused[i, near] = projected((total[i, near] - lam * d[i, near] / 2) / weights.sum())
            cut = fused.copy()
            np.fill_diagonal(cut, 0)
            before = embedding
            embedding, first, more = lowest(cut, c)
            if first > ZERO:
                lam *= 2
            elif more < ZERO:
                lam /= 2
                embedding = before
            else:
                break
        norms = np.array([np.linalg.norm(fused - graph) for graph in graphs])
        weights = 1 / (2 * norms)
        values.append(norms.sum())
        if len(values) > 1 and abs(values[-2] - values[-1]) < 1e-8:
            break
    return {"labels": components(cut), "objective": values, "weights": weights / weights.sum()}


def mlan(views, c, k=9, lam=1.0, sweeps=30):
    distances = [square_distances(standard_samples(view)) for view in views]
    n, t = len(distances[0]), len(distances)
    mean = sum(distances) / t
    order = np.argsort(mean, axis=1, kind="stable")
    graph = adaptive(mean, k, order)
    graph = (graph + graph.T) / 2
    ranked = np.take_along_axis(mean, order, axis=1)
    alpha = (0.5 * (k * ranked[:, k + 1] - ranked[:, 1 : k + 1].sum(axis=1))).mean()
    embedding = lowest(graph, c)[0]
    scaled = [d / t for d in distances]
    for sweep in range(1, sweeps + 1):
        if sweep > 1:
            scaled = [d * 0.5 / np.sqrt((d * graph).sum()) for d in scaled]
        total, f = sum(scaled), between_rows(embedding)
        graph = np.zeros((n, n))
        for i in range(n):
            near = order[i, 1 : k + 1]
            graph[i, near] = projected(-(total[i, near] + lam * f[i, near]) / (2 * alpha))
        graph = (graph + graph.T) / 2
        before = embedding
        embedding, first, more = lowest(graph, c)
        if first > ZERO:
            lam *= 2
        elif more < ZERO:
            lam /= 2
            embedding = before
        else:
            break
    return {"labels": components(graph), "sweeps": sweep, "lam": lam, "graph": graph}


def fused_networks(views, k=20, mu=0.5, rounds=20, *, standardize=True):
    """SNFtool: the fused matrix."""
    networks, local = [], []
    n = len(views[0])
    for view in views:
        view = standard_features(view) if standardize else np.asarray(view, dtype=float)
        rho = np.sqrt(square_distances(view))
        near = np.array([np.sort(row)[1 : k + 1].mean() for row in rho])
        deviation = mu * (near[:, None] + near[None, :] + rho) / 3
        density = np.exp(-(rho**2) / (2 * deviation**2)) / (np.sqrt(2 * np.pi) * deviation)
        networks.append(_halved((density + density.T) / 2))
        kept = np.zeros((n, n))
        for i, row in enumerate(networks[-1]):
            largest = np.argsort(row, kind="stable")[-k:]
            kept[i, largest] = row[largest]
        local.append(kept / kept.sum(axis=1, keepdims=True))
    for _ in range(rounds):
        others = [sum(p for w, p in enumerate(networks) if w != v) / (len(views) - 1) for v in range(len(views))]
        networks = [_halved(s @ p @ s.T) for s, p in zip(local, others, strict=True)]
    return _halved(sum(networks) / len(views))


def _halved(weights):
    sums = weights.sum(axis=1) - np.diagonal(weights)
    scaled = weights / (2 * sums[:, None])
    np.fill_diagonal(scaled, 0.5)
    return (scaled + scaled.T) / 2


def rotated_labels(embedding, rounds=20):
    """Yu and Shi's rotation of unit rows onto the axes."""
    rows = embedding / np.linalg.norm(embedding, axis=1, keepdims=True)
    n, c = rows.shape
    axes = np.zeros((c, c))
    axes[:, 0] = rows[round(n / 2) - 1]
    used = np.zeros(n)
    for j in range(1, c):
        used += np.abs(rows @ axes[:, j - 1])
        axes[:, j] = rows[used.argmin()]
    last = 0.0
    for _ in range(rounds):
        labels = (rows @ axes).argmax(axis=1)
        left, values, right = np.linalg.svd(rows.T @ np.eye(c)[labels])
        if abs(2 * (n - values.sum()) - last) < np.finfo(float).eps:
            break
        last, axes = 2 * (n - values.sum()), left @ right
    return labels


def snf(views, c, *, standardize=True):
    fused = fused_networks(views, standardize=standardize)
    root = fused.sum(axis=1) ** -0.5
    values, vectors = scipy.linalg.eigh(np.eye(len(fused)) - root[:, None] * fused * root[None, :])
    return {"labels": rotated_labels(vectors[:, :c]), "fused": fused, "eigenvalues": values}


def simplex_program(hessian, linear):
    """``min ½zᵀHz − bᵀz`` over the simplex by a general optimiser."""
    m, scale = len(linear), np.abs(linear).max() or 1.0
    found = scipy.optimize.minimize(
        lambda z: (0.5 * z @ hessian @ z - linear @ z) / scale,
        np.full(m, 1 / m),
        jac=lambda z: (hessian @ z - linear) / scale,
        bounds=[(0, 1)] * m,
        constraints={"type": "eq", "fun": lambda z: z.sum() - 1, "jac": lambda z: np.ones(m)},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return found.x


def lmvsc(views, anchors, alpha=1.0):
    """From given anchors (m × d) of each view: objective, singular values, and the stack's left singular vectors."""
    stack, objective = [], 0.0
    for view, centres in zip(views, anchors, strict=True):
        view = np.asarray(view, dtype=float)
        gram = centres @ centres.T
        codes = np.array([simplex_program(2 * (alpha * np.eye(len(gram)) + gram), 2 * centres @ row) for row in view])
        objective += ((view - codes @ centres) ** 2).sum() + alpha * (codes**2).sum()
        stack.append(codes / np.sqrt(len(views)))
    left, values, _ = np.linalg.svd(np.hstack(stack), full_matrices=False)
    return {"objective": objective, "singular values": values, "left": left}


def opmc(views, labels, rounds=1000, seed=0):
    """From given labels; C and W random, as in the program."""
    views = [standard_samples(view) for view in views]
    rng, c, t = np.random.default_rng(seed), labels.max() + 1, len(views)
    inner = [rng.random((c, c)) for _ in views]
    outer = [rng.random((c, view.shape[1])) for view in views]
    losses = []
    while len(losses) < rounds:
        losses.append(sum(((x - (m @ w)[labels]) ** 2).sum() for x, m, w in zip(views, inner, outer, strict=True)) / t)
        if len(losses) > 2 and abs(losses[-2] - losses[-1]) / losses[-2] < 1e-5:
            break
        chosen = np.eye(c)[labels]
        costs = np.zeros(chosen.shape)
        for v, x in enumerate(views):
            left, _, right = np.linalg.svd(inner[v].T @ (chosen.T @ x), full_matrices=False)
            outer[v] = left @ right
            inner[v] = (chosen.T @ x) / np.maximum(chosen.sum(axis=0), 1)[:, None] @ outer[v].T
            costs += np.array([((x - centre) ** 2).sum(axis=1) for centre in inner[v] @ outer[v]]).T / t
        labels = costs.argmin(axis=1)
    return {"labels": labels, "losses": losses}


def fpmvs(views, c, rounds=50, power=1.0):
    """Weights in proportion to 1/‖X − WAZ‖^(2·power)."""
    views = [standard_features(view).T for view in views]
    n, t = views[0].shape[1], len(views)
    axes, codes, weights = np.zeros((c, c)), np.eye(c, n), np.full(t, 1 / t)
    objective = []
    while True:
        bases = [_polar(x @ (axes @ codes).T) for x in views]
        squares = weights**2
        # In the first round this matrix may be singular, and rounding decides.
        axes = polar_factor(sum(s * b.T @ x @ codes.T for s, b, x in zip(squares, bases, views, strict=True)))
        pulls = sum(axes.T @ b.T @ x for b, x in zip(bases, views, strict=True)) / squares.sum()
        codes = np.array([projected(pulls[:, j]) for j in range(n)]).T
        misfits = np.array([((x - b @ axes @ codes) ** 2).sum() for b, x in zip(bases, views, strict=True)])
        weights = misfits**-power / (misfits**-power).sum()
        objective.append((weights**2 * misfits).sum())
        done = len(objective) > 9 and abs(objective[-2] - objective[-1]) / objective[-2] < 1e-3
        if done or len(objective) > rounds:
            return {"objective": objective, "weights": weights, "codes": codes}


def _polar(matrix):
    left, _, right = np.linalg.svd(matrix, full_matrices=False)
    return left @ right


def cgd(views, k=16, alternations=10, rounds=10, dtype=float):
    """The program works in single precision."""
    graphs, walks = [], []
    for view in views:
        squares = in_order(np.asarray(view, dtype=float) ** 2)
        # The power of the C library, as in Octave: NumPy's has other last digits.
        factors = [[math.pow(square, -0.5) if square > 0 else 1.0] for square in squares.ravel()]
        distances = square_distances(view * np.array(factors))
        similarity = np.exp(-((distances / distances.max()) ** 2) / 0.25)
        kept = np.zeros_like(similarity)
        for i, row in enumerate(similarity):
            largest = np.argsort(-row, kind="stable")[:k]
            kept[i, largest] = row[largest]
        graph = (kept + kept.T) / 2
        root = graph.sum(axis=1) ** -0.5
        graphs.append(graph)
        walks.append((root[:, None] * graph * root[None, :]).astype(dtype))
    n, t = len(walks[0]), len(walks)
    identity = np.eye(n, dtype=dtype)
    fused, weights = identity, np.full(t, 1 / t)
    for _ in range(alternations):
        shares = weights / (0.3 + weights.sum())
        for _ in range(rounds):
            moved = [dtype(a) * (s @ fused @ s.T) for a, s in zip(shares, walks, strict=True)]
            fused = sum(moved) + dtype(1 - shares.sum()) * identity
        weights = _balanced(weights, [smoothness(fused, graph.astype(dtype)) for graph in graphs])
    return {"fused": fused, "weights": weights}


def smoothness(fused, graph):
    """``½ Σ_ij Σ_kl w_ij w_kl (Ã_ki − Ã_lj)²``."""
    degree = graph.sum(axis=1)
    scaled = fused / np.sqrt(degree[:, None] * degree[None, :])
    return degree @ scaled**2 @ degree - (scaled * (graph @ scaled @ graph.T)).sum()


def _balanced(weights, costs, sweeps=20, lam=19.0):
    weights = weights.copy()
    for _ in range(sweeps):
        for i in range(len(weights)):
            for j in range(i + 1, len(weights)):
                total = weights[i] + weights[j]
                weights[i] = np.clip(total / 2 + (costs[j] - costs[i]) / (2 * lam), 0, total)
                weights[j] = total - weights[i]
    return weights
