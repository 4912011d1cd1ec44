"""The table of slow tests names files and tests that exist, and marks them."""

import re
from pathlib import Path

import pytest

from slow_tests import SLOW, reasons

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("entry", SLOW)
def test_every_entry_of_the_table_exists(entry):
    path, _, name = entry.partition("::")
    assert (ROOT / path).exists()
    if name:
        assert re.search(rf"^def {name}\(", (ROOT / path).read_text(), flags=re.MULTILINE), f"{path} has no test {name}"


def test_slow_tests_are_found_by_path_and_by_name():
    assert reasons("tests/docs/test_documentation.py", "test_a_gallery_example_runs")
    assert reasons("tests/test_package.py", "test_the_wheel_works_outside_the_checkout")
    assert reasons("tests/io/test_writers.py", "TestCtrlC::test_nothing_is_lost") == ["interrupts processes"]
    assert not reasons("tests/test_metrics.py", "test_ari_by_hand")


def test_this_test_is_not_marked_slow_and_others_are(request):
    assert request.node.get_closest_marker("slow") is None
    collected = {item.nodeid.partition("::")[0]: item for item in request.session.items}
    for path, item in collected.items():
        assert (item.get_closest_marker("slow") is not None) or path not in SLOW
