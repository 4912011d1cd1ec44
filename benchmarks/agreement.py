"""Agreement of GFSC's labels (adjusted Rand index) across precision, threads and array libraries, on eight real data sets.

    python benchmarks/agreement.py [FOLDER [FILE ...]]

FOLDER holds the files, by default ../shared/datasets. If FILES are given, only those are used. Every line compares the
labels of one data set (double precision, one thread, NumPy) with those in single precision, with two threads, and with
PyTorch tensors.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

import viewfuse as vf

FILES = (
    "3Sources.mat", "BBCSport_fea_gt.mat", "Handwritten_numerals.mat", "MSRC-v5.mat", "NGs.mat", "ORL_4view.mat",
    "bbc_seg14of4.mat", "reuters_1200.mat",
)  # fmt: skip
LEAST = 0.99


def fitted(arrays: list[Any], k: int, threads: int = 1) -> np.ndarray:
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(vf.GFSC(k, random_state=0).fit(arrays).labels_)


def as_tensors(arrays: list[Any]) -> list[Any]:
    import torch

    return [torch.asarray(np.array(x.toarray() if sp.issparse(x) else x, dtype=float)) for x in arrays]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parents[2] / "shared" / "datasets")
    parser.add_argument("files", nargs="*", metavar="FILE", default=FILES)
    options = parser.parse_args()
    worst = 1.0
    print(f"{'data set':26}{'float32':>9}{'threads':>9}{'PyTorch':>9}")
    for file in options.files or FILES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            views = vf.load_views(options.folder / file)
        arrays = [x.astype(float) for x in views.arrays]
        k = len(set(views.y))
        reference = fitted(arrays, k)
        others = (
            fitted([x.astype(np.float32) for x in arrays], k),
            fitted(arrays, k, threads=2),
            fitted(as_tensors(arrays), k),
        )
        scores = [adjusted_rand_score(reference, labels) for labels in others]
        worst = min(worst, *scores)
        print(f"{file:26}" + "".join(f"{score:9.4f}" for score in scores), flush=True)
    print(f"least: {worst:.4f}")
    return 0 if worst >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
