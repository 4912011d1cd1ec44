"""
Digits with a broken view
=========================

One of six views of handwritten digits is broken: a join used the wrong key, or a file was sorted differently, and this was
not noticed. How does it change the clusters?
"""

# %%
# The rows of the best view, ``pixels``, are put in random order. Every number in it is still plausible, but belongs to
# another sample.

import matplotlib.pyplot as plt
import numpy as np

import viewfuse as vf

intact = vf.datasets.load_digits_views()
arrays = dict(zip(intact.names, intact.arrays, strict=True))
wrong_order = np.random.default_rng(0).permutation(len(intact))


def with_broken(*names):
    """The same views, with some of them in the wrong order."""
    return vf.Views(arrays | {name: arrays[name][wrong_order] for name in names}, y=intact.y)


broken = with_broken("pixels")

# %%
# GFSC is compared with the mean graph, in which all views have the same weight. The true digits are used for this table
# only.


def accuracy(method, views):
    return vf.metrics.accuracy(views.y, vf.METHODS[method](n_clusters=10, random_state=0).fit(views).labels_)


fit_intact, fit_broken = (vf.GFSC(n_clusters=10, random_state=0).fit(views) for views in (intact, broken))
print("accuracy      GFSC   mean graph")
for name, views, fit in [("intact", intact, fit_intact), ("broken", broken, fit_broken)]:
    print(f"{name:10s} {vf.metrics.accuracy(views.y, fit.labels_):7.3f} {accuracy('sc-ave', views):9.3f}")

# %%
# The weights show what happened: the view with the largest weight now has the smallest, because the other five views do not
# agree with it.

figure, axes = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained", sharex=True)
vf.plotting.plot_weights(fit_intact, axes[0]).set_title("weights, all views intact")
vf.plotting.plot_weights(fit_broken, axes[1]).set_title("weights, pixels broken")
assert fit_broken.view_names_[fit_broken.view_weights_.argmin()] == "pixels"

# %%
# The graphs show it too. Sorted by cluster, the graph of the broken view has no squares on its diagonal.

vf.plotting.plot_views(fit_broken, broken)

# %%
# Agreement has a limit: if two good views are broken *in the same way*, they agree with each other better than the other
# views do, and get large weights.

both = with_broken("pixels", "zones")
print(f"pixels and zones both in the same wrong order: accuracy {accuracy('gfsc', both):.3f}")
plt.show()
