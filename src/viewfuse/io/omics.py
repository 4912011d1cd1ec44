"""AnnData and MuData, in memory or from ``.h5ad`` and ``.h5mu`` files."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._extras import require
from .._text import listed
from ..exceptions import ViewsError
from ..views import Views, is_dataframe
from ._hdf5 import check_all_datasets
from .align import Member, Missing, align
from .conventions import is_label_name
from .labels import checked_labels
from .tables import Labels

__all__ = ["is_anndata", "is_mudata", "read_omics", "views_from_omics"]


def is_anndata(data: Any) -> bool:
    """Whether this is an AnnData object, without importing anndata."""
    return _is_instance(data, "anndata", "AnnData")


def is_mudata(data: Any) -> bool:
    """Whether this is a MuData object, without importing mudata."""
    return _is_instance(data, "mudata", "MuData")


def _is_instance(data: Any, module: str, name: str) -> bool:
    cls = getattr(sys.modules.get(module), name, None)
    return cls is not None and isinstance(data, cls)


def read_omics(path: Path) -> Any:
    """The AnnData or MuData object of a file, once its data sets have been found to be no larger than they are."""
    check_all_datasets(path)
    with path.open("rb") as file:
        is_multimodal = file.read(6) == b"MuData"
    if is_multimodal:
        with without_mudata_announcement():
            return require("mudata", extra="omics").read_h5mu(path)
    return require("anndata", extra="omics").read_h5ad(path)


@contextmanager
def without_mudata_announcement() -> Iterator[None]:
    """mudata 0.3 announces a change of its ``.update()`` to whoever reads a file, who can do nothing about it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"From 0\.4 \.update\(\) will not pull", FutureWarning)
        yield


def views_from_omics(
    data: Any,
    *,
    views: str | Sequence[str] | None = None,
    labels: Labels = None,
    missing: Missing = "error",
) -> Views:
    """Views of an AnnData (``X``, layers, ``obsm``) or a MuData (modalities), samples matched by ``obs_names``.

    Parameters
    ----------
    data : AnnData or MuData
    views : str or sequence of str, optional
        For AnnData the names of layers and ``obsm`` entries, and ``"X"``; all of them by default. For MuData
        modalities, all by default; ``"rna:X_pca"`` takes a layer or ``obsm`` entry of one instead of its ``X``.
    labels, missing
        As in :func:`viewfuse.load_views`.
    """
    wanted = [views] if isinstance(views, str) else views
    if is_mudata(data):
        names = list(data.mod) if wanted is None else list(wanted)
        members = [_modality(data, name) for name in names]
    else:
        entries = _entries(data)
        names = list(entries) if wanted is None else list(wanted)
        members = [_entry(data, entries, name, name) for name in names]
    if not members:
        raise ViewsError("It has neither X nor layers nor obsm entries: there are no views.")
    aligned = align(members, missing)
    return Views(aligned, y=_labels(data, labels, aligned))


def _modality(data: Any, name: str) -> Member:
    modality, _, entry = name.partition(":")
    if modality not in data.mod:
        raise ViewsError(f"There is no modality {modality!r}; there are {listed(data.mod)}.")
    return _entry(data.mod[modality], _entries(data.mod[modality]), entry or "X", name)


def _entries(data: Any) -> dict[str, Any]:
    """Everything with one row per sample; a name that layers and obsm share gets its place before it."""
    entries = {} if data.X is None else {"X": data.X}
    entries |= {f"layers/{name}" if name in data.obsm or name == "X" else name: data.layers[name] for name in data.layers}
    entries |= {f"obsm/{name}" if name in data.layers or name == "X" else name: data.obsm[name] for name in data.obsm}
    return entries


def _entry(data: Any, entries: dict[str, Any], key: str, name: str) -> Member:
    if key not in entries:
        raise ViewsError(f"There is no {key!r} for view {name!r}; there are {listed(entries)}.")
    values = entries[key]
    feature_names = None
    if is_dataframe(values):
        feature_names = values.columns.to_numpy(dtype=str).astype(object)
        values = values.to_numpy()
    elif values.shape[1] == data.n_vars and key not in data.obsm:
        feature_names = data.var_names.to_numpy(dtype=str).astype(object)
    matrix = values.tocsr() if sp.issparse(values) else np.asarray(values)
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise ViewsError(f"{name!r} is no matrix of real numbers ({matrix.ndim}-D, {matrix.dtype}); leave it out of views.")
    return Member(name, matrix, data.obs_names.to_numpy(dtype=str).astype(object), feature_names)


def _labels(data: Any, labels: Labels, views: Views) -> np.ndarray | None:
    if labels is False:
        return None
    named = [name for name in data.obs.columns if (is_label_name(name) if labels is None else name == labels)]
    if isinstance(labels, str) and not named:
        raise ViewsError(f"obs has no column {labels!r}, which labels= asks for; it has {listed(data.obs.columns)}.")
    if len(named) > 1:
        raise ViewsError(f"{listed(named)} could each be the labels; choose with labels=, or none with labels=False.")
    if not named:
        return None
    return checked_labels(data.obs.loc[views.ids, named[0]], named[0], views.sample_name, asked=isinstance(labels, str))
