"""The content of the report, also for names that look like HTML."""

from __future__ import annotations

import re
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reference import HOSTILE
from viewfuse import GFSC, METHODS, AnchorGFSC, Views, io, load
from viewfuse._utils.checksum import checksum
from viewfuse.datasets import make_views
from viewfuse.exceptions import UnmatchedSamplesWarning, ViewsError, ViewsFormatError
from viewfuse.report import write_report
from viewfuse.report._colours import by_category, by_number, colouring, given_columns


def text_of(page: Path) -> str:
    """The visible text: the page without its scripts, styles and tags."""
    html = re.sub(r"<(script|style)\b.*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


@pytest.fixture(scope="module")
def page(model: GFSC, views: Views, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    return write_report(path, model, views, source="<script>alert(1).npz")


class TestPage:
    def test_has_every_section(self, page: Path, model: GFSC) -> None:
        shown = text_of(page)
        for text in (
            "60 samples", "3 clusters", "Confidence", "Weight of each view", "All 60 samples are drawn",
            "What sets it apart", "Agreement between views", "agree least", "Weights in each iteration",
            "Convergence", "Relative change", "Spectrum, with 3 clusters", "Border samples", "Known labels", "nmi geometric",
            "GFSC(n_clusters=3, random_state=0, tol=1e-06)", "scikit-learn", "SHA-256",
        ):  # fmt: skip
            assert text in shown, text

    def test_names_with_html_are_escaped(self, page: Path) -> None:
        html = page.read_text(encoding="utf-8")
        assert HOSTILE not in html
        assert "<script>alert" not in html
        assert html.count("&lt;script&gt;") > 5

    def test_loads_nothing_from_the_network(self, page: Path) -> None:
        html = page.read_text(encoding="utf-8")
        assert "default-src 'none'" in html
        assert not re.search(r"""<(?:script|link|img|iframe)[^>]+(?:src|href)=["'](?!data:)""", html)

    def test_the_code_on_the_page_gives_the_same_labels(self, page: Path, model: GFSC, views: Views) -> None:
        html = page.read_text(encoding="utf-8")
        code = re.search(r"<pre tabindex=\"0\"><code>(.*?)</code>", html, flags=re.DOTALL)[1]
        line = next(line for line in code.splitlines() if line.startswith("model"))
        import viewfuse as vf

        names: dict[str, Any] = {"vf": vf, "views": views}
        exec(line, names)
        np.testing.assert_array_equal(names["model"].labels_, model.labels_)


@pytest.mark.parametrize(
    "key", ["gf", "km", "co-reg", "mvkkm", "gmc", "snf", "lmvsc", "opmc", "fpmvs", "mlan", "swmc", "cgd"]
)
def test_every_kind_of_method_has_a_report(key: str, views: Views, tmp_path: Path) -> None:
    fit = METHODS[key](n_clusters=3, random_state=0).fit(views)
    assert "3 clusters" in text_of(write_report(tmp_path / "r.html", fit, views))


class TestSavedFits:
    """A fit that was saved and loaded gives the same report."""

    def pages(self, fits: dict[str, Any], folder: Path, views: Views | None) -> dict[str, str]:
        """The HTML of each report, without the random ids that Bokeh gives its objects."""
        found = {}
        for name, fit in fits.items():
            html = write_report(folder / f"{name}.html", fit, views, title="t").read_text(encoding="utf-8")
            found[name] = re.sub(r'"(id|root_id|docid)": "[0-9a-fp-]+"', r'"\1": ""', html)
        return found

    def test_saved_results_and_a_saved_model_give_the_same_page(self, model: GFSC, views: Views, tmp_path: Path) -> None:
        results = io.load_results(io.save_results(tmp_path / "fit.npz", model, views))
        loaded = load(model.save(tmp_path / "fit.model"))
        pages = self.pages({"model": model, "results": results, "loaded": loaded}, tmp_path, views)
        assert "Agreement between views" in pages["model"]
        assert pages["results"] == pages["model"]
        assert pages["loaded"] == pages["model"]

    def test_without_the_data_the_page_says_what_is_not_there(self, model: GFSC, views: Views, tmp_path: Path) -> None:
        results = io.load_results(io.save_results(tmp_path / "fit.npz", model, views))
        shown = text_of(write_report(tmp_path / "results.html", results))
        assert "Spectrum" in shown
        assert "need the data" in shown
        assert "Agreement between views" not in shown


def test_a_noise_view_is_named(model: GFSC, views: Views, tmp_path: Path) -> None:
    noisy = copy(model)
    noisy.noise_views_ = ("plain",)
    saved = io.load_results(io.save_results(tmp_path / "fit.npz", noisy, views))
    for number, fit in enumerate((noisy, saved)):
        shown = text_of(write_report(tmp_path / f"{number}.html", fit, views))
        assert shown.count("plain is a noise view") == 1
        assert shown.count("noise view") == 2


def test_load_results_rejects_other_files(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", X1=np.ones((5, 2)))
    with pytest.raises(ViewsFormatError, match="not the saved results of a fit: there is no array"):
        io.load_results(tmp_path / "data.npz")
    (tmp_path / "text.npz").write_text("a,b\n1,2\n")
    with pytest.raises(ViewsFormatError, match="holds text"):
        io.load_results(tmp_path / "text.npz")


def test_the_file_name_of_a_report_must_end_in_html(model: GFSC, views: Views, tmp_path: Path) -> None:
    with pytest.raises(ViewsError, match=r"report is written as \.html"):
        write_report(tmp_path / "report.pdf", model, views)


def test_views_on_disk_can_be_reported(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    made = make_views(n_samples=60, random_state=0)
    with h5py.File(tmp_path / "views.h5", "w") as file:
        stored = Views(
            {name: file.create_dataset(name, data=array) for name, array in zip(made.names, made.arrays, strict=True)}
        )
        fit = AnchorGFSC(n_clusters=3, n_anchors=20, random_state=0).fit(stored)
        shown = text_of(write_report(tmp_path / "r.html", fit, stored))
    assert "Agreement between views" in shown
    assert all(checksum(array) in shown for array in made.arrays)


class TestColumns:
    def test_a_frame_is_matched_by_id(self, model: GFSC, views: Views, tmp_path: Path) -> None:
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"place": np.arange(60)}, index=views.ids)
        shuffled = write_report(tmp_path / "a.html", model, views, columns=frame.sample(frac=1, random_state=0))
        assert shuffled.read_bytes().count(b'"place"') == 1
        ordered = write_report(tmp_path / "b.html", model, views, columns=frame)
        values = [re.search(r'"name": "place".*?"values": (\[.*?\])', p.read_text())[1] for p in (shuffled, ordered)]
        assert values[0] == values[1]

    def test_other_samples_and_a_wrong_length_raise(self, model: GFSC, views: Views, tmp_path: Path) -> None:
        pandas = pytest.importorskip("pandas")
        with pytest.raises(ViewsError, match="no row for any sample: its first row is 'x', the first sample 's0'"):
            write_report(tmp_path / "a.html", model, views, columns=pandas.DataFrame({"a": [1]}, index=["x"]))
        with pytest.raises(ViewsError, match="more than one row for 's1'"):
            write_report(tmp_path / "a.html", model, views, columns=pandas.DataFrame({"a": [1, 2]}, index=["s1", "s1"]))
        with pytest.raises(ViewsError, match=r"Column 'a' of columns has shape \(3,\), but there are 60 samples") as raised:
            write_report(tmp_path / "a.html", model, views, columns={"a": [1, 2, 3]})
        assert raised.value.parameter == "columns"

    def test_samples_without_a_row_have_no_value(self, views: Views) -> None:
        pandas = pytest.importorskip("pandas")
        columns = {"number": np.arange(60), "few": np.arange(60) % 3, "text": ["a"] * 60, "on": [True] * 60}
        frame = pandas.DataFrame(columns, index=views.ids).drop(["s0", "s5"])
        with pytest.warns(UnmatchedSamplesWarning, match="no row for 2 samples of 60, the first is 's0'"):
            found = given_columns(frame, views.ids, 60)
        assert np.flatnonzero(np.isnan(found["number"])).tolist() == [0, 5]
        for name in ("few", "text", "on"):
            assert [row for row, value in enumerate(found[name]) if value == "no value"] == [0, 5]
        assert found["few"][1:5].tolist() == [1, 2, 0, 1]
        assert colouring("few", found["few"]).levels == ["0", "1", "2", "no value"]

    def test_numbers_get_a_colour_scale_and_categories_one_colour_each(self) -> None:
        scale = by_number("n", [0.0, 5.0, 10.0, np.nan])
        assert scale.codes.tolist() == [0, 32, 63, 64]
        assert by_category("c", ["10", "9", "10"]).levels == ["9", "10"]
        assert colouring("few", np.arange(5)).levels is not None
        assert colouring("many", np.arange(50)).levels is None
        assert len(by_category("c", np.arange(1000)).palette) == 201


def test_one_cluster_has_no_confidence_and_no_agreement(views: Views, tmp_path: Path) -> None:
    model = GFSC(n_clusters=3, random_state=0).fit(views)
    model.labels_ = np.zeros(len(views), dtype=int)
    text = write_report(tmp_path / "one.html", model, views).read_text(encoding="utf-8")
    assert "All samples are in one cluster." in text
    assert "Spectrum, with 1 cluster<" in text
    for absent in ("Border samples", "Agreement between views", "fit equally well", "1 clusters"):
        assert absent not in text


def test_one_iteration_has_no_line_charts(views: Views, tmp_path: Path) -> None:
    model = GFSC(n_clusters=3, max_iter=1, random_state=0).fit(views)
    text = write_report(tmp_path / "one.html", model, views).read_text(encoding="utf-8")
    assert "in 1 iteration." in text_of(tmp_path / "one.html")
    assert "Spectrum, with 3 clusters" in text
    for absent in ("Weights in each iteration", "Relative change"):
        assert absent not in text


def test_on_part_is_called_after_each_part(model: GFSC, views: Views, tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    write_report(tmp_path / "page.html", model, views, on_part=lambda *done: calls.append(done))
    assert len(calls) > 2
    assert calls == [(done, len(calls)) for done in range(1, len(calls) + 1)]
