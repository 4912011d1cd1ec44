"""The code in the documentation runs: the pages' blocks in order, and the docstrings' examples."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"

pytest.importorskip("pandas")


@pytest.mark.parametrize("page", ["data.md"])
def test_the_python_blocks_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


@pytest.mark.parametrize(
    "module",
    [
        "io.load",
        "io.writers",
        "io.columns",
        "io.conventions",
        "datasets.catalogue",
        "datasets.digits",
        "datasets.synthetic",
    ],
)
def test_the_examples_of_a_module_run(module: str) -> None:
    found = doctest.testmod(importlib.import_module(f"viewfuse.{module}"))
    assert found.attempted > 0
    assert found.failed == 0
