"""
Dask: rows on a cluster
=======================

The views are Dask arrays, chunked by rows, on the cluster that a ``distributed.Client`` is connected to. Without a client
the threads of this machine do the work. Each chunk is processed where it is, and no array with one row per sample is sent
back.
"""

# %%
# Two views are generated chunk by chunk. Neither is ever completely in one place.

import os

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

import viewfuse as vf

n_rows = min(int(os.environ.get("VIEWFUSE_EXAMPLE_ROWS", 1_000_000)), 200_000)
chunk = max(n_rows // 20, 500)
truth = da.random.default_rng(0).integers(8, size=n_rows, chunks=chunk)


def view(n_features, seed):
    """Eight clusters around random centres."""
    centres = np.random.default_rng(seed).normal(size=(8, n_features))
    clean = truth.map_blocks(lambda block: centres[block], chunks=(truth.chunks[0], n_features), new_axis=1, dtype=float)
    return clean + da.random.default_rng(seed).normal(size=(n_rows, n_features), chunks=(chunk, n_features))


views = {"left": view(20, 1), "right": view(40, 2)}
print(views["left"])

# %%
# The estimator and its call are the same. ``labels_`` is a Dask array with the chunks of the views. Counting the labels also
# happens where the chunks are.

model = vf.AnchorGFSC(n_clusters=8, random_state=0).fit(views)
print(model.labels_)
sizes = da.bincount(model.labels_, minlength=8).compute()
print("sizes", sizes)
print("ARI with the truth", round(vf.metrics.ari(truth.compute(), model.labels_.compute()), 3))

# %%
# The same rows in memory give the same clusters.

in_memory = vf.AnchorGFSC(n_clusters=8, random_state=0).fit({name: array.compute() for name, array in views.items()})
print("ARI with the fit in memory", round(vf.metrics.ari(in_memory.labels_, model.labels_.compute()), 3))

vf.plotting.plot_weights(model)
plt.show()
