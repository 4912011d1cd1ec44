"""The store keeps finished results after a kill, and is used by one run at a time."""

import json

import pytest

from viewfuse._utils.store import Store
from viewfuse.exceptions import RunInProgressError, ViewsFormatError


def filled(folder):
    with Store.opened(folder) as store:
        store.begin_session({"command": "first"})
        for key in "abc":
            store.add({"key": key, "seconds": 1.0})
    return folder / "cells.jsonl"


def test_results_are_kept_until_the_next_start(tmp_path):
    filled(tmp_path)
    with Store.opened(tmp_path) as store:
        assert list(store.results) == ["a", "b", "c"]
        assert store.sessions == [{"command": "first"}]
        store.begin_session({"command": "second"})
        store.add({"key": "d"})
    with Store.opened(tmp_path) as store:
        assert store.results["d"]["session"] == 1


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_an_incomplete_last_line_is_dropped(tmp_path, cut):
    path = filled(tmp_path)
    path.write_bytes(path.read_bytes()[:-cut])
    with Store.opened(tmp_path) as store:
        assert list(store.results) == ["a", "b"]
        store.add({"key": "c"})
    assert [json.loads(line).get("result", {}).get("key") for line in path.read_text().splitlines()] == [None, "a", "b", "c"]


def test_a_damaged_line_is_an_error_that_names_it(tmp_path):
    path = filled(tmp_path)
    path.write_text(path.read_text().replace('{"result":{"key":"b"', "oops", 1))
    with (
        pytest.raises(ViewsFormatError, match=r"cells.jsonl, line 3: the line is damaged.*Delete this line"),
        Store.opened(tmp_path),
    ):
        pass


def test_a_second_run_in_the_folder_is_an_error(tmp_path):
    with Store.opened(tmp_path), pytest.raises(RunInProgressError, match="Another run is writing"), Store.opened(tmp_path):
        pass
    with Store.opened(tmp_path):  # the lock is released
        pass
