"""The HTML summary of a fitted estimator."""

import pytest

from reference import blobs
from viewfuse import GFSC, METHODS, summarise
from viewfuse.inspection.notebook import summary_html


@pytest.fixture(scope="module")
def views():
    return blobs(n=60)[0]


@pytest.fixture(scope="module")
def model(views):
    return GFSC(3, random_state=0).fit(views)


def test_a_fitted_estimator_shows_a_summary(model):
    html = model._repr_html_()
    assert "3 clusters</b> of 60 samples" in html
    assert "Weight of each view" in html
    assert "iteration" in html
    assert "3 clusters</b> of 60 samples" in model._repr_mimebundle_()["text/html"]


def test_the_summary_has_the_verdict_and_a_small_map(model, views):
    html = summary_html(model)
    assert str(model.verdict_) in html
    assert html.count("<circle") == 60
    assert "shaped by the cut" in html
    with_data = summary_html(summarise(model, views))
    assert "map before the cut" in with_data


def test_the_record_gives_the_same_summary(model):
    assert summary_html(summarise(model)) == summary_html(model)


def test_an_unfitted_estimator_shows_only_the_diagram():
    assert "clusters</b>" not in GFSC(3)._repr_html_()


def test_names_are_escaped(views):
    hostile = GFSC(3, random_state=0).fit({"<script>alert(1)</script>": views[0], "b": views[1]})
    assert "<script>alert" not in hostile._repr_html_().partition("<style>")[0]
    assert "&lt;script&gt;alert" in hostile._repr_html_()


def test_a_method_without_weights_has_no_table_of_weights(views):
    assert "Weight of each view" not in summary_html(METHODS["km"](3, random_state=0).fit(views))
