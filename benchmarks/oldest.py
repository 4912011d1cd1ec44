"""Run the tests with the oldest versions that pyproject.toml allows.

    python benchmarks/oldest.py [--print] [TESTS ...]

Every requirement ``name>=version`` of the project, its extras and its tests becomes ``name==version``; pip chooses the
versions of their dependencies. PyTorch is left out, and with it the tests that need it. The environment is created in
``.venv-oldest``, and again when the versions change. ``--print`` only prints the constraints. By default all tests run
except those of the documentation, the report in a browser, and the built package.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACE = ROOT / ".venv-oldest"
EXTRAS = ("all", "test")
NOT_RUN = {  # tools whose versions no test depends on
    "build",
    "check-wheel-contents",
    "coverage",
    "hatchling",
    "ipykernel",
    "mypy",
    "psutil",
    "ruff",
    "selenium",
    "twine",
}
WITHOUT = ("--ignore=tests/docs", "--ignore=tests/report/test_browser.py", "--ignore=tests/test_package.py")


def oldest() -> list[str]:
    """``name==version`` for every lower bound, sorted by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    names = {name for extra in EXTRAS for name in _extras_within(extra, optional)}
    requirements = {*project["dependencies"], *(each for name in names for each in optional[name])}
    return sorted(_pinned(each) for each in requirements if not each.startswith("viewfuse[") and _name(each) not in NOT_RUN)


def _extras_within(extra: str, optional: dict[str, list[str]]) -> set[str]:
    """The extra and the extras it consists of."""
    found = {extra}
    for requirement in optional[extra]:
        if requirement.startswith("viewfuse["):
            for inner in requirement.removeprefix("viewfuse[").rstrip("]").split(","):
                found |= _extras_within(inner, optional)
    return found


def _name(requirement: str) -> str:
    return re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0]


def _pinned(requirement: str) -> str:
    bound = re.search(r">=\s*([\w.]+)", requirement)
    if bound is None:
        raise SystemExit(f"{requirement!r} in pyproject.toml has no lower bound")
    return f"{_name(requirement)}=={bound[1]}"


def environment(constraints: list[str]) -> Path:
    """The interpreter of an environment with these versions. Create the environment if necessary."""
    interpreter, done = PLACE / "bin" / "python", PLACE / "constraints.txt"
    wanted = "\n".join(constraints) + "\n"
    if done.exists() and done.read_text() == wanted:
        return interpreter
    venv.create(PLACE, clear=True, with_pip=True)
    attempt = PLACE / "attempt.txt"
    attempt.write_text(wanted)
    install = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--constraint", attempt, "--editable", f"{ROOT}[{','.join(EXTRAS)}]"], check=True)
    attempt.rename(done)
    return interpreter


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", action="store_true", help="only print the constraints")
    parser.add_argument("tests", nargs="*", metavar="TESTS")
    options, more = parser.parse_known_args()  # other options are those of pytest
    constraints, arguments = oldest(), [*options.tests, *more]
    print(*constraints, sep="\n", flush=True)
    if options.print:
        return 0
    command = [environment(constraints), "-m", "pytest", "-q", "-p", "no:cacheprovider", *(arguments or ("tests", *WITHOUT))]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
