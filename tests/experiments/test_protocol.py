"""One cell: shared factors do not change results, and labels are used in the scores only."""

import numpy as np
import pytest

from viewfuse import GF, GFSC, METHODS, Views
from viewfuse.experiments.grids import OWN_GRAPH
from viewfuse.experiments.paper import DataSource
from viewfuse.experiments.protocol import METRICS, SEEDS, Bench, Cell, run_cell
from viewfuse.linalg import assign_clusters, numbered_by_size

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
def test_shared_factors_give_the_same_labels_as_separate_fits(bench, method, parameters):
    model = METHODS[method](n_clusters=3, random_state=0, **parameters).fit(bench.views)
    repeat, facts = bench.repeatable(cell(method, parameters))
    for seed in SEEDS:
        np.testing.assert_array_equal(numbered_by_size(repeat(seed)), model.relabel(random_state=seed))
    if method in ("gfsc", "gf"):
        assert facts["n_iter"] == model.n_iter_
        np.testing.assert_allclose(facts["view_weights"], model.view_weights_, rtol=1e-12)


def test_a_repetition_is_one_k_means_run_on_the_embedding(bench):
    model = GFSC(3, gamma=0.05, random_state=0, **RAW).fit(bench.views)
    expected = assign_clusters(model.embedding_, 3, n_init=1, random_state=np.random.RandomState(4))
    np.testing.assert_array_equal(model.relabel(random_state=4), numbered_by_size(expected))
    assert model.relabel(random_state=4) is not model.labels_
    gf = GF(3, random_state=0, **RAW).fit(bench.views)
    rows = gf.embedding_ / np.linalg.norm(gf.embedding_, axis=1, keepdims=True)
    expected = assign_clusters(rows, 3, n_init=1, random_state=np.random.RandomState(4))
    np.testing.assert_array_equal(gf.relabel(random_state=4), numbered_by_size(expected))


def test_methods_without_an_embedding_are_fitted_again_for_every_seed(bench):
    repeat, _ = bench.repeatable(cell("km", {"scaling": "min-max"}))
    for seed in (0, 3):
        expected = METHODS["km"](3, scaling="min-max", n_init=1, random_state=seed).fit(bench.views).labels_
        np.testing.assert_array_equal(repeat(seed), expected)


def test_default_cells_use_the_estimator_with_its_defaults(bench):
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


def test_labels_are_used_in_the_scores_only(bench):
    with_labels = run_cell(cell("gfsc", {**RAW, "gamma": 0.05}), bench)
    shuffled = np.random.default_rng(0).permutation(bench.views.y)
    bench.views = Views(bench.views, y=shuffled)
    without = run_cell(cell("gfsc", {**RAW, "gamma": 0.05}), bench)
    assert without["facts"] == with_labels["facts"]
    assert without["scores"] != with_labels["scores"]


def test_an_error_of_the_method_is_recorded_as_a_result(bench):
    result = run_cell(cell("gfsc", {**RAW, "gamma": 1e200, "beta": 1e-200}), bench)
    assert result["scores"] is None
    assert result["failed"].startswith("DivergenceError: ")


def test_a_constant_view_is_ignored_as_in_the_estimators(tiny, tmp_path):
    with np.load(tiny) as arrays:
        np.savez(tmp_path / "constant.npz", X1=arrays["X1"], X2=np.ones((48, 3)), y=arrays["y"])
    constant = Bench(DataSource("constant", file=tmp_path / "constant.npz"))
    assert not constant.has_no_constant_view
    assert run_cell(cell("gfsc", {**RAW, "gamma": 0.05}), constant)["scores"] is not None


def test_different_cells_have_different_keys():
    cells = [
        cell("km", {}), cell("km", {}, default=True), cell("km", {"scaling": "min-max"}), cell("sc", {}),
        Cell("tiny", "1", "km", "km"), Cell("other", "0", "km", "km"),
    ]  # fmt: skip
    assert len({c.key for c in cells}) == len(cells)
    assert cell("gf", {"alpha": 1.0, "beta": 2.0}).key == cell("gf", {"beta": 2.0, "alpha": 1.0}).key
