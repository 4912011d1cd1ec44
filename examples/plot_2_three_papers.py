"""
News in three newspapers
========================

169 stories were each reported by Reuters, the BBC and the Guardian. Each report is a sparse bag of words, with different
words for the same event. The topics (business, entertainment, health, politics, sport, technology) are known. They are
used only to score the result.
"""

# %%
# The data set is ``3Sources`` of the catalogue. ``viewfuse datasets fetch 3Sources`` downloads and verifies it. Without it
# this page shows only a message.

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
# Accuracy of all three views together, and of each view by itself. Without labels you cannot know which view is the best;
# the fusion does not need to know.

if views is not None:
    fused = vf.GFSC(n_clusters=6, random_state=0).fit(views)
    print(f"{'all three':10s} accuracy {vf.metrics.accuracy(views.y, fused.labels_):.3f}")
    for name, array in zip(views.names, views.arrays, strict=True):
        single_view = vf.GFSC(n_clusters=6, random_state=0).fit([array])
        print(f"{name:10s} accuracy {vf.metrics.accuracy(views.y, single_view.labels_):.3f}")

# %%
# The weight of each view, and the graphs, sorted by cluster.

if views is not None:
    vf.plotting.plot_views(fused, views)
    vf.plotting.plot_weights(fused)
plt.show()

# %%
# Stories between two topics: most errors are among the least confident samples.

if views is not None:
    import numpy as np

    least_confident = np.argsort(fused.confidence_)[:8]
    print("least confident:", least_confident, "confidence", np.round(fused.confidence_[least_confident], 3))
