"""Whether a fit says so if more clusters are asked for than there are: ``python benchmarks/too_many.py [--draws 5]``.

Families of random data (``families.py``) with plain clusters are divided into as many clusters as there are, and into one,
two and four more. Prints in how many fits a warning says that the clusters are not supported or not stable.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from families import FAMILIES, draw

import viewfuse as vf
from viewfuse.exceptions import NoStructureWarning, UnstableClustersWarning

MORE = (0, 1, 2, 4)


def is_warned_of(views: list[np.ndarray], k: int, seed: int) -> bool:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        vf.AutoFusion(k, random_state=seed).fit(views)
    return any(issubclass(one.category, (NoStructureWarning, UnstableClustersWarning)) for one in caught)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = []
    for name in FAMILIES:
        drawn = [draw(name, np.random.default_rng([options.seed, i, len(name)])) for i in range(options.draws)]
        counts = [int(y.max()) + 1 for _, y in drawn]
        tried = [[is_warned_of(drawn[i][0], k + more, i) for i, k in enumerate(counts)] for more in MORE]
        found.append(np.mean(tried, axis=1))
        print(f"{name:16s}", *(f"+{more}: {share:4.0%}" for more, share in zip(MORE, found[-1], strict=True)), flush=True)
    print(f"{'all':16s}", *(f"+{more}: {share:4.0%}" for more, share in zip(MORE, np.mean(found, axis=0), strict=True)))


if __name__ == "__main__":
    main()
