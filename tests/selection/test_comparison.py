"""The choice among clusterings without labels."""

from viewfuse.selection.comparison import label_free_choice


def row(method, agreement, silhouette):
    return {"method": method, "agreement": agreement, "silhouette": silhouette}


def test_the_best_in_both_columns_is_taken():
    text = label_free_choice([row("a", 0.9, 0.1), row("b", 0.8, 0.5), row("c", 0.1, 0.6), row("d", None, None)])
    assert "I would take b: it is number 2 by agreement and number 2 by silhouette of 3" in text
    assert "a is first by agreement, c by silhouette" in text


def test_columns_that_agree_are_not_said_to_disagree():
    assert "disagree" not in label_free_choice([row("a", 0.9, 0.9), row("b", 0.8, 0.5)])


def test_one_result_is_no_choice():
    assert label_free_choice([row("a", 0.9, 0.9), row("b", None, 0.5)]) is None
