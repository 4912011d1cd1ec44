"""A cell: what is shared changes nothing, and labels enter the scores only."""

import numpy as np
import pytest

from viewfuse import GF, GFSC, METHODS, Views
from viewfuse.experiments.grids import OWN_GRAPH
from viewfuse.experiments.paper import DataSource
from viewfuse.experiments.protocol import METRICS, SEEDS, Bench, Cell, run_cell
from viewfuse.linalg import assign_clusters

RAW = {"alpha": 0.1, "beta": 2.0, "variant": "published"}


@pytest.fixture
def bench(tiny):
    return Bench(DataSource("tiny", file=tiny))


def cell(method, parameters, **options):
    return Cell("tiny", "0", method, method, parameters, **options)


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("gfsc", {**RAW, "gamma": 0.05}),
        ("gf", RAW),
        ("sc", {**OWN_GRAPH, "alpha": 1.0, "view": 1}),
        ("sc-ave", {**OWN_GRAPH, "alpha": 1.0}),
    ],
)
def test_sharing_factors_gives_what_fitting_one_by_one_gives(bench, method, parameters):
    model = METHODS[method](n_clusters=3, random_state=0, **parameters).fit(bench.views)
    repeat, facts = bench.repeatable(cell(method, parameters))
    for seed in SEEDS:
        np.testing.assert_array_equal(repeat(seed), model.relabel(random_state=seed))
    if method in ("gfsc", "gf"):
        assert facts["n_iter"] == model.n_iter_
        np.testing.assert_allclose(facts["view_weights"], model.view_weights_, rtol=1e-12)


def test_repetitions_are_single_k_means_runs_on_one_embedding(bench):
    model = GFSC(3, gamma=0.05, random_state=0, **RAW).fit(bench.views)
    expected = assign_clusters(model.embedding_, 3, n_init=1, random_state=np.random.RandomState(4))
    np.testing.assert_array_equal(model.relabel(random_state=4), expected)
    assert model.relabel(random_state=4) is not model.labels_
    turned = GF(3, random_state=0, **RAW).fit(bench.views)
    rows = turned.embedding_ / np.linalg.norm(turned.embedding_, axis=1, keepdims=True)
    expected = assign_clusters(rows, 3, n_init=1, random_state=np.random.RandomState(4))
    np.testing.assert_array_equal(turned.relabel(random_state=4), expected)


def test_methods_without_an_embedding_are_fitted_for_every_seed(bench):
    repeat, _ = bench.repeatable(cell("km", {"scaling": "min-max"}))
    for seed in (0, 3):
        expected = METHODS["km"](3, scaling="min-max", n_init=1, random_state=seed).fit(bench.views).labels_
        np.testing.assert_array_equal(repeat(seed), expected)


def test_defaults_are_what_a_user_gets(bench):
    repeat, _ = bench.repeatable(cell("rmkmc", {}, default=True))
    np.testing.assert_array_equal(repeat(0), METHODS["rmkmc"](3, random_state=0).fit(bench.views).labels_)


def test_scores_are_percentages_of_ten_repetitions(bench):
    result = run_cell(cell("gfsc", {**RAW, "gamma": 0.05}), bench)
    assert set(result["scores"]) == set(METRICS)
    for values in result["scores"].values():
        assert len(values) == 10
        assert all(0 <= value <= 100 for value in values)
    assert result["failed"] is None
    assert 1 / 3 <= result["facts"]["largest_cluster"] <= 1


def test_labels_enter_the_scores_only(bench):
    with_labels = run_cell(cell("gfsc", {**RAW, "gamma": 0.05}), bench)
    shuffled = np.random.default_rng(0).permutation(bench.views.y)
    bench.views = Views(bench.views, y=shuffled)
    without = run_cell(cell("gfsc", {**RAW, "gamma": 0.05}), bench)
    assert without["facts"] == with_labels["facts"]
    assert without["scores"] != with_labels["scores"]


def test_a_method_that_fails_is_a_result(bench):
    result = run_cell(cell("gfsc", {**RAW, "gamma": 1e200, "beta": 1e-200}), bench)
    assert result["scores"] is None
    assert result["failed"].startswith("DivergenceError: ")


def test_a_constant_view_is_set_aside_as_the_estimators_do(tiny, tmp_path):
    with np.load(tiny) as arrays:
        np.savez(tmp_path / "flat.npz", X1=arrays["X1"], X2=np.ones((48, 3)), y=arrays["y"])
    flat = Bench(DataSource("flat", file=tmp_path / "flat.npz"))
    assert not flat.every_view_counts
    assert run_cell(cell("gfsc", {**RAW, "gamma": 0.05}), flat)["scores"] is not None


def test_the_key_tells_cells_apart():
    cells = [
        cell("km", {}), cell("km", {}, default=True), cell("km", {"scaling": "min-max"}), cell("sc", {}),
        Cell("tiny", "1", "km", "km"), Cell("other", "0", "km", "km"),
    ]  # fmt: skip
    assert len({c.key for c in cells}) == len(cells)
    assert cell("gf", {"alpha": 1.0, "beta": 2.0}).key == cell("gf", {"beta": 2.0, "alpha": 1.0}).key
