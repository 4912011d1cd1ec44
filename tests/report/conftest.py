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

pytest.importorskip("bokeh")

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
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1200,900"):
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
        driver.execute_async_script(
            "const done = arguments[0];"
            "const look = () => document.documentElement.dataset.ready ? done() : setTimeout(look, 50);"
            "look();"
        )

    def run(self, script: str) -> Any:
        return self.driver.execute_script(script)

    def samples(self, field: str) -> list[Any]:
        """A column of the data of the scatter plot."""
        return self.run(
            "const models = Bokeh.documents.flatMap(document => [...document.all_models]);"
            f"return Array.from(models.find(model => model.name === 'samples').data['{field}']);"
        )

    def choose(self, select: str, value: str) -> None:
        self.run(
            f"const select = document.getElementById('{select}');"
            f"select.value = [...select.options].find(option => option.text === {value!r}).value;"
            "select.dispatchEvent(new Event('change'));"
        )

    def tooltip(self) -> str:
        """The text of the visible tooltip."""
        return self.run(
            "const within = e => e.shadowRoot ? all(e.shadowRoot) : [];"
            "const all = node => [...node.querySelectorAll('*')].flatMap(e => [e, ...within(e)]);"
            "return all(document).filter(e => e.className === 'bk-tooltip-content').map(e => e.textContent).join(' ');"
        )

    def errors(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


@pytest.fixture
def open_page(chromium: Any) -> Any:
    return lambda path: Page(chromium, path)
