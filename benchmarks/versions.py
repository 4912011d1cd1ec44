"""Run a part of the tests on several versions of Python and of the libraries, and print a table.

    python benchmarks/versions.py [--only "3.13 newest" ...] [--pythons FOLDER] [TESTS ...]

The rows are Python 3.11 and 3.12 with the oldest versions that pyproject.toml allows (``oldest.py``), and 3.11, 3.12 and
3.13 with the newest that pip finds. Each has an environment of its own in ``.venv-versions``, without Dask, AnnData and
PyTorch, whose tests are skipped. The interpreters are those of ``pyenv``, or ``python3.13`` and so on. Exits with status 1
if a test fails. All tests run on the oldest versions by ``oldest.py``.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from oldest import ROOT, oldest

PLACE = ROOT / ".venv-versions"
ROWS = ("3.11 oldest", "3.12 oldest", "3.11 newest", "3.12 newest", "3.13 newest")
EXTRAS = "cli,io,tables,plot,report"
TOOLS = ("pytest", "hypothesis", "array-api-strict", "networkx", "polars")
SHOWN = ("numpy", "scipy", "scikit-learn", "pandas")
PART = (
    "tests/_utils", "tests/views", "tests/io", "tests/linalg", "tests/graphs", "tests/inspection", "tests/test_metrics.py",
    "tests/test_exceptions.py", "tests/cluster/test_anchor_gfsc.py", "tests/cluster/test_contradiction.py",
    "tests/cluster/test_encoding.py", "tests/cluster/test_gfsc.py", "tests/cluster/test_new_samples.py",
    "tests/cluster/test_novelty.py", "tests/cluster/test_numbering.py", "tests/cluster/test_parameters.py",
    "tests/cluster/test_saving.py", "tests/cluster/test_sklearn.py",
)  # fmt: skip


def interpreter(version: str, pythons: Path) -> str:
    """The path of ``python3.13`` or the like."""
    found = sorted(pythons.glob(f"{version}.*/bin/python"))
    path = str(found[-1]) if found else shutil.which(f"python{version}")
    if path is None:
        raise SystemExit(f"there is no Python {version}: neither in {pythons} nor as python{version}")
    return path


def environment(row: str, pythons: Path) -> Path:
    """The interpreter of the environment of a row. Create the environment if necessary."""
    version, age = row.split()
    place = PLACE / row.replace(" ", "-")
    python, done = place / "bin" / "python", place / "done"
    if done.exists():
        return python
    subprocess.run([interpreter(version, pythons), "-m", "venv", "--clear", place], check=True)
    constraints = place / "constraints.txt"
    constraints.write_text("\n".join(oldest() if age == "oldest" else []))
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--constraint", constraints]
    subprocess.run([*install, f"{ROOT}[{EXTRAS}]", *TOOLS], check=True)
    subprocess.run([python, "-m", "pip", "uninstall", "--quiet", "--yes", "viewfuse"], check=True)  # the tests use src
    done.touch()
    return python


def versions(python: Path) -> list[str]:
    code = f"import importlib.metadata as m; print(*(m.version(n) for n in {SHOWN}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def tested(python: Path, tests: list[str]) -> tuple[dict[str, int], list[str]]:
    """The number of tests by outcome, and the names of those that failed."""
    command = [python, "-m", "pytest", "-q", "--tb=line", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    last = done.stdout.strip().rpartition("\n")[2]
    counts = {outcome: int(number) for number, outcome in re.findall(r"(\d+) (passed|failed|skipped|errors?)", last)}
    if not counts:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    return counts, re.findall(r"^(?:FAILED|ERROR) .*$", done.stdout, re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=ROWS, choices=ROWS, metavar="ROW")
    parser.add_argument("--pythons", type=Path, default=Path.home() / ".pyenv" / "versions")
    parser.add_argument("tests", nargs="*", default=list(PART))
    options = parser.parse_args()
    print(
        "| Python | NumPy | SciPy | scikit-learn | pandas | passed | skipped | failed |\n|---|---|---|---|---|---|---|---|"
    )
    failed = False
    for row in options.only:
        python = environment(row, options.pythons)
        counts, names = tested(python, options.tests)
        bad = counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
        cells = [row.split()[0], *versions(python), counts.get("passed", 0), counts.get("skipped", 0), bad]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
        print(*names, sep="\n", end="\n" if names else "", file=sys.stderr, flush=True)
        failed |= bad > 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
