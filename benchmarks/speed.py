"""Speed in ratios: hard cases of GFSC over their own products, start-up over scikit-learn's, fits on a busy machine.

    python benchmarks/speed.py [profile] [auto] [products] [start] [busy]

Without arguments, all. ``profile`` says where the time of a fit of GFSC goes, and ``auto`` that of AutoFusion on the sets of
../shared/datasets, over the time of scikit-learn's SpectralClustering on the views side by side. ``products`` and ``start``
compare processor times, which other processes change little; ``busy`` compares what a user waits for. Reuters and 100Leaves
are read from ../shared/datasets beside the checkout and left out where they are not; all other data is generated.
``benchmarks/kept`` keeps the same ratios from commit to commit (``make bench``).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from exact import noted_widths
from sklearn.cluster import SpectralClustering
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

import viewfuse as vf
from viewfuse import AutoFusion
from viewfuse.cluster import _base, _exact
from viewfuse.cluster.auto import choosing, estimator, given
from viewfuse.fusion.exact import learned_factors
from viewfuse.fusion.variants import robust
from viewfuse.graphs import GramMatrix
from viewfuse.linalg import shifted_inverse

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "datasets"
BUSY = 2  # processes
# Methods with the number of clusters given, and with "auto" to count them.
FITTED_WHEN_BUSY = (("gfsc", 10), ("gfsc", "auto"), ("auto", 10), ("auto", "auto"), ("anchor-gfsc", 10), ("sc-ave", 10))
FEW_ROWS = 200


# --- hard cases


def real(file, k):
    def read():
        path = DATA / file
        if not path.exists():
            raise FileNotFoundError(path)
        return [view.toarray() if sp.issparse(view) else np.asarray(view, float) for view in vf.load_views(path).arrays], k

    return read


def words(n=685, columns=4650, n_views=4, k=5):
    """Texts: about 100 words each, a fifth of them from the tenth of the words that the text's subject uses."""
    rng = np.random.default_rng(0)
    subject = rng.integers(0, k, n)
    return [_texts(rng, subject, columns, k) for _ in range(n_views)], k


def _texts(rng, subject, columns, k):
    frequency = 1 / np.arange(1, columns + 1)
    common = frequency / frequency.sum()
    special = rng.integers(0, columns, (k, columns // 10))
    view = np.zeros((len(subject), columns))
    for row, own in zip(view, subject, strict=True):
        drawn = [rng.choice(columns, 80, p=common), rng.choice(special[own], 20)]
        np.add.at(row, np.concatenate(drawn), 1.0)
    return view


def overlapping(n, k=15, spread=3.0):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, k, n)
    return [rng.normal(size=(k, d))[truth] + spread * rng.normal(size=(n, d)) for d in (20, 59, 40)], k


def too_many(n=1000, k=20):
    """Five clusters, of which 20 are asked for."""
    return overlapping(n, 5, spread=0.8)[0], k


HARD = {
    "Reuters (rank ≈ n)": real("reuters_1200.mat", 6),
    "100Leaves (k = 100)": real("100Leaves.mat", 100),
    "685 texts, 4 × 4,650 words": words,
    "20 clusters of 5": too_many,
    "6,800 overlapping": lambda: overlapping(6800),
    "10,000 overlapping": lambda: overlapping(10_000),
}


@dataclass(frozen=True)
class HardCase:
    """Seconds of a fit, its processor seconds, those of its fusion and of the fusion's matrix products; the iterations."""

    seconds: float
    processor: float
    fusion: float
    products: float
    iterations: int

    @property
    def over_products(self):
        return self.fusion / self.products


def hard_case(name):
    """What a fit of a hard case takes."""
    views, k = HARD[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begin = time.perf_counter()
        processor, _ = timed(lambda: vf.GFSC(k, random_state=0).fit(views))
        seconds = time.perf_counter() - begin
        factors = learned_factors(views)
        blocks = []
        with noted_widths(blocks):
            fusion, result = timed(lambda: vf.fusion.gfsc(factors, k, random_state=0))
    iterations = len(result.sweeps)
    with threadpool_limits(1):  # threads that wait would count as processor time
        products, _ = timed(lambda: replay(factors, iterations, blocks))
    return HardCase(seconds, processor, fusion, products, iterations)


def replay(factors, iterations, blocks):
    """The matrix products and inverses of a fusion and nothing else, in single precision."""
    n = len(factors[0].basis)
    graph = np.full((n, n), 1 / n, dtype=np.float32)
    out = np.empty_like(graph)
    for factor in factors:  # the graphs at the start
        if isinstance(factor, GramMatrix):
            shifted_inverse(factor.gram, 1.0)
        else:
            np.matmul(factor.basis, factor.basis.T, out=out)
    for _ in range(iterations):
        for factor in factors:
            _products_of_view(factor, graph, out)
    for width in blocks:
        graph @ graph[:, :width]


def _products_of_view(factor, graph, out):
    """Those of one view in one iteration: of its graph and of the objective."""
    if isinstance(factor, GramMatrix):
        np.matmul(shifted_inverse(factor.gram, 1.0), graph, out=out)
        out @ factor.gram
    else:
        mixture = factor.basis.T @ graph
        np.matmul(factor.basis, mixture, out=out)
        out @ factor.basis


def timed(run):
    """Processor seconds, and the result."""
    begin = time.process_time()
    result = run()
    return time.process_time() - begin, result


# --- where the time goes


PARTS = {  # of a fit: module or class, function
    "checks of the values": [(_base, "warn_of_suspicious_values"), (_base, "warn_of_contradictions")],
    "Gram matrices or factors of the views": [(_exact, "learned_factors")],
    "graphs of the views, objective": [(robust, "update_views")],
    "rounds of `S` and `F`": [(robust, "update_consensus")],
    "k-means": [(_exact, "assign_clusters")],
    "the verdict: are the clusters real?": [(_exact.ExactFusion, "_judge")],
}


def profile(name):
    """Processor seconds of a fit of a hard case on one thread, by part."""
    views, k = HARD[name]()
    return by_part(PARTS, lambda: vf.GFSC(k, random_state=0).fit(views))


def by_part(parts, run):
    """Processor seconds on one thread of what runs, by the functions of each part."""
    spent = dict.fromkeys([*parts, "the rest"], 0.0)
    with ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stack.enter_context(threadpool_limits(1))
        for part, functions in parts.items():
            for owner, function in functions:
                stack.enter_context(_clocked(owner, function, spent, part))
        total, _ = timed(run)
    spent["the rest"] = total - sum(spent.values())
    return spent | {"together": total}


@contextmanager
def _clocked(owner, function, spent, part):
    """Add the processor time of a function to that of its part, and none to that of a part that it is called in."""
    original = getattr(owner, function)

    def clocked(*arguments, **options):
        before = sum(spent.values())
        seconds, result = timed(lambda: original(*arguments, **options))
        spent[part] += seconds - (sum(spent.values()) - before)
        return result

    setattr(owner, function, clocked)
    try:
        yield
    finally:
        setattr(owner, function, original)


def print_profiles(names):
    found = {name: profile(name) for name in names}
    print(f"| processor seconds on one thread | {' | '.join(found)} |")
    print("|---|" + "---|" * len(found))
    for part in next(iter(found.values())):
        print(f"| {part} | {' | '.join(f'{spent[part]:.2f}' for spent in found.values())} |", flush=True)


# --- AutoFusion

SETS = (
    "bbc_seg14of4", "reuters_1200", "Handwritten_numerals", "MSRC-v5", "3Sources", "BBCSport_fea_gt", "NGs", "ORL_4view",
    "100Leaves", "WebKB", "MNIST-4", "ProteinFold", "Movies",
)  # fmt: skip
AUTO_PARTS = {
    "checks of the values": [(_base, "warn_of_suspicious_values"), (_base, "warn_of_contradictions")],
    "measuring the views": [(given.GivenViews, "measured")],
    "joint neighbours, views left out": [(estimator, "clearest_cut")],
    "clouds without clusters": [(estimator, "null_values")],
    "quick candidates": [(choosing.Chooser, "_with_more")],
    "fused graphs": [(choosing, "fused_graphs")],
    "halves": [(choosing, "merits_of"), (choosing, "returned_of")],
    "memberships of all samples": [(AutoFusion, "_assign_all")],
}


def profile_of_auto(name):
    """Processor seconds of a fit on one thread, by part, and those of SpectralClustering."""
    loaded = vf.load_views(DATA / f"{name}.mat")
    views = [np.asarray(v.toarray() if sp.issparse(v) else v, float) for v in loaded.arrays]
    k = len(set(np.asarray(loaded.y).tolist()))
    spent = by_part(AUTO_PARTS, lambda: AutoFusion(k, random_state=0).fit(views))
    side_by_side = np.hstack([normalize(view) for view in views])
    simple = SpectralClustering(k, affinity="nearest_neighbors", random_state=0)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, _ = timed(lambda: simple.fit(side_by_side))
    return spent | {"SpectralClustering": theirs}


def print_auto():
    names = [name for name in SETS if (DATA / f"{name}.mat").exists()]
    if not names:
        print("the sets of ../shared/datasets are not there")
        return
    profile_of_auto(names[0])  # libraries are loaded
    found = {name: profile_of_auto(name) for name in names}
    columns = list(next(iter(found.values())))
    print(f"| processor seconds on one thread | {' | '.join(columns)} |")
    print("|---|" + "---|" * len(columns))
    for name, spent in found.items():
        print(f"| {name} | {' | '.join(f'{spent[column]:.2f}' for column in columns)} |", flush=True)
    totals = {column: sum(spent[column] for spent in found.values()) for column in columns}
    print(f"| all | {' | '.join(f'{totals[column]:.1f}' for column in columns)} |")
    print(f"AutoFusion over SpectralClustering: {totals['together'] / totals['SpectralClustering']:.1f}")


# --- start-up


def processor_seconds(arguments, rounds=3):
    """The least processor time of a new interpreter; beside other processes wall time says little."""

    def once():
        before = os.times()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    return min(once() for _ in range(rounds))


def start_up():
    """Processor seconds of the imports and commands that a user waits for."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "rows.csv"
        rng = np.random.default_rng(0)
        values = rng.normal(size=(FEW_ROWS, 4)) + 4 * rng.integers(0, 3, FEW_ROWS)[:, None]
        rows = [",".join([str(i), *map(str, row)]) for i, row in enumerate(values.round(3))]
        table.write_text("\n".join(["id,a,b,c,d", *rows]))
        programs = {
            "import sklearn.cluster": ["-c", "import sklearn.cluster"],
            "import viewfuse": ["-c", "import viewfuse"],
            "import viewfuse; viewfuse.AutoFusion": ["-c", "import viewfuse; viewfuse.AutoFusion"],
            "viewfuse --help": ["-m", "viewfuse", "--help"],
            f"viewfuse cluster, {FEW_ROWS} rows": ["-m", "viewfuse", "cluster", str(table)],
        }
        return {name: processor_seconds(arguments) for name, arguments in programs.items()}


# --- busy machines


FIT = """
import sys, time, warnings, viewfuse as vf
warnings.simplefilter("ignore")
views = vf.datasets.load_digits_views()
n_clusters = sys.argv[2] if sys.argv[2] == "auto" else int(sys.argv[2])
model = vf.METHODS[sys.argv[1]](n_clusters=n_clusters, random_state=0)
begin = time.perf_counter()
model.fit(views)
print(time.perf_counter() - begin)
"""


def busy_ratio(method, n_clusters=10, rounds=3):
    """The time of a fit beside two busy processes, over that of the same with one thread, taken in turn; the medians."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    try:
        free, single = ([] for _ in range(2))
        for _ in range(rounds):
            free.append(_seconds_of_fit(method, n_clusters))
            single.append(_seconds_of_fit(method, n_clusters, OMP_NUM_THREADS="1"))
    finally:
        for other in others:
            other.kill()
            other.wait()
    return float(np.median(free) / np.median(single))


def _seconds_of_fit(method, n_clusters, **environment):
    rest = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    command = [sys.executable, "-c", FIT, method, str(n_clusters)]
    ended = subprocess.run(command, env={**rest, **environment}, check=True, capture_output=True, text=True)
    return float(ended.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ["profile", "auto", "products", "start", "busy"]
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    wanted = parser.parse_args().parts or parts
    if "profile" in wanted:
        there = [name for name in HARD if "overlapping" not in name and (DATA.exists() or HARD[name] in (words, too_many))]
        print_profiles(there)
    if "auto" in wanted:
        print_auto()
    if "products" in wanted:
        print("| hard case | GFSC.fit | processor time | of it fusion | its matrix products | iterations | ratio |")
        print("|---|---|---|---|---|---|---|")
        for name in HARD:
            try:
                found = hard_case(name)
            except FileNotFoundError as missing:
                print(f"| {name} | no {missing} | | | | | |")
                continue
            times = " | ".join(f"{t:.1f} s" for t in (found.seconds, found.processor, found.fusion, found.products))
            print(f"| {name} | {times} | {found.iterations} | {found.over_products:.2f} |", flush=True)
    if "start" in wanted:
        found = start_up()
        theirs = found["import sklearn.cluster"]
        print("\n| start | processor time | over sklearn.cluster's |\n|---|---|---|")
        for name, seconds in found.items():
            print(f"| `{name}` | {seconds:.2f} s | {seconds / theirs:.2f} |")
    if "busy" in wanted:
        print(
            f"\n| method | clusters | time beside {BUSY} busy processes, over that with OMP_NUM_THREADS=1 |\n|---|---|---|"
        )
        for method, n_clusters in FITTED_WHEN_BUSY:
            print(f"| {method} | {n_clusters} | {busy_ratio(method, n_clusters):.2f} |", flush=True)


if __name__ == "__main__":
    main()
