"""Categories that have nothing to do with other columns count less."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from viewfuse import Views
from viewfuse.exceptions import ViewfuseWarning
from viewfuse.views.encoding.relevance import column_weights


def customers(seed, n=300, k=4):
    """Numbers with clear clusters in two tables, and categories that know nothing of them."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    numbers = (3 * rng.normal(size=(k, 6)))[y] + rng.normal(size=(n, 6))
    first = pd.DataFrame(numbers[:, :3], columns=list("abc")).assign(sex=rng.choice(["F", "M"], n))
    second = pd.DataFrame(numbers[:, 3:], columns=list("def")).assign(colour=rng.choice(["red", "green", "blue"], n))
    second["plan"] = np.array(["basic", "pro", "max", "free"])[np.where(rng.random(n) < 0.8, y, rng.integers(0, k, n))]
    return {"first": first, "second": second}, y


def weights_of(views):
    return {column.name: column.weight for table in views.encoding.tables for column in table.used}


@pytest.mark.parametrize("seed", range(3))
def test_regression_clusters_are_found_beside_categories_that_know_nothing_of_them(seed):
    """Such categories divided every neighbour graph: the adjusted Rand index was 0.0 to 0.6 where k-means has 1.0."""
    frames, y = customers(seed)
    views = Views(frames)
    weights = weights_of(views)
    assert weights["sex"] < 0.5
    assert weights["colour"] < 0.5
    assert weights["plan"] == 1
    assert all(weights[name] == 1 for name in "abcdef")  # of numbers, none is weighed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        model = vf.AutoFusion(4, random_state=0).fit(views)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert adjusted_rand_score(model.labels_, model.predict(frames)) > 0.98


def test_it_is_said_and_values_for_people_are_not_changed():
    views = Views(customers(0)[0])
    row = next(row for row in views.encoding.rows() if row["column"] == "sex")
    assert row["encoding"].startswith("1 indicator, times 0.")
    assert "little to do with other columns" in row["note"]
    place = list(views.feature_names[0]).index("sex=M")
    assert set(np.unique(views.readable(0)[:, place])) == {0.0, 1.0}


def test_weights_equal_a_slow_direct_version():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    array = np.column_stack([3 * y[:, None] + rng.normal(size=(60, 3)), np.eye(2)[rng.integers(0, 2, 60)]])
    array[5, 1] = np.nan
    widths = [1, 1, 1, 2]
    found = column_weights(array, widths)
    starts = np.cumsum([0, *widths])
    expected = []
    for column, width in enumerate(widths):
        own = slice(starts[column], starts[column] + width)
        rows = np.flatnonzero(~np.isnan(array[:, own]).any(axis=1))
        others = np.delete(np.nan_to_num(array), np.arange(own.start, own.stop), axis=1)[rows]
        values = array[rows, own]

        def share(some, others=others):
            error = 0.0
            for i in range(len(some)):
                distance = ((others - others[i]) ** 2).sum(axis=1)
                distance[i] = np.inf
                error += ((some[i] - some[np.argsort(distance)[:10]].mean(axis=0)) ** 2).sum()
            return 1 - error / (((some - some.mean(axis=0)) ** 2).sum() * 1.1)

        draws = np.random.RandomState(0)
        chance = [share(values[draws.permutation(len(values))]) for _ in range(10)]
        excess = share(values) - np.mean(chance) - 3 * np.std(chance)
        expected.append(np.clip(np.sqrt(max(excess, 0) / 0.1), 0.25, 1))
    np.testing.assert_allclose(found, expected)
    assert found[:3].tolist() == [1, 1, 1]
    assert found[3] == 0.25


def test_without_anything_that_shows_in_several_columns_all_count_fully():
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(column_weights(rng.normal(size=(200, 5)), [1] * 5), np.ones(5))
    np.testing.assert_array_equal(column_weights(rng.normal(size=(30, 5)), [1] * 5), np.ones(5))  # too few rows


def test_categories_alone_are_not_weighed():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    answers = {f"q{i}": np.where(rng.random(200) < 0.8, y, 1 - y).astype(str) for i in range(4)}
    frame = pd.DataFrame({**answers, "noise": rng.choice(["u", "v"], 200)}).replace({"0": "no answer", "1": "an answer"})
    assert set(weights_of(Views({"survey": frame})).values()) == {1.0}
    with_numbers = frame.assign(age=30 + 20.0 * y + rng.normal(size=200), income=10 * y + rng.normal(size=200))
    weights = weights_of(Views({"survey": with_numbers}))
    assert weights["noise"] < 0.5
    assert all(weights[name] == 1 for name in answers)
