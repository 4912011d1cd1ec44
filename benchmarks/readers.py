"""Speed and safety of the file readers.

``python benchmarks/readers.py`` prints the time of ``load_views`` for each real MATLAB v7.3 file, relative to h5py
reading the same bytes in the same run. Then it fuzzes the readers: mutated copies of every real file, and of the same
data in all other formats, must be read or refused with ``ViewsFormatError``, within a second and within a
memory limit. Cases run in worker processes, so that a crash of a C library is counted and does not end the run.

It needs the reference data next to the repository.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import statistics
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import h5py
import numpy as np
import scipy.sparse as sp

import viewfuse as vf

DATASETS = Path(__file__).resolve().parents[2] / "shared" / "datasets"
TABLES = {".csv", ".tsv", ".parquet", ".feather", ".xlsx", ".ods"}
V73 = ("bbc_seg14of4.mat", "reuters_1200.mat", "Handwritten_numerals.mat")
MEMORY = 2 << 30  # beyond what the process has before the first case


def opening_ratio(path: Path, repeats: int = 9) -> tuple[float, float, float]:
    """Median seconds of load_views and of h5py, and the median of their ratios, measured alternately."""
    ours, theirs = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        with h5py.File(path, "r") as file:
            for name in file["#refs#"]:
                file["#refs#"][name][()]
            file["data"][()], file["labels"][()]
        theirs.append(time.perf_counter() - start)
        start = time.perf_counter()
        vf.load_views(path)
        ours.append(time.perf_counter() - start)
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    return statistics.median(ours), statistics.median(theirs), statistics.median(ratios)


def seeds(folder: Path) -> list[Path]:
    """The real files, and some of their data in every other format, uncompressed, so that mutations reach the contents."""
    import anndata
    import mudata
    import pandas as pd
    from scipy.io import loadmat, savemat

    for name in ("BBCSport_fea_gt.mat", "3Sources.mat", "TwoMoon.mat"):
        variables = {name: value for name, value in loadmat(DATASETS / name).items() if not name.startswith("__")}
        savemat(folder / f"plain_{name}", variables, do_compression=False)
    moons = vf.load_views(DATASETS / "TwoMoon.mat")
    savemat(folder / "v4.mat", {"X1": moons.arrays[0], "X2": moons.arrays[1], "y": moons.y}, format="4")
    with h5py.File(DATASETS / "bbc_seg14of4.mat") as bbc, h5py.File(folder / "plain73.mat", "w") as plain:
        for v, reference in enumerate(bbc["data"][()].ravel()):
            plain.create_dataset(f"X{v}", data=bbc[reference][:50]).attrs["MATLAB_class"] = np.bytes_("double")
    views = vf.load_views(DATASETS / "MSRC-v5.mat")
    np.savez(folder / "msrc.npz", y=views.y, **dict(zip(views.names, views.arrays, strict=True)))
    frame = pd.DataFrame(views.arrays[0], columns=[f"a_{c}" for c in range(24)])
    frame.insert(0, "id", [f"s{i}" for i in range(len(frame))])
    frame.to_csv(folder / "msrc.csv", index=False)
    frame.to_parquet(folder / "msrc.parquet")
    frame.to_feather(folder / "msrc.feather")
    frame.head(40).to_excel(folder / "msrc.xlsx", index=False)
    frame.head(40).to_excel(folder / "msrc.ods", index=False)
    frame.to_csv(folder / "msrc.tsv", index=False, sep="\t")
    for suffix in (".gz", ".bz2", ".xz", ".zst", ".zip"):
        frame.to_csv(folder / f"msrc.csv{suffix}", index=False)
    sp.save_npz(folder / "sparse.npz", sp.csr_array(np.where(views.arrays[0] > 0.5, views.arrays[0], 0)), compressed=False)
    ends = np.random.default_rng(0).integers(0, 60, (300, 2))
    lines = ["source,target,weight", *(f"s{i},s{j},1.5" for i, j in ends)]
    (folder / "edges.csv").write_text("\n".join(lines))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = {name: anndata.AnnData(array.astype(float)) for name, array in zip("ab", views.arrays, strict=False)}
        parts["a"].write(folder / "msrc.h5ad")
        mudata.MuData(parts).write(folder / "msrc.h5mu")
    return sorted(DATASETS.glob("*.mat")) + sorted(folder.iterdir())


def mutate(original: bytes, rng: np.random.Generator) -> bytes:
    """Change, remove, repeat or truncate bytes, or replace them by extreme numbers; half of the time near the start."""
    data = bytearray(original)
    reach = len(data) if rng.random() < 0.5 else min(len(data), 4096)
    for _ in range(1 if rng.random() < 0.5 else int(rng.integers(2, 9))):
        at = int(rng.integers(0, max(1, min(reach, len(data) - 8))))
        match int(rng.integers(0, 6)):
            case 0:
                data[at] = int(rng.integers(0, 256))
            case 1:
                data[at] ^= 1 << int(rng.integers(0, 8))
            case 2:
                extreme = (0, 1, 2**31 - 1, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1)[int(rng.integers(0, 7))]
                data[at : at + 8] = extreme.to_bytes(8, "little")
            case 3:
                del data[at : at + int(rng.integers(1, 64))]
            case 4:
                data[at:at] = data[at : at + int(rng.integers(1, 64))]
            case 5 if rng.random() < 0.2:
                del data[at:]
    return bytes(data)


def outcome(path: Path) -> str:
    """The outcome for one file. Processor time is measured, because the machine may have other work."""
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            vf.load_views(path, views="*" if set(path.suffixes) & TABLES else None)
        result = "read"
    except vf.ViewsFormatError as error:
        result = "refused" if str(path) in str(error) else "refused without naming the file"
    except Exception as error:
        result = f"WRONG ERROR {type(error).__name__}: {error}"[:200]
    slow = time.process_time() - start
    return result if slow < 1 else f"SLOW ({slow:.1f} s) {result}"


def worker(paths: list[Path], seed: int, first: int, last: int, folder: Path, results: multiprocessing.Queue) -> None:
    """Run cases ``first`` to ``last``. Each is announced before it starts, so that a crash can be attributed."""
    for path in paths:  # so that imports and caches do not count as memory of a case
        outcome(path)
    in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + MEMORY, in_use + MEMORY))
    originals = [path.read_bytes() for path in paths]
    for case in range(first, last):
        rng = np.random.default_rng([seed, case])
        which = case % len(paths)
        path = folder / f"case{''.join(paths[which].suffixes)}"
        path.write_bytes(mutate(originals[which], rng))
        results.put((case, "CRASH"))
        results.put((case, outcome(path)))
    results.put((last, None))


def fuzz(n_cases: int, seed: int) -> tuple[Counter[str], list[str], int]:
    """Counts of outcomes, the bad ones with their case, and peak memory of the workers in bytes."""
    found: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = seeds(folder)
        context, next_case = multiprocessing.get_context("spawn"), 0
        while next_case < n_cases:
            results = context.Queue()
            process = context.Process(target=worker, args=(paths, seed, next_case, n_cases, folder, results))
            process.start()
            while process.is_alive() or not results.empty():
                try:
                    case, what = results.get(timeout=60)
                except Exception:  # no answer for a minute: the worker hangs or has crashed
                    process.kill()
                    break
                if what is None:
                    next_case = n_cases
                    break
                found[case] = what
                next_case = case + 1
            process.join()
        names = [path.name for path in paths]
    counts = Counter(what if what in ("read", "refused") else what.split()[0] for what in found.values())
    bad = [f"case {c} ({names[c % len(names)]}): {w}" for c, w in found.items() if w not in ("read", "refused")]
    return counts, bad, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000, help="how many mutated files to read")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if not DATASETS.is_dir():
        sys.exit("The reference data (../shared/datasets) is not next to the repository.")
    print("MATLAB v7.3, load_views against h5py reading the same bytes (medians of 9)")
    for name in V73:
        ours, theirs, ratio = opening_ratio(DATASETS / name)
        print(f"  {name:26} {ours * 1e3:7.1f} ms  {theirs * 1e3:7.1f} ms  ratio {ratio:.2f}")
    if options.cases:
        start = time.perf_counter()
        counts, bad, memory = fuzz(options.cases, options.seed)
        print(f"fuzz: {sum(counts.values())} cases, seed {options.seed}, {time.perf_counter() - start:.0f} s")
        for what, count in sorted(counts.items()):
            print(f"  {what:10} {count}")
        print(f"  peak memory of a worker {memory / 2**20:.0f} MB")
        print("\n".join(bad[:20]))
        sys.exit(bool(bad))


if __name__ == "__main__":
    main()
