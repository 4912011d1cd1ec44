"""Reports in headless Chromium, without a network."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import false_discovery_control, mannwhitneyu

from reference import HOSTILE
from viewfuse.report import explore, write_report

WHOLE = [(-0.98, -0.98), (0.98, -0.98), (0.98, 0.98), (-0.98, 0.98)]
LEFT_HALF = [(-0.98, -0.98), (0.0, -0.98), (0.0, 0.98), (-0.98, 0.98), (-0.98, -0.9)]


@pytest.fixture(scope="module")
def small_report(model: Any, views: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "report.html"
    group = [f"{HOSTILE}{i % 3}" for i in range(60)]
    columns = {HOSTILE: np.arange(60.0), "group": group, "account": np.arange(60) + 123_456_789}
    return write_report(path, model, views, columns=columns, title=HOSTILE)


@pytest.fixture(scope="module")
def large_report(large: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(tmp_path_factory.mktemp("large") / "report.html", *large)


def rows_of(page: Any) -> list[dict[str, str]]:
    """The last file that was downloaded."""
    return list(csv.DictReader(io.StringIO(page.run("return viewfuse.downloaded.text"))))


def inside(page: Any, pixels: float = 0) -> list[int]:
    """The samples in the left half of the map, by their places, and those up to so many pixels beyond."""
    return page.run(
        "const s = viewfuse.scatter; return Array.from({length: viewfuse.n}, (_, i) => i)"
        f".filter(i => s.toScreen(...s.place(i))[0] < s.width / 2 + {pixels})"
    )


def is_left_half(page: Any, selected: list[int]) -> bool:
    """Whether these are the samples in the left half; a pointer is moved by whole pixels."""
    return set(inside(page, -1.5)) <= set(selected) <= set(inside(page, 1.5))


def test_the_map_and_all_images_are_drawn(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    painted = page.run("""
        const s = viewfuse.scatter, gl = s.gl;
        s.drawNow();
        const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
        gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        return viewfuse.colours().legend.map(([colour]) => {
          const rgb = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16));
          let count = 0;
          for (let i = 0; i < pixels.length; i += 4) {
            if (pixels[i + 3] > 200 && rgb.every((value, c) => Math.abs(value * 0.9 - pixels[i + c]) < 30)) count += 1;
          }
          return count;
        });""")
    assert len(painted) == 3
    assert min(painted) > 200  # the colour of every cluster is on the map
    assert page.run("return [...document.images].every(i => i.complete && i.naturalWidth > 0)")
    assert page.run("return document.querySelectorAll('.tags#tags span').length") == 3
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
    assert page.run("return viewfuse.scatter.n") == 150
    assert page.run("return document.getElementById('layout').options.length") == 8  # all views, six alone, the plane
    assert page.errors() == []


def test_the_map_has_as_many_points_as_the_text_says(small_report: Path, large_report: Path, open_page: Any) -> None:
    for path, drawn, n_samples in [(small_report, 60, 60), (large_report, 5000, 100_000)]:
        page = open_page(path)
        assert page.text("n-drawn") == f"{drawn:,}"
        assert page.run("return viewfuse.scatter.n") == drawn
        said = page.text("explore")
        assert ("All 60 samples" if drawn == n_samples else f"5,000 of {n_samples:,} samples are drawn") in said
        assert page.errors() == []


def test_the_report_of_100000_samples_is_below_5_megabytes(large_report: Path) -> None:
    assert large_report.stat().st_size < 5_000_000


def test_the_samples_can_be_coloured_by_each_variable(small_report: Path, open_page: Any, model: Any, views: Any) -> None:
    page = open_page(small_report)
    assert page.shown() == [str(label) for label in model.labels_]
    page.choose("colour", "confidence")
    assert [float(value) for value in page.shown()] == pytest.approx(model.confidence_, rel=6e-3)
    page.choose("colour", "group")
    assert page.shown()[:2] == [f"{HOSTILE}0", f"{HOSTILE}1"]
    assert page.run("return Array.from(viewfuse.columns.find(one => one.name === 'account').values)")[0] == 123_456_789
    page.choose("colour", "b")
    assert [float(value) for value in page.shown()] == pytest.approx(views.arrays[0][:, 1], rel=6e-3, abs=1e-3)
    page.choose("colour", "weight of plain (its neighbours in the same cluster)")
    assert all(0 <= float(value) <= 1 for value in page.shown())
    assert page.errors() == []


def test_each_layout_moves_the_samples(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    places = []
    for name in page.run("return [...document.getElementById('layout').options].map(o => o.text)"):
        page.choose("layout", name)
        places.append(page.run("return Array.from(viewfuse.scatter.places)"))
        assert page.text("layout-note")
    assert len({tuple(xy) for xy in places}) == len(places) == 4
    assert page.errors() == []


def test_select_by_lasso_compare_export_and_reload(small_report: Path, open_page: Any, model: Any, views: Any) -> None:
    page = open_page(small_report)
    assert 0 < len(inside(page)) < 60
    page.mode("lasso")
    page.draw(LEFT_HALF)
    selected, _ = page.selection()
    assert is_left_half(page, selected)
    assert f"{len(selected)} of 60 samples selected" in page.text("selection-text")
    assert page.run("return document.querySelectorAll('#selected-rows tr').length") == len(selected)

    values = np.hstack(views.arrays)
    mask = np.isin(np.arange(60), selected)
    direct = [mannwhitneyu(c[mask], c[~mask], use_continuity=False, method="asymptotic") for c in values.T]
    rates = false_discovery_control([one.pvalue for one in direct])
    names = [HOSTILE, "b", "c", "d", *(f"column {f}" for f in range(5))]
    compared = page.run("return viewfuse.compared")
    assert len(compared) == 9
    assert [abs(one["effect"]) for one in compared] == sorted((abs(one["effect"]) for one in compared), reverse=True)
    for one in compared:
        f = names.index(one["name"])
        assert one["auc"] == pytest.approx(direct[f].statistic / (mask.sum() * (~mask).sum()), abs=1e-3)
        assert one["rate"] == pytest.approx(rates[f], rel=1e-2)
        assert one["effect"] == pytest.approx(
            (values[mask, f].mean() - values[~mask, f].mean()) / values[:, f].std(), abs=1e-3
        )
    assert page.text("compared-rows").count(HOSTILE) >= 1

    page.click("export")
    rows = rows_of(page)
    assert [row["id"] for row in rows] == [str(views.ids[i]) for i in selected]
    assert [int(row["cluster"]) for row in rows] == model.labels_[selected].tolist()

    page.reload()
    assert page.selection()[0] == selected
    assert page.errors() == []


def test_a_box_and_a_against_b(small_report: Path, open_page: Any, model: Any) -> None:
    page = open_page(small_report)
    page.run("document.querySelectorAll('#cluster-list button')[0].click()")
    assert page.selection()[0] == np.flatnonzero(model.labels_ == 0).tolist()
    page.click("to-b")
    page.run("document.querySelectorAll('#cluster-list button')[1].click()")
    a, b = page.selection()
    assert (a, b) == (np.flatnonzero(model.labels_ == 1).tolist(), np.flatnonzero(model.labels_ == 0).tolist())
    assert "against B" in page.text("compared-text")
    first = page.run("return viewfuse.compared[0]")
    assert (first["na"], first["nb"]) == (len(a), len(b))
    page.click("clear")
    assert page.selection() == [[], []]
    page.mode("box")
    page.draw([WHOLE[0], WHOLE[2]])
    assert page.selection()[0] == list(range(60))
    assert page.errors() == []


def test_clusters_are_renamed_and_the_labels_downloaded(small_report: Path, open_page: Any, model: Any) -> None:
    page = open_page(small_report)
    page.driver.find_element("css selector", "#cluster-list li:nth-child(2) input[type=text]").send_keys("=loyal\t")
    assert page.run("return document.querySelectorAll('#tags span')[1].textContent") == "=loyal"
    assert page.run("return document.querySelector('.clusters [data-cluster=\"1\"]').textContent") == "=loyal"
    page.run("""
        const colour = document.querySelectorAll('#cluster-list input[type=color]')[1];
        colour.value = '#123456';
        colour.dispatchEvent(new Event('input'));""")
    page.click("labels-file")
    rows = rows_of(page)
    assert [int(row["label"]) for row in rows] == model.labels_.tolist()
    assert {row["name"] for row in rows if row["label"] == "1"} == {"'=loyal"}  # a spreadsheet must not run it
    page.reload()
    assert page.run("return document.querySelectorAll('#tags span')[1].textContent") == "=loyal"
    assert page.run("return viewfuse.colours().legend[1][0]") == "#123456"
    page.click("forget")
    assert page.run("return document.querySelectorAll('#tags span')[1].textContent") == "1"
    assert page.errors() == []


def test_cells_that_look_like_formulas_are_escaped(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    cells = page.run("return ['=1+1', '+a', '-a', '@a', '-5', '1e-3', 'a,b', 'say \"x\"', 'plain', '\\t=1'].map(csvCell)")
    assert cells == ["'=1+1", "'+a", "'-a", "'@a", "-5", "1e-3", '"a,b"', '"say ""x"""', "plain", "'\t=1"]
    assert page.run("return [csvCell(-5.5), csvCell(null)]") == ["-5.5", ""]


def test_the_tooltip_names_the_sample(small_report: Path, open_page: Any) -> None:
    action_chains = pytest.importorskip("selenium.webdriver").ActionChains
    page = open_page(small_report)
    canvas = page.driver.find_element("id", "map")
    page.run("document.getElementById('map').scrollIntoView({block: 'center', behavior: 'instant'})")
    for sample, name in ((0, "s0"), (59, HOSTILE)):
        x, y, nearest = page.run(
            f"const s = viewfuse.scatter, [x, y] = s.toScreen(...s.place({sample}));"
            "return [x - s.width / 2, y - s.height / 2, s.nearest(x, y)];"
        )
        assert nearest == sample
        action_chains(page.driver).move_to_element_with_offset(canvas, round(x), round(y)).perform()
        assert page.text("tip").startswith(name)
    assert page.errors() == []


def test_a_sample_can_be_found_with_the_keyboard_only(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    page.driver.find_element("id", "find").send_keys("s7\n")
    assert page.text("found").startswith("s7: cluster ")
    assert page.selection()[0] == [7]
    page.driver.find_element("id", "find").clear()
    page.driver.find_element("id", "find").send_keys("nobody\n")
    assert "No sample called “nobody”" in page.text("found")
    assert page.errors() == []


def test_the_map_is_used_with_the_keyboard_only(small_report: Path, open_page: Any) -> None:
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    page = open_page(small_report)
    canvas = page.driver.find_element("id", "map")
    before = page.run("return [viewfuse.scatter.zoom, ...viewfuse.scatter.centre]")
    canvas.send_keys("+", keys.ARROW_LEFT, keys.ARROW_UP)
    after = page.run("return [viewfuse.scatter.zoom, ...viewfuse.scatter.centre]")
    assert after[0] > before[0]
    assert after[1] < before[1]
    assert after[2] > before[2]
    canvas.send_keys("0", "-", "-", "-", keys.ENTER)
    assert page.selection()[0] == list(range(60))  # all are in the middle of a map that is far away
    assert "60 of 60 samples selected" in page.text("said")
    canvas.send_keys(keys.ESCAPE)
    assert page.selection() == [[], []]
    assert page.errors() == []


def test_names_with_html_are_shown_as_text(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    for colour in (HOSTILE, "group", "known label"):
        page.choose("colour", colour)
    page.run("document.querySelectorAll('#cluster-list button')[0].click()")
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
        page.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert page.run("return document.documentElement.scrollWidth") <= width
        assert page.run("return document.getElementById('map').clientWidth") > 0.8 * min(width, 700)
        light = page.run("return getComputedStyle(document.body).backgroundColor")
        command("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        assert page.run("return getComputedStyle(document.body).backgroundColor") != light
    finally:
        command("Emulation.clearDeviceMetricsOverride", {})
        command("Emulation.setEmulatedMedia", {"features": []})
    assert page.errors() == []


def test_in_print_the_map_is_a_still_picture(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    shown = (
        "return [...document.querySelectorAll('.still, #map, .controls, .panel')]"
        ".map(e => getComputedStyle(e).display !== 'none')"
    )
    assert page.run(shown) == [True, True, False, False, True]  # controls, map, two parts of the still, panel
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert page.run(shown) == [False, False, True, True, False]
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert page.errors() == []


def test_without_webgl_there_is_a_still_picture_and_the_rest_works(
    small_report: Path, open_page: Any, chromium: Any, model: Any
) -> None:
    script = "HTMLCanvasElement.prototype.getContext = () => null;"
    added = chromium.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    try:
        page = open_page(small_report)
        still = page.driver.find_element("css selector", "img.still")
        assert still.is_displayed()
        assert not page.driver.find_element("id", "map").is_displayed()
        page.run("document.querySelectorAll('#cluster-list button')[1].click()")
        assert page.selection()[0] == np.flatnonzero(model.labels_ == 1).tolist()
        assert page.driver.find_element("id", "compared").is_displayed()
        assert page.errors() == []
    finally:
        chromium.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]})


def test_axe_finds_no_serious_violation(small_report: Path, open_page: Any) -> None:
    axe = pytest.importorskip("axe_core_python", reason="axe-core-python is not installed: pip install 'viewfuse[test]'")
    script = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    page = open_page(small_report)
    page.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    page.run("document.querySelectorAll('#cluster-list button')[0].click()")
    for scheme in ("light", "dark"):
        page.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )
        page.run(script)
        found = page.driver.execute_async_script("axe.run().then(arguments[0])")
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        serious = [
            (one["id"], [node["html"][:120] for node in one["nodes"]][:3])
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], scheme
        assert len(found["passes"]) > 20


def test_everything_has_a_text_alternative(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    assert page.run("return [...document.images].every(i => i.alt)")
    assert page.run("return [...document.querySelectorAll('[role=img], canvas')].every(c => c.getAttribute('aria-label'))")
    assert page.run(
        "return [...document.querySelectorAll('select, input')].every(i => i.labels.length || i.getAttribute('aria-label'))"
    )
    assert page.run("return document.documentElement.lang") == "en"


def test_a_notebook_shows_the_explorer_inline(model: Any, views: Any, open_page: Any, tmp_path: Path) -> None:
    shown = explore(model, views, title="inline", height=700)
    frame = tmp_path / "notebook.html"
    frame.write_text(
        f"<!doctype html><html lang=en data-ready=yes><title>n</title><body>{shown._repr_html_()}</body></html>"
    )
    page = open_page(frame)
    page.driver.switch_to.frame(0)
    try:
        page.wait()
        assert page.run("return document.querySelector('h1').textContent") == "inline"
        assert page.run("return viewfuse.scatter.n") == 60
        page.run("document.querySelectorAll('#cluster-list button')[1].click()")
        assert len(page.selection()[0]) == (model.labels_ == 1).sum()
    finally:
        page.driver.switch_to.default_content()
    assert page.errors() == []
    assert "inline" in shown.save(tmp_path / "saved.html").read_text()


def test_a_map_that_moves_is_drawn_in_part_and_then_whole(small_report: Path, open_page: Any) -> None:
    page = open_page(small_report)
    steps = page.driver.execute_async_script("""
        const done = arguments[0], s = viewfuse.scatter, n = s.n;
        const places = new Uint16Array(2 * 400000).map((_, i) => (i * 7919) % 65536);
        s.setPlaces(places);
        s.setColours(new Uint8Array(4 * 400000).fill(200));
        s.setStates(new Uint8Array(400000), false);
        s.pan(5, 5);
        const moving = s.step;
        setTimeout(() => done([n, moving, s.step]), 600);""")
    assert steps == [60, 3, 1]
    assert page.errors() == []
