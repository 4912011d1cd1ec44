import numpy as np
import pandas as pd
import pytest

from viewfuse import AutoFusion, metrics
from viewfuse.exceptions import NoStructureWarning
from viewfuse.graphs.rounding import is_rounded, n_distinct, same_for_copies, spread_over_steps


def answers(seed, n_questions=6, n=400, k=3, levels=5):
    """Answers from 1 to 5 of k groups, and the groups."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    tendency = rng.permuted(np.linspace(1, levels, k)[:, None].repeat(n_questions, axis=1), axis=0)
    return np.clip(np.round(tendency[y] + 0.6 * rng.standard_normal((n, n_questions))), 1, levels), y


def half_a_step(column):
    """The direct version: half of the distance to the nearest other value, one value after the other."""
    return np.array([min(abs(other - value) for other in column if other != value) / 2 for value in column])


def test_values_stay_within_half_a_step_and_fill_it():
    column = np.repeat([1.0, 2.0, 3.0, 8.0, 10.0], 200)
    shift = spread_over_steps(column[:, None])[:, 0] - column
    assert (np.abs(shift) <= half_a_step(column)).all()
    for value, half in ((1, 0.5), (3, 0.5), (8, 1.0), (10, 1.0)):
        there = shift[column == value]
        assert there.min() < -0.9 * half
        assert there.max() > 0.9 * half


def test_a_value_among_finely_graded_ones_stays():
    rng = np.random.default_rng(0)
    amounts = np.concatenate([np.zeros(50), rng.random(500)])
    assert np.abs(spread_over_steps(amounts[:, None])[:, 0] - amounts).max() < 0.02


def test_a_constant_column_stays():
    assert np.array_equal(spread_over_steps(np.full((30, 2), 4.0)), np.full((30, 2), 4.0))


def test_columns_are_spread_independently():
    points = np.random.default_rng(1).integers(0, 3, (2000, 3)).astype(float)
    shifts = spread_over_steps(points) - points
    assert np.abs(np.corrcoef(shifts.T) - np.eye(3)).max() < 0.08


def test_neither_units_nor_the_order_of_columns_matter():
    points, _ = answers(0)
    spread = spread_over_steps(points)
    assert np.allclose(spread_over_steps(points * 7 - 3), spread * 7 - 3)
    assert np.allclose(spread_over_steps(points[:, ::-1]), spread[:, ::-1])


def test_permuted_samples_get_the_same_points():
    """But for copies, of which each may get the points of another."""
    points, _ = answers(0, n=300)
    order = np.random.default_rng(2).permutation(len(points))
    assert np.allclose(np.sort(spread_over_steps(points), axis=0), np.sort(spread_over_steps(points[order]), axis=0))


@pytest.mark.parametrize(("n_copies", "found"), [(10, False), (11, False), (12, True)])
def test_more_copies_than_neighbours(n_copies, found):
    """Twelve equal rows: each has eleven copies, more than ten."""
    rng = np.random.default_rng(0)
    points = np.vstack([np.full((n_copies, 4), 0.3), rng.standard_normal((60, 4))])
    assert is_rounded(points[rng.permutation(len(points))], 10) == found


@pytest.mark.parametrize(("column", "found"), [([0, 1] * 20, True), ([3] * 40, False), (range(40), False)])
def test_a_column_of_two_values(column, found):
    points = np.random.default_rng(0).standard_normal((40, 3))
    assert is_rounded(np.column_stack([points, column]), 10) == found


def test_columns_without_equal_values_stay():
    points = np.column_stack([np.random.default_rng(0).standard_normal(50), np.arange(50) % 2])
    spread = spread_over_steps(points)
    assert np.array_equal(spread[:, 0], points[:, 0])
    assert (spread[:, 1] != points[:, 1]).all()


def test_categories_that_have_nothing_to_do_with_each_other_are_no_clusters():
    rng = np.random.default_rng(0)
    answers_ = pd.DataFrame({f"q{i}": rng.choice(list("ABC"), 600) for i in range(5)})
    table = pd.DataFrame(
        {"a": rng.normal(size=600), "b": rng.normal(size=600), "c": answers_["q0"], "d": rng.random(600) < 0.3}
    )
    for data in (answers_, table):
        with pytest.warns(NoStructureWarning):
            assert AutoFusion(random_state=0).fit(data).n_clusters_ == 1


@pytest.mark.parametrize("seed", range(3))
def test_customers_are_not_divided_by_their_categories(seed):
    """Four groups in numbers, with categories that depend on the group, or have nothing to do with it."""
    rng = np.random.default_rng(seed)
    y = rng.integers(4, size=600)
    table = pd.DataFrame(
        {
            "age": np.array([25, 40, 55, 70])[y] + rng.normal(0, 4, 600),
            "income": np.exp(np.array([10, 10.6, 11.2, 10.4])[y] + rng.normal(0, 0.15, 600)),
            "region": rng.choice(list("NSEW"), 600),
            "sex": rng.choice(["m", "f"], 600),
            "plan": np.where(rng.random(600) < 0.85, np.array(["basic", "pro", "team", "basic"])[y], "basic"),
            "visits": rng.poisson(np.array([30, 10, 20, 3])[y]),
            "newsletter": rng.random(600) < np.array([0.9, 0.2, 0.5, 0.1])[y],
        }
    )
    assert metrics.ari(y, AutoFusion(4, random_state=0).fit_predict(table)) > 0.97
    model = AutoFusion(random_state=0).fit(table)
    assert 4 in (model.n_clusters_, *model.cluster_counts_.also)
    assert metrics.ari(y, model.labels_) > 0.85


def test_samples_are_distinct_if_they_differ_in_any_view():
    one, other = np.repeat([0.0, 1.0, 2.0], 4)[:, None], np.tile([0.0, 5.0], 6)[:, None]
    assert n_distinct([one]) == 3
    assert n_distinct([one, other]) == 6
    assert n_distinct([one, other[:3]]) == 3  # some samples are missing from the second view


def test_copies_of_a_few_samples_are_the_clusters():
    points = np.repeat(np.eye(4), 30, axis=0)
    model = AutoFusion(random_state=0).fit([points[:, :2], points[:, 2:]])
    assert model.n_clusters_ == 4
    assert "spread" not in str(model.choice_)


def test_copies_get_the_label_of_most_of_them():
    points = np.array([[0.0, 1], [0, 1], [0, 1], [2, 2], [2, 2], [5, 5]])
    assert same_for_copies(np.array([0, 1, 0, 1, 1, 1]), [points]).tolist() == [0, 0, 0, 1, 1, 1]


def test_no_cluster_is_emptied_for_copies():
    points = np.array([[0.0], [0.0], [0.0], [1.0]])
    labels = np.array([0, 0, 1, 2])
    assert same_for_copies(labels, [points]).tolist() == labels.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_a_questionnaire_has_as_many_clusters_as_groups_and_not_as_answers(seed):
    points, y = answers(seed)
    model = AutoFusion(random_state=0).fit([points[:, :3], points[:, 3:]])
    assert model.n_clusters_ == 3
    assert metrics.accuracy(y, model.labels_) > 0.9
    assert "spread over their steps" in str(model.choice_)


@pytest.mark.parametrize("levels", [2, 5])
def test_the_same_answers_get_the_same_label(levels):
    points, _ = answers(5, levels=levels)
    labels = AutoFusion(3, random_state=0).fit([points[:, :3], points[:, 3:]]).labels_
    of = np.unique(points, axis=0, return_inverse=True)[1].ravel()
    assert all(np.unique(labels[of == row]).size == 1 for row in np.unique(of))


@pytest.mark.parametrize("levels", [2, 3, 5])
def test_answers_at_random_have_no_clusters(levels):
    points = np.random.default_rng(levels).integers(1, levels + 1, (300, 6)).astype(float)
    with pytest.warns(NoStructureWarning):
        assert AutoFusion(random_state=0).fit([points[:, :3], points[:, 3:]]).n_clusters_ == 1
    with pytest.warns(NoStructureWarning):
        AutoFusion(3, random_state=0).fit([points[:, :3], points[:, 3:]])


def test_with_answers_missing_from_a_view():
    points, y = answers(1)
    views = [points[:, :3].copy(), points[:, 3:].copy()]
    gone = np.random.default_rng(0).permutation(len(y))
    views[0][gone[:60]] = np.nan
    views[1][gone[60:120]] = np.nan
    labels = AutoFusion(3, random_state=0).fit(views).labels_
    assert metrics.accuracy(y, labels) > 0.8
