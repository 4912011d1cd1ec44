"""What the explorer of the page shows: maps, columns to colour by, values of features, packed for the page's script."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from typing import Any

import numpy as np

from .._utils.text import count
from ..inspection import FitSummary
from ..inspection.palette import SCALE, colour_of
from ..inspection.values import DrawnFeatures
from ._columns import Column, by_category, by_number, column
from ._pictures import STILL_SIZE, still_of_map

__all__ = ["explorer"]

_MOST_IDS = 200_000  # samples; the ids of more are not all in the page
_MISSING = 65_535
_MOST_STILL_COLOURS = 250


def explorer(fit: FitSummary, confidence: np.ndarray | None, columns: dict[str, np.ndarray]) -> dict[str, Any] | None:
    """The content of the section; None if there is nothing to draw."""
    if not fit.layouts:
        return None
    rows = fit.layout_rows
    found = np.array(list(fit.sizes))
    codes = np.searchsorted(found, fit.labels)
    colours = [colour_of(place) for place in range(len(found))]
    places = {name: _in_unit_square(points) for name, points in fit.layouts.items()}
    notes = _notes(fit)
    offered = _columns(fit, confidence, columns)
    features = fit.drawn_features
    whole = fit.n_samples <= _MOST_IDS
    data = {
        "drawn": len(rows),
        "all": whole and len(rows) < fit.n_samples,
        "rows": None if len(rows) == fit.n_samples else _packed(rows.astype(np.uint32)),
        "labels": _packed((codes if whole else codes[rows]).astype(np.uint16)),
        "names": _names(fit, whole),
        "clusters": [
            {"label": int(label), "name": str(label), "colour": colours[place]} for place, label in enumerate(found)
        ],
        "views": list(fit.view_names),
        "scale": list(SCALE),
        "layouts": [
            {"name": name, "note": notes[name], "places": _packed(np.round(xy * 65535).astype(np.uint16))}
            for name, xy in places.items()
        ],
        "columns": [{**one.payload(), "data": _packed(one.data())} for one in offered],
        "features": None if features is None else _quantised(features),
        "checksum": hashlib.sha256(fit.labels.astype(np.int64).tobytes() + repr(fit.view_names).encode()).hexdigest()[:16],
    }
    first = next(iter(places))
    return {
        "drawn": len(rows),
        "all": whole,
        "about": _about(fit),
        "note": notes[first],
        "layouts": list(places),
        "columns": [one.name for one in offered],
        "features": [] if features is None else _by_view(features, fit.view_names),
        "left_out": "" if features is None or not features.left_out else _left_out(features),
        "still": still_of_map(
            places[first], np.minimum(codes[rows], _MOST_STILL_COLOURS), colours[: _MOST_STILL_COLOURS + 1]
        ),
        "still_size": STILL_SIZE,
        "tags": _tags(places[first], codes[rows], found),
        "data": data,
    }


def _about(fit: FitSummary) -> str:
    near = fit.neighborhoods
    if near is None or not near.before_cut:
        return (
            "The data was not given, so the map is drawn from the embedding, which the cut has shaped: it shows islands "
            "even if the data is noise."
        )
    return (
        "Samples that are neighbours in the data lie close together. The map is drawn from the neighbour graph before any "
        "cut, so clusters that are only the work of the cut do not lie apart on it."
    )


def _notes(fit: FitSummary) -> dict[str, str]:
    """One sentence about each layout."""
    near = fit.neighborhoods
    shaped = near is not None and not near.before_cut
    notes = {}
    for name in fit.layouts:
        if name == "principal plane":
            what = "the embedding, which the cut has shaped" if shaped else "the views that were used, side by side"
            notes[name] = (
                f"The two directions in which the samples vary most, of {what}. Clusters may lie behind each other."
            )
        elif name == "all views":
            notes[name] = (
                "Neighbour embedding (t-SNE) of the joint neighbour graph of the views that were used, before any cut. "
                "Distances between far groups and the sizes of groups mean little."
            )
        elif name == "embedding":
            notes[name] = "Neighbour embedding of the fit's embedding. The cut has shaped it: islands are no evidence."
        else:
            notes[name] = "Neighbour embedding of the neighbour graph of this view alone, with the clusters of all views."
    return notes


def _columns(fit: FitSummary, confidence: np.ndarray | None, columns: dict[str, np.ndarray]) -> list[Column]:
    """What the samples can be coloured by, beside the clusters and the features."""
    rows, found = fit.layout_rows, []
    if confidence is not None:
        found.append(by_number("confidence", confidence[rows]))
    if fit.outlier_score is not None:
        found.append(by_number("outlier score", fit.outlier_score[rows]))
    if fit.known_labels is not None:
        found.append(by_category("known label", fit.known_labels[rows]))
    found += [column(name, values[rows]) for name, values in columns.items()]
    near = fit.neighborhoods
    if near is not None and len(near.views) > 1 and fit.n_clusters > 1 and len(fit.mapped_rows) == len(rows):
        labels = fit.labels[rows]
        found += [
            by_number(f"weight of {name} (its neighbours in the same cluster)", near.share_inside(graph, labels))
            for name, graph in near.views.items()
        ]
    return found


def _names(fit: FitSummary, whole: bool) -> str | None:
    if fit.sample_ids is None:
        return None
    names = fit.sample_names if whole else [fit.sample_names[row] for row in fit.layout_rows]
    return _packed_bytes(json.dumps(names).encode())


def _quantised(features: DrawnFeatures) -> dict[str, Any]:
    """The values on a scale of 65,535 steps from the smallest to the largest of each feature."""
    values = features.values.astype(float)
    known = np.isfinite(values)
    low = np.where(known, values, np.inf).min(axis=1, initial=np.inf)
    high = np.where(known, values, -np.inf).max(axis=1, initial=-np.inf)
    low, high = np.where(np.isfinite(low), low, 0.0), np.where(np.isfinite(high), high, 0.0)
    share = (np.where(known, values, 0) - low[:, None]) / np.where(high > low, high - low, 1)[:, None]
    codes = np.where(known, np.round(np.clip(share, 0, 1) * (_MISSING - 1)), _MISSING).astype(np.uint16)
    return {
        "names": features.names.tolist(),
        "view": features.view.tolist(),
        "kinds": features.kinds.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "values": _packed(codes),
    }


def _by_view(features: DrawnFeatures, views: tuple[str, ...]) -> list[tuple[str, list[tuple[int, str]]]]:
    return [
        (view, [(int(f), str(features.names[f])) for f in np.flatnonzero(features.view == v)])
        for v, view in enumerate(views)
    ]


def _left_out(features: DrawnFeatures) -> str:
    return (
        f"{count(features.left_out, 'feature')} of {features.left_out + len(features.names)} that differ least between the "
        "clusters are not in this page and not compared."
    )


def _in_unit_square(points: np.ndarray) -> np.ndarray:
    """The points centred in the unit square, with the same scale on both axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    side = float((high - low).max()) or 1.0
    return np.asarray(np.clip((points - (low + high) / 2) / side + 0.5, 0, 1))


def _tags(points: np.ndarray, codes: np.ndarray, found: np.ndarray) -> list[dict[str, Any]]:
    """The names of the clusters on the still picture, at the samples nearest to their medians, in percent."""
    width, height = STILL_SIZE
    side = 0.94 * min(width, height)
    tags = []
    for place in np.unique(codes):
        members = points[codes == place]
        x, y = members[((members - np.median(members, axis=0)) ** 2).sum(axis=1).argmin()]
        left, top = 50 + 100 * (x - 0.5) * side / width, 50 - 100 * (y - 0.5) * side / height
        tags.append({"left": f"{left:.1f}", "top": f"{top:.1f}", "name": str(found[place])})
    return tags


def _packed(values: np.ndarray) -> str:
    return _packed_bytes(np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes())


def _packed_bytes(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode()
