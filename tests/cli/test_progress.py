"""Progress bars and the spinner."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

pytest.importorskip("rich")

from rich.console import Console

from viewfuse import AutoFusion, load_views, summarise
from viewfuse._utils.steps import listening, step
from viewfuse.cli import _options, _progress
from viewfuse.datasets import make_views
from viewfuse.exceptions import EmptyCellsWarning
from viewfuse.fusion import Sweep
from viewfuse.views import Views


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=120)


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)


BARS: list[Callable[..., AbstractContextManager]] = [
    lambda **options: _progress.fit_bar("Working [now]", 1e-6, **options),
    lambda **options: _progress.steps_bar("Working [now]", ["a", "b"], **options),
    lambda **options: _progress.parts_bar("Working [now]", **options),
    lambda **options: _progress.spinner("Working [now]", **options),
]


@pytest.mark.parametrize("bar", BARS, ids=["fit", "steps", "parts", "spinner"])
def test_terminal_shows_the_description_after_the_delay(bar: Callable[..., AbstractContextManager]) -> None:
    console = terminal()
    with bar(console=console, delay=0.0):
        wait_until(lambda: "Working [now]" in shown(console))
    assert "Working [now]" in shown(console)


@pytest.mark.parametrize("bar", BARS, ids=["fit", "steps", "parts", "spinner"])
def test_short_work_shows_nothing(bar: Callable[..., AbstractContextManager]) -> None:
    console = terminal()
    with bar(console=console, delay=60.0):
        pass
    assert shown(console) == ""


@pytest.mark.parametrize("bar", BARS, ids=["fit", "steps", "parts", "spinner"])
def test_piped_output_shows_nothing(bar: Callable[..., AbstractContextManager]) -> None:
    console = Console(file=io.StringIO())
    with bar(console=console, delay=0.0):
        time.sleep(0.05)
    assert shown(console) == ""


def test_fit_bar_never_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = []
    monkeypatch.setattr(_progress.Progress, "update", lambda *_, completed, **__: shares.append(completed))
    with _progress.fit_bar("Clustering", 1e-4, console=terminal()) as update:
        for iteration, change in enumerate((1.0, 1e-2, 1e-1, 1e-3), start=1):
            update(iteration, Sweep(objective=1.0, weights=(1.0,), change=change))
    assert shares == pytest.approx([0.0, 0.5, 0.5, 0.75])


def test_fit_bar_shows_the_iteration() -> None:
    console = terminal()
    with _progress.fit_bar("Clustering", 1e-4, console=console, delay=0.0) as update:
        for iteration, change in enumerate((1.0, 1e-2, 1e-1), start=1):
            update(iteration, Sweep(objective=1.0, weights=(1.0,), change=change))
        wait_until(lambda: "iteration 3" in shown(console))
    assert "iteration 3" in shown(console)


@pytest.mark.parametrize(
    ("change", "tol", "expected"),
    [(1.0, 1e-4, 0.0), (1e-1, 1e-4, 0.25), (1e-2, 1e-4, 0.5), (1e-4, 1e-4, 0.99), (0.0, 1e-4, 0.0), (1e-2, 0.0, 0.0)],
)
def test_share_done_is_logarithmic_and_below_one(change: float, tol: float, expected: float) -> None:
    assert _progress._share_done(1.0, change, tol) == pytest.approx(expected)


def test_steps_bar_yields_every_step_in_order() -> None:
    with _progress.steps_bar("Comparing", ["a", "b", "c"], console=terminal()) as steps:
        assert list(steps) == ["a", "b", "c"]


def test_reading_a_file_shows_a_spinner_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    descriptions = []

    def recorded(description: str) -> AbstractContextManager:
        descriptions.append(description)
        return _progress.spinner(description)

    monkeypatch.setattr(_options, "spinner", recorded)
    monkeypatch.setattr(_options, "load_views", lambda *_, **__: Views([[[1.0], [2.0]]]))
    _options.load([Path("folder/news.mat")], _options.Reading())
    assert descriptions == ["Reading news.mat"]


def test_the_steps_of_reading_tables_and_of_maps_are_said(tmp_path: Path) -> None:
    made = make_views(n_samples=60, random_state=0)
    for name, array in zip("ab", made.arrays, strict=False):
        lines = [f"s{i}," + ",".join("" if i == j else f"{x:.3f}" for j, x in enumerate(row)) for i, row in enumerate(array)]
        header = "id," + ",".join(f"x{j}" for j in range(array.shape[1]))
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *lines]))
    seen: list[str] = []
    with pytest.warns(EmptyCellsWarning), listening(seen.append):
        views = load_views([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert seen == ["a.csv", "b.csv", "matching samples", "types of columns", "empty cells"]
    seen.clear()
    with listening(seen.append):
        _ = summarise(type("Fit", (), {"labels_": made.y})(), views).layouts
    assert seen == ["neighbour graphs", "map of all views", "map of a alone", "map of b alone"]


def test_the_spinner_shows_the_steps_of_a_fit() -> None:
    views = make_views(n_samples=60, random_state=0)
    seen: list[str] = []
    with listening(seen.append):
        AutoFusion(random_state=0).fit(views)
    assert seen[:3] == ["measuring the views", "counting clusters", "joint neighbours"]
    assert "assigning all samples" in seen
    console = terminal()
    with _progress.spinner("Clustering", delay=0, console=console):
        step("counting clusters")
        wait_until(lambda: "counting clusters" in shown(console))
    assert "counting clusters" in shown(console)
