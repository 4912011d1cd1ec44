"""Hostile data for every way in and out: relations, mixed tables, edge lists, new samples, pages, annotations, plug-ins.

A case is a way, a method and a seed; ``broken_promises`` makes its data, follows the way and returns the guarantees that do
not hold. Each way ends with a complete result or with an exception of viewfuse that has a message, and gives no warnings but
those of viewfuse.
"""

import datetime
import decimal
import json
import re
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

import viewfuse as vf
from viewfuse.exceptions import ViewfuseError, ViewfuseWarning

TAKES_RELATIONS = ("auto", "gfsc", "gf")
PLACES_NEW = ("auto", "gfsc", "gf", "anchor-gfsc")
NASTY = (
    "</script><script>alert(1)</script>",
    "=1+1",
    '"quoted"',
    "naïve ✓",
    "",
    " ",
    "a\nb",
    "x" * 300,
    "<img src=x>",
    "NaN",
    "0",
)


@dataclass(frozen=True)
class WayCase:
    """One attempt: a way, a method, and the seed of everything else."""

    way: str
    method: str
    seed: int


def broken_promises(case):
    """Descriptions of the guarantees that do not hold, and "done" or the name of the viewfuse exception."""
    rng = np.random.default_rng([case.seed, *case.way.encode()])
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ViewfuseWarning)
        warnings.filterwarnings("ignore", category=FutureWarning, module="anndata|mudata")
        try:
            return list(WAYS[case.way](rng, case.method, Path(folder))), "done"
        except ViewfuseError as error:
            return ([] if str(error).strip() else ["an exception without a message"]), type(error).__name__
        except (Exception, Warning) as error:
            return [f"{type(error).__name__}: {error}"], "other exception"


def _sizes(rng):
    n = int(rng.integers(4, 40))
    return n, int(rng.integers(2, min(n, 6)))


def _pick(rng, options):
    return options[int(rng.integers(len(options)))]


def _model(method, k, rng):
    made = vf.METHODS[method]
    quick = {"n_init": 1, "max_iter": 10}
    known = made().get_params()
    return made(k, random_state=int(rng.integers(100)), **{name: v for name, v in quick.items() if name in known})


def _check_fit(model, n, k):
    labels = np.asarray(model.labels_)
    if labels.shape != (n,) or not np.array_equal(np.unique(labels), np.arange(k)):
        yield f"labels {np.unique(labels).tolist()} of shape {labels.shape} for n={n}, k={k}"
    for name in ("embedding_", "confidence_", "view_weights_", "membership_", "outlier_score_", "affinity_matrix_"):
        value = getattr(model, name, None)
        value = value.data if sp.issparse(value) else value
        if value is not None and not np.isfinite(np.asarray(value, dtype=float)).all():
            yield f"{name} is not finite"
    if not isinstance(model.notes_, tuple):
        yield "no notes"


def _check_new(model, new, n, k):
    labels = np.asarray(model.predict(new))
    if labels.shape != (n,) or labels.min() < 0 or labels.max() >= k:
        yield f"predicted {np.unique(labels).tolist()} of shape {labels.shape} for n={n}, k={k}"
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(new)
        if shares.shape != (n, k) or not np.isfinite(shares).all() or not np.allclose(shares.sum(axis=1), 1):
            yield "memberships are not finite or do not sum to 1"
    if hasattr(model, "outlier_score") and not np.isfinite(model.outlier_score(new)).all():
        yield "outlier scores are not finite"


# Graphs, kernels and distances


def _graph(rng, n):
    dense = (rng.random((n, n)) < rng.choice([0.0, 0.02, 0.2, 1.0])) * rng.choice(
        [1.0, 1e-300, 1e300, -1.0], (n, n), p=[0.9, 0.04, 0.03, 0.03]
    )
    kind = _pick(rng, ("as it is", "symmetric", "blocks", "identity", "empty", "one edge", "boolean"))
    if kind == "symmetric":
        dense = np.maximum(dense, dense.T)
    elif kind == "blocks":
        dense = np.kron(np.eye(2), np.ones((n, n)))[:n, :n]
    elif kind in ("identity", "empty", "one edge"):
        dense = np.eye(n) * (kind == "identity")
        dense[0, n - 1] += kind == "one edge"
    elif kind == "boolean":
        dense = dense != 0
    return sp.csr_array(dense) if rng.random() < 0.5 else dense


def _kernel(rng, n):
    points = rng.normal(size=(n, int(rng.integers(1, 5)))) * 10.0 ** rng.integers(-100, 100)
    kernel = points @ points.T
    return -kernel if rng.random() < 0.1 else kernel


def _distance(rng, n):
    points = rng.normal(size=(n, 2)) * 10.0 ** rng.integers(-100, 100) * (rng.random() < 0.9)
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    if rng.random() < 0.2:
        distance[0, 1] = _pick(rng, (np.inf, np.nan, -1.0, 5.0))
    return distance


RELATIONS = {"graph": _graph, "kernel": _kernel, "distance": _distance}


def relations(rng, method, folder):
    """Graphs, kernels and distances, with and without features."""
    n, k = _sizes(rng)
    views, kinds = {}, {}
    for v in range(int(rng.integers(1, 4))):
        kind = _pick(rng, (*RELATIONS, "features"))
        views[f"v{v}"] = (
            RELATIONS[kind](rng, n) if kind != "features" else rng.normal(size=(n, 3)) * 10.0 ** rng.integers(-200, 200)
        )
        kinds[f"v{v}"] = kind
    made = vf.Views(views, kinds="auto" if rng.random() < 0.2 else kinds)
    model = _model(method, k, rng).fit(made)
    yield from _check_fit(model, n, k)
    if method in TAKES_RELATIONS and n > 6:
        rows = np.arange(n // 2, n)
        yield from _check_new(model, made[rows], len(rows), k)


# Tables


def _column(rng, n):
    numbers = rng.normal(size=n) * 10.0 ** rng.integers(-5, 10)
    words = np.array(["red", "green", "blue", "Red ", *NASTY], dtype=object)
    return _pick(
        rng,
        (
            lambda: numbers,
            lambda: np.where(rng.random(n) < 0.3, np.nan, numbers),
            lambda: np.where(rng.random(n) < 0.8, np.nan, numbers),
            lambda: np.full(n, np.nan),
            lambda: np.full(n, 7),
            lambda: rng.integers(0, 3, n),
            lambda: rng.integers(0, 2, n).astype(bool),
            lambda: np.arange(n),
            lambda: words[rng.integers(0, 3, n)],
            lambda: words[rng.integers(0, len(words), n)],
            lambda: [f"text {i} of {rng.integers(10**6)}" for i in range(n)],
            lambda: [None if rng.random() < 0.3 else "yes" if rng.random() < 0.5 else "no" for _ in range(n)],
            lambda: [_pick(rng, (1, 2.5, "3", "n/a", None)) for _ in range(n)],
            lambda: [decimal.Decimal(int(i)) for i in rng.integers(0, 100, n)],
            lambda: [datetime.date(2020, 1, 1) + datetime.timedelta(int(i)) for i in rng.integers(0, 999, n)],
            lambda: pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 999, n), "D"),
            lambda: pd.array(rng.integers(0, 9, n), dtype="Int64"),
            lambda: pd.Categorical(words[rng.integers(0, 3, n)], ordered=bool(rng.random() < 0.5)),
            lambda: [f"{x:,.2f}" for x in numbers],
            lambda: np.where(rng.random(n) < 0.1, np.inf, numbers),
            lambda: rng.normal(size=n) * 1e307,
            lambda: [_pick(rng, ("never", "rarely", "often", "always")) for _ in range(n)],
            lambda: rng.choice([-999.0, 1.5, 2.5], n),
        ),
    )()


def _frames(rng, n):
    tables = {}
    for t in range(int(rng.integers(1, 4))):
        names = [f"c{i}" for i in range(int(rng.integers(1, 6)))]
        if rng.random() < 0.1:
            names[0] = _pick(rng, (*NASTY, 0, 1.5, names[-1]))
        frame = pd.DataFrame({i: _column(rng, n) for i in range(len(names))})
        frame.columns = names
        tables[f"t{t}"] = frame
    ids = _pick(rng, ("none", "text", "text", "numbers", "column"))
    for name, frame in tables.items():
        if ids == "text":
            frame.index = [f"s{i}" for i in range(n)]
        elif ids == "numbers":
            frame.index = pd.Index(np.arange(n) + 100, name="number")
        elif ids == "column":
            frame.insert(0, "id", [f"s{i}" for i in range(n)])
        if ids != "none":
            tables[name] = frame.iloc[rng.permutation(n)[: n if rng.random() < 0.8 else max(n - 2, 2)]]
    return tables


def tables(rng, method, folder):
    """Tables with columns of all types, in frames or in files."""
    n, k = _sizes(rng)
    frames = _frames(rng, n)
    missing = _pick(rng, ("error", "keep", "drop"))
    if rng.random() < 0.3:
        for name, frame in frames.items():
            frame.to_csv(folder / f"{name}.csv", index=frame.index.dtype.kind not in "iu")
        views = vf.load_views(folder, missing=missing)
    else:
        views = vf.Views(frames, missing=missing)
    model = _model(method, k, rng).fit(views)
    yield from _check_fit(model, len(views), k)
    summary = vf.summarise(model, views)
    if not set(views.notes) <= set(summary.notes):
        yield "the record lacks notes of the views"
    loaded = vf.io.load_results(vf.io.save_results(folder / "fit.npz", summary))
    if loaded.notes != summary.notes or not np.array_equal(loaded.labels, summary.labels):
        yield "saved results differ"


# New samples


def predict(rng, method, folder):
    """New samples with missing views, empty cells, unknown categories, other columns."""
    method = method if method in PLACES_NEW else _pick(rng, PLACES_NEW)
    n, k = _sizes(rng)
    frames = {name: frame.reset_index(drop=True) for name, frame in _frames(rng, n).items()}
    frames = {name: frame.drop(columns="id", errors="ignore") for name, frame in frames.items()}
    n = min(map(len, frames.values()))
    frames = {name: frame[:n] for name, frame in frames.items()}
    views = vf.Views(frames)
    model = _model(method, k, rng).fit(views)
    count = int(rng.integers(1, n + 1))
    rows = rng.integers(0, n, count)
    new = {name: frame.iloc[rows].reset_index(drop=True) for name, frame in frames.items()}
    name = _pick(rng, list(new))
    column = _pick(rng, list(new[name].columns))
    damage = _pick(
        rng, ("none", "no row", "empty column", "unknown", "order", "drop", "view lost", "huge", "views in another order")
    )
    if damage == "no row":
        new[name] = new[name].astype(object).where(np.repeat(rng.random(count)[:, None] < 0.5, new[name].shape[1], axis=1))
    elif damage == "empty column":
        new[name] = new[name].assign(**{str(column): np.nan})
    elif damage == "unknown":
        new[name] = new[name].astype(object).assign(**{str(column): "never seen"})
    elif damage == "order":
        new[name] = new[name][new[name].columns[::-1]]
    elif damage == "drop":
        new[name] = new[name].drop(columns=column)
    elif damage == "view lost":
        new.pop(name)
    elif damage == "huge":
        new[name] = new[name].assign(**{str(column): 1e300})
    elif damage == "views in another order":
        new = dict(reversed(new.items()))
    if rng.random() < 0.3:
        model = vf.load(model.save(folder / "fit.model"))
    yield from _check_new(model, new, count, k)


# Edge lists


def edges(rng, method, folder):
    """A table of samples, and a text file with their edges."""
    method = method if method in TAKES_RELATIONS else _pick(rng, TAKES_RELATIONS)
    n, k = _sizes(rng)
    ids = [f"p{i}" for i in range(n)] if rng.random() < 0.6 else [str(i) for i in range(n)]
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    frame.insert(0, "id", ids)
    frame.to_csv(folder / "words.csv", index=False)
    separator = _pick(rng, (",", "\t", " ", ";"))
    weight = ("1", "0.5", "-1", "nan", "1e300", "1e-300", "x", "")
    lines = [separator.join(("source", "target", "weight"))] if rng.random() < 0.7 else []
    for _ in range(int(rng.integers(0, 4 * n))):
        ends = [_pick(rng, ids), _pick(rng, ids)]
        if rng.random() < 0.01:
            ends[0] = _pick(rng, ("nobody", "", "NaN"))
        lines.append(separator.join([*ends, weight[0] if rng.random() < 0.97 else _pick(rng, weight)]))
    (folder / "cites.csv").write_text("\n".join(lines))
    kinds = {"cites": "graph"} if rng.random() < 0.5 else "auto"
    views = vf.load_views([folder / "words.csv", folder / "cites.csv"], kinds=kinds, missing=_pick(rng, ("error", "drop")))
    yield from _check_fit(_model(method, k, rng).fit(views), len(views), k)


# Pages and annotations


def page(rng, method, folder):
    """A report of data whose names are hostile."""
    n, k = _sizes(rng)
    names = [f"{_pick(rng, NASTY)}{i}" for i in range(n)]
    tables = {
        f"{_pick(rng, NASTY)} {t}": pd.DataFrame(
            rng.normal(size=(n, 2)), columns=[f"{_pick(rng, NASTY)}{c}" for c in range(2)], index=names
        )
        for t in range(2)
    }
    views = vf.Views(tables)
    model = _model(method, k, rng).fit(views)
    more = pd.DataFrame({_pick(rng, NASTY) + "x": _column(rng, n)}, index=names)
    columns = more if rng.random() < 0.5 else None
    text = vf.report.write_report(folder / "page.html", model, views, columns=columns, title=_pick(rng, NASTY)).read_text(
        "utf-8"
    )
    if "<script>alert(1)" in text or "<img src=x>" in text:
        yield "a name became a part of the page"
    for block in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.S):
        json.loads(block)


def annotate(rng, method, folder):
    """Results in AnnData, written and read again."""
    import anndata

    n, k = _sizes(rng)
    data = anndata.AnnData(rng.normal(size=(n, 4)) * 10.0 ** rng.integers(-30, 30))
    data.obs_names = [f"{_pick(rng, NASTY[:4])}{i}" for i in range(n)]
    data.obsm["protein"] = rng.normal(size=(n, 2))
    if rng.random() < 0.3:
        data.obs["viewfuse"] = "older"
    model = _model(method, k, rng).fit(data)
    vf.annotate(data, model)
    data.write(folder / "data.h5ad")
    again = anndata.read_h5ad(folder / "data.h5ad")
    if [int(label) for label in again.obs["viewfuse"]] != np.asarray(model.labels_).tolist():
        yield "the labels differ"


# Methods of other packages


class Rude(vf.MultiViewClusterer):
    """A method of someone else that returns what it should not."""

    def __init__(self, n_clusters=8, *, views=None, random_state=None, answer="right"):
        self.n_clusters, self.views, self.random_state, self.answer = n_clusters, views, random_state, answer

    def cluster_views(self, views, random_state):
        n = views[0].shape[0]
        right = np.arange(n) % self.n_clusters
        return {
            "right": right,
            "huge": right * 10**12 - 5,
            "one": np.zeros(n, dtype=int),
            "floats": right / 2,
            "short": right[:-1],
            "text": right.astype(str),
            "nothing": None,
            "matrix": right[:, None],
            "nan": vf.cluster.Solution(labels=right, embedding=np.full((n, 2), np.nan)),
            "weights": vf.cluster.Solution(labels=right, weights=np.ones(len(views)) / len(views)),
            "points": vf.cluster.Solution(points=views[0][:, :1] * 0),
        }[self.answer]


def plugin(rng, method, folder):
    """A method of another package that does not keep to its contract."""
    n, k = _sizes(rng)
    answer = _pick(rng, ("right", "huge", "one", "floats", "short", "text", "nothing", "matrix", "nan", "weights", "points"))
    views = {f"v{v}": rng.normal(size=(n, 2)) for v in range(int(rng.integers(1, 3)))}
    model = Rude(k, random_state=0, answer=answer).fit(views)
    if answer not in ("right", "huge", "one", "weights", "points"):
        yield f"{answer} was accepted"
    found = 1 if answer == "one" else k
    yield from _check_fit(model, n, found)


WAYS = {way.__name__: way for way in (relations, tables, predict, edges, page, annotate, plugin)}
