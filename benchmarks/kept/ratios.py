"""The ratios of ``benchmarks/speed.py`` and ``benchmarks/exact.py``, kept from commit to commit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import ClassVar

FOLDER = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(FOLDER)]

import exact  # noqa: E402
import speed  # noqa: E402


def _hard_case(case):
    try:
        return speed.hard_case(case)
    except FileNotFoundError:
        return None


class HardCases:
    """GFSC on data that is hard for it."""

    params: ClassVar = list(speed.HARD)
    param_names = ("case",)
    timeout = 600

    def setup_cache(self):
        """Every case once, for both numbers."""
        return {case: _hard_case(case) for case in self.params}

    setup_cache.timeout = 1800

    def setup(self, found, case):
        if found[case] is None:
            raise NotImplementedError(case)  # its data is not here: asv leaves it out

    def track_fusion_over_products(self, found, case):
        return found[case].over_products

    def track_iterations(self, found, case):
        return found[case].iterations

    track_fusion_over_products.unit = "times"
    track_iterations.unit = "iterations"


class Published:
    """The published variant on Digits."""

    timeout = 600

    def setup(self):
        if not (speed.DATA / "Handwritten_numerals.mat").exists():
            raise NotImplementedError("Handwritten_numerals.mat")  # asv leaves it out

    def track_over_products(self):
        return exact.measured(speed.DATA).over_products

    def track_fusion_over_products(self):
        return exact.measured(speed.DATA).fusion_over_products

    def track_direct_over_fit(self):
        return exact.measured(speed.DATA, direct=True).direct_over_fit

    def track_peak_arrays(self):
        return exact.peak_arrays(exact.digit_views(speed.DATA))

    track_over_products.unit = track_fusion_over_products.unit = track_direct_over_fit.unit = "times"
    track_peak_arrays.unit = "n × n arrays"


class StartUp:
    """Processor time of new interpreters, over that of ``import sklearn.cluster``."""

    timeout = 300

    def setup_cache(self):
        return speed.start_up()

    def track_import(self, found):
        return found["import viewfuse"] / found["import sklearn.cluster"]

    def track_import_with_auto_fusion(self, found):
        return found["import viewfuse; viewfuse.AutoFusion"] / found["import sklearn.cluster"]

    def track_help(self, found):
        return found["viewfuse --help"] / found["import sklearn.cluster"]

    def track_cluster_a_small_file(self, found):
        return found[f"viewfuse cluster, {speed.FEW_ROWS} rows"] / found["import sklearn.cluster"]

    for _ratio in (track_import, track_import_with_auto_fusion, track_help, track_cluster_a_small_file):
        _ratio.unit = "times"


class Busy:
    """Fits beside two busy processes, over the same with one thread."""

    params: ClassVar = [f"{method} {n_clusters}" for method, n_clusters in speed.FITTED_WHEN_BUSY]
    param_names = ("method and number of clusters",)
    timeout = 900

    def track_over_one_thread(self, fitted):
        return speed.busy_ratio(*fitted.split())

    track_over_one_thread.unit = "times"
