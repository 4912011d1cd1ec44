"""Library defaults on eight labelled real sets, beside the defaults of other packages:
``python benchmarks/label_free.py [--peers-python PYTHON] [--sets BBC ...] [--seeds 3]``.

One setting for all sets; labels serve the scores alone. The peers that PYTHON (this one by default) can import take part:
scikit-learn's KMeans and SpectralClustering on the views side by side, polyview, imml and mvlearn (``pip install --no-deps
mvlearn seaborn``) on the list of views, features standardised for all of them. Their versions need not suit viewfuse's: with
``--peers-python`` they run in a virtual environment of their own.
"""

from __future__ import annotations

import argparse
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
OURS = ("GFSC", "AnchorGFSC")
PATIENCE = 900  # seconds for all peers on one set


def peers() -> Iterator[tuple[str, Callable[[list[np.ndarray], int, int], Any]]]:
    """Name and fit(views, k, seed) → labels of every peer there is."""
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
            print(f"{package} takes no part: {error}", file=sys.stderr)
            continue
        for name in names:
            method = getattr(found, name)
            yield f"{package} {name}", lambda views, k, seed, m=method: m(n_clusters=k, random_state=seed).fit_predict(views)


def run_peers(path: Path, seeds: int) -> None:
    """In the peers' process: print the labels that each of them finds, a line of JSON when it is done."""
    warnings.simplefilter("ignore")
    with np.load(path) as file:
        k, views = int(file["k"]), [file[key] for key in sorted(file.files) if key != "k"]
    views = [StandardScaler().fit_transform(view) for view in views]
    for name, fit in peers():
        started = time.perf_counter()
        try:
            labels = [np.asarray(fit(views, k, seed)).tolist() for seed in range(seeds)]
        except Exception as error:
            print(f"  {name}: {type(error).__name__} {error}"[:150], file=sys.stderr, flush=True)
            continue
        print(json.dumps([name, labels, (time.perf_counter() - started) / seeds]), flush=True)


def labels_of_peers(python: str, views: Any, k: int, seeds: int) -> dict[str, Any]:
    dense = [a.toarray() if hasattr(a, "toarray") else np.asarray(a) for a in views.float_arrays()]
    with tempfile.TemporaryDirectory() as folder:
        path, answers = Path(folder) / "views.npz", Path(folder) / "answers"
        np.savez(path, k=k, **{f"view{v:03}": array for v, array in enumerate(dense)})
        command = [python, __file__, "--views-of-peers", str(path), "--seeds", str(seeds)]
        with answers.open("w") as out:
            try:
                subprocess.run(command, stdout=out, timeout=PATIENCE, check=True)
            except subprocess.TimeoutExpired:
                print(f"  (the peers that are missing were not done in {PATIENCE} s)", flush=True)
        found = [json.loads(line) for line in answers.read_text().splitlines() if line.startswith("[")]
    return {name: {"labels": labels, "seconds": seconds} for name, labels, seconds in found}


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
    parser.add_argument("--views-of-peers", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.views_of_peers:
        run_peers(options.views_of_peers, options.seeds)
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
    print("\nmean over the sets")
    for method, rows in scores.items():
        if len(rows) == len(sets):
            acc, nmi, ari = np.mean(rows, axis=0)
            print(f"  {method:42} Acc {acc:5.1f}  NMI {nmi:5.1f}  ARI {ari:5.1f}")
    print("\nAcc of GFSC less that of the best peer default")
    behind = {
        name: accs["GFSC"] - max(acc for method, acc in accs.items() if method not in OURS) for name, accs in table.items()
    }
    print("  " + ", ".join(f"{name} {gap:+.1f}" for name, gap in behind.items()))
    print(
        f"  at or above it on {sum(gap >= 0 for gap in behind.values())} of {len(behind)}; least {min(behind.values()):+.1f}"
    )


if __name__ == "__main__":
    main()
