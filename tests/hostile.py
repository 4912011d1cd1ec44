"""Extreme data and parameters, and what every estimator guarantees for them.

A case is a small description (sizes, a kind and a dtype per view, parameters, one seed), so that hypothesis can shrink it
and a test can list it. ``broken_promises`` fits a case and returns the guarantees that do not hold.
"""

import inspect
import warnings
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from viewfuse.cluster import METHODS
from viewfuse.exceptions import ParameterError, ViewfuseError, ViewfuseWarning

KINDS = (
    "noise", "clusters", "rank one", "duplicates", "two rows", "constant columns", "constant", "zero rows", "any exponent",
    "huge", "tiny", "subnormal", "one giant", "far from zero", "disconnected", "one-hot", "same as first",
    "opposite of first", "shuffled first", "scaled first", "nearly equal", "integers", "largest numbers",
)  # fmt: skip
DTYPES = (
    "float64",
    "float32",
    "float16",
    "longdouble",
    "int64",
    "int8",
    "uint16",
    "bool",
    "object",
    "sparse",
    "fortran",
    "strided",
)
NUMBERS = (0.0, 1e-300, 1e-30, 1e-8, 1e-3, 0.1, 1.0, 1.01, 10.0, 1e3, 1e8, 1e30, 1e300)
CHOICES = {
    "variant": ("robust", "published", "program", "paper"),
    "scaling": ("unit-samples", "min-max", "unit-spread", "standard-samples", "standard-features", "none"),
    "affinity": ("self-expressive", "gaussian", "adaptive-neighbors", "cosine"),
    "mode": ("pairwise", "centroid"),
}
COUNTS = {"n_neighbors": (1, 2, 10, 10**6), "max_iter": (1, 2, 15), "n_anchors": ("auto", 2, 5, 60)}
LEFT_AT_DEFAULT = {"n_clusters", "views", "view", "random_state", "verbose", "n_init", "max_time", "device", "callback"}


@dataclass(frozen=True)
class Case:
    """One fit: a method, its parameters, and a description of its data."""

    method: str
    n: int
    k: int
    views: tuple  # of (kind, dtype, number of features)
    seed: int = 0
    params: dict = field(default_factory=dict)


def cases(methods=tuple(METHODS)):
    """A hypothesis strategy for cases of these methods."""
    return st.sampled_from(methods).flatmap(_cases_of)


@st.composite
def _cases_of(draw, method):
    k = draw(st.one_of(st.integers(2, 6), st.integers(2, 60)))
    n = draw(st.one_of(st.just(k), st.integers(k, 60)))
    view = st.tuples(st.sampled_from(KINDS), st.sampled_from(DTYPES), st.one_of(st.integers(1, 4), st.integers(1, 70)))
    views = draw(st.lists(view, min_size=1, max_size=6))
    return Case(method, n, k, tuple(views), draw(st.integers(0, 10**6)), draw(_parameters(method)))


def _parameters(method):
    """Extreme values for some parameters of the estimator; the others have their defaults."""
    options = {}
    for name, parameter in inspect.signature(METHODS[method]).parameters.items():
        if name in LEFT_AT_DEFAULT:
            continue
        if name in CHOICES:
            options[name] = st.sampled_from([value for value in CHOICES[name] if _is_accepted(method, name, value)])
        elif name in COUNTS:
            options[name] = st.sampled_from(COUNTS[name])
        elif isinstance(parameter.default, float):
            options[name] = st.sampled_from([value for value in NUMBERS if _is_accepted(method, name, value)])
    # "tol" and "max_iter" decide how long a fit takes: at most 15 iterations, so that 20,000 fits are feasible.
    return st.fixed_dictionaries({"max_iter": options.pop("max_iter")} if "max_iter" in options else {}, optional=options)


def _is_accepted(method, name, value):
    try:
        METHODS[method](**{name: value})._validate_params()
    except ParameterError:
        return False
    return True


def data_of(case):
    """The views of a case, by name."""
    rng = np.random.default_rng(case.seed)
    clusters = rng.integers(case.k, size=case.n)
    views, first = {}, None
    with np.errstate(all="ignore"):
        for v, (kind, dtype, d) in enumerate(case.views):
            values = _values(kind, case.n, d, clusters, first, rng)
            first = values if first is None else first
            views[f"{'cabfde'[v]}{v}"] = _as_dtype(values, dtype)
    return views


def _values(kind, n, d, clusters, first, rng):
    x = rng.normal(size=(n, d))
    if first is not None and kind.endswith("first"):
        order = rng.permutation(n)
        made = {"same": first, "opposite": -first, "shuffled": first[order], "scaled": np.clip(first, -1e290, 1e290) * 1e10}
        return made[kind.split()[0]].copy()
    if kind == "clusters":
        return 5 * rng.normal(size=(clusters.max() + 1, d))[clusters] + 0.1 * x
    if kind == "rank one":
        return np.outer(x[:, 0], rng.normal(size=d))
    if kind == "duplicates":
        return x[rng.integers(max(n // 4, 1), size=n)]
    if kind == "two rows":
        return x[rng.integers(2, size=n)]
    if kind == "constant columns":
        x[:, rng.random(d) < 0.5] = 3.0
        return x
    if kind == "constant":
        return np.full((n, d), 7.0)
    if kind == "zero rows":
        x[rng.random(n) < 0.4] = 0
        return x
    if kind == "any exponent":
        return x * 10.0 ** rng.uniform(-300, 300, size=(n, d))
    if kind == "one giant":
        x[rng.integers(n), rng.integers(d)] = 1e300
        return x
    if kind == "disconnected":
        return (
            np.kron(np.eye(2), np.ones((n, d)))[::2][:n] * np.abs(x[:, :1]) if n % 2 == 0 else x * (clusters == 0)[:, None]
        )
    if kind == "one-hot":
        return np.eye(d)[rng.integers(d, size=n)]
    if kind == "nearly equal":
        return 1 + 1e-15 * x
    if kind == "integers":
        return rng.integers(-3, 4, size=(n, d)).astype(float)
    if kind == "largest numbers":
        return np.finfo(float).max * rng.choice([-1.0, 1.0, 0.5], size=(n, d))
    scale = {"huge": 1e300, "tiny": 1e-300, "subnormal": 5e-322}.get(kind)
    return x * scale if scale else x + 1e12 if kind == "far from zero" else x


def _as_dtype(values, dtype):
    if dtype in ("float64", "fortran", "strided"):
        wide = np.repeat(values, 2, axis=1)
        return {"float64": values, "fortran": np.asfortranarray(values), "strided": wide[:, ::2]}[dtype]
    if dtype == "sparse":
        return sp.csr_array(np.where(np.abs(values) > 0.3 * np.abs(values).max(), values, 0.0))
    if dtype == "bool":
        return values > 0
    if dtype == "object":
        return values.astype(object)
    kind = np.dtype(dtype)
    limits = np.iinfo(kind) if kind.kind in "iu" else np.finfo(kind)
    low, high = float(limits.min), float(limits.max)
    # Clip values that do not fit: a view of infinities would only test that infinities raise an error.
    return np.clip(values, low * (1 - 1e-9) if low else 0, high * (1 - 1e-9)).astype(kind)


def fitted(case, views):
    """The fitted estimator, or the viewfuse exception that it raised. Other exceptions and warnings propagate."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ViewfuseWarning)
        try:
            method = METHODS[case.method]
            quick = {"n_init": 1} if "n_init" in method().get_params() else {}
            return method(case.k, random_state=case.seed, **quick, **case.params).fit(views)
        except ViewfuseError as error:
            return error


def broken_promises(case):
    """Descriptions of the guarantees that do not hold, and "fitted" or the name of the viewfuse exception."""
    views = data_of(case)
    before = {name: _copied(view) for name, view in views.items()}
    for view in views.values():
        _freeze(view)
    try:
        model = fitted(case, views)
        again = fitted(case, dict(reversed(views.items())))
    except (Exception, Warning) as error:
        return [f"{type(error).__name__}: {error}"], "other exception"
    broken = []
    if any(not _same(views[name], before[name]) for name in views):
        broken.append("the input was changed")
    if isinstance(model, ViewfuseError) or isinstance(again, ViewfuseError):
        if type(model) is not type(again):
            broken.append(f"order of keys: {model!r} or {again!r}")
        if not str(model).strip():
            broken.append("an exception without a message")
        return broken, type(model).__name__
    labels = model.labels_
    if labels.shape != (case.n,) or labels.dtype.kind != "i":
        broken.append(f"labels of shape {labels.shape} and dtype {labels.dtype}")
    elif not np.array_equal(np.unique(labels), np.arange(case.k)):
        broken.append(f"labels {np.unique(labels).tolist()} for k={case.k}")
    for name in ("embedding_", "confidence_", "view_weights_", "affinity_matrix_", "objective_", "anchor_graph_"):
        value = getattr(model, name, None)
        value = value.data if sp.issparse(value) else value
        if value is not None and not np.isfinite(np.asarray(value, dtype=float)).all():
            broken.append(f"{name} is not finite")
    if hasattr(model, "view_weights_") and not np.isclose(model.view_weights_.sum(), 1):
        broken.append(f"view weights sum to {model.view_weights_.sum()}")
    if not np.array_equal(labels, again.labels_):
        broken.append("labels differ between two fits with one seed, or by the order of the keys")
    return broken, "fitted"


def _copied(view):
    return view.copy()


def _freeze(view):
    for part in (view.data, view.indices, view.indptr) if sp.issparse(view) else (view,):
        part.flags.writeable = False


def _same(view, other):
    if sp.issparse(view):
        return view.shape == other.shape and all(
            np.array_equal(getattr(view, part), getattr(other, part)) for part in ("data", "indices", "indptr")
        )
    return np.array_equal(view, other)
