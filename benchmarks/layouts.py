"""Which map keeps neighbours together? Neighbourhood preservation of four layouts of the same joint neighbour graphs.

    python benchmarks/layouts.py ../shared/datasets            # needs umap-learn and openTSNE

Each layout is made from the joint neighbour graph of a data set, before any cut. The figure is the share of the 15
strongest edges of a sample that are among its 15 nearest samples on the map, averaged over the samples, and the seconds.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from viewfuse import load_views
from viewfuse.inspection.neighbor_map import neighbor_map, neighborhood_preservation, spectral_layout
from viewfuse.inspection.neighborhoods import neighborhoods_of_views

MOST_SAMPLES = 5_000


def umap_layout(graph: sp.csr_array) -> np.ndarray:
    from umap.umap_ import find_ab_params, simplicial_set_embedding

    a, b = find_ab_params(1.0, 0.1)
    scaled = (graph / graph.max()).tocoo()
    return simplicial_set_embedding(
        np.zeros((graph.shape[0], 1)), sp.coo_matrix(scaled), 2, 1.0, a, b, 1.0, 5, None, "spectral",
        np.random.RandomState(0), "euclidean", {}, False, {}, False,
    )[0]  # fmt: skip


def open_tsne_layout(graph: sp.csr_array) -> np.ndarray:
    from openTSNE import TSNEEmbedding
    from openTSNE.affinity import PrecomputedAffinities

    from viewfuse.inspection.neighbor_map import _probabilities

    start = spectral_layout(graph)
    embedding = TSNEEmbedding(
        1e-4 * start / start.std(),
        PrecomputedAffinities(sp.csr_matrix(_probabilities(graph))),
        random_state=0,
        negative_gradient_method="fft",
    )
    embedding.optimize(250, exaggeration=12, momentum=0.5, inplace=True)
    embedding.optimize(500, exaggeration=1, momentum=0.8, inplace=True)
    return np.asarray(embedding)


LAYOUTS = {
    "spectral": spectral_layout,
    "spectral + forces": neighbor_map,
    "umap-learn": umap_layout,
    "openTSNE": open_tsne_layout,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parents[2] / "shared" / "datasets")
    folder = parser.parse_args().folder
    warnings.simplefilter("ignore")
    print(f"{'data set':22}" + "".join(f"{name:>24}" for name in LAYOUTS))
    kept: dict[str, list[float]] = {name: [] for name in LAYOUTS}
    for path in sorted(folder.glob("*.mat")):
        views = load_views(path)
        rows = np.random.RandomState(0).permutation(len(views))[:MOST_SAMPLES]
        graph = neighborhoods_of_views(
            views, np.sort(rows), used=range(views.n_views), weights=None, precomputed=False
        ).fused
        line = f"{path.stem[:21]:22}"
        for name, layout in LAYOUTS.items():
            begin = time.perf_counter()
            points = layout(graph)
            kept[name].append(neighborhood_preservation(graph, points))
            line += f"{kept[name][-1]:15.3f} {time.perf_counter() - begin:6.1f} s"
        print(line, flush=True)
    print(f"{'mean':22}" + "".join(f"{np.mean(values):15.3f}         " for values in kept.values()))


if __name__ == "__main__":
    main()
