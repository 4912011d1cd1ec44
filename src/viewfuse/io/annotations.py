"""The results of a fit in AnnData and MuData, where scanpy, muon and other scverse tools look for them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._utils.extras import require
from .._utils.warn import quietly
from ..exceptions import ViewsError
from ..graphs.nearest import default_neighbors
from ..inspection import FitSummary, as_summary
from ..views.containers import is_anndata, is_mudata
from .omics import views_from_omics

__all__ = ["annotate"]

_KEY = "viewfuse"


def annotate(data: Any, model: Any, views: Any = None) -> None:
    """Add the results of a fit to the AnnData or MuData that the views came from, in place.

    * ``obs["viewfuse"]``: the clusters, a categorical numbered by size; in a MuData also in ``obs`` of every modality.
      ``obs["viewfuse_confidence"]``: the confidence.
    * ``obsm["X_viewfuse"]``: the embedding.
    * ``obsp["viewfuse_connectivities"]`` and ``obsp["viewfuse_distances"]``: the sparse neighbour graph of the views that
      the fit used, before any cut. Of more than 50,000 samples it is that of 50,000, and each other sample is connected with
      its three nearest of these.
    * ``uns["viewfuse"]``: ``connectivities_key``, ``distances_key`` and ``params`` as :func:`scanpy.pp.neighbors` writes
      them, and weights, parameters, versions, the verdict and the notes of the fit.

    So ``scanpy.tl.umap(data, neighbors_key="viewfuse")``, ``scanpy.tl.leiden(data, neighbors_key="viewfuse")`` and
    ``scanpy.tl.rank_genes_groups(data, "viewfuse")`` run on the result, and on each modality of a MuData. Samples that were
    not clustered get no category, NaN, and no edges.

    Parameters
    ----------
    data : AnnData or MuData
    model : fitted estimator, or FitSummary
    views : Views, optional
        The views that the model was fitted on. The default are those of a FitSummary, else those that
        :func:`viewfuse.load_views` makes of ``data``.

    Examples
    --------
    >>> import anndata, numpy as np, viewfuse as vf
    >>> cells = anndata.AnnData(np.random.default_rng(0).normal(size=(30, 4)) + np.repeat([[0], [9]], 15, axis=0))
    >>> vf.annotate(cells, vf.AutoFusion(n_clusters=2, random_state=0).fit(cells))
    >>> cells.obs["viewfuse"].value_counts().to_dict()
    {'0': 15, '1': 15}
    """
    if not (is_anndata(data) or is_mudata(data)):
        raise ViewsError(f"Results are added to AnnData or MuData, not to {type(data).__name__}.")
    fit = _with_ids(as_summary(model, views), data)
    rows = _rows(data, fit)
    connectivities, distances = fit.graphs_of_all()
    for target, of_target, of_fit in _targets(data, rows):
        _add_labels(target, fit, of_target, of_fit)
        n = target.n_obs
        target.obsp[f"{_KEY}_connectivities"] = _placed(connectivities, n, of_target, of_fit)
        target.obsp[f"{_KEY}_distances"] = _placed(distances, n, of_target, of_fit)
        target.uns[_KEY] = _about(fit, _representation(target))


def _with_ids(fit: FitSummary, data: Any) -> FitSummary:
    """The record with the ids of its samples, which tell where they are in the object."""
    if fit.sample_ids is not None:
        return fit
    if fit.views is not None:
        raise ViewsError(
            "These views have no ids, so their samples cannot be found in this object.",
            hint="Pass the views that were made from the object.",
            parameter="views",
        )
    with quietly():  # the fit has used what it has used
        return fit.with_views(views_from_omics(data, labels=False))


def _rows(data: Any, fit: FitSummary) -> np.ndarray:
    """The row of each sample of the fit in the object."""
    ids = np.asarray(fit.sample_ids)
    rows = data.obs_names.get_indexer([str(i) for i in ids])
    if (rows < 0).any():
        raise ViewsError(
            f"Sample {ids.tolist()[int(np.argmin(rows))]!r} is not in this object.",
            hint="Add the results to the object that the views came from.",
            parameter="views",
        )
    return np.asarray(rows)


def _targets(data: Any, rows: np.ndarray) -> list[tuple[Any, np.ndarray, np.ndarray]]:
    """The object and its modalities, each with rows of it and the samples of the fit that are in them."""
    found = [(data, rows, np.arange(len(rows)))]
    if is_mudata(data):
        names = data.obs_names[rows]
        for part in data.mod.values():
            places = part.obs_names.get_indexer(names)
            here = np.flatnonzero(places >= 0)
            found.append((part, places[here], here))
    return found


def _add_labels(target: Any, fit: FitSummary, rows: np.ndarray, samples: np.ndarray) -> None:
    def placed(values: np.ndarray) -> np.ndarray:
        full = np.full((target.n_obs, *values.shape[1:]), np.nan)
        full[rows] = values[samples]
        return full

    labels = np.full(target.n_obs, None, dtype=object)
    labels[rows] = [str(label) for label in fit.labels[samples]]
    target.obs[_KEY] = require("pandas").Categorical(labels, categories=[str(label) for label in fit.sizes])
    if fit.confidence is not None:
        target.obs[f"{_KEY}_confidence"] = placed(fit.confidence)
    if fit.embedding is not None:
        target.obsm[f"X_{_KEY}"] = placed(fit.embedding)


def _placed(graph: sp.csr_array, n: int, rows: np.ndarray, samples: np.ndarray) -> sp.csr_matrix:
    """The graph among these samples of the fit, at these rows of an object of n samples."""
    part = graph[samples][:, samples].tocoo()
    return sp.csr_matrix((part.data, (rows[part.row], rows[part.col])), shape=(n, n))


def _representation(target: Any) -> dict[str, Any]:
    """Where scanpy and, by modality, muon find points to begin a layout with."""
    if is_mudata(target):
        return {"use_rep": dict.fromkeys(target.mod, "X"), "n_pcs": dict.fromkeys(target.mod, -1)}  # −1: all columns
    return {"use_rep": "X"} if target.X is not None else {}


def _about(fit: FitSummary, representation: dict[str, Any]) -> dict[str, Any]:
    """Plain values that an h5ad file can hold."""
    found = {
        "connectivities_key": f"{_KEY}_connectivities",
        "distances_key": f"{_KEY}_distances",
        "params": {
            "n_neighbors": default_neighbors(fit.n_samples),
            "method": "umap",  # scanpy's word for a graph of weighted edges
            "metric": "euclidean",
            "random_state": 0,
            **representation,
        },
        "method": fit.method,
        "estimator": json.dumps(fit.params, default=repr),
        "versions": json.dumps(fit.versions),
        "view_names": np.array(fit.view_names),
        "view_weights": fit.view_weights,
        "n_iter": fit.n_iter,
        "converged": fit.converged,
        "verdict": None if fit.verdict is None else fit.verdict["sentence"],
        "notes": np.array(fit.notes, dtype=str) if fit.notes else None,
    }
    return {name: value for name, value in found.items() if value is not None}
