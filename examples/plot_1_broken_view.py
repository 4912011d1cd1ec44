"""
Digits with a broken view
=========================

Six views of handwritten digits, and something goes wrong with one of them: a join on the wrong key, a file sorted
differently. Nobody notices. What does it do to the clusters?
"""

# %%
# The best view, ``pixels``, gets its rows in random order: every number in it is plausible, and all of them are of somebody
# else.

import matplotlib.pyplot as plt
import numpy as np

import viewfuse as vf

whole = vf.datasets.load_digits_views()
arrays = dict(zip(whole.names, whole.arrays, strict=True))
wrong_order = np.random.default_rng(0).permutation(len(whole))


def with_broken(*names):
    """The same views, with some of them in the wrong order."""
    return vf.Views(arrays | {name: arrays[name][wrong_order] for name in names}, y=whole.y)


broken = with_broken("pixels")

# %%
# GFSC beside the mean graph, in which every view counts the same. The true digits are used for this table only.


def accuracy(method, views):
    return vf.metrics.accuracy(views.y, vf.METHODS[method](n_clusters=10, random_state=0).fit(views).labels_)


fit_whole, fit_broken = (vf.GFSC(n_clusters=10, random_state=0).fit(views) for views in (whole, broken))
print("accuracy      GFSC   mean graph")
for name, views, fit in [("whole", whole, fit_whole), ("broken", broken, fit_broken)]:
    print(f"{name:10s} {vf.metrics.accuracy(views.y, fit.labels_):7.3f} {accuracy('sc-ave', views):9.3f}")

# %%
# The fit says what happened: the view that was trusted most is now trusted least. Nobody told it so; it is the one that the
# other five do not agree with.

figure, axes = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained", sharex=True)
vf.plotting.plot_weights(fit_whole, axes[0]).set_title("trust, whole")
vf.plotting.plot_weights(fit_broken, axes[1]).set_title("trust, with pixels broken")
assert fit_broken.view_names_[fit_broken.view_weights_.argmin()] == "pixels"

# %%
# The graphs show it as well: sorted by cluster, the broken view has no squares on its diagonal.

vf.plotting.plot_views(fit_broken, broken)

# %%
# What no method can do that goes by agreement: if two good views are broken *in the same way*, they agree with each other,
# and better than the rest do. Then they are believed.

both = with_broken("pixels", "zones")
print(f"pixels and zones in the same wrong order: accuracy {accuracy('gfsc', both):.3f}")
plt.show()
