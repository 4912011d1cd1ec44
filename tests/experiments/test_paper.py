"""The printed results are those of the paper, and the grids contain the points that it names."""

import re

import pytest

from viewfuse.cluster import METHODS
from viewfuse.exceptions import ParameterError
from viewfuse.experiments import PAPER_DATASETS, ROWS, printed_table
from viewfuse.experiments.grids import FUSION_GRIDS, grid_points, rows_for
from viewfuse.experiments.paper import data_source

PAPER_ROWS = [row for row in ROWS if row.in_paper]
VIEWS = {"BBC": 4, "Reuters": 5, "Digits": 6, "Caltech20": 6}


@pytest.mark.parametrize("name", VIEWS)
def test_the_printed_tables_have_the_same_rows_as_ours(name):
    labels = [label for row, label, _ in rows_for(VIEWS[name]) if row.in_paper]
    assert list(printed_table(name)) == labels
    assert all(set(row) == {"Acc", "Purity", "NMI"} for row in printed_table(name).values())


def test_the_printed_tables_equal_those_of_the_paper(shared):
    source = (shared / "paper" / "gfsc-paper.tex").read_text()
    for caption, name in (("BBC", "BBC"), ("Reuters", "Reuters"), ("Digits", "Digits"), ("Caltech20", "Caltech20")):
        start = source.index(rf"erformance {'comparison ' if name != 'Reuters' else ''}on {caption}")
        table = source[start : source.index(r"\end{tabular}", start)]
        lines = [re.sub(r"\\textbf|[{}\\ ]", "", line) for line in table.splitlines() if "&" in line and line[0] != "%"]
        found = {line.split("&")[0]: re.findall(r"([\d.]+)\(([\d.]+)\)", line) for line in lines if "(" in line}
        printed = {row: [tuple(map(str, stat)) for stat in stats.values()] for row, stats in printed_table(name).items()}
        assert {r: [tuple(map(float, s)) for s in c] for r, c in found.items()} == {
            r: [tuple(map(float, s)) for s in c] for r, c in printed.items()
        }


def test_the_grids_contain_the_points_that_the_paper_names():
    gfsc = next(row for row in ROWS if row.method == "gfsc")
    for name, source in PAPER_DATASETS.items():
        if source.optimum is None:
            continue
        wanted = dict(zip(("alpha", "beta", "gamma"), source.optimum, strict=True))
        for quick in (False, True):
            assert {**gfsc.setting, **wanted} in grid_points(gfsc, name, quick=quick)
        assert len(FUSION_GRIDS[name]["gamma"]) == 2


@pytest.mark.parametrize("row", PAPER_ROWS, ids=lambda row: row.label)
def test_every_point_of_every_grid_is_accepted_by_its_method(row):
    full, quick = (grid_points(row, "Digits", quick=q) for q in (False, True))
    assert 1 <= len(quick) <= len(full)
    assert len(full) >= 6 or row.method == "km"  # a fair comparison; k-means has nothing to tune
    for point in (*full, *quick):
        METHODS[row.method](n_clusters=3, **point)._validate_params()


def test_the_tables_contain_fourteen_methods():
    assert len({row.method for row in PAPER_ROWS}) == 14


def test_an_unknown_data_set_is_an_error_that_lists_the_known_ones():
    with pytest.raises(ParameterError, match=r"no data set or file named 'nowhere'.*Reuters"):
        data_source("nowhere")
