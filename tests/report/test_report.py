"""The content of the report, also for names that look like HTML."""

from __future__ import annotations

import re
import warnings
from copy import copy
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pages import column_of, data_of, text_of, unpacked
from reference import HOSTILE
from viewfuse import GFSC, METHODS, AnchorGFSC, Views, io, load
from viewfuse._utils.checksum import checksum
from viewfuse.cluster.structure import Evidence
from viewfuse.cluster.verdict import Verdict
from viewfuse.datasets import make_views
from viewfuse.exceptions import ConvergenceWarning, UnmatchedSamplesWarning, ViewsError, ViewsFormatError
from viewfuse.report import write_report
from viewfuse.report._columns import by_category, by_number, column, given_columns


@pytest.fixture(scope="module")
def page(model: GFSC, views: Views, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    return write_report(path, model, views, source="<script>alert(1).npz")


class TestPage:
    def test_has_every_section(self, page: Path, model: GFSC) -> None:
        shown = text_of(page)
        for text in (
            "Are these clusters real?", "60 samples", "3 clusters", "Confidence", "All 60 samples are drawn",
            "before any cut", "What sets it apart", "Typical samples", "Silhouette in the data", "Which views mattered",
            "Finds the clusters alone", "Result without it", "A weight says how the method mixed the views",
            "Agreement between views", "agree least", "Weights in each iteration", "Relative change",
            "Spectrum before the cut, with 3 clusters", "also in noise", "Border samples", "Known labels", "nmi geometric",
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
        return {
            name: write_report(folder / f"{name}.html", fit, views, title="t").read_text(encoding="utf-8")
            for name, fit in fits.items()
        }

    def test_saved_results_and_a_saved_model_give_the_same_page(self, model: GFSC, views: Views, tmp_path: Path) -> None:
        results = io.load_results(io.save_results(tmp_path / "fit.npz", model, views))
        loaded = load(model.save(tmp_path / "fit.model"))
        pages = self.pages({"model": model, "results": results, "loaded": loaded}, tmp_path, views)
        assert "Agreement between views" in pages["model"]
        assert pages["results"] == pages["model"]
        assert pages["loaded"] == pages["model"]

    def test_saved_results_alone_give_the_same_page(self, model: GFSC, views: Views, tmp_path: Path) -> None:
        results = io.load_results(io.save_results(tmp_path / "fit.npz", model, views))
        expected = self.pages({"model": model}, tmp_path, views)["model"]
        assert self.pages({"results": results}, tmp_path, None)["results"] == expected
        with pytest.raises(ViewsError, match="hold the map of at most 5,000 samples, not of 20"):
            write_report(tmp_path / "few.html", results, max_drawn=20)

    def test_without_the_data_the_page_says_what_is_not_there(self, model: GFSC, tmp_path: Path) -> None:
        results = io.load_results(io.save_results(tmp_path / "fit.npz", model))
        shown = text_of(write_report(tmp_path / "results.html", results))
        assert "the map is drawn from the embedding, which the cut has shaped" in shown
        assert "The cut itself makes a gap at the dashed line, also in noise: it is no evidence" in shown
        assert "needs the data" in shown
        assert "Agreement between views" not in shown
        assert "before any cut" not in shown


class TestVerdict:
    """The first thing on the page is whether the clusters are real."""

    def shown(self, model: GFSC, views: Views, tmp_path: Path, verdict: Verdict) -> str:
        judged = copy(model)
        judged.verdict_ = verdict
        saved = io.load_results(io.save_results(tmp_path / "fit.npz", judged, views))
        pages = [write_report(tmp_path / f"{name}.html", fit, views) for name, fit in (("m", judged), ("s", saved))]
        assert pages[0].read_text() == pages[1].read_text()
        html = pages[0].read_text(encoding="utf-8")
        assert html.index('id="verdict"') < html.index('id="explore"')
        assert str(verdict) in text_of(pages[0])
        return text_of(pages[0])

    def test_clusters_that_are_not_supported(self, model: GFSC, views: Views, tmp_path: Path) -> None:
        verdict = Verdict(3, Evidence(0.98, False, 0.0, 0.1), np.array([0.2, 0.31, np.nan]))
        shown = self.shown(model, views, tmp_path, verdict)
        assert "are not supported" in shown
        assert "Do not rely on these groups" in shown
        assert "31 %" in shown[shown.index("The clusters") :]

    def test_clusters_that_are_supported(self, model: GFSC, views: Views, tmp_path: Path) -> None:
        shown = self.shown(model, views, tmp_path, Verdict(3, Evidence(0.1, False, 0.9, 0.9), np.array([0.9, 1.0, 0.5])))
        assert "clusters are supported" in shown
        assert "1 cluster came back by less than 60 %" in shown
        assert "Do not rely" not in shown

    def test_clusters_that_are_uncertain(self, model: GFSC, views: Views, tmp_path: Path) -> None:
        shown = self.shown(model, views, tmp_path, Verdict(3, Evidence(0.1, False, 0.9, 0.2), np.array([0.4, 0.4, 0.3])))
        assert "clusters are uncertain" in shown
        assert "another number of clusters may hold" in shown

    def test_clusters_that_dissolve(self, model: GFSC, views: Views, tmp_path: Path) -> None:
        large = np.zeros(3, dtype=bool)
        verdict = Verdict(3, Evidence(0.1, False, 0.9, 0.9), np.array([0.9, 0.4, 0.3]), large)
        shown = self.shown(model, views, tmp_path, verdict)
        assert "Some of these 3 clusters are uncertain (clusters 1, 2)" in shown
        assert "fewer groups may hold" in shown

    @pytest.mark.parametrize("key", ["km", "auto", "gfsc"])
    @pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
    def test_noise_is_called_noise_whatever_the_method(self, key: str, tmp_path: Path) -> None:
        rng = np.random.default_rng(0)
        noise = Views([rng.normal(size=(200, 8)), rng.normal(size=(200, 6))])
        found = METHODS[key](n_clusters=5, random_state=0).fit(noise)
        shown = text_of(write_report(tmp_path / "noise.html", found, noise))
        assert "These 5 clusters are not supported" in shown

    def test_a_method_that_does_not_test_its_clusters_says_so(self, views: Views, tmp_path: Path) -> None:
        means = METHODS["km"](n_clusters=3, random_state=0).fit(views)
        assert "This was not tested: KM does not test it" in text_of(write_report(tmp_path / "r.html", means))
        assert "These 3 clusters are supported" in text_of(write_report(tmp_path / "r.html", means, views))


def test_a_noise_view_is_named(model: GFSC, views: Views, tmp_path: Path) -> None:
    noisy = copy(model)
    noisy.noise_views_ = ("plain",)
    saved = io.load_results(io.save_results(tmp_path / "fit.npz", noisy, views))
    for number, fit in enumerate((noisy, saved)):
        shown = text_of(write_report(tmp_path / f"{number}.html", fit, views))
        assert shown.count("noise view: the clusters are not visible in it") == 1


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
        assert column_of(shuffled, "place") == list(range(60))

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
        assert column("few", found["few"]).levels == ["0", "1", "2", "no value"]

    def test_long_and_huge_numbers_are_not_rounded(self, model: GFSC, views: Views, tmp_path: Path) -> None:
        accounts, huge = np.arange(60) + 123_456_789, np.linspace(-1e300, 1e300, 60)
        page = write_report(tmp_path / "a.html", model, views, columns={"account": accounts, "huge": huge})
        assert column_of(page, "account") == accounts.tolist()
        assert column_of(page, "huge") == huge.tolist()
        assert not next(one for one in data_of(page)["columns"] if one["name"] == "confidence")["double"]

    def test_numbers_get_a_colour_scale_and_categories_one_colour_each(self) -> None:
        assert by_number("n", [0.0, 5.0, np.inf, np.nan]).values[:2].tolist() == [0.0, 5.0]
        assert np.isnan(by_number("n", [0.0, 5.0, np.inf, np.nan]).values[2:]).all()
        assert by_category("c", ["10", "9", "10"]).levels == ["9", "10"]
        assert column("few", np.arange(5)).levels is not None
        assert column("many", np.arange(50)).levels is None
        assert len(by_category("c", np.arange(1000)).palette) == 201


def test_one_cluster_has_no_confidence_and_no_agreement(views: Views, tmp_path: Path) -> None:
    model = GFSC(n_clusters=3, random_state=0).fit(views)
    model.labels_ = np.zeros(len(views), dtype=int)
    text = write_report(tmp_path / "one.html", model, views).read_text(encoding="utf-8")
    assert "No clusters were found: all samples are in one cluster." in text
    assert "Spectrum before the cut, with 1 cluster<" in text
    for absent in ("Border samples", "Agreement between views", "1 clusters"):
        assert absent not in text


def test_one_iteration_has_no_line_charts(views: Views, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = GFSC(n_clusters=3, max_iter=1, random_state=0).fit(views)
    text = write_report(tmp_path / "one.html", model, views).read_text(encoding="utf-8")
    assert "Spectrum before the cut, with 3 clusters" in text
    for absent in ("Weights in each iteration", "Relative change"):
        assert absent not in text


def test_a_certain_sample_is_no_border_sample(views: Views, tmp_path: Path) -> None:
    model = GFSC(n_clusters=3, random_state=0).fit(views)
    model.confidence_ = np.where(np.arange(60) == 7, 0.2, 0.99)
    shown = text_of(write_report(tmp_path / "r.html", model, views))
    assert shown.count("0.200") == 1
    assert "0.990" not in shown
    model.confidence_ = np.full(60, 0.99)
    assert "No sample lies near the border" in text_of(write_report(tmp_path / "r.html", model, views))


def test_on_part_is_called_before_each_part(model: GFSC, views: Views, tmp_path: Path) -> None:
    calls: list[tuple[int, int, str]] = []
    write_report(tmp_path / "page.html", model, views, on_part=lambda *done: calls.append(done))
    assert len(calls) > 2
    assert [call[:2] for call in calls] == [(done, len(calls)) for done in range(len(calls))]
    assert "maps" in [call[2] for call in calls]


class TestReproduce:
    """The code on the page runs as it is printed, in the folder of the data."""

    def labels_of_code(self, page: Path) -> list[int]:
        html = page.read_text(encoding="utf-8")
        code = unescape(re.search(r"<pre tabindex=\"0\"><code>(.*?)</code>", html, flags=re.DOTALL)[1])
        names: dict[str, Any] = {}
        exec(compile(code, "page", "exec"), names)
        return names["model"].labels_.tolist()

    def test_with_samples_that_were_dropped(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pandas = pytest.importorskip("pandas")
        made = make_views(n_samples=60, n_features=(4, 5), random_state=0)
        folder = tmp_path / "tables"
        folder.mkdir()
        for name, array, first in zip("ab", made.arrays, (0, 7), strict=True):
            ids = pandas.Index([f"s{i}" for i in range(first, 60)], name="id")
            pandas.DataFrame(array[first:], index=ids, columns=[f"{name}{i}" for i in range(array.shape[1])]).to_csv(
                folder / f"{name}.csv"
            )
        app = pytest.importorskip("typer.testing")
        from viewfuse.cli._app import app as command

        monkeypatch.chdir(tmp_path)
        labels, page = tmp_path / "labels.csv", tmp_path / "r.html"
        arguments = ["cluster", "tables", "-k", "3", "--missing", "drop", "--report", str(page), "-o", str(labels)]
        ended = app.CliRunner().invoke(command, arguments)
        assert ended.exit_code == 0, ended.output
        assert "7 samples were dropped, because some view does not have them" in ended.output
        assert "7 samples were dropped, because some view does not have them." in text_of(page)
        assert self.labels_of_code(page) == pandas.read_csv(labels)["label"].tolist()

    def test_samples_that_are_missing_are_counted(self, tmp_path: Path) -> None:
        made = make_views(n_samples=60, n_features=(4, 5), random_state=0)
        present = np.ones((60, 2), dtype=bool)
        present[:4, 1] = False
        views = Views(made, present=present)
        model = GFSC(3, random_state=0).fit(views)
        shown = text_of(write_report(tmp_path / "r.html", model, views))
        assert "missing from views and were clustered by the other views: 4 from view1." in shown


class TestExplorer:
    def test_the_data_is_that_of_the_fit(self, page: Path, model: GFSC, views: Views) -> None:
        data = data_of(page)
        np.testing.assert_array_equal(unpacked(data["labels"], "u2"), model.labels_)
        np.testing.assert_allclose(column_of(page, "confidence"), model.confidence_, rtol=1e-6)
        assert data["layouts"][0]["name"] == "all views"
        features = data["features"]
        codes = unpacked(features["values"], "u2").reshape(9, 60)
        for f, values in enumerate(np.hstack(views.arrays).T):
            low, high = features["low"][f], features["high"][f]
            np.testing.assert_allclose(low + codes[f] / 65534 * (high - low), values, atol=1e-4 * (high - low))
        assert features["names"][0] == HOSTILE

    def test_of_many_features_those_that_differ_most_are_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from viewfuse.inspection.values import drawn_features

        rng = np.random.default_rng(0)
        labels = np.repeat([0, 1], 50)
        wide = rng.normal(size=(100, 300))
        wide[:, 250:260] += 5 * labels[:, None]
        found = drawn_features(Views({"wide": wide}), np.arange(100), labels, most_values=2000)
        assert len(found.names) == 20
        assert found.left_out == 280
        assert {f"column {f}" for f in range(250, 260)} <= set(found.names)

    def test_missing_values_stay_missing(self, tmp_path: Path) -> None:
        made = make_views(n_samples=60, n_features=(4, 5), random_state=0)
        present = np.ones((60, 2), dtype=bool)
        present[:4, 1] = False
        views = Views(made, present=present)
        page = write_report(tmp_path / "r.html", GFSC(3, random_state=0).fit(views), views)
        codes = unpacked(data_of(page)["features"]["values"], "u2").reshape(9, 60)
        assert (codes[4:, :4] == 65535).all()
        assert (codes[:4] < 65535).all()

    def test_at_most_so_many_samples_are_drawn(self, model: GFSC, views: Views, tmp_path: Path) -> None:
        page = write_report(tmp_path / "r.html", model, views, max_drawn=20)
        assert "20 of 60 samples are drawn" in text_of(page)
        data = data_of(page)
        rows = unpacked(data["rows"], "u4")
        assert rows.size == data["drawn"] == 20
        assert unpacked(data["labels"], "u2").size == 60  # the labels that can be downloaded are those of all samples
