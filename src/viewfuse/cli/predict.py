"""``viewfuse predict``: the clusters of new samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from .._utils.text import count
from ..exceptions import ParameterError
from ..io.writers import check_labels_target, save_predictions
from ._options import (
    AsJson,
    Ids,
    KindRules,
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
    samples: SamplesAre = None,
    missing: MissingSamples = "error",
    loose_ids: LooseIds = False,
    kinds: KindRules = None,
) -> None:
    """Assign new samples to the clusters of a saved model.

    Views and columns are matched by name. The new samples are measured as those of the fit were, so one sample at a time
    gives the same as many. With --missing keep, samples may be missing from some views. Edge lists hold the edges between
    new samples and samples of the fit, by id.

    [bold]Examples[/]

      viewfuse cluster patients.h5mu --save patients.model

      viewfuse predict patients.model new_patients.h5mu -o clusters.csv
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
    reading = Reading(views, ids, None, True, samples, missing, None, loose_ids, kinds)
    new = load(files, reading, fitted)
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


def _predicted(model: Any, views: Any) -> dict[str, Any]:
    columns = {"label": np.asarray(model.predict(views))}
    if hasattr(model, "predict_proba"):
        columns["membership"] = model.predict_proba(views).max(axis=1)
    if hasattr(model, "outlier_score"):
        columns["outlier_score"] = model.outlier_score(views)
    return columns
