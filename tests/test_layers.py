"""Imports point one way. The table below has one entry per room (module or folder), with the rooms it may import."""

import ast
from pathlib import Path

import pytest

import viewfuse

ROOT = Path(viewfuse.__file__).parent

BASE = {"_utils", "exceptions"}
CORE = {"views", "linalg", "graphs", "fusion", "cluster"}
MAY_IMPORT = {
    "exceptions": set(),
    "_utils": {"exceptions"},
    "metrics": BASE,
    "views": BASE,
    "linalg": BASE,
    "graphs": {*BASE, "linalg"},
    "fusion": {*BASE, "linalg", "graphs"},
    "cluster": {*BASE, *CORE},
    "selection": {*BASE, *CORE, "metrics"},
    "inspection": {*BASE, *CORE, "metrics", "selection"},
    "plotting": {*BASE, *CORE, "inspection"},
    "io": {*BASE, "graphs", "views", "inspection"},
    "datasets": {*BASE, "views", "io"},
    "report": {*BASE, *CORE, "metrics", "inspection"},
    "experiments": {*BASE, *CORE, "metrics", "selection", "inspection", "plotting", "io", "datasets", "report"},
    "cli": {*BASE, *CORE, "metrics", "selection", "inspection", "plotting", "io", "datasets", "report", "experiments"},
    "__main__": {"cli"},
}


def imports(tree):
    """Every import in a module, including those inside functions, without those for the type checker."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        yield from imports(node)


def imported_rooms(path):
    """The rooms that a module imports; "viewfuse" is the package itself, which no module may import."""
    folder = path.relative_to(ROOT).parts[:-1]
    for node in imports(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        elif node.level:
            base = ["viewfuse", *folder[: len(folder) - (node.level - 1)], *(node.module or "").split(".")]
            base = [part for part in base if part]
            targets = [base] if len(base) > 1 else [[*base, alias.name] for alias in node.names]
        else:
            targets = [(node.module or "").split(".")]
        for target in targets:
            if target[0] == "viewfuse":
                yield target[1] if len(target) > 1 and target[1] in MAY_IMPORT else "viewfuse"


def room_of(path):
    return path.relative_to(ROOT).with_suffix("").parts[0]


def modules():
    return [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


def test_every_room_is_in_the_table():
    assert {room_of(path) for path in modules()} == set(MAY_IMPORT)


def test_only_utils_is_private_at_the_top_level():
    private = {path.name for path in ROOT.iterdir() if path.name.startswith("_") and not path.name.startswith("__")}
    assert private == {"_utils"}


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_a_room_imports_only_what_the_table_allows(room):
    for path in modules():
        if room_of(path) == room:
            wrong = set(imported_rooms(path)) - MAY_IMPORT[room] - {room}
            assert not wrong, f"{path.relative_to(ROOT)} imports {sorted(wrong)}"


def test_the_table_has_no_cycle():
    remaining = dict(MAY_IMPORT)
    while remaining:
        free = [room for room, targets in remaining.items() if not targets & remaining.keys() - {room}]
        assert free, f"these rooms import each other: {sorted(remaining)}"
        for room in free:
            del remaining[room]
