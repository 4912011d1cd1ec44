"""The figures of a benchmark."""

from itertools import combinations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from viewfuse.experiments.benchmark.figures import plot_quality_against_time
from viewfuse.experiments.benchmark.results import MethodResult


def result(method, seconds, accuracy):
    return MethodResult("data", method, "shuffled", "defaults", {}, (0,), {"acc": [accuracy]}, [seconds], None, (), 0, {})


def test_names_of_points_do_not_cover_each_other_and_stay_inside():
    rng = np.random.default_rng(0)
    found = [result(f"method-{i}", 10 ** rng.uniform(-1, 2), rng.uniform(20, 95)) for i in range(14)]
    found += [result("beside", found[0].seconds[0] * 1.02, found[0].scores["acc"][0]), result("far right", 150.0, 50.0)]
    figure = plot_quality_against_time(found)
    figure.draw_without_rendering()
    ax = figure.axes[0]
    assert {text.get_text() for text in ax.texts} == {each.method for each in found}
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert all(box.x1 <= ax.bbox.x1 + 1 for box in boxes)
