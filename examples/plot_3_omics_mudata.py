"""
Omics in a MuData object
========================

Cells are measured twice, by RNA and by protein, in one MuData object. Its modalities are the views, and the clusters are
written back into it.
"""

# %%
# A small MuData object as a sequencing pipeline would write it: sparse counts of 200 genes and levels of 15 proteins, for
# 240 cells of four types. Two types differ in RNA only, two in protein only, so neither modality can distinguish all
# four.

import warnings

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from anndata import AnnData

warnings.filterwarnings("ignore", message=r"From 0\.4 \.update\(\)", category=FutureWarning)
from mudata import MuData  # noqa: E402

import viewfuse as vf  # noqa: E402

rng = np.random.default_rng(0)
kind = np.repeat(["T", "B", "NK", "mono"], 60)
in_rna = np.select([kind == "T", kind == "B"], [0, 1], default=2)
in_protein = np.select([kind == "NK", kind == "mono"], [0, 1], default=2)
rates = rng.gamma(0.6, 1.2, size=(3, 200))
rna = AnnData(sp.csr_matrix(rng.poisson(rates[in_rna])).astype(np.float32))
protein = AnnData(rng.normal(2 * rng.normal(size=(3, 15))[in_protein], 1.0).astype(np.float32))
for modality, name in ((rna, "gene"), (protein, "protein")):
    modality.obs_names = [f"cell{i}" for i in range(240)]
    modality.var_names = [f"{name}{j}" for j in range(modality.n_vars)]
cells = MuData({"rna": rna, "protein": protein})

# %%
# The estimators accept the object itself.

model = vf.GFSC(n_clusters=4, random_state=0).fit(cells)
print(vf.Views(cells))
print("both     ", round(vf.metrics.ari(kind, model.labels_), 3), "adjusted Rand index with the cell types")
for name in ("rna", "protein"):
    single_view = vf.GFSC(n_clusters=4, random_state=0).fit([cells[name].X])
    print(f"{name:9s}", round(vf.metrics.ari(kind, single_view.labels_), 3))

# %%
# Results are written to ``obs["viewfuse"]`` (also of each modality), ``obsm["X_viewfuse"]``, ``obsp`` and
# ``uns["viewfuse"]``, where scanpy and muon expect them: ``scanpy.tl.rank_genes_groups(cells["rna"], "viewfuse")`` finds
# marker genes, and ``muon.tl.umap(cells, neighbors_key="viewfuse")`` draws a map.
# ``viewfuse cluster cells.h5mu -k 4 --save cells.h5mu`` does the same to a file.

vf.annotate(cells, model)
print(cells.obs["viewfuse"].value_counts().to_string())

vf.plotting.plot_views(model, vf.Views(cells))
plt.show()
