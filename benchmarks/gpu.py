"""Exact GFSC on a GPU: time, memory and answers against n, against the device's own limits and against the processor.

    python benchmarks/gpu.py [--sizes 5000 20000 50000 100000] [--cpu 5000 20000] [--data FOLDER]
    python benchmarks/gpu.py --sizes 20000 --cpu --anchors 20000 100000 1000000 10000000 --profile
    python benchmarks/gpu.py --sizes 20000 100000 --cpu --spread 4 --auto 20000

Needs PyTorch and a CUDA device. Three generated views of 30, 60 and 120 features, 20 clusters, single precision, defaults.
Every size is fitted once to warm up (below 50,000 samples) and then timed with CUDA events, the median of three up to 20,000
samples; memory is the allocator's peak. The limits are measured first, in the same run: a matrix product in single precision
without TF32, and a copy. The fractions say how long the fit's own products, and its reads and writes of n × n arrays, would
take at these limits, relative to the time the fit took.
With FOLDER (Handwritten_numerals.npz, reuters_1200.npz: see --pack) the published variant is compared with NumPy's.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import statistics
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch

import viewfuse as vf
from viewfuse.fusion.kernels.array_api import ArrayApiKernels
from viewfuse.linalg import Laplacian

FEATURES, CLUSTERS = (30, 60, 120), 20
SPREAD = 1.6  # of each cluster, where the means of clusters have standard deviation 1: see --spread
PUBLISHED = {
    "Handwritten_numerals": (10, {"alpha": 1e-4, "beta": 1.0, "gamma": 1e-4}),
    "reuters_1200": (6, {"alpha": 10.0, "beta": 1e3, "gamma": 0.01}),
}


def blobs(n, device):
    generator = torch.Generator(device=device).manual_seed(3)
    normal = {"generator": generator, "device": device}
    truth = torch.randint(0, CLUSTERS, (n,), **normal)
    return [SPREAD * torch.randn((n, d), **normal) + torch.randn((CLUSTERS, d), **normal)[truth] for d in FEATURES], truth


def event_time(run):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    result = run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1000, result


def limits():
    """TFLOP/s of a product like those of an iteration, and TB/s of a copy."""
    a, b = (torch.randn((8192, 8192), device="cuda") for _ in range(2))
    source, target = (torch.zeros(2**30, device="cuda") for _ in range(2))
    for _ in range(2):
        product = statistics.median(event_time(lambda: a @ b)[0] for _ in range(5))
        copy = statistics.median(event_time(lambda: target.copy_(source))[0] for _ in range(5))
    return 2 * 8192**3 / product / 1e12, 2 * 4 * 2**30 / copy / 1e12


@contextmanager
def counted(counts):
    """Count products with the graph and updates of the consensus while a fit runs."""
    matmul, update = Laplacian.__matmul__, ArrayApiKernels.update_consensus

    def counting_matmul(self, block):
        counts["vectors"] += block.shape[1]
        counts["products"] += 1
        return matmul(self, block)

    def counting_update(kernels, how, *arguments, **options):
        counts["measured" if how.measured else "updates"] += 1
        return update(kernels, how, *arguments, **options)

    Laplacian.__matmul__, ArrayApiKernels.update_consensus = counting_matmul, counting_update
    try:
        yield
    finally:
        Laplacian.__matmul__, ArrayApiKernels.update_consensus = matmul, update


def least_time(n, iterations, counts, flops, bandwidth):
    """Seconds of the fit's products and of its traffic at the measured limits."""
    rank, views = sum(FEATURES), len(FEATURES)
    updates = counts["updates"] + counts["measured"]
    operations = 2 * n**2 * (3 * rank * iterations + rank / 2 + updates / 2 * (CLUSTERS + 2) + counts["vectors"])
    # M out at the start. Per view and iteration: S for coefficients; half of S in, Z out; M, Z in, M out; Z for the error.
    # Per update: half of M in, S out, degrees; half of the old S where the change is measured. S for every product.
    arrays = 1 + iterations * views * (1 + 0.5 + 1 + 3 + 1) + updates * (0.5 + 1 + 1) + counts["measured"] * 0.5
    arrays += counts["products"]
    return operations / (flops * 1e12), 4 * n**2 * arrays / (bandwidth * 1e12)


def gpu_row(n, flops, bandwidth):
    torch.cuda.empty_cache()
    views, truth = blobs(n, "cuda")
    model = vf.GFSC(CLUSTERS, random_state=0)
    if n < 50_000:
        model.fit(views)  # kernels are compiled and libraries loaded
    times = []
    for _ in range(3 if n <= 20_000 else 1):
        torch.cuda.reset_peak_memory_stats()
        counts = {"vectors": 0, "products": 0, "updates": 0, "measured": 0}
        with counted(counts):
            seconds, _ = event_time(lambda: model.fit(views))
        times.append(seconds)
    seconds = statistics.median(times)
    peak = torch.cuda.max_memory_allocated()
    ari = vf.metrics.ari(truth, model.labels_)
    products, traffic = least_time(n, model.n_iter_, counts, flops, bandwidth)
    print(
        f"| {n:,} | GPU | {seconds:.2f} | {model.n_iter_} | {peak / 1e9:.1f} | {ari:.3f} | {products / seconds:.0%} | "
        f"{traffic / seconds:.0%} | {(products + traffic) / seconds:.0%} |",
        flush=True,
    )
    return seconds


def cpu_row(n, gpu_seconds):
    views, truth = (
        [view.cpu().numpy() for view in part] if isinstance(part, list) else part.cpu().numpy() for part in blobs(n, "cuda")
    )
    begin = time.perf_counter()
    model = vf.GFSC(CLUSTERS, random_state=0).fit(views)
    seconds = time.perf_counter() - begin
    ratio = f"{seconds / gpu_seconds:.0f} × the GPU" if gpu_seconds else ""
    print(
        f"| {n:,} | CPU | {seconds:.2f} | {model.n_iter_} | | {vf.metrics.ari(truth, model.labels_):.3f} | {ratio} | | |",
        flush=True,
    )


def anchors(n, *, profile=False):
    """AnchorGFSC on rows that are made on the device; at most a million are fitted before, to load libraries."""
    torch.cuda.empty_cache()
    vf.AnchorGFSC(CLUSTERS, random_state=0).fit(blobs(min(n, 1_000_000), "cuda")[0])
    views, truth = blobs(n, "cuda")
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    times = []
    for _ in range(3):
        seconds, model = event_time(lambda: vf.AnchorGFSC(CLUSTERS, random_state=0).fit(views))
        times.append(seconds)
    peak = torch.cuda.max_memory_allocated() - before
    some = slice(0, 1_000_000)
    ari = vf.metrics.ari(truth[some], model.labels_[some])
    memory = f"{peak / 1e9:.1f} GB in addition to the data"
    print(f"\nAnchorGFSC, {n:,} rows: {statistics.median(times):.2f} s, {memory}, ARI {ari:.3f}", flush=True)
    if profile:
        profiled(vf.AnchorGFSC(CLUSTERS, random_state=0).fit, views)


def auto(n):
    """AutoFusion with the number of clusters counted, of arrays on the host, with and without the device."""
    views = [view.cpu().numpy() for view in blobs(n, "cuda")[0]]
    truth = blobs(n, "cuda")[1].cpu().numpy()
    for device in ("cuda", None):
        begin = time.perf_counter()
        model = vf.AutoFusion(device=device, random_state=0).fit(views)
        seconds = time.perf_counter() - begin
        ari = vf.metrics.ari(truth, model.labels_)
        print(
            f"AutoFusion(device={device!r}), {n:,} rows: {seconds:.1f} s, {model.n_clusters_} clusters, ARI {ari:.3f}",
            flush=True,
        )


def profiled(fit, *arguments):
    profiler = cProfile.Profile()
    profiler.runcall(fit, *arguments)
    pstats.Stats(profiler).sort_stats("cumulative").print_stats(40)


def cupy_agrees():
    """The same lines on CuPy arrays."""
    try:
        import cupy
    except ImportError:
        print("\nCuPy is not installed")
        return
    views = [view.cpu().numpy() for view in blobs(3_000, "cuda")[0]]
    expected, model = (vf.GFSC(CLUSTERS, random_state=0).fit(given) for given in (views, [cupy.asarray(v) for v in views]))
    difference = np.linalg.norm(model.affinity_matrix_.get() - expected.affinity_matrix_)
    relative = difference / np.linalg.norm(expected.affinity_matrix_)
    ari = vf.metrics.ari(expected.labels_, model.labels_)
    print(
        f"\nCuPy, 3,000 samples: labels are {type(model.labels_).__module__}'s; S differs by {relative:.1e}, ARI {ari:.3f}"
    )


def same_answers(folder):
    print("\nPublished parameters, against NumPy in double precision\n")
    print("| data | precision | S differs by | iterations | labels' ARI |")
    print("|---|---|---|---|---|")
    for name, (k, parameters) in PUBLISHED.items():
        with np.load(folder / f"{name}.npz") as file:
            views = [file[key] for key in sorted(file.files)]
        options = {"variant": "published", "random_state": 0, **parameters}
        expected = vf.GFSC(k, **options).fit(views)
        for precision in (torch.float64, torch.float32):
            model = vf.GFSC(k, **options).fit([torch.asarray(view, dtype=precision, device="cuda") for view in views])
            graph = model.affinity_matrix_.cpu().numpy()
            difference = np.linalg.norm(graph - expected.affinity_matrix_) / np.linalg.norm(expected.affinity_matrix_)
            ari = vf.metrics.ari(expected.labels_, model.labels_)
            print(
                f"| {name} | {precision} | {difference:.1e} | {model.n_iter_} ({expected.n_iter_}) | {ari:.3f} |", flush=True
            )


def pack(source, folder):
    """The two data sets as plain arrays, for a machine that has no HDF5."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in PUBLISHED:
        views = vf.load_views(source / f"{name}.mat")
        dense = [view.toarray() if hasattr(view, "toarray") else np.asarray(view) for view in views]
        np.savez_compressed(folder / name, **{f"view{v}": view.astype(float) for v, view in enumerate(dense)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[5_000, 20_000, 50_000, 100_000])
    parser.add_argument("--cpu", type=int, nargs="*", default=[5_000, 20_000])
    rows = [20_000, 100_000, 1_000_000, 10_000_000]
    parser.add_argument("--anchors", type=int, nargs="*", default=rows, help="numbers of rows for AnchorGFSC")
    parser.add_argument("--auto", type=int, nargs="*", default=[5_000, 20_000], help="numbers of rows for AutoFusion")
    parser.add_argument("--spread", type=float, default=SPREAD, help="of the clusters; they overlap from about 4 on")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--pack", type=Path, help="write the .npz files from this folder's .mat files into --data and stop")
    options = parser.parse_args()
    if options.pack:
        pack(options.pack, options.data)
        return
    globals()["SPREAD"] = options.spread
    warnings.simplefilter("ignore")
    flops, bandwidth = limits()
    print(
        f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}: "
        f"{flops:.1f} TFLOP/s in single precision, {bandwidth:.2f} TB/s"
    )
    print("\n| n | on | seconds | iterations | peak GB | ARI | products | traffic | both |")
    print("|---|---|---|---|---|---|---|---|---|")
    seconds = {n: gpu_row(n, flops, bandwidth) for n in options.sizes}
    if options.profile and options.sizes:
        profiled(vf.GFSC(CLUSTERS, random_state=0).fit, blobs(options.sizes[0], "cuda")[0])
    for n in options.cpu:
        cpu_row(n, seconds.get(n))
    for n in options.anchors:
        anchors(n, profile=options.profile)
    for n in options.auto:
        auto(n)
    cupy_agrees()
    if options.data:
        same_answers(options.data)


if __name__ == "__main__":
    main()
