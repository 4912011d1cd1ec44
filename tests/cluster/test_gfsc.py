"""GFSC and GF through their public interface."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reference import blobs
from viewfuse import GF, GFSC, METHODS, AnchorGFSC, AutoFusion, Views, ViewsError, metrics
from viewfuse.datasets import load_digits_views
from viewfuse.exceptions import (
    ConvergenceWarning,
    DegenerateGraphWarning,
    DivergenceError,
    ParameterError,
    UninformativeViewWarning,
    UnusedColumnsWarning,
    ViewsTypeError,
)

VIEWS, LABELS = blobs(n=90, features=(6, 9, 4))
BOTH = pytest.mark.parametrize("method", [GFSC, GF])


def labels_of(data, **parameters):
    return GFSC(3, random_state=0, **parameters).fit(data).labels_


@BOTH
@pytest.mark.parametrize("variant", ["robust", "published", "paper"])
def test_finds_separated_groups(method, variant):
    # The raw variants need parameters in the units of the data.
    raw = {} if variant == "robust" else {"alpha": 0.1, "beta": 2.0, "tol": 0.02}
    if raw and method is GFSC:
        raw["gamma"] = 0.05
    model = method(3, variant=variant, random_state=0, **raw).fit(VIEWS)
    assert metrics.accuracy(LABELS, model.labels_) > 0.95
    assert model.converged_
    assert model.n_iter_ == len(model.objective_) == len(model.history_["weights"])
    np.testing.assert_array_equal(model.view_weights_, model.history_["weights"][-1])


def test_every_form_of_the_data_gives_the_same_clustering():
    expected = labels_of(VIEWS)
    ids = [f"s{i}" for i in range(90)]
    frames = {f"v{i}": pd.DataFrame(view, index=ids) for i, view in enumerate(VIEWS)}
    shuffled = frames | {"v1": frames["v1"].sample(frac=1, random_state=1)}
    groups = {"a": slice(0, 6), "b": list(range(6, 15)), "c": slice(15, 19)}
    columns = [f"f{i}" for i in range(19)]
    frame = pd.DataFrame(np.hstack(VIEWS), index=ids, columns=columns)
    ways = [
        tuple(VIEWS),
        dict(zip("abc", VIEWS, strict=True)),
        Views(VIEWS),
        frames,
        shuffled,
        [sp.csr_array(view) for view in VIEWS],
        [view.tolist() for view in VIEWS],
    ]
    for way in ways:
        assert metrics.ari(expected, labels_of(way)) == 1
    assert metrics.ari(expected, labels_of(np.hstack(VIEWS), views=groups)) == 1
    assert metrics.ari(expected, labels_of(sp.csr_array(np.hstack(VIEWS)), views=groups)) == 1
    named = {"a": columns[:6], "b": columns[6:15], "c": columns[15:]}
    assert metrics.ari(expected, labels_of(frame, views=named)) == 1


def test_one_frame_may_repeat_its_row_names():
    frame = pd.DataFrame(np.hstack(VIEWS), index=["same"] * 90)
    np.testing.assert_array_equal(labels_of(frame), labels_of(np.hstack(VIEWS)))


def test_permuting_samples_permutes_labels():
    order = np.random.default_rng(3).permutation(90)
    assert metrics.ari(labels_of(VIEWS)[order], labels_of([view[order] for view in VIEWS])) == 1


@pytest.mark.parametrize(("variant", "atol"), [("robust", 1e-4), ("published", 1e-2)])
def test_permuting_views_permutes_weights(variant, atol):
    """Views are summed in another order, and the published variant amplifies rounding errors."""
    order = [2, 0, 1]
    model = GFSC(3, variant=variant, alpha=0.1, beta=2.0, gamma=0.1, tol=0.02, random_state=0)
    a, b = clone(model).fit(VIEWS), clone(model).fit([VIEWS[v] for v in order])
    np.testing.assert_allclose(b.view_weights_, a.view_weights_[order], atol=atol)


def test_scaling_a_view_changes_nothing():
    a = GFSC(3, random_state=0).fit(VIEWS)
    b = GFSC(3, random_state=0).fit([VIEWS[0] * 1e6, VIEWS[1] * 1e-6, VIEWS[2]])
    np.testing.assert_allclose(b.view_weights_, a.view_weights_, atol=1e-5)
    np.testing.assert_array_equal(a.labels_, b.labels_)


@pytest.mark.parametrize("features", [3, 10, 60])
@pytest.mark.parametrize("kind", ["normal", "uniform", "sparse"])
def test_a_noise_view_has_the_smallest_weight(features, kind):
    rng = np.random.default_rng(features)
    noise = {
        "normal": rng.normal(size=(90, features)),
        "uniform": rng.random((90, features)),
        "sparse": rng.poisson(0.5, (90, features)) + 1e-3,
    }[kind]
    model = GFSC(3, random_state=0).fit([*VIEWS, noise])
    assert model.view_weights_.argmin() == 3
    assert model.noise_views_ == ("view3",)
    assert metrics.accuracy(LABELS, model.labels_) > 0.95


@pytest.mark.filterwarnings("ignore:Views .* have the same values in every row")
def test_identical_views_have_equal_weights():
    model = GFSC(3, random_state=0).fit([VIEWS[0], VIEWS[0].copy()])
    np.testing.assert_allclose(model.view_weights_, 0.5, atol=1e-6)


@BOTH
def test_the_same_seed_gives_the_same_labels(method):
    a, b = (method(3, random_state=5).fit(VIEWS) for _ in range(2))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_array_equal(a.embedding_, b.embedding_)


@BOTH
def test_clone_pickle_and_frames_out(method):
    model = method(3, random_state=0, views=[slice(0, 6), slice(6, 19)]).fit(np.hstack(VIEWS))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.labels_, model.labels_)
    assert clone(model).get_params() == model.get_params()
    frame = pd.DataFrame(np.hstack(VIEWS), index=[f"s{i}" for i in range(90)])
    frame.columns = frame.columns.astype(str)
    embedded = method(3, random_state=0).set_output(transform="pandas").fit_transform(frame)
    assert list(embedded.columns) == [f"{method.__name__.lower()}{i}" for i in range(3)]
    assert list(embedded.index) == list(frame.index)


def test_in_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), GFSC(3, views=[slice(0, 6), slice(6, 19)], random_state=0))
    assert metrics.accuracy(LABELS, pipeline.fit_predict(np.hstack(VIEWS))) > 0.9


@pytest.mark.parametrize("as_views", [True, False])
def test_grid_search_splits_samples(as_views):
    sizes = []

    def score(estimator, data, y=None):
        sizes.append((len(estimator.labels_), data.shape[0]))
        return -estimator.objective_[-1]

    data = Views(VIEWS) if as_views else np.hstack(VIEWS)
    search = GridSearchCV(GFSC(3, random_state=0), {"alpha": [1.0, 2.0]}, scoring=score, cv=3)
    search.fit(data)
    assert set(sizes) == {(60, 30)}
    assert search.best_estimator_.labels_.shape == (90,)


@pytest.mark.parametrize("method", [GFSC, AnchorGFSC])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_cross_validation_of_a_list_of_views_is_refused(method, n_jobs):
    """scikit-learn would split the views into folds, not the samples."""
    options = {"scoring": lambda *_: 0.0, "cv": 2, "n_jobs": n_jobs}
    search = GridSearchCV(method(3, random_state=0), {"alpha": [1.0]}, error_score="raise", **options)
    with pytest.raises(ViewsTypeError, match=r"split a list of views.*\d of them.*Wrap them in Views"):
        search.fit(VIEWS)
    with pytest.raises(ValueError, match="Wrap them in Views"):  # by default scikit-learn collects the errors
        cross_val_score(make_pipeline(method(3, random_state=0)), VIEWS, error_score=np.nan, **options)


def test_fits_inside_a_fit_are_not_taken_for_folds_of_views():
    """AutoFusion fits GFSC to views of its own; the cross-validation of one table splits samples."""
    labels, rng = np.repeat(np.arange(3), 30), np.random.RandomState(0)
    table = rng.normal(size=(3, 6))[labels] + rng.normal(size=(90, 6))  # clusters that touch: all candidates are made
    scores = cross_val_score(
        AutoFusion(3, random_state=0), table, scoring=lambda model, *_: len(model.labels_), cv=3, error_score="raise"
    )
    assert scores.tolist() == [60, 60, 60]


def test_a_list_of_views_may_be_made_inside_a_cross_validation():
    class FromTable(BaseEstimator):
        def fit(self, X, y=None):
            self.labels_ = GFSC(3, random_state=0).fit([X[:, :4], X[:, 4:]]).labels_
            return self

    scores = cross_val_score(FromTable(), np.hstack(VIEWS), scoring=lambda model, *_: len(model.labels_), cv=3)
    assert scores.tolist() == [60, 60, 60]


@pytest.mark.parametrize("method", [GFSC, AnchorGFSC, AutoFusion])
def test_a_failed_fit_leaves_the_estimator_as_it_was(method, monkeypatch):
    unfitted = method(3, random_state=0)
    before = dict(vars(unfitted))
    with pytest.raises(ViewsError):
        unfitted.fit([np.full((90, 3), np.nan)])
    assert vars(unfitted) == before
    model = method(3, random_state=0).fit(dict(zip("abc", VIEWS, strict=True)))
    labels = model.labels_

    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(method, "_number_clusters", interrupted)  # the last step of a fit
    with pytest.raises(KeyboardInterrupt):
        model.fit({"d": VIEWS[0][:50]})
    assert model.labels_ is labels
    assert list(model.view_names_) == ["a", "b", "c"]


def test_float32_is_kept():
    model = GFSC(3, random_state=0).fit([view.astype(np.float32) for view in VIEWS])
    assert model.embedding_.dtype == model.affinity_matrix_.dtype == np.float32
    assert metrics.ari(model.labels_, labels_of(VIEWS)) == 1


def test_precomputed_graphs():
    graphs = [np.exp(-((view[:, None] - view[None]) ** 2).sum(axis=2) / 8) for view in VIEWS]
    for method in (GFSC, GF):
        model = method(3, affinity="precomputed", random_state=0).fit(graphs)
        assert metrics.accuracy(LABELS, model.labels_) > 0.95
    sparse = GFSC(3, affinity="precomputed", random_state=0).fit([sp.csr_array(graph) for graph in graphs])
    assert metrics.accuracy(LABELS, sparse.labels_) > 0.95
    with pytest.raises(ViewsError, match=r"'view0' is 90 × 6.*square"):
        GFSC(3, affinity="precomputed").fit(VIEWS)
    graphs[1][4, 7] = -1
    with pytest.raises(ViewsError, match="'view1' has the negative edge weight -1 in row 4, column 7"):
        GFSC(3, affinity="precomputed").fit(graphs)


def test_graphs_in_frames_are_joined_on_rows_and_columns():
    ids = [f"s{i}" for i in range(90)]
    graphs = [np.exp(-((view[:, None] - view[None]) ** 2).sum(axis=2) / 8) for view in VIEWS]
    frames = [pd.DataFrame(graph, index=ids, columns=ids) for graph in graphs]
    order = np.random.default_rng(0).permutation(90)
    model = GFSC(3, affinity="precomputed", random_state=0)
    a = clone(model).fit(frames)
    b = clone(model).fit([frames[0], frames[1].iloc[order, order], frames[2]])
    np.testing.assert_allclose(b.affinity_matrix_, a.affinity_matrix_)
    with pytest.raises(ViewsError, match=r"'view1': a graph's columns must hold the ids of its rows"):
        model.fit([frames[0], frames[1].rename(columns={"s3": "z"})])


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_divergence_raises_divergence_error(dtype):
    views = [view.astype(dtype) for view in VIEWS]
    degenerate = GFSC(3, alpha=1e-7, beta=1e12, gamma=1e-5, variant="published", random_state=0).fit(views)
    assert np.isfinite(degenerate.embedding_).all()
    with pytest.raises(DivergenceError, match=r"The iterations diverged: .* Lower gamma"):
        GFSC(3, alpha=10, beta=1, gamma=100, variant="paper", random_state=0, max_iter=5000).fit(views)


def test_an_error_names_the_view_and_column_of_a_frame():
    frame = pd.DataFrame(np.hstack(VIEWS)).add_prefix("f").astype({"f7": object})
    frame.loc[2, "f7"] = "text"
    with pytest.raises(ViewsError, match=r"'b', column 'f7' has \d+ different numbers, but in row 2 'text'"):
        GFSC(3, views={"a": slice(0, 6), "b": slice(6, 19)}).fit(frame)
    with pytest.raises(ViewsError, match=r"'all' is complex \(complex128\)"):
        GFSC(3).fit(VIEWS[0] + 1j)
    with pytest.raises(ViewsError, match=r"'all' holds 'x' \(str\) in row 0, column 1"):
        GFSC(3).fit(np.array([[1, "x"]] * 5, dtype=object))


def test_confidence_is_lowest_between_the_clusters():
    rng = np.random.default_rng(0)
    centres = np.array([[6.0, 0, 0], [0, 6.0, 0]])
    between = centres.mean(axis=0) + 0.1 * rng.normal(size=(1, 3))
    points = np.vstack([np.repeat(centres, 30, axis=0) + 0.5 * rng.normal(size=(60, 3)), between])
    model = GFSC(2, random_state=0).fit([points, points + 0.1 * rng.normal(size=points.shape)])
    assert model.confidence_.argmin() == 60
    assert ((model.confidence_ >= 0) & (model.confidence_ <= 1)).all()


def test_verbose_prints_the_iterations(capsys):
    GFSC(3, random_state=0, verbose=1).fit(VIEWS)
    assert "GFSC iteration 1: change" in capsys.readouterr().out


def test_a_constant_view_gets_weight_zero():
    for constant in (np.ones((90, 4)), sp.csr_array(np.tile([0.0, 2.0, 1.0], (90, 1)))):
        with pytest.warns(UninformativeViewWarning, match="'view3' is constant"):
            model = GFSC(3, random_state=0).fit([*VIEWS, constant])
        assert model.view_weights_[3] == 0
        assert model.view_weights_.sum() == pytest.approx(1)
        np.testing.assert_array_equal(model.labels_, labels_of(VIEWS))
    with pytest.raises(ViewsError, match=r"Every view is constant \('view0'\)"):
        GFSC(3).fit([np.ones((90, 4))])


def test_zero_rows_are_clustered_by_the_other_views():
    emptied = VIEWS[0].copy()
    emptied[[5, 6]] = 0
    with pytest.warns(UninformativeViewWarning, match="'view0': 2 rows are all zeros, the first is row 5"):
        model = GFSC(3, random_state=0).fit([emptied, *VIEWS[1:]])
    assert metrics.accuracy(LABELS, model.labels_) > 0.95
    with pytest.warns(DegenerateGraphWarning), pytest.warns(UninformativeViewWarning, match="2 rows are .*every view"):
        alone = GFSC(3, random_state=0).fit([emptied])
    assert np.isfinite(alone.embedding_).all()


@BOTH
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 1}, "n_clusters must be a whole number of at least 2, or 'auto'; got 1"),
        ({"n_clusters": 2.5}, "n_clusters .*got 2.5"),
        ({"n_clusters": True}, "n_clusters .*got True"),
        ({"n_clusters": "three"}, "n_clusters .*got 'three'"),
        ({"variant": "fast"}, "variant must be one of 'robust', 'published', 'paper'; got 'fast'"),
        ({"affinity": "rbf"}, "affinity must be one of"),
        ({"alpha": 0}, "alpha must be a positive number; got 0"),
        ({"beta": np.inf}, "beta must be a positive number"),
        ({"tol": -1}, "tol must be a non-negative number"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1"),
        ({"n_init": 0}, "n_init"),
    ],
)
def test_bad_parameters(method, parameters, message):
    with pytest.raises(ParameterError, match=message):
        method(**({"n_clusters": 3} | parameters)).fit(VIEWS)


def test_a_negative_cut_weight_is_refused():
    with pytest.raises(ParameterError, match="gamma must be a non-negative number"):
        GFSC(3, gamma=-1).fit(VIEWS)


@BOTH
def test_bad_data(method):
    model = method(3)
    with pytest.raises(ViewsError, match=r"2 samples .*cannot form 3 clusters"):
        model.fit([view[:2] for view in VIEWS])
    with pytest.raises(ViewsError, match="'view1' has 1 value"):
        model.fit([VIEWS[0], np.where(VIEWS[1] == VIEWS[1].max(), np.inf, VIEWS[1])])
    with pytest.raises(ViewsError, match="no views"):
        model.fit([])
    with pytest.raises(ViewsTypeError, match="already in views"):
        method(3, views={"a": slice(0, 2)}).fit(VIEWS)
    with pytest.raises(ViewsTypeError, match=r"pass list\(X\)"):
        model.fit(np.ones((2, 9, 4)))
    with pytest.raises(ViewsError, match="must be 2-D"):
        model.fit([np.arange(9.0), np.arange(9.0)])


def test_columns_in_no_view_give_a_warning():
    with pytest.warns(UnusedColumnsWarning, match="13 of 19 columns are in no group"):
        GFSC(3, views=[slice(0, 6)], random_state=0).fit(np.hstack(VIEWS))


def test_iterations_that_do_not_converge_give_a_warning():
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iteration:"):
        model = GFSC(3, max_iter=1, tol=1e-9, random_state=0).fit(VIEWS)
    assert not model.converged_


def test_a_consensus_graph_without_edges_gives_a_warning():
    # β is so large that the data have no influence: S stays the identity, as with the paper's parameters on BBC.
    with pytest.warns(DegenerateGraphWarning, match=r"consensus graph has no edges.*Decrease beta"):
        GFSC(3, alpha=1e-7, beta=1e12, gamma=1e-5, variant="published", random_state=0).fit(VIEWS)
    # Ten orthogonal samples.
    with pytest.warns(DegenerateGraphWarning, match=r"consensus graph has no edges.*Decrease gamma or increase alpha"):
        GFSC(3, random_state=0).fit([np.eye(10)])


def test_single_samples_without_edges_are_named():
    # The samples are symmetric about 0, so their mean comes from the lone sample alone, and no sample is similar to it.
    lone = np.vstack([np.hstack([VIEWS[0], np.zeros((90, 1))]), np.zeros(7)])
    lone = np.vstack([-lone[:-1], lone])
    lone[-1, -1] = 1.0
    with pytest.warns(DegenerateGraphWarning, match=r"1 sample has no edges .*row 180"):
        GFSC(3, random_state=0).fit([lone])


def test_registered():
    assert METHODS["gfsc"] is GFSC
    assert METHODS["gf"] is GF


def test_embedded_digits_beat_k_means_on_all_columns():
    from sklearn.cluster import KMeans

    views = load_digits_views()[:600]
    model = GFSC(10, random_state=0).fit(views)
    joined = StandardScaler().fit_transform(np.hstack(list(views)))
    k_means = KMeans(10, n_init=10, random_state=0).fit_predict(joined)
    assert metrics.accuracy(views.y, model.labels_) > metrics.accuracy(views.y, k_means)
