"""What is picked for a user who said nothing."""

import numpy as np
import pytest

from viewfuse import Views
from viewfuse.datasets import make_views
from viewfuse.exceptions import ParameterError
from viewfuse.selection import method_choice as automatic


@pytest.mark.parametrize(
    ("missing", "k", "exact_up_to", "expected"),
    [
        (0.0, None, 60, "gfsc, the best at its defaults"),
        (0.0, None, 59, "anchor-gfsc, as there are more than 59 rows"),
        (0.2, None, 60, "anchor-gfsc, as some rows lack views and clusters are to be counted"),
        (0.2, 3, 60, "gfsc, the best at its defaults"),
    ],
)
def test_a_method_that_takes_the_data_is_picked_and_counts_its_own_clusters(missing, k, exact_up_to, expected, monkeypatch):
    monkeypatch.setattr(automatic, "_EXACT_UP_TO", exact_up_to)
    choice = automatic.choose(make_views(n_samples=60, missing=missing, random_state=0), n_clusters=k)
    assert choice.reasons[0].startswith(expected)
    assert (choice.method, choice.n_clusters) == (expected.split(",")[0], "auto" if k is None else k)
    assert len(choice.reasons) == (2 if k is None else 1)


def test_for_a_method_that_cannot_count_it_is_done_in_a_sample(monkeypatch):
    monkeypatch.setattr(automatic, "_COUNTED_ON", 150)
    choice = automatic.choose(make_views(n_samples=400, n_clusters=4, random_state=0), "km")
    assert choice == automatic.Choice("km", 4, ("4 clusters, counted in a sample of 150 rows",))


def test_what_was_said_is_not_changed():
    choice = automatic.choose(make_views(n_samples=30, random_state=0), "km", 5)
    assert choice == automatic.Choice("km", 5, ())


def test_without_clusters_it_asks_instead_of_inventing():
    rng = np.random.default_rng(0)
    with pytest.raises(ParameterError, match="No clusters hold together in a sample of 120 rows"):
        automatic.choose(Views([rng.normal(size=(120, 5)), rng.normal(size=(120, 4))]), "km")
