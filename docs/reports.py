"""The three reports of the gallery: customers in tables, patients, digits.

    python docs/reports.py FOLDER

The documentation's build runs it. The customers are made up; the patients are the 569 of the breast cancer data of Wisconsin
(Street et al., 1993) and the digits those of the UCI repository, both as scikit-learn ships them.
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
