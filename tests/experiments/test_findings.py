"""The explanations on the page are computed from the results of the run."""

import pytest

from viewfuse.experiments.findings import DataFacts, claim_holds, explanations, is_degenerate, printed_point
from viewfuse.experiments.paper import PAPER_DATASETS, printed_table
from viewfuse.experiments.protocol import METRICS, Cell
from viewfuse.experiments.summary import ScoredCell, TableRow


def scored(acc, parameters=None, **facts):
    scores = {metric: [acc - 1.0, acc + 1.0] * 5 for metric in METRICS}
    return ScoredCell(Cell("BBC", "0", "r", "m", parameters or {}), {"scores": scores, "facts": {"n_iter": 6, **facts}})


def row(method, label, acc, *, points=(), dataset="BBC"):
    best = scored(acc)
    printed = printed_table(dataset).get(label, {})
    return TableRow(dataset, label, method, points or (best,), 0, 0, best, best, printed)


def test_a_claim_is_checked_against_the_best_other_method():
    rows = [row("km", "KM", 50.0), row("mspl", "MSPL", 70.0), row("gfsc", "GFSC", 60.0), row("gf", "GF", 55.0)]
    holds, gfsc, best = claim_holds("GFSC consistently outperforms the k-means methods", rows)
    assert (holds, gfsc.label, best.label) == (False, "GFSC", "MSPL")
    assert claim_holds("GFSC always performs better than GF", rows)[0]
    assert claim_holds("GFSC consistently performs better than AMGL", rows) is None


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"isolated": 0.5, "ties": 0.3, "largest_cluster": 0.2}, True),
        ({"isolated": 0.0, "ties": 1e-12, "largest_cluster": 0.2}, True),
        ({"isolated": 0.0, "ties": 0.3, "largest_cluster": 0.97}, True),
        ({"isolated": 0.4, "ties": 0.3, "largest_cluster": 0.92}, False),
        ({"largest_cluster": 0.3}, False),
    ],
)
def test_degenerate_points_are_recognised_without_labels(facts, expected):
    assert is_degenerate(scored(50.0, **facts)) is expected


def test_the_explanations_contain_the_results_of_the_run():
    at_optimum = dict(zip(("alpha", "beta", "gamma"), PAPER_DATASETS["BBC"].optimum, strict=True))
    noise = scored(91.25, at_optimum, isolated=1.0, ties=1e-13, largest_cluster=0.99)
    gfsc = row("gfsc", "GFSC", 93.0, points=(noise, scored(93.0, isolated=0.0, ties=0.5, largest_cluster=0.9)))
    assert printed_point(gfsc) is noise
    rows = [gfsc, row("mvkkm", "MVKKM", 99.0), row("mspl", "MSPL", 40.0)]
    facts = DataFacts(PAPER_DATASETS["BBC"], "0", 145, (3, 4), 2, 92.41)
    found = {title: " ".join(paragraphs) for title, paragraphs in explanations(rows, {"BBC": facts})}
    bbc = found["BBC at the printed parameters is noise"]
    assert "145 samples, 92.41 %" in bbc
    assert "91.25(1.05)" in bbc
    assert not any("fact " in title + text or "facts " in title + text for title, text in found.items())
    assert "BBC 1 of 2" in found["Much of the α × β × γ grid is degenerate"]
    baselines = found["Methods with much better or worse results here"]
    assert "MVKKM on BBC (99.0, printed 84.0)" in baselines.split("below:")[0]
    assert "MSPL on BBC (40.0, printed 80.4)" in baselines.split("below:")[1]
