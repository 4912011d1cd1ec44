"""Reports in headless Chromium, without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reference import HOSTILE
from viewfuse.report import write_report


@pytest.fixture(scope="module")
def small_report(model: Any, views: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "report.html"
    columns = {HOSTILE: np.arange(60.0), "group": [f"{HOSTILE}{i % 3}" for i in range(60)]}
    return write_report(path, model, views, columns=columns, title=HOSTILE)


@pytest.fixture(scope="module")
def large_report(large: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(tmp_path_factory.mktemp("large") / "report.html", *large)


def test_all_charts_and_images_are_drawn(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    assert page.run("return [...document.querySelectorAll('[id^=chart-]')].map(c => c.childElementCount > 0)") == [True] * 4
    assert page.run("return [...document.images].map(i => i.complete && i.naturalWidth)") == [60] * 3
    assert page.errors() == []


def test_the_report_of_the_demo_has_all_samples_and_images(
    open_page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = pytest.importorskip("typer.testing").CliRunner()
    pytest.importorskip("matplotlib").use("Agg")
    import viewfuse.datasets
    from viewfuse.cli._app import app

    few = viewfuse.datasets.load_digits_views()[:150]
    monkeypatch.setattr(viewfuse.datasets, "load_digits_views", lambda: few)
    ended = runner.invoke(app, ["demo", "--output", str(tmp_path)])
    assert ended.exit_code == 0, ended.output
    page = open_page(tmp_path / "report.html")
    assert len(page.samples("id")) == 150
    assert page.run("return document.images.length") == 7
    assert page.errors() == []


def test_the_chart_has_as_many_points_as_the_text_says(small_report: Path, large_report: Path, open_page: Any) -> None:
    for path, drawn, n_samples in [(small_report, 60, 60), (large_report, 5000, 100_000)]:
        page = open_page(path)
        assert page.run("return document.getElementById('n-drawn').textContent") == f"{drawn:,}"
        assert len(page.samples("id")) == len(page.samples("x0")) == drawn
        said = page.run("return document.getElementById('embedding').textContent")
        assert ("All 60 samples" if drawn == n_samples else f"5,000 of {n_samples:,} samples are drawn") in said
        assert page.errors() == []


def test_the_report_of_100000_samples_is_below_5_megabytes(large_report: Path) -> None:
    assert large_report.stat().st_size < 5_000_000


def test_the_samples_can_be_coloured_by_each_variable(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    by_cluster = page.samples("colour")
    assert len(set(by_cluster)) == 3
    page.choose("colour", "confidence")
    assert len(set(page.samples("colour"))) > 3
    assert page.samples("shown")[0].startswith("confidence: ")
    page.choose("colour", "group")
    assert page.samples("shown")[:2] == [f"group: {HOSTILE}0", f"group: {HOSTILE}1"]
    page.choose("colour", "cluster")
    assert page.samples("colour") == by_cluster
    assert page.errors() == []


def test_the_tooltip_names_the_sample(small_report: Path, open_page: Any) -> None:
    action_chains = pytest.importorskip("selenium.webdriver").ActionChains
    page = open_page(small_report)
    chart = page.driver.find_element("id", "chart-embedding")
    page.run("document.getElementById('chart-embedding').scrollIntoView({block: 'center', behavior: 'instant'})")
    for sample, name in ((0, "s0"), (59, HOSTILE)):
        x, y = page.run(f"""
            const view = Object.values(Bokeh.index).find(v => v.model.renderers.some(r => r.name === "points"));
            const {{x0, y0}} = view.model.renderers.find(r => r.name === "points").data_source.data;
            const inside = view.canvas_view.el.getBoundingClientRect();
            const around = document.getElementById("chart-embedding").getBoundingClientRect();
            return [view.frame.x_scale.compute(x0[{sample}]) + inside.left - around.left - around.width / 2,
                    view.frame.y_scale.compute(y0[{sample}]) + inside.top - around.top - around.height / 2];
        """)
        for _ in range(20):  # the tooltip appears late on a busy machine
            action_chains(page.driver).move_to_element_with_offset(chart, round(x), round(y)).pause(0.2).perform()
            if page.tooltip():
                break
        assert f"sample: {name}" in page.tooltip()
    assert page.errors() == []


def test_a_sample_can_be_found_with_the_keyboard_only(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    page.driver.find_element("id", "find").send_keys("s7\n")
    assert page.run("return document.getElementById('found').textContent").startswith("s7: cluster ")
    page.driver.find_element("id", "find").clear()
    page.driver.find_element("id", "find").send_keys("nobody\n")
    assert "No sample called “nobody”" in page.run("return document.getElementById('found').textContent")
    assert page.errors() == []


def test_names_with_html_are_shown_as_text(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    for colour in (HOSTILE, "group", "known label"):
        page.choose("colour", colour)
    assert page.run("return document.title") == f"{HOSTILE} · viewfuse"
    assert page.run("return document.querySelector('h1').textContent") == HOSTILE
    shown = page.run("return document.body.innerText")
    assert shown.count(HOSTILE) > 5
    assert page.errors() == []


@pytest.mark.parametrize("width", [360, 1200])
def test_the_page_fits_the_window_and_has_a_dark_mode(small_report: Path, open_page: Any, width: int) -> None:
    page = open_page(small_report)
    command = page.driver.execute_cdp_cmd
    command(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    )
    try:
        assert page.run("return document.documentElement.scrollWidth") <= width
        light = page.run("return getComputedStyle(document.body).backgroundColor")
        command("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        assert page.run("return getComputedStyle(document.body).backgroundColor") != light
    finally:
        command("Emulation.clearDeviceMetricsOverride", {})
        command("Emulation.setEmulatedMedia", {"features": []})
    assert page.errors() == []


def test_the_page_is_printed_in_light_colours_in_dark_mode(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    printed = """
        window.dispatchEvent(new Event("beforeprint"));
        const charts = [...document.querySelectorAll(".chart")];
        const pictures = charts.map((chart) => [chart.id, chart.querySelector(".printed").src]);
        const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper");
        window.dispatchEvent(new Event("afterprint"));
        return [Object.fromEntries(pictures), paper, document.querySelectorAll(".printed").length];"""
    light, paper, left = page.run(printed)
    assert len(light) == page.run("return document.querySelectorAll('.chart').length") == 4
    assert left == 0
    page.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    )
    try:
        assert page.run("return getComputedStyle(document.documentElement).getPropertyValue('--paper')") != paper
        dark, dark_paper, _ = page.run(printed)
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert dark_paper == paper
    for chart in ("chart-weights", "chart-convergence", "chart-spectrum"):  # lines and text, in the light colours
        assert dark[chart] == light[chart]
    assert page.errors() == []


def test_everything_has_a_text_alternative(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    assert page.run("return [...document.images].every(i => i.alt)")
    assert page.run("return [...document.querySelectorAll('[role=img]')].every(c => c.getAttribute('aria-label'))")
    assert page.run("return [...document.querySelectorAll('select, input')].every(i => i.labels.length)")
    assert page.run("return document.documentElement.lang") == "en"
