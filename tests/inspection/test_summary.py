"""The record of a fit: the same from the model, from a saved model and from saved results."""

from __future__ import annotations

import dataclasses
import json
from functools import cached_property
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from viewfuse import GFSC, METHODS, AnchorGFSC, AutoFusion, Views, ViewsError, io, load, summarise
from viewfuse._utils.checksum import checksum
from viewfuse._utils.version import versions
from viewfuse.datasets import make_views
from viewfuse.inspection import FitSummary, as_summary
from viewfuse.inspection.features import describe_clusters
from viewfuse.metrics import evaluate

# ``views`` is the data itself; the others are what the public parts are computed from.
SOURCES = {"graph", "results", "views", "saved", "neighborhoods", "own_verdict"}
COMPUTED = [
    name
    for name, value in vars(FitSummary).items()
    if isinstance(value, (cached_property, property)) and not name.startswith("_")
]
FIELDS = [name for name in (*(field.name for field in dataclasses.fields(FitSummary)), *COMPUTED) if name not in SOURCES]
MODELS = {
    "auto": AutoFusion(3, random_state=0),
    "gfsc": GFSC(3, random_state=0, tol=1e-6),
    "anchor-gfsc": AnchorGFSC(3, n_anchors=12, random_state=0),
    "km": METHODS["km"](3, random_state=0),
    "co-reg": METHODS["co-reg"](3, random_state=0),
}


@pytest.fixture(scope="module")
def views() -> Views:
    made = make_views(n_samples=60, n_features=(4, 5), random_state=0)
    return Views(made, ids=[f"s{i}" for i in range(60)], y=made.y + 9)  # labels of one and of two digits


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, views: Views):
    return MODELS[request.param].fit(views)


def assert_same(found, expected, where: str) -> None:
    """Equal in type and value, in all parts of a record."""
    assert type(found) is type(expected), where
    if isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype, where
        np.testing.assert_array_equal(found, expected, err_msg=where)
    elif isinstance(expected, dict):
        assert list(found) == list(expected), where
        for name in expected:
            assert_same(found[name], expected[name], f"{where}[{name!r}]")
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected), where
        for i, (one, other) in enumerate(zip(found, expected, strict=True)):
            assert_same(one, other, f"{where}[{i}]")
    elif dataclasses.is_dataclass(expected):
        for field in dataclasses.fields(expected):
            assert_same(getattr(found, field.name), getattr(expected, field.name), f"{where}.{field.name}")
    else:
        assert found == expected, where


class TestTheRecord:
    def test_holds_what_the_model_found(self, model, views: Views) -> None:
        fit = summarise(model, views)
        assert fit.method == type(model).__name__
        assert fit.params == model.get_params()
        assert fit.versions == versions()
        assert fit.view_names == views.names
        np.testing.assert_array_equal(fit.labels, model.labels_)
        assert list(fit.sizes.values()) == np.bincount(model.labels_).tolist()
        assert (fit.n_iter, fit.converged, fit.stopped) == (model.n_iter_, model.converged_, None)
        assert fit.sample_names == [f"s{i}" for i in range(60)]
        assert fit.scores == evaluate(views.y, model.labels_)
        assert fit.n_features == (4, 5)
        assert fit.checksums == {name: checksum(array) for name, array in zip(views.names, views.arrays, strict=True)}
        assert (fit.consensus_spectrum is None) == (fit.consensus_graph is None) == (fit.graph is None)

    def test_cannot_be_changed_and_computes_each_part_once(self, model, views: Views) -> None:
        fit = summarise(model, views)
        with pytest.raises(dataclasses.FrozenInstanceError):
            fit.method = "other"  # type: ignore[misc]
        for name in ("consensus_graph", "spectrum", "view_graphs", "agreement", "layouts", "clusters", "confusion"):
            assert getattr(fit, name) is getattr(fit, name), name

    def test_does_not_read_the_model_again(self, views: Views) -> None:
        model = GFSC(3, random_state=0).fit(views)
        fit, expected = summarise(model, views), summarise(model, views)
        for name in FIELDS:
            getattr(expected, name)
        for name in list(vars(model)):
            delattr(model, name)
        for name in FIELDS:
            assert_same(getattr(fit, name), getattr(expected, name), name)

    def test_the_border_samples_have_the_lowest_confidence(self, views: Views) -> None:
        model = GFSC(3, random_state=0).fit(views)
        border = summarise(model, views).border_samples
        assert [sample.row for sample in border] == np.argsort(model.confidence_, kind="stable")[:15].tolist()
        assert all(sample.other not in (None, sample.cluster) for sample in border)
        assert border[0].name == f"s{border[0].row}"

    def test_relative_changes_are_recorded_or_computed_from_the_objective(self) -> None:
        labels = np.array([0, 1])
        recorded = SimpleNamespace(labels_=labels, history_={"change": [0.5, 0.1], "objective": [9.0, 8.0]})
        assert summarise(recorded).relative_changes.tolist() == [0.5, 0.1]
        computed = SimpleNamespace(labels_=labels, history_={"objective": [10.0, 5.0, 4.0]})
        np.testing.assert_allclose(summarise(computed).relative_changes, [0.5, 0.2])
        assert summarise(SimpleNamespace(labels_=labels)).relative_changes is None

    def test_of_many_samples_some_are_drawn(self) -> None:
        labels = np.repeat([0, 1], [9000, 3000])
        fit = summarise(SimpleNamespace(labels_=labels, embedding_=np.eye(2)[labels]))
        assert np.bincount(labels[fit.graph_rows]).tolist() == [300, 100]
        assert (np.diff(labels[fit.graph_rows]) >= 0).all()
        assert fit.layout_rows.shape == (5000,)

    def test_lazy_arrays_are_not_computed_for_the_weights(self) -> None:
        da = pytest.importorskip("dask.array")

        def fail(block):
            raise AssertionError("the labels were computed")

        labels = da.zeros(10, dtype=int).map_blocks(fail, dtype=int, meta=np.array((), dtype=int))
        fit = summarise(SimpleNamespace(labels_=labels, view_weights_=np.array([0.5, 0.5])))
        assert fit.view_weights.tolist() == [0.5, 0.5]
        with pytest.raises(AssertionError, match="labels were computed"):
            fit.labels  # noqa: B018


class TestSavedFits:
    def test_a_saved_model_gives_the_same_record(self, model, views: Views, tmp_path) -> None:
        expected = summarise(model, views)
        found = summarise(load(model.save(tmp_path / "fit.model")), views)
        for name in FIELDS:
            assert_same(getattr(found, name), getattr(expected, name), name)

    def test_saved_results_with_the_data_give_the_same_record(self, model, views: Views, tmp_path) -> None:
        expected = summarise(model, views)
        found = io.load_results(io.save_results(tmp_path / "fit.npz", model, views)).with_views(views)
        for name in FIELDS:
            assert_same(getattr(found, name), getattr(expected, name), name)

    def test_saved_results_alone_give_the_same_record(self, model, views: Views, tmp_path) -> None:
        expected = summarise(model, views)
        found = io.load_results(io.save_results(tmp_path / "fit.npz", model, views))
        for name in FIELDS:
            assert_same(getattr(found, name), getattr(expected, name), name)

    def test_results_saved_without_the_data_say_nothing_of_it(self, model, tmp_path) -> None:
        found = io.load_results(io.save_results(tmp_path / "fit.npz", model))
        assert (found.n_features, found.view_graphs, found.agreement, found.checksums) == (None, {}, None, {})
        assert (found.fused_graph, found.drawn_features, found.n_missing) == (None, None, {})
        assert [cluster.features for cluster in found.clusters] == [{}] * 3

    def test_results_can_be_saved_again(self, model, views: Views, tmp_path) -> None:
        first = io.load_results(io.save_results(tmp_path / "first.npz", model, views))
        second = io.load_results(io.save_results(tmp_path / "second.npz", first))
        for name in FIELDS:
            assert_same(getattr(second, name), getattr(first, name), name)

    def test_parameters_that_json_does_not_have(self, tmp_path) -> None:
        matrix = np.hstack(make_views(n_samples=60, n_features=(4, 5), random_state=0).arrays)
        model = GFSC(3, views={"a": slice(0, 4), "b": slice(4, 9)}, random_state=0).fit(matrix)
        expected = summarise(model)
        found = io.load_results(io.save_results(tmp_path / "fit.npz", model))
        assert_same(found.params, expected.params, "params")
        assert repr(found.params["views"]) == repr(model.views)

    def test_files_of_the_first_version_can_be_read(self, tmp_path) -> None:
        """The arrays that viewfuse 0.1 wrote before there was a FitSummary."""
        labels = np.array([0, 0, 1, 1])
        np.savez_compressed(
            tmp_path / "old.npz",
            labels=labels,
            view_names=np.array(["a", "b"]),
            params=json.dumps({"n_clusters": 2, "tol": 0.001, "views": "slice(0, 2, None)"}),
            versions=json.dumps({"viewfuse": "0.1.0", "python": "3.11.2"}),
            ids=np.array(["p", "q", "r", "s"]),
            view_weights=np.array([0.75, 0.25]),
            embedding=np.eye(2)[labels],
            confidence=np.array([0.9, 0.8, 0.7, 0.6]),
            n_iter=np.asarray(7),
            converged=np.asarray(False),
            method="GFSC",
            y=np.array(["x", "x", "y", "x"]),
            noise_views=np.array(["b"]),
            drawn_consensus=np.eye(4),
            spectrum=np.array([0.0, 0.1, 0.9, 1.0]),
            history_change=np.array([0.5, 0.1]),
            history_weights=np.full((2, 2), 0.5),
        )
        fit = io.load_results(tmp_path / "old.npz")
        assert (fit.method, fit.n_iter, fit.converged, fit.stopped) == ("GFSC", 7, False, None)
        assert fit.params == {"n_clusters": 2, "tol": 0.001, "views": "slice(0, 2, None)"}
        assert fit.tol == 0.001
        assert fit.versions == {"viewfuse": "0.1.0", "python": "3.11.2"}
        assert (fit.view_names, fit.noise_views) == (("a", "b"), ("b",))
        assert fit.sizes == {0: 2, 1: 2}
        assert fit.sample_names == ["p", "q", "r", "s"]
        assert fit.scores["acc"] == 0.75
        assert fit.spectrum.tolist() == [0.0, 0.1, 0.9, 1.0]
        assert fit.consensus_graph.shape == (4, 4)
        assert fit.relative_changes.tolist() == [0.5, 0.1]
        assert [sample.name for sample in fit.border_samples] == ["s", "r", "q", "p"]

    def test_older_versions_find_the_arrays_that_they_read(self, views: Views, tmp_path) -> None:
        model = GFSC(3, random_state=0).fit(views)
        with np.load(io.save_results(tmp_path / "fit.npz", model, views), allow_pickle=False) as found:
            assert set(found) >= {
                "labels", "view_names", "params", "versions", "ids", "view_weights", "embedding", "confidence", "n_iter",
                "converged", "method", "y", "noise_views", "drawn_consensus", "spectrum", "history_change",
            }  # fmt: skip
            assert json.loads(str(found["params"]))["n_clusters"] == 3
            assert found["y"].dtype.kind == "U"

    def test_a_stopped_fit_is_saved_as_stopped(self, tmp_path) -> None:
        model = SimpleNamespace(
            labels_=np.array([0, 1]), view_names_=["a"], n_iter_=1, converged_=False, stopped_="max_time"
        )
        assert summarise(model).stopped == "max_time"
        assert io.load_results(io.save_results(tmp_path / "fit.npz", model)).stopped == "max_time"


class TestTheData:
    def test_a_record_is_returned_as_it_is(self, views: Views) -> None:
        fit = summarise(GFSC(3, random_state=0).fit(views), views)
        assert as_summary(fit) is fit
        assert as_summary(fit, views) is fit
        assert as_summary(fit, views[:]) is not fit

    def test_names_of_the_views_come_from_the_data(self, views: Views) -> None:
        model = GFSC(3, random_state=0).fit(list(views.arrays))
        model.noise_views_ = ("view1",)
        fit = summarise(model, views)
        assert summarise(model).view_names == ("view0", "view1")
        named = summarise(model, Views({"sound": views.arrays[0], "image": views.arrays[1]}))
        assert (named.view_names, named.noise_views) == (("sound", "image"), ("image",))
        assert fit.view_names == views.names

    def test_other_views_raise(self, views: Views) -> None:
        model = GFSC(3, random_state=0).fit(views)
        with pytest.raises(ViewsError, match=r"labels_ has shape \(60,\), but there are 20 samples") as raised:
            summarise(model, views[:20])
        assert raised.value.parameter == "views"
        with pytest.raises(ViewsError, match="fitted on 2 views, but there are 1"):
            summarise(model, [views.arrays[0]])

    def test_ids_that_are_objects_become_text(self, views: Views) -> None:
        ids = np.empty(60, dtype=object)
        ids[:] = [("a", i) for i in range(60)]
        fit = summarise(GFSC(3, random_state=0).fit(views), Views(views, ids=ids))
        assert fit.sample_ids[1] == "('a', 1)"

    def test_an_unfitted_model_raises(self) -> None:
        with pytest.raises(NotFittedError, match="GFSC is not fitted"):
            summarise(GFSC(3))

    def test_the_clusters_are_described_with_the_data(self, views: Views) -> None:
        model = GFSC(3, random_state=0).fit(views)
        described = describe_clusters(model.labels_, views, confidence=model.confidence_)
        for found, expected in zip(summarise(model, views).clusters, described, strict=True):
            assert (found.features, found.size, found.confidence) == (expected.features, expected.size, expected.confidence)
        assert any(cluster.features["view0"] for cluster in summarise(model, views).clusters)


def test_a_graph_of_some_of_the_samples_is_not_drawn(views: Views, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AutoFusion, "_most_clustered", 40)
    fit = summarise(AutoFusion(3, random_state=0).fit(views), views)
    assert fit.n_samples == 60
    assert fit.consensus_graph is None
    assert fit.consensus_spectrum is None
    assert fit.choice is not None


def test_the_choice_has_the_names_of_the_views(views: Views) -> None:
    model = AutoFusion(3, random_state=0).fit(views.arrays)
    renamed = summarise(model, Views({"first": views.arrays[0], "second": views.arrays[1]}))
    assert [view["name"] for view in renamed.choice["views"]] == ["first", "second"]
    assert summarise(GFSC(3, random_state=0).fit(views)).choice is None
