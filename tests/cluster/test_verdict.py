"""Are these clusters real? Asked of every fusion estimator."""

import json
import warnings
from functools import partial

import numpy as np
import pytest

from viewfuse import GF, GFSC, AnchorGFSC, AutoFusion, load
from viewfuse.cluster.structure import Evidence
from viewfuse.cluster.verdict import Verdict, judge, parts_of_clouds
from viewfuse.datasets import make_views
from viewfuse.exceptions import NoStructureWarning, UnstableClustersWarning
from viewfuse.graphs import Samples
from viewfuse.metrics import accuracy

ESTIMATORS = [AutoFusion, GFSC, GF, AnchorGFSC]


@pytest.mark.parametrize("method", ESTIMATORS)
def test_clear_clusters_are_supported_without_a_warning(method):
    views = make_views(n_samples=150, n_clusters=3, n_features=(6, 9), random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = method(3, random_state=0).fit(views)
    assert model.verdict_.supported
    assert model.verdict_.stable
    assert model.verdict_.returned.min() > 0.9
    assert str(model.verdict_).startswith("These 3 clusters are supported")


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.DegenerateClustersWarning")
@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.UninformativeViewWarning")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", ESTIMATORS)
def test_clusters_of_noise_are_not(method, seed):
    rng = np.random.default_rng(seed)
    with pytest.warns(NoStructureWarning, match="not supported"):
        model = method(5, random_state=0).fit([rng.normal(size=(300, 10)), rng.normal(size=(300, 20))])
    assert not model.verdict_.supported
    assert model.verdict_.null_ratio > 0.7
    assert np.asarray(model.confidence_).max() <= 0.1


def test_confidence_is_near_zero_without_clusters():
    rng = np.random.default_rng(0)
    with pytest.warns(NoStructureWarning):
        model = AutoFusion(5, random_state=0).fit([rng.normal(size=(500, 10)), rng.normal(size=(500, 20))])
    assert model.confidence_.max() <= 0.1


def test_less_comes_back_of_clouds_with_more_columns():
    """Parts of a plane come back, as the directions of its largest variances do; parts of a cloud in 300 columns do not.

    And these are divided more easily than cut out, for each sample has neighbours in all of them.
    """
    rng = np.random.default_rng(0)
    plane, wide = (Samples((rng.normal(size=(200, p)) * np.linspace(1, 2, p),)) for p in (2, 300))
    few, many = (parts_of_clouds(samples, 4, np.random.RandomState(0)) for samples in (plane, wide))
    assert many[0] < 0.2 < 0.3 < few[0] < 1
    assert few[1] < 1.5 < many[1]


@pytest.mark.parametrize("seed", [0, 5])
def test_clusters_of_many_columns_are_supported_though_each_is_easily_divided(seed):
    """Clusters of which no neighbour graph sees much, but whose labels are right: 98 and 100 % of the samples."""
    rng = np.random.default_rng([91, seed])
    k = int(rng.integers(3, 9))
    n = int(rng.integers(250, 800))
    shares = np.maximum(rng.dirichlet(np.full(k, 2.0)), 12 / n)
    y = rng.choice(k, n, p=shares / shares.sum())
    views = []
    for _ in range(int(rng.integers(1, 4))):
        d = int(rng.integers(40, 600))
        informative = max(4, int(d * rng.uniform(0.05, 0.3)))
        means = np.zeros((k, d))
        means[:, :informative] = rng.normal(size=(k, informative)) * rng.uniform(0.9, 1.6) * np.sqrt(25 / informative)
        factors = rng.normal(size=(5, d)) * 0.1
        views.append(means[y] + rng.normal(size=(n, d)) + rng.normal(size=(n, 5)) @ factors)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NoStructureWarning)
        model = AutoFusion(k, random_state=0).fit(views)
    assert accuracy(y, model.labels_) > 0.95
    assert model.verdict_.evidence.division > 0.75


@pytest.mark.parametrize("seed", [2, 9, 10])
def test_clusters_of_many_columns_need_not_come_back_as_much(seed):
    """Five clusters in three omics of which a tenth of the columns are informative: 92 to 97 % of the samples are right."""
    rng = np.random.default_rng([4242, seed, 5])
    rng.integers(2, 6)
    shares = np.maximum(rng.dirichlet(np.full(5, 2.0)), 0.04)
    y = rng.choice(5, 200, p=shares / shares.sum())
    views = []
    for d in (300, 80, 150):
        means = np.zeros((5, d))
        means[:, : d // 10] = rng.normal(size=(5, d // 10)) * 1.2
        views.append(np.exp(means[y] + rng.normal(size=(200, d)) * 0.8 + rng.normal(size=d)))
    model = AutoFusion(5, random_state=seed).fit(views)
    assert accuracy(y, model.labels_) > 0.9
    assert model.verdict_.supported


def test_a_ring_is_named():
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 300)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    views = [points + 0.05 * rng.normal(size=(300, 2)), points @ rng.normal(size=(2, 4))]
    with pytest.warns(NoStructureWarning, match="around a ring"):
        AutoFusion(3, random_state=0).fit(views)


@pytest.mark.parametrize("method", ESTIMATORS)
def test_no_clusters_say_why(method):
    views = make_views(n_samples=150, n_clusters=1, random_state=0)
    with pytest.warns(NoStructureWarning, match="All samples are put in one cluster"):
        model = method("auto", random_state=0).fit(views)
    assert model.n_clusters_ == 1
    assert str(model.verdict_).startswith("There are no clusters: ")


def test_verdict_is_saved(tmp_path):
    model = AutoFusion(3, random_state=0).fit(make_views(n_samples=90, random_state=0))
    again = load(model.save(tmp_path / "fit.model"))
    assert str(again.verdict_) == str(model.verdict_)
    assert json.dumps(model.verdict_.as_dict())


def test_clusters_that_do_not_come_back_are_uncertain():
    labels = np.arange(60) % 3

    def by_chance(rows, rng):
        return rng.randint(3, size=len(rows))

    verdict = judge(labels, 3, lambda back: Evidence(0.3, False, 0.2, back), by_chance, np.random.RandomState(0))
    assert verdict.supported
    assert not verdict.stable
    assert str(verdict).startswith("These 3 clusters are uncertain: in halves of the samples")
    from viewfuse.cluster._checks import warn_of_verdict

    with pytest.warns(UnstableClustersWarning, match="uncertain"):
        warn_of_verdict(verdict, 3)


def test_the_least_stable_cluster_is_named_and_numbers_can_change():
    verdict = Verdict(3, Evidence(0.1, False, 0.0, 0.9), np.array([1.0, 0.4, 1.0]))
    assert "least of cluster 1: 40 %" in str(verdict)
    assert "least of cluster 0: 40 %" in str(verdict.renumbered(np.array([1, 0, 2])))


def test_a_cluster_too_small_for_halves_does_not_make_the_others_uncertain():
    """Halves of 200 samples have five of the small cluster, and divide the large one instead."""
    labels = np.repeat([0, 1], [189, 11])

    def divided(rows, rng):
        return (rng.random_sample(len(rows)) < 0.2).astype(int)

    verdict = judge(labels, 2, lambda back: Evidence(0.3, False, 0.2, back), divided, np.random.RandomState(0))
    assert verdict.too_small.tolist() == [False, True]
    assert verdict.evidence.returned < 0.5
    assert verdict.stable
    assert str(verdict).endswith("of which a half has too few samples).")
    assert verdict.renumbered(np.array([1, 0])).too_small.tolist() == [True, False]
    lost = Verdict(2, verdict.evidence, np.array([0.4, 0.9]), verdict.too_small)
    assert not lost.stable


def test_clusters_that_dissolve_are_named():
    many = np.zeros(3, dtype=bool)
    verdict = Verdict(3, Evidence(0.1, False, 0.0, 0.9), np.array([1.0, 0.4, 0.3]), many)
    assert verdict.supported
    assert verdict.stable
    assert verdict.dissolved == (1, 2)
    assert str(verdict).startswith("Some of these 3 clusters are uncertain (clusters 1, 2): in halves of the samples")
    assert verdict.as_dict()["dissolved"] == [1, 2]
    assert verdict.renumbered(np.array([1, 0, 2])).dissolved == (0, 2)
    from viewfuse.cluster._checks import warn_of_verdict

    with pytest.warns(UnstableClustersWarning, match="Some of these 3 clusters"):
        warn_of_verdict(verdict, 3)
    small = Verdict(3, verdict.evidence, verdict.returned, np.array([False, True, True]))
    assert small.dissolved == ()  # halves have too few samples of them
    assert Verdict(3, verdict.evidence, np.array([1.0, 0.9, 0.6]), many).dissolved == ()


def test_more_clusters_than_there_are_give_a_warning():
    views = make_views(n_samples=300, n_clusters=3, random_state=0)
    assert AutoFusion(3, random_state=0).fit(views).verdict_.dissolved == ()
    with pytest.warns((UnstableClustersWarning, NoStructureWarning)):
        AutoFusion(5, random_state=0).fit(views)


def test_too_few_samples_for_halves():
    evidence = partial(Evidence, 0.1, False, 0.0)
    verdict = judge(np.array([0, 1, 0]), 2, evidence, lambda rows, rng: rows, np.random.RandomState(0))
    assert "too few samples" in str(verdict)
