"""The programs of the folder ``benchmarks``, without running them."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
PROGRAMS = [path for path in sorted(FOLDER.glob("*.py")) if "__main__" in path.read_text(encoding="utf-8")]


def test_the_programs_are_found():
    assert len(PROGRAMS) > 30


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_answers_help_with_what_it_does(path):
    """As ``argparse`` does with the module's docstring; running each would take a minute."""
    source = path.read_text(encoding="utf-8")
    compile(source, path.name, "exec")
    assert "ArgumentParser(description=__doc__" in source
    assert "parse_args()" in source or "parse_known_args()" in source
