"""The code in the README and the documentation runs, each page's blocks in order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [page.relative_to(ROOT).as_posix() for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))]

pytest.importorskip("pandas")


def python_blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("page", [page for page in PAGES if python_blocks(page)])
def test_the_python_blocks_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in python_blocks(page):
        exec(compile(block, page, "exec"), names)


def test_the_readme_and_the_data_page_have_code_to_run() -> None:
    assert python_blocks("README.md")
    assert python_blocks("docs/data.md")
