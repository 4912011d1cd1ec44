"""Features of clusters against a direct computation."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import false_discovery_control, mannwhitneyu

from viewfuse import GFSC, Views, ViewsError, inspection
from viewfuse.datasets import make_views
from viewfuse.inspection.markers import adjusted, contrast

pd = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def mixed():
    """A number with missing values, a count, a category and a constant, and labels that have to do with some of them."""
    labels = RNG.integers(3, size=90)
    values = np.column_stack(
        [
            RNG.normal(size=90) + labels,
            RNG.poisson(4 + 6 * (labels == 1)),
            RNG.random(90) < 0.2 + 0.6 * (labels == 2),
            np.ones(90),
        ]
    ).astype(float)
    values[[3, 17, 40], 0] = np.nan
    return values, labels


def test_every_figure_against_scipy(mixed):
    values, labels = mixed
    found = contrast(values, labels, np.arange(3))
    assert found.kind.tolist() == ["number", "count", "category", "number"]
    for k in range(3):
        for f in range(3):
            known = np.isfinite(values[:, f])
            inside, outside = values[(labels == k) & known, f], values[(labels != k) & known, f]
            direct = mannwhitneyu(inside, outside, method="asymptotic", use_continuity=False)
            assert found.auc[k, f] == pytest.approx(direct.statistic / (inside.size * outside.size))
            assert found.p_value[k, f] == pytest.approx(direct.pvalue)
            assert found.inside[k, f] == pytest.approx(inside.mean())
            assert found.outside[k, f] == pytest.approx(outside.mean())
            assert found.effect[k, f] == pytest.approx((inside.mean() - outside.mean()) / values[known, f].std())
    assert (found.effect[:, 3] == 0).all()
    assert (found.auc[:, 3] == 0.5).all()


def test_sparse_views_and_views_of_many_columns_give_the_same(mixed):
    values, labels = mixed
    many = np.tile(np.nan_to_num(values), 150)
    dense, sparse = contrast(many, labels, np.arange(3)), contrast(sp.csr_array(many), labels, np.arange(3))
    for name in ("inside", "outside", "effect", "auc", "p_value"):
        np.testing.assert_allclose(getattr(sparse, name), getattr(dense, name))
        np.testing.assert_allclose(getattr(dense, name)[:, 4:8], getattr(dense, name)[:, :4])


def test_adjusted_p_values_against_scipy():
    p_values = RNG.random(40) ** 3
    np.testing.assert_allclose(adjusted(p_values), false_discovery_control(p_values))


def test_the_table_has_a_row_for_each_cluster_and_feature(mixed):
    values, labels = np.nan_to_num(mixed[0]), mixed[1]
    frame = pd.DataFrame(values, columns=["age", "calls", "region=west", "one"])
    views = Views({"profile": frame, "other": RNG.normal(size=(90, 2))})
    found = inspection.markers(type("Fit", (), {"labels_": labels})(), views)
    assert len(found) == 3 * 6
    assert set(found["feature"]) == {"age", "calls", "region=west", "one", "column 0", "column 1"}
    first = found[found["cluster"] == 1].iloc[0]
    assert (first["feature"], first["kind"], first["direction"]) == ("calls", "count", "higher")
    assert first["p_adjusted"] < 1e-6
    assert (found.groupby("cluster")["effect"].apply(lambda e: e.abs().is_monotonic_decreasing)).all()
    direct = [
        mannwhitneyu(
            column[labels == k], column[labels != k], use_continuity=False, method="asymptotic", nan_policy="omit"
        ).pvalue
        for k in range(3)
        for column in [*values.T[:3], *views.arrays[1].T]
    ]
    expected = false_discovery_control([*direct, 1, 1, 1])
    np.testing.assert_allclose(np.sort(found["p_adjusted"]), np.sort(expected))


def test_samples_that_are_missing_from_a_view_are_left_out():
    labels = np.repeat([0, 1], 20)
    values = RNG.normal(size=(40, 2)) + labels[:, None]
    present = np.ones((40, 2), dtype=bool)
    present[::5, 1] = False
    held = np.where(present[:, [1]], values, 99.0)
    found = inspection.markers(type("Fit", (), {"labels_": labels})(), Views([values, held], present=present))
    assert found.loc[found["view"] == "view1", "inside"].abs().max() < 3


def test_other_data_raises():
    views = make_views(n_samples=60, random_state=0)
    with pytest.raises(ViewsError, match="60 labels, but there are 20 samples"):
        inspection.markers(GFSC(3, random_state=0).fit(views), views[:20])
