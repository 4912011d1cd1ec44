"""Measure the ratios of the current commit with asv, keep them in benchmarks/kept/results, and print them as a table.

    python benchmarks/bench.py [REGULAR EXPRESSION OF BENCHMARKS]

Commit the new file in benchmarks/kept/results. ``asv compare COMMIT COMMIT`` compares two commits.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "kept" / "results"
ENVIRONMENT = "existing-python"


def asv(*arguments):
    subprocess.run([sys.executable, "-m", "asv", *arguments], cwd=ROOT, check=True)


def without_paths(folder):
    """asv names the environment after the path of the interpreter, which means nothing on another machine."""
    for path in folder.glob("*/*-existing-py_*.json"):
        commit = path.name.partition("-")[0]
        found = json.loads(path.read_text())
        found["env_name"], found["python"] = ENVIRONMENT, platform.python_version()
        found["params"]["python"] = found["python"]
        path.with_name(f"{commit}-{ENVIRONMENT}.json").write_text(json.dumps(found, indent=1))
        path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmarks", nargs="?", help="regular expression; by default all")
    benchmarks = parser.parse_args().benchmarks
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    chosen = ["--bench", benchmarks] if benchmarks else []
    asv("machine", "--yes")
    asv("run", "--environment", f"existing:{sys.executable}", "--set-commit-hash", commit, "--show-stderr", *chosen)
    without_paths(RESULTS)
    asv("show", commit)


if __name__ == "__main__":
    main()
