"""Processor seconds that `import viewfuse` adds to the import of scikit-learn: the minimum of several runs.

python benchmarks/imports.py
"""

from __future__ import annotations

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


if __name__ == "__main__":
    theirs = min(seconds(SCIKIT_LEARN) for _ in range(RUNS))
    ours = min(seconds(f"{SCIKIT_LEARN}; import viewfuse") for _ in range(RUNS))
    print(f"scikit-learn {theirs:.2f} s; with viewfuse {ours:.2f} s: {ours - theirs:.2f} s more")
