"""Defaults of viewfuse and of other packages on eight labelled real data sets:
``python benchmarks/label_free.py [--peers-python PYTHON] [--sets BBC ...] [--seeds 3]``.

There is one setting for all data sets, and labels are used in the scores only. Peers are the packages that the
interpreter PYTHON (by default this one) can import: scikit-learn's KMeans and SpectralClustering on the concatenated
views, and polyview, imml and mvlearn (``pip install --no-deps mvlearn seaborn``) on the list of views. Features are
standardised for all of them. With ``--peers-python`` the peers run in a separate environment, because they may need other
versions than viewfuse.
"""

from __future__ import annotations

import argparse
import functools
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.preprocessing import StandardScaler

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "datasets"
SETS = {
    "BBC": "bbc_seg14of4", "Reuters": "reuters_1200", "Digits": "Handwritten_numerals", "MSRC-v5": "MSRC-v5",
    "3Sources": "3Sources", "BBCSport": "BBCSport_fea_gt", "NGs": "NGs", "ORL": "ORL_4view",
}  # fmt: skip
OURS = ("AutoFusion", "GFSC", "AnchorGFSC")
PATIENCE = 120  # seconds for all seeds of one peer on one set


def peers() -> Iterator[tuple[str, Callable[[list[np.ndarray], int, int], Any]]]:
    """Name and function fit(views, k, seed) → labels of every peer that can be imported."""
    yield "KMeans", lambda views, k, seed: KMeans(k, random_state=seed).fit_predict(np.hstack(views))
    yield (
        "SpectralClustering",
        lambda views, k, seed: SpectralClustering(k, affinity="nearest_neighbors", random_state=seed).fit_predict(
            np.hstack(views)
        ),
    )
    sources = {
        "polyview": ("polyview.cluster", ("MultiViewKMeans", "MultiViewCoRegSpectralClustering")),
        "imml": ("imml.cluster", ("LFIMVC", "EEIMVC", "NEMO")),
        "mvlearn": ("mvlearn.cluster", ("MultiviewSpectralClustering", "MultiviewCoRegSpectralClustering")),
    }
    for package, (module, names) in sources.items():
        try:
            found = __import__(module, fromlist=list(names))
        except ImportError as error:
            print(f"{package} is left out: {error}", file=sys.stderr)
            continue
        for name in names:
            method = getattr(found, name)
            yield f"{package} {name}", lambda views, k, seed, m=method: m(n_clusters=k, random_state=seed).fit_predict(views)


def run_peer(peer: str, path: Path, seeds: int) -> None:
    """Print the labels that a peer finds, and its time, as JSON. This runs in a separate process."""
    warnings.simplefilter("ignore")
    with np.load(path) as file:
        k, views = int(file["k"]), [file[key] for key in sorted(file.files) if key != "k"]
    views = [StandardScaler().fit_transform(view) for view in views]
    fit = dict(peers())[peer]
    started = time.perf_counter()
    labels = [np.asarray(fit(views, k, seed)).tolist() for seed in range(seeds)]
    print(json.dumps([labels, (time.perf_counter() - started) / seeds]), flush=True)


def labels_of_peers(python: str, views: Any, k: int, seeds: int) -> dict[str, Any]:
    dense = [a.toarray() if hasattr(a, "toarray") else np.asarray(a) for a in views.float_arrays()]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "views.npz"
        np.savez(path, k=k, **{f"view{v:03}": array for v, array in enumerate(dense)})
        for peer in names_of_peers(python):
            command = [python, __file__, "--peer", peer, str(path), "--seeds", str(seeds)]
            try:
                answer = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
            except subprocess.TimeoutExpired:
                print(f"  {peer:42} not finished in {PATIENCE} s", flush=True)
            except subprocess.CalledProcessError as error:
                print(f"  {peer:42} failed: {error.stderr.strip().splitlines()[-1][:100]}", flush=True)
            else:
                labels, seconds = json.loads(answer.splitlines()[-1])
                found[peer] = {"labels": labels, "seconds": seconds}
    return found


@functools.cache
def names_of_peers(python: str) -> list[str]:
    answer = subprocess.run([python, __file__, "--list-peers"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return json.loads(answer.splitlines()[-1])


def labels_of_ours(views: Any, k: int, seeds: int) -> dict[str, Any]:
    import viewfuse

    found = {}
    for name in OURS:
        started = time.perf_counter()
        labels = [getattr(viewfuse, name)(k, random_state=seed).fit(views).labels_ for seed in range(seeds)]
        found[name] = {"labels": labels, "seconds": (time.perf_counter() - started) / seeds}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers-python", default=sys.executable)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=SETS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--peer", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--list-peers", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.list_peers:
        print(json.dumps([name for name, _ in peers()]))
    elif options.peer:
        run_peer(options.peer[0], Path(options.peer[1]), options.seeds)
    else:
        compare(options.sets, options.peers_python, options.seeds)


def compare(sets: list[str], python: str, seeds: int) -> None:
    from viewfuse import load_views
    from viewfuse.metrics import evaluate

    warnings.simplefilter("ignore")
    table: dict[str, dict[str, float]] = {}
    scores: dict[str, list[tuple[float, float, float]]] = {}
    for name in sets:
        views = load_views(FOLDER / f"{SETS[name]}.mat")
        k = np.unique(views.y).size
        print(f"{name}: {len(views)} samples, {views.n_views} views, {k} clusters", flush=True)
        found = labels_of_ours(views, k, seeds) | labels_of_peers(python, views, k, seeds)
        table[name] = {}
        for method, result in found.items():
            each = [evaluate(views.y, np.asarray(labels)) for labels in result["labels"]]
            acc, nmi, ari = (100 * float(np.mean([score[key] for score in each])) for key in ("acc", "nmi", "ari"))
            table[name][method] = acc
            scores.setdefault(method, []).append((acc, nmi, ari))
            print(f"  {method:42} Acc {acc:5.1f}  NMI {nmi:5.1f}  ARI {ari:5.1f}  {result['seconds']:6.1f} s", flush=True)
    print("\nmean over the data sets")
    for method, rows in scores.items():
        if len(rows) == len(sets):
            acc, nmi, ari = np.mean(rows, axis=0)
            print(f"  {method:42} Acc {acc:5.1f}  NMI {nmi:5.1f}  ARI {ari:5.1f}")
    for ours in OURS:
        print(f"\nAcc of {ours} minus that of the best peer")
        ahead = {
            name: accs[ours] - max(acc for method, acc in accs.items() if method not in OURS) for name, accs in table.items()
        }
        print("  " + ", ".join(f"{name} {gap:+.1f}" for name, gap in ahead.items()))
        wins = sum(gap >= 0 for gap in ahead.values())
        print(f"  at or above it on {wins} of {len(ahead)}; smallest difference {min(ahead.values()):+.1f}")


if __name__ == "__main__":
    main()
