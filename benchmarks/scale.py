"""Time and memory by number of rows: AnchorGFSC, exact GFSC, SpectralClustering and MiniBatchKMeans.

    python benchmarks/scale.py                10³ … 10⁶ rows, each method up to its limit; ratios and a figure
    python benchmarks/scale.py -n 10000000    one more point (7 GB on disk for each method); draws the figure again

The data are noisy blobs in three views of 20, 50 and 100 features, with 20 clusters. Every fit runs in a separate process
on data read from disk; above 2·10⁶ rows the data stays on disk, as a memory map. Memory is the peak above the memory of
the process when the fit starts. Results are saved in build/scale.json, so that sizes can be measured one by one.
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
LARGEST = {"anchor-gfsc": 10**7, "mini-batch k-means": 10**6, "spectral clustering": 2 * 10**4, "gfsc": 2 * 10**4}
ON_VIEWS = {"anchor-gfsc", "gfsc"}  # the others take the concatenated columns
IN_MEMORY = 2 * 10**6
SIZES = (10**3, 10**4, 2 * 10**4, 10**5, 10**6)
RESULTS = Path("build/scale.json")
_AT_A_TIME = 100_000


def write_blobs(n: int, folder: Path, *, concatenated: bool) -> None:
    """Write the views, and on request their concatenated columns, to files, some rows at a time."""
    rng = np.random.default_rng(3)
    centres = [rng.standard_normal((CLUSTERS, d), dtype=np.float32) for d in WIDTHS]
    shapes = {f"view{v}": (n, d) for v, d in enumerate(WIDTHS)} | ({"all": (n, sum(WIDTHS))} if concatenated else {})
    open_file = np.lib.format.open_memmap
    files = {name: open_file(folder / f"{name}.npy", "w+", np.float32, shape) for name, shape in shapes.items()}
    labels = rng.integers(0, CLUSTERS, n)
    np.save(folder / "labels.npy", labels)
    for start in range(0, n, _AT_A_TIME):
        rows = slice(start, min(start + _AT_A_TIME, n))
        blocks = []
        for v, d in enumerate(WIDTHS):
            noise = rng.standard_normal((rows.stop - start, d), dtype=np.float32)
            blocks.append(1.6 * noise + centres[v][labels[rows]])
            files[f"view{v}"][rows] = blocks[v]
        if concatenated:
            files["all"][rows] = np.hstack(blocks)


def estimator(method: str) -> Any:
    import viewfuse as vf

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
    names = ["view0", "view1", "view2"] if method in ON_VIEWS else ["all"]
    views = [np.load(folder / f"{name}.npy", mmap_mode=mode) for name in names]
    model = estimator(method)
    Path("/proc/self/clear_refs").write_text("5")  # reset the recorded peak
    before = resident("VmRSS")
    start = time.perf_counter()
    labels = model.fit(views if len(views) > 1 else views[0]).labels_
    seconds = time.perf_counter() - start
    peak = resident("VmHWM")
    return {
        "seconds": seconds,
        "megabytes": peak - before,
        "resident": peak,
        "ari": float(adjusted_rand_score(truth, labels)),
    }


def run(sizes: list[int], methods: list[str]) -> dict[str, Any]:
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_blobs(n, Path(folder), concatenated=not set(methods) <= ON_VIEWS)
            for method in methods:
                if n > LARGEST[method]:
                    continue
                command = [sys.executable, __file__, "--measure", method, "--folder", folder]
                answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                found = json.loads(answer.splitlines()[-1])
                results.setdefault(method, {})[str(n)] = found
                print(
                    f"{n:>9} rows {method:20} {found['seconds']:8.1f} s {found['megabytes']:7.0f} MB above the input "
                    f"({found['resident']:.0f} resident), ARI {found['ari']:.4f}",
                    flush=True,
                )
                RESULTS.parent.mkdir(exist_ok=True)
                RESULTS.write_text(json.dumps(results, indent=1))
    return results


def report(results: dict[str, Any]) -> None:
    ours, theirs = results.get("anchor-gfsc", {}), results.get("mini-batch k-means", {})
    for n in sorted(set(ours) & set(theirs), key=int):
        print(f"{int(n):>9} rows: {ours[n]['seconds'] / theirs[n]['seconds']:.2f} × the time of MiniBatchKMeans")
    for n in sorted(ours, key=int):
        ten = str(10 * int(n))
        if ten in ours:
            print(f"{int(n):>9} rows to ten times as many: {ours[ten]['seconds'] / ours[n]['seconds']:.1f} × the time")


def draw(results: dict[str, Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    looks = {"anchor-gfsc": ("AnchorGFSC", "C0", "o"), "gfsc": ("GFSC, n × n", "C3", "s")}
    looks |= {
        "spectral clustering": ("SpectralClustering", "C2", "^"),
        "mini-batch k-means": ("MiniBatchKMeans", "0.45", "D"),
    }
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for method, (label, color, marker) in looks.items():
        points = sorted((int(n), found) for n, found in results.get(method, {}).items())
        if points:
            n = [size for size, _ in points]
            style = {"color": color, "marker": marker, "label": label}
            left.plot(n, [found["seconds"] for _, found in points], **style)
            right.plot(n, [max(found["megabytes"], 1) for _, found in points], **style)
    for axes, what in ((left, "seconds"), (right, "MB above the input")):
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
    parser.add_argument("--measure", choices=list(LARGEST), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.folder)))
        return
    results = run(options.sizes, options.methods)
    report(results)
    draw(results, options.figure)


if __name__ == "__main__":
    main()
