"""The reports of the gallery: customers in tables, patients in omics, patients, digits.

    python docs/reports.py FOLDER

The documentation's build runs it. The customers and the patients in omics are made up; the other patients are the 569 of the
breast cancer data of Wisconsin (Street et al., 1993) and the digits those of the UCI repository, both as scikit-learn ships
them.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

import viewfuse as vf

SEED = 0


def customers() -> tuple[vf.Views, pd.DataFrame]:
    """600 customers in three tables, with categories, dates, empty cells, and a fifth without a survey."""
    tables, segments = vf.datasets.make_customers(random_state=SEED)
    return vf.Views(tables, missing="keep"), segments.to_frame()


def omics() -> tuple[vf.Views, pd.DataFrame]:
    """300 made-up patients of four subtypes: gene expression, methylation, and proteins of four in five.

    No view tells all subtypes: expression does not tell C from D, methylation not A from B.
    """
    rng = np.random.default_rng(SEED)
    subtype = rng.choice(4, 300, p=[0.4, 0.3, 0.2, 0.1])
    ids = [f"patient-{i:03d}" for i in range(300)]

    def levels(groups: list[int], n_features: int, n_informative: int) -> np.ndarray:
        """Standard normal features, of which some have another mean in each group of subtypes."""
        means = np.zeros((max(groups) + 1, n_features))
        means[:, :n_informative] = 1.2 * rng.normal(size=(len(means), n_informative))
        return means[np.array(groups)[subtype]] + rng.normal(size=(300, n_features))

    expression = np.exp(levels([0, 1, 2, 2], 300, 40) + rng.normal(2, 1, 300))
    methylation = 1 / (1 + np.exp(-levels([0, 0, 1, 2], 150, 30)))
    proteins = levels([0, 1, 2, 3], 60, 12)
    views = {
        "expression": pd.DataFrame(expression, ids, [f"gene_{i:03d}" for i in range(300)]),
        "methylation": pd.DataFrame(methylation, ids, [f"site_{i:03d}" for i in range(150)]),
        "proteins": pd.DataFrame(proteins, ids, [f"protein_{i:02d}" for i in range(60)]).sample(frac=0.8, random_state=SEED),
    }
    return vf.Views(views, missing="keep"), pd.DataFrame({"subtype": np.array(list("ABCD"))[subtype]}, ids)


def patients() -> tuple[vf.Views, pd.DataFrame]:
    """Cell nuclei of 569 patients: the mean of ten measures, their error, and their worst values."""
    data = load_breast_cancer(as_frame=True)
    ids = [f"patient-{i:03d}" for i in range(len(data.data))]
    frame = data.data.set_axis(ids)
    views = {
        "mean": frame.filter(regex="^mean "),
        "error": frame.filter(regex=" error$"),
        "worst": frame.filter(regex="^worst "),
    }
    diagnosis = pd.DataFrame({"diagnosis": np.asarray(data.target_names)[data.target]}, index=ids)
    return vf.Views(views), diagnosis


def digits() -> tuple[vf.Views, None]:
    """1,797 handwritten digits in six views."""
    return vf.datasets.load_digits_views(), None


REPORTS = {
    "customers": (customers, 4, "600 customers in three tables"),
    "omics": (omics, 4, "300 made-up patients in three omics"),
    "patients": (patients, "auto", "569 patients: cell nuclei measured in three ways"),
    "digits": (digits, 10, "1,797 handwritten digits in six views"),
}


def write(folder: Path, names: tuple[str, ...] = tuple(REPORTS)) -> list[Path]:
    """Write the reports with these names."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name in names:
        make, n_clusters, title = REPORTS[name]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", vf.exceptions.ViewfuseWarning)  # the page says it too
            views, columns = make()
            model = vf.AutoFusion(n_clusters=n_clusters, random_state=SEED).fit(views)
        written.append(vf.report.write_report(folder / f"{name}.html", model, views, columns=columns, title=title))
    return written


if __name__ == "__main__":
    for path in write(Path(sys.argv[1])):
        print(path)
