"""Damaged values are warned of, by view, row and column; ordinary values are not."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import ks_2samp, spearmanr

import viewfuse as vf
from viewfuse._utils.warn import recording
from viewfuse.exceptions import SuspiciousValuesWarning
from viewfuse.views import Views, warn_of_suspicious_values
from viewfuse.views.numbers import Numbers, same_distribution
from viewfuse.views.suspicious_rows import given_twice

N = 120


def tables(seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, N)
    body = 50 + 4 * rng.normal(size=(3, 3))[y] + rng.normal(size=(N, 3))
    use = 20 + 3 * rng.normal(size=(3, 4))[y] + rng.normal(size=(N, 4))
    ids = [f"c{i}" for i in range(N)]
    return {
        "body": pd.DataFrame(body, columns=["age", "weight", "height"], index=ids),
        "use": pd.DataFrame(use, columns=list("abcd"), index=ids),
    }


def coded(t):
    t["body"].loc[t["body"].index[::9], "weight"] = -999.0


def in_two_units(t):
    t["use"].loc[t["use"].index[::3], "b"] *= 1000


def with_signs(t):
    t["body"].iloc[::3] *= -1


def with_a_repeated_column(t):
    t["use"]["copy"] = t["use"]["again"] = t["use"]["a"]


def with_totals(t):
    for table in t.values():
        table.loc["Total"] = table.sum()


def with_means(t):
    for table in t.values():
        table.loc["c999"] = table.mean()


def filled_down(t):
    t["use"].iloc[30:60] = t["use"].iloc[29].to_numpy()


def nearly_constant(t):
    t["use"].iloc[8:] = t["use"].iloc[8].to_numpy()


DAMAGE = {
    coded: ("body", "-999 occurs several times in column 'weight'"),
    in_two_units: ("use", "the values of column 'b' are of two kinds, one about 1,000 times"),
    with_signs: ("body", "40 rows have the other sign in columns 'age', 'weight', 'height'"),
    with_a_repeated_column: ("use", "columns 'a', 'copy', 'again' are equal"),
    with_totals: ("body", "row 120 (id 'Total') is the sum of all other rows in 3 of 3 columns"),
    with_means: ("use", "row 120 (id 'c999') is the mean of all other rows in 4 of 4 columns"),
    filled_down: ("use", "31 samples have exactly the same values, the first in row 29 (id 'c29')"),
    nearly_constant: ("use", "93% of the samples have exactly the same values, and the others all differ"),
}


def given(views):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_suspicious_values(views)
    return [w.message for w in caught if isinstance(w.message, SuspiciousValuesWarning)]


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_damage_is_named(damage):
    data = tables()
    damage(data)
    view, words = DAMAGE[damage]
    found = [message for message in given(Views(data)) if message.view == view]
    assert any(words in message.problem for message in found), [str(message) for message in given(Views(data))]
    assert all(message.hint for message in found)


@pytest.mark.parametrize(
    "damage", [coded, in_two_units, with_signs, with_totals, filled_down, nearly_constant], ids=lambda d: d.__name__
)
def test_arrays_are_looked_at_too(damage):
    data = tables()
    damage(data)
    view, _ = DAMAGE[damage]
    assert view in [message.view for message in given(Views({name: t.to_numpy() for name, t in data.items()}))]


@pytest.mark.parametrize("seed", range(5))
def test_ordinary_tables_give_no_warning(seed):
    rng = np.random.default_rng(seed)
    data = tables(seed)
    data["use"]["spent"] = np.where(rng.random(N) < 0.6, 0, rng.gamma(2, 50, N))  # most buy nothing
    data["use"]["flag"] = rng.integers(0, 2, N) * 1000  # two values are no mixture of units
    data["body"]["score"] = rng.normal(size=N)  # two signs
    data["body"]["income"] = np.exp(rng.normal(10, 1.5, N))  # over several powers of ten
    centred = (data["body"] - data["body"].mean()) / data["body"].std()
    assert not given(Views(data))
    assert not given(Views({"centred": centred, "use": data["use"]}))


def test_words_and_pixels_give_no_warning():
    rng = np.random.default_rng(0)
    words = rng.poisson(0.05, (N, 300)) * rng.uniform(1, 2, (N, 300))
    pixels = np.repeat(rng.uniform(0, 255, (N, 40)), 2, axis=1)
    assert not given(Views({"words": words, "pixels": pixels}))


def test_customers_without_any_use_are_ordinary():
    data = tables()
    data["use"].iloc[30:60] = 0.0
    assert not [message for message in given(Views(data)) if "exactly the same" in str(message)]


def test_frequent_values_are_noted_without_a_warning():
    data = tables()
    data["use"].loc[data["use"].index[::4], "a"] = 0.0
    data["use"].loc["c1", "a"] = -1.0  # so that 0 is not the smallest
    with warnings.catch_warnings(), recording() as record:
        warnings.simplefilter("error")
        warn_of_suspicious_values(Views(data))
    assert any("0 is frequent in column 'a'" in str(one) for one in record)


def column_with(frequent, others):
    rng = np.random.default_rng(0)
    column = np.where(rng.random(N) < 0.3, frequent, others)
    return notes_of(Views({"a": np.column_stack([column, rng.normal(size=N)]), "b": rng.normal(size=(N, 2))}))


def test_a_bound_that_other_values_come_close_to_is_not_noted():
    rng = np.random.default_rng(1)
    ink, shares = rng.gamma(2, 50, N), rng.beta(3, 1, N)
    assert column_with(0.0, ink) == []
    assert column_with(1.0, shares) == []  # the largest possible value
    assert column_with(0.0, np.abs(rng.normal(size=N))) == []
    noted = "0 is frequent in column 0"
    assert noted in column_with(0.0, 20 + 3 * rng.normal(size=N).clip(-3))[0]  # far from all others
    assert noted in column_with(0.0, 2 + rng.normal(size=N))[0]  # between others


def test_the_digits_give_no_note():
    assert notes_of(vf.datasets.load_digits_views()) == []


@pytest.mark.parametrize("sizes", [(20, 30), (150, 60), (1000, 2000)])
def test_same_distribution_is_the_test_of_kolmogorov_and_smirnov(sizes):
    rng = np.random.default_rng(0)
    compared = 0
    for shift in np.linspace(0, 2.5, 20) / np.sqrt(min(sizes)):
        one, other = rng.normal(size=sizes[0]).round(1), (shift + rng.normal(size=sizes[1])).round(1)  # with equal values
        expected = ks_2samp(one, other, method="asymp").pvalue
        if 1e-4 < expected < 0.5:
            assert same_distribution(one, other) == pytest.approx(expected, rel=0.3)
            compared += 1
    assert compared > 3


def problems_of(change):
    """The warnings of tables of which the column 'weight' was changed."""
    data = tables()
    column = data["body"]["weight"].to_numpy().copy()
    data["body"]["weight"] = change(column)
    return [message.problem for message in given(Views(data))]


def multiplied(factor, count):
    return lambda column: np.where(np.arange(N) % (N // count) == 0, factor * column, column)


@pytest.mark.parametrize(
    ("factor", "count", "warned"),
    [
        (10, 40, False),
        (50, 40, False),
        (100, 40, True),
        (200, 40, False),
        (1000, 40, True),
        (1000, 6, True),
        (1000, 5, False),
    ],
)
def test_two_units_differ_by_a_power_of_ten_in_many_rows(factor, count, warned):
    found = problems_of(multiplied(factor, count))
    assert bool(found) == warned, found
    if warned:
        assert f"one about {factor:,} times the other" in found[0]


def test_two_groups_without_a_gap_or_of_other_shapes_are_no_units():
    rng = np.random.default_rng(0)
    assert problems_of(lambda column: 10 ** rng.uniform(0, 4, N)) == []
    assert problems_of(lambda column: np.where(np.arange(N) % 3, column.mean(), 1000 * column)) == []
    values = np.array([1.0, 2.0, 3.0])[np.arange(N) % 3]
    assert problems_of(lambda column: np.where(np.arange(N) % 4, values, 1000 * values)) == []  # few values


@pytest.mark.parametrize(("count", "warned"), [(2, False), (3, True), (40, True), (60, False)])
def test_a_code_occurs_several_times_but_not_mostly(count, warned):
    def coded(value):
        return lambda column: np.where(np.arange(N) % (N // count) == 0, value, column)

    for code in (-999.0, 9999.0):
        found = problems_of(coded(code))
        assert bool(found) == warned, found
        assert not warned or f"{code:g} occurs several times in column 'weight'" in found[0]
    assert (
        problems_of(coded(tables()["body"]["weight"].min() - 1)) == []
    )  # not farther from the others than these are from each other


def test_codes_among_few_values_are_answers():
    assert problems_of(lambda column: np.where(np.arange(N) % 4, np.arange(N) % 7, 99.0)) == []
    assert problems_of(lambda column: np.where(np.arange(N) % 4, np.arange(N) % 23, 99.0)) != []


@pytest.mark.parametrize(("share", "warned"), [(0.02, False), (0.1, True), (0.35, True), (0.45, False)])
def test_rows_of_the_other_sign_are_some_but_not_half(share, warned):
    data = tables()
    data["body"].iloc[: int(share * N)] *= -1
    assert bool(given(Views(data))) == warned


def test_signs_that_another_view_knows_are_clusters():
    data = tables()
    rows = np.arange(N) % 3 == 0
    data["body"][rows] *= -1
    data["use"]["a"] = np.where(rows, 5, 0) + np.random.default_rng(0).normal(size=N)
    assert given(Views(data)) == []


def test_totals_of_some_columns_are_no_totals():
    for n_columns, warned in ((4, True), (3, False)):
        data = tables()
        total = data["use"].sum()
        total.iloc[n_columns:] = 1.0
        data["use"].loc["Total"] = total
        data["body"].loc["Total"] = data["body"].mean().round()
        assert bool([m for m in given(Views(data)) if "the sum of all other rows in" in m.problem]) == warned


@pytest.mark.parametrize(("count", "warned"), [(9, False), (10, True), (50, True), (70, False)])
def test_rows_filled_down_are_many_but_not_most(count, warned):
    data = tables()
    data["use"].iloc[:count] = data["use"].iloc[0].to_numpy()
    assert bool([m for m in given(Views(data)) if "exactly the same values" in m.problem]) == warned


@pytest.mark.parametrize(
    ("others", "usual", "words"),
    [
        (1, 7.0, False),  # one sample is an outlier
        (2, 7.0, True),
        (12, 7.0, True),
        (13, 7.0, False),  # more than a tenth
        (8, 0.0, True),
        (8, np.nan, False),  # a view that most samples are missing from
    ],
)
def test_a_view_is_nearly_constant_if_few_samples_differ(others, usual, words):
    rng = np.random.default_rng(0)
    view = np.full((N, 3), usual)
    view[rng.choice(N, others, replace=False)] = rng.normal(size=(others, 3))
    data = {**{name: t.to_numpy() for name, t in tables().items()}, "new": view}
    assert bool([m for m in given(Views(data)) if "can only set these few apart" in m.problem]) == words


def test_amounts_of_few_and_flags_are_not_nearly_constant():
    rng = np.random.default_rng(0)
    rare = rng.random(N) < 0.06
    data = {
        **tables(),
        "spent": pd.DataFrame(np.where(rare[:, None], rng.gamma(2, 50, (N, 2)), 0.0)),  # most buy nothing
        "flags": pd.DataFrame(np.where(rare[:, None], [3.0, 5.0], [2.0, 1.0])),  # the others are the same, too
    }
    data = {name: table.to_numpy() for name, table in data.items()}
    assert not [m for m in given(Views(data)) if "can only set these few apart" in m.problem]


@pytest.mark.parametrize(("count", "warned"), [(15, False), (16, True)])
def test_rows_filled_down_are_a_share_of_many(count, warned):
    rng = np.random.default_rng(0)
    views = {name: rng.normal(size=(800, 3)) for name in "ab"}
    views["a"][:count] = 1.0
    assert bool([m for m in given(Views(views)) if "exactly the same values" in m.problem]) == warned


@pytest.mark.parametrize(("count", "noted"), [(11, False), (12, True)])
def test_a_frequent_value_is_that_of_a_tenth(count, noted):
    data = tables()
    data["use"].iloc[:count, 0] = data["use"]["a"].median()
    assert bool([note for note in notes_of(Views(data)) if "is frequent in column 'a'" in note]) == noted


@pytest.mark.parametrize(("first", "noted"), [(100_000, True), (10_000, False)])
def test_ids_have_many_digits(first, noted):
    data = tables()
    data["body"]["account"] = 3 * np.random.default_rng(0).choice(first, N, replace=False)
    assert bool([note for note in notes_of(Views(data)) if "whole number" in note]) == noted


@pytest.mark.parametrize("method", ["auto", "gfsc", "anchor-gfsc", "km"])
def test_every_kind_of_estimator_says_it(method):
    data = tables()
    coded(data)
    with pytest.warns(SuspiciousValuesWarning, match="-999"):
        vf.METHODS[method](3, random_state=0).fit(Views(data))


def test_empty_and_constant_columns_do_no_harm():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=30), "empty": np.nan, "same": 3.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", vf.exceptions.UnusedColumnsWarning)
        views = Views({"a": frame, "b": rng.normal(size=(30, 2))})
    assert notes_of(views) == []


def notes_of(views):
    with warnings.catch_warnings(), recording() as record:
        warnings.simplefilter("error")
        warn_of_suspicious_values(views)
    return [str(one) for one in record]


def with_moved_cells(start=N // 2, by=1):
    """Tables of which one has its cells in the next column from some row on."""
    data = tables()
    values = data["body"].to_numpy() * [1, 3, 9]
    values[start:] = np.roll(values[start:], by, axis=1)
    data["body"][:] = values
    return data


def moved(views):
    return [message.problem for message in given(views) if "one column too far" in message.problem]


@pytest.mark.parametrize(("by", "side"), [(1, "right"), (-1, "left")])
@pytest.mark.parametrize("start", [15, 60, 100])
def test_rows_that_lie_in_the_next_column_are_warned_of(start, by, side):
    (problem,) = moved(Views(with_moved_cells(start, by)))
    view, row = re.match(r"View '(\w+)': from about row (\d+) of its table on", problem).groups()
    assert view == "body"
    assert abs(int(row) - start) <= 6
    assert f"too far to the {side}" in problem


def test_rows_that_lie_in_the_next_column_are_found_in_the_order_of_their_own_table():
    data = with_moved_cells()
    data = {"use": data["use"].sample(frac=1, random_state=0), "body": data["body"]}
    (problem,) = moved(Views(data))
    assert "from about row 60 of its table on" in problem
    views = Views(data)
    assert len(moved(views.select_views([1, 0]))) == 1
    assert moved(Views(dict(zip(views.names, views.arrays, strict=True)))) == []  # other rows


def test_columns_that_change_but_not_into_the_next_one_are_only_noted():
    data = tables()
    values = data["body"].to_numpy() * [1, 3, 9]
    values[N // 2 :] += 200
    data["body"][:] = values
    assert given(Views(data)) == []
    noted = "'body': nearly all columns have other values from about the 50% of the rows on"
    assert [note for note in notes_of(Views(data)) if noted in note]
    order = np.argsort(data["use"]["a"].to_numpy())  # all views in one order: both change with the rows
    views = Views({name: table.iloc[order] for name, table in tables().items()})
    assert not [note for note in notes_of(views) if "from about" in note]


def test_cells_that_move_with_another_view_are_no_damage():
    data = with_moved_cells()
    data["use"]["a"] += np.where(np.arange(N) < N // 2, 0, 20)
    assert moved(Views(data)) == []


def test_a_table_that_is_sorted_changes_by_itself():
    rng = np.random.default_rng(0)
    income = rng.normal(size=N)
    columns = np.column_stack([income, income + 0.1 * rng.normal(size=N)])
    other = rng.normal(size=(N, 2))
    order = np.argsort(income)
    assert notes_of(Views([columns[order], other])) == []
    nearly = order.copy()
    nearly[[0, 1]] = nearly[[1, 0]]
    assert [note for note in notes_of(Views([columns[nearly], other])) if "nearly all columns have other values" in note]


def test_columns_that_were_sorted_on_their_own():
    data = tables()
    data["use"][:] = np.sort(data["use"].to_numpy(), axis=0)
    (message,) = given(Views(data))
    assert "View 'use': all 4 columns of numbers are sorted" in message.problem
    data["use"]["a"] = data["use"]["a"].to_numpy()[::-1]  # in descending order
    assert len(given(Views(data))) == 1
    data["use"]["flag"] = np.arange(N) % 2  # two values say nothing about an order
    assert len(given(Views(data))) == 1
    data["use"].iloc[[3, 4], 1] = data["use"].iloc[[4, 3], 1].to_numpy()
    assert given(Views(data)) == []


def test_columns_that_are_sorted_as_other_views_are_ordinary():
    day = np.arange(N)
    sums = np.cumsum(np.random.default_rng(0).random((N, 3)), axis=0)
    assert given(Views([sums[:, :2], sums[:, 2:] + day[:, None]])) == []
    noise = np.random.default_rng(1).normal(size=(N, 2))
    assert given(Views([sums[:, :1], noise])) == []  # one column: the table is in its order
    assert len(given(Views([sums[:, :2], noise]))) == 1


@pytest.mark.parametrize("count", [0, 1, 10, 19])
def test_a_view_with_few_samples_has_no_order(count):
    """Regression: without any sample it raised IndexError."""
    data = tables()
    some = data["use"].iloc[:count].sample(frac=1, random_state=0)
    views = Views({"body": data["body"], "use": pd.concat([some, data["use"].iloc[-20:]])}, missing="keep")[: N - 20]
    assert views.present[:, 1].sum() == count
    assert given(views) == []


def with_answers(seed=0):
    rng = np.random.default_rng(seed)
    words = np.array(["never", "rarely", "sometimes", "often", "always"], dtype=object)
    answers = pd.DataFrame(words[rng.integers(0, 5, (N, 8))], columns=[f"q{i}" for i in range(8)])
    return {**tables(), "answers": answers.set_axis([f"c{i}" for i in range(N)])}


def test_rows_of_words_that_were_filled_down():
    data = with_answers()
    assert given(Views(data)) == []
    data["answers"].iloc[30:60] = data["answers"].iloc[29].to_numpy()
    (message,) = given(Views(data))
    assert message.problem.startswith("View 'answers': 31 samples have exactly the same values, the first in row 29")
    data["answers"].iloc[29:60] = "never"
    assert given(Views(data)) == []  # the same answer to every question is ordinary


def test_columns_around_zero_do_not_hide_rows_of_the_other_sign():
    data = tables()
    data["use"]["b"] -= data["use"]["b"].mean()
    data["use"].iloc[::3] *= -1
    (message,) = given(Views(data))
    assert "40 rows have the other sign in columns 'a', 'b', 'c', 'd'" in message.problem


def test_columns_of_noise_are_noted():
    rng = np.random.default_rng(0)
    data = tables()
    for number in range(12):
        data["use"][f"x{number}"] = rng.normal(size=N)
    (found,) = notes_of(Views(data))
    assert "'use': columns 'x0', 'x1', 'x2', 'x3' and" in found
    assert "are correlated with no other column of any view" in found
    for number in range(12):  # each is known to the other view
        data["body"][f"y{number}"] = data["use"][f"x{number}"] + rng.normal(size=N)
    assert notes_of(Views(data)) == []


def test_ranks_are_those_of_spearman():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 3)).round(1)  # with equal values
    values[:, 1] += values[:, 0]
    ranks = Numbers(values).ranks
    assert ranks.T @ ranks == pytest.approx(spearmanr(values).statistic)
    values[5, 0] = np.nan
    assert Numbers(values).ranks[5, 0] == 0
    assert Numbers(values).ranks.sum(axis=0) == pytest.approx(0)


def test_copies_of_samples_are_noted():
    data = {name: table.reset_index(drop=True) for name, table in tables().items()}
    again = {name: pd.concat([table, table[40:60]], ignore_index=True) for name, table in data.items()}
    (found,) = notes_of(Views(again))
    assert found.startswith("20 samples have the same values as another one in every view, as the one in row 40.")
    again["use"].loc[N:] += 0.1  # in one view they differ
    assert notes_of(Views(again)) == []
    answers = np.random.default_rng(0).integers(0, 2, (N, 4))
    assert notes_of(Views({"a": answers, "b": answers[:, :2] + 1})) == []  # few answers are possible


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_extreme_numbers_are_as_others(scale):
    data = {name: scale * table.to_numpy() for name, table in tables().items()}
    assert notes_of(Views(data)) == []
    data["body"][::3] *= -1
    with pytest.warns(SuspiciousValuesWarning, match="40 rows have the other sign"):
        warn_of_suspicious_values(Views(data))


def test_numbers_that_may_be_ids_are_noted():
    data = tables()
    data["body"]["account"] = np.random.default_rng(0).choice(10**8, N, replace=False)
    data["body"]["age"] = data["body"]["age"].round()
    assert [note for note in notes_of(Views(data)) if "column 'account' has a different whole number" in note]
    assert not [note for note in notes_of(Views(tables())) if "whole number" in note]


def test_few_rows_below_zero_are_not_taken_for_rows_with_the_other_sign():
    """Each view has a cluster of its own above zero: the rows below differ from the others in all columns together."""
    alarms = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        views = Views([rng.normal(size=(60, 5)) + 2 * (np.arange(60) % 3 == v)[:, None] for v in range(3)])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warn_of_suspicious_values(views)
        alarms += any("other sign" in str(each.message) for each in caught)
    assert alarms <= 3  # it was 14


@pytest.mark.parametrize(
    "form",
    [
        np.copy,
        lambda x: np.where(np.arange(x.size).reshape(x.shape) % 9 == 0, np.nan, x),
        lambda x: sp.csr_array(np.where(x > 0, x, 0)),
        lambda x: pd.DataFrame(x).astype(str),
    ],
    ids=["array", "empty cells", "sparse", "words"],
)
@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.EmptyCellsWarning")
def test_views_that_are_given_twice(form):
    rng = np.random.default_rng(0)
    values, other = rng.normal(size=(N, 3)).round(1), rng.normal(size=(N, 3))
    assert list(given_twice(Views([form(values), other, form(values)]))) == [(0, 2)]
    values[7, 1] += 1
    changed = form(values)
    values[7, 1] -= 1
    assert list(given_twice(Views([form(values), other, changed]))) == []


def test_flags_may_be_equal_by_chance():
    flags = np.tile(np.arange(10.0), 12)[:, None]
    assert list(given_twice(Views([flags, flags.copy()]))) == []
    assert list(given_twice(Views([np.tile(np.arange(11.0), 11)[:, None]] * 2))) == [(0, 1)]


def test_graphs_that_are_given_twice():
    graph = np.random.default_rng(0).random((30, 30)) < 0.2
    views = Views([graph.astype(float)] * 2, kinds=["graph", "graph"])
    assert list(given_twice(views)) == [(0, 1)]


@pytest.mark.parametrize("method", ["auto", "gfsc", "anchor-gfsc", "km"])
def test_every_kind_of_estimator_says_that_a_view_was_given_twice(method):
    data = tables()
    with pytest.warns(SuspiciousValuesWarning, match="Views 'body' and 'again' have the same values in every row"):
        model = vf.METHODS[method](3, random_state=0).fit(Views({**data, "again": data["body"].copy()}))
    assert any("have the same values in every row" in note for note in model.notes_)
