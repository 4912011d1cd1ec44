"""Exact GFSC: time relative to a direct version and to its own matrix products, peak memory, and Scene-sized data.

    python benchmarks/exact.py [--data FOLDER]

FOLDER holds Handwritten_numerals.mat (by default ../shared/datasets beside the checkout). Everything is measured in one run
with the same number of BLAS threads. Runs to be compared are timed in turn, and the best time counts: of five for the fit
and its products, of three for Scene-sized data. The direct version is run once.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import sys
import time
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_info

import viewfuse as vf
from viewfuse.graphs import factorise, min_max

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from reference import published_gfsc  # noqa: E402

PUBLISHED = {"alpha": 1e-4, "beta": 1.0, "gamma": 1e-4}


def timed(run):
    begin = time.perf_counter()
    result = run()
    return time.perf_counter() - begin, result


def best_times(*runs, rounds=5):
    """The least time of each, taken in turn so that a busy moment of the machine affects all of them."""
    return np.min([[timed(run)[0] for run in runs] for _ in range(rounds)], axis=0)


def fit_published(views):
    return vf.GFSC(10, variant="published", random_state=0, **PUBLISHED).fit(views)


def matrix_products(factors, iterations, *, with_objective):
    """Only the products of a fit: UᵀS and U·Y per view and iteration, and those of the objective in single precision."""
    n = factors[0].basis.shape[0]
    consensus, graph = np.full((n, n), 1 / n), np.empty((n, n))
    single = graph.astype(np.float32)
    for _ in range(iterations):
        for factor in factors:
            mixture = factor.basis.T @ consensus
            np.matmul(factor.basis, mixture, out=graph)
            if with_objective:
                factor.basis.T.astype(np.float32) @ single


def peak_arrays(views):
    """Additional peak memory of a fit, in n × n float64 arrays, measured in a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak_arrays, (views,))


def _peak_arrays(views):
    fit_published([view[:200] for view in views])  # so that libraries and their buffers are loaded
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak
    before = _status("VmRSS")
    fit_published(views)
    return (_status("VmHWM") - before) / (8 * len(views[0]) ** 2)


def _status(field):
    """A size of this process in bytes, as reported by Linux."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return 1024 * int(line.split()[1])


@dataclass(frozen=True)
class Measured:
    """Seconds on Digits: of a fit, its matrix products (with those of the objective) and the direct version."""

    fit: float
    products: float
    all_products: float
    direct: float
    iterations: int
    difference: float

    @property
    def over_products(self):
        return self.fit / self.all_products

    @property
    def direct_over_fit(self):
        return self.direct / self.fit


def digit_views(folder):
    return [np.asarray(view, dtype=float) for view in vf.load_views(folder / "Handwritten_numerals.mat")]


def measured(folder, *, direct=False):
    """The direct version takes a minute, so it is run only if it is wanted."""
    views = digit_views(folder)
    model = fit_published(views)
    factors = [factorise(min_max(view)) for view in views]
    fit, products, all_products = best_times(
        lambda: fit_published(views),
        lambda: matrix_products(factors, model.n_iter_, with_objective=False),
        lambda: matrix_products(factors, model.n_iter_, with_objective=True),
    )
    slow, difference = math.nan, math.nan
    if direct:
        slow, (consensus, *_) = timed(lambda: published_gfsc(views, 10, trace=False, **PUBLISHED))
        difference = float(np.linalg.norm(model.affinity_matrix_ - consensus) / np.linalg.norm(consensus))
    return Measured(fit, products, all_products, slow, model.n_iter_, difference)


def digits(folder):
    found = measured(folder, direct=True)
    views = digit_views(folder)
    print(f"Digits, published parameters, {found.iterations} iterations: {found.fit:.2f} s")
    print(
        f"  direct version            {found.direct:6.2f} s   {found.direct_over_fit:5.1f} times slower; S differs by "
        f"{found.difference:.0e}"
    )
    print(f"  its matrix products alone {found.all_products:6.2f} s   the fit takes {found.over_products:.2f} times that")
    print(f"  … without the objective's {found.products:6.2f} s   the fit takes {found.fit / found.products:.2f} times that")
    for copies in (1, 2):
        arrays = peak_arrays(views * copies)
        print(f"  peak memory, {6 * copies:2d} views     {arrays:6.1f} n × n float64 arrays")


def scene():
    print("Scene-sized blobs: 4,500 samples, views of 20, 59 and 40 features, 15 clusters, defaults")
    for spread in (0.8, 1.2, 1.5, 1.8, 2.0, 3.0, 4.0):
        rng = np.random.default_rng(0)
        truth = rng.integers(0, 15, 4500)
        views = [rng.normal(size=(15, d))[truth] + spread * rng.normal(size=(4500, d)) for d in (20, 59, 40)]
        model, beside = vf.GFSC(15, random_state=0), np.hstack(views)
        peer = SpectralClustering(15, affinity="nearest_neighbors", random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours, spectral = best_times(partial(model.fit, views), partial(peer.fit, beside), rounds=3)
        scores = [adjusted_rand_score(truth, fit.labels_) for fit in (model, peer)]
        print(
            f"  spread {spread}: {ours:5.2f} s, {model.n_iter_:2d} iterations, ARI {scores[0]:.2f}; SpectralClustering "
            f"{spectral:5.2f} s, ARI {scores[1]:.2f}; ratio {ours / spectral:.1f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "datasets")
    folder = parser.parse_args().data
    threads = {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}
    print(f"BLAS threads: {threads}")
    if (folder / "Handwritten_numerals.mat").exists():
        digits(folder)
    else:
        print(f"Digits left out: no Handwritten_numerals.mat in {folder}")
    scene()


if __name__ == "__main__":
    main()
