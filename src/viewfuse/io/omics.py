"""Read AnnData and MuData files (``.h5ad`` and ``.h5mu``)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .._utils.extras import require
from .._utils.text import listed
from .._utils.warn import warn
from ..exceptions import UnusedVariablesWarning
from ..views import Views
from ..views.containers import labels_of_omics, members_of_omics, unused_of_omics
from ..views.join_by_id import Missing
from ..views.labels import Labels
from ._hdf5 import check_all_datasets

__all__ = ["read_omics", "views_from_omics", "without_mudata_announcement"]


def read_omics(path: Path) -> Any:
    """Return the AnnData or MuData object of a file, after checking the claimed sizes of its data sets."""
    check_all_datasets(path)
    with path.open("rb") as file:
        is_multimodal = file.read(6) == b"MuData"
    if is_multimodal:
        with without_mudata_announcement():
            return require("mudata", extra="omics").read_h5mu(path)
    return require("anndata", extra="omics").read_h5ad(path)


@contextmanager
def without_mudata_announcement() -> Iterator[None]:
    """Silence a warning of mudata 0.3 about a change of its ``.update()``: users who read a file can do nothing about it."""
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
    """Return the views of an AnnData or a MuData, matched by ``obs_names``; the options are those of ``load_views``.

    An ``UnusedVariablesWarning`` names the layers and embeddings that are not read, unless ``views`` are given.
    """
    unused = unused_of_omics(data) if views is None else []
    if unused:
        warn(
            UnusedVariablesWarning(
                f"Layers and embeddings are derived from the data and are no views of their own: {listed(unused)}.",
                hint="Name what should be a view with views=['NAME', …].",
                parameter="views",
                value=tuple(unused),
            )
        )
    aligned = Views.from_members(members_of_omics(data, views), missing)
    return Views(aligned, y=labels_of_omics(data, labels, aligned.ids, aligned.sample_name))
