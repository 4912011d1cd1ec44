"""Estimators on tensors and with device=: the same answers, on the device the data is on."""

import numpy as np
import pytest
import scipy.sparse as sp

from reference import blobs
from viewfuse import GFSC, AnchorGFSC, AutoFusion, metrics
from viewfuse.cluster import GF, _exact
from viewfuse.exceptions import NotEnoughMemoryError, ParameterError, ViewsError, ViewsTypeError

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

VIEWS, LABELS = blobs(n=90, features=(5, 100, 8))


@pytest.mark.parametrize("method", [GFSC, GF])
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_tensors_in_tensors_out(method, precision):
    arrays = [view.astype(precision) for view in VIEWS]
    expected = method(3, random_state=0).fit(arrays)
    model = method(3, random_state=0).fit([torch.asarray(view) for view in arrays])
    for name in ("labels_", "confidence_", "embedding_", "affinity_matrix_"):
        assert isinstance(getattr(model, name), torch.Tensor), name
    assert str(model.embedding_.dtype) == f"torch.{precision}"
    np.testing.assert_allclose(model.affinity_matrix_.numpy(), expected.affinity_matrix_, atol=1e-5)
    np.testing.assert_allclose(model.confidence_.numpy(), expected.confidence_, atol=1e-4)
    assert metrics.ari(expected.labels_, model.labels_) == 1
    assert metrics.evaluate(LABELS, model.labels_) == metrics.evaluate(LABELS, model.labels_.numpy())


def test_device_takes_numpy_arrays_and_returns_numpy_arrays():
    model = GFSC(3, device="cpu:0", random_state=0).fit([*VIEWS[:2], sp.csr_array(VIEWS[2])])
    expected = GFSC(3, random_state=0).fit(VIEWS)
    assert isinstance(model.labels_, np.ndarray)
    np.testing.assert_allclose(model.affinity_matrix_, expected.affinity_matrix_, atol=1e-5)


@pytest.mark.parametrize("method", [GFSC, GF, AnchorGFSC, AutoFusion])
def test_tensors_can_be_moved_to_the_processor(method):
    model = method(3, device="cpu", random_state=0).fit([torch.asarray(view) for view in VIEWS])
    assert metrics.ari(LABELS, model.labels_) == 1


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device here")
def test_cuda_without_a_cuda_device():
    with pytest.raises(ParameterError, match="no CUDA device"):
        GFSC(3, device="cuda").fit(VIEWS)


def test_an_unknown_device():
    with pytest.raises(ParameterError, match="'nowhere'"):
        GFSC(3, device="nowhere").fit(VIEWS)


def test_views_on_different_devices_are_named():
    with pytest.raises(ViewsTypeError, match=r"'view0'.*torch's memory on cpu.*'view1' in NumPy's memory"):
        GFSC(3).fit([torch.asarray(VIEWS[0]), VIEWS[1]])


def test_anchors_on_tensors():
    expected = AnchorGFSC(3, random_state=0).fit(VIEWS)
    model = AnchorGFSC(3, random_state=0).fit([torch.asarray(view) for view in VIEWS])
    for name in ("labels_", "confidence_", "embedding_", "anchor_graph_"):
        found, wanted = getattr(model, name), getattr(expected, name)
        assert isinstance(found, torch.Tensor), name
        np.testing.assert_allclose(found.numpy(), wanted, atol=1e-4)
    predicted = model.predict([torch.asarray(view[:20]) for view in VIEWS])
    assert isinstance(predicted, torch.Tensor)
    np.testing.assert_array_equal(predicted.numpy(), expected.labels_[:20])


class SmallBlocks(AnchorGFSC):
    _rows_per_anchor = 20
    _block_rows = 128


def test_anchors_on_blocks_of_tensor_rows_with_missing_views():
    views, _ = blobs(n=600, features=(5, 30, 8))
    views[1][7] = np.nan
    options = {"n_anchors": 9, "random_state": 0}
    expected = SmallBlocks(3, **options).fit(views)
    moved = SmallBlocks(3, device="cpu:0", **options).fit(views)
    assert isinstance(moved.labels_, np.ndarray)
    np.testing.assert_allclose(moved.embedding_, expected.embedding_, atol=1e-4)
    np.testing.assert_array_equal(moved.predict(views), moved.labels_)
    views[1][8, 0] = np.nan
    with pytest.raises(ViewsError, match=r"'view1'.*row 8"):
        SmallBlocks(3, **options).fit([torch.asarray(view) for view in views])


@pytest.mark.parametrize("n_clusters", [3, "auto"])
def test_too_little_memory_on_the_device_raises_and_names_anchor_gfsc(n_clusters, monkeypatch):
    monkeypatch.setattr(_exact, "free_memory", lambda view: 1000)
    tensors = [torch.asarray(view) for view in VIEWS]
    model = GFSC(n_clusters, random_state=0)
    message = r"GFSC of 90 samples needs 53\d,\d{3},\d{3} bytes .* on cpu, but only 1,000"
    with pytest.raises(NotEnoughMemoryError, match=message) as raised:
        model.fit(tensors)
    assert "AnchorGFSC" in raised.value.hint
    assert raised.value.parameter == "device"
    assert not hasattr(model, "labels_")


def test_the_number_of_clusters_is_estimated_on_tensors():
    model = GFSC("auto", random_state=0).fit([torch.asarray(view) for view in VIEWS])
    assert model.n_clusters_ == 3
    assert isinstance(model.labels_, torch.Tensor)
