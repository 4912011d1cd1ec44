"""The later methods against figures of their authors' programs, and against direct versions of them (``tests/peers.py``)."""

import os
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

import peers
import viewfuse as vf
from viewfuse.cluster import METHODS
from viewfuse.cluster.baselines import cgd, fpmvs, gmc, lmvsc, opmc, program_scaling, snf, swmc
from viewfuse.cluster.baselines.rank_constrained import Support
from viewfuse.exceptions import ConvergenceWarning, ParameterError, UninformativeViewWarning, ViewfuseWarning
from viewfuse.graphs import view_graph
from viewfuse.linalg import Laplacian

LATER = ["gmc", "snf", "lmvsc", "opmc", "fpmvs", "mlan", "swmc", "cgd"]
FILES = {"MSRC": ("MSRC-v5.mat", 7), "3Sources": ("3Sources.mat", 6)}


@pytest.fixture(scope="module", params=FILES)
def sheet(request, shared):
    """The name, the shuffled views and the number of clusters of a data set with figures of the programs."""
    file, k = FILES[request.param]
    return request.param, shuffled(shared, file), k


def shuffled(shared, file):
    views = vf.load_views(shared / "datasets" / file)
    return views[np.random.default_rng(0).permutation(len(views))]


def scores(views, labels):
    found = vf.metrics.evaluate(views.y, labels)
    return [round(100 * found[name], 2) for name in ("acc", "nmi", "ari")]


def blobs(n=60, k=3, noise=1.0, dims=(6, 9, 5), seed=0):
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % k
    return [3 * rng.normal(size=(k, d))[groups] + noise * rng.normal(size=(n, d)) for d in dims]


def quietly(method, views):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        return method.fit(views)


class TestGMC:
    def test_the_program(self, sheet):
        name, views, k = sheet
        misfit, weights, sweeps, lam, expected = {
            "MSRC": (19.893348, [0.0988, 0.1364, 0.1358, 0.1303, 0.1345], 8, 32, [74.76, 77.09, 64.00]),
            "3Sources": (8.090955, [0.1905, 0.1888, 0.1748], 7, 64, [69.23, 62.16, 44.31]),
        }[name]
        model = METHODS["gmc"](k).fit(views)
        assert model.objective_[-1] == pytest.approx(misfit, abs=6e-7)
        np.testing.assert_allclose(model.history_["raw_weights"], weights, atol=6e-5)
        assert (model.n_iter_, model.history_["lam"][-1]) == (sweeps, lam)
        assert scores(views, model.labels_) == expected

    @pytest.mark.parametrize(("order", "misfit"), [("shuffled", 24.0009), ("shipped", 24.0042)])
    def test_the_program_where_many_distances_are_equal_but_for_rounding(self, order, misfit, shared):
        views = vf.load_views(shared / "datasets" / "NGs.mat")
        rows = np.random.default_rng(0).permutation(len(views)) if order == "shuffled" else np.arange(len(views))
        assert quietly(METHODS["gmc"](5), views[rows]).objective_[-1] == pytest.approx(misfit, abs=6e-5)

    @pytest.mark.parametrize("seed", range(3))
    def test_it_equals_the_direct_version(self, seed):
        views = blobs(noise=2.0, seed=seed)
        model, direct = quietly(METHODS["gmc"](3, n_neighbors=8), views), peers.gmc(views, 3, k=8)
        assert model.n_iter_ == direct["sweeps"]
        assert model.objective_[-1] == pytest.approx(direct["misfit"], rel=1e-8)
        np.testing.assert_allclose(model.history_["raw_weights"], direct["weights"], rtol=1e-7)

    def test_the_papers_graphs_are_exact_minimisers(self):
        # s_i minimises Σ_j e_ij s_ij + β‖s_i‖² + w‖u_i − s_i‖² over the simplex with β such that k entries are positive.
        rng = np.random.default_rng(0)
        distances, fused, weight, k = rng.uniform(1, 2, size=(20, 20)), rng.dirichlet(np.ones(20), size=20), 0.7, 5
        support = Support(np.tile(np.arange(20), (20, 1)), np.ones((20, 20), dtype=bool))
        graph = gmc._RankedNeighbors(distances, k).graph(support, fused, weight)
        assert (np.count_nonzero(graph, axis=1) == k).all()
        for i in range(20):
            pulled = np.sort(distances[i] - 2 * weight * fused[i])
            total = (k * pulled[k] - pulled[:k].sum()) / 2  # β + w
            np.testing.assert_allclose(
                graph[i], peers.projected(-(distances[i] - 2 * weight * fused[i]) / (2 * total)), atol=1e-12
            )

    def test_the_paper_excludes_the_sample_itself(self, shared):
        views = vf.load_views(shared / "datasets" / "3Sources.mat")
        views = views[np.random.default_rng(0).permutation(len(views))]
        model = METHODS["gmc"](6, variant="paper").fit(views)
        assert scores(views, model.labels_) == [69.23, 62.16, 44.31]
        assert model.affinity_matrix_.diagonal().max() == 0
        assert METHODS["gmc"](6).fit(views).affinity_matrix_.diagonal().max() > 0  # twins: a sample is its own neighbour


class TestMLAN:
    def test_the_program(self, sheet):
        name, views, k = sheet
        sweeps, expected = {"MSRC": (16, [68.10, 66.16, 50.39]), "3Sources": (18, [76.33, 68.89, 57.09])}[name]
        model = METHODS["mlan"](k).fit(views)
        assert model.n_iter_ == sweeps
        for lam in (1.0, 15.0, 30.0):
            assert scores(views, METHODS["mlan"](k, lam=lam).fit(views).labels_) == expected

    @pytest.mark.parametrize("seed", range(3))
    def test_it_equals_the_direct_version(self, seed):
        views = blobs(noise=2.0, seed=seed)
        model, direct = quietly(METHODS["mlan"](3), views), peers.mlan(views, 3)
        assert model.n_iter_ == direct["sweeps"]
        np.testing.assert_allclose(model.affinity_matrix_.toarray(), direct["graph"], atol=1e-8)

    def test_the_weights_of_the_paper(self):
        views = blobs(noise=2.0)
        model = quietly(METHODS["mlan"](3, variant="paper", max_iter=30), views)
        graph = model.affinity_matrix_.toarray()
        sums = [(peers.square_distances(peers.standard_samples(view)) * graph).sum() for view in views]
        # The last weights belong to the graph before the last, which is nearly the same.
        expected = 1 / (2 * np.sqrt(sums))
        np.testing.assert_allclose(model.view_weights_, expected / expected.sum(), atol=0.02)


class TestSwMC:
    def test_the_program(self, sheet):
        name, views, k = sheet
        if name == "3Sources":
            graphs = [swmc.neighbor_graph(program_scaling.standard_samples(view), 15) for view in views.arrays]
            start = np.random.default_rng(1).random(3)
            options = {"max_iter": 50, "tol": 1e-8, "random_state": np.random.RandomState(0)}
            found = swmc.closest_separated_graph(graphs, k, start / start.sum(), **options)
            assert found.objective[-1] == pytest.approx(7.449237, abs=6e-7)
            np.testing.assert_allclose(found.weights, [0.3369, 0.3510, 0.3121], atol=6e-5)
            assert scores(views, found.labels) == [63.91, 52.44, 31.24]
        else:
            fits = [METHODS["swmc"](k, random_state=seed).fit(views) for seed in range(6)]
            accuracy = np.mean([scores(views, fit.labels_)[0] for fit in fits])
            assert 75.4 - 9.3 < accuracy < 75.4 + 9.3
            assert all(17.3 < fit.objective_[-1] < 18.1 for fit in fits)  # three runs of the program: 17.46 to 17.92

    @pytest.mark.parametrize("seed", range(3))
    def test_it_equals_the_direct_version(self, seed):
        views = blobs(noise=2.0, seed=seed)
        start = np.random.default_rng(seed).random(3)
        start /= start.sum()
        graphs = [swmc.neighbor_graph(peers.standard_samples(view), 8) for view in views]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ViewfuseWarning)
            found = swmc.closest_separated_graph(
                graphs, 3, start, max_iter=50, tol=1e-8, random_state=np.random.RandomState(0)
            )
        direct = peers.swmc(views, 3, start, k=8)
        np.testing.assert_allclose(found.objective[:3], direct["objective"][:3], rtol=1e-7)
        np.testing.assert_allclose(found.weights, direct["weights"], atol=1e-4)

    def test_graphs_of_the_caller(self):
        views = blobs(noise=0.5)
        graphs = [view_graph(view, "adaptive-neighbors", scaling="unit-spread") for view in views]
        dense = METHODS["swmc"](3, affinity="precomputed", random_state=0).fit(graphs)
        sparse = METHODS["swmc"](3, affinity="precomputed", random_state=0).fit([sp.csr_array(g) for g in graphs])
        assert adjusted_rand_score(np.arange(60) % 3, dense.labels_) == 1
        assert np.array_equal(dense.labels_, sparse.labels_)

    def test_the_paper_starts_from_equal_weights(self):
        views = blobs(noise=2.0)
        one, other = (quietly(METHODS["swmc"](3, variant="paper", random_state=seed), views) for seed in (0, 1))
        np.testing.assert_allclose(one.objective_, other.objective_)


class TestSNF:
    def test_the_program(self, sheet):
        name, views, k = sheet
        for scaling, square, second, expected in {
            "MSRC": [
                ("standard-features", 53.24956, 0.18649, [77.14, 73.65, 65.47]),
                ("none", 53.28934, 0.16879, [73.33, 69.03, 60.25]),
            ],
            "3Sources": [
                ("standard-features", 42.70560, 0.28658, [44.38, 35.88, 13.48]),
                ("none", 42.89754, 0.20134, [56.80, 53.19, 30.47]),
            ],
        }[name]:
            model = METHODS["snf"](k, scaling=scaling).fit(views)
            fused = model.affinity_matrix_
            assert (fused**2).sum() == pytest.approx(square, abs=6e-6)
            assert fused.sum() == pytest.approx(len(views))
            assert np.linalg.eigvalsh(Laplacian.of(fused, normalized=True).dense())[1] == pytest.approx(second, abs=6e-6)
            assert scores(views, model.labels_) == expected
            if (name, scaling) == ("MSRC", "standard-features"):
                assert fused[0, 1] == pytest.approx(0.0004017081, abs=6e-11)

    @pytest.mark.parametrize("n", [61, 300])  # less than a panel, and several
    def test_it_equals_the_direct_version(self, n):
        views = blobs(n=n, noise=2.0)
        model, direct = METHODS["snf"](3).fit(views), peers.snf(views, 3)
        np.testing.assert_allclose(model.affinity_matrix_, direct["fused"], atol=1e-12)
        assert adjusted_rand_score(model.labels_, direct["labels"]) == 1

    def test_the_similarity_of_the_paper(self):
        view = blobs()[0]
        rho = np.sqrt(peers.square_distances(view))
        near = np.sort(rho, axis=1)[:, 1:21].mean(axis=1)
        expected = np.exp(-(rho**2) / (0.5 * (near[:, None] + near[None, :] + rho) / 3))
        np.testing.assert_allclose(snf.network(view, 20, 0.5, "paper"), expected, atol=1e-10)

    @pytest.mark.parametrize(
        ("file", "k", "scaling", "square"),
        [("BBCSport_fea_gt.mat", 5, "standard-features", 137.3228), ("NGs.mat", 5, "none", 126.2514)],
    )
    def test_the_program_where_samples_occur_twice(self, file, k, scaling, square, shared):
        fused = quietly(METHODS["snf"](k, scaling=scaling), shuffled(shared, file)).affinity_matrix_
        assert round(float((fused**2).sum()), 4) == square

    def test_of_equal_similarities_the_last_are_kept(self):
        weights = np.full((5, 5), 0.25)
        assert snf.strongest(weights, 2).indices.tolist() == [3, 4] * 5
        weights *= 1 + 1e-15 * np.arange(5)[::-1]  # equal but for rounding
        weights[:, 0] = 0.5
        assert snf.strongest(weights, 3).indices.tolist() == [0, 3, 4] * 5


class TestLMVSC:
    def test_the_program_from_given_anchors(self, sheet):
        name, views, k = sheet
        objective, leading, last = {
            "MSRC": (4.4752159e9, [5.76137, 2.89299, 2.71078], 1.55671),
            "3Sources": (302802.31, [6.40246, 1.60686, 1.38980], 1.12100),
        }[name]
        arrays = [np.asarray(array, dtype=float) for array in views.arrays]
        found = [lmvsc.anchor_codes(x, x[:k], 1.0) for x in arrays]
        assert sum(value for _, value in found) == pytest.approx(objective, rel=2e-8)
        values = lmvsc.anchor_embedding([codes for codes, _ in found], k, "program")[1]
        np.testing.assert_allclose(values[[0, 1, 2, k - 1]], [*leading, last], atol=6e-6)

    def test_the_program_with_its_seeds(self, sheet):
        name, views, k = sheet
        mean, deviation = {"MSRC": (62.1, 3.6), "3Sources": (36.8, 3.0)}[name]
        fits = [METHODS["lmvsc"](k, random_state=seed).fit(views) for seed in range(5)]
        assert abs(np.mean([scores(views, fit.labels_)[0] for fit in fits]) - mean) < deviation + 0.5

    @pytest.mark.parametrize("n_anchors", [3, 20])
    def test_it_equals_a_general_optimiser(self, n_anchors):
        views = blobs(n=40)
        anchors = [view[:n_anchors] for view in views]
        direct = peers.lmvsc(views, anchors, alpha=0.1)
        found = [lmvsc.anchor_codes(x, a, 0.1) for x, a in zip(views, anchors, strict=True)]
        assert sum(value for _, value in found) == pytest.approx(direct["objective"], rel=1e-6)
        assert sum(value for _, value in found) <= direct["objective"] + 1e-9
        embedding, values = lmvsc.anchor_embedding([codes for codes, _ in found], 3, "program")
        np.testing.assert_allclose(values[:3], direct["singular values"][:3], atol=1e-4)
        np.testing.assert_allclose(np.abs((embedding * direct["left"][:, :3]).sum(axis=0)), 1, atol=1e-4)

    def test_the_paper_divides_by_the_degrees_of_the_anchors(self):
        codes = np.random.default_rng(0).dirichlet(np.ones(4), size=30)
        values = lmvsc.anchor_embedding([codes], 2, "paper")[1]
        expected = np.linalg.svd(codes @ np.diag(codes.sum(axis=0) ** -0.5), compute_uv=False)
        np.testing.assert_allclose(values, expected)
        assert values[0] == pytest.approx(1)  # Z Σ⁻¹ Zᵀ is doubly stochastic


class TestOPMC:
    def test_the_program_from_given_labels(self, sheet):
        name, views, k = sheet
        first, last, rounds = {
            "MSRC": (34975.2533, 25497.2682, 14),
            "3Sources": (526965.769, 503570.4246, 11),
        }[name]
        points = np.hstack([program_scaling.standard_samples(x) for x in views.arrays]) / np.sqrt(views.n_views)
        start = (np.arange(len(views)) % k)[None]
        _, losses, converged = opmc.factorise_from(points, start, k, max_iter=100, tol=1e-5)
        assert losses[0][0] == pytest.approx(first, abs=6e-4)
        assert losses[0][-1] == pytest.approx(last, abs=6e-5)
        assert len(losses[0]) + 1 == rounds  # the program also counts the loss of its random start
        assert converged[0]

    def test_the_program_with_its_seeds(self, sheet):
        name, views, k = sheet
        mean, deviation, least = {"MSRC": (73.2, 8.4, 24540.2911), "3Sources": (47.4, 7.2, 496226.014)}[name]
        points = np.hstack([program_scaling.standard_samples(x) for x in views.arrays]) / np.sqrt(views.n_views)
        starts = np.random.RandomState(0).randint(k, size=(40, len(views)))
        labels, losses, _ = opmc.factorise_from(points, starts, k, max_iter=100, tol=1e-5)
        assert abs(np.mean([scores(views, found)[0] for found in labels]) - mean) < deviation
        assert min(trace[-1] for trace in losses) == pytest.approx(least, rel=0.01)

    def test_it_equals_the_factorisation(self):
        views = blobs(noise=2.0)
        start = np.arange(60) % 3
        direct = peers.opmc(views, start)
        points = np.hstack([peers.standard_samples(view) for view in views]) / np.sqrt(3)
        labels, losses, _ = opmc.factorise_from(points, start[None], 3, max_iter=100, tol=1e-5)
        np.testing.assert_allclose(losses[0], direct["losses"][1:], rtol=1e-9)
        assert np.array_equal(labels[0], direct["labels"])

    def test_the_best_start_is_kept_and_starts_may_be_split(self, monkeypatch):
        views = blobs(n=90, k=5, noise=2.0)
        whole = METHODS["opmc"](5, n_init=20, random_state=0).fit(views)
        assert whole.objective_[-1] == whole.history_["start_losses"].min()
        monkeypatch.setattr(opmc, "_AT_ONCE", 1000)
        parts = METHODS["opmc"](5, n_init=20, random_state=0).fit(views)
        np.testing.assert_allclose(parts.history_["start_losses"], whole.history_["start_losses"])


class TestFPMVS:
    def test_the_program(self, sheet):
        name, views, k = sheet
        objective, weights = {
            "MSRC": (3565.0081, [0.7923, 0.0308, 0.0347, 0.0709, 0.0713]),
            "3Sources": (183664.177, [0.3239, 0.3093, 0.3668]),
        }[name]
        model = METHODS["fpmvs"](k, random_state=0).fit(views)
        assert model.objective_[-1] == pytest.approx(objective, abs=6e-4)
        np.testing.assert_allclose(model.view_weights_, weights, atol=6e-5)
        best = {"MSRC": 71.90, "3Sources": 27.81}[name]  # the program's best of fifty, by labels
        assert scores(views, model.labels_)[0] <= best + 0.01

    @pytest.mark.parametrize(("file", "objective"), [("NGs.mat", 331084.850), ("BBCSport_fea_gt.mat", 861735.008)])
    def test_the_program_where_the_first_step_decomposes_a_singular_matrix(self, file, objective, shared):
        model = quietly(METHODS["fpmvs"](5, n_init=1, random_state=0), shuffled(shared, file))
        assert model.objective_[-1] == pytest.approx(objective, abs=6e-4)

    @pytest.mark.parametrize("dims", [(6, 9, 5), (6, 2, 5)])  # the second view has fewer features than clusters
    def test_it_equals_the_direct_version(self, dims):
        views = blobs(noise=2.0, dims=dims)
        model, direct = quietly(METHODS["fpmvs"](3, random_state=0), views), peers.fpmvs(views, 3)
        np.testing.assert_allclose(model.objective_, direct["objective"], rtol=1e-8)
        np.testing.assert_allclose(model.view_weights_, direct["weights"], rtol=1e-6)

    def test_sparse_views_equal_dense_ones(self):
        rng = np.random.default_rng(0)
        views = [np.maximum(view, 0) for view in blobs(noise=2.0, dims=(12, 9))]
        views[0][:, 3] = 7.0  # constant
        views[0][:, 4] = 0.0
        views[1][:, 2] = 1e6 * (rng.random(60) < 0.1)
        dense = METHODS["fpmvs"](3, random_state=0).fit(views)
        sparse = METHODS["fpmvs"](3, random_state=0).fit([sp.csr_array(view) for view in views])
        np.testing.assert_allclose(sparse.objective_, dense.objective_, rtol=1e-8)
        assert np.array_equal(sparse.labels_, dense.labels_)

    def test_from_samples_that_are_alike(self):
        """As texts are in the first words: the first step then decomposes a singular matrix."""
        rng = np.random.default_rng(0)
        views = [rng.poisson(rng.gamma(0.3, 0.3, size=d), (60, d)).astype(float) for d in (40, 50)]
        for view in views:
            view[:4, :3] = 0
        direct = peers.fpmvs(views, 4)
        for given in (views, [sp.csr_array(view) for view in views]):
            found = quietly(METHODS["fpmvs"](4, random_state=0), given)
            np.testing.assert_allclose(found.objective_, direct["objective"], rtol=1e-8)

    def test_the_layout_of_an_array_makes_no_difference(self):
        rng = np.random.default_rng(0)
        view = rng.poisson(0.3, size=(60, 40)) * 0.1
        view[:4, :3] = 0
        assert np.array_equal(fpmvs._standard_as_program(view), fpmvs._standard_as_program(np.asfortranarray(view)))
        one, other = ([order(view)] for order in (np.array, np.asfortranarray))
        one, other = (METHODS["fpmvs"](4, n_init=1, random_state=0).fit(views) for views in (one, other))
        np.testing.assert_allclose(one.objective_, other.objective_, rtol=1e-9)

    def test_polar_factors(self):
        rng = np.random.default_rng(0)
        for matrix in (rng.normal(size=(9, 4)), rng.normal(size=(3, 5)), np.outer(np.ones(6), [1.0, 0, 2])):
            np.testing.assert_allclose(np.sum(fpmvs.polar(matrix) * matrix), np.linalg.norm(matrix, "nuc"))

    def test_bases_from_products_equal_the_polar_factor(self):
        rng = np.random.default_rng(1)
        codes = rng.dirichlet(np.ones(4), size=30).T
        for d, centred in ((50, True), (50, False), (9, True)):  # more features than samples, or fewer
            x = rng.normal(size=(30, d))
            x -= x.mean(axis=0) * centred
            image, square = fpmvs._View(x).rotated(sp.csr_array(codes))
            expected = x @ fpmvs.polar(x.T @ codes.T)
            shift = image - expected  # the same in all columns, and 0 unless features have mean 0
            np.testing.assert_allclose(shift, np.repeat(shift[:, :1], 4, axis=1), atol=1e-10)
            assert centred or np.abs(shift).max() < 1e-10
            np.testing.assert_allclose(square, np.eye(4), atol=1e-12)

    def test_an_empty_cluster_gets_a_basis_too(self):
        x = np.random.default_rng(2).normal(size=(20, 8))
        codes = np.eye(4)[np.arange(20) % 3].T  # the fourth is empty
        image, square = fpmvs._View(x).rotated(sp.csr_array(codes))
        np.testing.assert_allclose(square, np.eye(4), atol=1e-12)
        assert np.isfinite(image).all()

    def test_the_weights_of_the_paper(self):
        views = blobs(noise=2.0)
        model = METHODS["fpmvs"](3, variant="paper", random_state=0).fit(views)
        direct = peers.fpmvs(views, 3, power=0.5)
        np.testing.assert_allclose(model.objective_, direct["objective"], rtol=1e-8)
        np.testing.assert_allclose(model.view_weights_, direct["weights"], rtol=1e-6)


class TestCGD:
    def test_the_program(self, sheet):
        name, views, k = sheet
        trace, weights, expected = {
            "MSRC": (51.3860, [0.1916, 0.1993, 0.2017, 0.2039, 0.2034], [82.38, 73.78, 66.42]),
            "3Sources": (50.6512, [0.3348, 0.3364, 0.3289], [78.70, 72.73, 62.83]),
        }[name]
        model = METHODS["cgd"](k, random_state=0).fit(views)
        assert np.trace(model.affinity_matrix_, dtype=float) == pytest.approx(trace, abs=1e-4)
        np.testing.assert_allclose(model.view_weights_, weights, atol=6e-5)
        assert scores(views, model.labels_) == expected

    @pytest.mark.parametrize("n", [61, 300])  # less than a panel, and several
    def test_it_equals_the_direct_version(self, n):
        views = blobs(n=n, noise=2.0)
        model, direct = METHODS["cgd"](3, random_state=0).fit(views), peers.cgd(views)
        np.testing.assert_allclose(model.affinity_matrix_, direct["fused"], atol=2e-6)
        np.testing.assert_allclose(model.view_weights_, direct["weights"], atol=1e-4)

    def test_the_program_where_many_distances_are_equal_but_for_rounding(self, shared):
        model = METHODS["cgd"](5, n_init=1, random_state=0).fit(shuffled(shared, "NGs.mat"))
        assert np.trace(model.affinity_matrix_, dtype=float) == pytest.approx(151.8208, abs=6e-5)
        np.testing.assert_allclose(model.view_weights_, [0.2736, 0.1850, 0.5414], atol=6e-5)
        assert (model.n_iter_, model.converged_) == (10, False)

    def test_the_weights_minimise_their_objective(self):
        costs = np.array([3.0, 1.0, 20.0])
        found = cgd.balanced(np.full(3, 1 / 3), costs)
        np.testing.assert_allclose(found, peers.projected(-costs / 19), atol=1e-6)

    def test_objective_decreases(self):
        trace = METHODS["cgd"](3, random_state=0).fit(blobs(noise=2.0)).objective_
        assert (np.diff(trace) <= 1e-4 * trace[:-1]).all()


def test_the_processor_does_not_decide_between_equal_distances(shared):
    """Two kinds of processors, of which one multiplies and adds with one rounding: kernels of the linear algebra library."""
    script = textwrap.dedent("""
        import sys, warnings
        import numpy as np
        import viewfuse as vf
        warnings.simplefilter("ignore")
        views = vf.load_views(sys.argv[1])[np.random.default_rng(0).permutation(500)]
        for key in ("fpmvs", "gmc", "cgd"):
            model = vf.METHODS[key](5, n_init=1, random_state=0).fit(views)
            print(model.objective_[-1], *model.view_weights_)
    """)
    command = [sys.executable, "-c", script, str(shared / "datasets" / "NGs.mat")]
    found = []
    for kernels in ({}, {"OPENBLAS_CORETYPE": "Nehalem"}):
        output = subprocess.run(command, env={**os.environ, **kernels}, capture_output=True, text=True, check=True).stdout
        found.append([float(word) for word in output.split()])
    np.testing.assert_allclose(*found, rtol=1e-7)


@pytest.mark.parametrize("key", LATER)
def test_the_program_is_the_default_and_other_variants_are_refused(key):
    assert METHODS[key]().variant == "program"
    with pytest.raises(ParameterError, match="variant must be"):
        METHODS[key](2, variant="robust").fit(blobs())


@pytest.mark.parametrize("key", ["gmc", "mlan", "swmc", "opmc"])
def test_views_of_one_or_two_features_are_not_standardised_by_samples(key):
    rng = np.random.default_rng(0)
    groups = np.arange(60) % 3
    narrow = np.array([[0.0, 0], [9, 0], [0, 9]])[groups] + 0.3 * rng.normal(size=(60, 2))
    with pytest.warns(UninformativeViewWarning, match=r"View 'xy' has only two features\..*each feature is"):
        model = METHODS[key](3, random_state=0).fit({"xy": narrow, "more": blobs()[0]})
    assert adjusted_rand_score(groups, model.labels_) == 1


def test_samples_of_equal_values_are_reported():
    views = blobs()
    views[1][7] = 2.5
    with pytest.warns(UninformativeViewWarning, match=r"View 'view1': 1 row has the same value.* row 7"):
        METHODS["opmc"](3, n_init=2, random_state=0).fit(views)


@pytest.mark.parametrize("key", ["gmc", "mlan"])
def test_a_graph_without_the_wanted_components_gives_a_warning(key):
    with pytest.warns(ConvergenceWarning, match=r"connected component.* not 3\. The clusters are those of k-means"):
        model = METHODS[key](3, max_iter=1, n_neighbors=40, random_state=0).fit(blobs(noise=4.0))
    assert np.unique(model.labels_).size == 3
    assert not model.converged_


@pytest.mark.parametrize("scaling", ["standard-samples", "standard-features"])
def test_scaling_equals_the_direct_version(scaling):
    view = 1e200 * np.random.default_rng(0).normal(size=(12, 5))
    view[:, 2] = 1e200
    found = program_scaling.PROGRAM_SCALINGS[scaling](view)
    np.testing.assert_allclose(found, getattr(peers, scaling.replace("-", "_"))(view / 1e200), atol=1e-12)
    np.testing.assert_array_equal(program_scaling.PROGRAM_SCALINGS[scaling](sp.csr_array(view)), found)
