"""Warnings point to the line of the user, not into the package."""

import ast
import inspect
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import viewfuse as vf
from viewfuse._utils.warn import warn
from viewfuse.exceptions import ViewfuseWarning

ROOT = Path(vf.__file__).parent
VIEWS = vf.datasets.make_views(n_samples=40, n_features=(6, 9), random_state=0)
CONSTANT = [*VIEWS.arrays, np.ones((40, 3))]
TABLE = np.hstack(VIEWS.arrays)


def mean_confidence(model, data, y=None):
    return model.confidence_.mean()


def write_variables(folder):
    path = folder / "views.npz"
    np.savez(path, first=VIEWS.arrays[0], second=VIEWS.arrays[1], other=np.ones(40))
    return path


CALLS = {
    "fit": lambda _: vf.GFSC(3, random_state=0).fit(CONSTANT),
    "fit of a baseline": lambda _: vf.METHODS["km"](3, random_state=0).fit(CONSTANT),
    "fit of AutoFusion": lambda _: vf.AutoFusion(3, random_state=0).fit(CONSTANT),
    "fit of anchors": lambda _: vf.AnchorGFSC(3, random_state=0).fit(CONSTANT),
    "iterations": lambda _: vf.GFSC(3, max_iter=1, tol=0, random_state=0).fit(VIEWS),
    "iterations of anchors": lambda _: vf.AnchorGFSC(3, max_iter=1, tol=0, random_state=0).fit(VIEWS),
    "iterations of a baseline": lambda _: vf.METHODS["mspl"](3, max_iter=1, random_state=0).fit(VIEWS),
    "fit_predict": lambda _: vf.GFSC(3, random_state=0).fit_predict(CONSTANT),
    "fit_transform": lambda _: vf.GFSC(3, random_state=0).set_output(transform="default").fit_transform(CONSTANT),
    "columns": lambda _: vf.GFSC(3, views=[slice(0, 6), slice(6, 12)], random_state=0).fit(TABLE),
    "pipeline": lambda _: make_pipeline(StandardScaler(), vf.GFSC(3, views=[slice(0, 6)], random_state=0)).fit(TABLE),
    "search": lambda _: GridSearchCV(
        vf.GFSC(3, max_iter=1, tol=0, random_state=0), {"alpha": [1.0]}, scoring=mean_confidence, cv=2
    ).fit(vf.Views(VIEWS)),
    "file": lambda folder: vf.load_views(write_variables(folder)),
    "too few distinct samples": lambda _: vf.METHODS["km"](3, random_state=0).fit([np.repeat(np.eye(2, 4), 5, axis=0)]),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_warning_points_to_the_line_that_called(call, tmp_path):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        CALLS[call](tmp_path)
    ours = [one for one in given if issubclass(one.category, ViewfuseWarning)]
    assert ours, "this call gives no warning, so it tests nothing"
    lines, first = inspect.getsourcelines(CALLS[call])
    for one in ours:
        assert one.filename == __file__
        assert first <= one.lineno < first + len(lines)


def test_the_outermost_line_is_the_last_resort():
    """A program may consist of the package only, as its command line does."""
    namespace = {"__name__": "viewfuse.made_up", "warn": warn, "ViewfuseWarning": ViewfuseWarning}
    with pytest.warns(ViewfuseWarning, match="deep down") as given:
        exec("def deep():\n    warn(ViewfuseWarning('deep down'))\ndeep()", namespace)
    assert given[0].filename == __file__


def test_no_module_counts_frames_itself():
    for path in ROOT.rglob("*.py"):
        names = [node.arg for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.keyword)]
        assert path.name == "warn.py" or "stacklevel" not in names, f"{path}: use viewfuse._utils.warn.warn"
