"""``viewfuse predict``: the clusters of new samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from .._utils.text import count, listed
from ..exceptions import ParameterError, ViewsError
from ..io.sniff import sniff
from ..io.writers import check_labels_target, save_predictions
from ..views import Views
from ..views.conventions import is_label_name
from ._options import (
    AsJson,
    Ids,
    KindRules,
    Labels,
    LooseIds,
    MissingSamples,
    Reading,
    SamplesAre,
    ViewRules,
    load,
)
from ._progress import spinner

__all__ = ["predict"]


def predict(
    model: Annotated[Path, typer.Argument(help="A model that viewfuse cluster --save FILE.model wrote.")],
    files: Annotated[
        list[Path],
        typer.Argument(help="The new samples: a file or folder like that of the fit, or one table per view."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write the cluster of each sample to this file: .csv, .tsv or .parquet."),
    ] = None,
    as_json: AsJson = False,
    views: ViewRules = None,
    ids: Ids = None,
    labels: Labels = None,
    samples: SamplesAre = None,
    missing: MissingSamples = "error",
    loose_ids: LooseIds = False,
    kinds: KindRules = None,
) -> None:
    """Assign new samples to the clusters of a saved model.

    Views and columns are matched by name. The new samples are measured as those of the fit were, so one sample at a time
    gives the same as many. With --missing keep, samples may be missing from some views, for which there need not be a file.
    True labels are left out as in the fit. Edge lists hold the edges between new samples and samples of the fit, by id.

    [bold]Examples[/]

      viewfuse cluster patients.h5mu --save patients.model

      viewfuse predict patients.model new_patients.h5mu -o clusters.csv

      viewfuse predict customers.model new/profile.csv --missing keep
    """
    from ..cluster import load as load_model

    if output is not None:
        check_labels_target(output)
    fitted = load_model(model)
    if not hasattr(fitted, "predict"):
        raise ParameterError(
            f"{model} holds a {type(fitted).__name__}, which cannot assign new samples; AutoFusion, GFSC, GF and AnchorGFSC "
            "can.",
            hint="Fit one of these methods.",
            parameter="model",
        )
    # One file has all samples in all of its views, but the fit may have had others.
    matched = "error" if missing == "keep" and _is_one_source(files) else missing
    no_labels = labels is None and _had_labels_as_features(fitted)
    reading = Reading(views, ids, labels, no_labels, samples, matched, None, loose_ids, kinds)
    new = _in_views_of_fit(load(files, reading, fitted), fitted, missing)
    with spinner(f"Placing {len(new):,} samples"):
        columns = _predicted(fitted, new)
    sizes = dict(zip(*(part.tolist() for part in np.unique(columns["label"], return_counts=True)), strict=True))
    written = None if output is None else str(save_predictions(output, new, columns))
    if as_json:
        print(
            json.dumps({"samples": len(new), "sizes": {str(c): n for c, n in sizes.items()}, "written": written}, indent=2)
        )
        return
    listed = ", ".join(f"{cluster}: {size}" for cluster, size in sizes.items())
    print(f"{count(len(new), 'sample')} in {count(len(sizes), 'cluster')}: {listed}")
    if written is not None:
        print(f"labels written to {written}")


def _is_one_source(files: list[Path]) -> bool:
    """Whether all views come from one file in which no sample can be missing from a view."""
    return len(files) == 1 and files[0].is_file() and sniff(files[0]) not in ("AnnData", "MuData")


def _had_labels_as_features(fitted: Any) -> bool:
    """Whether the fit, with --no-labels, took a column with the name of labels for a feature."""
    encoding = getattr(fitted, "encoding_", None)
    return encoding is not None and any(is_label_name(column["column"]) for column in encoding.rows())


def _in_views_of_fit(new: Views, fitted: Any, missing: str) -> Views:
    """The new samples in the views of the fit: the names must be the same, unless there is one view."""
    known = [str(name) for name in fitted.view_names_]
    if len(known) == new.n_views == 1:
        return Views(new, names=known)
    absent = [name for name in known if name not in new.names]
    if not absent:
        return new  # predict refuses other views
    views = f"The model was fitted on the views {listed(known)}, but the new samples"
    if set(new.names) <= set(known):
        if missing == "keep":
            return fitted._with_absent_views(new)
        raise ViewsError(f"{views} have no {listed(absent)}.", view=absent[0], parameter="missing", value=("keep",))
    raise ViewsError(f"{views} have {listed(new.names)}.", view=absent[0], parameter="names")


def _predicted(model: Any, views: Any) -> dict[str, Any]:
    columns = {"label": np.asarray(model.predict(views))}
    if hasattr(model, "predict_proba"):
        columns["membership"] = model.predict_proba(views).max(axis=1)
    if hasattr(model, "outlier_score"):
        columns["outlier_score"] = model.outlier_score(views)
    return columns
