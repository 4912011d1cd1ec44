"""AnchorGFSC: row problems compared with slow solvers, block sizes, prediction, missing views, invalid input."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from viewfuse.cluster.rows.local import LocalRows
from viewfuse.cluster.rows.source import Scaler
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
def test_codes_of_missing_samples_are_zero(form):
    x = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    rows = UnitRows.of(form(x), np.array([False, False, True]))
    mapping = np.arange(8, dtype=np.float32).reshape(4, 2)
    assert np.allclose(rows.codes(mapping), [np.array([0.6, 0.8, 0.0, 1.0]) @ mapping, [0, 0], [0, 0]])
    assert np.allclose(rows.mean(), [0.6, 0.8, 0.0])


def test_a_common_offset_of_all_samples_changes_little():
    """With a large common offset all cosines between samples are near 1."""
    views, y = blobs()
    common = [x + 50 for x in views]
    found = vf.AnchorGFSC(4, random_state=0).fit(common).labels_
    assert adjusted_rand_score(y, found) > 0.95


def test_edge_weights_solve_their_quadratic_program():
    rng = np.random.default_rng(1)
    codes = rng.normal(size=(5, 12))
    graphs, strengths = strongest_anchors(codes.copy(), 4)
    for code, row, strength in zip(codes, graphs, strengths, strict=True):
        best = scipy.optimize.minimize(
            lambda z, c=code, r=strength: -c @ z + 0.5 * r * z @ z,
            np.full(12, 1 / 12),
            jac=lambda z, c=code, r=strength: -c + r * z,
            bounds=[(0, 1)] * 12,
            constraints={"type": "eq", "fun": lambda z: z.sum() - 1, "jac": np.ones_like},
            tol=1e-13,
        )
        assert np.allclose(row, best.x, atol=1e-4)
        assert np.count_nonzero(row) == 4


def test_missing_views_are_completed_from_the_others():
    rng = np.random.default_rng(0)
    low_rank = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 12))
    missing = np.zeros((300, 12), dtype=bool)
    missing[:100, :5] = missing[100:180, 5:] = True
    filled = _completed(np.where(missing, np.nan, low_rank), missing, 3, np.random.RandomState(0))
    assert np.array_equal(filled[~missing], low_rank[~missing])
    wrong = np.linalg.norm((filled - low_rank)[missing])
    assert wrong < 0.5 * np.linalg.norm(low_rank[missing])  # filling in the means, all near 0, would leave an error of 1


def test_groups_and_anchors_with_missing_views():
    (x, z), y = blobs(n=200, noise=0.3)
    missing = np.random.default_rng(0).random(200) < 0.3
    views = [UnitRows.of(x), UnitRows.of(np.where(missing[:, None], np.nan, z), missing)]
    groups = group_samples(views, 4, np.random.RandomState(0))
    assert adjusted_rand_score(groups, y) > 0.95
    direct = np.stack([views[1].scaled()[(groups == j) & ~missing].mean(axis=0) for j in range(4)])
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
    """Solve the problem of one row after another."""
    n, m = len(views[0]), model.n_anchors
    consensus = np.zeros((n, m))
    for i in range(n):
        has = [v for v, view in enumerate(views) if view.scale[i] > 0]
        codes = [np.append(views[v].scaled()[i].astype(float), 1) @ model.maps[v] for v in has]
        weights = model.weights[has] / model.weights[has].sum()
        for _ in range(2 if model.beta else 1):
            graphs = []
            for v, code in zip(has, codes, strict=True):
                pulled = code + model.beta * model.weights[v] * consensus[i]
                margin = np.maximum(pulled - np.sort(pulled)[-model.n_neighbors - 1], 0)
                graphs.append(margin / margin.sum())
            fused = sum(w * row for w, row in zip(weights, graphs, strict=True))
            consensus[i] = fused
            if model.gamma:
                point = fused @ model.embedding.transform
                apart = ((point / np.linalg.norm(point) - model.embedding.anchors) ** 2).sum(axis=1)
                cut = np.maximum(fused - model.gamma / m / model.mean_apart * apart, 0)
                consensus[i] = cut / cut.sum()
    return consensus


@pytest.mark.parametrize(("beta", "gamma"), [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5)])
def test_blocks_give_the_same_result_as_single_rows(beta, gamma):
    views, _ = blobs(n=60)
    fusion, rows = learned(views, beta=beta, gamma=gamma)
    missing = np.arange(60) % 5 == 0
    rows[1] = UnitRows.of(np.where(missing[:, None], np.nan, views[1]), missing)
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


def test_weights_are_large_if_few_edges_cross_the_cut():
    views, _ = blobs(n=80)
    fusion, rows = learned(views, beta=0.0, max_iter=1)
    assert np.allclose(fusion.sweeps[0].weights, 0.5)  # there is no cut yet
    model = fusion.model
    graphs = [strongest_anchors(view.codes(mapping), 6)[0] for view, mapping in zip(rows, model.maps, strict=True)]
    points = unit_rows((sum(graphs) / 2) @ model.embedding.transform)
    apart = ((points[:, None, :] - model.embedding.anchors[None, :, :]) ** 2).sum(axis=2)
    closeness = np.array([1 / np.sqrt((graph * apart).sum() / 80) for graph in graphs])
    sweep = anchor.refined(fusion, anchor.block_sums(model, rows), tol=1e-3).sweeps[-1]
    assert np.allclose(sweep.weights, closeness / closeness.sum(), atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_no_view_gets_all_the_weight(seed):
    good = vf.datasets.make_views(n_samples=500, n_features=(5, 8), random_state=seed)
    model = vf.AnchorGFSC(3, random_state=0).fit(good)
    assert model.view_weights_.min() > 0.3
    assert model.converged_
    assert model.n_iter_ < 20
    noisy = vf.datasets.make_views(n_samples=500, n_features=(10,), noise_views=1, random_state=seed)
    model = vf.AnchorGFSC(3, random_state=0).fit(noisy)
    assert adjusted_rand_score(noisy.y, model.labels_) > 0.9


# ---- the estimator


def test_attributes_and_every_form_of_the_data():
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


class SmallSample(vf.AnchorGFSC):
    _rows_per_anchor = 5
    _most_stored = 1000


def test_a_sample_of_rows_is_enough():
    views, _ = blobs(n=3000)
    whole = vf.AnchorGFSC(4, random_state=0).fit(views)
    part = SmallSample(4, random_state=0).fit(views)
    assert adjusted_rand_score(whole.labels_, part.labels_) > 0.98
    assert part.anchor_graph_ is None
    assert not hasattr(part, "affinity_matrix_")
    assert (part.predict(views) == part.labels_).all()


class SmallBlocks(vf.AnchorGFSC):
    _block_rows = 64


def test_the_size_of_blocks_does_not_matter():
    views, _ = blobs(n=700)
    one = vf.AnchorGFSC(4, random_state=0).fit(views)
    other = SmallBlocks(4, random_state=0).fit(views)
    assert adjusted_rand_score(one.labels_, other.labels_) > 0.99
    assert np.allclose(one.embedding_, other.embedding_, atol=1e-3)


def test_a_row_source_uses_the_given_block_size():
    views, _ = blobs(n=700)
    sizes = []
    rows = LocalRows(vf.Views(views), block_rows=64)
    Scaler(rows.described, [0, 1], rows.block_rows).each_block(
        views, 0, lambda part, _: sizes.append(part.stop - part.start) or 0
    )
    assert max(sizes) <= 64
    assert rows.reordered([1, 0]).block_rows == 64


def test_predict_agrees_with_fit_and_generalises_to_new_rows():
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


def test_samples_missing_from_a_file_are_kept_with_missing_keep(tmp_path):
    pandas = pytest.importorskip("pandas")
    views, y = blobs(n=120, k=3)
    ids = pandas.Index([f"s{i}" for i in range(120)], name="id")
    pandas.DataFrame(views[0], index=ids).to_csv(tmp_path / "a.csv")
    pandas.DataFrame(views[1], index=ids)[30:].to_csv(tmp_path / "b.csv")
    joined = vf.load_views([tmp_path / "a.csv", tmp_path / "b.csv"], missing="keep")
    assert adjusted_rand_score(y, vf.AnchorGFSC(3, random_state=0).fit(joined).labels_) > 0.9


@pytest.mark.parametrize("estimator", [vf.AnchorGFSC, vf.GFSC])
def test_samples_missing_from_a_frame_are_kept_with_missing_keep(estimator):
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


def test_a_sample_missing_from_every_view_is_named():
    views, _ = blobs(n=50)
    for x in views:
        x[7] = np.nan
    with pytest.raises(ViewsError, match="row 7 is missing from every view"):
        vf.AnchorGFSC(4).fit(views)
    names = np.array([f"s{i}" for i in range(50)])
    with pytest.raises(ViewsError, match=r"row 7 \(id 's7'\) is missing from every view"):
        vf.AnchorGFSC(4).fit(vf.Views(views, ids=names))


def test_a_row_with_some_infinite_values_is_named():
    views, _ = blobs(n=50)
    views[1][3, 2] = np.inf
    with pytest.raises(ViewsError, match=r"'view1' .* inf in row 3, column 2"):
        vf.AnchorGFSC(4).fit(views)


def test_extreme_and_zero_rows():
    views, y = blobs(n=200)
    huge = [x * 1e200 for x in views]
    tiny = [x * 1e-200 for x in views]
    plain = vf.AnchorGFSC(4, random_state=0).fit(views)
    for scaled in (huge, tiny):
        assert adjusted_rand_score(plain.labels_, vf.AnchorGFSC(4, random_state=0).fit(scaled).labels_) > 0.98
    views[0][5] = 0
    with pytest.warns(UninformativeViewWarning, match="'view0': 1 row is all zeros, the first is row 5"):
        model = vf.AnchorGFSC(4, random_state=0).fit(views)
    assert adjusted_rand_score(y, model.labels_) > 0.9


def test_a_constant_view_has_weight_zero():
    views, y = blobs(n=200)
    with pytest.warns(UninformativeViewWarning, match="constant"):
        model = vf.AnchorGFSC(4, random_state=0).fit([*views, np.ones((200, 3))])
    assert model.view_weights_[2] == 0
    assert model.anchors_[2] is None
    assert adjusted_rand_score(y, model.predict([*views, np.ones((200, 3))])) > 0.9


def test_a_noise_view_has_the_smallest_weight():
    views, _ = blobs(n=500)
    noise = np.random.default_rng(5).normal(size=(500, 8))
    weights = vf.AnchorGFSC(4, random_state=0).fit([*views, noise]).view_weights_
    assert weights.argmin() == 2
    assert weights[2] < 0.6 * weights[:2].min()


@pytest.mark.parametrize("seed", range(4))
def test_two_good_views_share_the_weight_and_noise_has_little(seed):
    """A view that has the largest weight must not end up with all the weight."""
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
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iteration"):
        vf.AnchorGFSC(4, max_iter=1, random_state=0).fit(views)


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ConvergenceWarning")  # so few samples need not converge
@pytest.mark.parametrize("n", [4, 5, 9])
def test_few_more_samples_than_clusters(n):
    views, _ = blobs(n=n, seed=3)
    model = vf.AnchorGFSC(4, random_state=0).fit(views)
    assert model.labels_.shape == (n,)


def test_duplicated_samples_share_a_cluster():
    views, _ = blobs(n=8)
    repeated = [np.repeat(x, 50, axis=0) for x in views]
    model = vf.AnchorGFSC(4, random_state=0).fit(repeated)
    for i in range(8):
        assert np.unique(model.labels_[i * 50 : (i + 1) * 50]).size == 1


def test_verbose_prints_every_iteration(capsys):
    views, _ = blobs(n=100)
    model = vf.AnchorGFSC(4, random_state=0, verbose=1).fit(views)
    assert capsys.readouterr().out.count("AnchorGFSC iteration") == model.n_iter_


def test_tensors_give_the_same_labels_as_arrays():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    views, _ = blobs(n=100)
    expected = vf.AnchorGFSC(4, random_state=0).fit(views)
    model = vf.AnchorGFSC(4, random_state=0).fit([torch.asarray(x) for x in views])
    assert (model.labels_ == expected.labels_).all()
