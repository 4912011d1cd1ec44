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
    """600 customers of a telephone company in three tables, and two columns that are only shown."""
    rng = np.random.default_rng(SEED)
    kind = rng.choice(4, size=600, p=(0.4, 0.3, 0.2, 0.1))  # families, retired, students, businesses
    ids = pd.Index([f"customer-{i:04d}" for i in range(600)], name="id")

    def normal(means: tuple[float, ...], spread: float) -> np.ndarray:
        return np.asarray(means)[kind] + spread * rng.normal(size=600)

    profile = pd.DataFrame(
        {
            "age": np.clip(normal((41, 68, 23, 46), 5), 18, 95).round(),
            "income": np.round(np.exp(normal((10.5, 10.2, 9.6, 11.3), 0.2)), -2),
            "square_metres": np.maximum(normal((110, 75, 32, 130), 14), 15).round(),
        },
        index=ids,
    )
    usage = pd.DataFrame(
        {
            "calls_per_week": rng.poisson(np.asarray((9, 14, 4, 40))[kind]),
            "gigabytes": np.exp(normal((2.3, 0.4, 3.4, 2.9), 0.35)).round(1),
            "share_at_night": np.clip(normal((0.2, 0.08, 0.45, 0.05), 0.05), 0, 1).round(2),
        },
        index=ids,
    )
    service = pd.DataFrame(
        {
            "years": np.maximum(normal((6, 14, 1.5, 8), 1.5), 0.1).round(1),
            "satisfaction": np.clip(normal((7.4, 8.6, 6.2, 5.2), 0.6), 1, 10).round(1),
            "monthly_bill": np.exp(normal((3.9, 3.1, 2.8, 5.0), 0.2)).round(2),
        },
        index=ids,
    )
    region = rng.choice(["north", "west", "south"], size=600, p=(0.3, 0.4, 0.3))
    shown = pd.DataFrame({"churned": rng.random(600) < np.asarray((0.1, 0.05, 0.3, 0.1))[kind], "region": region}, index=ids)
    return vf.Views({"profile": profile, "usage": usage, "service": service}), shown


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
    "customers": (customers, "auto", "600 customers in three tables"),
    "patients": (patients, "auto", "569 patients: cell nuclei measured in three ways"),
    "digits": (digits, 10, "1,797 handwritten digits in six views"),
}


def write(folder: Path, names: tuple[str, ...] = tuple(REPORTS)) -> list[Path]:
    """Write the reports with these names."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name in names:
        make, n_clusters, title = REPORTS[name]
        views, columns = make()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", vf.exceptions.ViewfuseWarning)  # the page says it too
            model = vf.AutoFusion(n_clusters=n_clusters, random_state=SEED).fit(views)
        written.append(vf.report.write_report(folder / f"{name}.html", model, views, columns=columns, title=title))
    return written


if __name__ == "__main__":
    for path in write(Path(sys.argv[1])):
        print(path)
