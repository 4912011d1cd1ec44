"""The scores of clusterings, and the choice among them without labels."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score, silhouette_score

from viewfuse.datasets import make_views
from viewfuse.selection.comparison import label_free_choice, label_free_scores, labelled_scores

VIEWS = make_views(n_samples=30, n_clusters=3, random_state=0)
FOUND = {"true": np.asarray(VIEWS.y), "halves": np.arange(30) % 2, "one": np.zeros(30, dtype=int), "each": np.arange(30)}


def test_scores_with_labels_are_those_of_scikit_learn():
    scores = labelled_scores(VIEWS.y, FOUND)
    assert list(scores) == list(FOUND)
    assert scores["true"] == pytest.approx({"Acc": 1, "NMI": 1, "ARI": 1, "purity": 1})
    assert scores["halves"]["ARI"] == pytest.approx(adjusted_rand_score(VIEWS.y, FOUND["halves"]))
    assert scores["one"]["NMI"] == pytest.approx(normalized_mutual_info_score(VIEWS.y, FOUND["one"]))
    assert scores["one"]["purity"] == scores["one"]["Acc"] == pytest.approx(np.bincount(VIEWS.y).max() / 30)


def test_scores_without_labels_are_those_of_a_direct_computation():
    scores = label_free_scores(VIEWS, FOUND)
    unit = np.hstack([view / np.linalg.norm(view, axis=1, keepdims=True) for view in VIEWS.arrays])
    for name, labels in FOUND.items():
        others = [adjusted_rand_score(labels, other) for key, other in FOUND.items() if key != name]
        assert scores[name]["agreement"] == pytest.approx(np.mean(others))
    for name in ("true", "halves"):
        assert scores[name]["silhouette"] == pytest.approx(silhouette_score(unit, FOUND[name]), abs=1e-5)
    assert np.isnan(scores["one"]["silhouette"])
    assert np.isnan(scores["each"]["silhouette"])
    assert np.isnan(label_free_scores(VIEWS, {"alone": FOUND["true"]})["alone"]["agreement"])


def row(method, agreement, silhouette):
    return {"method": method, "agreement": agreement, "silhouette": silhouette}


def test_the_best_in_both_columns_is_taken():
    text = label_free_choice([row("a", 0.9, 0.1), row("b", 0.8, 0.5), row("c", 0.1, 0.6), row("d", None, None)])
    assert "I would take b: it is number 2 by agreement and number 2 by silhouette of 3" in text
    assert "a is first by agreement, c by silhouette" in text


def test_columns_that_agree_are_not_said_to_disagree():
    assert "disagree" not in label_free_choice([row("a", 0.9, 0.9), row("b", 0.8, 0.5)])


def test_of_equal_sums_of_ranks_the_more_balanced_is_taken():
    text = label_free_choice([row("a", 0.9, 0.1), row("b", 0.5, 0.5), row("c", 0.1, 0.9)])
    assert text.startswith("I would take b: it is number 2 by agreement and number 2 by silhouette of 3")


def test_equal_methods_share_a_place():
    rows = [row("a", 0.9, 0.5), row("b", 0.9 + 1e-16, 0.5), row("c", 0.9, 0.4), row("d", 0.1, 0.6)]
    text = label_free_choice(rows)
    assert text.startswith("I would take a: it is number 1 by agreement and number 2 by silhouette of 4, the best in both")
    assert "a, b and c are first by agreement, d by silhouette" in text
    assert "disagree" not in label_free_choice([row("a", 0.9, 0.5), row("b", 0.9, 0.6)])


def test_one_result_is_no_choice():
    assert label_free_choice([row("a", 0.9, 0.9), row("b", None, 0.5)]) is None
