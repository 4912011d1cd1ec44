"""Objects that hold several views: Bunch, AnnData and MuData. The last two are recognised without importing them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Bunch

from .._utils.text import listed
from ..exceptions import ViewsError, ViewsTypeError
from .conventions import is_label_name
from .join_by_id import Member
from .labels import Labels, checked_labels, several_labels
from .matrices import is_dataframe

__all__ = [
    "holds_dask",
    "holds_views",
    "is_anndata",
    "is_mudata",
    "labels_of_bunch",
    "labels_of_omics",
    "members_of_omics",
    "unused_of_omics",
    "views_of_bunch",
]


def holds_views(data: Any) -> bool:
    """Return whether this is a Bunch, AnnData or MuData, whose views ``Views`` extracts."""
    return isinstance(data, Bunch) or type(data).__module__.partition(".")[0] in ("anndata", "mudata")


def holds_dask(data: Any) -> bool:
    """Return whether this is a Dask collection, or a list or mapping that contains one; Dask is not imported."""
    members = data.values() if isinstance(data, Mapping) else data if isinstance(data, (list, tuple)) else [data]
    return any(type(member).__module__.startswith("dask") for member in members)


def is_anndata(data: Any) -> bool:
    """Return whether this is an AnnData object, without importing anndata."""
    return _is_instance(data, "anndata", "AnnData")


def is_mudata(data: Any) -> bool:
    """Return whether this is a MuData object, without importing mudata."""
    return _is_instance(data, "mudata", "MuData")


def _is_instance(data: Any, module: str, name: str) -> bool:
    cls = getattr(sys.modules.get(module), name, None)
    return cls is not None and isinstance(data, cls)


def members_of_omics(data: Any, views: str | Sequence[str] | None = None) -> list[Member]:
    """Return the views of an AnnData or a MuData, with ``obs_names`` as ids.

    A modality is one view: its ``X``. Beside ``X``, an AnnData may hold measurements of another kind in ``obsm``
    (``protein``), which are views too. What is derived from ``X`` is no view unless it is named: layers, embeddings
    (``obsm`` entries that begin with ``X_``, as scanpy and viewfuse name theirs) and places (``spatial``).

    Parameters
    ----------
    data : AnnData or MuData
    views : str or sequence of str, optional
        For AnnData, names of layers, ``obsm`` and ``obsp`` entries, and ``"X"``. For MuData, names of modalities;
        ``"rna:X_pca"`` takes a layer or another entry of a modality instead of its ``X``.
    """
    wanted = [views] if isinstance(views, str) else views
    if is_mudata(data):
        names = list(data.mod) if wanted is None else list(wanted)
        members = [_modality(data, name) for name in names]
    else:
        entries = _entries(data)
        names = [name for name in entries if not _is_derived(data, name)] if wanted is None else list(wanted)
        members = [_entry(data, entries, name, name) for name in names]
    if not members:
        held = not is_mudata(data) and bool(_entries(data))
        raise ViewsError(
            f"The data has no views by itself: it has no X, only {listed(_entries(data))}."
            if held
            else "The data has no views: it has neither X nor layers nor obsm entries.",
            hint="Name the entries that are views with views=['NAME', …]." if held else None,
            parameter="views",
            value=tuple(_entries(data)) if held else None,
        )
    return members


def unused_of_omics(data: Any) -> list[str]:
    """The entries that are no views unless they are named."""
    if is_mudata(data):
        return [f"{name}:{entry}" for name, part in data.mod.items() for entry in _entries(part) if entry != "X"]
    return [name for name in _entries(data) if _is_derived(data, name)]


def _is_derived(data: Any, name: str) -> bool:
    """Whether an entry is derived from ``X``, by the conventions of scanpy."""
    if name == "X":
        return False
    entry = name.removeprefix("layers/").removeprefix("obsm/")
    is_layer = entry in data.layers and not name.startswith("obsm/")
    return is_layer or entry.startswith("X_") or entry == "spatial"


def _modality(data: Any, name: str) -> Member:
    modality, _, entry = name.partition(":")
    if modality not in data.mod:
        raise ViewsError(
            f"There is no modality {modality!r}; the modalities are {listed(data.mod)}.",
            hint="Choose modalities with views=['NAME', …].",
            view=name,
            parameter="views",
            value=tuple(data.mod),
        )
    return _entry(data.mod[modality], _entries(data.mod[modality]), entry or "X", name)


def _entries(data: Any) -> dict[str, Any]:
    """Return all matrices with one row per sample, by name; a name in both layers and obsm gets a prefix."""
    entries = {} if data.X is None else {"X": data.X}
    entries |= {f"layers/{name}" if name in data.obsm or name == "X" else name: data.layers[name] for name in data.layers}
    entries |= {f"obsm/{name}" if name in data.layers or name == "X" else name: data.obsm[name] for name in data.obsm}
    return entries


def _entry(data: Any, entries: dict[str, Any], key: str, name: str) -> Member:
    pair = key.removeprefix("obsp/")
    if key not in entries and pair in data.obsp:
        ids = data.obs_names.to_numpy(dtype=str).astype(object)
        kind = "features" if "distance" in pair else "graph"  # load_views guesses the kind of features
        return Member(
            name, sp.csr_array(data.obsp[pair]) if sp.issparse(data.obsp[pair]) else data.obsp[pair], ids, None, kind
        )
    if key not in entries:
        raise ViewsError(
            f"There is no {key!r} for view {name!r}; the entries are {listed([*entries, *data.obsp])}.",
            hint="Choose entries with views=['NAME', …].",
            view=name,
            parameter="views",
            value=tuple(entries),
        )
    values = entries[key]
    feature_names = None
    if is_dataframe(values):
        feature_names = values.columns.to_numpy(dtype=str).astype(object)
        values = values.to_numpy()
    elif values.shape[1] == data.n_vars and key not in data.obsm:
        feature_names = data.var_names.to_numpy(dtype=str).astype(object)
    matrix = values.tocsr() if sp.issparse(values) else np.asarray(values)
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise ViewsError(
            f"View {name!r} is {matrix.ndim}-D with values of type {matrix.dtype}; a view is a matrix of real numbers.",
            hint="Choose other entries with views=['NAME', …].",
            view=name,
            parameter="views",
            value=tuple(entry for entry in entries if entry != key),
        )
    return Member(name, matrix, data.obs_names.to_numpy(dtype=str).astype(object), feature_names)


def labels_of_omics(
    data: Any, labels: Labels, ids: np.ndarray | None, sample_name: Callable[[int], str]
) -> np.ndarray | None:
    """Return the labels in ``obs`` of the samples with these ids, or None if there are none."""
    if labels is False:
        return None
    named = [name for name in data.obs.columns if (is_label_name(name) if labels is None else name == labels)]
    if isinstance(labels, str) and not named:
        raise ViewsError(
            f"obs has no column {labels!r} for the labels; its columns are {listed(data.obs.columns)}.",
            hint="Choose a column with labels='NAME', or read no labels with labels=False.",
            parameter="labels",
            value=(*data.obs.columns, False),
        )
    if len(named) > 1:
        raise several_labels(named)
    if not named:
        return None
    return checked_labels(data.obs.loc[ids, named[0]], named[0], sample_name, asked=isinstance(labels, str))


def views_of_bunch(bunch: Bunch) -> Any:
    """Return the entry ``views`` or ``data`` of a Bunch."""
    data = bunch.get("views", bunch.get("data"))
    if data is None:
        raise ViewsTypeError(f"A Bunch needs an entry 'data' or 'views'; this one has {listed(bunch) or 'none'}.")
    return data


def labels_of_bunch(bunch: Bunch, labels: Labels = None) -> Any:
    """Return the labels of a Bunch, not yet checked, or None if there are none."""
    if labels is False:
        return None
    if labels is not None and labels not in bunch:
        raise ViewsError(
            f"The Bunch has no entry {labels!r} for the labels; its entries are {listed(bunch)}.",
            hint="Choose an entry with labels='NAME', or read no labels with labels=False.",
            parameter="labels",
            value=(*bunch, False),
        )
    name = labels or "target"
    y = bunch.get(name)
    if y is not None and np.ndim(y) != 1:
        raise ViewsError(
            f"The entry {name!r} of the Bunch has shape {np.shape(y)}; labels are one value per sample.",
            hint="Choose another entry with labels='NAME', or read no labels with labels=False.",
            parameter="labels",
            value=(*(entry for entry in bunch if entry != name), False),
        )
    return y
