"""Processor seconds of `import viewfuse`, and those that all its public names add to the import of scikit-learn.

Each time is the minimum of several runs.

python benchmarks/imports.py
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys

SCIKIT_LEARN = "import scipy.linalg, scipy.sparse, sklearn.datasets, sklearn.cluster, sklearn.metrics, sklearn.preprocessing"
RUNS = 5


def seconds(program: str) -> float:
    """Processor time of a new interpreter that runs the program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    theirs = min(seconds(SCIKIT_LEARN) for _ in range(RUNS))
    both = min(seconds(f"{SCIKIT_LEARN}; from viewfuse import *") for _ in range(RUNS))
    python, ours = (min(seconds(program) for _ in range(RUNS)) for program in ("", "import viewfuse"))
    print(f"Python {python:.2f} s; with `import viewfuse` {ours:.2f} s: {ours - python:.2f} s more")
    print(f"scikit-learn {theirs:.2f} s; with all names of viewfuse {both:.2f} s: {both - theirs:.2f} s more")


if __name__ == "__main__":
    main()
