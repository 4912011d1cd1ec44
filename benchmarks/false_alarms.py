"""Warnings and notes about damaged data that correct data gives.

    python benchmarks/false_alarms.py [--draws 4] [--seed 0] [--n-clusters auto]

The data are draws of every family of ``families.py``, the sets of scikit-learn in two views, and the real sets of
../shared/datasets if they are there. Two thirds of the samples are fitted by AutoFusion, with the known number of clusters
or ``"auto"``, and the others are predicted. Prints every warning and note of the kinds that ``sabotage.py`` provokes. Labels
are used for the number of clusters only.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from families import FAMILIES, draw
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

import viewfuse as vf
from viewfuse._utils.warn import recording
from viewfuse.exceptions import ContradictingViewWarning, SuspiciousValuesWarning, UnlikeFitWarning

ALARMS = (ContradictingViewWarning, SuspiciousValuesWarning, UnlikeFitWarning)
SHARED = Path(__file__).resolve().parents[2] / "shared" / "datasets"
MOST_SAMPLES = 3_000


def correct(draws: int, seed: int) -> Iterator[tuple[str, vf.Views]]:
    """Names, and views with labels."""
    for number, name in enumerate(FAMILIES):
        for each in range(draws):
            views, y = draw(name, np.random.default_rng([seed, number, each]), 1.0)
            yield f"{name} {each}", vf.Views(views, y=y)
    for load in (load_iris, load_wine, load_breast_cancer, load_diabetes):
        data = load()
        half = data.data.shape[1] // 2
        y = data.target if len(np.unique(data.target)) < 20 else data.target > np.median(data.target)
        yield load.__name__, vf.Views([data.data[:, :half], data.data[:, half:]], y=y)
    yield "digits", vf.datasets.load_digits_views()
    for path in sorted(SHARED.glob("*.mat")):
        yield path.stem, vf.load_views(path)


def alarms(views: vf.Views, n_clusters: int | str, rng: np.random.Generator) -> list[str]:
    """The warnings, and the notes, of a fit on two thirds and of the prediction of the others."""
    order = rng.permutation(len(views))[:MOST_SAMPLES]
    cut = 2 * len(order) // 3
    with recording() as given:
        model = vf.AutoFusion(n_clusters, random_state=0).fit(views[np.sort(order[:cut])])
        model.predict(views[np.sort(order[cut:])])
    warned = [str(one) for one in given if isinstance(one, ALARMS)]
    noted = [f"(note) {one}" for one in given if type(one) is vf.exceptions.ViewfuseWarning]
    return [*warned, *(text for text in noted if "were clustered; the others" not in text)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--n-clusters", choices=["known", "auto"], default="known")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    n_sets = n_warned = n_noted = 0
    for name, views in correct(options.draws, options.seed):
        k = "auto" if options.n_clusters == "auto" else len(np.unique(views.y))
        found = alarms(views, k, np.random.default_rng(options.seed))
        n_sets += 1
        n_warned += any(not text.startswith("(note)") for text in found)
        n_noted += any(text.startswith("(note)") for text in found)
        for text in found:
            print(f"{name}: {text[:200]}", flush=True)
    print(f"{n_sets} correct data sets: {n_warned} with a warning, {n_noted} with a note")


if __name__ == "__main__":
    main()
