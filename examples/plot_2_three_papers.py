"""
News in three papers
====================

169 stories, each told by Reuters, by the BBC and by the Guardian: three bags of words for the same event, sparse, with
other words in each. The topics (business, entertainment, health, politics, sport, technology) are known; they judge
the result and do nothing else.
"""

# %%
# The data set is ``3Sources`` of the catalogue: ``viewfuse datasets fetch 3Sources`` gets it once and checks it. Without
# it this page says so and shows nothing more.

import matplotlib.pyplot as plt

import viewfuse as vf

try:
    views = vf.datasets.fetch("3Sources")
except vf.exceptions.DownloadError as absent:
    views = None
    print(f"This example needs its data: {absent}")
else:
    print(views)

# %%
# All three papers, and each alone. Without labels nobody can tell which paper is the best one to listen to; the fusion
# need not know.

if views is not None:
    fused = vf.GFSC(n_clusters=6, random_state=0).fit(views)
    print(f"{'all three':10s} accuracy {vf.metrics.accuracy(views.y, fused.labels_):.3f}")
    for name, array in zip(views.names, views.arrays, strict=True):
        alone = vf.GFSC(n_clusters=6, random_state=0).fit([array])
        print(f"{name:10s} accuracy {vf.metrics.accuracy(views.y, alone.labels_):.3f}")

# %%
# How far each paper is trusted, and what the graphs look like, sorted by cluster.

if views is not None:
    vf.plotting.plot_views(fused, views)
    vf.plotting.plot_weights(fused)
plt.show()

# %%
# Stories on the border between two topics: the least sure ones are where the errors are.

if views is not None:
    import numpy as np

    unsure = np.argsort(fused.confidence_)[:8]
    print("least sure:", unsure, "confidence", np.round(fused.confidence_[unsure], 3))
