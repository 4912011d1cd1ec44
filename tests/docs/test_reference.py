"""The reference lists every public name."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

import viewfuse

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference.md").read_text(encoding="utf-8")
NOT_DOCUMENTED = {"cli"}  # a program, not an interface for Python
MODULES = [
    "viewfuse",
    *(
        f"viewfuse.{module.name}"
        for module in pkgutil.iter_modules(viewfuse.__path__)
        if not module.name.startswith("_") and module.name not in NOT_DOCUMENTED
    ),
]


def documented() -> tuple[set[str], set[int]]:
    """The qualified names on the page, and the ids of the objects that they name."""
    current, names = "", set(re.findall(r"`(viewfuse[\w.]*)`", PAGE))
    for kind, name in re.findall(r"^\.\. (currentmodule|auto\w+):: ([\w.]+)$", PAGE, flags=re.MULTILINE):
        if kind == "currentmodule":
            current = name
        elif kind == "automodule":
            # Sphinx lists what has a docstring of its own; constants have none.
            members = public_names(name)
            names |= {name, *(f"{name}.{member}" for member in members if has_docstring(name, member))}
        else:
            names.add(name if name.startswith("viewfuse.") else f"{current}.{name}")
    return names, {id(found(name)) for name in names}


def found(name: str) -> object:
    """The object with this qualified name."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        module, _, attribute = name.rpartition(".")
        return getattr(importlib.import_module(module), attribute)


def public_names(module: str) -> list[str]:
    return list(getattr(importlib.import_module(module), "__all__", []))


def has_docstring(module: str, name: str) -> bool:
    member = getattr(importlib.import_module(module), name)
    return callable(member) and bool(member.__doc__)


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_in_the_reference(module: str) -> None:
    names, objects = documented()
    missing = []
    for name in public_names(module):
        member = getattr(importlib.import_module(module), name)
        same_object = isinstance(member, (type, ModuleType)) or callable(member)
        if f"{module}.{name}" not in names and not (same_object and id(member) in objects):
            missing.append(f"{module}.{name}")
    assert not missing, f"docs/reference.md does not list {', '.join(missing)}"


def test_every_name_in_the_reference_exists() -> None:
    assert all(found(name) is not None for name in documented()[0])
