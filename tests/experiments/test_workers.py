"""Tasks in worker processes: results, exceptions, limits and crashes."""

import os
import time

import pytest

from viewfuse.experiments.workers import Limits, in_workers
from worker_tasks import work


def test_results_exceptions_and_crashes_belong_to_their_tasks():
    tasks = [("give", 1), ("raise", 2), ("exit",), ("give", 4), ("give", 5)]
    found = dict(in_workers(work, tasks, 2))
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert [found[i].value for i in (0, 3, 4)] == [1, 4, 5]
    assert isinstance(found[1].error, ValueError)
    assert str(found[1].error) == "not 2"
    assert found[2].failure == "the process ended (exit code 3)"


def test_a_task_over_its_time_is_ended_and_the_others_go_on():
    begin = time.monotonic()
    found = dict(in_workers(work, [("sleep", 600), ("give", 7)], 1, Limits(seconds=8)))
    assert found[0].failure == "over the time limit of 8 s"
    assert found[1].value == 7
    assert time.monotonic() - begin < 120


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is read from Linux's /proc")
def test_memory_is_limited_and_measured():
    tasks = [("allocate", 400 * 2**20), ("allocate", 60 * 2**20), ("give", 1)]
    found = dict(in_workers(work, tasks, 1, Limits(memory=200 * 2**20)))
    assert found[0].failure == "over the memory limit of 0.195 GiB"
    assert found[1].value == 60 * 2**20
    if found[1].peak is not None:
        assert found[1].peak >= 55 * 2**20
        assert found[2].peak < 30 * 2**20
