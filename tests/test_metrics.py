import numpy as np
import pytest

from viewfuse import metrics

TRUE = [0, 0, 0, 1, 1, 2]
PREDICTED = ["b", "b", "a", "a", "a", "c"]


def test_accuracy_by_hand():
    # b→0 takes 2, a→1 takes 2, c→2 takes 1: five of six.
    assert metrics.accuracy(TRUE, PREDICTED) == pytest.approx(5 / 6)


def test_inverse_purity_is_purity_with_swapped_arguments():
    one_cluster = np.zeros(6, int)
    assert metrics.purity(TRUE, one_cluster) == pytest.approx(0.5)
    assert metrics.inverse_purity(TRUE, one_cluster) == 1.0
    assert metrics.purity(TRUE, PREDICTED) == pytest.approx(metrics.inverse_purity(PREDICTED, TRUE))


def test_pairwise_f_by_hand():
    # Pairs together: truth {01,02,12,34}, prediction {01,23,24,34}; two in common.
    assert metrics.f_score(TRUE, PREDICTED) == pytest.approx(2 * 2 / (4 + 4))


def test_f_score_of_all_singletons_is_one():
    assert metrics.f_score([0, 1, 2], ["x", "y", "z"]) == 1.0


def test_nmi_normalizations_follow_from_the_entropies():
    def entropy(labels):
        p = np.unique(labels, return_counts=True)[1] / len(labels)
        return -(p * np.log(p)).sum()

    h_true, h_pred = entropy(TRUE), entropy(PREDICTED)
    joint = entropy([f"{a}{b}" for a, b in zip(TRUE, PREDICTED, strict=True)])
    mutual = h_true + h_pred - joint
    assert metrics.nmi(TRUE, PREDICTED, "max") == pytest.approx(mutual / max(h_true, h_pred))
    assert metrics.nmi(TRUE, PREDICTED, "min") == pytest.approx(mutual / min(h_true, h_pred))
    assert metrics.nmi(TRUE, PREDICTED, "geometric") == pytest.approx(mutual / np.sqrt(h_true * h_pred))
    assert metrics.nmi(TRUE, PREDICTED) == pytest.approx(mutual / ((h_true + h_pred) / 2))


@pytest.mark.parametrize("score", [metrics.accuracy, metrics.nmi, metrics.ari, metrics.purity, metrics.f_score])
def test_renaming_clusters_changes_nothing(score):
    rng = np.random.default_rng(0)
    true, predicted = rng.integers(0, 4, 60), rng.integers(0, 5, 60)
    renamed = np.array([3, 4, 0, 2, 1])[predicted]
    assert score(true, renamed) == pytest.approx(score(true, predicted))
    assert score(true, true) == pytest.approx(1.0)


def test_evaluate_returns_every_score():
    assert set(metrics.evaluate(TRUE, PREDICTED)) == {
        "acc", "nmi", "nmi_geometric", "nmi_max", "ari", "purity", "inverse_purity", "f_score",
    }  # fmt: skip


@pytest.mark.parametrize(("true", "predicted"), [([0, 1], [0]), ([], []), ([[0]], [[0]])])
def test_labels_of_different_lengths_are_refused(true, predicted):
    with pytest.raises(ValueError, match=r"labels|Labels"):
        metrics.accuracy(true, predicted)


@pytest.mark.parametrize("score", [metrics.accuracy, metrics.nmi, metrics.ari, metrics.purity, metrics.f_score])
@pytest.mark.parametrize(("true", "predicted"), [([0, 1], [0]), ([], []), ([[0, 1]], [[0, 1]]), (0, 0)])
def test_every_score_refuses_invalid_labels(score, true, predicted):
    with pytest.raises(ValueError, match=r"no labels to compare|vectors of the same length"):
        score(true, predicted)


def test_labels_of_every_array_library(xp):
    true, predicted = np.array(TRUE), np.array([1, 1, 0, 0, 0, 2])
    expected = metrics.evaluate(true, predicted)
    assert metrics.evaluate(xp.asarray(true), xp.asarray(predicted)) == expected
    assert expected["acc"] == pytest.approx(5 / 6)


def test_evaluate_returns_each_score_under_its_name():
    predicted = ["b", "b", "a", "a", "a", "a"]
    found = metrics.evaluate(TRUE, predicted)
    assert found["acc"] == metrics.accuracy(TRUE, predicted) == pytest.approx(4 / 6)
    assert found["nmi"] == metrics.nmi(TRUE, predicted)
    assert found["nmi_geometric"] == metrics.nmi(TRUE, predicted, "geometric")
    assert found["nmi_max"] == metrics.nmi(TRUE, predicted, "max")
    assert found["ari"] == metrics.ari(TRUE, predicted)
    assert found["purity"] == pytest.approx(4 / 6)
    assert found["inverse_purity"] == pytest.approx(5 / 6)
    assert found["f_score"] == metrics.f_score(TRUE, predicted)
    assert len({round(value, 6) for value in found.values()}) >= 7  # they differ, so a swapped name would be noticed


def test_ari_by_hand():
    # 2 pairs in common; expected by chance 4 · 4 / 15; maximum (4 + 4) / 2.
    assert metrics.ari(TRUE, PREDICTED) == pytest.approx((2 - 16 / 15) / (4 - 16 / 15))
