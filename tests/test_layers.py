"""Arrows point one way: data flows from views through graphs and fusion to clusters; io, cli and report stand outside."""

import ast
from pathlib import Path

import pytest

import viewfuse

ROOT = Path(viewfuse.__file__).parent
CORE = {"graphs", "fusion", "spectral", "cluster"}
MAY_IMPORT = {
    "spectral": set(),
    "graphs": {"spectral"},
    "fusion": {"graphs", "spectral"},
    "cluster": {"graphs", "fusion", "spectral"},
}


def imported_folders(path):
    """Top-level folders of viewfuse that a file imports."""
    package = path.relative_to(ROOT).parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level]
            target = (*base, *(node.module or "").split("."))
            yield from [name for name in target if name][:1] or [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("viewfuse."):
            yield node.module.split(".")[1]


@pytest.mark.parametrize("folder", sorted(CORE))
def test_the_core_imports_only_downwards(folder):
    outside = {"io", "cli", "report", "datasets", "metrics", "experiments", "selection", "plotting"}
    for path in (ROOT / folder).rglob("*.py"):
        wrong = {name for name in imported_folders(path) if name in (CORE - MAY_IMPORT[folder] - {folder}) | outside}
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"
