"""AnchorGFSC: row problems against slow solvers, blocks of any size, prediction, missing views, bad input."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from viewfuse.cluster.rows import local as _rows
from viewfuse.exceptions import ConvergenceWarning, ParameterError, UninformativeViewWarning, ViewsError
from viewfuse.fusion import anchor
from viewfuse.graphs.anchors import UnitRows, _completed, anchor_positions, code_map, group_samples, strongest_anchors
from viewfuse.linalg import bipartite_embedding, unit_rows


def blobs(n=400, k=4, seed=0, noise=1.0, dims=(5, 8)):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return [3 * rng.normal(size=(k, d))[y] + noise * rng.normal(size=(n, d)) for d in dims], y


def learned(views, k=4, **options):
    settings = {"n_anchors": 30, "n_neighbors": 6, "alpha": 3.0, "beta": 0.3, "gamma": 0.5, "max_iter": 10, "tol": 1e-3}
    rows = [UnitRows.of(x) for x in views]
    fusion = anchor.learn_anchors(rows, k, random_state=np.random.RandomState(0), **{**settings, **options})
    return fusion, rows


# ---- the row problems


def test_codes_solve_the_ridge_problem():
    rng = np.random.default_rng(0)
    anchors, x, mean = rng.normal(size=(6, 9)), rng.normal(size=9), 0.1 * rng.normal(size=9)
    code = np.append(x, 1) @ code_map(anchors, mean, 2.0)
    height = 0.5 * np.sqrt(1 - mean @ mean)
    seen, anchors_seen = np.append(x - mean, height), np.hstack([anchors - mean, np.full((6, 1), height)])
    strength = 2.0 * (anchors_seen**2).sum(axis=1).mean()
    gradient = -2 * (seen - code @ anchors_seen) @ anchors_seen.T + 2 * strength * code
    assert np.allclose(gradient, 0, atol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_codes_leave_out_who_lacks_the_view(form):
    x = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    rows = UnitRows.of(form(x), np.array([False, False, True]))
    mapping = np.arange(8, dtype=np.float32).reshape(4, 2)
    assert np.allclose(rows.codes(mapping), [np.array([0.6, 0.8, 0.0, 1.0]) @ mapping, [0, 0], [0, 0]])
    assert np.allclose(rows.mean(), [0.6, 0.8, 0.0])


def test_what_all_samples_have_in_common_changes_little():
    """Clusters beside a large common part: cosines of the samples as they are say that all are alike."""
    views, y = blobs()
    common = [x + 50 for x in views]
    found = vf.AnchorGFSC(4, random_state=0).fit(common).labels_
    assert adjusted_rand_score(y, found) > 0.95


def test_ties_solve_their_quadratic_program():
    rng = np.random.default_rng(1)
    codes = rng.normal(size=(5, 12))
    ties, strengths = strongest_anchors(codes.copy(), 4)
    for code, tie, strength in zip(codes, ties, strengths, strict=True):
        best = scipy.optimize.minimize(
            lambda z, c=code, r=strength: -c @ z + 0.5 * r * z @ z,
            np.full(12, 1 / 12),
            jac=lambda z, c=code, r=strength: -c + r * z,
            bounds=[(0, 1)] * 12,
            constraints={"type": "eq", "fun": lambda z: z.sum() - 1, "jac": np.ones_like},
            tol=1e-13,
        )
        assert np.allclose(tie, best.x, atol=1e-4)
        assert np.count_nonzero(tie) == 4


def test_missing_views_are_filled_in_from_the_others():
    rng = np.random.default_rng(0)
    low_rank = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 12))
    lacking = np.zeros((300, 12), dtype=bool)
    lacking[:100, :5] = lacking[100:180, 5:] = True
    filled = _completed(np.where(lacking, np.nan, low_rank), lacking, 3, np.random.RandomState(0))
    assert np.array_equal(filled[~lacking], low_rank[~lacking])
    wrong = np.linalg.norm((filled - low_rank)[lacking])
    assert wrong < 0.5 * np.linalg.norm(low_rank[lacking])  # what the means, all near 0, would leave is all of it


def test_groups_and_anchors_with_missing_views():
    (x, z), y = blobs(n=200, noise=0.3)
    lacking = np.random.default_rng(0).random(200) < 0.3
    views = [UnitRows.of(x), UnitRows.of(np.where(lacking[:, None], np.nan, z), lacking)]
    groups = group_samples(views, 4, np.random.RandomState(0))
    assert adjusted_rand_score(groups, y) > 0.95
    direct = np.stack([views[1].scaled()[(groups == j) & ~lacking].mean(axis=0) for j in range(4)])
    assert np.allclose(anchor_positions(views[1], groups), direct, atol=1e-6)


def test_bipartite_embedding_is_that_of_the_whole_graph():
    rng = np.random.default_rng(0)
    graph = rng.random((50, 8)) ** 3
    graph /= graph.sum(axis=1, keepdims=True)
    degree = graph.sum(axis=0)
    found = bipartite_embedding(graph.T @ graph, degree, 3)
    left, singular, right = np.linalg.svd(graph / np.sqrt(degree), full_matrices=False)
    mine, direct = graph @ found.transform, left[:, :3] * singular[:3] ** 2
    assert np.allclose(found.values, singular[:3] ** 2)
    assert np.allclose(mine @ mine.T, direct @ direct.T, atol=1e-5)
    assert np.allclose(np.abs(unit_rows(right[:3].T * singular[:3] ** 2)), np.abs(found.anchors), atol=1e-5)


def slow_place(model, views):
    """One row after another, as the problem is written."""
    n, m = len(views[0]), model.n_anchors
    consensus = np.zeros((n, m))
    for i in range(n):
        has = [v for v, view in enumerate(views) if view.scale[i] > 0]
        codes = [np.append(views[v].scaled()[i].astype(float), 1) @ model.maps[v] for v in has]
        weights = model.weights[has] / model.weights[has].sum()
        for _ in range(2 if model.beta else 1):
            ties = []
            for v, code in zip(has, codes, strict=True):
                pulled = code + model.beta * model.weights[v] * consensus[i]
                margin = np.maximum(pulled - np.sort(pulled)[-model.n_neighbors - 1], 0)
                ties.append(margin / margin.sum())
            fused = sum(w * tie for w, tie in zip(weights, ties, strict=True))
            consensus[i] = fused
            if model.gamma:
                point = fused @ model.embedding.transform
                apart = ((point / np.linalg.norm(point) - model.embedding.anchors) ** 2).sum(axis=1)
                cut = np.maximum(fused - model.gamma / m / model.mean_apart * apart, 0)
                consensus[i] = cut / cut.sum()
    return consensus


@pytest.mark.parametrize(("beta", "gamma"), [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5)])
def test_blocks_are_placed_as_rows_one_by_one(beta, gamma):
    views, _ = blobs(n=60)
    fusion, rows = learned(views, beta=beta, gamma=gamma)
    lacking = np.arange(60) % 5 == 0
    rows[1] = UnitRows.of(np.where(lacking[:, None], np.nan, views[1]), lacking)
    assert np.allclose(anchor.place(fusion.model, rows).consensus, slow_place(fusion.model, rows), atol=2e-5)


def test_sums_of_blocks_are_the_sums_of_all():
    views, _ = blobs(n=90)
    fusion, rows = learned(views)
    whole = anchor.block_sums(fusion.model, rows)
    parts = sum(anchor.block_sums(fusion.model, [view[i : i + 37] for view in rows]) for i in range(0, 90, 37))
    for name in whole.__dataclass_fields__:
        assert np.allclose(getattr(whole, name), getattr(parts, name), rtol=1e-4), name
    consensus = anchor.place(fusion.model, rows).consensus
    assert np.allclose(whole.gram, consensus.T @ consensus, atol=1e-5)


def test_weights_say_how_seldom_ties_cross_the_cut():
    views, _ = blobs(n=80)
    fusion, rows = learned(views, beta=0.0, max_iter=1)
    assert np.allclose(fusion.sweeps[0].weights, 0.5)  # nothing is cut yet
    model = fusion.model
    ties = [strongest_anchors(view.codes(mapping), 6)[0] for view, mapping in zip(rows, model.maps, strict=True)]
    points = unit_rows((sum(ties) / 2) @ model.embedding.transform)
    apart = ((points[:, None, :] - model.embedding.anchors[None, :, :]) ** 2).sum(axis=2)
    trust = np.array([1 / np.sqrt((graph * apart).sum() / 80) for graph in ties])
    sweep = anchor.refined(fusion, anchor.block_sums(model, rows)).sweeps[-1]
    assert np.allclose(sweep.weights, trust / trust.sum(), atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_of_two_views_none_takes_all(seed):
    good = vf.datasets.make_views(n_samples=500, n_features=(5, 8), random_state=seed)
    model = vf.AnchorGFSC(3, random_state=0).fit(good)
    assert model.view_weights_.min() > 0.3
    assert model.converged_
    assert model.n_iter_ < 20
    noisy = vf.datasets.make_views(n_samples=500, n_features=(10,), noise_views=1, random_state=seed)
    model = vf.AnchorGFSC(3, random_state=0).fit(noisy)
    assert adjusted_rand_score(noisy.y, model.labels_) > 0.9


# ---- the estimator


def test_attributes_and_ways_in_agree():
    views, y = blobs()
    model = vf.AnchorGFSC(4, random_state=0).fit(views)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    assert np.isclose(model.view_weights_.sum(), 1)
    assert model.embedding_.shape == (400, 5)
    assert model.anchor_graph_.shape[0] == 400
    assert np.allclose(model.anchor_graph_.sum(axis=1), 1, atol=1e-5)
    assert np.allclose(model.affinity_matrix_.sum(axis=1), 1, atol=1e-4)
    assert model.converged_
    assert model.n_iter_ == len(model.history_["change"]) == len(model.objective_)
    assert ((model.confidence_ >= 0) & (model.confidence_ <= 1)).all()
    for other in (
        vf.AnchorGFSC(4, random_state=0).fit({"a": views[0], "b": views[1]}),
        vf.AnchorGFSC(4, random_state=0).fit(vf.Views(views)),
        vf.AnchorGFSC(4, random_state=0, views=[slice(0, 5), slice(5, 13)]).fit(np.hstack(views)),
        vf.AnchorGFSC(4, random_state=0).fit([sp.csr_array(x) for x in views]),
    ):
        assert adjusted_rand_score(model.labels_, other.labels_) == 1


def test_a_sample_of_rows_is_enough(monkeypatch):
    views, _ = blobs(n=3000)
    whole = vf.AnchorGFSC(4, random_state=0).fit(views)
    monkeypatch.setattr("viewfuse.cluster.anchor_gfsc._ROWS_PER_ANCHOR", 5)
    monkeypatch.setattr("viewfuse.cluster.anchor_gfsc._MOST_STORED", 1000)
    part = vf.AnchorGFSC(4, random_state=0).fit(views)
    assert adjusted_rand_score(whole.labels_, part.labels_) > 0.98
    assert part.anchor_graph_ is None
    assert not hasattr(part, "affinity_matrix_")
    assert (part.predict(views) == part.labels_).all()


def test_the_size_of_blocks_does_not_matter(monkeypatch):
    views, _ = blobs(n=700)
    one = vf.AnchorGFSC(4, random_state=0).fit(views)
    monkeypatch.setattr(_rows, "_BLOCK", 64)
    other = vf.AnchorGFSC(4, random_state=0).fit(views)
    assert adjusted_rand_score(one.labels_, other.labels_) > 0.99
    assert np.allclose(one.embedding_, other.embedding_, atol=1e-3)


def test_predict_places_rows_as_fit_does_and_unseen_ones_well():
    views, y = blobs(n=600)
    train, new = [x[:400] for x in views], [x[400:] for x in views]
    model = vf.AnchorGFSC(4, random_state=0).fit({"a": train[0], "b": train[1]})
    assert (model.predict({"a": train[0], "b": train[1]}) == model.labels_).all()
    assert adjusted_rand_score(y[400:], model.predict({"a": new[0], "b": new[1]})) > 0.95
    swapped = model.predict({"b": new[1], "a": new[0]})
    assert (swapped == model.predict({"a": new[0], "b": new[1]})).all()
    assert (model.predict([x[:1] for x in new]) == swapped[:1]).all()
    assert np.allclose(model.transform({"a": train[0], "b": train[1]}), model.embedding_, atol=1e-5)
    with pytest.raises(ViewsError, match="'b' has 5 features, but had 8"):
        model.predict({"a": new[0], "b": new[0]})
    with pytest.raises(ViewsError, match="fitted on 2 views"):
        model.predict([new[0]])


def test_missing_views_by_nan_and_by_mask_are_the_same():
    views, y = blobs(n=500)
    present = np.random.default_rng(0).random((500, 2)) > 0.3
    present[~present.any(axis=1), 0] = True
    holes = [np.where(present[:, [v]], x, np.nan) for v, x in enumerate(views)]
    by_nan = vf.AnchorGFSC(4, random_state=0).fit(holes)
    by_mask = vf.AnchorGFSC(4, random_state=0).fit(vf.Views(views, present=present))
    sparse = [sp.csr_array(np.nan_to_num(x)) for x in holes]
    by_empty_rows = vf.AnchorGFSC(4, random_state=0).fit(vf.Views(sparse, present=present))
    assert (by_nan.labels_ == by_mask.labels_).all()
    assert adjusted_rand_score(by_nan.labels_, by_empty_rows.labels_) > 0.98
    assert adjusted_rand_score(y, by_nan.labels_) > 0.9
    assert (by_nan.predict(holes) == by_nan.labels_).all()


def test_missing_by_id_is_kept_when_asked_for(tmp_path):
    pandas = pytest.importorskip("pandas")
    views, y = blobs(n=120, k=3)
    ids = pandas.Index([f"s{i}" for i in range(120)], name="id")
    pandas.DataFrame(views[0], index=ids).to_csv(tmp_path / "a.csv")
    pandas.DataFrame(views[1], index=ids)[30:].to_csv(tmp_path / "b.csv")
    joined = vf.load_views([tmp_path / "a.csv", tmp_path / "b.csv"], missing="keep")
    assert adjusted_rand_score(y, vf.AnchorGFSC(3, random_state=0).fit(joined).labels_) > 0.9


@pytest.mark.parametrize("estimator", [vf.AnchorGFSC, vf.GFSC])
def test_ids_absent_from_a_frame_are_kept_when_asked_for(estimator):
    pandas = pytest.importorskip("pandas")
    views, y = blobs(n=120, k=3)
    frames = [pandas.DataFrame(x, index=[f"s{i}" for i in range(120)]) for x in views]
    holes = {"a": frames[0].drop("s5"), "b": frames[1].iloc[::-1].drop("s40")}
    with pytest.raises(ViewsError, match="missing='keep'"):
        estimator(3).fit(holes)
    joined = vf.Views(holes, missing="keep")
    assert len(joined) == 120
    model = estimator(3, random_state=0).fit(joined)
    truth = y[[int(name[1:]) for name in joined.ids]]
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    assert len(vf.Views(holes, missing="drop")) == 118
    with pytest.raises(ViewsError, match="'b' is not a DataFrame"):
        vf.Views({"a": frames[0], "b": views[1]}, missing="keep")


def test_a_sample_in_no_view_is_named():
    views, _ = blobs(n=50)
    for x in views:
        x[7] = np.nan
    with pytest.raises(ViewsError, match="row 7 lacks every view"):
        vf.AnchorGFSC(4).fit(views)
    names = np.array([f"s{i}" for i in range(50)])
    with pytest.raises(ViewsError, match=r"row 7 \(id 's7'\) lacks every view"):
        vf.AnchorGFSC(4).fit(vf.Views(views, ids=names))


@pytest.mark.parametrize(("value", "kind"), [(np.nan, "NaN"), (np.inf, "inf")])
def test_a_row_that_is_not_finite_in_part_is_named(value, kind):
    views, _ = blobs(n=50)
    views[1][3, 2] = value
    with pytest.raises(ViewsError, match=rf"'view1' .* {kind} in row 3, column 2"):
        vf.AnchorGFSC(4).fit(views)


def test_extreme_and_zero_rows():
    views, y = blobs(n=200)
    huge = [x * 1e200 for x in views]
    tiny = [x * 1e-200 for x in views]
    plain = vf.AnchorGFSC(4, random_state=0).fit(views)
    for scaled in (huge, tiny):
        assert adjusted_rand_score(plain.labels_, vf.AnchorGFSC(4, random_state=0).fit(scaled).labels_) > 0.98
    views[0][5] = 0
    with pytest.warns(UninformativeViewWarning, match="'view0': 1 row is all zeros, the first row 5"):
        model = vf.AnchorGFSC(4, random_state=0).fit(views)
    assert adjusted_rand_score(y, model.labels_) > 0.9


def test_a_constant_view_gets_no_weight_and_is_not_needed_later():
    views, y = blobs(n=200)
    with pytest.warns(UninformativeViewWarning, match="constant"):
        model = vf.AnchorGFSC(4, random_state=0).fit([*views, np.ones((200, 3))])
    assert model.view_weights_[2] == 0
    assert model.anchors_[2] is None
    assert adjusted_rand_score(y, model.predict([*views, np.ones((200, 3))])) > 0.9


def test_a_noise_view_gets_least_weight():
    views, _ = blobs(n=500)
    noise = np.random.default_rng(5).normal(size=(500, 8))
    weights = vf.AnchorGFSC(4, random_state=0).fit([*views, noise]).view_weights_
    assert weights.argmin() == 2
    assert weights[2] < 0.6 * weights[:2].min()


@pytest.mark.parametrize("seed", range(4))
def test_of_two_good_views_both_count_and_of_noise_little(seed):
    """No view may come to weigh all because it weighs most, least of all noise."""
    (first, second), y = blobs(seed=seed, noise=1.5)
    assert vf.AnchorGFSC(4, random_state=0).fit([first, second]).view_weights_.min() > 0.25
    noise = np.random.default_rng(1).normal(size=(400, 8))
    model = vf.AnchorGFSC(4, random_state=0).fit([first, noise])
    assert model.view_weights_[0] > 0.6
    assert adjusted_rand_score(y, model.labels_) > 0.5


def test_parameters_are_checked():
    views, _ = blobs(n=50)
    for wrong in ({"n_anchors": 3}, {"n_anchors": "many"}, {"n_neighbors": 0}, {"alpha": 0}, {"beta": -1}, {"gamma": -1}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            vf.AnchorGFSC(4, **wrong).fit(views)
    with pytest.warns(ConvergenceWarning, match="not settled after 1 sweep"):
        vf.AnchorGFSC(4, max_iter=1, random_state=0).fit(views)


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ConvergenceWarning")  # nothing to settle on
@pytest.mark.parametrize("n", [4, 5, 9])
def test_hardly_more_samples_than_clusters(n):
    views, _ = blobs(n=n, seed=3)
    model = vf.AnchorGFSC(4, random_state=0).fit(views)
    assert model.labels_.shape == (n,)


def test_duplicates_do_not_break_it():
    views, _ = blobs(n=8)
    repeated = [np.repeat(x, 50, axis=0) for x in views]
    model = vf.AnchorGFSC(4, random_state=0).fit(repeated)
    for i in range(8):
        assert np.unique(model.labels_[i * 50 : (i + 1) * 50]).size == 1


def test_verbose_prints_every_sweep(capsys):
    views, _ = blobs(n=100)
    model = vf.AnchorGFSC(4, random_state=0, verbose=1).fit(views)
    assert capsys.readouterr().out.count("AnchorGFSC sweep") == model.n_iter_


def test_tensors_are_taken_as_arrays_are():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    views, _ = blobs(n=100)
    expected = vf.AnchorGFSC(4, random_state=0).fit(views)
    model = vf.AnchorGFSC(4, random_state=0).fit([torch.asarray(x) for x in views])
    assert (model.labels_ == expected.labels_).all()
