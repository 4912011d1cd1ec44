"""The method and the number of clusters that are chosen if the user names none."""

from types import SimpleNamespace

import numpy as np
import pytest

from viewfuse import Views
from viewfuse.datasets import make_views
from viewfuse.exceptions import ParameterError
from viewfuse.selection.method_choice import MethodChoice, choose, count_in_sample


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("k", [None, 3])
def test_the_default_is_auto_and_chooses_the_number_of_clusters(missing, k):
    choice = choose(make_views(n_samples=60, missing=missing, random_state=0), n_clusters=k)
    assert choice.reasons[0] == "auto, the default: it chooses graphs that suit the data"
    assert (choice.method, choice.n_clusters) == ("auto", "auto" if k is None else k)
    assert len(choice.reasons) == (2 if k is None else 1)


def test_the_reason_for_the_number_of_clusters_names_how_the_method_finds_it():
    views = make_views(n_samples=60, random_state=0)
    assert "clearest gap" in choose(views).reasons[-1]
    assert "consensus graph" in choose(views, "gfsc").reasons[-1]


def test_clusters_are_counted_on_a_sample_for_methods_that_need_the_number():
    choice = choose(make_views(n_samples=400, n_clusters=4, random_state=0), "km", sample_size=150)
    assert choice == MethodChoice("km", 4, ("4 clusters, counted on 150 samples",))


def test_the_sample_is_evenly_spaced_among_the_complete_samples(monkeypatch):
    seen = []

    def counted(views, random_state):
        seen.append(views.ids.tolist())
        return SimpleNamespace(structured=True, suggested=3)

    monkeypatch.setattr("viewfuse.selection.method_choice.choose_n_clusters", counted)
    present = np.ones((12, 2), dtype=bool)
    present[[0, 5], 1] = False
    views = Views([np.ones((12, 1)), np.ones((12, 1))], present=present, ids=np.arange(12))
    assert count_in_sample(views, 0, sample_size=5) == (3, "3 clusters, counted on 5 samples")
    assert count_in_sample(views, 0)[1] == "3 clusters, counted on 10 samples"
    count_in_sample(Views(views.arrays, ids=np.arange(12)), 0, sample_size=3)
    assert seen == [[1, 3, 6, 8, 10], [1, 2, 3, 4, 6, 7, 8, 9, 10, 11], [0, 4, 8]]


def test_what_the_user_named_is_not_changed():
    choice = choose(make_views(n_samples=30, random_state=0), "km", 5)
    assert choice == MethodChoice("km", 5, ())


def test_data_without_clusters_is_an_error_that_asks_for_n_clusters():
    rng = np.random.default_rng(0)
    with pytest.raises(ParameterError, match="No stable clusters were found in 120 samples") as caught:
        choose(Views([rng.normal(size=(120, 5)), rng.normal(size=(120, 4))]), "km")
    assert caught.value.parameter == "n_clusters"
    assert "-k" not in str(caught.value)
