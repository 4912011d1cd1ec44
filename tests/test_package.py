"""The built package contains everything it needs, and nothing of the machine it was built on."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytest.importorskip("build")
pytest.importorskip("hatchling")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return folder


def test_the_lock_file_pins_every_requirement_with_hashes() -> None:
    """If this fails after a change of pyproject.toml, run ``make lock``."""
    requirements = pytest.importorskip("packaging.requirements")
    blocks = re.split(r"\n(?=\S)", (ROOT / "requirements-dev.txt").read_text())
    pins = {}
    for block in blocks:
        if block.startswith("#"):
            continue
        pinned = requirements.Requirement(block.partition("\\")[0])
        assert "--hash=sha256:" in block, pinned
        pins.setdefault(pinned.name, []).append(next(iter(pinned.specifier)))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"]]
    wanted += [one for extra, names in project["optional-dependencies"].items() if extra != "torch" for one in names]
    for requirement in map(requirements.Requirement, wanted):
        if requirement.name != "viewfuse":
            assert pins.get(requirement.name), f"{requirement.name} is not in requirements-dev.txt"
            for pin in pins[requirement.name]:
                assert pin.operator == "=="
                assert requirement.specifier.contains(pin.version), f"{requirement} is not met by {pin}"


def test_the_wheel_contains_type_marker_and_data(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    data = ("py.typed", "datasets/catalogue.json", "report/page.html", "report/page.css", "report/page.js")
    data += ("experiments/page.html", "experiments/page.css", "experiments/printed.json")
    assert {f"viewfuse/{name}" for name in data} <= names
    assert all(name.startswith("viewfuse") for name in names)


def test_the_sdist_contains_what_the_tests_need(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "LICENSE", "README.md", "Makefile", "docs/conf.py", "tests/reference.py"} <= names
    assert {"SECURITY.md", "requirements-dev.txt"} <= names
    assert not any(name.startswith((".venv", "docs/_build", "docs/gallery")) for name in names)


def test_the_wheel_works_outside_the_checkout(built: Path, tmp_path: Path) -> None:
    """Unpacked in another folder it can be imported and knows its version; nothing refers to this checkout."""
    (wheel,) = built.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path)
    program = "import viewfuse, pathlib; print(pathlib.Path(viewfuse.__file__).parent, viewfuse.__version__)"
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.split() == [str(tmp_path / "viewfuse"), "0.1.0"], ended.stderr
