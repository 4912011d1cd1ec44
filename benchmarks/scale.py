"""Time and memory by number of rows: AutoFusion, AnchorGFSC, exact GFSC, SpectralClustering and two k-means.

    python benchmarks/scale.py                10³ … 10⁶ rows, each method up to its limit; ratios and a figure
    python benchmarks/scale.py -n 10000000    one more point (7 GB on disk for each method); draws the figure again
    python benchmarks/scale.py --overlapping  clusters that overlap, from 5,000 to 200,000 rows: AutoFusion and AnchorGFSC

The data are noisy blobs in three views of 20, 50 and 100 features, with 20 clusters (with --overlapping 30, 60 and 120
features, and noise that no neighbour graph sees through). Every fit runs in a separate process on data read from disk; above
2·10⁶ rows the data stays on disk, as a memory map. "read and multiply once" reads the files as a fit does and multiplies
every row with as many columns as there are anchors, nothing else. Memory is the peak above that of the process when the
fit starts. Results are saved in build/scale.json, so that sizes can be measured one by one. Ratios are of processor time,
which other processes on the machine disturb less.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

WIDTHS = (20, 50, 100)
CLUSTERS = 20
# On two cores, n × n graphs of 2·10⁴ rows take 75 s and 5 GB, and MiniBatchKMeans had not read 10⁷ rows in seven minutes.
LARGEST = {
    "auto": 10**6,
    "anchor-gfsc": 10**7,
    "mini-batch k-means": 10**6,
    "faiss k-means": 10**6,
    "spectral clustering": 2 * 10**4,
    "gfsc": 2 * 10**4,
    "read and multiply once": 10**7,
}
ON_VIEWS = {"auto", "anchor-gfsc", "gfsc", "read and multiply once"}  # the others take the concatenated columns
ANCHORS = 80 + 2 * CLUSTERS
OVERLAPPING = {"widths": (30, 60, 120), "noise": 4.0, "sizes": (5_000, 20_000, 50_000, 200_000)}
IN_MEMORY = 2 * 10**6
SIZES = (10**3, 10**4, 2 * 10**4, 10**5, 10**6)
RESULTS = Path("build/scale.json")
_AT_A_TIME = 100_000


def write_blobs(n: int, folder: Path, *, concatenated: bool, widths: tuple[int, ...] = WIDTHS, noise: float = 1.6) -> None:
    """Write the views, and on request their concatenated columns, to files, some rows at a time."""
    rng = np.random.default_rng(3)
    centres = [rng.standard_normal((CLUSTERS, d), dtype=np.float32) for d in widths]
    shapes = {f"view{v}": (n, d) for v, d in enumerate(widths)} | ({"all": (n, sum(widths))} if concatenated else {})
    open_file = np.lib.format.open_memmap
    files = {name: open_file(folder / f"{name}.npy", "w+", np.float32, shape) for name, shape in shapes.items()}
    labels = rng.integers(0, CLUSTERS, n)
    np.save(folder / "labels.npy", labels)
    for start in range(0, n, _AT_A_TIME):
        rows = slice(start, min(start + _AT_A_TIME, n))
        blocks = []
        for v, d in enumerate(widths):
            blocks.append(noise * rng.standard_normal((rows.stop - start, d), dtype=np.float32) + centres[v][labels[rows]])
            files[f"view{v}"][rows] = blocks[v]
        if concatenated:
            files["all"][rows] = np.hstack(blocks)


class Once:
    """Read every row and multiply it with as many columns as there are anchors: what no fit can do without."""

    def fit(self, views: list[np.ndarray]) -> Once:
        from viewfuse._utils.row_blocks import each_portion, portion_of
        from viewfuse.linalg.threads import for_each, spans

        maps = [np.ones((view.shape[1], ANCHORS), dtype=np.float32) for view in views]
        portions = spans(len(views[0]), portion_of(sum(view.shape[1] * 4 for view in views)))
        for _, blocks in each_portion(views, portions):

            def part(rows: slice, _: object, blocks: list[np.ndarray] = blocks) -> tuple[float]:
                return (sum(float((block[rows] @ each)[0, 0]) for block, each in zip(blocks, maps, strict=True)),)

            for_each(part, spans(len(blocks[0]), 2048))
        self.labels_ = np.zeros(len(views[0]), dtype=int)
        return self


class FaissKMeans:
    """k-means of FAISS with its defaults and three starts: it learns from 256 rows per cluster."""

    def fit(self, points: np.ndarray) -> FaissKMeans:
        import faiss

        model = faiss.Kmeans(points.shape[1], CLUSTERS, nredo=3, seed=0)
        model.train(points)
        self.labels_ = model.index.search(points, 1)[1].ravel()
        return self


def estimator(method: str) -> Any:
    import viewfuse as vf

    if method == "read and multiply once":
        return Once()
    if method == "faiss k-means":
        return FaissKMeans()
    if method == "spectral clustering":
        from sklearn.cluster import SpectralClustering

        return SpectralClustering(CLUSTERS, affinity="nearest_neighbors", random_state=0)
    if method == "mini-batch k-means":
        from sklearn.cluster import MiniBatchKMeans

        return MiniBatchKMeans(CLUSTERS, n_init=3, random_state=0, batch_size=8192)
    return vf.METHODS[method](CLUSTERS, random_state=0)


def resident(field: str) -> float:
    """Memory of this process in megabytes, as the system reports it."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def measure(method: str, folder: Path) -> dict[str, float]:
    """Measure one fit. This runs in a separate process."""
    from sklearn.metrics import adjusted_rand_score

    warnings.simplefilter("ignore")
    truth = np.load(folder / "labels.npy")
    mode = "r" if len(truth) > IN_MEMORY else None
    mode = "r" if method == "read and multiply once" else mode
    names = ["view0", "view1", "view2"] if method in ON_VIEWS else ["all"]
    views = [np.load(folder / f"{name}.npy", mmap_mode=mode) for name in names]
    model = estimator(method)
    Path("/proc/self/clear_refs").write_text("5")  # reset the recorded peak
    before = resident("VmRSS")
    start, used = time.perf_counter(), time.process_time()
    labels = model.fit(views if len(views) > 1 else views[0]).labels_
    seconds, used = time.perf_counter() - start, time.process_time() - used
    peak = resident("VmHWM")
    return {
        "seconds": seconds,
        "processor": used,
        "megabytes": peak - before,
        "resident": peak,
        "ari": float(adjusted_rand_score(truth, labels)),
    }


def measured_apart(method: str, folder: Path, n: int) -> dict[str, float]:
    """Measure one fit in a separate process, and print it."""
    command = [sys.executable, __file__, "--measure", method, "--folder", str(folder)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, float] = json.loads(answer.splitlines()[-1])
    print(
        f"{n:>9} rows {method:22} {found['seconds']:8.1f} s ({found['processor']:.1f} s of processor time) "
        f"{found['megabytes']:7.0f} MB above the input ({found['resident']:.0f} resident), ARI {found['ari']:.4f}",
        flush=True,
    )
    return found


def run(sizes: list[int], methods: list[str]) -> dict[str, Any]:
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_blobs(n, Path(folder), concatenated=not set(methods) <= ON_VIEWS)
            for method in methods:
                if n <= LARGEST[method]:
                    results.setdefault(method, {})[str(n)] = measured_apart(method, Path(folder), n)
                    RESULTS.parent.mkdir(exist_ok=True)
                    RESULTS.write_text(json.dumps(results, indent=1))
    return results


def run_overlapping(sizes: list[int]) -> None:
    """AutoFusion and AnchorGFSC on clusters that overlap: growth for ten times the rows, and memory per row and view."""
    found: dict[str, dict[int, dict[str, float]]] = {"auto": {}, "anchor-gfsc": {}}
    widths, noise = OVERLAPPING["widths"], OVERLAPPING["noise"]
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_blobs(n, Path(folder), concatenated=False, widths=widths, noise=noise)
            for method, results in found.items():
                results[n] = measured_apart(method, Path(folder), n)
                print(f"{'':9} {1e3 * results[n]['megabytes'] / (n * len(widths)):.1f} kB per row and view")
    for method, results in found.items():
        for n in results:
            if 10 * n in results:
                growth = results[10 * n]["processor"] / results[n]["processor"]
                print(f"{method}: {n} rows to ten times as many: {growth:.1f} × the time")


def report(results: dict[str, Any]) -> None:
    peer, limit = results.get("mini-batch k-means", {}), results.get("read and multiply once", {})
    for method in ("auto", "anchor-gfsc"):
        ours = results.get(method, {})
        for n in sorted(ours, key=int):
            time_of = ours[n]["processor"]
            against = f"{time_of / peer[n]['processor']:.2f} × the time of MiniBatchKMeans; " if n in peer else ""
            against += f"{limit[n]['processor'] / time_of:.0%} of the read limit; " if n in limit else ""
            ten = str(10 * int(n))
            growth = f"ten times as many rows: {ours[ten]['processor'] / time_of:.1f} × the time" if ten in ours else ""
            print(f"{method:12} {int(n):>9} rows: {against}{growth}")


def draw(results: dict[str, Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    looks = {"auto": ("AutoFusion", "C1", "v"), "anchor-gfsc": ("AnchorGFSC", "C0", "o"), "gfsc": ("GFSC, n × n", "C3", "s")}
    looks |= {
        "spectral clustering": ("SpectralClustering", "C2", "^"),
        "mini-batch k-means": ("MiniBatchKMeans", "0.45", "D"),
        "faiss k-means": ("FAISS k-means", "0.7", "P"),
        "read and multiply once": ("read and multiply once", "k", ""),
    }
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for method, (label, color, marker) in looks.items():
        points = sorted((int(n), found) for n, found in results.get(method, {}).items())
        if points:
            n = [size for size, _ in points]
            style = {"color": color, "marker": marker, "label": label}
            left.plot(n, [found["processor"] for _, found in points], **style)
            right.plot(n, [max(found["megabytes"], 1) for _, found in points], **style)
    for axes, what in ((left, "seconds of processor time"), (right, "MB above the input")):
        axes.set(xscale="log", yscale="log", xlabel="rows", ylabel=what)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    left.legend(frameon=False)
    left.set_title("Time of a fit")
    right.set_title("Peak memory")
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("-m", "--methods", nargs="*", default=list(LARGEST), choices=list(LARGEST))
    parser.add_argument("--figure", type=Path, default=Path("docs/scale.png"))
    parser.add_argument("--overlapping", action="store_true", help="clusters that overlap")
    parser.add_argument("--measure", choices=list(LARGEST), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.folder)))
        return
    if options.overlapping:
        sizes = OVERLAPPING["sizes"] if options.sizes == list(SIZES) else options.sizes
        run_overlapping(list(sizes))
        return
    results = run(options.sizes, options.methods)
    report(results)
    draw(results, options.figure)


if __name__ == "__main__":
    main()
