"""Extreme data: every fit gives a valid result or a viewfuse exception. ``benchmarks/hostile.py`` tries more cases."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings

import hostile_ways
import viewfuse as vf
from hostile import Case, broken_promises, cases, data_of
from viewfuse.cluster import METHODS
from viewfuse.exceptions import DegenerateGraphWarning, DivergenceError


@pytest.mark.parametrize("method", METHODS)
def test_guarantees_hold(method):
    @settings(max_examples=15, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(cases((method,)))
    def holds(case):
        assert broken_promises(case)[0] == []

    holds()


@pytest.mark.parametrize("way", hostile_ways.WAYS)
def test_guarantees_hold_for_every_way_in_and_out(way):
    if way == "annotate":
        pytest.importorskip("anndata")
    if way == "page":
        pytest.importorskip("jinja2")
    methods = list(METHODS)
    for number in range(4 if way == "page" else 12):
        case = hostile_ways.WayCase(way, "auto" if number % 2 else methods[number * 5 % len(methods)], 500 + number)
        assert hostile_ways.broken_promises(case)[0] == [], case


FOUND_IN_WAYS = {
    "squares of huge new values overflowed where cells are filled": ("predict", "auto", 10002272),
    "fewer different rows than clusters, in a mixture": ("predict", "auto", 110000058),
    "numbers that single precision does not have, in the columns of a page": ("page", "anchor-gfsc", 31),
    "the standard deviation of sums of edge weights overflowed": ("edges", "auto", 16),
    "numbers that single precision does not have, in the values of the page": ("tables", "auto", 12),
    "the fences of a column overflowed": ("tables", "auto", 24),
    "the spread of a feature overflowed": ("tables", "auto", 40),
    "truth values were subtracted": ("relations", "auto", 40),
    "two columns with one name": ("tables", "auto", 62),
    "text in a column of dates of new samples": ("predict", "amgl", 83),
    "fewer different points than clusters beside a graph": ("edges", "lmvsc", 853),
    "the sum of a column of large numbers overflowed": ("tables", "auto", 2292),
    "ids that are no whole numbers of 64 bits": ("predict", "mspl", 2421),
    "an edge of a new sample that is heavier than all of the fit": ("relations", "auto", 3_020_000_244),
}


@pytest.mark.parametrize("reason", FOUND_IN_WAYS)
def test_what_failed_on_a_way_once_holds(reason):
    assert hostile_ways.broken_promises(hostile_ways.WayCase(*FOUND_IN_WAYS[reason]))[0] == []


# Cases found by benchmarks/hostile.py. Each failed once, for the reason that is its key.
FOUND = {
    "a constant view was compared with clouds": Case(
        "km", 57, 57, (("integers", "float64", 3), ("constant", "float64", 57)), 31858, {"tol": 1e-30, "max_iter": 2}
    ),
    "fewer typical samples than clusters": Case("auto", 59, 58, (("same as first", "float16", 1),), 1840, {}),
    "a graph without a spectrum was compared with random ones": Case(
        "sc",
        47,
        3,
        (
            ("constant", "int8", 1),
            ("any exponent", "sparse", 38),
            ("any exponent", "fortran", 58),
            ("any exponent", "fortran", 38),
            ("any exponent", "longdouble", 1),
            ("rank one", "strided", 55),
        ),
        459878,
        {"affinity": "cosine", "n_neighbors": 2, "alpha": 1e-30, "scaling": "unit-spread"},
    ),
    "views of truth values were compared as they are": Case(
        "anchor-gfsc", 41, 41, (("shuffled first", "sparse", 56), ("constant", "bool", 45)), 0, {"max_iter": 1}
    ),
    "the largest numbers were compared as they are": Case(
        "anchor-gfsc", 42, 2, (("largest numbers", "sparse", 3),) * 2, 22358, {"n_anchors": 60, "max_iter": 1}
    ),
    "the inverse of a subnormal peak overflowed in a sparse view": Case(
        "gf", 28, 28, (("subnormal", "sparse", 2),), 990660, {"beta": 1e-8, "alpha": 1.0, "max_iter": 1}
    ),
    "division by zero after iterations without a change": Case(
        "gf", 53, 29, (("zero rows", "uint16", 4),), 444874, {"max_iter": 15, "alpha": 1000.0, "beta": 1e-30, "tol": 0.0}
    ),
    "the inverse of a degree overflowed": Case("auto", 40, 40, (("any exponent", "object", 40),), 27),
    "58 clusters of two distinct rows": Case("km", 58, 58, (("noise", "float64", 1),), 0, {"max_iter": 1}),
    "labels depended on the order of the keys": Case(
        "sc", 5, 5, (("clusters", "int64", 3), ("any exponent", "longdouble", 1)), 200, {"n_neighbors": 1}
    ),
    "division by the scatter of a view without scatter": Case(
        "rmkmc",
        2,
        2,
        (("largest numbers", "uint16", 53),) * 2
        + (("tiny", "float16", 53), ("noise", "strided", 1), ("noise", "fortran", 2)),
        118,
        {"max_iter": 2, "tol": 0.0},
    ),
    "a product of extreme weights overflowed": Case(
        "dimsc",
        12,
        12,
        (("duplicates", "strided", 4), ("clusters", "float64", 3), ("huge", "float32", 1), ("same as first", "float16", 4)),
        10558,
        {"affinity": "gaussian", "alpha": 1e-30, "scaling": "unit-spread", "lam_v": 1e30, "max_iter": 1},
    ),
    "LAPACK's partial driver returned no eigenvector of a matrix with NaN": Case(
        "imvsc",
        40,
        2,
        (("duplicates", "longdouble", 3), ("constant", "int64", 4)),
        1000000,
        {
            "tol": 1e8,
            "n_neighbors": 2,
            "beta": 1e300,
            "scaling": "unit-spread",
            "lam3": 1e-300,
            "max_iter": 15,
            "lam2": 1e-8,
        },
    ),
    "a sparse view's tiny range overflowed when inverted": Case(
        "amgl",
        30,
        2,
        (("subnormal", "sparse", 3), ("rank one", "sparse", 3), ("two rows", "sparse", 28)),
        495,
        {"alpha": 1e3, "affinity": "self-expressive", "scaling": "min-max", "max_iter": 15},
    ),
    "mean over an empty set of anchors": Case(
        "anchor-gfsc",
        31,
        4,
        (
            ("noise", "int8", 4),
            ("any exponent", "float64", 4),
            ("same as first", "strided", 4),
            ("same as first", "int64", 4),
            ("subnormal", "float16", 2),
            ("subnormal", "float64", 2),
        ),
        165904,
        {"max_iter": 15, "beta": 1.01, "n_anchors": 5, "tol": 1.01, "gamma": 1.01, "alpha": 1e-300},
    ),
    "rows of two points were cut into 55 clusters with a warning of scikit-learn": Case(
        "auto",
        58,
        55,
        (
            ("two rows", "object", 3),
            ("any exponent", "float64", 1),
            ("any exponent", "fortran", 2),
            ("any exponent", "float64", 1),
            ("nearly equal", "fortran", 29),
            ("any exponent", "sparse", 3),
        ),
        148124,
        {},
    ),
    "a parameter did not fit into single precision": Case(
        "imvsc", 6, 4, (("noise", "int64", 44), ("one giant", "int64", 4)), 11616, {"max_iter": 1, "beta": 1e300}
    ),
}


@pytest.mark.parametrize("reason", FOUND)
def test_regressions(reason):
    assert broken_promises(FOUND[reason])[0] == []


def test_more_clusters_than_distinct_samples_gives_a_warning():
    x = np.repeat([[1.0, 0.0], [0.0, 1.0]], 5, axis=0)
    with pytest.warns(DegenerateGraphWarning, match=r"Only 2 samples of 10 are different.* Set n_clusters to at most 2"):
        labels = METHODS["km"](4, random_state=0).fit([x]).labels_
    assert np.unique(labels).tolist() == [0, 1, 2, 3]


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.NoStructureWarning")
@pytest.mark.parametrize("as_sparse", [False, True])
def test_the_number_of_different_samples_is_said(as_sparse):
    rng = np.random.default_rng(0)
    x = 5 * rng.normal(size=(4, 3))[np.r_[np.zeros(200, dtype=int), rng.integers(4, size=400)]]
    with pytest.warns(DegenerateGraphWarning) as given:
        METHODS["auto"](6, random_state=0).fit([sp.csr_array(x) if as_sparse else x])
    texts = [str(one.message) for one in given if one.category is DegenerateGraphWarning]
    assert texts == [
        "Only 4 samples of 600 are different, fewer than the 6 clusters, so equal samples are in different clusters. Set "
        "n_clusters to at most 4."
    ]


def test_a_view_that_is_constant_at_unit_length_has_the_smaller_weight():
    rng = np.random.default_rng(0)
    groups = np.arange(30) % 2
    informative = rng.normal(size=(30, 3)) + 9 * groups[:, None]
    constant = rng.uniform(1, 2, size=(30, 1))  # all samples are equal after scaling to unit length
    model = METHODS["rmkmc"](2, random_state=0).fit([informative, constant])
    assert model.view_weights_[0] > model.view_weights_[1]
    assert np.isfinite(model.objective_).all()


def test_non_finite_results_raise_divergence_error():
    views = [np.random.default_rng(v).normal(size=(20, 3)) for v in range(2)]
    with pytest.raises(DivergenceError, match="closer to their defaults"):
        METHODS["imvsc"](3, beta=1e300, max_iter=2, random_state=0).fit(views)


@pytest.mark.parametrize("method", METHODS)
def test_dict_order_does_not_matter(method):
    case = Case(method, 30, 3, (("clusters", "float64", 3), ("noise", "float64", 4), ("clusters", "float32", 2)), 1)
    assert broken_promises(case)[0] == []


def test_weights_belong_to_their_views_in_any_order():
    views = data_of(
        Case("gfsc", 40, 3, (("clusters", "float64", 4), ("noise", "float64", 4), ("clusters", "float64", 5)), 2)
    )
    one = vf.GFSC(3, random_state=0).fit(views)
    other = vf.GFSC(3, random_state=0).fit(dict(reversed(views.items())))
    assert dict(zip(one.view_names_, one.view_weights_, strict=True)) == dict(
        zip(other.view_names_, other.view_weights_, strict=True)
    )


THREADS = """
import numpy as np, warnings, viewfuse as vf
warnings.simplefilter("ignore")
views = vf.datasets.make_views(n_samples=600, n_clusters=4, random_state=0)
for method in ("gfsc", "sc-ave", "mvkkm"):
    print(vf.METHODS[method](4, random_state=0).fit(views).labels_.tolist())
"""


def test_labels_do_not_depend_on_the_number_of_threads():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", THREADS],
            env={**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        ).stdout
        for threads in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
