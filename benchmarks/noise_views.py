"""What noise views cost each method: ``python benchmarks/noise_views.py [MSRC-v5] [-m km,gmc] [--noise 2]``.

Prints Acc without and with views of Gaussian noise (50 features each), the mean of three seeds, and the share of the weight
that the noise gets where a method has weights.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

from viewfuse import METHODS, Views, load_views, metrics

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "datasets"
SEEDS = range(3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", default="MSRC-v5")
    parser.add_argument("-m", "--methods", default=",".join(METHODS))
    parser.add_argument("--noise", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    views = load_views(FOLDER / f"{options.data}.mat")
    views = views[np.random.default_rng(0).permutation(len(views))]
    k = len(np.unique(views.y))
    for key in options.methods.split(","):
        clean, noisy, shares = [], [], []
        for seed in SEEDS:
            noise = np.random.default_rng(seed).normal(size=(options.noise, len(views), 50))
            named = {f"noise{v}": array for v, array in enumerate(noise)}
            both = Views({**dict(zip(views.names, views.arrays, strict=True)), **named})
            clean.append(metrics.accuracy(views.y, METHODS[key](k, random_state=seed).fit(views).labels_))
            model = METHODS[key](k, random_state=seed).fit(both)
            noisy.append(metrics.accuracy(views.y, model.labels_))
            if hasattr(model, "view_weights_"):
                shares.append(model.view_weights_[-options.noise :].sum())
        weight = f"   weight of the noise {np.mean(shares):.3f}" if shares else ""
        print(
            f"{options.data:12} {key:12} Acc {100 * np.mean(clean):5.1f} → {100 * np.mean(noisy):5.1f}{weight}", flush=True
        )


if __name__ == "__main__":
    main()
