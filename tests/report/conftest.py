"""Fits for the reports, and a browser to open the reports in."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reference import HOSTILE
from viewfuse import GFSC, AnchorGFSC, Views
from viewfuse.datasets import make_views
from viewfuse.exceptions import ConvergenceWarning

pytest.importorskip("jinja2")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
CHROMEDRIVER = shutil.which("chromedriver")


@pytest.fixture(scope="session")
def views() -> Views:
    """Sixty samples with ids and labels. A sample, a view, a feature and the classes have names that contain a script."""
    made = make_views(n_samples=60, n_features=(4, 5), random_state=0)
    names = [f"s{i}" for i in range(59)] + [HOSTILE]
    named = Views({HOSTILE: made.arrays[0], "plain": made.arrays[1]}, ids=names, y=[f"{HOSTILE}{y}" for y in made.y])
    named.feature_names = (np.array([HOSTILE, "b", "c", "d"]), None)
    return named


@pytest.fixture(scope="session")
def model(views: Views) -> GFSC:
    """A small tolerance, so that there are several iterations."""
    return GFSC(n_clusters=3, tol=1e-6, random_state=0).fit(views)


@pytest.fixture(scope="session")
def large() -> tuple[AnchorGFSC, Views]:
    """A fit of 100,000 samples with two iterations: the report does not need a good fit."""
    n, k = 100_000, 12
    rng = np.random.default_rng(0)
    labels = rng.integers(k, size=n)
    arrays = {
        f"view{v}": (3 * rng.normal(size=(k, d))[labels] + rng.normal(size=(n, d))).astype(np.float32)
        for v, d in enumerate((3, 4, 5))
    }
    views = Views(arrays, ids=[f"sample-{i:06d}" for i in range(n)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return AnchorGFSC(n_clusters=k, n_anchors=40, max_iter=2, n_init=1, random_state=0).fit(views), views


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install 'viewfuse[test]'")
    if CHROMIUM is None or CHROMEDRIVER is None:
        pytest.skip("no Chromium here: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--enable-unsafe-swiftshader",
        "--window-size=1200,900",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(CHROMEDRIVER))
    driver.set_script_timeout(60)
    yield driver
    driver.quit()


class Page:
    """A report in the browser."""

    def __init__(self, driver: Any, path: Path) -> None:
        self.driver = driver
        driver.get_log("browser")  # discard messages of the last page
        driver.get(path.as_uri())
        self.wait()
        self.run("localStorage.clear()")
        self.reload()

    def reload(self) -> None:
        self.driver.refresh()
        self.wait()

    def wait(self) -> None:
        self.driver.execute_async_script(
            "const done = arguments[0];"
            "const look = () => document.documentElement.dataset.ready ? done() : setTimeout(look, 50);"
            "look();"
        )

    def run(self, script: str) -> Any:
        return self.driver.execute_script(script)

    def text(self, id: str) -> str:
        return self.run(f"return document.getElementById('{id}').textContent")

    def choose(self, select: str, value: str) -> None:
        self.run(
            f"const select = document.getElementById('{select}');"
            f"select.value = [...select.options].find(option => option.text === {value!r}).value;"
            "select.dispatchEvent(new Event('change'));"
        )

    def click(self, id: str) -> None:
        self.run(f"document.getElementById('{id}').click()")

    def shown(self) -> list[str]:
        """The value of each sample that the colour stands for."""
        return self.run("return Array.from({length: viewfuse.n}, (_, i) => viewfuse.colours().text(i))")

    def selection(self) -> list[list[int]]:
        return self.run("return viewfuse.selection()")

    def mode(self, name: str) -> None:
        self.run(f"document.querySelector('input[name=mode][value={name}]').click()")

    def draw(self, points: list[tuple[float, float]]) -> None:
        """Drag the pointer over the map along these points, from −1 to 1 from its middle."""
        action_chains = pytest.importorskip("selenium.webdriver").ActionChains
        canvas = self.driver.find_element("id", "map")
        self.run("document.getElementById('map').scrollIntoView({block: 'center', behavior: 'instant'})")
        width, height = canvas.size["width"], canvas.size["height"]
        at = [(round(x * width / 2), round(y * height / 2)) for x, y in points]
        chain = action_chains(self.driver, duration=10).move_to_element_with_offset(canvas, *at[0]).click_and_hold()
        for place in at[1:]:
            chain = chain.move_to_element_with_offset(canvas, *place)
        chain.release().perform()

    def errors(self) -> list[str]:
        """Errors and warnings of the page; the driver's remarks about its own speed are none."""
        found = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        return [message for message in found if "GL Driver Message" not in message]


@pytest.fixture
def open_page(chromium: Any) -> Any:
    return lambda path: Page(chromium, path)
