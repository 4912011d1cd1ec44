"""What the report says, and that it says it of hostile names too."""

from __future__ import annotations

import re
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from reference import HOSTILE
from viewfuse import GFSC, METHODS, AnchorGFSC, Views, io
from viewfuse._utils.checksum import checksum
from viewfuse.datasets import make_views
from viewfuse.exceptions import ViewsError, ViewsFormatError
from viewfuse.inspection import facts as _facts
from viewfuse.report import write_report
from viewfuse.report._colours import by_category, by_number, colouring


def text_of(page: Path) -> str:
    """What a reader sees, roughly: the page without its scripts, styles and tags."""
    html = re.sub(r"<(script|style)\b.*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


@pytest.fixture(scope="module")
def page(model: GFSC, views: Views, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    return write_report(path, model, views, source="<script>alert(1).npz")


class TestPage:
    def test_says_what_it_must(self, page: Path, model: GFSC) -> None:
        shown = text_of(page)
        for said in (
            "60 samples", "3 clusters", "How sure", "Which views mattered", "All 60 samples are drawn", "What sets it apart",
            "Who agrees with whom", "agree least with each other", "Weights over the sweeps", "Convergence",
            "Spectrum, and the 3", "Samples on the border", "Against the known labels", "nmi geometric",
            "GFSC(n_clusters=3, random_state=0, tol=1e-06)", "scikit-learn", "SHA-256",
        ):  # fmt: skip
            assert said in shown, said

    def test_has_no_program_but_its_own(self, page: Path) -> None:
        html = page.read_text(encoding="utf-8")
        assert HOSTILE not in html
        assert "<script>alert" not in html
        assert html.count("&lt;script&gt;") > 5

    def test_asks_the_network_for_nothing(self, page: Path) -> None:
        html = page.read_text(encoding="utf-8")
        assert "default-src 'none'" in html
        assert not re.search(r"""<(?:script|link|img|iframe)[^>]+(?:src|href)=["'](?!data:)""", html)

    def test_the_code_to_paste_gives_the_same_labels(self, page: Path, model: GFSC, views: Views) -> None:
        html = page.read_text(encoding="utf-8")
        code = re.search(r"<pre tabindex=\"0\"><code>(.*?)</code>", html, flags=re.DOTALL)[1]
        line = next(line for line in code.splitlines() if line.startswith("model"))
        import viewfuse as vf

        names: dict[str, Any] = {"vf": vf, "views": views}
        exec(line, names)
        np.testing.assert_array_equal(names["model"].labels_, model.labels_)


@pytest.mark.parametrize("key", ["gf", "km", "co-reg", "mvkkm"])
def test_every_kind_of_method_can_be_reported(key: str, views: Views, tmp_path: Path) -> None:
    fit = METHODS[key](n_clusters=3, random_state=0).fit(views)
    assert "3 clusters" in text_of(write_report(tmp_path / "r.html", fit, views))


def test_a_report_of_saved_results_says_the_same(model: GFSC, views: Views, tmp_path: Path) -> None:
    saved = io.load_results(io.save_results(tmp_path / "fit.npz", model, views))
    live = write_report(tmp_path / "live.html", model, views, title="t")
    again = write_report(tmp_path / "saved.html", saved, views, title="t")
    assert text_of(again).partition("Parameters, versions")[0] == text_of(live).partition("Parameters, versions")[0]
    alone = text_of(write_report(tmp_path / "alone.html", saved))
    assert "Spectrum" in alone
    assert "need the data" in alone


def test_a_view_that_does_not_see_the_clusters_is_called_by_its_name(model: GFSC, views: Views, tmp_path: Path) -> None:
    blind = copy(model)
    blind.noise_views_ = ("plain",)
    saved = io.load_results(io.save_results(tmp_path / "fit.npz", blind, views))
    for number, fit in enumerate((blind, saved)):
        shown = text_of(write_report(tmp_path / f"{number}.html", fit, views))
        assert shown.count("plain does not see the clusters") == 1
        assert shown.count("does not see the clusters") == 2


def test_other_files_are_not_taken_for_results(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", X1=np.ones((5, 2)))
    with pytest.raises(ViewsFormatError, match="no saved results of a fit"):
        io.load_results(tmp_path / "data.npz")
    (tmp_path / "text.npz").write_text("a,b\n1,2\n")
    with pytest.raises(ViewsFormatError, match="holds text"):
        io.load_results(tmp_path / "text.npz")


def test_a_report_needs_a_name_a_browser_knows(model: GFSC, views: Views, tmp_path: Path) -> None:
    with pytest.raises(ViewsError, match=r"report is written as \.html"):
        write_report(tmp_path / "report.pdf", model, views)


def test_views_in_a_file_can_be_reported(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    made = make_views(n_samples=60, random_state=0)
    with h5py.File(tmp_path / "views.h5", "w") as file:
        stored = Views(
            {name: file.create_dataset(name, data=array) for name, array in zip(made.names, made.arrays, strict=True)}
        )
        fit = AnchorGFSC(n_clusters=3, n_anchors=20, random_state=0).fit(stored)
        shown = text_of(write_report(tmp_path / "r.html", fit, stored))
    assert "Who agrees with whom" in shown
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

    def test_a_missing_sample_and_a_wrong_length_are_named(self, model: GFSC, views: Views, tmp_path: Path) -> None:
        pandas = pytest.importorskip("pandas")
        with pytest.raises(ViewsError, match="no row for sample 's0'"):
            write_report(tmp_path / "a.html", model, views, columns=pandas.DataFrame({"a": [1]}, index=["x"]))
        with pytest.raises(ViewsError, match=r"columns='a' has shape \(3,\), but there are 60 samples"):
            write_report(tmp_path / "a.html", model, views, columns={"a": [1, 2, 3]})

    def test_numbers_get_a_scale_and_names_a_colour_each(self) -> None:
        scale = by_number("n", [0.0, 5.0, 10.0, np.nan])
        assert scale.codes.tolist() == [0, 32, 63, 64]
        assert by_category("c", ["10", "9", "10"]).levels == ["9", "10"]
        assert colouring("few", np.arange(5)).levels is not None
        assert colouring("many", np.arange(50)).levels is None
        assert len(by_category("c", np.arange(1000)).palette) == 201


class TestFacts:
    def test_distinguishing_features_against_a_direct_computation(self) -> None:
        rng = np.random.default_rng(0)
        labels = np.repeat([0, 1, 2], 20)
        values = rng.normal(size=(60, 5))
        values[labels == 1, 3] += 4
        for view in (values, sp.csr_array(values)):
            effects = _facts._effects(view, labels, np.arange(3))
            for k in range(3):
                inside, outside = values[labels == k], values[labels != k]
                direct = (inside.mean(axis=0) - outside.mean(axis=0)) / values.std(axis=0)
                np.testing.assert_allclose(effects[k], direct)
        telling = _facts.clusters(labels, None, Views({"a": values}))[1].most_telling(1)[0]
        assert (telling.name, telling.effect > 1) == ("column 3", True)

    def test_a_constant_feature_and_absent_samples_tell_nothing(self) -> None:
        values = np.column_stack([np.full(6, 3.0), [0, 0, 0, 1, 1, np.nan]])
        effects = _facts._effects(values, np.array([0, 0, 0, 1, 1, 1]), np.arange(2))
        assert effects[:, 0].tolist() == [0, 0]
        assert effects[1, 1] > 1

    def test_agreement_finds_the_view_that_contradicts(self) -> None:
        labels = np.repeat([0, 1], 30)
        clear = np.equal.outer(labels, labels) + 0.01
        shuffled = np.random.default_rng(0).permutation(labels)
        other = np.equal.outer(shuffled, shuffled) + 0.01
        found = _facts.agreement(labels, ["a", "b", "odd"], [clear, clear, other])
        assert found.alone()["a"] == 1
        assert found.alone()["odd"] < 0.2
        assert found.worst_pair()[1] == "odd"

    def test_the_checksum_is_of_the_values(self) -> None:
        view = np.arange(6.0).reshape(3, 2)
        assert checksum(view) == checksum(np.asfortranarray(view))
        assert checksum(view) != checksum(view + 1)
        assert checksum(sp.csr_array(view)) == checksum(sp.csr_array(view.copy()))


def test_one_cluster_is_not_said_to_be_unsure_of_itself(views: Views, tmp_path: Path) -> None:
    model = GFSC(n_clusters=3, random_state=0).fit(views)
    model.labels_ = np.zeros(len(views), dtype=int)
    text = write_report(tmp_path / "one.html", model, views).read_text(encoding="utf-8")
    assert "they were not divided" in text
    assert "the 1 cluster chosen" in text
    for absent in ("Samples on the border", "Who agrees with whom", "a coin toss", "1 clusters"):
        assert absent not in text


def test_one_sweep_is_no_curve(views: Views, tmp_path: Path) -> None:
    model = GFSC(n_clusters=3, max_iter=1, random_state=0).fit(views)
    text = write_report(tmp_path / "one.html", model, views).read_text(encoding="utf-8")
    assert "after 1 sweep." in text_of(tmp_path / "one.html")
    assert "Spectrum, and the 3" in text
    for absent in ("Weights over the sweeps", "Convergence"):
        assert absent not in text


def test_views_that_agree_wholly_are_not_played_off_against_each_other() -> None:
    names, values = ("a", "b", "all views fused"), np.ones((3, 3))
    assert _facts.Agreement(names, values).worst_pair() is None
    values[0, 1] = values[1, 0] = 0.98
    assert _facts.Agreement(names, values).worst_pair() == ("a", "b", 0.98)


def test_classes_stand_beside_the_clusters_that_hold_them() -> None:
    found = _facts.confusion(np.repeat(["a", "b", "c"], 4), np.array([2, 2, 2, 2, 0, 0, 0, 1, 1, 1, 1, 0]))
    assert found is not None
    assert found.classes == ("b", "c", "a")
    assert (found.counts == [[3, 1, 0], [1, 3, 0], [0, 0, 4]]).all()


def test_whoever_waits_is_told_how_far_it_is(model: GFSC, views: Views, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    write_report(tmp_path / "page.html", model, views, on_part=lambda *done: told.append(done))
    assert len(told) > 2
    assert told == [(done, len(told)) for done in range(1, len(told) + 1)]
