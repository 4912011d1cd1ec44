"""Mixed tables through the estimators: new data is encoded as the training data was."""

import warnings

import numpy as np
import pandas as pd
import pytest

import viewfuse as vf
from viewfuse import Views, ViewsError
from viewfuse.exceptions import EmptyCellsWarning, EncodingWarning, UnusedColumnsWarning, ViewfuseWarning

N, K = 240, 3


def customers(seed=0, n=N):
    """Two mixed tables of the same customers in three clusters, in different orders."""
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, K, n)
    ids = np.array([f"C{i}" for i in range(n)])
    profile = pd.DataFrame(
        {
            "customer": ids,
            "age": np.array([30, 45, 60])[cluster] + rng.normal(0, 3, n),
            "income": np.exp(np.array([9, 10, 11])[cluster] + rng.normal(0, 0.3, n)),
            "region": np.where(rng.random(n) < 0.85, np.array(["north", "south", "west"])[cluster], "abroad"),
            "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )
    usage = pd.DataFrame({f"f{i}": rng.poisson((cluster + i) % K * 6 + 3.0, n) for i in range(5)}).astype(float)
    usage["plan"] = pd.Series(np.array(["basic", "plus", "pro"])[cluster])
    usage.insert(0, "customer", ids)
    usage = usage.sample(frac=1, random_state=seed)
    return {"profile": profile, "usage": usage}, cluster


def fitted(frames, **options):
    return vf.AutoFusion(K, random_state=0, **options).fit(frames)


@pytest.fixture(scope="module")
def model():
    return fitted(customers()[0])


def test_clusters_of_mixed_tables_are_found_and_the_encoding_is_kept(model):
    _, cluster = customers()
    assert vf.metrics.accuracy(cluster, model.labels_) > 0.95
    types = {row["column"]: row["type"] for row in model.encoding_.rows()}
    assert types["age"] == "number"
    assert types["region"] == "category"
    assert types["joined"] == "date"
    assert "region" in str(model.encoding_)
    assert model.n_features_in_ == 10


def test_training_rows_are_predicted_as_they_were_clustered(model):
    frames, _ = customers()
    assert np.mean(model.predict(frames) == model.labels_) > 0.98


def test_new_rows_are_encoded_with_the_numbers_of_the_fit_one_at_a_time_as_in_a_batch(model):
    frames, cluster = customers(seed=1, n=40)
    together = model.predict(frames)
    ids = frames["profile"]["customer"]
    alone = [model.predict({name: t[t["customer"] == i] for name, t in frames.items()})[0] for i in ids]
    np.testing.assert_array_equal(together, alone)
    assert vf.metrics.accuracy(cluster, together) > 0.9


def test_views_of_new_rows_are_encoded_again(model):
    frames, _ = customers(seed=1, n=40)
    np.testing.assert_array_equal(model.predict(Views(frames)), model.predict(frames))
    np.testing.assert_array_equal(model.predict(Views(frames, encoding=model.encoding_)), model.predict(frames))


def test_regression_views_are_encoded_again_without_a_search_for_ids():
    frames, _ = customers()
    named = {name: table.set_index("customer") for name, table in frames.items()}
    named["profile"].insert(0, "name", [f"name of {i}" for i in named["profile"].index])
    with pytest.warns(UnusedColumnsWarning, match="'name' of 'profile'"):
        views = Views(named)
    model = fitted(views)
    assert np.mean(model.predict(views[:40]) == model.labels_[:40]) > 0.95
    again = Views(views[:40], encoding=vf.AutoFusion(K, random_state=0).fit(views[40:]).encoding_)
    assert again.ids.tolist() == views.ids[:40].tolist()


def test_unknown_categories_and_another_order_of_columns_are_handled_and_said(model):
    frames, _ = customers(seed=1, n=40)
    expected = model.predict(frames)
    turned = {**frames, "profile": frames["profile"][["region", "customer", "joined", "income", "age"]]}
    with pytest.warns(EncodingWarning, match="'profile': its columns are in another order"):
        np.testing.assert_array_equal(model.predict(turned), expected)
    unknown = frames["usage"].assign(plan="unheard of")
    with pytest.warns(EncodingWarning, match=r"'usage' has categories that the training data does not have.*'unheard of'"):
        assert np.mean(model.predict({**frames, "usage": unknown}) == expected) > 0.9


def test_columns_that_are_missing_or_new_are_an_error(model):
    frames, _ = customers(seed=1, n=40)
    with pytest.raises(ViewsError, match="'profile' has other columns than in the fit: column 'age' is missing"):
        model.predict({**frames, "profile": frames["profile"].drop(columns="age")})
    with pytest.raises(ViewsError, match="'profile' has other columns than in the fit: column 'shoes' was not"):
        model.predict({**frames, "profile": frames["profile"].assign(shoes=1)})
    with pytest.raises(ViewsError, match="'profile', column 'age' holds 'old'"):
        model.predict({**frames, "profile": frames["profile"].astype({"age": object}).assign(age="old")})


def test_empty_cells_of_new_rows_are_filled_from_the_training_data(model):
    frames, cluster = customers(seed=1, n=40)
    frames["usage"].loc[frames["usage"].index[:10], ["f0", "plan"]] = np.nan
    frames["profile"].loc[5:12, "region"] = None
    with pytest.warns(EmptyCellsWarning):
        assert vf.metrics.accuracy(cluster, model.predict(frames)) > 0.9


def test_a_saved_model_encodes_as_before(model, tmp_path):
    frames, _ = customers(seed=1, n=40)
    loaded = vf.load(model.save(tmp_path / "fit.model"))
    np.testing.assert_array_equal(loaded.predict(frames), model.predict(frames))
    assert str(loaded.encoding_) == str(model.encoding_)


def test_one_mixed_table_in_groups_of_columns():
    frames, cluster = customers()
    table = frames["profile"].merge(frames["usage"], on="customer")
    model = fitted(table, views=["profile:age-joined", "f*", "plan:plan"])
    assert model.view_names_.tolist() == ["profile", "f", "plan"]
    assert vf.metrics.accuracy(cluster, model.labels_) > 0.95
    new = table.sample(frac=1, axis=1, random_state=0)
    with pytest.warns(EncodingWarning, match="matched by name"):
        assert np.mean(model.predict(new) == model.labels_) > 0.98


def test_rules_for_columns_mean_the_same_everywhere(tmp_path):
    frames, _ = customers()
    table = frames["profile"].merge(frames["usage"], on="customer")
    table.to_csv(tmp_path / "all.csv", index=False)
    rules = ["profile:age-joined", "f*"]
    with pytest.warns(UnusedColumnsWarning):
        read = vf.load_views(tmp_path / "all.csv", views=rules)
    with pytest.warns(UnusedColumnsWarning):
        model = vf.METHODS["km"](K, views=rules, random_state=0).fit(table)
    assert read.names == tuple(model.view_names_)
    np.testing.assert_array_equal(model.labels_, vf.METHODS["km"](K, random_state=0).fit(read).labels_)


@pytest.mark.parametrize("key", ["gfsc", "km", "anchor-gfsc", "sc"])
def test_other_methods_take_mixed_tables(key):
    frames, cluster = customers()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        labels = vf.METHODS[key](K, random_state=0).fit(frames).labels_
    assert vf.metrics.accuracy(cluster, labels) > 0.85


def test_types_overrule_what_was_found():
    frames, _ = customers()
    profile = frames["profile"].assign(zip=np.arange(N) % 5 + 1000)
    views = Views({"profile": profile}, types={"zip": "category", "joined": "ignore"})
    assert "zip=1003" in views.feature_names[0].tolist()
    assert not any(name.startswith("joined") for name in views.feature_names[0])
    with pytest.raises(ViewsError, match="no column 'zap' to give a type"):
        Views({"profile": profile}, types={"zap": "category"})
    with pytest.raises(ViewsError, match="cannot have the type 'colour'"):
        Views({"profile": profile}, types={"zip": "colour"})


@pytest.fixture(autouse=True)
def _left_out_columns_are_not_the_subject():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*its type was set to.*", UnusedColumnsWarning)
        yield


def test_regression_raw_tables_above_5000_rows():
    frames, cluster = customers(n=5_400)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        model = fitted({name: table.select_dtypes(exclude=["datetime", "bool"]) for name, table in frames.items()})
    assert vf.metrics.evaluate(cluster, model.labels_)["ari"] > 0.95


def test_clusters_are_described_in_the_units_of_the_columns():
    frames, _ = customers()
    views = Views(frames)
    readable = dict(zip(views.feature_names[0], views.readable(0).T, strict=True))
    np.testing.assert_allclose(readable["age"], frames["profile"]["age"])
    np.testing.assert_array_equal(readable["region=north"], frames["profile"]["region"] == "north")
    fit = vf.summarise(fitted(views), views)
    assert {row["column"] for row in fit.table_columns} >= {"age", "income", "region", "plan"}


def test_ordered_columns_are_readable_as_positions():
    values = ["low", "high", None, "medium", "low", "high"] * 6
    with pytest.warns(EmptyCellsWarning):
        views = Views(pd.DataFrame({"risk": values, "x": np.arange(36.0) ** 2}))
    position = views.readable(0)[:6, 0]
    np.testing.assert_allclose(position, [0, 2, 1, 1, 0, 2])


def test_the_report_lists_the_columns(tmp_path):
    pytest.importorskip("jinja2")
    frames, _ = customers()
    views = Views(frames)
    page = vf.report.write_report(tmp_path / "page.html", vf.METHODS["km"](K, random_state=0).fit(views), views).read_text()
    assert 'id="columns"' in page
    assert "logarithm, standardised" in page or "standardised" in page


def test_new_values_in_another_unit_are_an_error():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    heights = 150 + 15 * y + rng.normal(size=90)
    frame = pd.DataFrame({"height": [f"{x:.1f} cm" for x in heights], "age": 30 + 9 * y + rng.normal(size=90), "visits": y})
    model = vf.AutoFusion(3, random_state=0).fit({"profile": frame})
    in_metres = frame.assign(height=[f"{x / 100:.2f} m" for x in heights])
    with pytest.raises(ViewsError, match=r"'height' holds '1\.\d+ m'.*it is a column of numbers in cm"):
        model.predict({"profile": in_metres})
    np.testing.assert_array_equal(model.predict({"profile": frame}), model.labels_)
