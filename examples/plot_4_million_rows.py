"""
A million rows
==============

An n × n graph of a million samples does not fit into memory. ``AnchorGFSC`` joins samples to a few anchors instead. The cost
per row does not depend on the number of rows, and new rows are assigned without a new fit.
"""

# %%
# The data has a million rows, or as many as ``VIEWFUSE_EXAMPLE_ROWS`` says. Three views of 20, 50 and 100 features show the
# same 20 clusters with different centres.

import os
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import MiniBatchKMeans

import viewfuse as vf

n_rows = int(os.environ.get("VIEWFUSE_EXAMPLE_ROWS", 1_000_000))
rng = np.random.default_rng(0)
truth = rng.integers(20, size=n_rows)


def view(n_features):
    centres = (0.5 * rng.normal(size=(20, n_features))).astype(np.float32)
    spread = rng.standard_normal((n_rows, n_features), dtype=np.float32)
    return centres[truth] + spread


views = vf.Views({"small": view(20), "middle": view(50), "large": view(100)})
print(f"{n_rows:,} rows, {sum(array.nbytes for array in views.arrays) / 1e6:,.0f} MB")

# %%
# The fit is compared with scikit-learn's ``MiniBatchKMeans`` on all columns. Times depend on the machine, so only their
# ratio is printed.

started = time.perf_counter()
model = vf.AnchorGFSC(n_clusters=20, random_state=0).fit(views)
ours = time.perf_counter() - started

started = time.perf_counter()
k_means = MiniBatchKMeans(20, n_init=3, random_state=0).fit(np.hstack(views.arrays))
theirs = time.perf_counter() - started

print(f"AnchorGFSC       ARI {vf.metrics.ari(truth, model.labels_):.3f}")
print(f"MiniBatchKMeans  ARI {vf.metrics.ari(truth, k_means.labels_):.3f}")
print(f"time ratio {ours / theirs:.1f}")

# %%
# New rows are assigned by the same steps, block by block.

again = model.predict(views[:10_000])
print(f"predicted again, ARI with the fit: {vf.metrics.ari(model.labels_[:10_000], again):.3f}")

# %%
# The report of a large fit draws a share of the samples of each cluster and says so; see :doc:`/report`.

ax = vf.plotting.plot_weights(model)
plt.show()
