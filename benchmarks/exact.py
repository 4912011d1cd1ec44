"""Exact GFSC: time relative to a direct version and to its own matrix products, peak memory, and Scene-sized data.

    python benchmarks/exact.py [--data FOLDER]

FOLDER holds Handwritten_numerals.mat (by default ../shared/datasets beside the checkout). Everything is measured in one run
with the same number of BLAS threads; with one thread (OMP_NUM_THREADS=1) in processor time, which other processes change
little. Runs to be compared are timed in turn, and the best time counts: of five for the fit and its products, of three for
Scene-sized data. The direct version is run once.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import sys
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_info

import viewfuse as vf
from viewfuse.graphs import factorise, min_max
from viewfuse.linalg.laplacian import Laplacian
from viewfuse.linalg.threads import matmul

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from reference import published_gfsc  # noqa: E402

PUBLISHED = {"alpha": 1e-4, "beta": 1.0, "gamma": 1e-4}


def blas_threads():
    return max(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")


def timed(run):
    clock = time.process_time if blas_threads() == 1 else time.perf_counter
    begin = clock()
    result = run()
    return clock() - begin, result


def best_times(*runs, rounds=5):
    """The least time of each, taken in turn so that a busy moment of the machine affects all of them."""
    return np.min([[timed(run)[0] for run in runs] for _ in range(rounds)], axis=0)


def fit_published(views):
    return vf.GFSC(10, variant="published", random_state=0, **PUBLISHED).fit(views)


def matrix_products(factors, iterations):
    """Only the products of a fit, in the form it uses: in single precision, per iteration and view

    - the last step of S times U, all views at once; in the first iteration S is the identity,
    - U·Y, where Y is r × n; half of it in the first iteration, where it is symmetric,
    - Δ·U for the objective.
    """
    n = factors[0].basis.shape[0]
    step, graph = np.full((n, n), 1 / n, np.float32), np.zeros((n, n), np.float32)
    bases = [factor.basis.astype(np.float32) for factor in factors]
    joined, mixtures = np.hstack(bases), [basis.T.copy() for basis in bases]
    for iteration in range(iterations):
        if iteration:
            step @ joined
        rows = slice(None if iteration else n // 2)
        for basis, mixture in zip(bases, mixtures, strict=True):
            np.matmul(basis[rows], mixture, out=graph[rows])
            graph @ basis


def products_in_double(factors, iterations):
    """Those of graphs instead of differences: UᵀS and U·Y in double precision, and the objective's in single."""
    n = factors[0].basis.shape[0]
    consensus, graph = np.full((n, n), 1 / n), np.zeros((n, n))
    single = graph.astype(np.float32)
    for _ in range(iterations):
        for factor in factors:
            mixture = factor.basis.T @ consensus
            np.matmul(factor.basis, mixture, out=graph)
            factor.basis.T.astype(np.float32) @ single


def products_for_embedding(consensus, widths):
    """Those of S with the blocks of vectors of the eigensolver."""
    for width in widths:
        matmul(consensus, consensus[:, :width].copy())


@contextmanager
def noted_widths(widths):
    """Note the width of every block that a Laplacian is multiplied with."""
    original = Laplacian.__matmul__

    def noted(laplacian, block):
        widths.append(block.shape[1])
        return original(laplacian, block)

    Laplacian.__matmul__ = noted
    try:
        yield
    finally:
        Laplacian.__matmul__ = original


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
    """Seconds on Digits.

    Attributes
    ----------
    fit : of a fit
    fusion : of its fusion alone, from the factors of the views: without checks, k-means and the verdict
    products : of its matrix products of the graphs and the objective
    embedding : of its products of S with blocks of vectors
    in_double : of the products if they were in double precision
    direct : of the direct version
    iterations : their number
    difference : of S from that of the direct version, relative
    """

    fit: float
    fusion: float
    products: float
    embedding: float
    in_double: float
    direct: float
    iterations: int
    difference: float

    @property
    def over_products(self):
        """The whole fit over the products of the graphs and the objective."""
        return self.fit / self.products

    @property
    def fusion_over_products(self):
        """The fusion over all of its products, as in ``benchmarks/speed.py``."""
        return self.fusion / (self.products + self.embedding)

    @property
    def direct_over_fit(self):
        return self.direct / self.fit


def digit_views(folder):
    return [np.asarray(view, dtype=float) for view in vf.load_views(folder / "Handwritten_numerals.mat")]


def measured(folder, *, direct=False):
    """The direct version takes a minute, so it is run only if it is wanted."""
    views, widths = digit_views(folder), []
    with noted_widths(widths):
        model = fit_published(views)
    factors = [factorise(min_max(view)) for view in views]
    fit, fusion, products, embedding, in_double = best_times(
        lambda: fit_published(views),
        lambda: vf.fusion.gfsc(factors, 10, variant="published", random_state=0, **PUBLISHED),
        lambda: matrix_products(factors, model.n_iter_),
        lambda: products_for_embedding(model.affinity_matrix_, widths),
        lambda: products_in_double(factors, model.n_iter_),
    )
    slow, difference = math.nan, math.nan
    if direct:
        slow, (consensus, *_) = timed(lambda: published_gfsc(views, 10, trace=False, **PUBLISHED))
        difference = float(np.linalg.norm(model.affinity_matrix_ - consensus) / np.linalg.norm(consensus))
    return Measured(fit, fusion, products, embedding, in_double, slow, model.n_iter_, difference)


def digits(folder):
    found = measured(folder, direct=True)
    views = digit_views(folder)
    print(f"Digits, published parameters, {found.iterations} iterations: {found.fit:.2f} s, fusion {found.fusion:.2f} s")
    print(
        f"  direct version            {found.direct:6.2f} s   {found.direct_over_fit:5.1f} times slower; S differs by "
        f"{found.difference:.0e}"
    )
    print(f"  products of graphs        {found.products:6.2f} s   the fit takes {found.over_products:.2f} times that")
    print(
        f"  … and for F               {found.embedding:6.2f} s   the fusion takes {found.fusion_over_products:.2f} times all"
    )
    print(
        f"  … of graphs, in double    {found.in_double:6.2f} s   the fit takes {found.fit / found.in_double:.2f} times that"
    )
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
    print(f"BLAS threads: {blas_threads()}")
    if (folder / "Handwritten_numerals.mat").exists():
        digits(folder)
    else:
        print(f"Digits left out: no Handwritten_numerals.mat in {folder}")
    scene()


if __name__ == "__main__":
    main()
