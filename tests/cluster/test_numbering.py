"""The numbers of clusters depend on the clusters only, for every method."""

import numpy as np
import pytest

import viewfuse as vf
from viewfuse import METHODS
from viewfuse.linalg import numbered_by_size

SIZES = (15, 40, 25, 60)  # far from sorted, so that an estimator that does not number its clusters fails


@pytest.fixture(scope="module")
def views():
    rng = np.random.RandomState(0)
    members = np.repeat(np.arange(4), SIZES)
    arrays = [5 * rng.standard_normal((4, d))[members] + rng.standard_normal((len(members), d)) for d in (8, 11)]
    order = rng.permutation(len(members))
    return vf.Views([array[order] for array in arrays])


def numbered_directly(labels):
    """Number of each cluster: how many clusters are larger, or as large and begin earlier."""
    labels = labels.tolist()
    keys = {label: (-labels.count(label), labels.index(label)) for label in labels}
    return [sum(other < keys[label] for other in keys.values()) for label in labels]


@pytest.mark.parametrize("key", METHODS)
def test_clusters_are_numbered_by_size(views, key):
    first = METHODS[key](n_clusters=4, random_state=0).fit(views)
    assert first.labels_.tolist() == numbered_directly(first.labels_)
    assert np.bincount(first.labels_).tolist() == sorted(SIZES, reverse=True)


@pytest.mark.parametrize("key", METHODS)
def test_another_seed_gives_the_same_numbers(views, key):
    first, again = (METHODS[key](n_clusters=4, random_state=seed).fit(views) for seed in (0, 1))
    assert vf.metrics.ari(first.labels_, again.labels_) == 1  # otherwise this data would not show anything
    assert (first.labels_ == again.labels_).all()


@pytest.mark.parametrize("key", METHODS)
def test_another_order_of_the_samples_gives_the_same_numbers(views, key):
    order = np.random.RandomState(1).permutation(len(views))
    labels = METHODS[key](n_clusters=4, random_state=0).fit(views).labels_
    permuted = METHODS[key](n_clusters=4, random_state=0).fit(views[order]).labels_
    assert vf.metrics.ari(labels[order], permuted) == 1
    assert (labels[order] == permuted).all()


@pytest.mark.parametrize("key", [key for key, method in METHODS.items() if hasattr(method, "predict")])
def test_predict_and_saved_models_use_the_same_numbers(views, key, tmp_path):
    model = METHODS[key](n_clusters=4, random_state=0).fit(views)
    assert (model.predict(views) == model.labels_).all()
    again = vf.load(model.save(tmp_path / "fit.model"))
    assert (again.labels_ == model.labels_).all()
    assert (again.predict(views) == model.labels_).all()


@pytest.mark.parametrize("key", [key for key, method in METHODS.items() if hasattr(method, "predict_proba")])
def test_membership_uses_the_same_numbers(views, key):
    model = METHODS[key](n_clusters=4, random_state=0).fit(views)
    if hasattr(model, "membership_"):
        assert (model.membership_.argmax(axis=1) == model.labels_).all()
    assert (model.predict_proba(views).argmax(axis=1) == model.labels_).all()


@pytest.mark.parametrize("key", [key for key, method in METHODS.items() if hasattr(method, "relabel")])
def test_another_run_of_k_means_gives_the_same_numbers(views, key):
    model = METHODS[key](n_clusters=4, random_state=0).fit(views)
    assert (model.relabel(n_init=10, random_state=5) == model.labels_).all()


class TestClusteringOfASample:
    """The sizes that count are those among all samples, not those in the sample that was clustered."""

    @staticmethod
    def check(model, views):
        assert model.labels_.tolist() == numbered_directly(model.labels_)
        assert (model.predict(views) == model.labels_).mean() > 0.98  # samples between clusters may be assigned otherwise

    @pytest.fixture
    def large(self):
        """Clusters of almost the same size, so that samples show them in another order."""
        rng = np.random.RandomState(2)
        members = rng.permutation(np.repeat(np.arange(3), (410, 400, 390)))
        return vf.Views([8 * rng.standard_normal((3, d))[members] + rng.standard_normal((1200, d)) for d in (6, 9)])

    def test_auto(self, large, monkeypatch):
        monkeypatch.setattr(vf.AutoFusion, "_most_clustered", 300)
        models = [vf.AutoFusion(3, random_state=seed).fit(large) for seed in range(4)]
        for model in models:
            self.check(model, large)
            assert (model.membership_.argmax(axis=1) == model.labels_).all()
            assert (model.labels_ == models[0].labels_).all()

    def test_anchors(self, large, monkeypatch):
        monkeypatch.setattr(vf.AnchorGFSC, "_rows_per_anchor", 4)
        models = [vf.AnchorGFSC(3, random_state=seed).fit(large) for seed in range(4)]
        for model in models:
            self.check(model, large)
            assert (model.labels_ == models[0].labels_).all()

    def test_anchors_on_dask(self, large, monkeypatch):
        array = pytest.importorskip("dask.array", reason="Dask is not installed")
        monkeypatch.setattr(vf.AnchorGFSC, "_rows_per_anchor", 4)
        expected = vf.AnchorGFSC(3, random_state=0).fit(large).labels_
        for seed in range(4):
            chunks = [array.from_array(x, chunks=(500, -1)) for x in large.arrays]
            model = vf.AnchorGFSC(3, random_state=seed).fit(chunks)
            assert (model.labels_.compute() == expected).all()
            assert (model.predict(large) == expected).all()


def test_tuning_uses_the_same_numbers(views):
    found = vf.selection.tune(views, 4, grid={"alpha": [1.0, 2.0]})
    for labels, point in zip(found.clusterings, found.points, strict=True):
        assert (labels == numbered_by_size(labels)).all()
        assert (labels == vf.GFSC(4, random_state=0, **point).fit(views).labels_).all()
