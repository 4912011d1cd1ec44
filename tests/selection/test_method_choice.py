"""The method and the number of clusters that are chosen if the user names none."""

import numpy as np
import pytest

from viewfuse import Views
from viewfuse.datasets import make_views
from viewfuse.exceptions import ParameterError
from viewfuse.selection.method_choice import MethodChoice, choose


@pytest.mark.parametrize(
    ("missing", "k", "exact_up_to", "expected"),
    [
        (0.0, None, 60, "gfsc, the best at its defaults"),
        (0.0, None, 59, "anchor-gfsc, because there are more than 59 samples"),
        (0.2, None, 60, "anchor-gfsc, because some samples are missing from a view"),
        (0.2, 3, 60, "gfsc, the best at its defaults"),
    ],
)
def test_the_method_suits_the_data_and_chooses_the_number_of_clusters(missing, k, exact_up_to, expected):
    choice = choose(make_views(n_samples=60, missing=missing, random_state=0), n_clusters=k, exact_up_to=exact_up_to)
    assert choice.reasons[0].startswith(expected)
    assert (choice.method, choice.n_clusters) == (expected.split(",")[0], "auto" if k is None else k)
    assert len(choice.reasons) == (2 if k is None else 1)


def test_clusters_are_counted_on_a_sample_for_methods_that_need_the_number():
    choice = choose(make_views(n_samples=400, n_clusters=4, random_state=0), "km", sample_size=150)
    assert choice == MethodChoice("km", 4, ("4 clusters, counted on 150 samples",))


def test_what_the_user_named_is_not_changed():
    choice = choose(make_views(n_samples=30, random_state=0), "km", 5)
    assert choice == MethodChoice("km", 5, ())


def test_data_without_clusters_is_an_error_that_asks_for_n_clusters():
    rng = np.random.default_rng(0)
    with pytest.raises(ParameterError, match="No stable clusters were found in 120 samples") as caught:
        choose(Views([rng.normal(size=(120, 5)), rng.normal(size=(120, 4))]), "km")
    assert caught.value.parameter == "n_clusters"
    assert "-k" not in str(caught.value)
