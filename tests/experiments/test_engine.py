"""The runner of the experiments: failures are results, limits are not tried again, higher limits are."""

import time
import warnings
from dataclasses import dataclass

import pytest

from viewfuse._utils.store import Store
from viewfuse.exceptions import ConvergenceWarning, ParameterError
from viewfuse.experiments.engine import compute, measured
from viewfuse.experiments.tables import as_booktabs, as_csv, latex_text
from viewfuse.experiments.workers import Limits
from worker_tasks import cell_of


@dataclass(frozen=True)
class Wanted:
    method: str
    seed: int = 0
    dataset: str = "data"

    @property
    def key(self):
        return f"{self.method} {self.seed}"

    @property
    def setting(self):
        return self.method


def test_a_result_has_its_time_warnings_and_error():
    def work():
        warnings.warn(ConvergenceWarning("too slow"), stacklevel=2)
        time.sleep(0.02)
        return {"scores": {"acc": 50.0}}

    result = measured("a", work)
    assert (result["key"], result["scores"], result["failed"]) == ("a", {"acc": 50.0}, None)
    assert result["seconds"] >= 0.02
    assert result["warnings"] == ["ConvergenceWarning: too slow"]

    def fail():
        raise ParameterError("k is 0.")

    assert measured("b", fail)["failed"] == "ParameterError: k is 0."


def test_an_unexpected_error_is_a_failure_and_the_others_go_on():
    def function(cell):
        if cell.method == "bad":
            raise ValueError("broken")
        return measured(cell.key, lambda: {"scores": {"acc": 1.0}})

    store, seen = Store(), []
    compute(function, [(Wanted("bad"),), (Wanted("good"),)], store, on_cell=seen.append)
    assert store.results["bad 0"]["failed"] == "ValueError: broken"
    assert store.results["good 0"]["scores"] == {"acc": 1.0}
    assert [(p.done, p.total) for p in seen] == [(1, 2), (2, 2)]
    compute(function, [(Wanted("bad"),), (Wanted("good"),)], store, on_cell=lambda _: pytest.fail("computed again"))
    assert len(store.sessions) == 1


def test_other_seeds_of_a_cell_over_its_limit_are_not_tried(tmp_path):
    # Each cell takes as many seconds as its number.
    tasks = [(Wanted("slow", seed), 600) for seed in range(3)] + [(Wanted("fast"), 0)]
    with Store.opened(tmp_path) as store:
        begin = time.monotonic()
        compute(cell_of, tasks, store, limits=Limits(seconds=3))
        assert time.monotonic() - begin < 60
    with Store.opened(tmp_path) as store:
        assert store.results["slow 0"]["failed"] == "over the time limit of 3 s"
        assert store.results["slow 2"]["failed"] == "over the time limit of 3 s, with another seed"
        assert store.results["fast 0"]["scores"] == {"acc": 1.0}


def test_a_higher_limit_tries_again_and_the_same_limit_does_not():
    store = Store()
    over = {"key": "slow 0", "scores": None, "failed": "over", "over": {"seconds": 2}, "seconds": 2.0, "warnings": []}
    store.sessions.append({})
    store.add(over)
    compute(cell_of, [(Wanted("slow"), 0)], store, limits=Limits(seconds=2))
    assert store.results["slow 0"]["failed"] == "over"
    compute(cell_of, [(Wanted("slow"), 0)], store, limits=Limits(seconds=30))
    assert store.results["slow 0"]["scores"] == {"acc": 1.0}


def test_tables_as_text():
    assert as_csv([{"a": 1, "b": "x, y"}]) == 'a,b\n1,"x, y"\n'
    assert as_csv([]) == "\n"
    text = as_booktabs("lr", [["a", "b"]], [[latex_text("m_1"), latex_text("1 ± 2 %")]], ["a note"])
    assert text.splitlines() == [
        "% a note", r"\begin{tabular}{lr}", r"\toprule", r"a & b \\", r"\midrule", r"m\_1 & 1 \(\pm\) 2 \% \\",
        r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip
